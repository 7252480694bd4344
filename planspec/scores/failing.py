"""Violations in answers by constraint and by kind, and failures of attempts by boundary."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypeVar

from planspec.agents.failures import BOUNDARIES
from planspec.runs import Attempt
from planspec.scores.attempts import AttemptedRun
from planspec.scores.estimates import Estimate, add_interval
from planspec.scores.horizon import rate_estimate
from planspec.scores.intervals import Pair, bootstrap, ratio
from planspec.scores.known import RuleFacts, TaskFacts
from planspec.scores.record import BoundaryFailures, Failures, RuleFailures
from planspec.verifiers.meaning.verdict import Finding, is_right_refusal

ConstraintLevel: TypeAlias = Literal["hard", "soft"]
KindKey: TypeAlias = tuple[ConstraintLevel, str]
Rule: TypeAlias = tuple[ConstraintLevel, str, str]
K = TypeVar("K", bound=Hashable)
MOST_MESSAGES = 5


@dataclass(slots=True)
class _RuleCount:
    """Numbers of instances that apply, are violated, or lack an answer, for a kind or a constraint, by task."""

    applicable: list[int] = field(default_factory=list)
    violated: list[int] = field(default_factory=list)
    unanswered: list[int] = field(default_factory=list)


def failures_by_kind(run: AttemptedRun, seed: int, resamples: int) -> tuple[Failures, ...]:
    """Return the violations of each kind of constraints: hard before soft, then by decreasing share.

    A constraint without a kind forms its own kind, named after the constraint. In an attempt without an answer, every
    instance that applies to the task counts as not satisfied. Attempts that rightly answer that there is no plan are
    left out.
    """
    counts = _count_instances(run, _kind_of_facts, _kind_of_finding)
    shares = _violation_shares(counts, run, seed, resamples)
    return tuple(
        Failures(level=level, kind=kind, **_failure_fields(counts[level, kind], shares[level, kind]))
        for level, kind in _sorted_keys(counts, shares)
    )


def failures_by_constraint(run: AttemptedRun, seed: int, resamples: int) -> tuple[RuleFailures, ...]:
    """Return the violations of each constraint, in the same order as `failures_by_kind`."""
    counts = _count_instances(run, _rule_of_facts, _rule_of_finding)
    shares = _violation_shares(counts, run, seed, resamples)
    return tuple(
        RuleFailures(level=key[0], kind=key[1], rule=key[2], **_failure_fields(counts[key], shares[key]))
        for key in _sorted_keys(counts, shares)
    )


def failures_by_boundary(run: AttemptedRun, seed: int, resamples: int) -> tuple[BoundaryFailures, ...]:
    """Return the failed attempts by boundary, with the most frequent boundary first."""
    failed: dict[str, list[Attempt]] = {name: [] for name in BOUNDARIES}
    for attempt in run.attempts.values():
        if attempt.failure is not None:
            failed[attempt.failure.boundary].append(attempt)
    failures = []
    for name in sorted(BOUNDARIES, key=lambda boundary: -len(failed[boundary])):
        if not failed[name]:
            continue
        at = Counter(attempt.task for attempt in failed[name])
        column: list[Pair] = [(Fraction(at[task]), run.run.repeats) for task in run.run.tasks]
        messages = Counter(a.failure.message for a in failed[name] if a.failure is not None)
        failures.append(
            BoundaryFailures(
                boundary=name,
                attempts=len(failed[name]),
                share=rate_estimate(column, run.run.repeats, seed, resamples).model_copy(update={"better": "lower"}),
                messages=dict(messages.most_common(MOST_MESSAGES)),
            )
        )
    return tuple(failures)


def applicable_kinds(facts: TaskFacts) -> dict[str, int]:
    """Return the number of hard constraint instances that apply to a task, by kind."""
    counts: Counter[str] = Counter()
    for rule in facts.rules:
        if rule.hard:
            counts[rule.kind or rule.rule] += rule.n
    return dict(counts)


def violated_kinds(findings: Sequence[Finding]) -> Counter[str]:
    """Return the number of hard constraint instances that an answer violates, by kind."""
    return Counter(_kind(finding) for finding in findings if finding.level == "hard" and finding.status == "violated")


def _kind(finding: Finding) -> str:
    """Return the kind of a violated constraint, or its name if it has none."""
    return finding.kind or finding.constraint.partition("[")[0]


def _level(hard: bool) -> ConstraintLevel:
    return "hard" if hard else "soft"


def _kind_of_facts(rule: RuleFacts) -> KindKey:
    return _level(rule.hard), rule.kind or rule.rule


def _rule_of_facts(rule: RuleFacts) -> Rule:
    return _level(rule.hard), rule.kind or rule.rule, rule.rule


def _kind_of_finding(finding: Finding) -> KindKey:
    return _level(finding.level == "hard"), _kind(finding)


def _rule_of_finding(finding: Finding) -> Rule:
    return _level(finding.level == "hard"), _kind(finding), finding.constraint.partition("[")[0]


def _count_instances(
    run: AttemptedRun, key_of_facts: Callable[[RuleFacts], K], key_of_finding: Callable[[Finding], K]
) -> dict[K, _RuleCount]:
    counts: dict[K, _RuleCount] = defaultdict(lambda: _RuleCount(*([0] * len(run.run.tasks) for _ in range(3))))
    for place, (task, row) in enumerate(zip(run.run.tasks, run.rows, strict=True)):
        applicable = _applicable_counts(run.facts.tasks[task], key_of_facts)
        for scored in row:
            if is_right_refusal(scored.verdict):
                continue
            delivered = scored.verdict.status != "undelivered"
            for key, n in applicable.items():
                counts[key].applicable[place] += n
                counts[key].unanswered[place] += 0 if delivered else n
            for finding in scored.verdict.findings if delivered else ():
                if finding.level != "shape" and finding.status == "violated":
                    counts[key_of_finding(finding)].violated[place] += 1
    return dict(counts)


def _applicable_counts(facts: TaskFacts, key_of_facts: Callable[[RuleFacts], K]) -> Mapping[K, int]:
    counts: Counter[K] = Counter()
    for rule in facts.rules:
        counts[key_of_facts(rule)] += rule.n
    return counts


def _violation_shares(
    counts: Mapping[K, _RuleCount], run: AttemptedRun, seed: int, resamples: int
) -> dict[K, Estimate]:
    columns: dict[K, list[Pair]] = {
        key: [
            (Fraction(violated + unanswered), applicable)
            for violated, unanswered, applicable in zip(count.violated, count.unanswered, count.applicable, strict=True)
        ]
        for key, count in counts.items()
    }
    bootstraps = bootstrap(list(columns.values()), seed, resamples)
    shares: dict[K, Estimate] = {}
    for (key, column), bounds in zip(columns.items(), bootstraps, strict=True):
        value = ratio(column)
        estimate = Estimate(
            value=None if value is None else float(value),
            n=sum(weight > 0 for _, weight in column) * run.run.repeats,
            better="lower",
        )
        shares[key] = add_interval(estimate, column, bounds, kind="share", repeats=run.run.repeats)
    return shares


def _failure_fields(count: _RuleCount, share: Estimate) -> dict[str, Any]:
    applicable, violated, unanswered = sum(count.applicable), sum(count.violated), sum(count.unanswered)
    answered = applicable - unanswered
    return {
        "applicable": applicable,
        "violated": violated,
        "unanswered": unanswered,
        "share": share,
        "share_delivered": violated / answered if answered else None,
    }


def _sorted_keys(counts: Mapping[K, _RuleCount], shares: Mapping[K, Estimate]) -> list[K]:
    """Sort keys: hard before soft, then by decreasing share, then by first occurrence in the tasks."""
    return sorted(counts, key=lambda key: (key[0] != "hard", -(shares[key].value or 0)))  # type: ignore[index]
