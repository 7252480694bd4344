"""Routes by public transport: a walk to a stop, rides on one or more lines, and a walk from the last stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from planspec.families.mobilitybench.map.driving import StreetAccess, add_alternatives, snap
from planspec.families.mobilitybench.map.network import WALK_MS_M, network
from planspec.families.mobilitybench.map.records import City, LineMode, Point
from planspec.families.mobilitybench.map.rounds import (
    PatternIndex,
    Price,
    Ride,
    RoundsQuery,
    StopLabel,
    best_arrivals,
    price,
)
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence
from planspec.families.mobilitybench.map.steps import StepWriter
from planspec.families.mobilitybench.map.timetable import Pattern, line_patterns

Preference = Literal["fastest", "fewest_transfers", "least_walking", "cheapest"]

ACCESS_M = 1_500
"""Maximum walk to the first stop, and from the last stop, in metres."""
TRANSFER_M = 500
"""Maximum walk between two lines, in metres."""
MOST_TRANSFERS = 5
"""Default for the maximum number of transfers."""
PRICES: dict[Preference, Price] = {
    "fastest": "nothing",
    "fewest_transfers": "nothing",
    "least_walking": "walking",
    "cheapest": "fares",
}


class TransitService:
    """A city's public transport, prepared for planning.

    Attributes:
        trips: trips of each line, in both directions.
        backwards: the same trips on a clock that runs backwards.
        fares: fare of each line, by its id.
        stops_at: ids of the stops at each junction, by junction id.
        footpaths: metres on foot from each stop to the stops nearby, by stop ids.
    """

    def __init__(self, city: City) -> None:
        self.city = city
        self.roads = network(city)
        both_directions = tuple(pattern for line in city.lines for pattern in line_patterns(line))
        self.trips, self.backwards = (
            PatternIndex(both_directions),
            PatternIndex(tuple(pattern.mirror() for pattern in both_directions)),
        )
        self.fares = {line.id: line.fare for line in city.lines}
        self.stops_at: dict[int, list[int]] = {}
        for stop in city.stops:
            self.stops_at.setdefault(stop.junction, []).append(stop.id)
        reach = {junction: self.stops_around(junction, 0, TRANSFER_M) for junction in sorted(self.stops_at)}
        self.footpaths: dict[int, dict[int, int]] = {
            stop.id: {other: m for other, m in reach[stop.junction].items() if other != stop.id} for stop in city.stops
        }

    def stops_around(self, junction: int, gap_m: int, max_m: int) -> dict[int, int]:
        """Return the stops within walking distance, as metres on foot by stop id.

        Args:
            junction: id of the junction at which the walk reaches the streets.
            gap_m: length of the walk to the junction in metres, included in the results.
            max_m: maximum length of the whole walk in metres.
        """
        import networkx as nx

        graph = self.roads.paths["walk"]
        if junction not in graph or gap_m > max_m:
            return {}
        distances: dict[int, int] = nx.single_source_dijkstra_path_length(
            graph, junction, cutoff=max_m - gap_m, weight=_edge_metres
        )
        return {stop: gap_m + m for node, m in distances.items() for stop in self.stops_at.get(node, ())}


def _edge_metres(_tail: int, _head: int, edge: dict[str, Any]) -> int:
    least: int = min(way[1] for way in edge["ways"])
    return least


@lru_cache(maxsize=4)
def transit_service(city: City) -> TransitService:
    """Return the city's public transport. That of the last four cities is cached."""
    return TransitService(city)


def line_ids(city: City, names: Sequence[str]) -> frozenset[int] | NoRoute:
    """Return the ids of the lines with these names or aliases, ignoring case; a `NoRoute` for an unknown name."""
    ids: set[int] = set()
    for name in names:
        folded_name = name.strip().casefold()
        matches = {x.id for x in city.lines if folded_name in {n.casefold() for n in (x.name, *x.aliases)}}
        if not matches:
            return NoRoute("unknown_name", f"no line of {city.name} is called {name!r}")
        ids |= matches
    return frozenset(ids)


def transit(
    city: City,
    origin: Point,
    destination: Point,
    *,
    depart: int | None = None,
    arrive_by: int | None = None,
    prefer: Preference = "fastest",
    use_line: str | None = None,
    avoid_lines: Sequence[str] = (),
    max_transfers: int | None = None,
    modes: Sequence[LineMode] | None = None,
    alternatives: int = 1,
) -> Answer:
    """Return the best routes by public transport.

    The search is exact. Every route has at least one ride. By `prefer`, routes are compared by:

    - "fastest": time, then transfers;
    - "fewest_transfers": transfers, then time;
    - "least_walking": metres on foot, then time, then transfers;
    - "cheapest": fares, then time, then transfers.

    Time runs from `depart` to the arrival, or from the departure to `arrive_by`. Each ride costs a fare. A change
    takes a minute in addition to the walk. A traveller who misses the last vehicle waits for the morning.

    Args:
        city: the city.
        origin: the start.
        destination: the end.
        depart: departure in minutes after midnight.
        arrive_by: latest arrival in minutes after midnight.
        prefer: what to minimise first.
        use_line: name or alias of a line that must be used.
        avoid_lines: names or aliases of lines to avoid.
        max_transfers: maximum number of transfers; 5 if None.
        modes: kinds of vehicles that may be used; all if None.
        alternatives: maximum number of routes. Each further route also avoids the line with the longest rides of the
            previous route. If no route exists without this line, it avoids the next-longest instead, and so on.

    Returns:
        The routes, best first, or the reason why there is none.

    Raises:
        ValueError: not exactly one of `depart` and `arrive_by` is given, `max_transfers` is negative, or
            `alternatives` is below 1.
    """
    if (depart is None) == (arrive_by is None):
        raise ValueError("depart or arrive_by, and one of them")
    if max_transfers is not None and max_transfers < 0:
        raise ValueError("a number of transfers is not negative")
    required = line_ids(city, [] if use_line is None else [use_line])
    avoided = line_ids(city, avoid_lines)
    if isinstance(required, NoRoute):
        return required
    if isinstance(avoided, NoRoute):
        return avoided
    service = transit_service(city)
    access = snap(service.roads, "walk", origin, (), destination)
    if isinstance(access, NoRoute):
        return access
    time = depart if depart is not None else arrive_by
    assert time is not None
    max_transfer_count = MOST_TRANSFERS if max_transfers is None else max_transfers
    lines_of_other_modes = frozenset(line.id for line in city.lines if modes is not None and line.mode not in modes)
    journey = _TransitJourney(service, access, time * 60_000, arrive_by is not None, prefer, required)
    mode_bans = () if modes is None else (f"all but {', '.join(sorted(modes))}",)

    def best_route(banned_lines: frozenset[int]) -> Route | None:
        closed = avoided | banned_lines
        bans = (*mode_bans, *(f"line {city.lines[line].name}" for line in sorted(closed)))
        return journey.route(closed | lines_of_other_modes, max_transfer_count, bans)

    first = best_route(frozenset())
    if first is not None:
        ids = {line.name: line.id for line in city.lines}
        return tuple(add_alternatives(first, alternatives, lambda step: step.line, ids, best_route))
    if max_transfers is not None and journey.route(avoided | lines_of_other_modes, MOST_TRANSFERS, ()) is not None:
        return NoRoute("too_many_transfers", f"every route has more than {max_transfers} transfers")
    if (avoided or lines_of_other_modes) and journey.route(frozenset(), MOST_TRANSFERS, ()) is not None:
        return NoRoute("banned", "every route breaks a ban")
    return NoRoute("no_service", "no lines lead there from stops within reach")


@dataclass(frozen=True, slots=True)
class _TransitJourney:
    service: TransitService
    access: StreetAccess
    time_ms: int
    is_backward: bool
    prefer: Preference
    required: frozenset[int]

    def route(self, banned: frozenset[int], max_transfer_count: int, bans: tuple[str, ...]) -> Route | None:
        near, far = self.access.junctions
        access = self.service.stops_around(near, self.access.before_m, ACCESS_M)
        egress = self.service.stops_around(far, self.access.after_m, ACCESS_M)
        if self.is_backward:
            access, egress = egress, access
        query = RoundsQuery(
            access,
            egress,
            -self.time_ms if self.is_backward else self.time_ms,
            PRICES[self.prefer],
            self.required,
            max_transfer_count + 1,
            banned,
        )
        trips = self.service.backwards if self.is_backward else self.service.trips
        labels = best_arrivals(query, trips, self.service.fares, self.service.footpaths)
        ranked = [(self._rank(label, n), n, label) for n, label in enumerate(labels) if label is not None]
        if not ranked:
            return None
        value, transfers, label = min(ranked, key=lambda entry: entry[:2])
        evidence = RouteEvidence(
            self._minimised_quantities(),
            value,
            bans,
            (
                *(f"ride {self.service.city.lines[line].name}" for line in sorted(self.required)),
                f"at most {max_transfer_count} transfers",
            ),
            "rounds of rides over trips" + (", backwards from the arrival" if self.is_backward else ""),
        )
        return self._write_route(label, transfers, evidence)

    def _rank(self, label: StopLabel, transfers: int) -> tuple[int, ...]:
        took = label.time_ms - (-self.time_ms if self.is_backward else self.time_ms)
        match self.prefer:
            case "fastest":
                return took, transfers
            case "fewest_transfers":
                return transfers, took
            case "least_walking" | "cheapest":
                return label.cost, took, transfers

    def _minimised_quantities(self) -> tuple[str, ...]:
        time = "ms from departure to the latest arrival" if self.is_backward else "ms from departure"
        match self.prefer:
            case "fastest":
                return time, "transfers"
            case "fewest_transfers":
                return "transfers", time
            case "least_walking":
                return "metres on foot", time, "transfers"
            case "cheapest":
                return "fare", time, "transfers"

    def _write_route(self, label: StopLabel, transfers: int, evidence: RouteEvidence) -> Route:
        city, trips = self.service.city, self.service.trips.patterns
        walks, rides = _walks_and_rides(label, trips, is_backward=self.is_backward)
        depart_s = -label.time_ms // 1000 if self.is_backward else self.time_ms // 1000
        now = depart_s * 1000
        writing = StepWriter(self.service.roads)
        position, fare, ridden_m = self.access.origin, 0, 0
        for walk, ride in zip(walks, rides, strict=False):
            pattern = trips[ride.pattern]
            stops = [city.stops[stop] for stop in pattern.stops[ride.begin : ride.finish + 1]]
            writing.add_walk(position, stops[0].point, walk, walk * WALK_MS_M)
            now += walk * WALK_MS_M
            board = ride.departure_ms + pattern.offsets_ms[ride.begin]
            leave = ride.departure_ms + pattern.offsets_ms[ride.finish]
            line, length = (
                city.lines[pattern.line],
                pattern.along_m[ride.finish] - pattern.along_m[ride.begin],
            )
            paid_fare = price(line.fare, length)
            names = stops[0].name, stops[-1].name
            points = tuple(stop.point for stop in stops)
            writing.add_ride(line.mode, line.name, names, points, length, paid_fare, board - now, leave - board)
            position, now, fare, ridden_m = points[-1], leave, fare + paid_fare, ridden_m + length
        writing.add_walk(position, self.access.destination, walks[-1], walks[-1] * WALK_MS_M)
        duration = sum(step.duration_s + step.wait_s for step in writing.steps)
        return Route(
            mode="transit",
            distance_m=sum(step.length_m for step in writing.steps),
            duration_s=duration,
            toll=0,
            lights=0,
            transfers=transfers,
            walking_m=sum(walks),
            fare=fare,
            depart_s=depart_s,
            arrive_s=depart_s + duration,
            steps=tuple(writing.steps),
            evidence=evidence,
        )


def _walks_and_rides(
    label: StopLabel, trips: tuple[Pattern, ...], *, is_backward: bool
) -> tuple[list[int], list[Ride]]:
    """Return the walks of a journey in metres and its rides, in order. There is one more walk than rides.

    Args:
        label: label at the destination, where the search ended.
        trips: trips of each line, on the real clock.
        is_backward: whether the search ran backwards, on the mirrored clock.
    """
    walks, rides = [label.walked_m], []
    at: StopLabel = label
    while at.ride is not None:
        assert at.previous is not None
        rides.append(_ride_on_real_clock(at.ride, trips) if is_backward else at.ride)
        at = at.previous
        walks.append(at.walked_m)
    return (walks, rides) if is_backward else (walks[::-1], rides[::-1])


def _ride_on_real_clock(ride: Ride, trips: Sequence[Pattern]) -> Ride:
    """Convert a ride of a backward search, on the mirrored clock, to the real clock."""
    pattern = trips[ride.pattern]
    last = len(pattern.stops) - 1
    departure = -pattern.offsets_ms[-1] - ride.departure_ms
    return Ride(ride.pattern, last - ride.finish, last - ride.begin, departure)
