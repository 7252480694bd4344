"""The state of a tool program during its execution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.episode import Context

ProgramResult: TypeAlias = Mapping[str, Any]
"""A tool's result: any JSON."""


class UnansweredCallError(Exception):
    """The program has no answer: a tool refused, or a value is missing.

    Args:
        reason: the reason in a sentence.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Spot:
    """A resolved place: its name in the tools or `here`, and `longitude,latitude`."""

    name: str
    location: str


@dataclass(slots=True)
class ProgramFindings:
    """Findings of a program so far.

    Attributes:
        slots: values in the user's words.
        context: what is known about the user.
        spots: places of each slot.
        results: results of calls other than planning, in order.
        routes: best route of each leg.
        vehicles: the library's vehicles of the planned mode; empty if the user leaves the mode open.
        takes: slots that the planner's calls took into account.
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
        """The last result of a call other than planning."""
        if not self.results:
            raise UnansweredCallError("nothing was asked")
        return self.results[-1]
