"""Routes by car."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planspec.families.mobilitybench.map.arcsearch import Aim, at_free_speed, by_the_clock
from planspec.families.mobilitybench.map.geometry import metres
from planspec.families.mobilitybench.map.network import WALK_MS_M, StreetNetwork, network
from planspec.families.mobilitybench.map.records import City, Mode, Point
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence, RouteStep
from planspec.families.mobilitybench.map.steps import Move, Writing

OFF_M = 3_000
"""A place farther than that from any street is off the map."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The junctions at which a journey meets the streets.

    Attributes:
        origin: as asked.
        destination: as asked.
        junctions: nearest to the origin, to each via, and to the destination.
        before_m: on foot from the origin, as the crow flies.
        after_m: on foot to the destination.
    """

    origin: Point
    destination: Point
    junctions: tuple[int, ...]
    before_m: int
    after_m: int


def snap(
    roads: StreetNetwork, mode: Mode, origin: Point, via: Sequence[Point], destination: Point
) -> Ends | NoRoute:
    """The junctions that stand for places, or the finding that one lies off the map."""
    junctions, away = [], []
    for place in (origin, *via, destination):
        junction = roads.nearest(mode, place)
        gap = None if junction is None else metres(place, roads.city.junctions[junction].point)
        if junction is None or gap is None or gap > OFF_M:
            return NoRoute("off_the_map", f"{place} is more than {OFF_M} m from any street")
        junctions.append(junction)
        away.append(gap)
    return Ends(origin, destination, tuple(junctions), away[0], away[-1])


def road_ids(city: City, names: Sequence[str]) -> frozenset[int] | NoRoute:
    """The roads of these names, in either language and any case, or the first name that no road bears."""
    found: set[int] = set()
    for name in names:
        wanted = name.strip().casefold()
        bearing = {r.id for r in city.roads if wanted in {r.name.casefold(), r.english.casefold()}}
        if not bearing:
            return NoRoute("unknown_name", f"no road of {city.name} is called {name!r}")
        found |= bearing
    return frozenset(found)


def drive(
    city: City,
    origin: Point,
    destination: Point,
    *,
    via: Sequence[Point] = (),
    depart: int | None = None,
    arrive_by: int | None = None,
    avoid_tolls: bool = False,
    avoid_motorways: bool = False,
    prefer_motorways: bool = False,
    avoid_roads: Sequence[str] = (),
    fewest_lights: bool = False,
    shortest: bool = False,
    alternatives: int = 1,
) -> Answer:
    """The best routes by car: bans hold without exception, and the optimum is exact.

    Minimised are, in this order: traffic lights if `fewest_lights`; metres with those off motorways counted three times
    if `prefer_motorways`; metres if `shortest`; and then time. With `depart`, the earliest arrival counts in that day's
    traffic, with `arrive_by` the latest departure, and without either the time at free speed. The car starts anew at
    each via. Places are joined to the nearest junctions on foot, as the crow flies; vias stand for theirs.

    Args:
        city: where.
        origin: a place.
        destination: a place.
        via: places to be passed in this order.
        depart: minutes after midnight.
        arrive_by: minutes after midnight.
        avoid_tolls: no piece that bears a toll.
        avoid_motorways: no motorway and no ramp of one.
        prefer_motorways: rather a longer way on motorways.
        avoid_roads: names in either language.
        fewest_lights: before all else.
        shortest: before time.
        alternatives: the most routes. Each one after the first avoids also the road on which the route before
            it goes farthest, or the next one if there is no way without that.

    Raises:
        ValueError: if both times are given, motorways are both avoided and preferred, or no route is asked for.
    """
    if depart is not None and arrive_by is not None:
        raise ValueError("depart or arrive_by, not both")
    if avoid_motorways and prefer_motorways:
        raise ValueError("motorways are avoided or preferred, not both")
    roads = network(city)
    named = road_ids(city, avoid_roads)
    if isinstance(named, NoRoute):
        return named
    ends = snap(roads, "drive", origin, via, destination)
    if isinstance(ends, NoRoute):
        return ends
    aim = Aim(fewest_lights, prefer_motorways, shortest)
    time = depart if depart is not None else arrive_by
    journey = _Journey(roads, ends, aim, None if time is None else time * 60_000, arrive_by is not None)
    general = frozenset(
        piece.id
        for piece, kind in zip(city.pieces, roads.kind, strict=True)
        if (avoid_tolls and piece.toll) or (avoid_motorways and kind == "motorway")
    )
    said = ["tolls"] * avoid_tolls + ["motorways"] * avoid_motorways

    def best(more: frozenset[int]) -> Route | None:
        shut = named | more
        banned = general | {piece.id for piece in city.pieces if piece.road in shut} if shut else general
        names = [*said, *(f"road {city.roads[road].name}" for road in sorted(shut))]
        return journey.route(banned, tuple(names))

    first = best(frozenset())
    if first is None:
        free = bool(named or said) and journey.legs(frozenset()) is not None
        return no_way(free=free)
    return tuple(with_alternatives(first, alternatives, lambda step: step.road, _road_by_name(city), best))


def no_way(*, free: bool) -> NoRoute:
    """Nothing was found: because of the bans, or anyway."""
    if free:
        return NoRoute("banned", "every route breaks a ban")
    return NoRoute("disconnected", "no streets lead there")


def _road_by_name(city: City) -> dict[str, int]:
    return {road.name: road.id for road in city.roads}


def with_alternatives(
    first: Route,
    count: int,
    name: Callable[[RouteStep], str | None],
    ids: dict[str, int],
    best: Callable[[frozenset[int]], Route | None],
) -> list[Route]:
    """The first route and the best ones that avoid, one after the other, what the last one uses most.

    Args:
        first: the best of all.
        count: of routes wanted.
        name: of what a step uses.
        ids: of the names.
        best: the best route without these ids.

    Raises:
        ValueError: if no route is wanted.
    """
    if count < 1:
        raise ValueError("at least one route")
    found, shut = [first], frozenset[int]()
    while len(found) < count:
        used: dict[int, int] = {}
        for step in found[-1].steps:
            called = name(step)
            if called is not None:
                used[ids[called]] = used.get(ids[called], 0) + step.length_m
        for key in sorted(used, key=lambda key: (-used[key], key)):
            other = best(shut | {key})
            if other is not None:
                shut |= {key}
                found.append(other)
                break
        else:
            break
    return found


@dataclass(frozen=True, slots=True)
class _Journey:
    roads: StreetNetwork
    ends: Ends
    aim: Aim
    time_ms: int | None
    back: bool

    def legs(self, banned: frozenset[int]) -> tuple[list[list[int]], int | None] | None:
        """The arcs from each place to the next, and when one leaves, in milliseconds, on foot before all."""
        before, after = self.ends.before_m * WALK_MS_M, self.ends.after_m * WALK_MS_M
        pairs = list(zip(self.ends.junctions, self.ends.junctions[1:], strict=False))
        legs: list[list[int]] = []
        if self.time_ms is None:
            for a, b in pairs:
                leg = [] if a == b else at_free_speed(self.roads, self.aim, banned, a, b)
                if leg is None:
                    return None
                legs.append(leg)
            return legs, None
        now = self.time_ms - after if self.back else self.time_ms + before
        for a, b in reversed(pairs) if self.back else pairs:
            if a == b:
                legs.append([])
                continue
            found = by_the_clock(self.roads, self.aim, banned, a, b, now, back=self.back)
            if found is None:
                return None
            legs.append(found[0])
            now = found[1]
        if self.back:
            return legs[::-1], now - before
        return legs, self.time_ms

    def route(self, banned: frozenset[int], bans: tuple[str, ...]) -> Route | None:
        found = self.legs(banned)
        if found is None:
            return None
        legs, leave_ms = found
        start_s = None if leave_ms is None else leave_ms // 1000
        before_ms, after_ms = self.ends.before_m * WALK_MS_M, self.ends.after_m * WALK_MS_M
        now = before_ms + (0 if start_s is None else start_s * 1000)
        moved: list[list[Move]] = []
        for leg in legs:
            moved.append([])
            for i, arc in enumerate(leg):
                entered = now
                turn = self.roads.turns.edges[leg[i - 1], arc] if i else {"turn": 0, "light": 0}
                now = self._leave(arc, now + turn["turn"], timed=start_s is not None)
                moved[-1].append(Move(arc, now - entered, turn["light"]))
        end_ms = now + after_ms
        points = self.roads.city.junctions
        writing = Writing(self.roads)
        writing.afoot(self.ends.origin, points[self.ends.junctions[0]].point, self.ends.before_m, before_ms)
        for moves in moved:
            writing.along("drive", moves)
        writing.afoot(
            points[self.ends.junctions[-1]].point, self.ends.destination, self.ends.after_m, after_ms
        )
        route = summed("drive", writing.steps, start_s, _no_evidence())
        begun_ms = 0 if start_s is None else start_s * 1000
        return replace(route, evidence=self._evidence(moved, end_ms - begun_ms, leave_ms, bans))

    def _leave(self, arc: int, enter_ms: int, *, timed: bool) -> int:
        free = self.roads.free[arc // 2]
        if not timed:
            return enter_ms + free
        road = self.roads.city.pieces[arc // 2].road
        return self.roads.clock.leave(enter_ms, free, self.roads.percents[road])

    def _evidence(
        self, moved: list[list[Move]], total_ms: int, leave_ms: int | None, bans: tuple[str, ...]
    ) -> RouteEvidence:
        moves = [move for moves in moved for move in moves]
        pieces, kinds = self.roads.city.pieces, self.roads.kind
        length = sum(pieces[move.arc // 2].length_m for move in moves)
        fast = sum(pieces[m.arc // 2].length_m for m in moves if kinds[m.arc // 2] == "motorway")
        static = self.aim.values(sum(move.light for move in moves), fast, length)
        if self.time_ms is None:
            timed, value, method = "ms at free speed", total_ms, "networkx, bidirectional Dijkstra on turns"
        elif self.back:
            assert leave_ms is not None
            timed, value = "ms from departure to the latest arrival", self.time_ms - leave_ms
            method = "label setting on turns, backwards by the clock"
        else:
            timed, value, method = "ms from departure", total_ms, "label setting on turns, by the clock"
        passed = len(self.ends.junctions) - 2
        demands = (f"{passed} vias in order",) if passed else ()
        return RouteEvidence((*self.aim.criteria(), timed), (*static, value), bans, demands, method)


def _no_evidence() -> RouteEvidence:
    return RouteEvidence((), (), (), (), "")


def summed(mode: Mode, steps: Sequence[RouteStep], depart_s: int | None, evidence: RouteEvidence) -> Route:
    """A route on streets, whose sums are those of its steps."""
    duration = sum(step.duration_s for step in steps)
    return Route(
        mode=mode,
        distance_m=sum(step.length_m for step in steps),
        duration_s=duration,
        toll=sum(step.toll for step in steps),
        lights=sum(step.lights for step in steps),
        transfers=0,
        walking_m=sum(step.length_m for step in steps if step.mode == "walk"),
        fare=0,
        depart_s=depart_s,
        arrive_s=None if depart_s is None else depart_s + duration,
        steps=tuple(steps),
        evidence=evidence,
    )
