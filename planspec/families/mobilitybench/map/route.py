"""Answers of a planner: routes in steps with evidence, or a reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.families.mobilitybench.map.records import LineMode, Mode, Point, RoadClass

Why = Literal["off_the_map", "unknown_name", "banned", "disconnected", "no_service", "too_many_transfers"]
"""Reason why there is no route.

A place is too far from any street; a road or line to use or avoid does not exist; there is a route without
the bans; there is none at all; nothing runs in time; or there is one with more transfers only.
"""


@dataclass(frozen=True, slots=True)
class RouteStep:
    """A part of a route on one road or one line.

    Attributes:
        mode: mode of travel.
        road: name of the road; None on a line and between a place and the nearest junction.
        road_class: class of that road.
        line: name of the line; None on a street.
        start: stop where the line is boarded.
        end: stop where it is left.
        length_m: length of the step.
        duration_s: duration without the wait.
        wait_s: wait at a stop before the step.
        toll: toll in minor units.
        fare: fare in minor units.
        lights: traffic lights on the way and at its end.
        stops: stops on the ride, without the first.
        polyline: all points in order.
        instruction: a sentence in the city's language.
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
    """Evidence that a route is the best one.

    Attributes:
        minimised: criteria in order of priority, with their units.
        value: least value of each criterion among routes tied on the earlier ones.
        bans: banned roads, lines and classes.
        demands: other requirements.
        method: search method.
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
        mode: "transit" if lines are ridden.
        distance_m: total distance.
        duration_s: time from `depart_s` to `arrive_s`, including waits.
        toll: toll in minor units.
        lights: traffic lights passed by car.
        transfers: transfers between lines.
        walking_m: distance on foot.
        fare: fare in minor units.
        depart_s: seconds after midnight; None if no time is requested.
        arrive_s: seconds after midnight, beyond 86400 on the next day; None with `depart_s`.
        steps: steps in order; durations and waits add up to the route's.
        evidence: evidence of the optimum.
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
        """Last whole minute at which one may leave."""
        return None if self.depart_s is None else self.depart_s // 60

    @property
    def arrive_min(self) -> int | None:
        """First whole minute at which one has arrived."""
        return None if self.arrive_s is None else -(-self.arrive_s // 60)


@dataclass(frozen=True, slots=True)
class NoRoute:
    """No route satisfies the request."""

    reason: Why
    text: str


Answer: TypeAlias = tuple[Route, ...] | NoRoute
"""The best route and its alternatives, at least one, or the reason why there is none."""
