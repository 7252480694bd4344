"""Calendar, travel times and files of a city."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from planspec.families.worldtravel.generator.calendar import (
    UNBOOKED,
    draw_calendar,
    parse_clock,
    parse_duration,
    parse_weekdays,
)
from planspec.families.worldtravel.generator.city import CityFolder
from planspec.families.worldtravel.generator.routes import great_circle_metres, legs, taxi_fare
from planspec.suite_writing.options import UnsuitableSuiteError
from tests.families.worldtravel.generator.towns import FILES, write_town

JULY_1 = date(2026, 7, 1)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("mon-sun", range(7)),
        ("tue-thu", (1, 2, 3)),
        ("sat,sun", (5, 6)),
        ("fri-mon", (4, 5, 6, 0)),
        ("wed", (2,)),
    ],
)
def test_weekdays_may_be_lists_and_ranges(text: str, days: tuple[int, ...]) -> None:
    assert parse_weekdays(text) == frozenset(days)


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (parse_weekdays, "monday"),
        (parse_weekdays, "mon-"),
        (parse_clock, "9:5"),
        (parse_clock, "noon"),
        (parse_clock, "10:75"),
        (parse_duration, "an hour"),
        (parse_duration, ""),
    ],
)
def test_an_invalid_text_is_named_in_the_error(read: object, text: str) -> None:
    if text == "mon-":
        assert parse_weekdays(text) == {0}
        return
    with pytest.raises(UnsuitableSuiteError, match=f"`{text}`"):
        read(text)  # type: ignore[operator]


def test_hours_depend_on_the_weekday_except_on_special_days(town: CityFolder) -> None:
    result = draw_calendar(town, JULY_1, 7, 0)
    hours = {(w.owner, w.day): (w.open, w.close) for w in result.windows if w.owner in ("mill", "tower")}
    assert hours["mill", JULY_1] == (540, 1080)
    assert ("mill", date(2026, 7, 3)) not in hours
    assert hours["tower", date(2026, 7, 4)] == (840, 1200)
    assert ("tower", date(2026, 7, 6)) not in hours  # a Monday


def test_starts_are_within_opening_hours_and_some_are_sold_out(town: CityFolder) -> None:
    result = draw_calendar(town, JULY_1, 14, 0)
    at = {(e.offer, e.day, e.at): e.left for e in result.entries}
    assert {e.at for e in result.entries if e.offer == "tower_queue" and e.day == date(2026, 7, 4)} == set(
        range(840, 1111, 30)
    )
    assert not any(e.offer == "mill_ticket" and e.day == date(2026, 7, 3) for e in result.entries)
    assert {left for (offer, _, _), left in at.items() if offer == "lake_boat"} == {UNBOOKED}
    booked = [left for (offer, _, _), left in at.items() if offer != "lake_boat"]
    assert 0.1 < booked.count(0) / len(booked) < 0.45
    assert max(booked) == 8


def test_a_longer_calendar_extends_a_shorter_one_and_the_seed_determines_sold_out_starts(
    town: CityFolder,
) -> None:
    week, fortnight = draw_calendar(town, JULY_1, 7, 0), draw_calendar(town, JULY_1, 14, 0)
    assert fortnight.entries[: len(week.entries)] == week.entries
    other = draw_calendar(town, JULY_1, 7, 1)
    assert [(e.offer, e.day, e.at) for e in other.entries] == [(e.offer, e.day, e.at) for e in week.entries]
    assert other.entries != week.entries


def test_selling_more_places_never_increases_the_number_left(town: CityFolder) -> None:
    result = draw_calendar(town, JULY_1, 2, 0)
    free = next(e for e in result.entries if e.left > 1)
    gone = next(e for e in result.entries if e.left == 0)
    sold = result.with_places_left({(free.offer, free.day, free.at): 1, (gone.offer, gone.day, gone.at): 5})
    left = {(e.offer, e.day, e.at): e.left for e in sold.entries}
    assert left[free.offer, free.day, free.at] == 1
    assert left[gone.offer, gone.day, gone.at] == 0
    assert len(sold.entries) == len(result.entries)


def test_a_day_has_the_offers_that_have_starts_on_it(town: CityFolder) -> None:
    result = draw_calendar(town, JULY_1, 7, 0)
    monday = date(2026, 7, 6)
    assert result.offers_on([monday]) == {"mill_ticket", "lake_boat", "inn_table", "bar_table"}
    assert "tower_fast" in result.offers_on([monday, monday + timedelta(days=-1)])


def test_travel_times_follow_great_circles_and_the_connections_missing_in_the_files_are_missing(
    town: CityFolder,
) -> None:
    result = {(leg.origin, leg.to, leg.mode): leg for leg in legs(town)}
    # 0.01 degrees of longitude at 52 degrees north are 684.6 m, or 890 m by street: 11 minutes on foot, 7 + 3 by bus
    # and 3 + 2 by taxi
    assert great_circle_metres((52, 13), (52, 13.01)) == pytest.approx(684.6, abs=0.2)
    walk, bus, taxi = (result["mill", "tower", mode] for mode in ("foot", "bus", "taxi"))
    assert (walk.minutes, bus.minutes, taxi.minutes) == (11, 10, 5)
    assert (walk.cents, bus.cents, taxi.cents) == (0, 300, 670)  # 4.00 + 0.89 * 3.00
    assert result["mill", "inn", "foot"].minutes is None
    assert result["inn", "mill", "foot"].minutes == 6
    assert not any(origin in ("oak", "elm") and to in ("oak", "elm") for origin, to, _ in result)


def test_a_taxi_costs_less_per_kilometre_over_longer_distances(town: CityFolder) -> None:
    assert taxi_fare(town.head.taxi, 2000) == 1000
    assert taxi_fare(town.head.taxi, 5000) == 1600


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (
            {"starts_csv": FILES["starts.csv"] + "mill_ticket,mon-sun,08:00\n"},
            "starts.csv:10: the line has more or fewer cells",
        ),
        (
            {"city_yaml": FILES["city.yaml"].replace("days: 14", "days: many")},
            "city.yaml:6: days: it must be a whole number",
        ),
        ({"city_yaml": FILES["city.yaml"] + "mayor: Smith\n"}, "city.yaml:14: mayor: there is no such key"),
        ({"city_yaml": "id: [\n"}, "city.yaml: "),
        (
            {"scenarios_yaml": FILES["scenarios.yaml"].replace("meal: lunch, say", "meals: lunch, say")},
            "scenarios.yaml:25: places.inn.wishes[1].meals: there is no such key",
        ),
    ],
)
def test_mistakes_of_an_author_are_reported_with_their_position(
    tmp_path: Path, changed: dict[str, str], text: str
) -> None:
    with pytest.raises(UnsuitableSuiteError) as caught:
        _read_all_files(write_town(tmp_path / "town", **changed))
    assert text in str(caught.value)


def _read_all_files(folder: Path) -> None:
    """Read every file of a city's folder, so that mistakes raise errors."""
    city = CityFolder.read(folder)
    draw_calendar(city, JULY_1, 7, 0)
    assert city.scenarios.cores


def test_a_folder_without_one_of_the_files_is_not_a_city(tmp_path: Path) -> None:
    folder = write_town(tmp_path / "town")
    (folder / "menu.csv").unlink()
    with pytest.raises(UnsuitableSuiteError, match=r"is not a city: it has no menu\.csv"):
        CityFolder.read(folder)
