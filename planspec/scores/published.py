"""Published answers in an audit: how many are right, beside somebody else's verdicts on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.api.outputs.audits import AnswersAudit, AuditOutput, RateOutput, VerdictCells, VerdictDisagreement
from planspec.scores.answer_lines import envelope_lines
from planspec.scores.answers import score
from planspec.scores.intervals import wilson
from planspec.scores.score_text import NO_LINE
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.meaning.verdict import Verdict

if TYPE_CHECKING:
    from planspec.parallel import Jobs

MOST_REASONS = 5
"""Maximum number of reasons that are shown for an answer."""


def judge_published(
    suite: str, audit: AuditOutput, answers: Path, theirs: Mapping[str, bool] | None, *, jobs: Jobs = 1
) -> AnswersAudit:
    """Judge published answers, and compare somebody else's verdicts with ours.

    Args:
        suite: the suite, by path, folder or id.
        audit: audit of its tasks, whose references are compared with right answers.
        answers: file of the answers, as `score` reads it.
        theirs: whether the other judge accepts, by task; None without verdicts.
        jobs: number of processes, or a Ray cluster.

    Raises:
        UnsuitableAnswersError: a line is not the answer to one of the tasks.
        DiagnosticError: the suite or a task has errors.
        OSError: the file cannot be read.
    """
    scores = score(suite, answers, jobs=jobs)
    verdicts = {each.task: each for each in scores.verdicts if not _is_missing(each)}
    right = {task: verdict.status == "pass" for task, verdict in verdicts.items()}
    result = AnswersAudit(
        answers=len(right) + len(scores.unread), right=rate(right.values()), unread=list(scores.unread)
    )
    if theirs is None:
        return result
    both = {task: (ours, theirs[task]) for task, ours in right.items() if task in theirs}
    raw = _answers_by_task(answers)
    references = {task.task: task.reference.answer for task in audit.tasks if task.reference is not None}
    return result.model_copy(
        update={
            "theirs": rate(accepted for _, accepted in both.values()),
            "corrected": rate(ours for ours, _ in both.values()),
            "cells": VerdictCells(
                both=_count(both, ours=True, accepted=True),
                refused=_count(both, ours=True, accepted=False),
                accepted=_count(both, ours=False, accepted=True),
                neither=_count(both, ours=False, accepted=False),
            ),
            "disagreements": [
                VerdictDisagreement(
                    task=task,
                    right=ours,
                    reasons=_passes_beside(raw.get(task), references.get(task)) if ours else reasons(verdicts[task]),
                    answer=raw.get(task),
                )
                for task, (ours, accepted) in both.items()
                if ours != accepted
            ],
            "unmatched": [task for task in theirs if task not in right],
        }
    )


def rate(passes: Iterable[bool]) -> RateOutput:
    """Return a share with its interval."""
    results = list(passes)
    bounds = wilson(sum(results), len(results))
    if bounds is None:
        return RateOutput(passed=0, share=None, low=None, high=None)
    low, high = bounds
    return RateOutput(passed=sum(results), share=sum(results) / len(results), low=low, high=high)


def reasons(verdict: Verdict) -> list[str]:
    """Return why an answer is wrong: its first violations with their messages."""
    wrong = [each for each in verdict.findings if each.status == "violated" and each.level in ("hard", "shape")]
    texts = [f"{each.constraint}: {each.message}" if each.message else str(each.constraint) for each in wrong]
    return texts[:MOST_REASONS] or [each.message for each in verdict.findings][:1]


def _passes_beside(answer: Any, reference: Any) -> list[str]:
    """Return how a right answer relates to the reference."""
    if reference is None:
        return ["it passes; the task has no reference"]
    return ["it is the reference"] if answer == reference else ["it passes, and is another plan than the reference"]


def _count(both: Mapping[str, tuple[bool, bool]], *, ours: bool, accepted: bool) -> int:
    return sum(pair == (ours, accepted) for pair in both.values())


def _is_missing(verdict: Verdict) -> bool:
    return bool(verdict.findings) and verdict.findings[0].message == NO_LINE


def _answers_by_task(answers: Path) -> dict[str, Any]:
    """Return the plan of each readable line that names its task."""
    found: dict[str, Any] = {}
    for _, line in envelope_lines(answers):
        read = read_answer(line, lists=True)
        if isinstance(read, Answer) and read.task:
            found[read.task] = read.plan
    return found
