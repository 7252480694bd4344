"""The folder of a run is consistent at any moment, even during writing."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.runs import Attempt, BusyRunError, InvalidRunError, Run, RunFolder, RunLimits
from planspec.runs.chain import first_seal, seal_line
from planspec.runs.folder import AttemptFile
from planspec.traces.record import Trace

RUN = Run(
    suite="s",
    suite_path="s/suite.yaml",
    suite_sha256="0",
    family=None,
    agent="empty",
    setting="text",
    limits=RunLimits(seconds=1),
    tasks=("a", "b"),
    versions={},
    started="2026-05-04T08:00:00+00:00",
    chained=True,
)


def make_attempt(task: str, repeat: int = 0, text: str = "x") -> Attempt:
    """Return the record of an attempt."""
    return Attempt(
        task=task,
        repeat=repeat,
        seed=repeat,
        verdict={"status": "fail", "findings": [{"message": text}]},
        trace=Trace(task=task),
        started="2026-05-04T08:00:00+00:00",
        seconds=0.5,
    )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Return the folder of a run without attempts."""
    folder = RunFolder(tmp_path / "run")
    folder.create(RUN)
    return folder


def test_added_attempts_are_read_back(folder: RunFolder) -> None:
    with folder.writing() as file:
        file.add(make_attempt("a"))
        file.add(make_attempt("b", 1, "line\nfeed ü \ud800"))
    assert folder.read_header() == RUN
    assert [a.key for a in folder.attempts()] == [("a", 0), ("b", 1)]


def test_a_run_does_not_start_in_a_folder_that_is_not_empty(folder: RunFolder) -> None:
    with pytest.raises(InvalidRunError, match="not empty"):
        folder.create(RUN)


def test_a_folder_without_a_header_is_not_a_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidRunError, match=r"no run\.json"):
        RunFolder(tmp_path).read_header()


def test_one_process_writes_at_a_time(folder: RunFolder) -> None:
    with folder.writing(), pytest.raises(BusyRunError), RunFolder(folder.path).writing():
        pass
    with folder.writing() as file:  # the lock was released when its holder ended
        file.add(make_attempt("a"))
    assert len(list(folder.attempts())) == 1


@given(cut=st.integers(min_value=0, max_value=2000))
def test_after_an_interrupted_write_complete_lines_remain_and_the_next_is_complete(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = RunFolder(tmp_path_factory.mktemp("runs") / "run")
    folder.create(RUN)
    with folder.writing() as file:
        file.add(make_attempt("a"))
        file.add(make_attempt("b"))
    data = folder.attempts_file.read_bytes()
    remaining = data[: min(cut, len(data))]
    folder.attempts_file.write_bytes(remaining)
    whole = remaining.count(b"\n")
    assert [a.task for a in folder.attempts()] == ["a", "b"][:whole]
    with folder.writing() as file:
        file.add(make_attempt("b", 7))
    assert [a.key for a in folder.attempts()] == [*[("a", 0), ("b", 0)][:whole], ("b", 7)]


class TestTampering:
    """Changes of the records are detected, and the errors name the first changed line."""

    @pytest.fixture
    def lines(self, folder: RunFolder) -> list[bytes]:
        """Write three attempts, and return their lines."""
        with folder.writing() as file:
            for repeat in range(3):
                file.add(make_attempt("a", repeat))
        return folder.attempts_file.read_bytes().splitlines(keepends=True)

    def _assert_refused(self, folder: RunFolder, lines: list[bytes], where: str) -> None:
        """Replace the lines of the file, and check that reading and writing report an error at a place."""
        folder.attempts_file.write_bytes(b"".join(lines))
        with pytest.raises(InvalidRunError, match=where):
            list(folder.attempts())
        with pytest.raises(InvalidRunError, match=where), folder.writing():
            pass

    def test_a_changed_verdict_is_detected(self, folder: RunFolder, lines: list[bytes]) -> None:
        lines[1] = lines[1].replace(b'"fail"', b'"pass"')
        self._assert_refused(folder, lines, "line 2: it was changed")

    def test_a_removed_moved_or_repeated_line_is_detected(self, folder: RunFolder, lines: list[bytes]) -> None:
        one, two, three = lines
        self._assert_refused(folder, [one, three], "line 2: it was changed, or a line before it")
        self._assert_refused(folder, [two, one, three], "line 1")
        self._assert_refused(folder, [one, two, two, three], "line 3")

    def test_a_line_without_its_checksum_is_detected(self, folder: RunFolder, lines: list[bytes]) -> None:
        self._assert_refused(folder, [*lines, b'{"garbage": 1}\n'], "line 4: it has no seal")

    def test_a_changed_header_is_detected(self, folder: RunFolder, lines: list[bytes]) -> None:
        folder.header_file.write_text(folder.header_file.read_text().replace('"empty"', '"oracle"'))
        self._assert_refused(folder, lines, "line 1")

    def test_a_header_that_contradicts_the_seals_is_detected(self, folder: RunFolder, lines: list[bytes]) -> None:
        folder.header_file.write_text(folder.header_file.read_text().replace('"chained": true', '"chained": false'))
        self._assert_refused(folder, lines, "line 1: it is sealed")

    @pytest.mark.parametrize("change", ["grown", "shorter", "same length", "sealed anew", "gone", "header"])
    def test_lines_of_other_writers_are_detected_during_the_run(
        self, folder: RunFolder, lines: list[bytes], change: str
    ) -> None:
        """Even lines with valid seals (checksums) are detected, because the recording process remembers its own
        lines.
        """
        with pytest.raises(InvalidRunError, match="another process"), folder.writing():
            change_files(folder, lines, change)

    def test_nothing_is_added_to_a_file_changed_by_another_process(self, folder: RunFolder, lines: list[bytes]) -> None:
        with (
            pytest.raises(InvalidRunError, match="line 4: another process changed it during the run"),
            folder.writing() as file,
        ):
            add_after_change(folder, file)
        assert folder.attempts_file.read_bytes().splitlines()[3:] == [b'{"garbage": 1}']


def add_after_change(folder: RunFolder, file: AttemptFile) -> None:
    """Append garbage to the file of attempts, and then add an attempt."""
    change_files(folder, [], "grown")
    file.add(make_attempt("b"))


def change_files(folder: RunFolder, lines: list[bytes], change: str) -> None:
    """Change the file of attempts in a given way, or the header of the run."""
    match change:
        case "grown":
            with folder.attempts_file.open("ab") as opened:
                opened.write(b'{"garbage": 1}\n')
        case "shorter":
            folder.attempts_file.write_bytes(b"".join(lines[:2]))
        case "same length":
            folder.attempts_file.write_bytes(b"".join(lines).replace(b'"fail"', b'"pass"'))
        case "sealed anew":
            seal = first_seal(folder.header_file.read_bytes())
            folder.attempts_file.write_bytes(seal_line(b'{"task": "a"}', seal) + b"\n")
        case "gone":
            folder.attempts_file.unlink()
        case _:
            folder.header_file.write_bytes(folder.header_file.read_bytes() + b"\n")


def test_a_run_without_a_hash_chain_is_read_and_resumed(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create(RUN.model_copy(update={"chained": False}))
    for repeat in range(2):
        with folder.writing() as file:
            file.add(make_attempt("a", repeat))
    assert b"chain" not in folder.attempts_file.read_bytes()
    assert [attempt.repeat for attempt in folder.attempts()] == [0, 1]


def test_a_full_disk_leaves_the_records_as_they_were(folder: RunFolder) -> None:
    """A limit on the file's size makes writing fail in the middle of a line, as on a full disk."""
    with folder.writing() as file:
        file.add(make_attempt("a"))
    remaining = folder.attempts_file.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(remaining) + 100, limits[1]))
    try:
        with pytest.raises(OSError, match=r"attempts\.jsonl"), folder.writing() as file:
            file.add(make_attempt("b", text="x" * 1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert folder.attempts_file.read_bytes() == remaining
    with folder.writing() as file:
        file.add(make_attempt("b"))
    assert [attempt.task for attempt in folder.attempts()] == ["a", "b"]


@pytest.mark.parametrize(
    "line",
    [b"{}", b'{"attempt": "attempt/1"}', b"[" * 100_000, b"\xff", b"9" * 5000, b"null", b'{"verdict": {}}'],
)
def test_garbage_in_a_run_without_a_chain_is_reported_with_its_line(tmp_path: Path, line: bytes) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create(RUN.model_copy(update={"chained": False}))
    folder.attempts_file.write_bytes(line + b"\n")
    with pytest.raises(InvalidRunError, match=r"attempts\.jsonl`, line 1: "):
        list(folder.attempts())


def test_a_complete_line_that_is_not_an_attempt_is_reported_with_its_number(folder: RunFolder) -> None:
    with folder.writing() as file:
        file.add(make_attempt("a"))
    with folder.attempts_file.open("ab") as opened:
        opened.write(b'{"attempt": "attempt/1"}\n')
    with pytest.raises(InvalidRunError, match="line 2"):
        list(folder.attempts())
