"""Scored answers: verdicts with the data about their tasks from which metrics are computed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from planspec.dsl.model.task import Task
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.verdict import Verdict, is_right_refusal

LabelValue: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class ClosedWay:
    """Lengths, in metres, of a tour through places and of the shortest such tour.

    Attributes:
        length: length of the tour; None if a place is not on the map.
        least: lower bound on the length of the shortest tour.
        most: length of the shortest known tour; equal to `least` if it is proved to be the shortest.
    """

    length: int | None
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Detour:
    """The tour of a plan through its places, compared with the shortest one.

    Attributes:
        places: number of different places.
        plane: lengths on the Web Mercator map.
        globe: lengths along great circles.
        lodged: the same for the tour that also visits each lodging at the end of its day; None if that tour
            is the same.
    """

    places: int
    plane: ClosedWay
    globe: ClosedWay
    lodged: Detour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A verdict with its context in a run.

    Attributes:
        verdict: verdict on an answer, or on a missing one.
        hard_counts: number of hard constraints that apply to the task, by kind; those without a kind are not
            counted. A verdict on a missing answer does not show them.
        labels: labels by which runs can be grouped.
        kept: mean share of each turn's plan that the next turn's plan keeps; None for fewer than two plans.
        detour: comparison of the plan's way with the shortest; None if that is not requested or no place
            is known.
        tool_calls: number of calls that the agent made, if recorded.
        facts_seen: share of the needed facts that the agent saw; None if unknown.
        facts_ignored: share of the seen facts that it ignored; None if unknown or if it saw none.
        facts_misread: share of the declared facts that it declared wrongly; None if it declared none.
        right_as_read: whether the answer is right in the world as the agent read it; None if it declared
            nothing.
        infeasible: whether the task is expected to have no plan.
    """

    verdict: Verdict
    hard_counts: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, LabelValue] = field(default_factory=dict)
    kept: Fraction | None = None
    detour: Detour | None = None
    tool_calls: int | None = None
    facts_seen: Fraction | None = None
    facts_ignored: Fraction | None = None
    facts_misread: Fraction | None = None
    right_as_read: bool | None = None
    infeasible: bool = False

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        hard_counts: Mapping[str, int],
        labels: Mapping[str, LabelValue],
        *,
        kept: Fraction | None = None,
        detour: Detour | None = None,
        tool_calls: int | None = None,
        facts_seen: Fraction | None = None,
        facts_ignored: Fraction | None = None,
        facts_misread: Fraction | None = None,
        right_as_read: bool | None = None,
        infeasible: bool = False,
    ) -> Scored:
        """Return a verdict with its context; a correct refusal has no applicable constraints."""
        if is_right_refusal(verdict):
            hard_counts = {}
        return cls(
            verdict=verdict,
            hard_counts=hard_counts,
            labels=labels,
            kept=kept,
            detour=detour,
            tool_calls=tool_calls,
            facts_seen=facts_seen,
            facts_ignored=facts_ignored,
            facts_misread=facts_misread,
            right_as_read=right_as_read,
            infeasible=infeasible,
        )


def labels_of(task: Task) -> dict[str, LabelValue]:
    """Return the scalar entries of a task's `meta`, and as `days` the number of dates of a given `trip`."""
    labels: dict[str, LabelValue] = {
        name: value for name, value in task.meta.items() if isinstance(value, str | int | bool)
    }
    trip = task.givens.get("trip")
    if isinstance(trip, tuple):
        labels.setdefault("days", len(trip))
    return labels


def hard_counts_of(ground: Ground) -> dict[str, int]:
    """Return the numbers of hard instances that apply, by kind."""
    applicable = (i.constraint for i in ground.instances if i.applicable and i.constraint.hard)
    return dict(Counter(constraint.kind for constraint in applicable if constraint.kind is not None))


def verdicts_of(run: Iterable[Scored]) -> tuple[Verdict, ...]:
    """Return the verdicts alone, in order."""
    return tuple(scored.verdict for scored in run)
