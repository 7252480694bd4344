"""The findings of a tool program so far, while it is executed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.episode import Context

ProgramResult: TypeAlias = Mapping[str, Any]
"""A tool's result: any JSON."""


class UnansweredCallError(Exception):
    """The program has no answer: a tool refused, or a value is not there.

    Args:
        reason: in a sentence.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that was found: its name as the tools tell it, or `here`, and `longitude,latitude`."""

    name: str
    location: str


@dataclass(slots=True)
class ProgramFindings:
    """The findings so far.

    Attributes:
        slots: what the user says.
        context: what is known of the user.
        spots: the places of each slot.
        results: of the calls that are no planning, the last one last.
        routes: the best route of each leg.
        vehicles: of the library, by which was planned; none where the user leaves it open.
        takes: the slots that the planner's calls were told.
    """

    slots: Mapping[str, JsonValue]
    context: Context
    spots: dict[str, tuple[Spot, ...]] = field(default_factory=dict)
    results: list[ProgramResult] = field(default_factory=list)
    routes: list[ProgramResult] = field(default_factory=list)
    vehicles: tuple[str, ...] = ()
    takes: frozenset[str] = frozenset()

    @property
    def last(self) -> ProgramResult:
        """The last result that is no way."""
        if not self.results:
            raise UnansweredCallError("nothing was asked")
        return self.results[-1]
