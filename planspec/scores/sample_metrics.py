"""Metrics of many answers to each task: pass@k, pass^k, best-of-n and majority, with intervals.

Every task has the same expected number of answers. Missing answers count as undelivered and do not pass. Answers to the
same task are correlated. The intervals therefore come from resampling tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from operator import attrgetter
from typing import TypeAlias

from planspec.scores.estimates import Estimate, add_interval
from planspec.scores.intervals import RESAMPLES, SEED, Column, bootstrap, ratio
from planspec.scores.pass_at_k import default_draws, pass_at, pass_hat
from planspec.verifiers.meaning.verdict import Tally
from planspec.verifiers.metrics.generic import satisfied_share
from planspec.verifiers.metrics.metric import Kind

Counts: TypeAlias = tuple[int, int]
"""Number of satisfied instances, and number of applicable instances."""
REFUSAL = b"refusal".ljust(16, b"\0")
"""Digest for right refusals (answers that there is no plan). They count as equal, like answers with the same plan."""


@dataclass(frozen=True, slots=True)
class SampleChoice:
    """An answer chosen from all answers to one task, such as the best.

    Attributes:
        sample: number of the answer.
        passed: whether it passes.
        hard: counts of hard constraint instances.
        soft: counts of soft constraint instances.
    """

    sample: int
    passed: bool
    hard: Counts
    soft: Counts

    @property
    def rank(self) -> tuple[bool, Fraction, Fraction]:
        """Sort key by quality: whether the answer passes, then its shares of hard and of soft constraints."""
        return _rank(self.passed, self.hard, self.soft)


@dataclass(slots=True)
class _Votes:
    """Answers to a task that have the same plan: their number, and the first of them."""

    count: int
    first: SampleChoice


@dataclass(slots=True)
class TaskSamples:
    """Summary of the answers to one task.

    Attributes:
        task: id of the task.
        n: number of answers, delivered or not.
        passed: number of answers that pass.
        delivered: number of delivered answers.
        best: first of the best answers by `SampleChoice.rank`; None if no answer was delivered.
        hard: number of delivered answers by their counts of hard instances.
        soft: number of delivered answers by their counts of soft instances.
        has_soft: whether soft constraints apply to the task.
    """

    task: str
    n: int = 0
    passed: int = 0
    delivered: int = 0
    best: SampleChoice | None = None
    hard: Counter[Counts] = field(default_factory=Counter)
    soft: Counter[Counts] = field(default_factory=Counter)
    has_soft: bool = False
    _votes: dict[bytes, _Votes] = field(default_factory=dict)

    def add(self, sample: int | None, status: str, hard: Tally, soft: Tally, plan: bytes | None) -> None:
        """Count an answer.

        Args:
            sample: number of the answer; None for an unreadable one.
            status: status of the verdict.
            hard: tally of hard instances.
            soft: tally of soft instances.
            plan: digest of the plan; None without a plan.
        """
        self.n += 1
        self.has_soft = self.has_soft or soft.total > 0
        if status == "undelivered" or sample is None:
            return
        self.delivered += 1
        self.passed += status == "pass"
        choice = SampleChoice(sample, status == "pass", (hard.satisfied, hard.total), (soft.satisfied, soft.total))
        self.hard[choice.hard] += 1
        self.soft[choice.soft] += 1
        if self.best is None or choice.rank > self.best.rank:
            self.best = choice
        if plan is not None:
            votes = self._votes.get(plan)
            if votes is None:
                self._votes[plan] = _Votes(1, choice)
            else:
                votes.count += 1

    @property
    def plans(self) -> int:
        """Number of different plans."""
        return len(self._votes)

    @property
    def majority(self) -> SampleChoice | None:
        """First answer with the most frequent plan (on a tie, the earliest of these plans); None without plans."""
        most = max(self._votes.values(), key=lambda votes: votes.count, default=None)
        return None if most is None else most.first


@lru_cache(1 << 12)
def _rank(passed: bool, hard: Counts, soft: Counts) -> tuple[bool, Fraction, Fraction]:
    return passed, _satisfied_share(hard), _satisfied_share(soft)


def _satisfied_share(counts: Counts) -> Fraction:
    return satisfied_share(Tally(satisfied=counts[0], total=counts[1]))


def _sum_shares(answers: Counter[Counts]) -> Fraction:
    return sum((_satisfied_share(counts) * times for counts, times in answers.items()), Fraction(0))


def sample_estimates(
    tasks: Sequence[TaskSamples],
    samples: int,
    draws: Iterable[int] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Estimate]:
    """Return the metrics with 95 per cent intervals.

    Args:
        tasks: summaries of all tasks of the suite.
        samples: number of answers to each task. Missing answers do not pass.
        draws: values of k for pass@k and pass^k, each from 1 to `samples`; None for the powers of two and
            `samples`.
        seed: seed of the bootstrap.
        resamples: number of bootstrap resamples.
    """
    ks = default_draws(samples) if draws is None else tuple(dict.fromkeys(draws))
    measured: dict[str, tuple[Column, Kind, int]] = {}

    def put(name: str, value_of: Callable[[TaskSamples], Fraction], kind: Kind, alone: bool) -> None:
        """Add a metric.

        `alone` says whether the metric depends on a single answer to each task.
        """
        soft = name.endswith("soft")
        column = [(value_of(task), 1) if task.has_soft or not soft else (Fraction(0), 0) for task in tasks]
        measured[name] = column, kind, 1 if alone else samples

    for k in ks:
        put(f"pass@{k}", partial(_pass_at, k, samples), "rate", k == samples)
    for k in ks:
        if k > 1:
            put(f"pass^{k}", partial(_pass_hat, k, samples), "rate", k == samples)
    put("mean_hard", lambda task: _sum_shares(task.hard) / samples, "share", samples == 1)
    put("mean_soft", lambda task: _sum_shares(task.soft) / samples, "share", samples == 1)
    for name, choose in CHOICES.items():
        put(f"{name}_pass", lambda task, choose=choose: _pass_value(choose(task)), "rate", True)  # type: ignore[misc]
        put(f"{name}_hard", lambda task, choose=choose: _hard_share(choose(task)), "share", True)  # type: ignore[misc]
        put(f"{name}_soft", lambda task, choose=choose: _soft_share(choose(task)), "share", True)  # type: ignore[misc]
    drawn = bootstrap([column for column, _, _ in measured.values()], seed, resamples)
    result = {}
    for (name, (column, kind, repeats)), bounds in zip(measured.items(), drawn, strict=True):
        value, weight = ratio(column), sum(weight for _, weight in column)
        estimate = Estimate(value=None if value is None else float(value), n=weight * samples, better="higher")
        result[name] = add_interval(estimate, column, bounds, kind=kind, repeats=repeats)
    return result


CHOICES: Mapping[str, Callable[[TaskSamples], SampleChoice | None]] = {
    "best": attrgetter("best"),
    "majority": attrgetter("majority"),
}
"""Function that chooses one of the answers to a task, by the name of the choice."""


def _pass_at(k: int, samples: int, task: TaskSamples) -> Fraction:
    return pass_at(k, samples, task.passed)


def _pass_hat(k: int, samples: int, task: TaskSamples) -> Fraction:
    return pass_hat(k, samples, task.passed)


def _pass_value(chosen: SampleChoice | None) -> Fraction:
    return Fraction(chosen is not None and chosen.passed)


def _hard_share(chosen: SampleChoice | None) -> Fraction:
    return Fraction(0) if chosen is None else _satisfied_share(chosen.hard)


def _soft_share(chosen: SampleChoice | None) -> Fraction:
    return Fraction(0) if chosen is None else _satisfied_share(chosen.soft)
