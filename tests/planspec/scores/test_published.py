"""Published answers are judged, and each disagreement with another judge is explained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.audits import AnswersAudit, AuditOutput
from planspec.errors import UnsuitableAnswersError
from planspec.scores.published import judge_published
from tests.planspec.api.auditing.sample import number_task, write_numbers

NAMES = ("fine", "several", "wrong", "gap")
LINES: list[dict[str, Any]] = [
    {"task": "fine", "plan": {"t": {"x": 3}}},
    {"task": "several", "answer": 'The answer:\n```json\n{"t": {"x": 5}}\n```'},
    {"task": "wrong", "plan": {"t": {"x": 1}}},
    {"task": "gap", "plan": None},
]
VERDICTS = {"fine": True, "several": False, "wrong": True, "gap": False, "other": True}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a small suite."""
    return write_numbers(tmp_path_factory.mktemp("numbers"), *NAMES)


@pytest.fixture(scope="module")
def audit(suite: Path) -> AuditOutput:
    """Return the audit of the suite with published answers and the verdicts of another judge."""
    return planspec.audit(suite, answers=LINES, verdicts=VERDICTS, deep=False)


def answers_of(audit: AuditOutput) -> AnswersAudit:
    """Return the part of an audit about published answers."""
    assert audit.answers is not None
    return audit.answers


def test_the_audit_has_a_table_of_agreement_and_both_pass_rates(audit: AuditOutput) -> None:
    answers = answers_of(audit)
    assert answers.cells is not None and answers.theirs is not None and answers.corrected is not None
    assert answers.cells.model_dump() == {"both": 1, "refused": 1, "accepted": 1, "neither": 1}
    assert (answers.answers, answers.right.passed, answers.theirs.passed, answers.corrected.passed) == (4, 2, 2, 2)
    assert answers.right.low is not None and answers.right.high is not None
    assert 0 < answers.right.low < 0.5 < answers.right.high < 1
    assert answers.unmatched == ["other"]


def test_each_disagreement_has_a_reason_and_the_answer(audit: AuditOutput) -> None:
    right, wrong = answers_of(audit).disagreements
    assert (right.task, right.right, right.reasons, right.answer) == ("several", True, ["t.x 4 -> 5"], {"t": {"x": 5}})
    assert (wrong.task, wrong.right, wrong.reasons) == ("wrong", False, ["c: t.x >= 4 does not hold: 1 against 4"])


def test_the_text_of_an_audit_ends_with_the_published_answers(audit: AuditOutput) -> None:
    lines = str(audit).splitlines()
    (head,) = [line for line in lines if line.startswith("answers 4: 2 right (50.0 %")]
    assert head.endswith(": 1 both, 1 right but refused, 1 wrong but accepted, 1 neither")
    assert "        several: right but refused: t.x 4 -> 5" in lines


def test_published_answers_without_verdicts_have_no_table_of_agreement(suite: Path, audit: AuditOutput) -> None:
    judged = judge_published(suite, audit, LINES[:2])
    assert (judged.answers, judged.right.passed, judged.cells, judged.theirs) == (2, 2, None, None)


def test_answers_with_max_gap_are_judged_by_the_audits_best_plan(tmp_path: Path) -> None:
    path = tmp_path / "near.task.yaml"
    path.write_text(number_task("near", "t.x >= 2", "minimize: t.x\nmax_gap: 1\n"))
    for value, right in ((3, 1), (4, 0)):
        result = planspec.audit(path, answers=[{"task": "near", "plan": {"t": {"x": value}}}], deep=False)
        assert answers_of(result).right.passed == right
    assert not (tmp_path / "certificates").exists()


def test_an_answer_is_undecided_if_the_best_plan_is_not_proved(tmp_path: Path, audit: AuditOutput) -> None:
    path = tmp_path / "near.task.yaml"
    path.write_text(number_task("near", "t.x >= 2", "minimize: t.x\nmax_gap: 1\n"))
    judged = judge_published(path, audit, [{"task": "near", "plan": {"t": {"x": 3}}}], {"near": True})
    assert (judged.undecided, judged.right.share) == (["near"], None)
    assert judged.cells is not None
    assert sum(judged.cells.model_dump().values()) == 0


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([{"task": "nobody", "plan": {}}], "line 1: the suite has no task `nobody`"),
        ([LINES[0], LINES[0]], "line 2 answers `fine` again"),
    ],
)
def test_answers_for_other_tasks_are_refused(lines: Any, message: str, suite: Path, audit: AuditOutput) -> None:
    with pytest.raises(UnsuitableAnswersError, match=message):
        judge_published(suite, audit, lines)


def test_verdicts_without_answers_are_an_error(suite: Path) -> None:
    with pytest.raises(ValueError, match="verdicts are about answers"):
        planspec.audit(suite, verdicts={})
