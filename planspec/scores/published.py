"""Published answers to the tasks of an audit. They are judged, and the verdicts are compared with another judge's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING, Any

from planspec.api.auditing.plans import difference_texts
from planspec.api.best_values import BestValue, BestValues
from planspec.api.outputs.audits import (
    AnswersAudit,
    AuditOutput,
    BestAudit,
    RateOutput,
    VerdictCells,
    VerdictDisagreement,
)
from planspec.scores.answer_lines import envelope_lines
from planspec.scores.answers import assign_lines, verdict_on_turns
from planspec.scores.intervals import wilson
from planspec.scores.suite_tasks import SuiteTasks, Variant
from planspec.verifiers.answers.envelope import Answer, Undelivered
from planspec.verifiers.answers.format import plain_json

if TYPE_CHECKING:
    from planspec.api.judging import Judge
    from planspec.dsl.model.task import Task
    from planspec.parallel import Jobs
    from planspec.scores.answer_lines import AnswersLike
    from planspec.verifiers.meaning.verdict import Verdict

SAME, RIGHT = "it is the reference", "it keeps every rule"
"""Reasons why an answer is right, for tasks with and without a reference."""
MOST_REASONS = 3
"""Maximum number of violations or differences that explain a disagreement."""


@dataclass(frozen=True, slots=True)
class _Work:
    """A published answer to judge.

    Attributes:
        source: file of its task.
        variant: how the task is loaded: with which expectation, values of givens, and reading.
        best: values of the task's best plan; None for a task without objectives.
    """

    task: str
    source: Task | str
    line: bytes
    variant: Variant
    best: BestAudit | None


@dataclass(frozen=True, slots=True)
class _Judged:
    """A judged answer. `right` is None if the answer cannot be judged."""

    task: str
    right: bool | None
    reasons: tuple[str, ...] = ()
    answer: Any = None


def judge_published(
    suite: str | PathLike[str],
    audit: AuditOutput,
    answers: AnswersLike,
    verdicts: Mapping[str, bool] | None = None,
    *,
    jobs: Jobs = 1,
) -> AnswersAudit:
    """Judge published answers, and compare the verdicts with another judge's.

    Args:
        suite: path, folder or id of the audited suite or task.
        audit: audit of the suite, with the values of best plans. The answers are judged in its reading, if it has one.
        answers: JSON lines `{"task": ..., "plan": ...}`, in the forms that `planspec.score` takes; the key may also be
            `answer`.
        verdicts: whether the other judge accepts the answer to each task; None without such verdicts.
        jobs: number of processes, or a Ray cluster.

    Raises:
        UnsuitableAnswersError: no line is an answer, or a line does not belong to exactly one task.
        OSError: the file of answers cannot be read.
    """
    from planspec.family.registry import family_of
    from planspec.parallel import PerWorker, map_parallel

    tasks = SuiteTasks.of(suite, reading=next(iter(audit.readings), None))
    lines = assign_lines(_plan_lines(answers), tasks, lists=family_of(tasks.family).format.load().lists)
    best = {task.task.partition("@")[0]: task.best for task in audit.tasks}
    work = [
        _Work(task, tasks.sources[task], line, tasks.variant, best.get(task))
        for task, line in lines.answers.items()
        if line is not None
    ]
    judged = list(map_parallel(PerWorker(_PublishedJudge), work, jobs, light=True))
    return _with_verdicts(judged, verdicts, lines.unread)


def _plan_lines(answers: AnswersLike) -> Iterator[bytes]:
    """Yield lines of answers with the key `answer` renamed to `plan`. The number of lines is unchanged."""
    before = 0
    for number, line in envelope_lines(answers):
        yield from [b""] * (number - before - 1)
        before = number
        yield _with_plan(line) if b'"answer"' in line else line


def _with_plan(line: bytes) -> bytes:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(record, dict) or "plan" in record or not {"task", "answer"} <= record.keys():
        return line
    record["plan"] = record.pop("answer")
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass")


class _PublishedJudge:
    """Judges answers to one task after another. Files that several tasks use are read once."""

    def __init__(self) -> None:
        from planspec.dsl.workspace.workspace import Workspace

        self._workspace = Workspace()

    def __call__(self, work: _Work) -> _Judged:
        """Judge an answer."""
        from planspec.api.judging import Judge
        from planspec.dsl.diagnostics.diagnostic import DiagnosticError
        from planspec.errors import UnsuitableTaskError

        try:
            judge = Judge(work.variant.task(work.source, self._workspace))
            judge.best_values = None if work.best is None else _best_values(work.best)
            read = judge.reading(work.line)
            verdict = verdict_on_turns(judge, read, "violated") or judge.judge(read, details="violated")
        except (DiagnosticError, UnsuitableTaskError):
            return _Judged(work.task, None)
        if any(each.kind == "not-judged" for each in verdict.findings):
            return _Judged(work.task, None)
        right = verdict.status == "pass"
        reasons = _differences(judge, read) if right else _violations(verdict)
        answer = plain_json(read.plan) if isinstance(read, Answer) else None
        return _Judged(work.task, right, tuple(reasons), answer)


def _best_values(best: BestAudit) -> BestValues:
    def fraction(number: int | str | None) -> Fraction | None:
        return None if number is None else Fraction(number)

    values = tuple(
        BestValue(fraction(value), fraction(bound)) for value, bound in zip(best.values, best.bounds, strict=True)
    )
    return BestValues(best.soft_weight, values, tuple(best.by), best.scope)


def _violations(verdict: Verdict) -> list[str]:
    """Return the reasons why an answer fails."""
    violated = [each for each in verdict.findings if each.status == "violated" and each.level in ("hard", "shape")]
    return _shortened([f"{each.constraint}: {each.message}" for each in violated] or ["there is no answer"])


def _differences(judge: Judge, read: Answer | Undelivered) -> list[str]:
    """Return the differences of a right answer from the reference."""
    reference = judge.reference_plan()
    plan = None if isinstance(read, Undelivered) else judge.read(read.plan)
    if reference is None or plan is None:
        return [RIGHT]
    texts = list(difference_texts(judge, reference, plan, all_fields=True))
    return _shortened(texts) or [SAME]


def _shortened(texts: Sequence[str]) -> list[str]:
    more = len(texts) - MOST_REASONS
    return [*texts[:MOST_REASONS], *([f"and {more} more"] if more > 0 else [])]


def _with_verdicts(
    judged: Sequence[_Judged], verdicts: Mapping[str, bool] | None, unread: Sequence[str]
) -> AnswersAudit:
    decided = [each for each in judged if each.right is not None]
    own = AnswersAudit(
        answers=len(judged),
        right=_rate(each.right for each in decided),
        undecided=[each.task for each in judged if each.right is None],
        unread=list(unread),
    )
    if verdicts is None:
        return own
    both = [(each, verdicts[each.task]) for each in decided if each.task in verdicts]
    cells = Counter((each.right, accepted) for each, accepted in both)
    answered = {each.task for each in judged}
    return own.model_copy(
        update={
            "theirs": _rate(accepted for _, accepted in both),
            "corrected": _rate(each.right for each, _ in both),
            "cells": VerdictCells(
                both=cells[True, True],
                refused=cells[True, False],
                accepted=cells[False, True],
                neither=cells[False, False],
            ),
            "disagreements": [
                VerdictDisagreement(
                    task=each.task, right=bool(each.right), reasons=list(each.reasons), answer=each.answer
                )
                for each, accepted in both
                if each.right is not accepted
            ],
            "unmatched": [task for task in verdicts if task not in answered],
        }
    )


def _rate(passes: Iterable[bool | None]) -> RateOutput:
    results = list(passes)
    hits = sum(map(bool, results))
    interval = wilson(hits, len(results))
    low, high = (None, None) if interval is None else interval
    return RateOutput(passed=hits, share=hits / len(results) if results else None, low=low, high=high)
