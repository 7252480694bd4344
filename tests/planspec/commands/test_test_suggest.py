"""`test --suggest`: after suggested cases are pasted into the task, they detect mutants that no case detected
before.
"""

from __future__ import annotations

import re
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from planspec.api.outputs.claims import TestOutput as CasesOutput
from planspec.dsl.resources import deadline
from tests.paths import ROOT
from tests.planspec.api.cases.afternoon import text_with_cases
from tests.planspec.commands.test_command_line import run

TASKS = ROOT / "tasks"
SUGGESTED = re.compile(
    r"^\d+ suggested cases? for (\S+):\n\n(.*?)\n\n(?=\d+ suggested|paste them)", re.MULTILINE | re.DOTALL
)
LATE = "{from: reference, change: {visits: {museum: {end: 15:45}}}"

pytestmark = pytest.mark.slow


def paste(out: str) -> int:
    """Paste the printed cases into their tasks, and return their number."""
    count = 0
    for file, cases in SUGGESTED.findall(out):
        path = Path(file)
        text = path.read_text("utf-8")
        section = f"cases:\n{cases}\n"
        with_cases = text.replace("\ncases:\n", f"\n{section}") if "\ncases:\n" in text else f"{text}{section}"
        path.write_text(with_cases, "utf-8")
        count += len(re.findall(r"^  [\w-]+:", cases, re.MULTILINE))
    return count


def report(monkeypatch: Any, capsys: Any, *words: str) -> CasesOutput:
    """Run `planspec test`, and return its output."""
    code, out, err = run(monkeypatch, capsys, "test", *words, "--format", "json")
    assert code == 0, err
    return CasesOutput.model_validate_json(out)


@pytest.mark.parametrize(
    ("folder", "task", "without_cases"),
    [
        ("examples", "allotments.task.yaml", False),
        ("examples", "roster.task.yaml", False),  # a task with soft constraints
        pytest.param("examples", "menu.task.yaml", True, marks=pytest.mark.thorough),  # a task with turns
        pytest.param(
            "travelplanner-small", "tasks/1.yaml", False, marks=pytest.mark.thorough
        ),  # a task of a family, without a reference
        ("mobilitybench", "tasks/mb-000001.yaml", True),
    ],
)
def test_pasted_cases_detect_the_mutants(
    folder: str, task: str, without_cases: bool, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    shutil.copytree(TASKS / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path / folder)
    if without_cases:
        text = Path(task).read_text("utf-8")
        Path(task).write_text(text[: text.index("\ncases:\n") + 1], "utf-8")
    before = report(monkeypatch, capsys, task, "--mutate", "--suggest")
    assert before.suggestions is not None
    statuses = {(m.constraint, m.change, m.source.line): m.status for m in before.suggestions.mutants}
    assert set(statuses.values()) == {"suggested", "equal"}

    code, out, _ = run(monkeypatch, capsys, "test", task, "--mutate", "--suggest", "-q")
    assert code == 0
    assert out.endswith("paste them under `cases:`; if a verdict is not what you mean, correct the constraint\n")
    assert paste(out) == len(before.suggestions.cases)
    assert run(monkeypatch, capsys, "check", task)[0] == 0
    after = report(monkeypatch, capsys, task, "--mutate")
    assert after.as_expected
    assert len(after.cases) == len(before.cases) + len(before.suggestions.cases)
    noticed = {(m.constraint, m.change, m.source.line): m.noticed for m in after.mutants or ()}
    for key, status in statuses.items():
        assert noticed[key] is (status == "suggested"), key


@pytest.fixture
def afternoon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a task with two cases to the working directory."""
    path = tmp_path / "afternoon.task.yaml"
    path.write_text(text_with_cases("reference: {passes: true}", f"late: {LATE}, violates: [length, order]}}"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("afternoon")
def test_the_text_output_has_the_result_for_each_mutant(monkeypatch: Any, capsys: Any) -> None:
    code, out, err = run(monkeypatch, capsys, "test", "afternoon", "--suggest", "-q")
    assert (code, err) == (0, "2 cases of 1 task: 2 as expected\n")
    assert (
        out
        == """\
mutants: 4 of 12 are noticed
  length  not noticed: `<=` for `==`  afternoon.task.yaml:17
            the case `breaks-length` below would notice it
  order   not noticed: `visits[park].start` one unit more  afternoon.task.yaml:19
            equal within the scope, proved by cpsat and brute
  purse   not noticed: dropped  afternoon.task.yaml:21
            the case `breaks-purse` below would notice it
  purse   not noticed: `10 EUR` one unit more  afternoon.task.yaml:21
            the case `breaks-purse` below would notice it
  hungry  not noticed: dropped  afternoon.task.yaml:24
            equal within the scope, proved by cpsat
  hungry  not noticed: `>=` for `>`  afternoon.task.yaml:24
            equal within the scope, proved by cpsat
  early   not noticed: dropped  afternoon.task.yaml:26
            the case `misses-early` below would notice it
  early   not noticed: `<=` for `<`  afternoon.task.yaml:26
            the case `misses-early` below would notice it

3 suggested cases for afternoon.task.yaml:

  # notices length: `<=` for `==`
  breaks-length:
    from: reference
    change: {visits: {museum: {start: 14:15}}}
    violates: ["length[museum]"]

  # notices purse: dropped
  # notices purse: `10 EUR` one unit more
  breaks-purse:
    from: reference
    change: {lunch: {cost: 10.01 EUR}}
    violates: [purse]

  # notices early: dropped
  # notices early: `<=` for `<`
  misses-early:
    from: reference
    change: {visits: {park: {start: 16:00, end: 17:30}}}
    passes: true
    soft: [early]

paste them under `cases:`; if a verdict is not what you mean, correct the constraint
"""
    )


@pytest.mark.usefixtures("afternoon")
def test_limits_leave_mutants_undecided(monkeypatch: Any, capsys: Any) -> None:
    for option in ("--timeout", "--total-timeout"):
        with monkeypatch.context() as patched:
            patched.setattr(deadline, "perf_counter", count(1.0).__next__)  # a second passes between two readings
            output = report(monkeypatch, capsys, "afternoon", "--suggest", option, "0.001")
        assert output.suggestions is not None
        assert not output.suggestions.cases
        assert {(m.status, m.reason) for m in output.suggestions.mutants} == {("unknown", "time ran out")}
    output = report(monkeypatch, capsys, "afternoon", "--suggest", "--effort", "20")
    assert output.suggestions is not None
    assert output.suggestions.cases


@pytest.mark.usefixtures("afternoon")
def test_no_case_is_suggested_without_the_option_suggest(monkeypatch: Any, capsys: Any) -> None:
    assert report(monkeypatch, capsys, "afternoon", "--mutate").suggestions is None
    output = report(monkeypatch, capsys, "afternoon", "--suggest")
    assert output.mutants is not None


@pytest.mark.usefixtures("afternoon")
def test_names_of_cases_are_not_used_twice(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    first = report(monkeypatch, capsys, "afternoon", "--suggest")
    assert first.suggestions is not None
    names = [case.name for case in first.suggestions.cases]
    assert len(set(names)) == len(names)
    taken = text_with_cases("reference: {passes: true}", f"{names[0]}: {LATE}, violates: [length, order]}}")
    (tmp_path / "afternoon.task.yaml").write_text(taken)
    second = report(monkeypatch, capsys, "afternoon", "--suggest")
    assert second.suggestions is not None
    assert names[0] not in [case.name for case in second.suggestions.cases]
