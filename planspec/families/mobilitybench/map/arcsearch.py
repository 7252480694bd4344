"""Shortest paths of drivers on the expanded graph: at free speed by networkx, by the clock by label setting.

networkx adds up weights, and with traffic the weight of a piece depends on when it is entered, so that the second search
is our own: Dijkstra's with labels (static criteria, time, metres) in the order of the dictionary, and with consistent
lower bounds [Hart, Nilsson, Raphael, 1968]. Static criteria come first: then the best label of an arc always has a best
label before it, since the clock is first in, first out. Equal times are broken by metres among the routes that reach
each of their junctions as early as they can.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import isqrt
from typing import Any

from planspec.families.mobilitybench.map.network import FASTEST_M_S, StreetNetwork

SHIFT = 40
"""Bits for one criterion in a packed sum: 10^12 is more than any city adds up to."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The driver's aim, minimised in this order: lights, metres with motorways at a third, metres, and time at last."""

    fewest_lights: bool = False
    prefer_motorways: bool = False
    shortest: bool = False

    def criteria(self) -> tuple[str, ...]:
        named = {
            "traffic lights": self.fewest_lights,
            "metres, three times those off motorways": self.prefer_motorways,
            "metres": self.shortest,
        }
        return tuple(name for name, wanted in named.items() if wanted)

    def values(self, lights: int, on_motorways_m: int, length_m: int) -> tuple[int, ...]:
        """The static criteria of a route."""
        found = []
        if self.fewest_lights:
            found.append(lights)
        if self.prefer_motorways:
            found.append(3 * length_m - 2 * on_motorways_m)
        if self.shortest:
            found.append(length_m)
        return tuple(found)

    def pack(self, values: tuple[int, ...]) -> int:
        packed = 0
        for value in values:
            packed = (packed << SHIFT) + value
        return packed


@lru_cache(maxsize=32)
def static_costs(roads: StreetNetwork, aim: Aim) -> tuple[list[int], int]:
    """The packed static criteria of each piece, and of a light."""
    costs = []
    for piece, kind in zip(roads.city.pieces, roads.kind, strict=True):
        fast = piece.length_m if kind == "motorway" else 0
        costs.append(aim.pack(aim.values(0, fast, piece.length_m)))
    return costs, aim.pack(aim.values(1, 0, 0))


@lru_cache(maxsize=32)
def free_costs(roads: StreetNetwork, aim: Aim) -> list[int]:
    """The packed criteria of each piece where traffic is free: the static ones, time and metres."""
    static, _ = static_costs(roads, aim)
    return [
        (((cost << SHIFT) + ms) << SHIFT) + piece.length_m
        for cost, ms, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]


def at_free_speed(
    roads: StreetNetwork, aim: Aim, banned: frozenset[int], origin: int, goal: int
) -> list[int] | None:
    """The arcs of the best way between two junctions where traffic is free, None if there is no way.

    Args:
        roads: the city's.
        aim: what is minimised; time comes last, and equal times are broken by metres.
        banned: pieces.
        origin: a junction.
        goal: a junction.
    """
    import networkx as nx

    costs = free_costs(roads, aim)
    light, arcs = static_costs(roads, aim)[1] << (2 * SHIFT), 2 * len(costs)

    def weight(_: int, onto: int, turn: dict[str, Any]) -> int | None:
        cost: int = (turn["turn"] << SHIFT) + turn["light"] * light
        if onto >= arcs:
            return cost
        return None if onto >> 1 in banned else cost + costs[onto >> 1]

    ends = roads.gate_out(origin), roads.gate_in(goal)
    if not all(end in roads.turns for end in ends):
        return None
    try:
        found: tuple[int, list[int]] = nx.bidirectional_dijkstra(roads.turns, *ends, weight=weight)
    except nx.NetworkXNoPath:
        return None
    return found[1][1:-1]


def by_the_clock(
    roads: StreetNetwork,
    aim: Aim,
    banned: frozenset[int],
    origin: int,
    goal: int,
    time_ms: int,
    *,
    back: bool,
) -> tuple[list[int], int] | None:
    """The arcs of the best way, and when it ends, or when it begins if it is searched from its end.

    Args:
        roads: the city's.
        aim: what is minimised before time.
        banned: pieces.
        origin: a junction.
        goal: a junction.
        time_ms: of departure after midnight, or of arrival at the latest.
        back: `time_ms` is of arrival, and the latest departure is wanted.
    """
    first, last = roads.gate_out(origin), roads.gate_in(goal)
    if first not in roads.turns or last not in roads.turns:
        return None
    begin, end, aimed = (last, first, origin) if back else (first, last, goal)
    onward = roads.turns.pred if back else roads.turns.succ
    clock = roads.backwards if back else roads.clock
    percents = roads.reversed_percents if back else roads.percents
    static, of_light = static_costs(roads, aim)
    bound = _bound(roads, aim, aimed, back=back)
    pieces, arcs = roads.city.pieces, 2 * len(roads.city.pieces)
    least: dict[int, tuple[int, int, int]] = {begin: (0, -time_ms if back else time_ms, 0)}
    before: dict[int, int] = {}
    settled: set[int] = set()
    queue: list[tuple[int, int, int, int]] = [(0, 0, 0, begin)]
    while queue:
        node = heapq.heappop(queue)[3]
        if node in settled:
            continue
        settled.add(node)
        if node == end:
            break
        cost, time, length = least[node]
        for onto, turn in onward[node].items():
            if onto in settled:
                continue
            label = (cost + turn["light"] * of_light, time + turn["turn"], length)
            if onto < arcs:
                piece = onto >> 1
                if piece in banned:
                    continue
                label = (
                    label[0] + static[piece],
                    clock.leave(label[1], roads.free[piece], percents[pieces[piece].road]),
                    length + pieces[piece].length_m,
                )
            if onto not in least or label < least[onto]:
                least[onto] = label
                before[onto] = node
                ahead = bound(onto)
                heapq.heappush(queue, (label[0] + ahead[0], label[1] + ahead[1], label[2], onto))
    if end not in settled:
        return None
    path = [end]
    while path[-1] != begin:
        path.append(before[path[-1]])
    found = path[1:-1] if back else path[-2:0:-1]
    return found, -least[end][1] if back else least[end][1]


def _bound(roads: StreetNetwork, aim: Aim, aimed: int, *, back: bool) -> Callable[[int], tuple[int, int]]:
    """Lower bounds, consistent in whole numbers, of the static criteria and the milliseconds that are left."""
    x, y = roads.flat[aimed]
    arcs, junctions = 2 * len(roads.city.pieces), len(roads.city.junctions)
    place = roads.start if back else roads.end
    known: dict[int, tuple[int, int]] = {}

    def bound(node: int) -> tuple[int, int]:
        junction = place(node) if node < arcs else (node - arcs) % junctions
        if junction not in known:
            u, v = roads.flat[junction]
            scaled = isqrt((x - u) ** 2 + (y - v) ** 2) * roads.slack
            metres = scaled // 1_024_000
            static = aim.pack(aim.values(0, metres, metres))
            known[junction] = static, scaled // (1024 * FASTEST_M_S)
        return known[junction]

    return bound
