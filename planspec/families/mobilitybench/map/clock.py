"""The time that a piece of road takes at a time of day, exactly, in whole milliseconds.

A driver who enters a piece has so much work before him: its time at free speed. Traffic lets him do a given percent of
it in each period, and the percent changes while he is on the way, so that whoever enters later never leaves earlier
(first in, first out), which is what makes label setting exact [Ichoua, Gendreau, Potvin, "Vehicle dispatching with
time-dependent travel times", 2003]. The same function on a mirrored clock runs backwards, from a time of arrival to the
last time of departure: rounding up there is rounding down here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class TrafficPeriods:
    """The periods of every day.

    Attributes:
        starts_ms: when each period starts, the first at 0.
    """

    starts_ms: tuple[int, ...]

    @property
    def ends_ms(self) -> tuple[int, ...]:
        """When each period ends."""
        return (*self.starts_ms[1:], DAY_MS)

    def mirrored(self) -> TrafficPeriods:
        """The same clock running backwards: time `t` becomes `-t`, and the order of periods is turned round."""
        return TrafficPeriods(tuple(DAY_MS - end for end in reversed(self.ends_ms)))

    def within(self, begin_ms: int, lasting_ms: int) -> tuple[int, ...]:
        """The periods of which a time is a part, in their order in the day: all if it lasts as long as a day."""
        if lasting_ms >= DAY_MS:
            return tuple(range(len(self.starts_ms)))
        found = {bisect_right(self.starts_ms, begin_ms % DAY_MS) - 1}
        for n, start in enumerate(self.starts_ms):
            found |= {n} if (start - begin_ms) % DAY_MS <= lasting_ms else set()
        return tuple(sorted(found))

    def leave(self, enter_ms: int, free_ms: int, percents: Sequence[int]) -> int:
        """The first whole millisecond at which a piece is left.

        Args:
            enter_ms: after midnight; may be negative or past a day.
            free_ms: the time at free speed.
            percents: of free speed, in each period; all positive.
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
