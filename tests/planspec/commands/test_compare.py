"""`compare`: text, JSON and all exit codes. The verifier confirms each difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.claims import CompareOutput
from tests.planspec.commands.test_command_line import GOOD, TINY, run

ORDER = "calls[anna].end <= calls[bert].start"
SUITE = "planspec: suite/1\nid: office\ntitle: Office\ntasks: ['*.task.yaml']\n"


@pytest.fixture
def two_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two versions of a suite. Tasks are equal, equivalent, different, or in one version only."""
    second = {
        "same": TINY,
        "renamed": TINY.replace("  order:", "  sequence:"),
        "reworded": TINY.replace(ORDER, f"not ({ORDER.replace('<=', '>')})"),
        "later": TINY.replace(ORDER, "calls[bert].end <= calls[anna].start"),
        "new": TINY,
    }
    first = dict.fromkeys(("same", "renamed", "reworded", "later", "gone"), TINY)
    for name, tasks in (("one", first), ("two", second)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "office.suite.yaml").write_text(SUITE)
        for task, text in tasks.items():
            (tmp_path / name / f"{task}.task.yaml").write_text(text.replace("id: tiny", f"id: {task}"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_suite_is_compared_task_by_task(two_versions: Path, monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "compare", "one", "two", "--out", "plans")
    assert code == 1
    lines = {line.partition(":")[0]: line for line in out.splitlines()}
    assert lines["same"] == "same: same, read from the same texts"
    assert (
        lines["renamed"] == "renamed: same, the same hard constraints over the same facts, within the scope and beyond"
    )
    assert lines["reworded"].startswith("reworded: same, no plan within their scope tells them apart (cpsat same ")
    assert lines["later"].startswith("later: different, the first accepts a plan that the second refuses, found within")
    assert "  x hard  order  " in out
    assert lines["gone"] == "gone: in the first alone"
    assert lines["new"] == "new: in the second alone"
    assert err == "3 same, 1 different, 2 in one alone\n"
    plans = two_versions / "plans"
    assert [path.name for path in plans.iterdir()] == ["later.json"]
    for version, status in (("one", "pass"), ("two", "fail")):
        assert planspec.verify(f"{version}/later.task.yaml", plans / "later.json").status == status


@pytest.mark.usefixtures("two_versions")
def test_json_has_every_task_and_the_plan(monkeypatch: Any, capsys: Any) -> None:
    code, out, _ = run(monkeypatch, capsys, "compare", "one", "two", "--format", "json")
    output = CompareOutput.model_validate_json(out)
    assert code == 1
    assert {task.task: (task.same, task.how) for task in output.tasks} == {
        "same": (True, "text"),
        "renamed": (True, "meaning"),
        "reworded": (True, "solvers"),
        "later": (False, "witness"),
    }
    later = next(task for task in output.tasks if task.task == "later")
    assert (later.accepted_by, [f.constraint for f in later.refused]) == ("first", ["order"])
    assert later.witness == later.rows
    assert (output.only_first, output.only_second) == (["gone"], ["new"])


@pytest.mark.usefixtures("two_versions")
def test_two_single_tasks_are_compared_whatever_their_ids(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "compare", "one/same.task.yaml", "two/renamed.task.yaml")
    assert (code, err) == (0, "")
    assert out.startswith("same: same, ")


@pytest.mark.usefixtures("two_versions")
def test_an_undecided_comparison_exits_3(monkeypatch: Any, capsys: Any) -> None:
    pair = ("one/reworded.task.yaml", "two/reworded.task.yaml")
    code, out, _ = run(monkeypatch, capsys, "compare", *pair, "--timeout", "0.001")
    assert code == 3
    assert out.startswith("reworded: unknown, not decided within their scope (cpsat unknown ")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("start: time,", "start: moment,", "`calls.start` is `time` in the first and `moment` in the second"),
        ("end: time}", "end: time?}", "`calls.end` is `time` in the first and `time?` in the second"),
        ("end: time}", "end: time, note: text?}", "the column `calls.note` is only in the second task"),
        ("{who: key Call", "{who: Call", "the key of `calls` is `who` in the first and none in the second"),
        ("query:", "currency: EUR\nquery:", "amounts are in no currency in the first and in EUR in the second"),
    ],
)
def test_differences_of_plan_tables_are_reported(
    old: str, new: str, reason: str, two_versions: Path, monkeypatch: Any, capsys: Any
) -> None:
    scope = TINY[TINY.index("scope:") : TINY.index("minimize:")]
    simple = TINY.replace(scope, "constraints: {any: {hard: true}}\n").replace(
        "minimize: calls[bert].end - 09:00\n", ""
    )
    for name, text in (("a", simple), ("b", simple.replace(old, new))):
        (two_versions / f"{name}.task.yaml").write_text(text)
    code, out, _ = run(monkeypatch, capsys, "compare", "a.task.yaml", "b.task.yaml")
    assert (code, out) == (1, f"tiny: different, their plans have different tables\n  {reason}\n")


def test_without_a_scope_references_are_judged(two_versions: Path, monkeypatch: Any, capsys: Any) -> None:
    bare = TINY.replace(TINY[TINY.index("scope:") : TINY.index("constraints:")], "")
    other = bare.replace(ORDER, "calls[anna].end < calls[bert].start")
    reference = f"reference: {json.dumps(GOOD)}\n"
    (two_versions / "a.task.yaml").write_text(bare)
    (two_versions / "b.task.yaml").write_text(other)
    code, out, _ = run(monkeypatch, capsys, "compare", "a.task.yaml", "b.task.yaml")
    assert (code, out.splitlines()[0]) == (3, "tiny: unknown, not decided")
    assert out.splitlines()[1] == "  there is no scope to search, and no reference tells the versions apart"
    (two_versions / "b.task.yaml").write_text(other + reference)
    code, out, _ = run(monkeypatch, capsys, "compare", "a.task.yaml", "b.task.yaml")
    assert (code, out.splitlines()[0]) == (
        1,
        "tiny: different, the first accepts a reference that the second refuses",
    )
    assert "x hard  order" in out


def test_a_conversation_is_compared_turn_by_turn(two_versions: Path, monkeypatch: Any, capsys: Any) -> None:
    turns = """\
turns:
  - query: Two calls.
  - query: And anna at nine.
    constraints:
      nine:
        hard: calls[anna].start == 09:00
"""
    turns = TINY.replace("minimize: calls[bert].end - 09:00\n", turns)
    (two_versions / "a.task.yaml").write_text(turns)
    (two_versions / "b.task.yaml").write_text(turns.replace("== 09:00", "== 09:30"))
    code, out, _ = run(monkeypatch, capsys, "compare", "a.task.yaml", "b.task.yaml")
    assert code == 1
    assert [line.partition(",")[0] for line in out.splitlines() if line.startswith("tiny")] == [
        "tiny@1: same",
        "tiny@2: different",
    ]


def test_a_task_with_errors_is_reported_and_the_others_are_compared(
    two_versions: Path, monkeypatch: Any, capsys: Any
) -> None:
    broken = (two_versions / "two" / "same.task.yaml").read_text().replace("hard: all(", "hard: al(")
    (two_versions / "two" / "same.task.yaml").write_text(broken)
    code, out, err = run(monkeypatch, capsys, "compare", "one", "two", "-q")
    assert code == 2
    assert "error[PS201]" in err
    assert "\nrenamed:" not in out
    assert out.startswith("later: different")


@pytest.mark.parametrize(
    "words",
    [
        ("one", "nowhere"),
        ("one", "two", "--backends", ""),
        ("one", "two", "--backends", "cplex"),
        ("one", "two", "--out", "one/office.suite.yaml"),
    ],
)
@pytest.mark.usefixtures("two_versions")
def test_wrong_arguments_exit_2(words: tuple[str, ...], monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "compare", *words)
    assert (code, out) == (2, "")
    assert err.startswith("error")


@pytest.mark.slow
@pytest.mark.usefixtures("two_versions")
def test_the_function_returns_the_commands_output(monkeypatch: Any, capsys: Any) -> None:
    output = planspec.compare("one", "two", jobs=2)
    assert (output.same, planspec.compare("one", "one").same) == (False, True)
    assert repr(output) == "<SuiteComparison of office and office: 3 same, 1 different, 2 in one alone>"
    _, out, err = run(monkeypatch, capsys, "compare", "one", "two")
    assert [line.partition(" (")[0] for line in str(output).splitlines()] == [
        line.partition(" (")[0] for line in (out + err).splitlines()
    ]
    assert planspec.compare("one/same.task.yaml", planspec.load("two/later.task.yaml"), limits=20).same is False
