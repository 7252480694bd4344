"""Expectations of tasks. `validate`, certificates and `check --deep` compare them with proved results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import planspec
from planspec.solvers.questions.lint import lint_task
from tests.planspec.api.test_best_claims import run

TASK = """planspec: task/1
id: visit
query: A visit in the morning.
plan: {{visit: {{one: true, start: time}}}}
scope: {{visit: {{start: 08:00..12:00 step 1h}}}}
{more}
constraints:
  when: {{hard: visit.start {rule}}}
"""
ONE, TWO, NONE = "== 10:00", "<= 09:00", "< 08:00"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a new working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_visit(folder: Path, rule: str, more: str = "") -> Path:
    """Write a task about a visit with this rule, and return its path."""
    path = folder / "visit.task.yaml"
    path.write_text(TASK.format(rule=rule, more=more))
    return path


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("rule", "more", "code", "as_expected", "words"),
    [
        (ONE, "", 0, True, ""),
        (ONE, "expects: unique", 0, True, "; as expected"),
        (ONE, "expects: feasible", 0, True, "; as expected"),
        (ONE, "expects: infeasible", 1, False, "; expected infeasible; there is a plan"),
        (TWO, "", 0, True, "; several plans, none expected to be the only one"),
        (TWO, "expects: feasible", 0, True, "; as expected"),
        (TWO, "expects: unique", 1, False, "; expected unique; there are several plans"),
        (TWO, "unique: [visit.start]", 1, False, "; expected unique; there are several plans"),
        (TWO, "unique: [visit.start]\nexpects: feasible", 0, True, "; as expected"),
        (NONE, "", 1, False, "; expected feasible; there is none"),
        (NONE, "expects: unique", 1, False, "; expected unique; there is none"),
        (NONE, "expects: infeasible\nclosed: true", 0, True, "; as expected"),
        (NONE, "expects: infeasible", 1, False, "; expected infeasible; outside the scope there is a plan"),
        ("!= visit.start", "expects: infeasible", 0, True, "; as expected"),
    ],
)
def test_validate_compares_the_proved_result_with_the_expected_one(
    rule: str,
    more: str,
    code: int,
    as_expected: bool,
    words: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_visit(folder, rule, more)
    assert run("validate", path) == code
    line = capsys.readouterr().out.splitlines()[0]
    assert line.endswith(f"){words}"), line
    assert run("validate", path, "--format", "json") == code
    (output,) = json.loads(capsys.readouterr().out)
    assert output["as_expected"] is as_expected
    assert run("validate", path, "--certify") == code
    capsys.readouterr()
    checked = run("validate", path, "--check", "--format", "json")
    (certificate,) = json.loads(capsys.readouterr().out)
    assert (certificate["status"], certificate["as_expected"]) == ("valid", as_expected)
    assert checked == code


def test_an_expectation_that_cannot_be_decided_in_time_is_undecided(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_visit(folder, ONE, "expects: unique")
    assert run("validate", path, "--effort", "0.000001", "--format", "json") == 3
    assert json.loads(capsys.readouterr().out)[0]["as_expected"] is None


def test_a_suite_declares_the_expected_result_of_its_tasks_and_a_turn_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_visit(folder, TWO)
    suite = folder / "visits.suite.yaml"
    for expects, code in (("feasible", 0), ("unique", 1)):
        suite.write_text(f"planspec: suite/1\nid: visits\nexpects: {expects}\ntasks: [visit.task.yaml]\n")
        assert run("validate", suite) == code
        assert run("validate", folder) == code
        out = capsys.readouterr().out
        assert ("expected unique" in out) is (code == 1)
    turns = (
        "turns: [{query: a}, {query: b, expects: unique, constraints: {ten: {hard: visit.start == 10:00}}}, {query: c}]"
    )
    path = write_visit(folder, "<= 11:00", f"expects: feasible\n{turns}")
    assert run("validate", path) == 0
    assert [planspec.load(f"{path}@{turn}").expects for turn in (1, 2, 3)] == ["feasible", "unique", "feasible"]


def test_an_expectation_is_not_part_of_a_certificate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_visit(folder, TWO, "expects: feasible")
    assert run("validate", path, "--certify") == 0
    write_visit(folder, TWO, "expects: unique")
    capsys.readouterr()
    assert run("validate", path, "--check") == 1
    assert "certificate valid" in (out := capsys.readouterr().out)
    assert "expected unique; there are several plans" in out


def deep_codes(path: Path) -> list[str]:
    """Let agents refuse the task in a file, and return the codes of the diagnostics of a deep check."""
    if path.is_file():
        path.write_text(path.read_text().replace("query:", "environment: {refusals: allowed}\nquery:"))
    return [diagnostic.code for diagnostic in planspec.check(path, deep=lint_task)]


def test_a_deep_check_warns_only_of_unexpected_results(folder: Path) -> None:
    assert deep_codes(write_visit(folder, NONE)) == ["PS423"]
    assert deep_codes(write_visit(folder, NONE, "expects: infeasible")) == []
    assert deep_codes(write_visit(folder, ONE, "expects: infeasible")) == ["PS436"]
    assert deep_codes(write_visit(folder, TWO, "expects: unique")) == ["PS436"]
    assert deep_codes(write_visit(folder, NONE)) == ["PS423"]
    (folder / "visits.suite.yaml").write_text(
        "planspec: suite/1\nid: visits\nexpects: infeasible\ntasks: [visit.task.yaml]\n"
    )
    assert deep_codes(folder) == []


@pytest.mark.parametrize("conflict", ["true", "[when]"])
def test_a_reference_may_be_a_refusal(conflict: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = f"expects: infeasible\nclosed: true\nreference: {{infeasible: {conflict}}}"
    path = write_visit(folder, NONE, more)
    assert run("validate", path) == 0
    assert "the reference is accepted; as expected" in capsys.readouterr().out


def test_a_tightened_task_declares_that_its_plan_is_unique(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = TASK.format(rule="in (s.at for s in Slot)", more="removable: [Slot]").replace(
        "plan:", "tables:\n  Slot:\n    columns: {at: key time}\n    rows: [{at: 09:00}, {at: 10:00}]\nplan:"
    )
    (folder / "visit.task.yaml").write_text(text)
    (folder / "keep.json").write_text('{"visit": {"start": "09:00"}}')
    code = run("tighten", "visit.task.yaml", "--keep", "keep.json", "-o", "tight.task.yaml")
    assert code == 0, capsys.readouterr()
    assert planspec.load("tight.task.yaml").expects == "unique"
