"""Search for the best journeys by public transport with one ride, two rides and so on, to every stop.

The algorithm follows RAPTOR [Delling, Pajor, Werneck, "Round-based public transit routing", 2015]. It keeps one label
(cost, time) for each stop, each number of rides, and each state of whether a required line has been used. The cost does
not depend on the clock: it is metres on foot, money, or nothing. Within a round, labels are ordered by cost and then by
time. Since a later passenger never overtakes, the best label always extends a best label. A search backwards from the
end runs on mirrored trips.
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
"""A stop, and whether a line that the query requires has been used."""
CHANGE_MS = 60_000
"""Time for a change between two vehicles, in milliseconds, in addition to the walk."""


@dataclass(frozen=True, slots=True)
class Ride:
    """A ride in the order of the search. In a backward search it therefore begins where passengers leave the vehicle.

    Attributes:
        pattern: index of the pattern (the trips of a line in one direction) in `Trips.patterns`.
        begin: index in the pattern of the stop where the ride begins.
        finish: index in the pattern of the stop where it ends.
        departure_ms: departure of the trip at the pattern's first stop, in milliseconds.
    """

    pattern: int
    begin: int
    finish: int
    departure_ms: int


@dataclass(frozen=True, slots=True)
class StopLabel:
    """The best way to reach a stop with a number of rides.

    Attributes:
        cost: metres on foot or money, as the query requests.
        time_ms: time of arrival on the search's clock.
        ride: the last ride; None if there is none yet.
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
    """A query for journeys.

    Attributes:
        access: metres on foot from the origin to each stop near it.
        egress: metres on foot from each stop near the destination to it.
        begin_ms: start on the search's clock.
        price: quantity that serves as the cost of a journey.
        use_lines: ids of lines, at least one of which must be used; empty without this requirement.
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
        boardings: by stop, the patterns that can be boarded there, as pairs of the pattern's index and the stop's
            position in the pattern.
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

    If more rides are no better than fewer, their label may be None or worse than the best.

    Args:
        query: the query.
        trips: trips of all lines.
        fares: fares by line.
        footpaths: metres between stops, in the search's direction.
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
        # A label no better than a label with fewer rides, or than an arrival, is not part of a best journey.
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
    """Return the useful boardings of a pattern's trips.

    Each is the index of the stop, the departure of the trip at the first stop, the label at the stop, and the
    index of the stop before which the boarding is useful. If rides cost nothing, a better boarding at a later
    stop replaces it from there on.

    Args:
        pattern: the pattern.
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
    """Return the best labels for the next boarding, at the same stop or after a walk to another."""
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
