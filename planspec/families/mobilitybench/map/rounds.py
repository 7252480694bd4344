"""Search for the best journeys by public transport with one ride, two rides and so on.

The algorithm follows RAPTOR [Delling, Pajor, Werneck, "Round-based public transit routing", 2015]: round n finds the
best journeys to each stop with n rides. It keeps one label (cost, time) for each stop in each round. If the query
requires a line, it keeps two: for journeys that have used the line, and for other journeys. The cost is metres on
foot, money, or nothing; it does not depend on the clock. Labels are compared by cost, then by time. Since a later
passenger never overtakes, the best label always extends a best label. A search for the latest departure runs backwards,
on mirrored trips.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.families.mobilitybench.map.network import WALK_MS_M
from planspec.families.mobilitybench.map.records import Fare
from planspec.families.mobilitybench.map.timetable import Pattern

Price = Literal["nothing", "walking", "fares"]
State: TypeAlias = tuple[int, bool]
"""A stop id, and whether the journey to it has satisfied the query's requirement to use a line."""
CHANGE_MS = 60_000
"""Minimum time for a change between two vehicles in milliseconds, in addition to the walk."""


@dataclass(frozen=True, slots=True)
class Ride:
    """A ride in the direction of the search. In a backward search, it begins where the passenger gets off.

    Attributes:
        pattern: index in `PatternIndex.patterns` of the pattern, which holds the trips of a line in one direction.
        begin: index in the pattern of the stop where the ride begins.
        finish: index in the pattern of the stop where the ride ends.
        departure_ms: departure of the trip from the pattern's first stop, in milliseconds.
    """

    pattern: int
    begin: int
    finish: int
    departure_ms: int


@dataclass(frozen=True, slots=True)
class StopLabel:
    """The best journey to a stop with a certain number of rides, by cost and time.

    Attributes:
        cost: metres on foot or money, depending on `RoundsQuery.price`; 0 if it is neither.
        time_ms: time of arrival in milliseconds, on a mirrored clock in a backward search.
        ride: the last ride; None before the first ride.
        previous: label at the stop where the last ride begins; None before the first ride.
        walked_m: metres on foot from the last ride, or from the origin, to this stop.
    """

    cost: int
    time_ms: int
    ride: Ride | None
    previous: StopLabel | None
    walked_m: int

    @property
    def key(self) -> tuple[int, int]:
        return self.cost, self.time_ms


def price(fare: Fare, length_m: int) -> int:
    """Return the price of a ride in minor units."""
    return fare.base + fare.step * max(0, -(-(length_m - fare.included_m) // fare.step_m))


@dataclass(frozen=True, slots=True)
class RoundsQuery:
    """Arguments of a search for journeys.

    Attributes:
        access: metres on foot from the origin to each stop nearby, by stop id.
        egress: metres on foot to the destination from each stop nearby, by stop id.
        begin_ms: start time in milliseconds, on a mirrored clock in a backward search.
        price: quantity used as the cost of a journey.
        use_lines: ids of lines of which at least one must be used; empty if none is required.
        rides: maximum number of rides.
        banned: ids of banned lines.
    """

    access: Mapping[int, int]
    egress: Mapping[int, int]
    begin_ms: int
    price: Price
    use_lines: frozenset[int]
    rides: int
    banned: frozenset[int]


class PatternIndex:
    """Index of the patterns of all lines by the stops at which they can be boarded.

    Attributes:
        patterns: patterns of all lines.
        boardings: patterns that can be boarded at each stop, by stop id. Each is a pair: the index of the pattern,
            and the position of the stop in the pattern.
    """

    def __init__(self, patterns: tuple[Pattern, ...]) -> None:
        self.patterns = patterns
        self.boardings: dict[int, list[tuple[int, int]]] = {}
        for index, pattern in enumerate(patterns):
            for at, stop in enumerate(pattern.stops[:-1]):
                self.boardings.setdefault(stop, []).append((index, at))


def best_arrivals(
    query: RoundsQuery,
    trips: PatternIndex,
    fares: Mapping[int, Fare],
    footpaths: Mapping[int, Mapping[int, int]],
) -> list[StopLabel | None]:
    """Return the best label at the destination for each number of rides, starting with one ride.

    The search drops journeys that are no better than one with fewer rides. A label may then be None or suboptimal.

    Args:
        query: arguments of the search.
        trips: trips of all lines, mirrored in a backward search.
        fares: fares by line id.
        footpaths: metres on foot from each stop to stops nearby, by stop ids.
    """
    counts_walking = query.price == "walking"
    begun = not query.use_lines
    labels: dict[State, StopLabel] = {}
    for stop, length in sorted(query.access.items()):
        time = query.begin_ms + length * WALK_MS_M
        labels[stop, begun] = StopLabel(length if counts_walking else 0, time, None, None, length)
    arrivals: list[StopLabel | None] = []
    best_keys = {state: label.key for state, label in labels.items()}
    best: tuple[int, int] | None = None
    for _ in range(query.rides):
        ridden = _ride_once(query, trips, fares, labels)
        arrived = _best_arrival(ridden, query.egress, counts_walking=counts_walking)
        arrivals.append(arrived)
        if arrived is not None and (best is None or arrived.key < best):
            best = arrived.key
        # a label is dropped unless it is better than those of its stop with fewer rides, and than the best arrival
        labels = {
            state: label
            for state, label in _walk_to_stops(ridden, footpaths, counts_walking=counts_walking).items()
            if (state not in best_keys or label.key < best_keys[state]) and (best is None or label.key < best)
        }
        best_keys |= {state: label.key for state, label in labels.items()}
    return arrivals


def _ride_once(
    query: RoundsQuery,
    trips: PatternIndex,
    fares: Mapping[int, Fare],
    labels: Mapping[State, StopLabel],
) -> dict[State, StopLabel]:
    """Return the best labels after one more ride."""
    boarding: dict[tuple[int, bool], list[tuple[int, StopLabel]]] = {}
    for (stop, used), label in labels.items():
        for index, at in trips.boardings.get(stop, ()):
            if trips.patterns[index].line in query.banned:
                continue
            boarding.setdefault((index, used), []).append((at, label))
    best: dict[State, StopLabel] = {}
    for (index, used), entries in sorted(boarding.items(), key=lambda item: item[0]):
        pattern = trips.patterns[index]
        state_used = used or pattern.line in query.use_lines
        fare = fares[pattern.line] if query.price == "fares" else None
        for begin, departure, label, until in _list_boardings(pattern, entries, is_free=fare is None):
            for finish in range(begin + 1, until):
                cost = label.cost
                if fare is not None:
                    cost += price(fare, pattern.along_m[finish] - pattern.along_m[begin])
                state = pattern.stops[finish], state_used
                key = cost, departure + pattern.offsets_ms[finish]
                if state not in best or key < best[state].key:
                    best[state] = StopLabel(*key, Ride(index, begin, finish, departure), label, 0)
    return best


def _list_boardings(
    pattern: Pattern, entries: list[tuple[int, StopLabel]], *, is_free: bool
) -> list[tuple[int, int, StopLabel, int]]:
    """Return the useful boardings of a pattern's trips, as tuples of four.

    A tuple holds the index of the stop; the departure of the boarded trip from the pattern's first stop; the label
    at the stop; and an index up to which the boarding is useful, end excluded. If rides add no cost, a better boarding
    at a later stop makes the earlier one useless beyond that stop.

    Args:
        pattern: trips of a line in one direction.
        entries: labels at stops of the pattern, each with the index of the stop.
        is_free: whether rides add no cost.
    """
    boardings: list[tuple[int, int, StopLabel, int]] = []
    best: tuple[int, int] | None = None
    for begin, label in sorted(entries, key=lambda entry: (entry[0], entry[1].key)):
        departure = pattern.next_departure(begin, label.time_ms)
        if departure is None:
            continue
        key = label.cost, departure
        if is_free and best is not None:
            if best <= key:
                continue
            boardings[-1] = (*boardings[-1][:3], begin + 1)
        best = key
        boardings.append((begin, departure, label, len(pattern.stops)))
    return boardings


def _walk_to_stops(
    ridden: Mapping[State, StopLabel], footpaths: Mapping[int, Mapping[int, int]], *, counts_walking: bool
) -> dict[State, StopLabel]:
    """Return the best labels for the next boarding, at the stop of arrival or after a walk to another stop.

    Args:
        ridden: labels at the stops where passengers get off.
        footpaths: metres on foot from each stop to stops nearby, by stop ids.
        counts_walking: whether the cost of a label is its metres on foot.
    """
    best: dict[State, StopLabel] = {}
    for (stop, used), label in sorted(ridden.items(), key=lambda item: item[0]):
        for onto, length in ((stop, 0), *footpaths.get(stop, {}).items()):
            time = label.time_ms + length * WALK_MS_M + CHANGE_MS
            key = label.cost + length * counts_walking, time
            if (onto, used) not in best or key < best[onto, used].key:
                best[onto, used] = StopLabel(*key, label.ride, label.previous, length)
    return best


def _best_arrival(
    ridden: Mapping[State, StopLabel], egress: Mapping[int, int], *, counts_walking: bool
) -> StopLabel | None:
    best: StopLabel | None = None
    for (stop, used), label in sorted(ridden.items(), key=lambda item: item[0]):
        if used and stop in egress:
            length = egress[stop]
            key = label.cost + length * counts_walking, label.time_ms + length * WALK_MS_M
            if best is None or key < best.key:
                best = StopLabel(*key, label.ride, label.previous, length)
    return best
