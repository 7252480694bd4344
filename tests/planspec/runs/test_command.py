"""`planspec run`: its arguments, exit codes, and messages on failing agents."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planspec.api.outputs.runs import RunOutput
from planspec.runs import RunFolder
from tests.in_process import attempts_in_process
from tests.planspec.agents.models.loopback import Service, openai_reply
from tests.planspec.commands.test_command_line import TINY, folder, run

__all__ = ["folder"]

BROKEN = """\
class Broken:
    def answer(self, view, desk):
        return {}["nope"]
"""
WRONG = """\
class Wrong:
    def answer(self, view, desk):
        return {"calls": []}
"""
LOUD = """\
import os
print("read")
class Loud:
    def answer(self, view, desk):
        print("said")
        os.system("echo shouted")
        return {"calls": []}
"""
AWAY = """\
import pathlib
from planspec.agents import AttemptFailedError
class Away:
    def answer(self, view, desk):
        if view.task == "two":
            raise KeyError("mine")
        if not pathlib.Path("here").exists():
            raise AttemptFailedError("provider", "status 503")
        return {"calls": []}
"""
SLOW = """\
import pathlib, time
class Slow:
    def answer(self, view, desk):
        pathlib.Path(__file__).with_name("begun").touch()
        time.sleep(60)
"""


@pytest.fixture
def tasks(folder: Path) -> Path:
    """Write a folder of two tasks and agents, without a suite."""
    (folder / "loose").mkdir()
    for name in ("one", "two"):
        (folder / "loose" / f"{name}.task.yaml").write_text(TINY.replace("id: tiny", f"id: {name}"))
    (folder / "broken.py").write_text(BROKEN)
    (folder / "wrong.py").write_text(WRONG)
    (folder / "slow.py").write_text(SLOW)
    return folder


@pytest.fixture
def without_workers() -> Iterator[None]:
    """Run attempts in this process, since only the arguments and exit codes of the command are tested."""
    with attempts_in_process():
        yield


@pytest.mark.usefixtures("tasks")
@pytest.mark.usefixtures("without_workers")
class TestNamesOfTasks:
    @pytest.mark.slow
    @pytest.mark.parametrize("name", ["tiny", "tiny.task.yaml"])
    def test_one_task_is_run_by_its_path_or_id(self, name: str, monkeypatch: Any, capsys: Any) -> None:
        words = ("run", name, "--agent", "oracle", "--out", "out", "--format", "json")
        code, out, err = run(monkeypatch, capsys, *words)
        output = RunOutput.model_validate_json(out)
        assert (code, output.suite, output.attempts, output.failures) == (0, "tiny", {"pass": 1}, [])
        assert err == "run out\n"

    @pytest.mark.slow
    def test_a_folder_of_tasks_is_a_suite(self, monkeypatch: Any, capsys: Any) -> None:
        code, out, err = run(monkeypatch, capsys, "run", "loose", "--agent", "oracle", "--out", "out")
        assert (code, out.endswith("2 pass\n"), err) == (0, True, "run out\nnext: planspec report out\n")
        assert run(monkeypatch, capsys, "run", "--resume", "out")[0] == 0
        assert run(monkeypatch, capsys, "report", "out", "--no-proofs")[0] == 0
        output = [json.loads(line) for line in Path("out/attempts.jsonl").read_text().splitlines()]
        assert sorted((one["task"], one["verdict"]["status"]) for one in output) == [
            ("one", "pass"),
            ("two", "pass"),
        ]

    @pytest.mark.slow
    def test_a_task_that_needs_its_suite_for_scoring_is_refused_without_its_suite(
        self, monkeypatch: Any, capsys: Any
    ) -> None:
        code, _, err = run(monkeypatch, capsys, "run", "mb-000001", "--agent", "oracle", "--out", "out")
        assert (code, "run the suite" in err, Path("out").exists()) == (2, True, False)


@pytest.mark.usefixtures("tasks")
@pytest.mark.usefixtures("without_workers")
class TestExitStatus:
    @pytest.mark.slow
    def test_a_complete_run_exits_0_whatever_its_scores(self, monkeypatch: Any, capsys: Any) -> None:
        assert run(monkeypatch, capsys, "run", "tiny", "--agent", "python:file=wrong.py")[0] == 0

    @pytest.mark.slow
    @pytest.mark.parametrize(("share", "expected"), [("0.5", 1), ("0", 0)])
    def test_fail_under_sets_the_share_that_must_pass(
        self, share: str, expected: int, monkeypatch: Any, capsys: Any
    ) -> None:
        words = ("run", "tiny", "--agent", "python:file=wrong.py", "--fail-under", share)
        assert run(monkeypatch, capsys, *words)[0] == expected

    @pytest.mark.slow
    def test_a_run_in_which_every_attempt_failed_exits_1_with_the_reasons(self, monkeypatch: Any, capsys: Any) -> None:
        words = ("run", "loose", "--agent", "python:file=broken.py", "--out", "out")
        code, out, _ = run(monkeypatch, capsys, *words)
        assert code == 1
        assert out.endswith("2 undelivered\n2 failed at adapter, first one: KeyError: 'nope'\n")
        _, out, _ = run(monkeypatch, capsys, "run", "--resume", "out", "--format", "json")
        (failure,) = RunOutput.model_validate_json(out).failures
        assert (failure.boundary, failure.attempts, failure.task) == ("adapter", 2, "one")


@pytest.mark.usefixtures("tasks")
class TestFailures:
    @pytest.mark.slow
    def test_the_first_failure_of_a_boundary_is_shown_with_its_line_and_traceback(
        self, monkeypatch: Any, capsys: Any
    ) -> None:
        words = ("run", "loose", "--agent", "python:file=broken.py", "--out", "out")
        _, _, err = run(monkeypatch, capsys, *words)
        output = [line for line in err.splitlines() if not line.startswith(("run ", "next: ", "warning: "))]
        file = Path("broken.py").absolute()
        assert output[0] == "one failed at adapter: KeyError: 'nope'"
        assert output[1] in (
            f"  at {place}:3; traceback: out/attempts.jsonl, line 1, and in the report" for place in (file, file.name)
        )
        assert len(output) == 2
        first, _ = RunFolder(Path("out")).attempts()
        assert first.failure is not None
        assert first.failure.traceback is not None
        assert first.failure.traceback.splitlines()[-1] == "KeyError: 'nope'"
        assert "planspec/runs" not in first.failure.traceback

    @pytest.mark.slow
    def test_consecutive_failures_stop_a_run_that_can_be_resumed(self, monkeypatch: Any, capsys: Any) -> None:
        words = ("run", "loose", "--agent", "python:file=broken.py", "--repeats", "2", "--out", "out")
        code, out, err = run(monkeypatch, capsys, *words, "--fail-on-error", "3")
        assert code == 3
        assert "3 undelivered\n" in out
        assert err.endswith(
            "error: the agent failed 3 times in a row at adapter, and the run was stopped; 1 of 4 attempts were not made\n"
            "continue with: planspec run --resume out\n"
        )
        Path("broken.py").write_text(WRONG)
        code, out, _ = run(monkeypatch, capsys, "run", "--resume", "out", "--format", "json")
        output = RunOutput.model_validate_json(out)
        assert (code, output.attempts, output.stopped) == (0, {"undelivered": 3, "fail": 1}, None)

    @pytest.mark.thorough
    @pytest.mark.slow
    def test_output_of_an_agent_goes_to_standard_error(self, tasks: Path) -> None:
        (tasks / "loud.py").write_text(LOUD)
        command = ["run", "tiny", "--agent", "python:file=loud.py", "--out", "out", "--format", "json"]
        made = subprocess.run(
            [sys.executable, "-P", "-m", "planspec", *command],
            cwd=tasks,
            capture_output=True,
            check=True,
            text=True,
            timeout=120,
        )
        assert RunOutput.model_validate_json(made.stdout).attempts == {"fail": 1}
        assert {"read", "said", "shouted"} <= set(made.stderr.splitlines())

    @pytest.mark.slow
    def test_attempts_that_failed_at_the_provider_are_repeated(self, monkeypatch: Any, capsys: Any) -> None:
        Path("away.py").write_text(AWAY)
        words = ("run", "loose", "--agent", "python:file=away.py", "--out", "out")
        assert run(monkeypatch, capsys, *words)[0] == 1
        before = Path("out/attempts.jsonl").read_bytes()
        assert run(monkeypatch, capsys, "report", "out", "--no-proofs")[0] == 0
        Path("here").touch()
        _, out, _ = run(monkeypatch, capsys, "run", "--resume", "out", "--format", "json")
        assert RunOutput.model_validate_json(out).attempts == {"fail": 1, "undelivered": 1}
        assert Path("out/attempts.jsonl").read_bytes().startswith(before)
        assert {(made.task, made.retry, made.status) for made in RunFolder(Path("out")).attempts()} == {
            ("one", 1, "fail"),
            ("two", 0, "undelivered"),
        }
        assert run(monkeypatch, capsys, "report", "out", "--no-proofs")[0] == 0


@pytest.mark.usefixtures("tasks")
class TestOptions:
    @pytest.mark.slow
    def test_some_tasks_of_a_suite_can_be_run_and_the_agent_named(self, monkeypatch: Any, capsys: Any) -> None:
        words = ("run", "loose", "--agent", "python:file=wrong.py", "--task", "two", "--name", "only two")
        code, out, err = run(monkeypatch, capsys, *words, "--format", "json")
        output = RunOutput.model_validate_json(out)
        assert (code, output.name, output.attempts) == (0, "only two", {"fail": 1})
        assert err.startswith("run runs/loose-only-two-")
        assert [made.task for made in RunFolder(Path(output.run)).attempts()] == ["two"]
        assert run(monkeypatch, capsys, "run", "--resume", output.run)[0] == 0
        code, out, _ = run(monkeypatch, capsys, "report", output.run, "--no-proofs", "-o", "page.html")
        assert (code, "only two" in Path("page.html").read_text("utf-8")) == (0, True)

    def test_an_unknown_task_is_reported_with_a_suggestion(self, monkeypatch: Any, capsys: Any) -> None:
        words = ("run", "loose", "--agent", "empty", "--task", "twoo")
        code, _, err = run(monkeypatch, capsys, *words)
        assert (code, "the suite `loose` has no task `twoo`; did you mean `two`?" in err) == (2, True)

    @pytest.mark.parametrize("text", ["{", "[]", '{"m": {"input": -1, "output": 2}}', '{"m": {"input": 1}}'])
    def test_invalid_prices_are_refused(self, text: str, monkeypatch: Any, capsys: Any) -> None:
        Path("prices.json").write_text(text)
        words = ("run", "tiny", "--agent", "empty", "--prices", "prices.json")
        code, _, err = run(monkeypatch, capsys, *words)
        assert (code, err.startswith("error: `prices.json`: ")) == (2, True)

    @pytest.mark.slow
    def test_replies_are_cached_and_cost_their_prices(self, monkeypatch: Any, capsys: Any) -> None:
        Path("prices.json").write_text('{"m": {"input": 2, "cached_input": 0.5, "output": 10}}')
        reply = openai_reply('{"calls": []}', input_tokens=1000, output_tokens=100)
        reply["usage"]["prompt_tokens_details"] = {"cached_tokens": 400}
        with Service(reply) as service:
            agent = f"openai:model=m,base_url={service.url}/v1"
            words = ("run", "tiny", "--agent", agent, "--format", "json")
            more = ("--repeats", "2", "--response-cache", "kept", "--prices", "prices.json")
            outs = [run(monkeypatch, capsys, *words, *more)[1] for _ in range(2)]
            output = [RunOutput.model_validate_json(out) for out in outs]
            assert len(service.requests) == 2
            made = list(RunFolder(Path(output[1].run)).attempts())
            _, out, _ = run(monkeypatch, capsys, *words)
            assert RunOutput.model_validate_json(out).usd is None
        assert [one.usd for one in output] == [pytest.approx(2 * (600 * 2 + 400 * 0.5 + 100 * 10) / 1e6), 0]
        assert [one.hit for attempt in made for one in attempt.trace.generations] == [True] * 2
        assert len(list(Path("kept").rglob("*.json"))) == 2


@pytest.mark.slow
def test_an_interrupted_run_prints_the_command_that_resumes_it(tasks: Path) -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "planspec",
        "run",
        "tiny",
        "--agent",
        "python:file=slow.py",
        "--out",
        "a b",
    ]
    made = subprocess.Popen(command, cwd=tasks, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not (tasks / "begun").exists() and time.monotonic() < until:
        time.sleep(0.05)
    os.kill(made.pid, signal.SIGINT)
    _, err = made.communicate(timeout=60)
    assert made.returncode == 130
    assert err.endswith("continue with: planspec run --resume 'a b'\ninterrupted\n")
