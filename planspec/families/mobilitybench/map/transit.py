"""Routes by transit: on foot to a stop, with one line or several, and on foot from the last stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from planspec.families.mobilitybench.map.driving import Ends, snap, with_alternatives
from planspec.families.mobilitybench.map.network import WALK_MS_M, network
from planspec.families.mobilitybench.map.records import City, LineMode, Point
from planspec.families.mobilitybench.map.rounds import Price, Question, Ride, StopLabel, Trips, ends, price
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence
from planspec.families.mobilitybench.map.steps import Writing
from planspec.families.mobilitybench.map.timetable import Pattern, patterns

Preference = Literal["fastest", "fewest_transfers", "least_walking", "cheapest"]

ACCESS_M = 1_500
"""One walks no farther to the first stop and from the last one."""
TRANSFER_M = 500
"""One walks no farther between two lines."""
MOST_TRANSFERS = 5
"""The most transfers, unless a number is given."""
PRICES: dict[Preference, Price] = {
    "fastest": "nothing",
    "fewest_transfers": "nothing",
    "least_walking": "walking",
    "cheapest": "fares",
}


class TransitService:
    """All that transit planning asks of a city, made once.

    Attributes:
        trips: both directions of each line.
        backwards: the same on a mirrored clock.
        fares: by line.
        footpaths: metres on foot from stop to stop.
    """

    def __init__(self, city: City) -> None:
        self.city = city
        self.roads = network(city)
        there = tuple(pattern for line in city.lines for pattern in patterns(line))
        self.trips, self.backwards = Trips(there), Trips(tuple(pattern.mirrored() for pattern in there))
        self.fares = {line.id: line.fare for line in city.lines}
        self.at: dict[int, list[int]] = {}
        for stop in city.stops:
            self.at.setdefault(stop.junction, []).append(stop.id)
        reach = {junction: self.around(junction, 0, TRANSFER_M) for junction in sorted(self.at)}
        self.footpaths: dict[int, dict[int, int]] = {
            stop.id: {other: m for other, m in reach[stop.junction].items() if other != stop.id}
            for stop in city.stops
        }

    def around(self, junction: int, gap_m: int, most_m: int) -> dict[int, int]:
        """Metres on foot to the stops that are no farther than that, with a gap to be walked first."""
        import networkx as nx

        graph = self.roads.paths["walk"]
        if junction not in graph or gap_m > most_m:
            return {}
        found: dict[int, int] = nx.single_source_dijkstra_path_length(
            graph, junction, cutoff=most_m - gap_m, weight=_metres
        )
        return {stop: gap_m + m for node, m in found.items() for stop in self.at.get(node, ())}


def _metres(_tail: int, _head: int, edge: dict[str, Any]) -> int:
    least: int = min(way[1] for way in edge["ways"])
    return least


@lru_cache(maxsize=4)
def service(city: City) -> TransitService:
    """The city's transit, made at the first call and kept for the last four cities."""
    return TransitService(city)


def line_ids(city: City, names: Sequence[str]) -> frozenset[int] | NoRoute:
    """The lines of these names or aliases, in any case, or the first name that no line bears."""
    found: set[int] = set()
    for name in names:
        wanted = name.strip().casefold()
        bearing = {x.id for x in city.lines if wanted in {n.casefold() for n in (x.name, *x.aliases)}}
        if not bearing:
            return NoRoute("unknown_name", f"no line of {city.name} is called {name!r}")
        found |= bearing
    return frozenset(found)


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
    """The best routes by transit: with one ride at least, exact, and as asked or not at all.

    "fastest" minimises time and then transfers, "fewest_transfers" transfers and then time, "least_walking"
    metres on foot, then time, then transfers, and "cheapest" fares, then time, then transfers. Time runs from
    `depart` to the arrival, or from the departure to `arrive_by`. Each ride is paid. A change takes a minute
    beside the walk. A traveller who comes after the last vehicle waits for the morning.

    Args:
        city: where.
        origin: a place.
        destination: a place.
        depart: minutes after midnight.
        arrive_by: minutes after midnight.
        prefer: the quantity that is minimised first.
        use_line: a line's name or alias; it must be ridden.
        avoid_lines: names or aliases.
        max_transfers: the most transfers; five if no number is given.
        modes: the vehicles that may be ridden, all if None.
        alternatives: the most routes. Each one after the first avoids also the line on which the route before it
            goes farthest, or the next one if there is no way without that.

    Raises:
        ValueError: unless exactly one time is given, or if a number is negative or no route is asked for.
    """
    if (depart is None) == (arrive_by is None):
        raise ValueError("depart or arrive_by, and one of them")
    if max_transfers is not None and max_transfers < 0:
        raise ValueError("a number of transfers is not negative")
    wanted = line_ids(city, [] if use_line is None else [use_line])
    avoided = line_ids(city, avoid_lines)
    if isinstance(wanted, NoRoute):
        return wanted
    if isinstance(avoided, NoRoute):
        return avoided
    known = service(city)
    met = snap(known.roads, "walk", origin, (), destination)
    if isinstance(met, NoRoute):
        return met
    time = depart if depart is not None else arrive_by
    assert time is not None
    most = MOST_TRANSFERS if max_transfers is None else max_transfers
    other = frozenset(line.id for line in city.lines if modes is not None and line.mode not in modes)
    journey = _Journey(known, met, time * 60_000, arrive_by is not None, prefer, wanted)
    said = () if modes is None else (f"all but {', '.join(sorted(modes))}",)

    def best(more: frozenset[int]) -> Route | None:
        shut = avoided | more
        bans = (*said, *(f"line {city.lines[line].name}" for line in sorted(shut)))
        return journey.route(shut | other, most, bans)

    first = best(frozenset())
    if first is not None:
        ids = {line.name: line.id for line in city.lines}
        return tuple(with_alternatives(first, alternatives, lambda step: step.line, ids, best))
    if max_transfers is not None and journey.route(avoided | other, MOST_TRANSFERS, ()) is not None:
        return NoRoute("too_many_transfers", f"every route has more than {max_transfers} transfers")
    if (avoided or other) and journey.route(frozenset(), MOST_TRANSFERS, ()) is not None:
        return NoRoute("banned", "every route breaks a ban")
    return NoRoute("no_service", "no lines lead there from stops within reach")


@dataclass(frozen=True, slots=True)
class _Journey:
    known: TransitService
    met: Ends
    time_ms: int
    back: bool
    prefer: Preference
    wanted: frozenset[int]

    def route(self, shut: frozenset[int], most: int, bans: tuple[str, ...]) -> Route | None:
        near, far = self.met.junctions
        access = self.known.around(near, self.met.before_m, ACCESS_M)
        egress = self.known.around(far, self.met.after_m, ACCESS_M)
        if self.back:
            access, egress = egress, access
        question = Question(
            access,
            egress,
            -self.time_ms if self.back else self.time_ms,
            PRICES[self.prefer],
            self.wanted,
            most + 1,
            shut,
        )
        trips = self.known.backwards if self.back else self.known.trips
        found = ends(question, trips, self.known.fares, self.known.footpaths)
        ranked = [(self._rank(label, n), n, label) for n, label in enumerate(found) if label is not None]
        if not ranked:
            return None
        value, transfers, label = min(ranked, key=lambda entry: entry[:2])
        evidence = RouteEvidence(
            self._minimised(),
            value,
            bans,
            (
                *(f"ride {self.known.city.lines[line].name}" for line in sorted(self.wanted)),
                f"at most {most} transfers",
            ),
            "rounds of rides over trips" + (", backwards from the arrival" if self.back else ""),
        )
        return self._written(label, transfers, evidence)

    def _rank(self, label: StopLabel, transfers: int) -> tuple[int, ...]:
        took = label.time_ms - (-self.time_ms if self.back else self.time_ms)
        match self.prefer:
            case "fastest":
                return took, transfers
            case "fewest_transfers":
                return transfers, took
            case "least_walking" | "cheapest":
                return label.cost, took, transfers

    def _minimised(self) -> tuple[str, ...]:
        time = "ms from departure to the latest arrival" if self.back else "ms from departure"
        match self.prefer:
            case "fastest":
                return time, "transfers"
            case "fewest_transfers":
                return "transfers", time
            case "least_walking":
                return "metres on foot", time, "transfers"
            case "cheapest":
                return "fare", time, "transfers"

    def _written(self, label: StopLabel, transfers: int, evidence: RouteEvidence) -> Route:
        city, trips = self.known.city, self.known.trips.patterns
        walks, rides = _unfolded(label, trips, back=self.back)
        depart_s = -label.time_ms // 1000 if self.back else self.time_ms // 1000
        now = depart_s * 1000
        writing = Writing(self.known.roads)
        here, fare, ridden_m = self.met.origin, 0, 0
        for walk, ride in zip(walks, rides, strict=False):
            pattern = trips[ride.pattern]
            stops = [city.stops[stop] for stop in pattern.stops[ride.begin : ride.finish + 1]]
            writing.afoot(here, stops[0].point, walk, walk * WALK_MS_M)
            now += walk * WALK_MS_M
            board = ride.departure_ms + pattern.offsets_ms[ride.begin]
            leave = ride.departure_ms + pattern.offsets_ms[ride.finish]
            line, length = (
                city.lines[pattern.line],
                pattern.along_m[ride.finish] - pattern.along_m[ride.begin],
            )
            paid = price(line.fare, length)
            names = stops[0].name, stops[-1].name
            points = tuple(stop.point for stop in stops)
            writing.ride(line.mode, line.name, names, points, length, paid, board - now, leave - board)
            here, now, fare, ridden_m = points[-1], leave, fare + paid, ridden_m + length
        writing.afoot(here, self.met.destination, walks[-1], walks[-1] * WALK_MS_M)
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


def _unfolded(label: StopLabel, trips: tuple[Pattern, ...], *, back: bool) -> tuple[list[int], list[Ride]]:
    """Walks and rides in the order of the journey; there is one walk more than rides."""
    walks, rides = [label.walked_m], []
    at: StopLabel = label
    while at.ride is not None:
        assert at.before is not None
        rides.append(_turned(at.ride, trips) if back else at.ride)
        at = at.before
        walks.append(at.walked_m)
    return (walks, rides) if back else (walks[::-1], rides[::-1])


def _turned(ride: Ride, trips: Sequence[Pattern]) -> Ride:
    """A ride of the mirrored clock in real time."""
    pattern = trips[ride.pattern]
    last = len(pattern.stops) - 1
    departure = -pattern.offsets_ms[-1] - ride.departure_ms
    return Ride(ride.pattern, last - ride.finish, last - ride.begin, departure)
