"""State of a reference program during its execution: places, results of tool calls, and routes found so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pydantic import JsonValue

from planspec.families.mobilitybench.episode import Context

ProgramResult: TypeAlias = Mapping[str, Any]
"""A tool's result: a JSON object."""


class UnansweredCallError(Exception):
    """Error if a program has no result, because a tool returned an error or a value is missing.

    Args:
        reason: the reason in a sentence.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class FoundPlace:
    """A place that was looked up.

    Attributes:
        name: the tools' name of the place, or `here`.
        location: `longitude,latitude`.
    """

    name: str
    location: str


@dataclass(slots=True)
class ProgramState:
    """Inputs of a program, and the results of its execution so far.

    Attributes:
        slots: values by slot, in the user's words.
        context: place and time of the user.
        spots: places that were looked up, by slot.
        results: results of calls other than route planning, in order.
        routes: best route of each leg.
        vehicles: vehicles of the chosen mode, as named in the constraint library; empty if any mode fits the request.
        planner_slots: slots that were passed to the route planner.
    """

    slots: Mapping[str, JsonValue]
    context: Context
    spots: dict[str, tuple[FoundPlace, ...]] = field(default_factory=dict)
    results: list[ProgramResult] = field(default_factory=list)
    routes: list[ProgramResult] = field(default_factory=list)
    vehicles: tuple[str, ...] = ()
    planner_slots: frozenset[str] = frozenset()

    @property
    def last_result(self) -> ProgramResult:
        """Result of the last call other than route planning."""
        if not self.results:
            raise UnansweredCallError("nothing was asked")
        return self.results[-1]
