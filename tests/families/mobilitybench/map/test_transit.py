"""Routes by public transport are compared with all journeys in small towns, for all preferences and options."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.map import (
    City,
    Fare,
    Headway,
    NoRoute,
    Piece,
    Preference,
    Road,
    Route,
    Stop,
    TransitLine,
    grow_city,
    transit,
)
from planspec.families.mobilitybench.map.network import WALK_MS_M
from planspec.families.mobilitybench.map.rounds import CHANGE_MS, price
from planspec.families.mobilitybench.map.timetable import departure_minutes
from planspec.families.mobilitybench.map.transit import ACCESS_M, TRANSFER_M
from tests.families.mobilitybench.map.random_streets import served_towns, town
from tests.random_examples import examples

PREFERENCES = st.sampled_from(get_args(Preference))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_transfers": 0},
    {"max_transfers": 1},
    {"use_line": "L0"},
    {"use_line": "line 1"},
    {"avoid_lines": ["L0"]},
    {"modes": ["metro"]},
    {"use_line": "L0", "max_transfers": 1},
]
MOST = 2
"""Maximum number of transfers of enumerated journeys if the options do not limit it."""


def walk_length(city: City, a: int, b: int) -> int:
    """Return the length of the walk between two junctions of the row, in metres."""
    return sum(piece.length_m for piece in city.pieces[min(a, b) : max(a, b)])


def rides(line: TransitLine) -> Iterator[tuple[int, int, int, int, list[int]]]:
    """Yield the start, end, duration, length and departures of every ride of a line in either direction."""
    for step in (1, -1):
        stops, running, lengths = line.stops[::step], line.running_s[::step], line.lengths_m[::step]
        for i in range(len(stops)):
            before = sum(running[:i]) * 1000
            times = [m * 60_000 + d * 86_400_000 + before for m in departure_minutes(line) for d in (-1, 0, 1)]
            for j in range(i + 1, len(stops)):
                yield stops[i], stops[j], sum(running[i:j]) * 1000, sum(lengths[i:j]), sorted(times)


def journeys(
    city: City, lines: list[TransitLine], begin: int, most: int, *, back: bool
) -> Iterator[tuple[int, int, int, int, frozenset[int]]]:
    """Yield every journey from the first junction to the last that has at most `most` transfers.

    A journey is a tuple of its time, transfers, metres on foot, fare and lines. Each ride takes the first vehicle
    that can be reached. If `back` is true, journeys are built backwards, and each ride takes the last vehicle.
    """
    all_rides = [(line.id, line.fare, *ride) for line in lines for ride in rides(line)]
    goal = 0 if back else len(city.junctions) - 1
    start = len(city.junctions) - 1 - goal

    def extend(at: int, now: int, ridden: tuple[int, ...], foot: int, fare: int) -> Iterator[tuple[int, ...]]:
        if ridden and walk_length(city, at, goal) <= ACCESS_M:
            walk = walk_length(city, at, goal)
            end = now - walk * WALK_MS_M if back else now + walk * WALK_MS_M
            yield (abs(end - begin), len(ridden) - 1, foot + walk, fare, *ridden)
        if len(ridden) > most:
            return
        for line, tariff, a, b, takes, length, times in all_rides:
            board, leave = (b, a) if back else (a, b)
            walk = walk_length(city, at, board)
            if walk > (TRANSFER_M if ridden else ACCESS_M):
                continue
            gap = walk * WALK_MS_M + (CHANGE_MS if ridden else 0)
            paid = fare + price(tariff, length)
            if back:
                fit = [time for time in times if time + takes <= now - gap]
                if fit:
                    yield from extend(leave, fit[-1], (*ridden, line), foot + walk, paid)
            else:
                fit = [time for time in times if time >= now + gap]
                if fit:
                    yield from extend(leave, fit[0] + takes, (*ridden, line), foot + walk, paid)

    for time, transfers, foot, fare, *ridden in extend(start, begin, (), 0, 0):
        yield time, transfers, foot, fare, frozenset(ridden)


@settings(max_examples=examples(150), deadline=None)
@given(served_towns(), PREFERENCES, st.sampled_from(OPTIONS), st.integers(470, 500), st.booleans())
def test_no_enumerated_journey_is_better_than_the_route(
    city: City, prefer: Preference, options: dict[str, Any], time: int, back: bool
) -> None:
    request: dict[str, Any] = {"max_transfers": MOST, **options, "arrive_by" if back else "depart": time}
    a, b = city.junctions[0].point, city.junctions[-1].point
    answer = transit(city, a, b, prefer=prefer, **request)
    named = {line.name.casefold(): line.id for line in city.lines} | {f"l{x.id}": x.id for x in city.lines}
    use = request.get("use_line")
    if use is not None and use.casefold() not in named:
        assert isinstance(answer, NoRoute) and answer.reason == "unknown_name"
        return
    lines = [
        line
        for line in city.lines
        if f"L{line.id}" not in request.get("avoid_lines", ()) and line.mode in request.get("modes", (line.mode,))
    ]
    values = []
    for took, transfers, foot, fare, ridden in journeys(
        city, lines, time * 60_000, request["max_transfers"], back=back
    ):
        if use is None or named[use.casefold()] in ridden:
            values.append(
                {
                    "fastest": (took, transfers),
                    "fewest_transfers": (transfers, took),
                    "least_walking": (foot, took, transfers),
                    "cheapest": (fare, took, transfers),
                }[prefer]
            )
    if not values:
        assert isinstance(answer, NoRoute)
        return
    assert not isinstance(answer, NoRoute), answer
    route = answer[0]
    assert route.evidence.value == min(values)
    assert_satisfies(route, request)
    worth = {"fewest_transfers": route.transfers, "least_walking": route.walking_m, "cheapest": route.fare}
    assert worth.get(prefer, route.evidence.value[0]) == route.evidence.value[0]


def assert_satisfies(route: Route, options: dict[str, Any]) -> None:
    """Check that a route's steps comply with the options, and that their durations and lengths add up to the
    route's.
    """
    ridden = [step for step in route.steps if step.line is not None]
    assert len(ridden) - 1 == route.transfers <= options.get("max_transfers", 5)
    assert route.walking_m == sum(step.length_m for step in route.steps if step.mode == "walk")
    assert route.fare == sum(step.fare for step in ridden)
    assert route.duration_s == sum(step.duration_s + step.wait_s for step in route.steps)
    assert route.depart_s is not None and route.arrive_s == route.depart_s + route.duration_s
    if "arrive_by" in options:
        assert route.arrive_s <= options["arrive_by"] * 60
    else:
        assert route.depart_s == options["depart"] * 60
    assert all(one.polyline[-1] == other.polyline[0] for one, other in pairwise(route.steps))
    assert all(step.wait_s >= 0 and step.duration_s >= 0 for step in route.steps)


@settings(max_examples=examples(60), deadline=None)
@given(served_towns(), st.integers(474, 500))
def test_the_latest_departure_for_the_earliest_arrival_is_not_earlier(city: City, depart: int) -> None:
    a, b = city.junctions[0].point, city.junctions[-1].point
    forward = transit(city, a, b, depart=depart)
    if isinstance(forward, NoRoute):
        return
    arrive_min = forward[0].arrive_min
    assert arrive_min is not None
    back = transit(city, a, b, arrive_by=arrive_min)
    assert not isinstance(back, NoRoute)
    assert back[0].depart_s is not None and back[0].depart_s >= depart * 60


@cache
def chengdu() -> City:
    return grow_city("Chengdu", 1, 400)


@pytest.mark.parametrize("prefer", get_args(Preference))
@pytest.mark.parametrize("options", [{"depart": 480}, {"arrive_by": 1_100}])
def test_routes_in_a_grown_city_satisfy_the_options(prefer: Preference, options: dict[str, Any]) -> None:
    for one, other in ((3, 77), (50, 9), (110, 20)):
        answer = transit(
            chengdu(), chengdu().pois[one].point, chengdu().pois[other].point, prefer=prefer, alternatives=2, **options
        )
        assert not isinstance(answer, NoRoute)
        for route in answer:
            assert_satisfies(route, dict(options))
        if len(answer) == 2:
            gone = {step.line for step in answer[0].steps if step.line} - {
                step.line for step in answer[1].steps if step.line
            }
            assert gone


def test_a_transit_line_is_used_by_its_alias_and_avoided_by_its_name() -> None:
    metro = next(line for line in chengdu().lines if line.mode == "metro")
    a, b = chengdu().stops[metro.stops[0]].point, chengdu().stops[metro.stops[-1]].point
    used = transit(chengdu(), a, b, depart=480, use_line=metro.aliases[-1].upper())
    assert not isinstance(used, NoRoute)
    assert metro.name in {step.line for step in used[0].steps}
    shunned = transit(chengdu(), a, b, depart=480, avoid_lines=[metro.name])
    if not isinstance(shunned, NoRoute):
        assert metro.name not in {step.line for step in shunned[0].steps}
        assert f"line {metro.name}" in shunned[0].evidence.bans


def test_travellers_after_the_last_vehicle_wait_for_the_morning() -> None:
    metro = next(line for line in chengdu().lines if line.mode == "metro")
    a, b = chengdu().stops[metro.stops[0]].point, chengdu().stops[metro.stops[-1]].point
    night = transit(chengdu(), a, b, depart=1_430, modes=["metro"])
    assert not isinstance(night, NoRoute)
    assert night[0].steps[0].wait_s >= (330 + 10) * 60
    assert night[0].evidence.bans == ("all but metro",)


def town_in_a_row(*stops_of_lines: tuple[int, ...]) -> City:
    """Return junctions in a row, 2 km apart, and lines along some of them."""
    roads = [Road(0, "Road 0", "Way 0", "residential")]
    pieces = [Piece(n, n, n + 1, 0, 2_010) for n in range(3)]
    base = town([(28_000 * n, 0) for n in range(4)], roads, pieces)
    stops = [Stop(n, f"Stop {n}", f"Stop {n}", base.junctions[n].point, n) for n in range(4)]
    daily = (Headway(360, 1_320, 10),)
    lines = [
        TransitLine(
            n,
            f"Line {n}",
            (),
            "bus",
            at,
            (300,) * (len(at) - 1),
            (2_100,) * (len(at) - 1),
            daily,
            (),
            Fare(10),
        )
        for n, at in enumerate(stops_of_lines)
    ]
    return town([(28_000 * n, 0) for n in range(4)], roads, pieces, stops=stops, lines=lines)


@pytest.mark.parametrize(
    ("stops_of_lines", "options", "reason"),
    [
        ([(0, 1), (1, 2, 3)], {"max_transfers": 0}, "too_many_transfers"),
        ([(0, 1), (1, 2, 3)], {"avoid_lines": ["Line 1"]}, "banned"),
        ([(0, 1), (1, 2, 3)], {"modes": ["ferry"], "max_transfers": 0}, "banned"),
        ([(0, 1, 2)], {}, "no_service"),
        ([(0, 1, 2, 3), (1, 2)], {"use_line": "Line 1", "max_transfers": 0}, "too_many_transfers"),
        ([(0, 1, 2, 3)], {"use_line": "Line 7"}, "unknown_name"),
        ([(0, 1, 2, 3)], {"avoid_lines": ["Line 7"]}, "unknown_name"),
    ],
)
def test_the_reason_for_no_route_is_given(
    stops_of_lines: list[tuple[int, ...]], options: dict[str, Any], reason: str
) -> None:
    city = town_in_a_row(*stops_of_lines)
    answer = transit(city, city.junctions[0].point, city.junctions[3].point, depart=480, **options)
    assert isinstance(answer, NoRoute) and answer.reason == reason


def test_a_journey_agrees_with_one_computed_by_hand() -> None:
    city = town_in_a_row((0, 1), (1, 2, 3))
    answer = transit(city, city.junctions[0].point, city.junctions[3].point, depart=485)
    assert not isinstance(answer, NoRoute)
    route = answer[0]
    assert [(step.line, step.wait_s, step.duration_s, step.fare) for step in route.steps] == [
        ("Line 0", 300, 300, 10),
        ("Line 1", 300, 600, 10),
    ]
    assert (route.arrive_s, route.transfers, route.walking_m) == (29_100 + 300 + 300 + 600 + 300, 1, 0)


@pytest.mark.parametrize("options", [{}, {"depart": 1, "arrive_by": 2}, {"depart": 1, "max_transfers": -1}])
def test_contradictory_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        transit(chengdu(), chengdu().centre, chengdu().centre, **options)


@pytest.mark.parametrize(
    ("fare", "length", "cost"),
    [
        (Fare(200), 90_000, 200),
        (Fare(300, 6_000, 100, 6_000), 6_000, 300),
        (Fare(300, 6_000, 100, 6_000), 6_001, 400),
        (Fare(300, 6_000, 100, 6_000), 12_001, 500),
    ],
)
def test_a_fare_is_paid_for_each_zone_even_if_only_a_part_of_it_is_used(fare: Fare, length: int, cost: int) -> None:
    assert price(fare, length) == cost
