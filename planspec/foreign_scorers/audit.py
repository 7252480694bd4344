"""Comparison of a scorer's verdicts on answers with the proved verdicts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

from planspec.api.judging import Judge
from planspec.api.loading import TaskLike, task_of
from planspec.api.probes import DEADLINE_S, MOST_RIGHT, Probe, Probes, SkippedProbe, probe_answers, reference_answer
from planspec.errors import InternalError, PlanspecError
from planspec.foreign_scorers.scorer import Score, Scorer, ScorerFailedError, is_accepted, task_request
from planspec.verifiers.meaning.verdict import STRICT

Outcome: TypeAlias = Literal["agreed", "punished", "rewarded", "error"]
"""Outcome for one answer.

`agreed`: same verdict; `punished`: a right answer was refused; `rewarded`: a wrong answer was accepted; `error`: no
score.
"""
THRESHOLD = 1.0
"""Default minimum score that accepts an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredProbe:
    """A scorer's verdict on a probe (an answer with a proved verdict)."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    outcome: Outcome
    score: bool | int | float | None = field(metadata={"description": "the scorer's result; null for an error"})
    error: str | None = field(default=None, metadata={"description": "why there is no score"})
    probe: Probe


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskAudit:
    """Results of an audit of a scorer on one task."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    task: str
    file: str
    probes: tuple[ScoredProbe, ...] = ()
    skipped: tuple[SkippedProbe, ...] = ()
    reason: str | None = field(default=None, metadata={"description": "why the task has no probes; null if it has"})
    seconds: float = field(default=0.0, metadata={"description": "time of the search for probes and of the scorer"})

    def count(self, *outcomes: Outcome) -> int:
        """Return the number of probes with one of the given outcomes."""
        return sum(scored.outcome in outcomes for scored in self.probes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerTotals:
    """Counts over all tasks."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    tasks: int
    probes: int
    right: int = field(metadata={"description": "probes that are right"})
    wrong: int = field(metadata={"description": "probes that are wrong"})
    agreed: int
    punished: int = field(metadata={"description": "right, but not accepted"})
    rewarded: int = field(metadata={"description": "wrong, but accepted"})
    errors: int = field(metadata={"description": "crashes, time-outs and unreadable results of the scorer"})
    refusals: int = field(metadata={"description": "probes that say that there is no plan"})
    refusals_rewarded: int = field(metadata={"description": "wrong refusals that are accepted"})
    impossible: int = field(metadata={"description": "probes that are proved not to exist"})
    unknown: int = field(metadata={"description": "probes that were not found in time"})
    dropped: int = field(metadata={"description": "probes that are not as intended"})
    unprobed: int = field(metadata={"description": "tasks without probes"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerAudit:
    """Results of an audit of a scorer on several tasks."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    scorer: str
    threshold: float = field(metadata={"description": "number from which a score accepts an answer"})
    totals: ScorerTotals
    tasks: tuple[TaskAudit, ...]

    @property
    def disagreements(self) -> tuple[tuple[TaskAudit, ScoredProbe], ...]:
        """The probes with outcome `punished` or `rewarded`, each with its task."""
        return tuple(
            (audit, scored)
            for audit in self.tasks
            for scored in audit.probes
            if scored.outcome in ("punished", "rewarded")
        )

    def to_json(self) -> dict[str, Any]:
        """Return the audit as JSON data."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """Yield the audit as text: each kind of disagreement or error with an example, then the counts."""
        from planspec.foreign_scorers.audit_text import audit_lines

        return audit_lines(self)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def audit_scorer(
    tasks: Iterable[TaskLike],
    scorer: Scorer,
    *,
    threshold: float = THRESHOLD,
    deadline: float | None = DEADLINE_S,
    most: int = MOST_RIGHT,
    no_worse: bool = False,
    on_task: Callable[[TaskAudit], None] = lambda _: None,
) -> ScorerAudit:
    """Let a scorer judge answers with proved verdicts (probes), and compare the verdicts.

    Args:
        tasks: tasks, or their paths or ids.
        scorer: the scorer, which the caller closes.
        threshold: minimum score that accepts an answer.
        deadline: time limit of the search for the probes of each task, in seconds; None for no limit.
        most: maximum number of right answers to each task besides the reference.
        no_worse: whether right answers must be as good as the reference (see `probe_answers`).
        on_task: called with the audit of each task.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: a task has errors.
    """
    audits = []
    for task in tasks:
        audit = audit_task(task, scorer, threshold=threshold, deadline=deadline, most=most, no_worse=no_worse)
        on_task(audit)
        audits.append(audit)
    return ScorerAudit(scorer=scorer.name, threshold=threshold, totals=totals_of(audits), tasks=tuple(audits))


def audit_task(
    task: TaskLike,
    scorer: Scorer,
    *,
    threshold: float = THRESHOLD,
    deadline: float | None = DEADLINE_S,
    most: int = MOST_RIGHT,
    no_worse: bool = False,
) -> TaskAudit:
    """Let a scorer judge the probes of one task; see `audit_scorer`.

    Raises:
        NotFoundError: there is no such task.
        DiagnosticError: the task has errors.
    """
    checked = task_of(task)
    begun = time.perf_counter()
    judge = Judge(checked)
    reason: str | None = None
    try:
        probes = probe_answers(judge, deadline=deadline, most=most, no_worse=no_worse)
    except InternalError:
        raise
    except PlanspecError as error:
        probes, reason = Probes(probes=(), skipped=()), str(error)
    request = task_request(checked, reference_answer(judge))
    return TaskAudit(
        task=checked.id,
        file=checked.span.source.name,
        probes=tuple(_ask(scorer, request, probe, threshold) for probe in probes),
        skipped=probes.skipped,
        reason=reason,
        seconds=round(time.perf_counter() - begun, 3),
    )


def _ask(scorer: Scorer, request: Mapping[str, Any], probe: Probe, threshold: float) -> ScoredProbe:
    try:
        score: Score = scorer.score({**request, "answer": probe.answer})
    except ScorerFailedError as error:
        return ScoredProbe(outcome="error", score=None, error=str(error), probe=probe)
    if is_accepted(score, threshold) == probe.passes:
        return ScoredProbe(outcome="agreed", score=score, probe=probe)
    return ScoredProbe(outcome="punished" if probe.passes else "rewarded", score=score, probe=probe)


def totals_of(audits: Iterable[TaskAudit]) -> ScorerTotals:
    """Return the counts over the audits of all tasks."""
    audits = list(audits)
    scored = [each for audit in audits for each in audit.probes]
    skipped = [each.status for audit in audits for each in audit.skipped]
    refusals = [each for each in scored if each.probe.kind == "refusal"]
    outcomes = [each.outcome for each in scored]
    right = sum(each.probe.passes for each in scored)
    return ScorerTotals(
        tasks=len(audits),
        probes=len(scored),
        right=right,
        wrong=len(scored) - right,
        agreed=outcomes.count("agreed"),
        punished=outcomes.count("punished"),
        rewarded=outcomes.count("rewarded"),
        errors=outcomes.count("error"),
        refusals=len(refusals),
        refusals_rewarded=sum(each.outcome == "rewarded" for each in refusals),
        impossible=skipped.count("none"),
        unknown=skipped.count("unknown"),
        dropped=skipped.count("dropped"),
        unprobed=sum(audit.reason is not None for audit in audits),
    )
