"""Names of commands and options, help, and checks before a command begins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec.cli import FORMER, GROUPS, TIME_LIMITED
from planspec.commands.search_limits import search_limits
from planspec.solvers.questions import prove
from tests.paths import ROOT
from tests.planspec.commands.calls import commands_with, options_by_command
from tests.planspec.commands.test_command_line import TINY, folder, run

__all__ = ["folder"]

JOB_SHOP = str(ROOT / "tasks" / "examples" / "job-shop.task.yaml")


def test_options_for_time_limits_are_called_timeout_and_the_option_limit_is_a_count() -> None:
    seconds = {name: type(options_by_command()[name]["--timeout"].type).__name__ for name in commands_with("--timeout")}
    assert set(seconds.values()) == {"FloatRange"}
    assert set(TIME_LIMITED) < set(seconds)
    assert {name: type(options_by_command()[name]["--limit"].type).__name__ for name in commands_with("--limit")} == {
        "run": "IntRange"
    }


@pytest.mark.parametrize("command", FORMER)
def test_former_names_are_replaced_by_existing_options(command: str) -> None:
    options_ = options_by_command()[command]
    for former, current in FORMER[command].items():
        assert former not in options_
        assert current in options_


@pytest.mark.parametrize("words", [("--limit", "5"), ("--limit=5",)])
def test_a_former_name_is_accepted_with_a_note(words: tuple[str, ...], monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "solve", "no-such-task-at-all", *words)
    assert code == 2
    assert err.startswith("note: `--limit` is now `--timeout`\n")
    assert "there is no task" in err


def test_arguments_after_two_dashes_are_not_options(monkeypatch: Any, capsys: Any) -> None:
    _, _, err = run(monkeypatch, capsys, "solve", "--", "--limit")
    assert "is now" not in err


def test_a_mistyped_command_gets_the_nearest_suggestion(monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, "chek", "x")
    assert code == 2
    assert "there is no command `chek`; did you mean `check`?" in err


@pytest.mark.parametrize("words", [("-h",), ("check", "-h"), ("tasks", "list", "-h"), ("import", "veritrip", "-h")])
def test_dash_h_shows_help(words: tuple[str, ...], monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, *words)
    assert code == 0
    assert out.startswith("Usage: ")


def test_help_lists_every_command_once_in_its_group(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(monkeypatch, capsys, "--help")
    lines = out.splitlines()
    for title, names in GROUPS.items():
        assert f"{title}:" in lines
        for name in names:
            assert sum(line.startswith(f"  {name} ") for line in lines) == 1


FIVE_NODES = """\
NAME: five
TYPE: TSP
DIMENSION: 5
EDGE_WEIGHT_TYPE: EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 10
3 10 10
4 10 0
5 5 15
EOF
"""

WITHOUT_PACKAGES = """\
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None  # as if it were not installed
sys.argv = ["planspec", *sys.argv[2:]]
from planspec.cli import main
main()
"""


@pytest.mark.sampled(9)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "need", "extra"),
    [
        (("solve", "tiny"), "the back end `cpsat` needs an extra", "solve"),
        (("validate", "tiny", "--backends", "smt"), "the back end `smt` needs an extra", "solve"),
        (("why", "tiny"), "the back end `cpsat` needs an extra", "solve"),
        (("check", "--deep", "tiny"), "the back end `cpsat` needs an extra", "solve"),
        (("score", "answers.jsonl", "--suite", "tiny"), "metrics with intervals need an extra", "solve"),
        (("tour", "five.tsp"), "tours need an extra", "solve"),
        (("dimacs", "tiny", "-o", "out"), "the back end `sat` and proofs need an extra", "proofs"),
    ],
)
def test_the_error_without_optional_packages_names_the_extra_to_install(
    words: tuple[str, ...], need: str, extra: str, folder: Path
) -> None:
    (folder / "five.tsp").write_text(FIVE_NODES, "utf-8")
    result = _run_without_extras(folder, *words)
    message = f"error: {need}: pip install 'planspec[{extra}]'\n"
    assert (result.returncode, result.stdout, result.stderr) == (2, "", message)


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("words", [("check", "tiny"), ("verify", "good.json"), ("validate", "tiny", "--check")])
def test_checks_without_a_solver_need_no_extra(
    words: tuple[str, ...], folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    run(monkeypatch, capsys, "validate", "tiny", "--certify")
    assert (folder / "certificates" / "tiny.json").is_file()
    result = _run_without_extras(folder, *words)
    assert (result.returncode, result.stdout, result.stderr) == run(monkeypatch, capsys, *words)


def _run_without_extras(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process in which the packages of all extras are missing."""
    command = [sys.executable, "-P", "-c", WITHOUT_PACKAGES, "ortools,z3,networkx,numpy,pysat", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize(
    "words",
    [
        ("solve", "tiny", "-o"),
        ("repair", "good.json", "-o"),
        ("report", "run", "-o"),
        ("tighten", "tiny", "--keep", "good.json", "-o"),
    ],
)
@pytest.mark.parametrize("place", ["missing/out.yaml", "."])
def test_output_paths_are_checked_before_work_begins(
    words: tuple[str, ...], place: str, folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.setattr(prove, "solve", None)
    code, out, err = run(monkeypatch, capsys, *words, place)
    assert (code, out) == (2, "")
    assert ("there is no folder `missing`" if place != "." else "`.`") in err


def test_an_answer_with_an_ambiguous_task_is_reported_with_the_task_option(
    folder: Path, monkeypatch: Any, capsys: Any
) -> None:
    (folder / "copy.task.yaml").write_text(TINY)
    for words in (("verify", "good.json"), ("repair", "good.json")):
        code, _, err = run(monkeypatch, capsys, *words)
        assert code == 2
        assert "several files are the task `tiny`" in err
        assert "--task TASK says which" in err


def test_output_is_short_for_many_tasks(folder: Path, monkeypatch: Any, capsys: Any) -> None:
    loose = TINY.replace("query:", "expects: unique\nquery:").replace(
        "  order:\n    hard: calls[anna].end <= calls[bert].start\n    message: anna comes first\n", ""
    )
    loose = loose.replace("{who: key Call,", "{who: key Call, a: int, b: int,").replace(
        "who: c, ", "who: c, a: 0..1, b: 0..1, "
    )
    (folder / "loose.task.yaml").write_text(loose.replace("id: tiny", "id: loose"))
    code, out, err = run(monkeypatch, capsys, "validate", "tiny", "loose", "--backends", "cpsat", "--quiet")
    assert (code, out.startswith("loose: "), "tiny" in out) == (1, True, False)
    assert err == "2 tasks: 1 as expected, 1 with several plans\n"
    assert out.count("  free: ") <= 3


def test_summaries_of_commands_are_printed_in_full(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(monkeypatch, capsys, "--help")
    assert "..." not in out.partition("Options:")[2]


def test_a_plan_that_took_too_long_to_judge_is_undecided(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("planspec.verifiers.meaning.judge.INTERPRETING_STEPS", 2_000)
    monkeypatch.setattr("planspec.verifiers.compiled.frame.JUDGING_STEPS", 10_000)
    task, answer = tmp_path / "t.yaml", tmp_path / "a.json"
    task.write_text(
        "planspec: task/1\nid: t\nquery: q\nplan: {v: {id: key int, a: int}}\nscope: {v: [{id: 1, a: 1..5}]}\n"
        "constraints: {c: {hard: all(x.a + y.a > 0 for x in v for y in v)}}\n"
    )
    answer.write_text(json.dumps({"v": [{"id": n, "a": 1} for n in range(300)]}))
    code, out, _ = run(monkeypatch, capsys, "verify", str(answer), "--task", str(task))
    assert code == 3
    assert "not judged" in out


@pytest.mark.parametrize("command", ["solve", "validate", "repair", "tighten"])
def test_searches_of_schedules_may_use_several_threads(command: str) -> None:
    assert options_by_command()[command]["--workers"].default == 1
    assert search_limits(None, None, workers=3).workers == 3
    assert search_limits(None, 2.0, workers=3).seconds is None


def test_the_optimum_is_the_same_with_several_threads(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = [
        run(monkeypatch, capsys, "solve", JOB_SHOP, "--workers", workers, "--format", "json")[1] for workers in "12"
    ]
    single, several = (json.loads(output)["objective"] for output in outputs)
    assert single == several
    assert run(monkeypatch, capsys, "solve", JOB_SHOP, "--workers", "0")[0] == 2
