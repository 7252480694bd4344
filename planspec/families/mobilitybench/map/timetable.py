"""Timetables: the trips of each line in both directions over several days, also mirrored for backward searches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from planspec.families.mobilitybench.map.records import TransitLine

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class Pattern:
    """Trips of a line in one direction. No trip overtakes another.

    Attributes:
        line: id of the line.
        stops: ids of the stops, in order.
        offsets_ms: running time from the first stop to each stop.
        along_m: distance from the first stop to each stop.
        departures_ms: departures from the first stop in milliseconds after today's midnight, ascending. They cover
            four days, from yesterday on.
    """

    line: int
    stops: tuple[int, ...]
    offsets_ms: tuple[int, ...]
    along_m: tuple[int, ...]
    departures_ms: tuple[int, ...]

    def next_departure(self, at: int, time_ms: int) -> int | None:
        """Find the next trip that can be boarded at a stop.

        Args:
            at: index of the stop.
            time_ms: earliest time of boarding.

        Returns:
            The departure of the trip from its first stop, in milliseconds; None if no trip is left.
        """
        index = bisect_left(self.departures_ms, time_ms - self.offsets_ms[at])
        return self.departures_ms[index] if index < len(self.departures_ms) else None

    def mirror(self) -> Pattern:
        """Return the same trips on a mirrored clock (time `t` becomes `-t`), with the last stop first."""
        last_ms, last_m = self.offsets_ms[-1], self.along_m[-1]
        return Pattern(
            self.line,
            self.stops[::-1],
            tuple(last_ms - offset for offset in reversed(self.offsets_ms)),
            tuple(last_m - along for along in reversed(self.along_m)),
            tuple(-last_ms - departure for departure in reversed(self.departures_ms)),
        )


def departure_minutes(line: TransitLine) -> list[int]:
    """Return a line's daily departures from either end, in minutes after midnight, ascending."""
    departures = set(line.departures_min)
    for headway in line.headways:
        departures.update(range(headway.first_min, headway.before_min, headway.every_min))
    return sorted(departures)


def line_patterns(line: TransitLine) -> tuple[Pattern, Pattern]:
    """Return the trips of a line in the order of its stops, and in the opposite direction."""
    daily = departure_minutes(line)
    times = sorted({minute * 60_000 + day * DAY_MS for minute in daily for day in (-1, 0, 1, 2)})
    directions = []
    for step in (1, -1):
        running: Sequence[int] = line.running_s[::step]
        lengths: Sequence[int] = line.lengths_m[::step]
        offsets = tuple(accumulate((seconds * 1000 for seconds in running), initial=0))
        along = tuple(accumulate(lengths, initial=0))
        directions.append(Pattern(line.id, line.stops[::step], offsets, along, tuple(times)))
    return directions[0], directions[1]
