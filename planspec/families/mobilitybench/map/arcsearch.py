"""Shortest paths of drivers on the expanded graph: at free speed by networkx, by the clock by label setting.

networkx adds up weights, and with traffic the weight of a piece depends on when it is entered, so that the second search
is our own: Dijkstra's with labels (static criteria, time, metres) in the order of the dictionary, and with consistent
lower bounds [Hart, Nilsson, Raphael, 1968]. Static criteria come first: then the best label of an arc always has a best
label before it, since the clock is first in, first out. Equal times are broken by metres among the routes that reach
each of their junctions as early as they can.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush
from math import isqrt
from typing import Any, TypeAlias

from planspec.families.mobilitybench.map.clock import DAY_MS, TrafficPeriods
from planspec.families.mobilitybench.map.network import LIGHT_MS, StreetNetwork

NEVER = DAY_MS * 1000
"""Milliseconds past those of any route."""
SPARE_MS = 1_200_000
SLOW_MM_MS = 8
"""A search counts on a route that takes as long as at this speed, about 30 km/h, with twenty minutes to spare."""
AROUND = 2_000
"""The most junctions around the end of a search that are looked at before it."""
SHIFT = 40
"""Bits for one criterion in a packed sum: 10^12 is more than any city adds up to."""
OF_TIME, OF_CRITERIA = 30, 70
"""A label of a search by the clock is one number, which compares faster than three: metres, above them the time in milliseconds, and above it the
packed static criteria. It may run back before midnight, where its time is less than none and the order is the same."""


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


@lru_cache(maxsize=16)
def static_costs(roads: StreetNetwork, aim: Aim) -> tuple[list[int], int]:
    """The packed static criteria of each piece, and of a light."""
    costs = []
    for piece, kind in zip(roads.city.pieces, roads.kind, strict=True):
        fast = piece.length_m if kind == "motorway" else 0
        costs.append(aim.pack(aim.values(0, fast, piece.length_m)))
    return costs, aim.pack(aim.values(1, 0, 0))


@lru_cache(maxsize=16)
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
    search = _clock_search(roads, aim, back)
    start = -time_ms if back else time_ms
    if banned and _cut_off(search, aimed, goal if back else origin, banned):
        return None
    path: list[int] | None = None
    left = 0
    if not aim.criteria():
        # a route that ends within a window is the best of all if the bounds hold in the window, as its labels come in order
        x, y = roads.flat[origin]
        u, v = roads.flat[goal]
        window = SPARE_MS + (abs(x - u) + abs(y - v)) // SLOW_MM_MS
        periods = search.clock.within(start, window)
        if len(periods) < len(search.clock.starts_ms):
            path, left = _path(search, _bounds(search, aimed, periods), begin, end, start, banned)
            if path is None:  # whatever the bounds are, all that can be reached was
                return None
            if left - start > window:
                path = None
    if path is None:
        every = tuple(range(len(search.clock.starts_ms)))
        path, left = _path(search, _bounds(search, aimed, every), begin, end, start, banned)
    if path is None:
        return None
    return (path[1:-1], -left) if back else (path[-2:0:-1], left)


def _cut_off(search: _ClockSearch, aimed: int, begun: int, banned: frozenset[int]) -> bool:
    """Whether the streets around the end of a search lead nowhere else: most bans that leave no way are near an end."""
    found, queue = {aimed}, [aimed]
    while queue and begun not in found and len(found) < AROUND:
        for other, piece, _ in search.nearing[queue.pop()]:
            if other not in found and piece not in banned:
                found.add(other)
                queue.append(other)
    return not queue and begun not in found


def _path(
    search: _ClockSearch,
    bounds: Sequence[int],
    begin: int,
    end: int,
    start: int,
    banned: frozenset[int],
) -> tuple[list[int] | None, int]:
    """The nodes of the best path from its end to its beginning, None if there is none, and the time at its end."""
    onward, clock = search.onward, search.clock
    starts, ends = clock.starts_ms, clock.ends_ms
    least, times = {begin: start << OF_TIME}, {begin: start}
    before: dict[int, int] = {}
    settled: set[int] = set()
    queue = [(0, begin)]
    since = until = period = 0
    while queue:
        node = heappop(queue)[1]
        if node in settled:
            continue
        settled.add(node)
        if node == end:
            break
        label, time = least[node], times[node]
        for onto, turn, cost, junction, piece, hundredfold, percents in onward[node]:
            if onto in settled or piece in banned:
                continue
            left = time + turn
            if piece >= 0:
                if not since <= left < until:
                    of_day = left % DAY_MS
                    period = bisect_right(starts, of_day) - 1
                    since, until = left - of_day + starts[period], left - of_day + ends[period]
                percent = percents[period]
                # within one period, as nearly always; else as the clock has it
                if hundredfold <= (until - left) * percent:
                    left -= -hundredfold // percent
                else:
                    left = clock.leave(left, hundredfold // 100, percents)
            there = label + cost + ((left - time) << OF_TIME)
            if onto not in least or there < least[onto]:
                least[onto], times[onto] = there, left
                before[onto] = node
                heappush(queue, (there + bounds[junction], onto))
    if end not in settled:
        return None, 0
    path = [end]
    while path[-1] != begin:
        path.append(before[path[-1]])
    return path, times[end]


_Turn: TypeAlias = tuple[int, int, int, int, int, int, Sequence[int]]


@dataclass(frozen=True, slots=True, eq=False)
class _ClockSearch:
    """What searches by the clock ask of a network, in the form in which they ask it most.

    Attributes:
        clock: as it runs for the search.
        onward: of each node the turns that lead on: the node, the milliseconds of the turn, the label of the turn and the piece but
            for time, the node's junction, the piece or -1 at the gate of a junction, a hundred times its milliseconds at free speed,
            and its percents by period.
        nearing: of each junction those from which a piece leads to it, or to which one leads if the clock runs back, that
            piece, and the wait at the light of that junction.
        percents: of free speed, by road and period.
    """

    roads: StreetNetwork
    aim: Aim
    clock: TrafficPeriods
    onward: Sequence[Sequence[_Turn]]
    nearing: Sequence[Sequence[tuple[int, int, int]]]
    percents: Sequence[Sequence[int]]


@lru_cache(maxsize=64)
def _bounds(search: _ClockSearch, aimed: int, periods: tuple[int, ...]) -> Sequence[int]:
    """Lower bounds, consistent in whole numbers, of the static criteria and the milliseconds left at each junction, as labels.

    No route is shorter than the line, and none faster than without turns and bans in the least traffic of some periods. Whoever goes on at a junction waits
    at its light, so that its bound has the wait, but for the junction at which the route ends.
    """
    roads, aim = search.roads, search.aim
    x, y = roads.flat[aimed]
    metres = [isqrt((x - u) ** 2 + (y - v) ** 2) * roads.slack // 1_024_000 for u, v in roads.flat]
    times = _least_times(search.nearing, _fastest(search, periods), aimed)
    return [
        (aim.pack(aim.values(0, m, m)) << OF_CRITERIA) + (time << OF_TIME)
        for m, time in zip(metres, times, strict=True)
    ]


@lru_cache(maxsize=32)
def _fastest(search: _ClockSearch, periods: tuple[int, ...]) -> Sequence[int]:
    """The least milliseconds for each piece in any of some periods."""
    best = [max(row[period] for period in periods) for row in search.percents]
    return [
        free * 100 // best[piece.road]
        for free, piece in zip(search.roads.free, search.roads.city.pieces, strict=True)
    ]


def _least_times(
    nearing: Sequence[Sequence[tuple[int, int, int]]], fastest: Sequence[int], aimed: int
) -> list[int]:
    """The least milliseconds between each junction and one, `NEVER` where no way leads [Dijkstra, 1959]."""
    times = [NEVER] * len(nearing)
    times[aimed] = 0
    queue = [(0, aimed)]
    while queue:
        time, junction = heappop(queue)
        if time > times[junction]:
            continue
        for other, piece, wait in nearing[junction]:
            there = time + fastest[piece] + wait
            if there < times[other]:
                times[other] = there
                heappush(queue, (there, other))
    return times


@lru_cache(maxsize=16)
def _clock_search(roads: StreetNetwork, aim: Aim, back: bool) -> _ClockSearch:
    static, of_light = static_costs(roads, aim)
    arcs, junctions = 2 * len(roads.city.pieces), len(roads.city.junctions)
    place = roads.start if back else roads.end
    graph = roads.turns.pred if back else roads.turns.succ
    onward: list[list[_Turn]] = [[] for _ in range(arcs + 2 * junctions)]
    percents = roads.reversed_percents if back else roads.percents
    ways = [
        ((cost << OF_CRITERIA) + piece.length_m, free * 100, percents[piece.road])
        for cost, free, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]
    for node, turns in graph.items():
        for onto, turn in turns.items():
            light = (turn["light"] * of_light) << OF_CRITERIA
            if onto < arcs:
                cost, hundredfold, by_period = ways[onto >> 1]
                onward[node].append(
                    (onto, turn["turn"], light + cost, place(onto), onto >> 1, hundredfold, by_period)
                )
            else:
                onward[node].append((onto, turn["turn"], light, (onto - arcs) % junctions, -1, 0, ()))
    nearing: list[list[tuple[int, int, int]]] = [[] for _ in range(junctions)]
    for arc in roads.arcs:
        ends = (roads.start(arc), roads.end(arc)) if back else (roads.end(arc), roads.start(arc))
        wait = LIGHT_MS * roads.city.junctions[ends[1]].light
        nearing[ends[0]].append((ends[1], arc >> 1, wait))
    clock = roads.backwards if back else roads.clock
    return _ClockSearch(roads, aim, clock, onward, nearing, percents)
