"""Suggested cases detect mutants, and the task's verifier gives the verdicts that they expect."""

from __future__ import annotations

from pathlib import Path

import pytest

import planspec
from planspec.api.cases.suggestions import Suggestions
from planspec.dsl.model.task import Task
from tests.planspec.api.cases.afternoon import AFTERNOON, task, text_with_cases

pytestmark = pytest.mark.slow

WITHOUT_REFERENCE = AFTERNOON[: AFTERNOON.index("reference:")]
PASSING = (
    '{"visits": [{"stop": "museum", "start": "14:00", "end": "15:30"}, '
    '{"stop": "park", "start": "15:30", "end": "17:00"}], "lunch": {"at": "12:00", "cost": "9 EUR"}, "notes": []}'
)


def suggestions(*tasks: Task | Path) -> Suggestions:
    """Return the cases that `planspec.test` suggests for tasks."""
    report = planspec.test(list(tasks), suggest=True)
    assert report.suggestions is not None
    return report.suggestions


def texts(found: Suggestions) -> dict[str, str]:
    """Return the suggested cases without their comments, by name."""
    lines = {case.name: case.text.splitlines() for case in found.cases}
    return {name: "\n".join(line for line in each if not line.startswith("  #")) for name, each in lines.items()}


def test_a_case_changes_few_cells_of_the_reference_and_detects_several_mutants() -> None:
    found = suggestions(task("reference: {passes: true}"))
    purse = next(case for case in found.cases if case.name == "breaks-purse")
    assert purse.text == (
        "  # notices purse: dropped\n"
        "  # notices purse: `10 EUR` one unit more\n"
        "  breaks-purse:\n"
        "    from: reference\n"
        "    change: {lunch: {cost: 10.01 EUR}}\n"
        "    violates: [purse]\n"
    )
    assert [mutant.change for mutant in purse.notices] == ["dropped", "`10 EUR` one unit more"]
    assert (purse.task, purse.file, purse.passes, str(purse)) == ("afternoon", "task.yaml", False, purse.text)


def test_a_case_of_a_soft_constraint_passes_and_names_the_violated_constraint() -> None:
    case = texts(suggestions(task("reference: {passes: true}")))["misses-early"]
    assert case.endswith("    passes: true\n    soft: [early]")


def test_every_mutant_has_a_result() -> None:
    report = planspec.test(task("reference: {passes: true}"), suggest=True)
    assert report.suggestions is not None
    missed = [mutant.key for mutant in report.mutants or () if not mutant.noticed]
    results = {(m.constraint, m.change, m.source): m for m in report.suggestions.mutants}
    assert list(results) == missed
    names = {case.name for case in report.suggestions.cases}
    assert {m.case for m in results.values() if m.status == "suggested"} == names
    equal = {(m.constraint, m.change) for m in results.values() if m.status == "equal"}
    assert ("order", "`visits[park].start` one unit more") in equal  # all times of the scope are quarters of an hour
    assert str(report).count("would notice it") == sum(m.status == "suggested" for m in results.values())


def test_without_a_reference_a_case_changes_the_file_of_a_passing_case(tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(PASSING)
    path = tmp_path / "afternoon.task.yaml"
    path.write_text(text_with_cases("good: {answer: good.json, passes: true}", text=WITHOUT_REFERENCE))
    assert texts(suggestions(path))["breaks-purse"].splitlines()[1:3] == [
        "    from: good.json",
        "    change: {lunch: {cost: 10.01 EUR}}",
    ]


def test_a_suggested_case_has_plan_tables_if_the_task_has_no_answer() -> None:
    found = texts(suggestions(planspec.loads(WITHOUT_REFERENCE)))
    assert "    answer:\n      visits:\n        - {stop: museum, " in found["breaks-purse"]


def test_a_task_without_cases_gets_its_reference_as_a_case() -> None:
    text = AFTERNOON.replace(
        "  hungry:\n    when: late\n    hard: lunch.at > 13:00", "  hungry:\n    when: late\n    hard: late"
    )
    found = suggestions(planspec.loads(text))
    assert texts(found)["reference"] == "  reference: {passes: true}"  # this case detects the mutant without `when`


def test_without_a_scope_nothing_is_decided() -> None:
    text = AFTERNOON[: AFTERNOON.index("scope:")] + AFTERNOON[AFTERNOON.index("constraints:") :]
    found = suggestions(task("reference: {passes: true}", text=text))
    assert not found.cases
    assert {(m.status, m.reason) for m in found.mutants} == {("unknown", "there is no scope to search")}


def test_tasks_that_share_a_library_share_its_cases(tmp_path: Path) -> None:
    """A case of the second task detects a mutant of the library that no case of the first task can detect."""
    (tmp_path / "rules.library.yaml").write_text(
        "planspec: library/1\nid: rules\ngiven: {most: int}\nplan: {pick: {one: true, n: int}}\n"
        "constraints: {small: {hard: pick.n <= most}}\n"
    )
    for name, most in (("one", 9), ("two", 5)):
        (tmp_path / f"{name}.task.yaml").write_text(
            f"planspec: task/1\nid: {name}\nquery: A number.\nuses: [rules]\ngiven: {{most: {most}}}\n"
            "scope: {pick: {n: 0..9}}\nreference: {pick: {n: 1}}\ncases: {reference: {passes: true}}\n"
        )
    found = suggestions(tmp_path)
    (case,) = found.cases
    assert (case.task, case.name) == ("two", "breaks-small")
    assert "answer: {pick: {n: 6}}" in case.text  # the whole answer is shorter than a change of the reference
    assert {m.status for m in found.mutants} == {"suggested"}


def test_a_time_limit_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="leaves no time"):
        planspec.test(planspec.loads(AFTERNOON), suggest=True, limits=0)
