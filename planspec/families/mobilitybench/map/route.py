"""Answers of a route planner: routes with steps and evidence, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.families.mobilitybench.map.records import LineMode, Mode, Point, RoadClass

NoRouteReason = Literal["off_the_map", "unknown_name", "banned", "disconnected", "no_service", "too_many_transfers"]
"""Reason why there is no route.

`off_the_map`: a place is too far from any street. `unknown_name`: a road or line to use or avoid does not
exist. `banned`: all routes break a ban. `disconnected`: there is no route even without the bans. `no_service`:
no vehicle runs in time. `too_many_transfers`: all routes need more transfers than allowed.
"""


@dataclass(frozen=True, slots=True)
class RouteStep:
    """A part of a route on one road or one line.

    Attributes:
        mode: mode of travel.
        road: name of the road; None on a line, and on a walk between a place and the nearest junction.
        road_class: class of the road; None without a road.
        line: name of the line; None on a street.
        start: name of the stop where the ride begins; None on a street.
        end: name of the stop where the ride ends; None on a street.
        length_m: length of the step in metres.
        duration_s: duration in seconds, without the wait.
        wait_s: wait at a stop before the step, in seconds.
        toll: toll in minor units.
        fare: fare in minor units.
        lights: number of traffic lights on the step and at its end.
        stops: number of stops on the ride, without the first.
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
        minimised: criteria in order of priority, with their units, such as "ms from departure".
        value: minimum of each criterion among routes that are optimal in all earlier criteria.
        bans: things that the route had to avoid, such as "tolls" or "road Main Street".
        demands: other requirements, such as "2 vias in order".
        method: search algorithm.
    """

    minimised: tuple[str, ...]
    value: tuple[int, ...]
    bans: tuple[str, ...]
    demands: tuple[str, ...]
    method: str


@dataclass(frozen=True, slots=True)
class Route:
    """A route from one place to another.

    Attributes:
        mode: mode of travel; "transit" if the route uses lines.
        distance_m: total distance in metres.
        duration_s: time from `depart_s` to `arrive_s`, including waits.
        toll: toll in minor units.
        lights: traffic lights passed by car.
        transfers: transfers between lines.
        walking_m: distance on foot.
        fare: fare in minor units.
        depart_s: departure in seconds after midnight; None if the request has no time.
        arrive_s: arrival in seconds after midnight, 86400 or more on the next day; None if `depart_s` is None.
        steps: steps in order. Their durations and waits add up to `duration_s`.
        evidence: evidence that the route is the best one.
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
    def arrive_min(self) -> int | None:
        """Arrival in minutes after midnight, rounded up; None if the request has no time."""
        return None if self.arrive_s is None else -(-self.arrive_s // 60)


@dataclass(frozen=True, slots=True)
class NoRoute:
    """Result if no route satisfies the request: the reason, and a message for people."""

    reason: NoRouteReason
    text: str


Answer: TypeAlias = tuple[Route, ...] | NoRoute
"""At least one route, the best first, or the reason why there is none."""
