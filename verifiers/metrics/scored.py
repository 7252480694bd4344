"""Scored answers: verdicts with the data about tasks and attempts that metrics need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.verdict import Verdict, is_right_refusal

LabelValue: TypeAlias = str | int | bool


@dataclass(frozen=True, slots=True)
class ClosedWay:
    """Length of a closed tour through places, and bounds on the length of the shortest one, in metres.

    Attributes:
        length: length of the tour; None if a place is not on the map.
        least: lower bound on the length of the shortest tour; None if unknown.
        most: length of the shortest known tour, which equals `least` if it is proved shortest; None if unknown.
    """

    length: int | None
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Detour:
    """Comparison of a plan's tour through its places with the shortest tour.

    Attributes:
        places: number of different places.
        plane: lengths on the Web Mercator map.
        globe: lengths along great circles.
        lodged: the same comparison for a tour that also visits the lodging at the end of each day; None if both tours
            are the same.
    """

    places: int
    plane: ClosedWay
    globe: ClosedWay
    lodged: Detour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A verdict with data about the attempt in a run.

    Attributes:
        verdict: verdict on an answer or on a missing answer.
        hard_counts: number of applicable hard constraints by kind. Constraints without a kind are not counted.
        labels: labels for grouping attempts.
        kept: mean share of the cells of a turn's plan that the next turn's plan leaves unchanged; None if there are
            fewer than two plans.
        detour: comparison of the plan's tour with the shortest one; None if it was not requested or no place is
            known.
        tool_calls: number of the agent's tool calls; None if not recorded.
        facts_seen: share of the needed facts that the agent saw; None if unknown.
        facts_ignored: share of the seen facts that the agent ignored; None if unknown, or if it saw no facts.
        facts_misread: share of the facts declared by the agent that are wrong; None if it declared none.
        right_as_read: whether the answer would pass if the facts declared by the agent were true; None if it declared
            none.
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
        """Return a verdict with data about the attempt. The parameters are described as attributes of the class.

        For a correct refusal, `hard_counts` is empty in the result.
        """
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


def hard_counts_of(ground: Ground) -> dict[str, int]:
    """Return the number of applicable instances of hard constraints, by the kind of the constraint."""
    applicable = (i.constraint for i in ground.instances if i.applicable and i.constraint.hard)
    return dict(Counter(constraint.kind for constraint in applicable if constraint.kind is not None))


def verdicts_of(run: Iterable[Scored]) -> tuple[Verdict, ...]:
    """Return only the verdicts, in order."""
    return tuple(scored.verdict for scored in run)
