"""Exact travel time of a piece of road at a time of day, in whole milliseconds.

A piece is an amount of work: its travel time at free speed. In each period of the day, traffic reduces the speed to a
percentage of free speed, also for drivers who are already on the piece. A later entry therefore never leads to an
earlier exit (first in, first out), so label-setting search is exact [Ichoua, Gendreau, Potvin, "Vehicle dispatching
with time-dependent travel times", 2003]. On a mirrored clock (time `t` becomes `-t`), the same function computes the
latest departure from a time of arrival. Rounding up on the mirrored clock is rounding down on the real clock.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class TrafficPeriods:
    """Periods of the day. Traffic is constant within a period.

    Attributes:
        starts_ms: start of each period in milliseconds after midnight; the first is 0.
    """

    starts_ms: tuple[int, ...]

    @property
    def ends_ms(self) -> tuple[int, ...]:
        """End of each period in milliseconds after midnight."""
        return (*self.starts_ms[1:], DAY_MS)

    def mirrored(self) -> TrafficPeriods:
        """Return the periods for a clock that runs backwards: time `t` becomes `-t`, and the order is reversed."""
        return TrafficPeriods(tuple(DAY_MS - end for end in reversed(self.ends_ms)))

    def periods_during(self, begin_ms: int, duration_ms: int) -> tuple[int, ...]:
        """Return the sorted indices of the periods that overlap an interval; all periods if it lasts a day or more."""
        if duration_ms >= DAY_MS:
            return tuple(range(len(self.starts_ms)))
        periods = {bisect_right(self.starts_ms, begin_ms % DAY_MS) - 1}
        for n, start in enumerate(self.starts_ms):
            periods |= {n} if (start - begin_ms) % DAY_MS <= duration_ms else set()
        return tuple(sorted(periods))

    def exit_ms(self, enter_ms: int, free_ms: int, percents: Sequence[int]) -> int:
        """Return the first whole millisecond at which a driver has left the piece.

        Args:
            enter_ms: time of entry in milliseconds after midnight; it may be negative or beyond a day.
            free_ms: travel time of the piece at free speed, in milliseconds.
            percents: percentages of free speed in each period; all positive.
        """
        of_day = enter_ms % DAY_MS
        period = bisect_right(self.starts_ms, of_day) - 1
        work = free_ms * 100
        last = len(self.starts_ms) - 1
        while True:
            room_ms = (self.starts_ms[period + 1] if period < last else DAY_MS) - of_day
            percent = percents[period]
            if work <= room_ms * percent:
                return enter_ms - (-work // percent)
            work -= room_ms * percent
            enter_ms += room_ms
            period = 0 if period == last else period + 1
            of_day = self.starts_ms[period]
