"""Graphs of a city for route search, built once and cached. All are networkx graphs.

Cars move on a graph of turns (the expanded graph). Its nodes are arcs, which are directed pieces of roads. Its edges
are turns from one arc into the next, so turns and traffic lights can have costs. Each junction also has an entry node,
where journeys begin, and an exit node, where they end. Pedestrians and cyclists move on graphs of junctions.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING

from planspec.families.mobilitybench.map.clock import TrafficPeriods
from planspec.families.mobilitybench.map.geometry import Plane, PointIndex, bearing
from planspec.families.mobilitybench.map.records import City, Mode, Piece, Point, RoadClass

if TYPE_CHECKING:
    import networkx as nx

SPEED_M_H: dict[RoadClass, int] = {
    "motorway": 100_000,
    "trunk": 65_000,
    "primary": 50_000,
    "secondary": 42_000,
    "residential": 28_000,
    "path": 15_000,
}
"""Free speed of cars by road class, in metres per hour."""
CYCLING_M_H: dict[RoadClass, int] = {
    "motorway": 15_000,
    "trunk": 14_000,
    "primary": 15_000,
    "secondary": 16_000,
    "residential": 16_000,
    "path": 12_000,
}
WALKING_M_H = 4_500
WALK_MS_M = 3_600_000 // WALKING_M_H
"""Milliseconds per metre on foot."""
LIGHT_MS = 18_000
"""Mean wait at a traffic light, in milliseconds."""
TURNS_MS = {"straight": 0, "near": 3_000, "far": 9_000, "back": 45_000}
"""Time of a turn in milliseconds, by kind: straight on, near side, far side across oncoming traffic, and U-turn."""


def free_ms(kind: RoadClass, length_m: int) -> int:
    """Return the travel time of a car at free speed in milliseconds, rounded up."""
    return -(-length_m * 3_600_000 // SPEED_M_H[kind])


def cycle_ms(kind: RoadClass, length_m: int) -> int:
    """Return the travel time of a bicycle in milliseconds, rounded up."""
    return -(-length_m * 3_600_000 // CYCLING_M_H[kind])


class StreetNetwork:
    """Streets of a city, prepared for route planning.

    Arc `2 * p` runs along piece `p` from tail to head, and arc `2 * p + 1` runs back.

    Attributes:
        turns: the graph of turns. The attribute `turn` of an edge is the duration of the turn in milliseconds, with the
            wait at a light. The attribute `light` is the number of lights, 0 or 1.
        paths: graphs of junctions for the modes "walk" and "cycle". An edge has the attribute `ways`, a list with
            (milliseconds, metres, id) of each piece between the two junctions.
        clock: traffic periods of the day.
        percents: percentages of free speed by road and period.
        backwards: traffic periods on a mirrored clock, on which time `t` becomes `-t`.
    """

    def __init__(self, city: City) -> None:
        self.city = city
        self.plane = Plane(city.centre)
        self.flat = [self.plane.flat(junction.point) for junction in city.junctions]
        self.clock = TrafficPeriods(tuple(period.start_min * 60_000 for period in city.periods) or (0,))
        self.percents = [[100] * len(self.clock.starts_ms) for _ in city.roads]
        for traffic in city.traffic:
            self.percents[traffic.road][traffic.period] = traffic.percent
        self.backwards = self.clock.mirrored()
        self.reversed_percents = [list(reversed(row)) for row in self.percents]
        kinds = [road.kind for road in city.roads]
        self.kind = [kinds[piece.road] for piece in city.pieces]
        self.free = [free_ms(k, p.length_m) for k, p in zip(self.kind, city.pieces, strict=True)]
        self.arcs = [arc for piece in city.pieces for arc in _piece_arcs(piece, "drive")]
        self.turns = self._build_turns()
        self.paths = {mode: self._build_paths(mode) for mode in ("walk", "cycle")}
        self._near: dict[Mode, PointIndex] = {mode: self._junction_index(mode) for mode in ("drive", "walk", "cycle")}
        self.slack = self._length_slack()

    def start(self, arc: int) -> int:
        """Return the junction at which an arc begins."""
        piece = self.city.pieces[arc // 2]
        return piece.head if arc % 2 else piece.tail

    def end(self, arc: int) -> int:
        """Return the junction at which an arc ends."""
        piece = self.city.pieces[arc // 2]
        return piece.tail if arc % 2 else piece.head

    def entry_node(self, junction: int) -> int:
        """Return the entry node of a junction in the graph of turns, at which journeys begin."""
        return 2 * len(self.city.pieces) + junction

    def exit_node(self, junction: int) -> int:
        """Return the exit node of a junction in the graph of turns, at which journeys end."""
        return 2 * len(self.city.pieces) + len(self.city.junctions) + junction

    def nearest(self, mode: Mode, point: Point) -> int | None:
        """Return the junction nearest to a point, on streets open to the mode; None if there are no such streets."""
        return self._near[mode].nearest_key(point)

    def _junction_index(self, mode: Mode) -> PointIndex:
        usable = set()
        for piece, kind in zip(self.city.pieces, self.kind, strict=True):
            if mode in piece.modes and kind != "motorway":
                usable |= {piece.tail, piece.head}
        return PointIndex(((j, self.city.junctions[j].point) for j in sorted(usable)), self.city.centre)

    def _build_turns(self) -> nx.DiGraph[int]:
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        leaving: dict[int, list[int]] = {}
        heading = {}
        for arc in self.arcs:
            leaving.setdefault(self.start(arc), []).append(arc)
            heading[arc] = bearing(self.flat[self.start(arc)], self.flat[self.end(arc)])
        for junction, arcs in leaving.items():
            graph.add_edges_from((self.entry_node(junction), arc, {"turn": 0, "light": 0}) for arc in arcs)
        for arc in self.arcs:
            junction = self.end(arc)
            light = int(self.city.junctions[junction].light)
            graph.add_edge(arc, self.exit_node(junction), turn=0, light=0)
            for onward in leaving.get(junction, ()):
                swing = "back" if onward == arc ^ 1 else self._turn_kind(heading[onward] - heading[arc])
                graph.add_edge(arc, onward, turn=TURNS_MS[swing] + light * LIGHT_MS, light=light)
        return graph

    def _turn_kind(self, degrees: int) -> str:
        degrees = (degrees + 180) % 360 - 180
        if abs(degrees) < 40:
            return "straight"
        return "near" if (degrees < 0) == self.city.drives_left else "far"

    def _build_paths(self, mode: Mode) -> nx.DiGraph[int]:
        import networkx as nx

        graph: nx.DiGraph[int] = nx.DiGraph()
        for piece, kind in zip(self.city.pieces, self.kind, strict=True):
            if mode not in piece.modes:
                continue
            time = WALK_MS_M * piece.length_m if mode == "walk" else cycle_ms(kind, piece.length_m)
            for arc in _piece_arcs(piece, mode):
                ends = self.start(arc), self.end(arc)
                graph.add_edge(*ends)
                graph.edges[ends].setdefault("ways", []).append((time, piece.length_m, piece.id))
        return graph

    def _length_slack(self) -> int:
        """Return a number n, at most 1024, that turns straight-line distances into lower bounds of street lengths.

        Each piece is at least n/1024 times as long as the distance between its ends. n is the largest such integer.
        """
        least = 1024
        for piece in self.city.pieces:
            (x, y), (u, v) = self.flat[piece.tail], self.flat[piece.head]
            square = (x - u) ** 2 + (y - v) ** 2
            if square:
                least = min(least, 1_024_000 * piece.length_m // (isqrt(square - 1) + 1))
        return least


def _piece_arcs(piece: Piece, mode: Mode) -> tuple[int, ...]:
    if mode not in piece.modes:
        return ()
    if piece.one_way and mode != "walk":
        return (2 * piece.id,)
    return 2 * piece.id, 2 * piece.id + 1


@lru_cache(maxsize=4)
def network(city: City) -> StreetNetwork:
    """Return the city's street network. The networks of the last four cities are cached."""
    return StreetNetwork(city)
