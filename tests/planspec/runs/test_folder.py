"""The folder of a run is whole at any moment."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.runs import Attempt, BrokenRun, BusyRun, Run, RunFolder, RunLimits
from planspec.verifiers.traces.record import Trace

RUN = Run(
    suite="s", suite_path="s/suite.yaml", suite_sha256="0", family=None, agent="empty", setting="text",
    limits=RunLimits(seconds=1), tasks=("a", "b"), versions={}, started="2026-05-04T08:00:00+00:00",
)  # fmt: skip


def made(task: str, repeat: int = 0, text: str = "x") -> Attempt:
    return Attempt(
        task=task, repeat=repeat, seed=repeat, verdict={"status": "fail", "findings": [{"message": text}]},
        trace=Trace(task=task), started="2026-05-04T08:00:00+00:00", seconds=0.5,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder(tmp_path / "run")
    folder.create(RUN)
    return folder


def test_what_is_added_is_read_again(folder: RunFolder) -> None:
    with folder.writing() as file:
        file.add(made("a"))
        file.add(made("b", 1, "line\nfeed ü \ud800"))
    assert folder.run() == RUN
    assert [a.key for a in folder.attempts()] == [("a", 0), ("b", 1)]


def test_a_folder_with_something_in_it_is_no_new_run(folder: RunFolder) -> None:
    with pytest.raises(BrokenRun, match="not empty"):
        folder.create(RUN)


def test_a_folder_without_a_header_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(BrokenRun, match=r"no run\.json"):
        RunFolder(tmp_path).run()


def test_one_process_writes_at_a_time(folder: RunFolder) -> None:
    with folder.writing(), pytest.raises(BusyRun), RunFolder(folder.path).writing():
        pass
    with folder.writing() as file:  # the lock is gone with its holder
        file.add(made("a"))
    assert len(list(folder.attempts())) == 1


@given(cut=st.integers(min_value=0, max_value=2000))
def test_wherever_a_write_broke_off_whole_lines_are_kept_and_the_next_one_is_whole(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "run")
    folder.create(RUN)
    with folder.writing() as file:
        file.add(made("a"))
        file.add(made("b"))
    data = folder.attempts_file.read_bytes()
    kept = data[: min(cut, len(data))]
    folder.attempts_file.write_bytes(kept)
    whole = kept.count(b"\n")
    assert [a.task for a in folder.attempts()] == ["a", "b"][:whole]
    with folder.writing() as file:
        file.add(made("b", 7))
    assert [a.key for a in folder.attempts()] == [*[("a", 0), ("b", 0)][:whole], ("b", 7)]


def test_a_whole_line_that_is_no_attempt_is_told_with_its_number(folder: RunFolder) -> None:
    with folder.writing() as file:
        file.add(made("a"))
    with folder.attempts_file.open("ab") as opened:
        opened.write(b'{"attempt": "attempt/1"}\n')
    with pytest.raises(BrokenRun, match="line 2"):
        list(folder.attempts())
