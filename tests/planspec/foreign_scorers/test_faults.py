"""The audit finds known faults of scorers, each with an example, and finds no fault in a right scorer."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

import planspec
from planspec.foreign_scorers import ScoredProbe, ScorerAudit, audit_scorer, open_scorer
from tests.paths import ROOT

pytestmark = pytest.mark.slow

FAULTY = Path(__file__).with_name("faulty.py")
OWN = f"command:{sys.executable} -P {Path(__file__).with_name('own_verdict.py')}"
EXAMPLES = ("job-shop", "meetings", "menu", "roster")
DEADLINE_S = 20.0


def audit_shipped_tasks(address: str, *tasks: str, timeout_s: float = 20.0) -> ScorerAudit:
    """Audit a scorer with shipped tasks."""
    scorer = open_scorer(address, timeout_s=timeout_s)
    try:
        return audit_scorer([ROOT / "tasks" / f"{task}.task.yaml" for task in tasks], scorer, deadline=DEADLINE_S)
    finally:
        scorer.close()


def audit_faulty_scorer(name: str, *tasks: str, timeout_s: float = 20.0) -> ScorerAudit:
    """Audit a scorer of `faulty.py` on examples."""
    return audit_shipped_tasks(f"python:{FAULTY}:{name}", *(f"examples/{task}" for task in tasks), timeout_s=timeout_s)


def disagreements(audit: ScorerAudit) -> list[ScoredProbe]:
    """Return the disagreements. Check that planspec's verdict confirms each of them."""
    found = []
    for task, scored in audit.disagreements:
        verdict = planspec.verify(Path(task.file), json.dumps(scored.probe.answer))
        assert (verdict.status == "pass") == (scored.outcome == "punished")
        assert scored.probe.violations or scored.outcome == "punished"
        found.append(scored)
    return found


def margins_of_near_misses(scored: Iterable[ScoredProbe]) -> dict[str | None, str | None]:
    """Return, by the name of the violated constraint, the margin of the first violation of each near miss."""
    return {each.probe.constraint: each.probe.violations[0].margin for each in scored if each.probe.kind == "breaks"}


def test_an_exact_match_punishes_every_other_right_answer() -> None:
    audit = audit_faulty_scorer("exact", "roster")
    found = disagreements(audit)
    assert [each.probe.kind for each in found] == ["far", "near", "other", "other"]
    assert {each.outcome for each in found} == {"punished"}
    assert all(each.probe.changes for each in found)
    assert (audit.totals.punished, audit.totals.rewarded, audit.totals.errors) == (4, 0, 0)
    assert audit.totals.right == 5


@pytest.mark.thorough
def test_a_scorer_that_accepts_everything_rewards_every_wrong_answer() -> None:
    audit = audit_faulty_scorer("generous", "meetings")
    assert audit.totals.rewarded == audit.totals.wrong == len(disagreements(audit)) > 0
    assert (audit.totals.refusals, audit.totals.refusals_rewarded) == (1, 1)
    assert "answers that say that there is no plan 1: 1 wrongly accepted" in audit.lines()


@pytest.mark.thorough
def test_a_scorer_that_ignores_the_ends_of_meetings_is_found_by_overlapping_meetings() -> None:
    found = disagreements(audit_faulty_scorer("meetings_without_ends", "meetings"))
    assert "person" in margins_of_near_misses(found)
    assert {each.probe.constraint for each in found} <= {"person", "room"}


@pytest.mark.thorough
def test_an_off_by_one_error_at_a_capacity_is_found() -> None:
    found = disagreements(audit_faulty_scorer("meetings_with_one_chair_too_few", "meetings"))
    assert margins_of_near_misses(found) == {"chairs": "-1"}


@pytest.mark.thorough
def test_an_off_by_one_error_at_the_capacity_of_a_schedule_is_found() -> None:
    found = disagreements(audit_shipped_tasks(f"{OWN} crew", "scheduling/project"))
    assert margins_of_near_misses(found) == {"crew": "-1"}
    assert found[0].probe.by[0] == "verifier"


def test_an_independent_correct_scorer_has_no_disagreement() -> None:
    audit = audit_faulty_scorer("meetings", "meetings")
    assert disagreements(audit) == []
    assert audit.totals.agreed + audit.totals.errors == audit.totals.probes


@pytest.mark.thorough
def test_planspecs_own_verdict_has_no_disagreement() -> None:
    audit = audit_shipped_tasks(OWN, "examples/menu")
    assert audit.totals.agreed == audit.totals.probes > 5


@pytest.mark.thorough
def test_planspecs_own_verdict_has_no_disagreement_with_any_example() -> None:
    audit = audit_shipped_tasks(
        OWN, *(f"examples/{task}" for task in EXAMPLES), "scheduling/exams", "scheduling/nurses"
    )
    assert audit.totals.agreed == audit.totals.probes > 60


def test_a_crash_is_an_error_and_not_a_verdict() -> None:
    audit = audit_faulty_scorer("crashing", "meetings")
    errors = [each for task in audit.tasks for each in task.probes if each.outcome == "error"]
    assert len(errors) == audit.totals.probes // 3 == audit.totals.errors
    assert {each.error for each in errors} == {"it raised ZeroDivisionError: every third"}
    assert audit.totals.agreed + audit.totals.errors == audit.totals.probes


def test_a_process_that_ends_is_reported_and_started_again() -> None:
    audit = audit_faulty_scorer("exiting", "menu")
    assert audit.totals.errors == audit.totals.probes
    assert {each.error for task in audit.tasks for each in task.probes} == {"the program ended with status 7"}


def test_a_time_out_is_an_error_and_later_answers_are_scored() -> None:
    audit = audit_faulty_scorer("sleeping", "menu", timeout_s=1.0)
    late = [each for task in audit.tasks for each in task.probes if each.outcome == "error"]
    assert [(each.probe.kind, each.error) for each in late] == [("empty", "no result in 1 s")]
    assert audit.totals.agreed == audit.totals.probes - 1


def test_the_output_that_a_function_prints_is_not_its_result() -> None:
    audit = audit_faulty_scorer("printing", "menu")
    assert audit.totals.agreed == audit.totals.probes


def test_a_result_that_is_not_a_score_is_an_error() -> None:
    audit = audit_faulty_scorer("wordy", "menu")
    assert audit.totals.errors == audit.totals.probes
    assert all(each.error is not None and '`"correct"`' in each.error for each in audit.tasks[0].probes)


def test_an_invalid_output_of_a_program_is_an_error() -> None:
    audit = audit_shipped_tasks("command:echo garbage", "examples/menu")
    assert audit.totals.errors == audit.totals.probes
    assert {each.error for each in audit.tasks[0].probes} == {"the result is not JSON: `garbage`"}
