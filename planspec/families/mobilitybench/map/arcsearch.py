"""Shortest driving routes on a graph of turns, at free speed or with the traffic of a time of day.

At free speed, the weights of the arcs are constant, and networkx finds the path. With traffic, the travel time of a
piece of road depends on the time of entry, so this module implements A* with consistent lower bounds
[Hart, Nilsson, Raphael, 1968]. It keeps one label per arc: the static criteria, the time and the metres, compared in
this order. Static criteria are those that do not depend on traffic, such as the number of traffic lights.

One label per arc suffices because the static criteria do not depend on the time, and because traffic is FIFO: a driver
who enters a piece earlier never leaves it later. On a tie of static criteria and time, fewer metres win. Ties are
broken arc by arc, so only routes that reach each of their junctions as early as possible are compared.
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

UNREACHABLE_MS = DAY_MS * 1000
"""Upper bound of the duration of any route, in milliseconds."""
SPARE_MS = 1_200_000
ASSUMED_MM_PER_MS = 8
"""Assumed speed in mm per ms, about 30 km/h.

The first search covers a time window: the straight-line distance at this speed, plus `SPARE_MS`.
"""
MAX_CHECKED_JUNCTIONS = 2_000
"""Maximum number of junctions visited when checking, before a search, whether bans isolate the goal."""
CRITERION_BITS = 40
"""Bits for one criterion in a packed sum; 2^40, about 10^12, exceeds the sums in any city."""
TIME_SHIFT, CRITERIA_SHIFT = 30, 70
"""Bit positions of the time and of the static criteria in a label.

A label is one integer, because comparing one integer is faster than comparing three. Metres are in the lowest bits,
the time in milliseconds above them, and the packed static criteria above the time. A time before midnight is negative;
labels are still ordered correctly.
"""


@dataclass(frozen=True, slots=True)
class Aim:
    """Criteria that a driver minimises before time, in the order of the attributes.

    They are static: they do not depend on the traffic. Time is always the last criterion.

    Attributes:
        fewest_lights: whether to minimise the number of traffic lights.
        prefer_motorways: whether to minimise metres, counting each metre off motorways three times.
        shortest: whether to minimise metres.
    """

    fewest_lights: bool = False
    prefer_motorways: bool = False
    shortest: bool = False

    def criteria(self) -> tuple[str, ...]:
        """Return the names of the criteria that are switched on, in order of priority."""
        named = {
            "traffic lights": self.fewest_lights,
            "metres, three times those off motorways": self.prefer_motorways,
            "metres": self.shortest,
        }
        return tuple(name for name, is_active in named.items() if is_active)

    def values(self, lights: int, on_motorways_m: int, length_m: int) -> tuple[int, ...]:
        """Return the values of the criteria that are switched on, for a route or a piece of road."""
        values = []
        if self.fewest_lights:
            values.append(lights)
        if self.prefer_motorways:
            values.append(3 * length_m - 2 * on_motorways_m)
        if self.shortest:
            values.append(length_m)
        return tuple(values)

    def pack(self, values: tuple[int, ...]) -> int:
        """Pack the values of the static criteria into one integer. Such integers compare like the value tuples."""
        packed = 0
        for value in values:
            packed = (packed << CRITERION_BITS) + value
        return packed


@lru_cache(maxsize=16)
def static_costs(roads: StreetNetwork, aim: Aim) -> tuple[list[int], int]:
    """Return the static criteria, packed into one integer, of each piece of road by id, and of one traffic light."""
    costs = []
    for piece, kind in zip(roads.city.pieces, roads.kind, strict=True):
        fast = piece.length_m if kind == "motorway" else 0
        costs.append(aim.pack(aim.values(0, fast, piece.length_m)))
    return costs, aim.pack(aim.values(1, 0, 0))


@lru_cache(maxsize=16)
def free_costs(roads: StreetNetwork, aim: Aim) -> list[int]:
    """Return the costs of the pieces at free speed, by piece id: static criteria, time and metres in one integer."""
    static, _ = static_costs(roads, aim)
    return [
        (((cost << CRITERION_BITS) + ms) << CRITERION_BITS) + piece.length_m
        for cost, ms, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]


def find_free_path(roads: StreetNetwork, aim: Aim, banned: frozenset[int], origin: int, goal: int) -> list[int] | None:
    """Return the arcs of the best route between two junctions at free speed; None if there is no route.

    Args:
        roads: the city's streets.
        aim: criteria to minimise; time comes last, and metres break ties.
        banned: ids of the pieces of road that must not be used.
        origin: junction at the start.
        goal: junction at the end.
    """
    import networkx as nx

    costs = free_costs(roads, aim)
    light, arcs = static_costs(roads, aim)[1] << (2 * CRITERION_BITS), 2 * len(costs)

    def weight(_: int, onto: int, turn: dict[str, Any]) -> int | None:
        cost: int = (turn["turn"] << CRITERION_BITS) + turn["light"] * light
        if onto >= arcs:
            return cost
        return None if onto >> 1 in banned else cost + costs[onto >> 1]

    ends = roads.entry_node(origin), roads.exit_node(goal)
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
    first, last = roads.entry_node(origin), roads.exit_node(goal)
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
        # A* settles labels in order, so a route that ends within the window is optimal if the bounds hold there
        x, y = roads.flat[origin]
        u, v = roads.flat[goal]
        window = SPARE_MS + (abs(x - u) + abs(y - v)) // ASSUMED_MM_PER_MS
        periods = search.clock.periods_during(start, window)
        if len(periods) < len(search.clock.starts_ms):
            path, left = _best_path(search, _lower_bounds(search, goal_junction, periods), begin, end, start, banned)
            if path is None:  # the search visited every reachable node, so wider bounds would not help
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

    The check visits at most `MAX_CHECKED_JUNCTIONS` junctions around the goal. Bans that leave no route are usually
    near an end of the route.
    """
    reached, queue = {goal_junction}, [goal_junction]
    while queue and start_junction not in reached and len(reached) < MAX_CHECKED_JUNCTIONS:
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
    """Return the nodes of the best path, last node first, and the time at its end in milliseconds.

    If there is no path, the nodes are None and the time is 0.

    Args:
        search: data of the network.
        bounds: lower bound of the label from each junction to the goal.
        begin: first node of the path.
        end: last node of the path.
        start: time at the first node, in milliseconds.
        banned: ids of the pieces of road that must not be used.
    """
    onward, clock = search.onward, search.clock
    starts, ends = clock.starts_ms, clock.ends_ms
    least, times = {begin: start << TIME_SHIFT}, {begin: start}
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
                # fast path: drivers nearly always leave a piece in the traffic period in which they entered it
                if hundredfold <= (until_ms - left) * percent:
                    left -= -hundredfold // percent
                else:
                    left = clock.exit_ms(left, hundredfold // 100, percents)
            onto_label = label + cost + ((left - time) << TIME_SHIFT)
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
        clock: traffic periods, mirrored in a backward search.
        onward: turns from each node of the graph of turns. A turn is a tuple of: the next node; the milliseconds
            of the turn; the label of turn and piece, without time; the junction of the next node; the piece id,
            or -1 if the next node is the entry or exit of a junction; a hundred times the piece's milliseconds at
            free speed; and the piece's percentages of free speed by period.
        neighbours: predecessors of each junction, or its successors in a backward search. Each item is a tuple of
            the neighbour, the piece id, and the wait at the neighbour's light in milliseconds.
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

    The bounds are integers and consistent, as A* requires. The distance is derived from the straight line. The time
    assumes the lightest traffic of the periods and ignores turns and bans. It includes the waits at traffic lights,
    except at the goal.
    """
    roads, aim = search.roads, search.aim
    x, y = roads.flat[goal_junction]
    metres = [isqrt((x - u) ** 2 + (y - v) ** 2) * roads.slack // 1_024_000 for u, v in roads.flat]
    times = _least_times(search.neighbours, _fastest_times(search, periods), goal_junction)
    return [
        (aim.pack(aim.values(0, m, m)) << CRITERIA_SHIFT) + (time << TIME_SHIFT)
        for m, time in zip(metres, times, strict=True)
    ]


@lru_cache(maxsize=32)
def _fastest_times(search: _ClockSearch, periods: tuple[int, ...]) -> Sequence[int]:
    """Return the travel time of each piece in the period of lightest traffic, in milliseconds."""
    best = [max(row[period] for period in periods) for row in search.percents]
    return [
        free * 100 // best[piece.road] for free, piece in zip(search.roads.free, search.roads.city.pieces, strict=True)
    ]


def _least_times(
    neighbours: Sequence[Sequence[tuple[int, int, int]]], fastest: Sequence[int], goal_junction: int
) -> list[int]:
    """Return the minimum travel time from each junction to the goal in milliseconds [Dijkstra, 1959].

    The value is `UNREACHABLE_MS` if no route exists.

    Args:
        neighbours: predecessors of each junction, as in `_ClockSearch`.
        fastest: travel time of each piece of road in milliseconds.
        goal_junction: junction of the goal.
    """
    times = [UNREACHABLE_MS] * len(neighbours)
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
        ((cost << CRITERIA_SHIFT) + piece.length_m, free * 100, percents[piece.road])
        for cost, free, piece in zip(static, roads.free, roads.city.pieces, strict=True)
    ]
    for node, turns in graph.items():
        for onto, turn in turns.items():
            light = (turn["light"] * of_light) << CRITERIA_SHIFT
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
