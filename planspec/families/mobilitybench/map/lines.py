"""Invented public transport: metros through the centre, buses and trams along major streets, and ferries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from planspec.families.mobilitybench.map.days import DayKind
from planspec.families.mobilitybench.map.geometry import PointIndex
from planspec.families.mobilitybench.map.naming import NameGenerator
from planspec.families.mobilitybench.map.records import Fare, Headway, LineMode, RoadClass, Stop, TransitLine
from planspec.families.mobilitybench.map.specs import CitySpec
from planspec.families.mobilitybench.map.streets import Streets

if TYPE_CHECKING:
    import networkx as nx

LINE_COST: dict[RoadClass, int] = {
    "motorway": 99,
    "trunk": 6,
    "primary": 6,
    "secondary": 8,
    "residential": 16,
    "path": 40,
}
"""Cost per metre, by road class, in the search for the path of a bus or tram line."""
SPEEDS_M_S: dict[LineMode, int] = {"bus": 5, "metro": 11, "tram": 6, "ferry": 5, "train": 30, "flight": 210}
DWELL_S: dict[LineMode, int] = {
    "bus": 20,
    "metro": 30,
    "tram": 25,
    "ferry": 120,
    "train": 150,
    "flight": 2_400,
}
"""Dwell time at each stop, in seconds. For a flight, it covers boarding and taxiing."""
METRO_HEADWAYS = (
    Headway(330, 420, 8),
    Headway(420, 570, 3),
    Headway(570, 990, 6),
    Headway(990, 1170, 3),
    Headway(1170, 1380, 9),
)
"""Departures of metros: intervals of the day with the minutes between departures. None between 23:00 and 5:30."""


PEAKS = frozenset({(420, 570), (990, 1170)})
"""Intervals of the day in which people commute, in minutes after midnight."""


def lines_on_day(lines: Sequence[TransitLine], kind: DayKind) -> tuple[TransitLine, ...]:
    """Return lines with their departures on a kind of day, given the lines with their departures on workdays.

    At weekends and on holidays, lines have no extra service in `PEAKS`. On holidays, the intervals between departures
    are also 50% longer, and service starts up to 30 minutes later.
    """
    if kind == "workday":
        return tuple(lines)
    running = []
    for line in lines:
        off_peak = [h.every_min for h in line.headways if (h.first_min, h.before_min) not in PEAKS] or [0]
        headways = [
            replace(h, every_min=max(h.every_min, min(off_peak)) * (3 if kind == "holiday" else 2) // 2)
            for h in line.headways
        ]
        if kind == "holiday" and headways:
            headways[0] = replace(headways[0], first_min=min(headways[0].first_min + 30, headways[0].before_min - 1))
        running.append(replace(line, headways=tuple(headways)))
    return tuple(running)


class LineBuilder:
    """Builder of transit lines over the streets of a city.

    Args:
        spec: specification of the city.
        rng: random generator.
        streets: streets on which the lines run.
        names: generator of names for stops and lines.
    """

    def __init__(self, spec: CitySpec, rng: Random, streets: Streets, names: NameGenerator) -> None:
        self._spec, self._rng, self._streets, self._names = spec, rng, streets, names
        self._flat = [streets.plane.flat(junction.point) for junction in streets.junctions]
        self._graph = self._walkable_streets()
        self._near = PointIndex(((j, streets.junctions[j].point) for j in sorted(self._graph)), streets.plane.centre)
        self._meeting: dict[int, list[int]] = {}
        for piece in streets.pieces:
            for end in (piece.tail, piece.head):
                if streets.roads[piece.road].kind != "motorway":
                    self._meeting.setdefault(end, []).append(piece.road)
        self._at: dict[tuple[int, bool], int] = {}
        self.stops: list[Stop] = []
        self.lines: list[TransitLine] = []

    def grow(self) -> None:
        """Add all lines. Metros come first, and later metros share stations with earlier ones."""
        size, radius = len(self._streets.junctions), self._streets.radius_m
        metros = min(9, 2 + size // 900)
        rotation = self._rng.uniform(0, math.pi)
        for k in range(metros):
            self._lay_metro(rotation + math.pi * k / metros, 0.0 if k < 2 else self._rng.uniform(-0.3, 0.3))
        if size >= 1500:
            self._lay_circle_line(0.42 * radius)
        for k in range(self._spec.trams if size >= 250 else min(1, self._spec.trams)):
            self._lay_street_line("tram", k + 1)
        for k in range(max(5, min(110, size // 55))):
            self._lay_street_line("bus", k + 1)
        for k in range(max(1, min(12, size // 700))):
            self._lay_street_line("bus", k + 1, night=True)
        if self._streets.river is not None and self._spec.river_m >= 150:
            self._lay_ferry()

    def _walkable_streets(self) -> nx.Graph[int]:
        """Return the largest connected component of the graph of streets open to pedestrians and cars."""
        import networkx as nx

        graph: nx.Graph[int] = nx.Graph()
        for piece in self._streets.pieces:
            kind = self._streets.roads[piece.road].kind
            if "walk" in piece.modes and "drive" in piece.modes:
                graph.add_edge(piece.tail, piece.head, seeming=piece.length_m * LINE_COST[kind], metres=piece.length_m)
        largest = max(nx.connected_components(graph), key=lambda part: (len(part), -min(part)))
        graph.remove_nodes_from([junction for junction in graph if junction not in largest])
        return graph

    def _nearest_junction(self, x: float, y: float) -> int:
        junction = self._near.nearest_key(self._streets.plane.point(x, y))
        assert junction is not None
        return junction

    def _distance_m(self, a: int, b: int) -> int:
        return round(math.dist(self._flat[a], self._flat[b]) / 1000)

    def _stop_at(self, junction: int, *, station: bool) -> int:
        key = junction, station
        if key not in self._at:
            self._at[key] = len(self.stops)
            local, english = self._station_name() if station else self._stop_name(junction)
            point = self._streets.junctions[junction].point
            self.stops.append(Stop(len(self.stops), local, english, point, junction))
        return self._at[key]

    def _station_name(self) -> tuple[str, str]:
        stem, plain = self._names.draw_stem()
        return self._names.make_unique(self._names.words["station"].format(at=stem)), f"{plain} Station"

    def _stop_name(self, junction: int) -> tuple[str, str]:
        roads = [self._streets.roads[road] for road in dict.fromkeys(self._meeting[junction])][:2]
        if len(roads) == 2:
            local = self._names.words["crossing"].format(one=roads[0].name, other=roads[1].name)
            return self._names.make_unique(local), f"{roads[0].english} & {roads[1].english}"
        local = self._names.words["stop"].format(at=roads[0].name)
        return self._names.make_unique(local), roads[0].english

    def _lay_metro(self, angle: float, aside: float) -> None:
        radius, rng = self._streets.radius_m, self._rng
        east, north = math.cos(angle), math.sin(angle)
        bend, phase = rng.uniform(0.04, 0.12) * radius, rng.uniform(0, 6.28)
        gap = min(1_000.0, radius / 3)
        count = round(1.7 * radius / gap)
        places = []
        for i in range(count + 1):
            along = -0.85 * radius + 1.7 * radius * i / count
            beside = aside * radius + bend * math.sin(along / radius * 3 + phase)
            places.append((along * east - beside * north, along * north + beside * east))
        self._lay_station_line(places, closed=False)

    def _lay_circle_line(self, radius: float) -> None:
        count = round(2 * math.pi * radius / 1_100)
        angles = [2 * math.pi * k / count for k in range(count)]
        self._lay_station_line([(radius * math.cos(a), radius * math.sin(a)) for a in angles], closed=True)

    def _lay_station_line(self, places: Sequence[tuple[float, float]], *, closed: bool) -> None:
        shared = [(stop.junction, stop.id) for stop in self.stops if (stop.junction, True) in self._at]
        stops: list[int] = []
        for x, y in places:
            junction = self._nearest_junction(x, y)
            close = min(((self._distance_m(junction, other), stop) for other, stop in shared), default=(999, 0))
            stop = close[1] if close[0] < 380 else self._stop_at(junction, station=True)
            if stop not in stops:
                stops.append(stop)
        if closed:
            stops.append(stops[0])
        number = sum(line.mode == "metro" for line in self.lines) + 1
        flat = self._spec.bus_fare
        fare = Fare(flat * 3 // 2, 6_000, max(1, flat // 2), 6_000)
        lengths = [
            round(self._distance_m(self.stops[a].junction, self.stops[b].junction) * 1.08) + 1
            for a, b in pairwise(stops)
        ]
        self._add_line("metro", "metro", number, stops, lengths, METRO_HEADWAYS, (), fare)

    def _add_line(
        self,
        mode: LineMode,
        words: str,
        number: int,
        stops: Sequence[int],
        lengths: Sequence[int],
        headways: tuple[Headway, ...],
        departures: tuple[int, ...],
        fare: Fare,
    ) -> None:
        if len(stops) < 2:
            return
        names = [pattern.format(n=number) for pattern in self._names.words["lines"][words]]
        running = tuple(length // SPEEDS_M_S[mode] + DWELL_S[mode] for length in lengths)
        self.lines.append(
            TransitLine(
                len(self.lines),
                names[0],
                tuple(names[1:]),
                mode,
                tuple(stops),
                running,
                tuple(lengths),
                headways,
                departures,
                fare,
            )
        )

    def _lay_street_line(self, mode: LineMode, number: int, *, night: bool = False) -> None:
        import networkx as nx

        rng, radius = self._rng, self._streets.radius_m
        angle = rng.uniform(0, 6.28)
        turn = math.pi + rng.uniform(-1.1, 1.1)
        ends = []
        for a in (angle, angle + turn):
            radius_share_m = radius * rng.uniform(0.35, 0.95)
            ends.append(self._nearest_junction(radius_share_m * math.cos(a), radius_share_m * math.sin(a)))
        path: list[int] = nx.bidirectional_dijkstra(self._graph, *ends, weight="seeming")[1]
        spacing = 600 if mode == "tram" else 450
        chosen, lengths, distance_m = [path[0]], [], 0
        for a, b in pairwise(path):
            distance_m += self._graph.edges[a, b]["metres"]
            if distance_m >= spacing or b == path[-1]:
                chosen.append(b)
                lengths.append(distance_m)
                distance_m = 0
        stops = [self._stop_at(junction, station=False) for junction in chosen]
        base = self._spec.bus_fare
        fare = Fare(base) if rng.random() < 0.8 else Fare(base, 5_000, max(1, base // 4), 3_000)
        if night:
            self._add_line(mode, "night", number, stops, lengths, (), tuple(range(15, 300, 45)), Fare(base * 2))
            return
        if rng.random() < 0.15 and mode == "bus":
            departures = tuple(range(rng.randrange(360, 420), 1_150, rng.choice((45, 60, 75))))
            self._add_line(mode, mode, number, stops, lengths, (), departures, fare)
            return
        dense = rng.choice((8, 10, 12, 15)) if mode == "bus" else 7
        last = rng.choice((1_290, 1_320, 1_350))
        headways = (
            Headway(360, 420, dense * 3 // 2),
            Headway(420, 570, dense * 3 // 4),
            Headway(570, 990, dense),
            Headway(990, 1170, dense * 3 // 4),
            Headway(1170, last, dense * 2),
        )
        self._add_line(mode, mode, number, stops, lengths, headways, (), fare)

    def _lay_ferry(self) -> None:
        river, radius = self._streets.river, self._streets.radius_m
        assert river is not None
        angle = math.radians(self._spec.river_angle)
        landings: list[int] = []
        for share in (-0.6, -0.2, 0.2, 0.6):
            x, y = share * radius * math.cos(angle), share * radius * math.sin(angle)
            for _ in range(8):
                off = river.across((x, y))
                x, y = x + off * math.sin(angle), y - off * math.cos(angle)
            junction = self._nearest_junction(x, y)
            if junction not in landings:
                landings.append(junction)
        stops = [self._stop_at(junction, station=False) for junction in landings]
        lengths = [self._distance_m(a, b) + 1 for a, b in pairwise(landings)]
        fare = Fare(self._spec.bus_fare * 2)
        self._add_line("ferry", "ferry", 1, stops, lengths, (), tuple(range(420, 1_200, 40)), fare)
