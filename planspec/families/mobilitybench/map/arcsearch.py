"""Shortest paths of drivers on the expanded graph, in free traffic or in the traffic of a time of day.

In free traffic, the weights of the arcs are constant, and networkx finds the path. In the traffic of a day, the weight
of a piece of road depends on the time of entry, so this module has a search of its own: A* with consistent lower bounds
[Hart, Nilsson, Raphael, 1968]. It keeps one label per arc: the static criteria, the time and the metres, compared in
this order.

One label per arc suffices because the static criteria do not depend on the time, and because traffic is FIFO: a driver
who enters a piece earlier never leaves it later. On a tie of static criteria and time, the route with fewer metres wins.
The tie is broken arc by arc: only routes that reach each of their junctions as early as possible are compared.
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
"""Upper bound of the duration of any route, in milliseconds."""
SPARE_MS = 1_200_000
SLOW_MM_MS = 8
"""Assumed speed in mm per ms, about 30 km/h. The first search covers a time window: the straight-line distance at
this speed, plus `SPARE_MS`.
"""
AROUND = 2_000
"""Maximum number of junctions around the goal that are examined before a search."""
SHIFT = 40
"""Bits for one criterion in a packed sum; 2^40, about 10^12, exceeds the sums in any city."""
OF_TIME, OF_CRITERIA = 30, 70
"""Bit positions of time and static criteria in a label of a search in the traffic of a day.

A label is one number, since one number compares faster than three. Metres are in the lowest bits, the time in
milliseconds above them, and the packed static criteria above the time. A time before midnight is negative,
which keeps the order.
"""


@dataclass(frozen=True, slots=True)
class Aim:
    """Criteria that a driver minimises, in this order.

    The criteria before time are static: they do not depend on the traffic.

    Attributes:
        fewest_lights: whether to minimise traffic lights.
        prefer_motorways: whether to minimise metres; a metre off motorways counts three times.
        shortest: whether to minimise metres.
    """

    fewest_lights: bool = False
    prefer_motorways: bool = False
    shortest: bool = False

    def criteria(self) -> tuple[str, ...]:
        """Return the names of the static criteria in use."""
        named = {
            "traffic lights": self.fewest_lights,
            "metres, three times those off motorways": self.prefer_motorways,
            "metres": self.shortest,
        }
        return tuple(name for name, is_active in named.items() if is_active)

    def values(self, lights: int, on_motorways_m: int, length_m: int) -> tuple[int, ...]:
        """Return the values of the static criteria for a route or a piece of road."""
        values = []
        if self.fewest_lights:
            values.append(lights)
        if self.prefer_motorways:
            values.append(3 * length_m - 2 * on_motorways_m)
        if self.shortest:
            values.append(length_m)
        return tuple(values)

    def pack(self, values: tuple[int, ...]) -> int:
        """Pack the values of the static criteria into one number, which keeps their lexicographic order."""
        packed = 0
        for value in values:
            packed = (packed << SHIFT) + value
        return packed


@lru_cache(maxsize=16)
def static_costs(roads: StreetNetwork, aim: Aim) -> tuple[list[int], int]:
    """Return the packed static criteria of each piece of road, and of a traffic light."""
    costs = []
    for piece, kind in zip(roads.city.pieces, roads.kind, strict=True):
        fast = piece.length_m if kind == "motorway" else 0
        costs.append(aim.pack(aim.values(0, fast, piece.length_m)))
    return costs, aim.pack(aim.values(1, 0, 0))


@lru_cache(maxsize=16)
def free_costs(roads: StreetNetwork, aim: Aim) -> list[int]:
    """Return the packed criteria of each piece in free traffic: static criteria, time and metres."""
    static, _ = static_costs(roads, aim)
    return [
        (((cost << SHIFT) + ms) << SHIFT) + piece.length_m
        for cost, ms, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]


def find_free_path(roads: StreetNetwork, aim: Aim, banned: frozenset[int], origin: int, goal: int) -> list[int] | None:
    """Return the arcs of the best route between two junctions in free traffic; None if there is no route.

    Args:
        roads: the city's streets.
        aim: criteria to minimise; time comes last, and metres break ties.
        banned: ids of the pieces of road that must not be used.
        origin: junction at the start.
        goal: junction at the end.
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
        result: tuple[int, list[int]] = nx.bidirectional_dijkstra(roads.turns, *ends, weight=weight)
    except nx.NetworkXNoPath:
        return None
    return result[1][1:-1]


def find_timed_path(
    roads: StreetNetwork,
    aim: Aim,
    banned: frozenset[int],
    origin: int,
    goal: int,
    time_ms: int,
    *,
    is_backward: bool,
) -> tuple[list[int], int] | None:
    """Return the arcs of the best route in the traffic of the day, and its arrival; None if there is no route.

    A backward search returns the departure instead of the arrival. Times are in milliseconds after midnight.

    Args:
        roads: the city's streets.
        aim: criteria to minimise before time.
        banned: ids of the pieces of road that must not be used.
        origin: junction at the start.
        goal: junction at the end.
        time_ms: departure or latest arrival, in milliseconds after midnight.
        is_backward: whether to search backwards, for the latest departure; `time_ms` is then the latest arrival.
    """
    first, last = roads.gate_out(origin), roads.gate_in(goal)
    if first not in roads.turns or last not in roads.turns:
        return None
    begin, end, goal_junction = (last, first, origin) if is_backward else (first, last, goal)
    search = _clock_search(roads, aim, is_backward)
    start = -time_ms if is_backward else time_ms
    if banned and _is_cut_off(search, goal_junction, goal if is_backward else origin, banned):
        return None
    path: list[int] | None = None
    left = 0
    if not aim.criteria():
        # labels are settled in order, so a route that ends within a window is optimal if the bounds hold in the window
        x, y = roads.flat[origin]
        u, v = roads.flat[goal]
        window = SPARE_MS + (abs(x - u) + abs(y - v)) // SLOW_MM_MS
        periods = search.clock.periods_during(start, window)
        if len(periods) < len(search.clock.starts_ms):
            path, left = _best_path(search, _lower_bounds(search, goal_junction, periods), begin, end, start, banned)
            if path is None:  # every reachable node was reached, regardless of the bounds
                return None
            if left - start > window:
                path = None
    if path is None:
        all_periods = tuple(range(len(search.clock.starts_ms)))
        path, left = _best_path(search, _lower_bounds(search, goal_junction, all_periods), begin, end, start, banned)
    if path is None:
        return None
    return (path[1:-1], -left) if is_backward else (path[-2:0:-1], left)


def _is_cut_off(search: _ClockSearch, goal_junction: int, start_junction: int, banned: frozenset[int]) -> bool:
    """Return whether bans cut off the goal of a search from its start.

    At most `AROUND` junctions around the goal are examined, since most bans that leave no route are near one
    of its ends.
    """
    reached, queue = {goal_junction}, [goal_junction]
    while queue and start_junction not in reached and len(reached) < AROUND:
        for other, piece, _ in search.neighbours[queue.pop()]:
            if other not in reached and piece not in banned:
                reached.add(other)
                queue.append(other)
    return not queue and start_junction not in reached


def _best_path(
    search: _ClockSearch,
    bounds: Sequence[int],
    begin: int,
    end: int,
    start: int,
    banned: frozenset[int],
) -> tuple[list[int] | None, int]:
    """Return the nodes of the best path, from its end to its beginning, and the time at its end in milliseconds.

    The nodes are None if there is no path.
    """
    onward, clock = search.onward, search.clock
    starts, ends = clock.starts_ms, clock.ends_ms
    least, times = {begin: start << OF_TIME}, {begin: start}
    before: dict[int, int] = {}
    settled: set[int] = set()
    queue = [(0, begin)]
    from_ms = until_ms = period = 0
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
                if not from_ms <= left < until_ms:
                    of_day = left % DAY_MS
                    period = bisect_right(starts, of_day) - 1
                    from_ms, until_ms = left - of_day + starts[period], left - of_day + ends[period]
                percent = percents[period]
                # a piece is nearly always left in the period in which it is entered
                if hundredfold <= (until_ms - left) * percent:
                    left -= -hundredfold // percent
                else:
                    left = clock.exit_ms(left, hundredfold // 100, percents)
            onto_label = label + cost + ((left - time) << OF_TIME)
            if onto not in least or onto_label < least[onto]:
                least[onto], times[onto] = onto_label, left
                before[onto] = node
                heappush(queue, (onto_label + bounds[junction], onto))
    if end not in settled:
        return None, 0
    path = [end]
    while path[-1] != begin:
        path.append(before[path[-1]])
    return path, times[end]


_Turn: TypeAlias = tuple[int, int, int, int, int, int, Sequence[int]]


@dataclass(frozen=True, slots=True, eq=False)
class _ClockSearch:
    """Data of a network, prepared for searches in the traffic of a day.

    Attributes:
        clock: periods in the direction of the search.
        onward: turns from each node of the expanded graph. A turn consists of the next node, the milliseconds
            of the turn, the label of turn and piece without time, the junction of the next node, the piece or
            -1 at the gate of a junction, a hundred times the piece's milliseconds at free speed, and the
            piece's percentages by period.
        neighbours: predecessors of each junction, or its successors in a backward search. Each item consists of the
            neighbour, the piece, and the wait at the neighbour's light.
        percents: percentages of free speed, by road and period.
    """

    roads: StreetNetwork
    aim: Aim
    clock: TrafficPeriods
    onward: Sequence[Sequence[_Turn]]
    neighbours: Sequence[Sequence[tuple[int, int, int]]]
    percents: Sequence[Sequence[int]]


@lru_cache(maxsize=64)
def _lower_bounds(search: _ClockSearch, goal_junction: int, periods: tuple[int, ...]) -> Sequence[int]:
    """Return, for each junction, a packed label with lower bounds of the distance and the time to the goal.

    The bounds are integers and consistent, as A* requires. The distance is the straight line. The time assumes the
    lightest traffic of the periods and ignores turns and bans. A route that continues at a junction waits at its
    light, so the time includes the wait, except at the goal.
    """
    roads, aim = search.roads, search.aim
    x, y = roads.flat[goal_junction]
    metres = [isqrt((x - u) ** 2 + (y - v) ** 2) * roads.slack // 1_024_000 for u, v in roads.flat]
    times = _least_times(search.neighbours, _fastest_times(search, periods), goal_junction)
    return [
        (aim.pack(aim.values(0, m, m)) << OF_CRITERIA) + (time << OF_TIME)
        for m, time in zip(metres, times, strict=True)
    ]


@lru_cache(maxsize=32)
def _fastest_times(search: _ClockSearch, periods: tuple[int, ...]) -> Sequence[int]:
    """Return the minimum travel time of each piece over the periods, in milliseconds."""
    best = [max(row[period] for period in periods) for row in search.percents]
    return [
        free * 100 // best[piece.road] for free, piece in zip(search.roads.free, search.roads.city.pieces, strict=True)
    ]


def _least_times(
    neighbours: Sequence[Sequence[tuple[int, int, int]]], fastest: Sequence[int], goal_junction: int
) -> list[int]:
    """Return the minimum milliseconds from each junction to the goal [Dijkstra, 1959].

    The value is `NEVER` if no route exists.
    """
    times = [NEVER] * len(neighbours)
    times[goal_junction] = 0
    queue = [(0, goal_junction)]
    while queue:
        time, junction = heappop(queue)
        if time > times[junction]:
            continue
        for other, piece, wait in neighbours[junction]:
            through = time + fastest[piece] + wait
            if through < times[other]:
                times[other] = through
                heappush(queue, (through, other))
    return times


@lru_cache(maxsize=16)
def _clock_search(roads: StreetNetwork, aim: Aim, is_backward: bool) -> _ClockSearch:
    static, of_light = static_costs(roads, aim)
    arcs, junctions = 2 * len(roads.city.pieces), len(roads.city.junctions)
    place = roads.start if is_backward else roads.end
    graph = roads.turns.pred if is_backward else roads.turns.succ
    onward: list[list[_Turn]] = [[] for _ in range(arcs + 2 * junctions)]
    percents = roads.reversed_percents if is_backward else roads.percents
    ways = [
        ((cost << OF_CRITERIA) + piece.length_m, free * 100, percents[piece.road])
        for cost, free, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]
    for node, turns in graph.items():
        for onto, turn in turns.items():
            light = (turn["light"] * of_light) << OF_CRITERIA
            if onto < arcs:
                cost, hundredfold, by_period = ways[onto >> 1]
                onward[node].append((onto, turn["turn"], light + cost, place(onto), onto >> 1, hundredfold, by_period))
            else:
                onward[node].append((onto, turn["turn"], light, (onto - arcs) % junctions, -1, 0, ()))
    neighbours: list[list[tuple[int, int, int]]] = [[] for _ in range(junctions)]
    for arc in roads.arcs:
        ends = (roads.start(arc), roads.end(arc)) if is_backward else (roads.end(arc), roads.start(arc))
        wait = LIGHT_MS * roads.city.junctions[ends[1]].light
        neighbours[ends[0]].append((ends[1], arc >> 1, wait))
    clock = roads.backwards if is_backward else roads.clock
    return _ClockSearch(roads, aim, clock, onward, neighbours, percents)
