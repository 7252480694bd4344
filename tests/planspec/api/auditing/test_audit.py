"""An audit gives each task the worst result that applies, together with the evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import planspec
from planspec.api.auditing.findings import is_text_finding
from planspec.api.auditing.tasks import AuditOptions, AuditWork, TaskAuditor
from planspec.api.catalog import TaskReference
from planspec.api.outputs.audits import AuditFinding, AuditOutput, AuditPlace, TaskAudit
from planspec.solvers.backends.outcome import Limits
from tests.planspec.api.auditing.sample import RESULTS, number_task, write_numbers


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> AuditOutput:
    """Return the audit of the whole sample suite."""
    return planspec.audit(write_numbers(tmp_path_factory.mktemp("numbers")), by="kind")


@pytest.fixture(scope="module")
def tasks(audit: AuditOutput) -> dict[str, TaskAudit]:
    """Return the audits of single tasks by the tasks' ids."""
    return {task.task: task for task in audit.tasks}


def audit_of(folder: Path, text: str, *, options: AuditOptions | None = None) -> TaskAudit:
    """Return the audit of a task by its text."""
    path = folder / "only.task.yaml"
    path.write_text(text)
    (task,) = TaskAuditor(options or AuditOptions())(AuditWork(TaskReference(path)))
    return task


def codes(task: TaskAudit) -> set[str]:
    """Return the codes of the findings on a task."""
    return {each.code for each in task.findings}


def test_every_task_has_one_result_and_the_counts_sum_to_the_tasks(audit: AuditOutput) -> None:
    assert {task.task: task.result for task in audit.tasks} == RESULTS
    assert sum(audit.summary.values()) == len(RESULTS)
    assert audit.summary["none"] == 3
    assert audit.proved == {"unique": 4, "multiple": 5, "feasible": 0, "infeasible": 1, "unknown": 1}
    assert audit.references == {"pass": 5, "fail": 1, "absent": 5}


def test_plans_are_counted_exactly_and_the_back_ends_that_prove_it_are_named(tasks: dict[str, TaskAudit]) -> None:
    fine, several, empty = tasks["fine"], tasks["several"], tasks["empty"]
    assert (fine.proved, fine.by) == ("unique", ["cpsat", "smt"])
    assert [
        None if each.plans is None else (each.plans.count, each.plans.exact) for each in (fine, several, empty)
    ] == [
        (1, True),
        (3, True),
        (0, True),
    ]


def test_a_count_stops_at_its_bound(tmp_path: Path) -> None:
    task = audit_of(tmp_path, number_task("many", "t.x >= 1"), options=AuditOptions(most=2))
    assert task.plans is not None
    assert (task.plans.count, task.plans.exact, task.result) == (2, False, "ok")


def test_another_plan_is_shown_as_a_change_of_the_reference(tasks: dict[str, TaskAudit]) -> None:
    other = tasks["several"].other
    assert other is not None
    assert (other.kind, other.first) == ("another", None)
    assert other.differs in (["t.x 4 -> 3"], ["t.x 4 -> 5"])
    assert planspec.Judge(planspec.loads(number_task("n", "t.x >= 3"))).answer(other.plan).status == "pass"
    assert "PS436" in codes(tasks["several"])


def test_a_reference_that_fails_has_its_violations_and_the_nearest_plan(tasks: dict[str, TaskAudit]) -> None:
    wrong = tasks["wrong"]
    assert wrong.reference is not None and wrong.other is not None
    assert (wrong.reference.status, wrong.reference.violations) == ("fail", ["c: t.x >= 4 does not hold: 2 against 4"])
    assert (wrong.other.kind, wrong.other.differs) == ("nearest", ["t.x 2 -> 4"])
    assert "PS620" in codes(wrong)


def test_a_reference_plan_that_is_not_optimal_is_shown_beside_the_best_plan(tasks: dict[str, TaskAudit]) -> None:
    gap = tasks["gap"]
    assert gap.reference is not None and gap.other is not None and gap.best is not None
    value = gap.reference.objectives[0]
    assert (value.value, value.best, value.gap) == (4, 2, 2)
    assert (gap.other.kind, gap.other.differs, gap.best.values) == ("better", ["t.x 4 -> 2"], [2])
    assert "PS621" in codes(gap)


def test_a_reference_that_is_worse_than_max_gap_permits_is_refused(tmp_path: Path) -> None:
    task = audit_of(tmp_path, number_task("far", "t.x >= 2", "minimize: t.x\nmax_gap: 1\nreference: {t: {x: 4}}\n"))
    assert task.reference is not None
    assert (task.result, task.reference.status) == ("none", "fail")
    assert task.reference.violations[0].startswith("optimal: ")


def test_with_max_gap_an_empty_answer_is_judged_by_the_best_plan(tmp_path: Path) -> None:
    task = audit_of(tmp_path, LAZY_WITH_GAP)
    assert task.lazy is not None
    assert (task.lazy.passes, task.result) == (False, "ok")
    assert "PS440" not in codes(task)


LAZY_WITH_GAP = """\
planspec: task/1
id: most
query: Meet as many people as possible.
types: {Who: ann | bob | cy}
plan: {meetings: {who: key Who}}
scope: {meetings: [{for: w in Who, who: w, optional: true}]}
constraints: {few: {hard: count(m for m in meetings) <= 2}}
maximize: count(m for m in meetings)
max_gap: 0
reference: {meetings: [{who: ann}, {who: bob}]}
"""


def test_the_audit_calls_a_task_lazy_if_a_plan_without_rows_passes(tasks: dict[str, TaskAudit]) -> None:
    lazy = tasks["lazy"]
    assert lazy.lazy is not None and lazy.lazy.passes
    assert lazy.other is not None and lazy.other.first is not None
    assert "PS440" in codes(lazy)


def test_a_task_with_errors_keeps_its_place_among_the_others(tasks: dict[str, TaskAudit]) -> None:
    broken = tasks["broken"]
    assert (broken.proved, [(each.code, each.severity) for each in broken.findings]) == (
        "unknown",
        [("PS204", "error")],
    )
    assert broken.origin.file.endswith("numbers.tasks.yaml")
    assert broken.origin.line > 1


def test_turns_are_audited_one_by_one(tasks: dict[str, TaskAudit]) -> None:
    first, second = tasks["talk@1"], tasks["talk@2"]
    assert (first.proved, second.proved) == ("multiple", "unique")
    assert second.query.splitlines()[0] == first.query
    assert first.duplicates == second.duplicates == []


def test_near_duplicates_name_each_other(tasks: dict[str, TaskAudit]) -> None:
    assert tasks["fine"].duplicates == ["twin", "told"]
    assert tasks["twin"].duplicates == ["fine"]
    assert "PS622" not in codes(tasks["fine"])
    messages = [each.message for name in ("twin", "told") for each in tasks[name].findings if each.code == "PS622"]
    assert messages == [
        "`fine` has the same rules and facts, and so the same plans",
        "`fine` has the same query, and other rules or facts",
    ]


def test_strata_count_the_tasks_with_each_value_of_a_label(audit: AuditOutput) -> None:
    assert [(row.value, row.tasks) for row in audit.strata] == [("loose", 2), ("plain", 5), (None, 4)]
    loose = audit.strata[0]
    assert (loose.summary["several"], loose.summary["none"], loose.references) == (
        1,
        1,
        {"pass": 1, "fail": 1, "absent": 0},
    )


def test_the_audit_of_a_task_is_undecided_and_never_ok_if_no_time_is_left(tmp_path: Path) -> None:
    task = audit_of(tmp_path, number_task("slow", "t.x == 3"), options=AuditOptions(limits=Limits(effort=1e-9)))
    assert (task.result, task.proved) == ("unknown", "unknown")
    assert task.undecided


def test_a_claim_that_no_plan_exists_is_proved_beyond_the_scope(tmp_path: Path) -> None:
    never = audit_of(tmp_path, number_task("never", "t.x >= 7", "expects: infeasible\n"))
    assert (never.result, never.proved, never.lazy) == ("none", "infeasible", None)
    assert any("outside the scope" in each.message for each in never.findings)
    closed = audit_of(tmp_path, number_task("never", "t.x >= 7", "closed: true\nexpects: infeasible\n"))
    assert (closed.result, closed.proved) == ("ok", "infeasible")


@pytest.mark.parametrize(
    ("code", "declares", "about_text"),
    [("PS442", False, True), ("PS430", True, True), ("PS430", False, False), ("PS421", True, False)],
)
def test_findings_about_the_text_of_a_task_are_distinguished_from_others(
    code: str, declares: bool, about_text: bool
) -> None:
    place = AuditPlace(file="a", line=1, column=1, end_line=1, end_column=2)
    each = AuditFinding(code=code, severity="warning", message="", source=place)
    assert is_text_finding(each, declares_environment=declares) is about_text


def test_the_text_lists_the_tasks_that_are_not_ok_and_a_summary(audit: AuditOutput) -> None:
    lines = str(audit).splitlines()
    assert any(line.startswith("several  several") and "expects unique: 3 plans (exact)" in line for line in lines)
    assert not any(line.startswith("ok") for line in lines)
    assert "        a better plan: t.x 4 -> 2" in lines
    assert lines[-1].startswith("11 tasks: 4 ok, 1 several, 1 with a gap, 3 not as expected, 1 lazy, 1 text")


def test_an_audit_is_unchanged_by_a_round_trip_through_json(audit: AuditOutput) -> None:
    again = AuditOutput.model_validate_json(audit.model_dump_json())
    assert again == audit
    assert json.loads(audit.model_dump_json())["scorer"] is None
