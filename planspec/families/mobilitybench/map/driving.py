"""Routes by car."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from planspec.families.mobilitybench.map.arcsearch import Aim, find_free_path, find_timed_path
from planspec.families.mobilitybench.map.geometry import metres
from planspec.families.mobilitybench.map.network import WALK_MS_M, StreetNetwork, network
from planspec.families.mobilitybench.map.records import City, Mode, Point
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence, RouteStep
from planspec.families.mobilitybench.map.steps import Move, StepWriter

MAX_ACCESS_M = 3_000
"""Maximum distance in metres from a place to the nearest junction. Places farther away are off the map."""


@dataclass(frozen=True, slots=True)
class StreetAccess:
    """Requested places of a journey with their nearest junctions, and the walks between place and junction.

    Attributes:
        origin: requested start.
        destination: requested end.
        junctions: nearest junction of the origin, of each via, and of the destination, in this order.
        before_m: metres on foot from the origin to its junction, in a straight line.
        after_m: metres on foot from the last junction to the destination, in a straight line.
    """

    origin: Point
    destination: Point
    junctions: tuple[int, ...]
    before_m: int
    after_m: int


def snap(
    roads: StreetNetwork, mode: Mode, origin: Point, via: Sequence[Point], destination: Point
) -> StreetAccess | NoRoute:
    """Find the junctions nearest to the places of a journey. Return a `NoRoute` if a place is off the map."""
    junctions, gaps = [], []
    for place in (origin, *via, destination):
        junction = roads.nearest(mode, place)
        gap = None if junction is None else metres(place, roads.city.junctions[junction].point)
        if junction is None or gap is None or gap > MAX_ACCESS_M:
            return NoRoute("off_the_map", f"{place} is more than {MAX_ACCESS_M} m from any street")
        junctions.append(junction)
        gaps.append(gap)
    return StreetAccess(origin, destination, tuple(junctions), gaps[0], gaps[-1])


def road_ids(city: City, names: Sequence[str]) -> frozenset[int] | NoRoute:
    """Return the ids of the roads with these names, or a `NoRoute` for the first unknown name.

    Names may be in the city's language or in English; case is ignored.
    """
    ids: set[int] = set()
    for name in names:
        folded_name = name.strip().casefold()
        matches = {r.id for r in city.roads if folded_name in {r.name.casefold(), r.english.casefold()}}
        if not matches:
            return NoRoute("unknown_name", f"no road of {city.name} is called {name!r}")
        ids |= matches
    return frozenset(ids)


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
    """Return the best routes by car. The search is exact, and routes obey all bans.

    Routes are compared by these criteria, in this order:

    1. the number of traffic lights, if `fewest_lights`;
    2. metres, with each metre off motorways counted three times, if `prefer_motorways`;
    3. metres, if `shortest`;
    4. time.

    With `depart`, the route arrives as early as possible in the traffic of the day; with `arrive_by`, it departs as
    late as possible. Without either, times are at free speed. The car may turn round at a via without loss of time. A
    straight walk connects the origin and the destination to their nearest junctions. A via is replaced by its nearest
    junction.

    Args:
        city: the city.
        origin: the start.
        destination: the end.
        via: places to visit on the way, in order.
        depart: departure in minutes after midnight.
        arrive_by: latest arrival in minutes after midnight.
        avoid_tolls: whether to exclude pieces of road with a toll.
        avoid_motorways: whether to exclude motorways and their ramps.
        prefer_motorways: whether to prefer motorways even if the route is longer.
        avoid_roads: names of roads to avoid, in the city's language or in English.
        fewest_lights: whether to minimise traffic lights first.
        shortest: whether to minimise metres before time.
        alternatives: maximum number of routes. Each further route also avoids the longest road of the previous
            route. If no route exists without this road, it avoids the next-longest instead, and so on.

    Returns:
        The routes, best first, or the reason why there is none.

    Raises:
        ValueError: both times are given, motorways are both avoided and preferred, or `alternatives` is below 1.
    """
    if depart is not None and arrive_by is not None:
        raise ValueError("depart or arrive_by, not both")
    if avoid_motorways and prefer_motorways:
        raise ValueError("motorways are avoided or preferred, not both")
    roads = network(city)
    avoided = road_ids(city, avoid_roads)
    if isinstance(avoided, NoRoute):
        return avoided
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
    ban_names = ["tolls"] * avoid_tolls + ["motorways"] * avoid_motorways

    def best_route(banned_roads: frozenset[int]) -> Route | None:
        closed = avoided | banned_roads
        banned = general | {piece.id for piece in city.pieces if piece.road in closed} if closed else general
        names = [*ban_names, *(f"road {city.roads[road].name}" for road in sorted(closed))]
        return journey.route(banned, tuple(names))

    first = best_route(frozenset())
    if first is None:
        free = bool(avoided or ban_names) and journey.legs(frozenset()) is not None
        return explain_no_route(exists_without_bans=free)
    return tuple(add_alternatives(first, alternatives, lambda step: step.road, _road_ids_by_name(city), best_route))


def explain_no_route(*, exists_without_bans: bool) -> NoRoute:
    """Return a `NoRoute` with the reason `banned` or `disconnected`.

    Args:
        exists_without_bans: whether there would be a route if nothing were banned.
    """
    if exists_without_bans:
        return NoRoute("banned", "every route breaks a ban")
    return NoRoute("disconnected", "no streets lead there")


def _road_ids_by_name(city: City) -> dict[str, int]:
    return {road.name: road.id for road in city.roads}


def add_alternatives(
    first: Route,
    count: int,
    name: Callable[[RouteStep], str | None],
    ids: dict[str, int],
    best: Callable[[frozenset[int]], Route | None],
) -> list[Route]:
    """Return the best route and alternatives to it.

    Each alternative avoids the road or line on which the previous route covers most metres. It also avoids the roads
    and lines that earlier alternatives avoid.

    Args:
        first: the best route.
        count: maximum number of routes.
        name: function that returns the name of the road or line of a step; None if it has none.
        ids: ids of roads or lines by name.
        best: function that returns the best route without the roads or lines with these ids; None if there is none.

    Raises:
        ValueError: `count` is below 1.
    """
    if count < 1:
        raise ValueError("at least one route")
    routes, closed = [first], frozenset[int]()
    while len(routes) < count:
        used: dict[int, int] = {}
        for step in routes[-1].steps:
            used_name = name(step)
            if used_name is not None:
                used[ids[used_name]] = used.get(ids[used_name], 0) + step.length_m
        for key in sorted(used, key=lambda key: (-used[key], key)):
            alternative = best(closed | {key})
            if alternative is not None:
                closed |= {key}
                routes.append(alternative)
                break
        else:
            break
    return routes


@dataclass(frozen=True, slots=True)
class _Journey:
    roads: StreetNetwork
    ends: StreetAccess
    aim: Aim
    time_ms: int | None
    is_backward: bool

    def legs(self, banned: frozenset[int]) -> tuple[list[list[int]], int | None] | None:
        """Return the arcs of each leg and the time of departure; None if there is no route.

        The departure is in milliseconds and includes the walk to the first junction. It is None if no time is
        requested.
        """
        before, after = self.ends.before_m * WALK_MS_M, self.ends.after_m * WALK_MS_M
        pairs = list(zip(self.ends.junctions, self.ends.junctions[1:], strict=False))
        legs: list[list[int]] = []
        if self.time_ms is None:
            for a, b in pairs:
                leg = [] if a == b else find_free_path(self.roads, self.aim, banned, a, b)
                if leg is None:
                    return None
                legs.append(leg)
            return legs, None
        now = self.time_ms - after if self.is_backward else self.time_ms + before
        for a, b in reversed(pairs) if self.is_backward else pairs:
            if a == b:
                legs.append([])
                continue
            leg_and_time = find_timed_path(self.roads, self.aim, banned, a, b, now, is_backward=self.is_backward)
            if leg_and_time is None:
                return None
            legs.append(leg_and_time[0])
            now = leg_and_time[1]
        if self.is_backward:
            return legs[::-1], now - before
        return legs, self.time_ms

    def route(self, banned: frozenset[int], bans: tuple[str, ...]) -> Route | None:
        result = self.legs(banned)
        if result is None:
            return None
        legs, leave_ms = result
        start_s = None if leave_ms is None else leave_ms // 1000
        before_ms, after_ms = self.ends.before_m * WALK_MS_M, self.ends.after_m * WALK_MS_M
        now = before_ms + (0 if start_s is None else start_s * 1000)
        leg_moves: list[list[Move]] = []
        for leg in legs:
            leg_moves.append([])
            for i, arc in enumerate(leg):
                entered = now
                turn = self.roads.turns.edges[leg[i - 1], arc] if i else {"turn": 0, "light": 0}
                now = self._exit_ms(arc, now + turn["turn"], timed=start_s is not None)
                leg_moves[-1].append(Move(arc, now - entered, turn["light"]))
        end_ms = now + after_ms
        points = self.roads.city.junctions
        writing = StepWriter(self.roads)
        writing.add_walk(self.ends.origin, points[self.ends.junctions[0]].point, self.ends.before_m, before_ms)
        for moves in leg_moves:
            writing.add_road_steps("drive", moves)
        writing.add_walk(points[self.ends.junctions[-1]].point, self.ends.destination, self.ends.after_m, after_ms)
        route = route_of_steps("drive", writing.steps, start_s, _empty_evidence())
        begun_ms = 0 if start_s is None else start_s * 1000
        return replace(route, evidence=self._evidence(leg_moves, end_ms - begun_ms, leave_ms, bans))

    def _exit_ms(self, arc: int, enter_ms: int, *, timed: bool) -> int:
        free = self.roads.free[arc // 2]
        if not timed:
            return enter_ms + free
        road = self.roads.city.pieces[arc // 2].road
        return self.roads.clock.exit_ms(enter_ms, free, self.roads.percents[road])

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
        elif self.is_backward:
            assert leave_ms is not None
            timed, value = "ms from departure to the latest arrival", self.time_ms - leave_ms
            method = "label setting on turns, backwards by the clock"
        else:
            timed, value, method = "ms from departure", total_ms, "label setting on turns, by the clock"
        passed = len(self.ends.junctions) - 2
        demands = (f"{passed} vias in order",) if passed else ()
        return RouteEvidence((*self.aim.criteria(), timed), (*static, value), bans, demands, method)


def _empty_evidence() -> RouteEvidence:
    return RouteEvidence((), (), (), (), "")


def route_of_steps(mode: Mode, steps: Sequence[RouteStep], depart_s: int | None, evidence: RouteEvidence) -> Route:
    """Return a route on streets. Its totals are the sums over its steps."""
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
