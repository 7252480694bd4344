"""A vehicle that enters a street later never leaves it earlier. Searching backwards in time is the exact inverse."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from planspec.families.mobilitybench.map.clock import DAY_MS, TrafficPeriods

HOUR = 3_600_000
CLOCK = TrafficPeriods((0, 7 * HOUR, 9 * HOUR, 20 * HOUR))
PERCENTS = st.lists(st.integers(1, 100), min_size=4, max_size=4)
TIMES = st.integers(-DAY_MS, 2 * DAY_MS)
WORK = st.integers(1, 5 * HOUR)


@given(TIMES, st.integers(0, HOUR), WORK, PERCENTS)
def test_a_vehicle_that_enters_a_street_later_never_leaves_it_earlier(
    time: int, later: int, work: int, percents: list[int]
) -> None:
    assert CLOCK.exit_ms(time, work, percents) <= CLOCK.exit_ms(time + later, work, percents)


@given(TIMES, WORK, PERCENTS)
def test_the_backward_search_gives_the_last_moment_to_enter(time: int, work: int, percents: list[int]) -> None:
    enter = -CLOCK.mirrored().exit_ms(-time, work, percents[::-1])
    assert CLOCK.exit_ms(enter, work, percents) <= time < CLOCK.exit_ms(enter + 1, work, percents)


def test_a_change_of_speed_affects_a_vehicle_within_a_street() -> None:
    half_way = 7 * HOUR - 10_000
    assert CLOCK.exit_ms(half_way, 15_000, [100, 50, 100, 100]) == 7 * HOUR + 10_000
    assert CLOCK.exit_ms(half_way, 10_000, [100, 50, 100, 100]) == 7 * HOUR
    assert CLOCK.exit_ms(0, 1, [3, 1, 1, 1]) == 34
    assert CLOCK.exit_ms(DAY_MS - 1_000, 2_000, [10, 1, 1, 100]) == DAY_MS + 10_000
