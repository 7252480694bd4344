"""The answers of a planner: routes in steps with evidence, or a reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.families.mobilitybench.map.records import LineMode, Mode, Point, RoadClass

Why = Literal["off_the_map", "unknown_name", "banned", "disconnected", "no_service", "too_many_transfers"]
"""Why there is no route: a place is too far from any street; a road or line to use or avoid does not exist; there
would be a route without the bans; there would be none anyway; nothing runs in time; only with more transfers."""


@dataclass(frozen=True, slots=True)
class RouteStep:
    """A part of a route on one road or one line.

    Attributes:
        mode: how one moves.
        road: its name, None on a line and between a place and the nearest junction.
        road_class: of that road.
        line: its name, None on a street.
        start: the stop where a line is boarded.
        end: the stop where it is left.
        length_m: of the step.
        duration_s: under way.
        wait_s: before it begins, at a stop.
        toll: in minor units.
        fare: in minor units.
        lights: traffic lights passed, on the way and at its end.
        stops: ridden, without the first.
        polyline: all points in order.
        instruction: a sentence in Chinese or English.
    """

    mode: Mode | LineMode
    road: str | None
    road_class: RoadClass | None
    line: str | None
    start: str | None
    end: str | None
    length_m: int
    duration_s: int
    wait_s: int
    toll: int
    fare: int
    lights: int
    stops: int
    polyline: tuple[Point, ...]
    instruction: str


@dataclass(frozen=True, slots=True)
class RouteEvidence:
    """The evidence that a route is the best one.

    Attributes:
        minimised: criteria in the order of their weight, with their units.
        value: the least value of each, where those before it are least.
        bans: what the route may not use.
        demands: what it must do besides.
        method: how the optimum was found.
    """

    minimised: tuple[str, ...]
    value: tuple[int, ...]
    bans: tuple[str, ...]
    demands: tuple[str, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Route:
    """A way from one place to another.

    Attributes:
        mode: "transit" where lines are ridden.
        distance_m: in all.
        duration_s: from `depart_s` to `arrive_s`, with waiting.
        toll: in minor units.
        lights: passed by car.
        transfers: between lines.
        walking_m: on foot.
        fare: in minor units.
        depart_s: seconds after midnight; None if no time was asked for.
        arrive_s: seconds after midnight, past 86400 on the next day; None with `depart_s`.
        steps: in order; durations and waits add up to the route's.
        evidence: what was minimised.
    """

    mode: Mode | Literal["transit"]
    distance_m: int
    duration_s: int
    toll: int
    lights: int
    transfers: int
    walking_m: int
    fare: int
    depart_s: int | None
    arrive_s: int | None
    steps: tuple[RouteStep, ...]
    evidence: RouteEvidence

    @property
    def depart_min(self) -> int | None:
        """The last whole minute at which one may leave."""
        return None if self.depart_s is None else self.depart_s // 60

    @property
    def arrive_min(self) -> int | None:
        """The first whole minute at which one is there."""
        return None if self.arrive_s is None else -(-self.arrive_s // 60)


@dataclass(frozen=True, slots=True)
class NoRoute:
    """There is no route that keeps to what was asked."""

    reason: Why
    text: str


Answer: TypeAlias = tuple[Route, ...] | NoRoute
"""The best route first, then alternatives; at least one."""
