"""Routes by car are optimal: with each option as good as by enumeration, and as good as by Bellman-Ford."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby, pairwise, product
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.families.mobilitybench.map import (
    City,
    NoRoute,
    Piece,
    Point,
    Road,
    Route,
    drive,
    grow_city,
    metres,
)
from planspec.families.mobilitybench.map.network import WALK_MS_M, network
from tests.families.mobilitybench.map.enumerating import (
    Arc,
    Crossing,
    arcs,
    exit_ms,
    free_ms,
    head,
    is_reachable,
    last_entry_ms,
    least_value,
    tail,
    turn_ms,
)
from tests.families.mobilitybench.map.random_streets import CENTRE, town, towns
from tests.random_examples import examples

DEPART = st.integers(476, 486)
AIMS: list[dict[str, Any]] = [
    dict(zip(("fewest_lights", "prefer_motorways", "shortest"), flags, strict=True))
    for flags in product((False, True), repeat=3)
]


def static(aim: dict[str, Any]) -> Callable[[City], Callable[[int, Piece], tuple[int, ...]]]:
    """Return a function that takes a city, and returns a function for the criteria that do not depend on time.

    The inner function takes a number of traffic lights and a piece of a street, and returns the requested criteria of
    `aim`, for example the length in metres for `shortest`.
    """

    def criteria_in(city: City) -> Callable[[int, Piece], tuple[int, ...]]:
        def added_amounts(lights: int, piece: Piece) -> tuple[int, ...]:
            fast = city.roads[piece.road].kind == "motorway"
            values = {
                "fewest_lights": lights,
                "prefer_motorways": piece.length_m * (1 if fast else 3),
                "shortest": piece.length_m,
            }
            return tuple(value for name, value in values.items() if aim[name])

        return added_amounts

    return criteria_in


PLAIN = static(AIMS[0])


def exit_at_free_speed_ms(city: City, arc: Arc, at: int) -> int:
    """Return the time in milliseconds at which a vehicle that enters a piece of street at `at` leaves it without traffic."""
    return at + free_ms(city, arc)


def places(city: City) -> tuple[Point, Point]:
    """Return the locations of the first and the last junction, used as start and destination."""
    return city.junctions[0].point, city.junctions[-1].point


def bans_nothing(piece: Piece) -> bool:
    return False


def best_route(answer: tuple[Route, ...] | NoRoute) -> Route:
    """Return the first route in an answer, which must contain one."""
    assert not isinstance(answer, NoRoute), answer
    return answer[0]


def assert_optimal(
    answer: tuple[Route, ...] | NoRoute,
    city: City,
    aim: dict[str, Any],
    begin: int,
    cross: Crossing,
    banned: Callable[[Piece], bool] = bans_nothing,
    *,
    back: bool = False,
) -> None:
    """Check that the answer is an optimal route. If it says that there is no route, check that none exists."""
    start_and_goal = (0, len(city.junctions) - 1)
    if isinstance(answer, NoRoute):
        assert not is_reachable(city, *start_and_goal, banned)
        return
    claim = answer[0].evidence.value
    assert least_value(city, start_and_goal, banned, static(aim)(city), begin, claim, cross, back=back) == claim


@settings(max_examples=examples(60), deadline=None)
@given(towns(), st.sampled_from(AIMS))
def test_no_enumerated_route_is_better_than_the_planned_one_at_free_speed(city: City, aim: dict[str, Any]) -> None:
    assert_optimal(drive(city, *places(city), **aim), city, aim, 0, exit_at_free_speed_ms)


@settings(max_examples=examples(60), deadline=None)
@given(towns(), st.sampled_from(AIMS), DEPART)
def test_no_enumerated_route_is_better_than_the_planned_one_in_traffic(
    city: City, aim: dict[str, Any], depart: int
) -> None:
    assert_optimal(drive(city, *places(city), depart=depart, **aim), city, aim, depart * 60_000, exit_ms)


@settings(max_examples=examples(60), deadline=None)
@given(towns(), st.sampled_from(AIMS), DEPART)
def test_no_enumerated_route_leaves_later_than_the_planned_one_and_arrives_in_time(
    city: City, aim: dict[str, Any], by: int
) -> None:
    answer = drive(city, *places(city), arrive_by=by, **aim)
    assert_optimal(answer, city, aim, by * 60_000, last_entry_ms, back=True)
    if not isinstance(answer, NoRoute):
        assert answer[0].arrive_s is not None and answer[0].arrive_s <= by * 60


@settings(max_examples=examples(60), deadline=None)
@given(towns(), DEPART)
def test_the_latest_departure_for_the_earliest_arrival_is_not_before_the_departure(city: City, depart: int) -> None:
    a, b = places(city)
    forward = drive(city, a, b, depart=depart)
    if isinstance(forward, NoRoute):
        return
    arrive_min = forward[0].arrive_min
    assert arrive_min is not None
    back = best_route(drive(city, a, b, arrive_by=arrive_min))
    assert back.depart_s is not None and back.depart_s >= depart * 60
    leave_min = back.depart_s // 60
    again = best_route(drive(city, a, b, depart=leave_min))
    assert again.arrive_s is not None and again.arrive_s <= arrive_min * 60
    late = best_route(drive(city, a, b, depart=leave_min + 1))
    assert (late.arrive_s is not None and late.arrive_s > arrive_min * 60) or back.depart_s == leave_min * 60 + 60


@settings(max_examples=examples(60), deadline=None)
@given(
    towns(),
    st.booleans(),
    st.booleans(),
    st.lists(st.sampled_from(["Road 0", "way 1", "ROAD 2"]), unique=True, max_size=2),
)
def test_bans_are_respected_and_the_best_remaining_route_is_found(
    city: City, tolls: bool, motorways: bool, roads: list[str]
) -> None:
    a, b = places(city)
    closed = {int(name[-1]) for name in roads}

    def is_banned(piece: Piece) -> bool:
        kind = city.roads[piece.road].kind
        return bool((tolls and piece.toll) or (motorways and kind == "motorway") or piece.road in closed)

    answer = drive(city, a, b, avoid_tolls=tolls, avoid_motorways=motorways, avoid_roads=roads, depart=480)
    assert_optimal(answer, city, AIMS[0], 480 * 60_000, exit_ms, is_banned)
    if isinstance(answer, NoRoute):
        anyway = is_reachable(city, 0, len(city.junctions) - 1, bans_nothing)
        assert answer.reason == ("banned" if anyway else "disconnected")
        return
    route = answer[0]
    assert not (tolls and route.toll)
    assert not {step.road for step in route.steps} & {f"Road {n}" for n in closed}
    assert not (motorways and any(step.road_class == "motorway" for step in route.steps))
    assert len(route.evidence.bans) == tolls + motorways + len(closed)


@settings(max_examples=examples(40), deadline=None)
@given(towns(), st.data(), st.sampled_from(["free", "depart", "arrive"]))
def test_waypoints_are_passed_in_order_at_the_least_cost(city: City, data: st.DataObject, time: str) -> None:
    goal = len(city.junctions) - 1
    stops = data.draw(st.lists(st.integers(0, goal), min_size=1, max_size=2))
    a, b = places(city)
    via = [city.junctions[stop].point for stop in stops]
    options: dict[str, Any] = {"free": {}, "depart": {"depart": 479}, "arrive": {"arrive_by": 486}}[time]
    answer = drive(city, a, b, via=via, **options)
    cross: Crossing = exit_at_free_speed_ms if time == "free" else exit_ms if time == "depart" else last_entry_ms
    begin = {"free": 0, "depart": 479, "arrive": 486}[time] * 60_000
    now, back = begin, time == "arrive"
    pairs = [pair for pair in pairwise([0, *stops, goal]) if pair[0] != pair[1]]
    if not all(is_reachable(city, *pair, bans_nothing) for pair in pairs):
        assert isinstance(answer, NoRoute)
        return
    for pair in reversed(pairs) if back else pairs:
        bound, value = 10_000, None
        while value is None:
            bound *= 2
            value = least_value(city, pair, bans_nothing, PLAIN(city), now, (bound,), cross, back=back)
        now += -value[0] if back else value[0]
    route = best_route(answer)
    assert route.evidence.value == (abs(now - begin),)
    points = iter([point for step in route.steps for point in step.polyline])
    expected = [point for point, _ in groupby([a, *via, b])]
    assert not route.steps or all(any(point == stop for point in points) for stop in expected)


@settings(max_examples=examples(25), deadline=None)
@given(towns(), DEPART)
def test_ties_in_time_are_broken_by_length(city: City, depart: int) -> None:
    goal, begin = len(city.junctions) - 1, depart * 60_000
    allowed = arcs(city, bans_nothing)
    early: dict[Arc, int] = {arc: exit_ms(city, arc, begin) for arc in allowed if tail(city, arc) == 0}
    metres_of = {arc: city.pieces[arc[0]].length_m for arc in early}

    def onward(one: Arc, other: Arc) -> int:
        return exit_ms(city, other, early[one] + turn_ms(city, one, other))

    for _ in allowed:
        for one, other in product(list(early), allowed):
            if head(city, one) == tail(city, other):
                early[other] = min(onward(one, other), early.get(other, 1 << 60))
    metres_of = {arc: length for arc, length in metres_of.items() if exit_ms(city, arc, begin) == early[arc]}
    for _ in allowed:
        for one, other in product(list(metres_of), allowed):
            if head(city, one) == tail(city, other) and onward(one, other) == early[other]:
                length = metres_of[one] + city.pieces[other[0]].length_m
                metres_of[other] = min(length, metres_of.get(other, 1 << 60))
    ends = [(early[arc], metres_of[arc]) for arc in early if head(city, arc) == goal]
    answer = drive(city, *places(city), depart=depart)
    if isinstance(answer, NoRoute):
        assert not ends
    else:
        assert (answer[0].evidence.value[0] + begin, answer[0].distance_m) == min(ends)


def test_best_routes_are_as_fast_as_bellman_ford_finds() -> None:
    city = grow_city("Boston", 3, 150)
    roads = network(city)
    graph = nx.DiGraph()
    for u, v, turn in roads.turns.edges(data=True):
        graph.add_edge(u, v, ms=turn["turn"] + (roads.free[v // 2] if v < 2 * len(city.pieces) else 0))
    streets = sorted(
        {
            end
            for p, k in zip(city.pieces, roads.kind, strict=True)
            if "drive" in p.modes and k != "motorway"
            for end in (p.tail, p.head)
        }
    )
    origin = streets[5]
    least_value = nx.single_source_bellman_ford_path_length(graph, roads.entry_node(origin), weight="ms")
    for goal in streets[6::11]:
        route = best_route(drive(city, city.junctions[origin].point, city.junctions[goal].point))
        assert route.evidence.value == (least_value[roads.exit_node(goal)],)


@pytest.mark.slow
def test_without_traffic_routes_do_not_depend_on_the_time_of_day() -> None:
    city = replace(grow_city("Berlin", 1, 300), traffic=())
    for one, other in ((1, 90), (40, 7), (100, 33), (12, 60)):
        a, b = city.pois[one].point, city.pois[other].point
        still, timed, back = (
            drive(city, a, b),
            drive(city, a, b, depart=495),
            drive(city, a, b, arrive_by=600),
        )
        assert best_route(still).evidence.value == best_route(timed).evidence.value == best_route(back).evidence.value
        assert best_route(still).duration_s == best_route(timed).duration_s


def test_steps_are_connected_and_add_up_to_the_totals() -> None:
    city = grow_city("Chengdu", 2, 400)
    for one, other in ((1, 90), (40, 7), (100, 33)):
        a, b = city.pois[one].point, city.pois[other].point
        for route in (
            *all_routes(drive(city, a, b, depart=500, alternatives=3)),
            *all_routes(drive(city, a, b, arrive_by=500)),
        ):
            assert route.steps[0].polyline[0] == a and route.steps[-1].polyline[-1] == b
            for step, onward in pairwise(route.steps):
                assert step.polyline[-1] == onward.polyline[0]
            assert route.duration_s == sum(step.duration_s for step in route.steps)
            assert route.depart_s is not None and route.arrive_s == route.depart_s + route.duration_s
            assert route.distance_m == sum(step.length_m for step in route.steps)
            assert all(step.length_m > 0 and step.instruction for step in route.steps)
            crow = metres(a, b)
            assert route.distance_m >= crow - 2


def all_routes(answer: tuple[Route, ...] | NoRoute) -> tuple[Route, ...]:
    """Return the routes in an answer, which must contain some."""
    assert not isinstance(answer, NoRoute)
    return answer


def test_alternatives_avoid_the_road_most_driven_before() -> None:
    city = grow_city("Beijing", 1, 500)
    a, b = city.pois[3].point, city.pois[77].point
    routes = all_routes(drive(city, a, b, depart=600, alternatives=3))
    assert len(routes) == 3
    for before, after in pairwise(routes):
        most: dict[str, int] = {}
        for step in before.steps:
            if step.road is not None:
                most[step.road] = most.get(step.road, 0) + step.length_m
        busiest = max(most, key=lambda road: most[road])
        assert f"road {busiest}" in after.evidence.bans
        assert busiest not in {step.road for step in after.steps}
        assert after.evidence.value >= before.evidence.value


def square(**kinds: Any) -> City:
    """Return a square of streets whose diagonal is a motorway with a toll.

    Junction 0 is at the lower left, 1 at the lower right, and 2 at the upper right.
    """
    roads = [
        Road(0, "Südstraße", "South Street", "residential"),
        Road(1, "Schnellweg", "Fast Way", "motorway"),
    ]
    pieces = [Piece(0, 0, 1, 0, 600), Piece(1, 1, 2, 0, 600), Piece(2, 0, 2, 1, 850, toll=300)]
    return town([(0, 0), (8_000, 0), (8_000, 5_000)], roads, pieces, **kinds)


def test_the_tolled_diagonal_is_taken_unless_it_is_banned() -> None:
    city = square()
    a, b = city.junctions[0].point, city.junctions[2].point
    fast = best_route(drive(city, a, b))
    assert (fast.toll, [step.road for step in fast.steps]) == (300, ["Schnellweg"])
    assert fast.evidence.value == (30_600,)
    for options in ({"avoid_tolls": True}, {"avoid_motorways": True}, {"avoid_roads": ["fast way"]}):
        slow = best_route(drive(city, a, b, **options))
        assert (slow.toll, [step.road for step in slow.steps]) == (0, ["Südstraße"])
        assert slow.evidence.value == (2 * 77_143 + 9_000,)


def test_a_turn_across_the_other_lane_costs_more_and_lights_are_counted() -> None:
    a, b = square().junctions[0].point, square().junctions[2].point
    right = best_route(drive(square(lights=[0, 1, 2]), a, b, avoid_tolls=True))
    left = best_route(drive(square(drives_left=True), a, b, avoid_tolls=True))
    assert right.lights == 1
    assert right.evidence.value[0] - left.evidence.value[0] == 18_000 + 6_000


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"avoid_roads": ["Nordstraße"]}, "unknown_name"),
        ({"avoid_roads": ["Südstraße"], "avoid_tolls": True}, "banned"),
    ],
)
def test_an_option_that_no_route_satisfies_gives_no_route(options: dict[str, Any], reason: str) -> None:
    city = square()
    answer = drive(city, city.junctions[0].point, city.junctions[2].point, **options)
    assert isinstance(answer, NoRoute) and answer.reason == reason and answer.text


def test_a_place_in_the_sea_is_off_the_map() -> None:
    city = square()
    away = Point(CENTRE.longitude + 500_000, CENTRE.latitude)
    answer = drive(city, city.junctions[0].point, away)
    assert isinstance(answer, NoRoute) and answer.reason == "off_the_map"


def test_a_place_off_the_streets_is_reached_on_foot() -> None:
    city = square()
    off = Point(city.junctions[0].point.longitude - 1_400, city.junctions[0].point.latitude)
    gap = metres(off, city.junctions[0].point)
    route = best_route(drive(city, off, city.junctions[2].point, depart=480))
    assert gap == 100 and route.walking_m == gap
    assert [step.mode for step in route.steps] == ["walk", "drive"]
    assert route.evidence.value == (gap * WALK_MS_M + 30_600,)


def test_the_route_from_a_place_to_itself_is_empty() -> None:
    city = square()
    here = city.junctions[0].point
    route = best_route(drive(city, here, here, depart=480))
    assert (route.steps, route.distance_m, route.duration_s, route.arrive_s) == ((), 0, 0, 28_800)


def test_contradictory_options_are_refused() -> None:
    city = square()
    a, b = places(city)
    for options in (
        {"depart": 1, "arrive_by": 2},
        {"avoid_motorways": True, "prefer_motorways": True},
        {"alternatives": 0},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            drive(city, a, b, **options)
