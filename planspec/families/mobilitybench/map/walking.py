"""Routes on foot and by bicycle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, Literal

from planspec.families.mobilitybench.map.driving import (
    StreetAccess,
    add_alternatives,
    explain_no_route,
    road_ids,
    route_of_steps,
    snap,
)
from planspec.families.mobilitybench.map.network import WALK_MS_M, StreetNetwork, network
from planspec.families.mobilitybench.map.records import City, Point
from planspec.families.mobilitybench.map.route import Answer, NoRoute, Route, RouteEvidence
from planspec.families.mobilitybench.map.steps import Move, StepWriter

ParallelPieces = list[tuple[int, int, int]]
"""Pieces of road that connect the same two junctions, as triples (milliseconds, metres, piece id)."""


def walk(
    city: City,
    origin: Point,
    destination: Point,
    *,
    via: Sequence[Point] = (),
    depart: int | None = None,
    arrive_by: int | None = None,
    avoid_roads: Sequence[str] = (),
    alternatives: int = 1,
) -> Answer:
    """Return the shortest routes on foot. They are also the fastest.

    Args:
        city: the city.
        origin: the start.
        destination: the end.
        via: places to visit on the way, in order.
        depart: departure in minutes after midnight.
        arrive_by: latest arrival in minutes after midnight.
        avoid_roads: names of roads to avoid, in the city's language or in English.
        alternatives: maximum number of routes. Each further route also avoids the road on which the previous one
            covers most metres.

    Returns:
        The routes, best first, or the reason why there is none.

    Raises:
        ValueError: both `depart` and `arrive_by` are given, or `alternatives` is below 1.
    """
    return _plan_routes("walk", city, origin, destination, via, depart, arrive_by, avoid_roads, alternatives)


def cycle(
    city: City,
    origin: Point,
    destination: Point,
    *,
    via: Sequence[Point] = (),
    depart: int | None = None,
    arrive_by: int | None = None,
    avoid_roads: Sequence[str] = (),
    shortest: bool = False,
    alternatives: int = 1,
) -> Answer:
    """Return the fastest or the shortest routes by bicycle. Speeds do not depend on the time of day.

    Args:
        city: the city.
        origin: the start.
        destination: the end.
        via: places to visit on the way, in order.
        depart: departure in minutes after midnight.
        arrive_by: latest arrival in minutes after midnight.
        avoid_roads: names of roads to avoid, in the city's language or in English.
        shortest: whether to minimise metres before time.
        alternatives: maximum number of routes. Each further route also avoids the road on which the previous one
            covers most metres.

    Returns:
        The routes, best first, or the reason why there is none.

    Raises:
        ValueError: both `depart` and `arrive_by` are given, or `alternatives` is below 1.
    """
    return _plan_routes("cycle", city, origin, destination, via, depart, arrive_by, avoid_roads, alternatives, shortest)


def _plan_routes(
    mode: Literal["walk", "cycle"],
    city: City,
    origin: Point,
    destination: Point,
    via: Sequence[Point],
    depart: int | None,
    arrive_by: int | None,
    avoid_roads: Sequence[str],
    alternatives: int,
    shortest: bool = False,
) -> Answer:
    if depart is not None and arrive_by is not None:
        raise ValueError("depart or arrive_by, not both")
    roads = network(city)
    avoided = road_ids(city, avoid_roads)
    if isinstance(avoided, NoRoute):
        return avoided
    ends = snap(roads, mode, origin, via, destination)
    if isinstance(ends, NoRoute):
        return ends

    def best_route(banned_roads: frozenset[int]) -> Route | None:
        closed = avoided | banned_roads
        banned = frozenset(piece.id for piece in city.pieces if piece.road in closed)
        legs = _best_legs(roads, mode, ends, banned, shortest=shortest)
        if legs is None:
            return None
        bans = tuple(f"road {city.roads[road].name}" for road in sorted(closed))
        return _make_route(roads, mode, ends, legs, (depart, arrive_by), bans, shortest=shortest)

    first = best_route(frozenset())
    if first is None:
        free = bool(avoided) and _best_legs(roads, mode, ends, frozenset(), shortest=shortest) is not None
        return explain_no_route(exists_without_bans=free)
    ids = {road.name: road.id for road in city.roads}
    return tuple(add_alternatives(first, alternatives, lambda step: step.road, ids, best_route))


def piece_order(*, shortest: bool) -> Callable[[tuple[int, int, int]], tuple[int, ...]]:
    """Return a sort key for pieces between the same two junctions: by time first, or by length if `shortest`."""
    return (lambda way: (way[1], way[0], way[2])) if shortest else (lambda way: way)


def _best_legs(
    roads: StreetNetwork,
    mode: Literal["walk", "cycle"],
    ends: StreetAccess,
    banned: frozenset[int],
    *,
    shortest: bool,
) -> list[list[Move]] | None:
    import networkx as nx

    key = piece_order(shortest=shortest)

    def weight(_tail: int, _head: int, edge: dict[str, Any]) -> int | None:
        ways: ParallelPieces = [way for way in edge["ways"] if way[2] not in banned]
        if not ways:
            return None
        first, second, _ = key(min(ways, key=key))
        return (first << 40) + second

    graph = roads.paths[mode]
    legs = []
    for a, b in pairwise(ends.junctions):
        try:
            nodes: list[int] = nx.bidirectional_dijkstra(graph, a, b, weight=weight)[1]
        except (nx.NetworkXNoPath, nx.NodeNotFound):
            return None
        moves = []
        for tail, head in pairwise(nodes):
            ways: ParallelPieces = [way for way in graph.edges[tail, head]["ways"] if way[2] not in banned]
            ms, _, piece = min(ways, key=key)
            moves.append(Move(2 * piece + (roads.city.pieces[piece].tail != tail), ms))
        legs.append(moves)
    return legs


def _make_route(
    roads: StreetNetwork,
    mode: Literal["walk", "cycle"],
    ends: StreetAccess,
    legs: list[list[Move]],
    times: tuple[int | None, int | None],
    bans: tuple[str, ...],
    *,
    shortest: bool,
) -> Route:
    points = roads.city.junctions
    writing = StepWriter(roads)
    first, last = points[ends.junctions[0]].point, points[ends.junctions[-1]].point
    writing.add_walk(ends.origin, first, ends.before_m, ends.before_m * WALK_MS_M)
    for moves in legs:
        writing.add_road_steps(mode, moves)
    writing.add_walk(last, ends.destination, ends.after_m, ends.after_m * WALK_MS_M)
    taken = [move for moves in legs for move in moves]
    total_ms = sum(move.ms for move in taken) + (ends.before_m + ends.after_m) * WALK_MS_M
    length = sum(roads.city.pieces[move.arc // 2].length_m for move in taken)
    minimised, value = ("ms",), (total_ms,)
    if shortest:
        minimised, value = ("metres", "ms"), (length, total_ms)  # type: ignore[assignment]
    passed = len(ends.junctions) - 2
    demands = (f"{passed} vias in order",) if passed else ()
    evidence = RouteEvidence(minimised, value, bans, demands, "networkx, bidirectional Dijkstra on junctions")
    depart, arrive_by = times
    depart_s = None if depart is None else depart * 60
    if arrive_by is not None:
        depart_s = arrive_by * 60 - sum(step.duration_s for step in writing.steps)
    return route_of_steps(mode, writing.steps, depart_s, evidence)
