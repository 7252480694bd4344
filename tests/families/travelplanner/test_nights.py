"""Number of nights that are not yet committed in a monitor, and the last night of a trip."""

from __future__ import annotations

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.families.travelplanner.nights import NoNightsError, is_final_accommodation_day, remaining_nights
from planspec.monitor import Monitor
from tests.planspec.monitor.small_trip import DAYS, TEXT, small_trip
from tests.planspec.monitor.test_monitor import INN, day


@pytest.fixture
def monitor() -> Monitor:
    return Monitor(small_trip())


def test_remaining_nights_depend_on_committed_days(monitor: Monitor) -> None:
    assert remaining_nights(monitor, "rome") == 3
    assert [remaining_nights(monitor, "Rome", n) for n in (1, 2, 3, 4)] == [3, 2, 1, 0]
    monitor.commit(day(2, city="Oslo"))
    assert [remaining_nights(monitor, "Rome", d) for d in DAYS] == [1, 0, 1, 0]
    assert remaining_nights(monitor, "Oslo") == 3
    monitor.commit(day(3, hotel=INN))
    assert remaining_nights(monitor, "Oslo") == 2


def test_the_last_night_is_the_one_before_the_last_day(monitor: Monitor) -> None:
    assert [is_final_accommodation_day(monitor, n) for n in (1, 2, 3, 4)] == [False, False, True, False]
    assert is_final_accommodation_day(monitor, "2026-07-03")


@pytest.mark.parametrize(
    ("city", "when"), [("Paris", 1), ("Rome", 5), ("Rome", 0), ("Rome", "soon"), ("Rome", "2026-08-01")]
)
def test_nights_of_unknown_days_and_cities_are_an_error(monitor: Monitor, city: str, when: int | str) -> None:
    with pytest.raises(NoNightsError):
        remaining_nights(monitor, city, when)


def test_a_task_without_a_trip_has_no_nights() -> None:
    parts = "planspec: task/1\nid: parts\nquery: q\nplan: {boxes: {name: key text}}\n"
    with pytest.raises(NoNightsError):
        is_final_accommodation_day(Monitor(task_from_text(parts)), 1)


@pytest.mark.slow
def test_with_look_ahead_remaining_nights_respect_the_rules() -> None:
    plain, ahead = Monitor(small_trip()), Monitor(small_trip(), look_ahead=True)
    no_oslo = TEXT.replace(
        "hard: any(d.city == Oslo for d in days)", "hard: count(d for d in days if d.city == Oslo) >= 2"
    )
    strict = Monitor(task_from_text(no_oslo), look_ahead=True)
    assert [remaining_nights(m, "Rome") for m in (plain, ahead, strict)] == [3, 3, 2]
