"""No attempt is lost or repeated, however a run is interrupted."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from planspec.agents import AgentSpec, Limits, UnknownAgentError
from planspec.runs import ChangedSuiteError, InvalidRunError, RunFolder, RunOptions, begin, resume_run
from tests.planspec.commands.test_command_line import run as planspec

SUITE = """\
planspec: suite/1
id: small
title: Small
tasks: [a.task.yaml, b.task.yaml, c.task.yaml]
"""
TASK = """\
planspec: task/1
id: {id}
title: One number
query: "Say a number over {least}."
plan: {{answer: {{one: true, n: int}}}}
constraints: {{over: {{hard: answer.n > {least}}}}}
scope: {{answer: [{{n: 0..9}}]}}
environment: {{refusals: allowed}}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return the folder of a suite with three tasks."""
    folder = tmp_path / "suite"
    folder.mkdir()
    (folder / "suite.yaml").write_text(SUITE)
    for name, least in (("a", 3), ("b", 5), ("c", 9)):
        (folder / f"{name}.task.yaml").write_text(TASK.format(id=name, least=least))
    return folder


def run_suite(suite: Path, agent: str, out: Path, *, jobs: int = 1, repeats: int = 1, **limits: float) -> RunFolder:
    """Run an agent on a suite, and return the folder of the run."""
    folder = RunFolder(out)
    begin(RunOptions(str(suite), AgentSpec.read(agent), limits=Limits(**limits), repeats=repeats), folder)  # type: ignore[arg-type]
    resume_run(folder, jobs)
    return folder


@pytest.mark.slow
def test_the_oracle_answers_feasible_tasks_and_proves_the_others_infeasible(suite: Path, tmp_path: Path) -> None:
    attempts = {a.task: a for a in run_suite(suite, "oracle", tmp_path / "run").attempts()}
    assert {task: a.status for task, a in attempts.items()} == {"a": "pass", "b": "pass", "c": "pass"}
    assert attempts["c"].turns[0].answer == {"infeasible": True}
    assert all(a.privileged for a in attempts.values())


@pytest.mark.slow
def test_an_empty_answer_is_counted_at_the_boundary_where_it_failed(suite: Path, tmp_path: Path) -> None:
    attempts = list(run_suite(suite, "empty", tmp_path / "run").attempts())
    assert [(a.status, a.failure.boundary if a.failure else None) for a in attempts] == [("undelivered", "decode")] * 3


@pytest.mark.slow
def test_each_repeat_has_its_own_seed(suite: Path, tmp_path: Path) -> None:
    folder = run_suite(suite, "random", tmp_path / "run", repeats=3)
    assert {(a.repeat, a.seed) for a in folder.attempts()} == {(0, 0), (1, 1), (2, 2)}
    again = run_suite(suite, "random", tmp_path / "again", repeats=3)
    answers = {a.key: a.turns[0].answer for a in folder.attempts()}
    assert answers == {a.key: a.turns[0].answer for a in again.attempts()}


@pytest.mark.thorough
@pytest.mark.slow
def test_finished_attempts_are_not_repeated(suite: Path, tmp_path: Path) -> None:
    folder = run_suite(suite, "random", tmp_path / "run")
    before = folder.attempts_file.read_bytes()
    resume_run(folder, 2)
    assert folder.attempts_file.read_bytes() == before


@pytest.mark.slow
def test_a_changed_suite_is_refused(suite: Path, tmp_path: Path) -> None:
    folder = run_suite(suite, "empty", tmp_path / "run")
    (suite / "a.task.yaml").write_text(TASK.format(id="a", least=4))
    with pytest.raises(ChangedSuiteError):
        resume_run(folder, 1)


@pytest.mark.slow
def test_a_run_does_not_start_in_a_folder_that_is_not_empty(suite: Path, tmp_path: Path) -> None:
    run_suite(suite, "empty", tmp_path / "run")
    with pytest.raises(InvalidRunError):
        run_suite(suite, "empty", tmp_path / "run")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nobody", "no agent is called"),
        ("random:x=1", "there is no option `x`"),
        ("greedy:strategy=best", "earliest"),
        ("repair", "of"),
    ],
)
def test_a_wrong_agent_is_reported_before_anything_runs(suite: Path, tmp_path: Path, spec: str, message: str) -> None:
    with pytest.raises(UnknownAgentError, match=message):
        run_suite(suite, spec, tmp_path / "run")
    assert not (tmp_path / "run").exists()


PROGRAM = """
import sys
from pathlib import Path
from planspec.runs import RunFolder, resume_run
if __name__ == "__main__":
    resume_run(RunFolder(Path(sys.argv[1])), int(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX")
def test_a_run_killed_at_any_moment_loses_no_attempt_and_repeats_none(suite: Path, tmp_path: Path) -> None:
    chance = random.Random(7)
    program = tmp_path / "go_on.py"
    program.write_text(PROGRAM)
    folder = RunFolder(tmp_path / "run")
    begin(RunOptions(str(suite), AgentSpec.read("random"), repeats=40), folder)
    complete: list[bytes] = []
    for killed in range(3):
        going = subprocess.Popen(
            [sys.executable, "-P", str(program), str(folder.path), "2"],
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        written = len(complete)
        until = time.monotonic() + 60
        while len(folder.attempts_file.read_bytes().splitlines()) <= written and time.monotonic() < until:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.05)
        going.send_signal(signal.SIGKILL)
        going.wait()
        lines = folder.attempts_file.read_bytes().splitlines(keepends=True)
        whole = [line for line in lines if line.endswith(b"\n")]
        assert whole[: len(complete)] == complete, killed
        complete = whole
    assert 0 < len(complete) < 120
    resume_run(folder, 2)
    assert folder.attempts_file.read_bytes().startswith(b"".join(complete))
    counts = Counter(a.key for a in folder.attempts())
    assert set(counts.values()) == {1}
    assert len(counts) == 120


SLOW = """
import os, time
from pathlib import Path

class Slow:
    def answer(self, view, desk):
        Path({place!r}).write_text(str(os.getpid()))
        time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX")
def test_processes_of_a_killed_run_end_with_it(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "go_on.py").write_text(PROGRAM)
    (tmp_path / "slow.py").write_text(SLOW.format(place=str(tmp_path / "pid")))
    folder = RunFolder(tmp_path / "run")
    begin(RunOptions(str(suite), AgentSpec.read(f"python:file={tmp_path / 'slow.py'}")), folder)
    going = subprocess.Popen(
        [sys.executable, "-P", str(tmp_path / "go_on.py"), str(folder.path), "1"], stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 60
    while not is_written(tmp_path / "pid") and time.monotonic() < until:
        time.sleep(0.02)
    going.send_signal(signal.SIGKILL)
    going.wait()
    worker = int((tmp_path / "pid").read_text())
    while is_alive(worker) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_alive(worker)


def is_written(file: Path) -> bool:
    """Return whether a file exists and is not empty."""
    return file.exists() and file.stat().st_size > 0


def is_alive(process: int) -> bool:
    """Return whether the process runs and is not a zombie."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.slow
def test_an_agent_that_exceeds_its_time_is_killed_and_counts_as_undelivered(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planspec.runs.workers.GRACE", 0.5)
    monkeypatch.setattr("planspec.runs.workers.STARTING", 5.0)
    (tmp_path / "slow.py").write_text(SLOW.format(place=str(tmp_path / "pid")))
    folder = RunFolder(tmp_path / "run")
    options = RunOptions(
        str(suite), AgentSpec.read(f"python:file={tmp_path / 'slow.py'}"), limits=Limits(seconds=0.2), limit=1
    )
    begin(options, folder)
    resume_run(folder, 1)
    (made,) = folder.attempts()
    assert made.failure is not None
    assert (made.failure.boundary, made.status, made.lost) == ("timeout", "undelivered", True)


CRASHING = """
import os

class Crashing:
    def answer(self, view, desk):
        if view.task == "b":
            os._exit(7)
        return {"answer": {"n": 9}}
"""


@pytest.mark.slow
def test_an_agent_that_ends_its_process_loses_only_its_attempt(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "crashing.py").write_text(CRASHING)
    attempts = {
        a.task: a for a in run_suite(suite, f"python:file={tmp_path / 'crashing.py'}", tmp_path / "run").attempts()
    }
    assert {task: a.status for task, a in attempts.items()} == {"a": "pass", "b": "undelivered", "c": "fail"}
    failure = attempts["b"].failure
    assert failure is not None
    assert failure.boundary == "adapter"
    assert "status 7" in failure.message


BOASTING = """
class Boasting:
    def about(self):
        return {"model": object()}

    def answer(self, view, desk):
        desk.note("x", object())
        return {"answer": {"n": 9}}
"""


@pytest.mark.slow
def test_an_answer_that_is_not_json_is_reported_and_ends_no_process(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "boasting.py").write_text(BOASTING)
    folder = run_suite(suite, f"python:file={tmp_path / 'boasting.py'}", tmp_path / "run")
    assert "error" in folder.read_header().about
    for made in folder.attempts():
        assert made.failure is not None
        assert (made.failure.boundary, made.lost) == ("adapter", False)
        assert "error" in made.about


MEDDLING = """
from pathlib import Path

class Meddling:
    def answer(self, view, desk):
        records = Path({records!r})
        text = records.read_text()
        records.write_text(text.replace('"undelivered"', '"pass"') if {forge} else text + '{{"garbage": 1}}\\n')
        return {{}}
"""


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("forge", [True, False])
def test_a_run_ends_with_the_changed_line_if_an_agent_writes_to_the_records(
    suite: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    forge: bool,
) -> None:
    out = tmp_path / "run"
    (tmp_path / "m.py").write_text(MEDDLING.format(records=str(out / "attempts.jsonl"), forge=forge))
    words = ("run", str(suite), "--agent", f"python:file={tmp_path / 'm.py'}", "--out", str(out))
    code, printed, errors = planspec(monkeypatch, capsys, *words)
    assert (code, printed) == (2, "")
    assert "attempts.jsonl`, line 1: another process changed it during the run" in errors
    for more in (("run", "--resume", str(out)), ("report", str(out), "-o", str(tmp_path / "page.html"))):
        code, printed, errors = planspec(monkeypatch, capsys, *more)
        assert (code, printed) == (2, "")
        assert "attempts.jsonl`, line 1: " in errors
