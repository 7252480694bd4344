"""One scored answer: its verdict, and what is known of its task; metrics are made of many."""

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
    """A closed way through places, beside the shortest one; in metres.

    Attributes:
        length: of the way; None where a place is not on the map.
        least: no way is shorter.
        most: the shortest one that is known; equal to `least` where it is proved.
    """

    length: int | None
    least: int | None
    most: int | None


@dataclass(frozen=True, slots=True)
class Detour:
    """The way of a plan through its places.

    Attributes:
        places: how many different ones there are.
        plane: on the Web Mercator map.
        globe: along great circles.
        lodged: the way that also comes to the rooms, at the end of the day on which they are taken; None where it is the same way.
    """

    places: int
    plane: ClosedWay
    globe: ClosedWay
    lodged: Detour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A verdict with its place in a run.

    Attributes:
        verdict: of one answer, or of none.
        asked: how many hard constraints apply to the task, by kind; those without a kind are not counted. A verdict
            on nothing does not tell.
        labels: what runs can be grouped by.
        kept: of a conversation, the mean share of each turn's plan that the next turn's plan keeps; None where there
            are not two plans.
        detour: how the plan's way compares with the shortest; None where that is not asked, or no place is known.
        tool_calls: how many the agent made, if the record says so.
        facts_seen: the share of the needed facts that the agent saw; None where it is not known.
        facts_ignored: the share of those that it saw and ignored; None where it is not known, or it saw none.
        facts_misread: the share of the facts that it declared wrongly, of those that it declared; None where it declared none.
        right_as_read: whether the answer is right in the world as the agent read it; None where it declared nothing.
    """

    verdict: Verdict
    asked: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[str, LabelValue] = field(default_factory=dict)
    kept: Fraction | None = None
    detour: Detour | None = None
    tool_calls: int | None = None
    facts_seen: Fraction | None = None
    facts_ignored: Fraction | None = None
    facts_misread: Fraction | None = None
    right_as_read: bool | None = None

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        asked: Mapping[str, int],
        labels: Mapping[str, LabelValue],
        *,
        kept: Fraction | None = None,
        detour: Detour | None = None,
        tool_calls: int | None = None,
        facts_seen: Fraction | None = None,
        facts_ignored: Fraction | None = None,
        facts_misread: Fraction | None = None,
        right_as_read: bool | None = None,
    ) -> Scored:
        """A verdict with what its task asks; nothing is asked of a plan that is proved not to be."""
        if is_right_refusal(verdict):
            asked = {}
        return cls(
            verdict=verdict, asked=asked, labels=labels, kept=kept, detour=detour, tool_calls=tool_calls,
            facts_seen=facts_seen, facts_ignored=facts_ignored, facts_misread=facts_misread, right_as_read=right_as_read,
        )  # fmt: skip


def labels_of(task: Task) -> dict[str, LabelValue]:
    """The scalar entries of a task's `meta`; and as `days` how many dates its given `trip` has, if there is one."""
    made: dict[str, LabelValue] = {
        name: value for name, value in task.meta.items() if isinstance(value, str | int | bool)
    }
    trip = task.givens.get("trip")
    if isinstance(trip, tuple):
        made.setdefault("days", len(trip))
    return made


def asked_of(ground: Ground) -> dict[str, int]:
    """The number of hard instances that apply, by kind."""
    applicable = (i.constraint for i in ground.instances if i.applicable and i.constraint.hard)
    return dict(Counter(constraint.kind for constraint in applicable if constraint.kind is not None))


def verdicts_of(run: Iterable[Scored]) -> tuple[Verdict, ...]:
    """The verdicts alone, in order."""
    return tuple(scored.verdict for scored in run)
