"""A region has real cities at their true positions in one street network, trains and flights, and real holidays."""

from __future__ import annotations

from collections import Counter
from datetime import date
from functools import cache

import pytest

from planspec.families.mobilitybench.drawing import Town
from planspec.families.mobilitybench.live import LiveTools
from planspec.families.mobilitybench.map import (
    City,
    LineMode,
    NoRoute,
    Poi,
    Point,
    atlas,
    drive,
    dump,
    find_pois,
    find_spec,
    forecast,
    grow_city,
    grow_region,
    metres,
    move_to_day,
    nearby,
    open_hours,
    reverse_geocode,
    town_of,
    traffic_on,
    transit,
    walk,
    weather_on,
)
from planspec.families.mobilitybench.map.days import day_kind, holiday_name
from planspec.families.mobilitybench.map.network import network
from planspec.families.mobilitybench.map.specs import city_spec
from planspec.families.mobilitybench.map.storing import _first_fault

MONDAY, SUNDAY, HOLIDAY = date(2026, 5, 11), date(2026, 5, 10), date(2026, 10, 1)
NAMES = ("Hefei", "Munich", "Tokyo", "Singapore", "San Pawl il-Baħar")


@cache
def region(name: str, day: date = MONDAY) -> City:
    """Return a region generated with a fixed seed, on the given day."""
    return grow_region(name, 3, day)


def place(city: City, category: str, town: int) -> Poi:
    """Return the first place of a category in a town of a city's region, given by the index of the town."""
    return next(poi for poi in city.pois if poi.category == category and poi.town == town)


# ------------------------------------------------------------------ the table of cities


def test_cities_are_those_of_twenty_two_countries() -> None:
    """Each city has its names, its location and its country's side of the road and currency. All names are
    distinct.
    """
    cities = atlas()
    assert len(cities) >= 350 and len({spec.code for spec in cities}) == 22
    assert len({spec.english for spec in cities}) == len({spec.name for spec in cities}) == len(cities)
    assert {spec.language for spec in cities} == {"zh", "en", "de", "ja"}
    for name, x, y in (
        ("合肥", 117.28, 31.86),
        ("Wien", 16.37, 48.21),
        ("düsseldorf", 6.78, 51.22),
        ("札幌市", 141.35, 43.07),
    ):
        spec = find_spec(name)
        assert spec is not None and abs(spec.longitude / 1e6 - x) < 0.1 > abs(spec.latitude / 1e6 - y)
    assert city_spec("Munich").name == "München" and city_spec("Kyoto").province == "京都府"
    assert find_spec("Atlantis") is None


# ------------------------------------------------------------------ streets and lines


@pytest.mark.parametrize("name", NAMES)
def test_a_region_is_one_sound_network(name: str) -> None:
    city = region(name)
    assert _first_fault(city) is None
    for names in (
        [road.name for road in city.roads],
        [poi.name for poi in city.pois],
        [stop.name for stop in city.stops],
        [line.name for line in city.lines],
    ):
        assert not [one for one, count in Counter(names).items() if count > 1]
    for piece in city.pieces:
        ends = city.junctions[piece.tail].point, city.junctions[piece.head].point
        assert piece.length_m >= metres(*ends) - 1
    towns = {poi.town for poi in city.pois} | {door.town for door in city.addresses}
    assert towns == set(range(len(city.others) + 1))


def test_other_cities_are_at_their_real_locations() -> None:
    city = region("Hefei")
    assert len(city.others) >= 5
    for number, other in enumerate(city.others, 1):
        spec = city_spec(other.english)
        assert (other.name, other.province, spec.code) == (spec.name, spec.province, "CN")
        middle = place(city, "city", number)
        assert middle.name == spec.name and metres(middle.point, other.centre) < 1_500
        assert spec.name in middle.address
    away = sorted(metres(city.centre, other.centre) for other in city.others)
    assert away[0] < 260_000 and away[-1] > 800_000


def test_every_place_is_reached_by_car_with_and_without_motorways() -> None:
    """Tolls are paid only on motorways, and each place has a route that avoids motorways."""
    city = region("Hefei")
    start = place(city, "railway_station", 0).point
    for poi in city.pois:
        if poi.category == "city" and poi.point != start:
            fast, free = drive(city, start, poi.point), drive(city, start, poi.point, avoid_motorways=True)
            assert not isinstance(fast, NoRoute) and not isinstance(free, NoRoute)
            assert fast[0].duration_s <= free[0].duration_s and free[0].toll == 0
    far = drive(city, start, place(city, "city", 1).point, depart=540)
    assert not isinstance(far, NoRoute) and far[0].toll > 1_000
    assert isinstance(walk(city, start, place(city, "city", 1).point), NoRoute)


def test_trains_and_flights_leave_from_the_station_and_the_airport() -> None:
    city = region("Hefei")
    start, far = place(city, "railway_station", 0).point, len(city.others)
    last_modes: tuple[LineMode, LineMode] = ("train", "flight")
    for last in last_modes:
        modes: tuple[LineMode, ...] = ("bus", "metro", last)
        answer = transit(city, start, place(city, "city", far).point, depart=420, modes=modes)
        assert not isinstance(answer, NoRoute)
        rides = [step for step in answer[0].steps if step.line is not None]
        assert rides[-1].mode == last and str(rides[0].start)
        if last == "flight":
            assert rides[0].line == "机场专线" and answer[0].fare > 20_000


def test_a_region_depends_on_its_seed() -> None:
    assert dump(grow_region("Munich", 3, MONDAY)) == dump(region("Munich"))
    assert dump(grow_region("Munich", 4, MONDAY)) != dump(region("Munich"))
    with pytest.raises(KeyError, match="no city 'Atlantis'"):
        grow_region("Atlantis")


# ------------------------------------------------------------------ looking things up


def test_places_of_a_city_come_first_and_names_are_found_everywhere() -> None:
    city = region("Hefei")
    other = city.others[0]
    hotels = find_pois(city, "酒店", town=town_of(city, other.name))
    assert hotels and {match.poi.town for match in hotels} == {1}
    assert {match.poi.town for match in find_pois(city, "酒店", town=0, limit=50)} == {0}
    station = place(city, "railway_station", 1)
    assert find_pois(city, station.name, town=0)[0].poi is station
    assert town_of(city, "HEFEI") == 0 and town_of(city, other.name.removesuffix("市")) == 1
    assert town_of(city, "Atlantis") is None


def test_nearby_places_are_found_far_from_the_centre() -> None:
    """Far from the centre the flat map is distorted, but the square that is searched still contains the circle. An
    address contains the name of its own city.
    """
    city = region("Hefei")
    for number, other in enumerate(city.others, 1):
        own = [poi for poi in city.pois if poi.town == number]
        near_ids = {near.poi.id for near in nearby(city, other.centre, 2_000)}
        assert near_ids == {poi.id for poi in own if metres(poi.point, other.centre) <= 2_000} != set()
        address = reverse_geocode(city, own[0].point)
        assert address is not None and (address.city, address.province) == (other.name, other.province)
        assert address.formatted.startswith(other.province) and address.formatted.count(other.name) == 1
    assert network(city).nearest("drive", Point(100_000_000, 10_000_000)) is not None  # far outside the region


def test_every_city_has_weather() -> None:
    """The weather of a city on a day does not depend on the current day or on the region."""
    city = region("Hefei")
    tomorrow, *_ = forecast(city, 4, "杭州")
    assert tomorrow.day == "2026-05-12" and "杭州市" in tomorrow.description
    assert weather_on(region("Hefei", date(2026, 5, 12)), name="Hangzhou") == tomorrow
    assert weather_on(region("Tokyo"), "2026-05-12", "Hefei") == weather_on(city, "2026-05-12")
    assert weather_on(city, name="Atlantis") is None and weather_on(city, name="合肥") == city.weather[0]


def test_seasons_follow_the_hemisphere() -> None:
    def highest_temperature(name: str, day: date) -> float:
        return sum(w.high_c for w in grow_city(name, 0, 150, day).weather) / 10

    winter, summer = date(2026, 1, 12), date(2026, 7, 13)
    assert highest_temperature("Beijing", winter) + 12 < highest_temperature("Beijing", summer)
    assert highest_temperature("Melbourne", winter) > highest_temperature("Melbourne", summer) + 8
    assert abs(highest_temperature("Singapore", winter) - highest_temperature("Singapore", summer)) < 4
    cold = [w for seed in range(5) for w in grow_city("Harbin", seed, 150, winter).weather]
    assert any(w.condition == "light snow" and w.high_c <= 1 and w.rain_mm for w in cold)
    assert not any("rain" in w.condition and w.high_c <= 1 for w in cold)


# ------------------------------------------------------------------ days


def test_workdays_and_holidays_follow_the_country() -> None:
    assert [day_kind("CN", day) for day in (MONDAY, SUNDAY, HOLIDAY)] == ["workday", "weekend", "holiday"]
    assert (
        day_kind("CN", date(2026, 10, 10)) == "workday"
    )  # a Saturday that is a working day in China, in exchange for a longer holiday
    assert day_kind("DE", date(2026, 10, 10)) == "weekend" and day_kind("DE", date(2026, 10, 1)) == "workday"
    assert holiday_name("US", date(2026, 7, 4)) is not None and holiday_name("GB", date(2026, 7, 4)) is None
    assert day_kind("", date(2031, 7, 4)) == "workday"  # only weekends are known for other years and countries


def test_traffic_timetables_and_opening_hours_follow_the_day() -> None:
    work, rest = region("Hefei"), region("Hefei", HOLIDAY)
    peak = [traffic_on(city, road.name, 480) for city in (work, rest) for road in city.roads if road.kind == "primary"]
    speeds = [status.percent for status in peak if status is not None]
    half = len(speeds) // 2
    assert sum(speeds[:half]) + 20 * half < sum(speeds[half:])
    assert [road.name for road in work.roads] == [road.name for road in rest.roads]

    def departures(city: City, mode: str) -> int:
        return sum(
            len(line.departures_min) + sum((h.before_min - h.first_min) // h.every_min for h in line.headways)
            for line in city.lines
            if line.mode == mode
        )

    assert departures(work, "metro") > departures(rest, "metro") and departures(work, "train") < departures(
        rest, "train"
    )
    bank, hotel = place(work, "bank", 0), place(work, "hotel", 0)
    assert open_hours(work, bank) in {"09:00-17:00", "09:30-17:30"} and open_hours(rest, bank) == "closed"
    assert open_hours(rest, hotel) == "00:00-24:00"
    answer = LiveTools(rest, 600).call("poi_query", {"keywords": bank.name})
    assert answer["pois"][0]["open"] == "closed"


def test_accidents_are_described_and_slow_a_road_down() -> None:
    city = region("Hefei")
    hit = [t for t in city.traffic if "交通事故" in t.description]
    assert 0 < len(hit) < len(city.roads) // 10
    for event in hit:
        others = [t.percent for t in city.traffic if t.road == event.road and t.period != event.period]
        assert event.percent <= max(others) * 0.7
        minute = event.description.split("发生")[0][-5:]
        period = city.periods[event.period]
        assert period.start_min <= int(minute[:2]) * 60 + int(minute[3:]) < period.end_min


def test_the_traffic_of_a_district_is_that_of_its_slowest_road() -> None:
    city = region("Hefei")
    status = traffic_on(city, city.districts[0], 480)
    assert status is not None and any(
        door.road == status.road.id and door.district == city.districts[0] for door in city.addresses
    )
    assert traffic_on(city, status.road.name, 480) == status


def test_a_map_can_be_moved_to_another_day() -> None:
    city = grow_city("Boston", 2, 150)
    other = move_to_day(city, date(2026, 7, 4))
    assert other.today == "2026-07-04" and other.weather[0].day == "2026-07-04" and other.junctions is city.junctions
    night = {t.road: t.percent for t in city.traffic if t.period == 0}
    assert all(t.percent <= night[t.road] for t in other.traffic)


# ------------------------------------------------------------------ destinations


def test_a_public_toilet_is_never_a_destination() -> None:
    town = Town(region("Hefei"))
    assert {"toilet", "police"} <= {poi.category for poi in town.city.pois}
    assert not {"toilet", "police"} & set(town.destinations) and {"airport", "city", "sight"} <= set(town.destinations)
    weight = {kind: sum(town.weights[poi.id] for poi in some) for kind, some in town.destinations.items()}
    assert weight["parking"] < weight["museum"] < weight["airport"] < weight["railway_station"]
    assert {door.town for door in town.addresses} == {0}
