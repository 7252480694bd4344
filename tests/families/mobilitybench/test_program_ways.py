"""The reference programs for routes find the same answers as direct queries of the map."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.families.mobilitybench.amounts import duration_text, length_text
from planspec.families.mobilitybench.episode import Scenario
from planspec.families.mobilitybench.live import clock_of, point_of
from planspec.families.mobilitybench.map import cycle, drive, transit, walk
from planspec.families.mobilitybench.program import (
    InvalidSlotsError,
    ProgramExecution,
    UnansweredCallError,
    execute,
    programs,
    slots,
)
from tests.families.mobilitybench.program_city import (
    NOW,
    ROUTED,
    best_route,
    called_tools,
    city,
    context,
    duration_of,
    ends,
    location_of,
    recorder,
    round_location,
    run,
    trip,
)


def test_requested_numbers_are_those_of_the_best_route() -> None:
    by_car = best_route(drive(city(), *trip(), depart=NOW))
    on_lines = best_route(transit(city(), *trip(), depart=NOW))
    by_subway = best_route(transit(city(), *trip(), depart=NOW, modes=["metro"]))
    expected: list[tuple[str, str, Any]] = [
        ("drive", "time", duration_of(by_car)),
        ("drive", "length", length_text(by_car.distance_m)),
        ("drive", "lights", by_car.lights),
        ("drive", "tolls", by_car.toll),
        ("transit", "time", duration_of(on_lines)),
        ("transit", "transfers", on_lines.transfers),
        ("transit", "fare", on_lines.fare),
        ("subway", "time", duration_of(by_subway)),
        ("subway", "fare", by_subway.fare),
        ("walk", "time", duration_of(best_route(walk(city(), *trip())))),
        ("cycle", "length", length_text(best_route(cycle(city(), *trip())).distance_m)),
    ]
    for mode, figure, value in expected:
        done = run(Scenario.ROUTE_PROPERTY, destination=ends()[2], mode=mode, asked=figure)
        assert done.given == {f"right_{figure}": value}, (mode, figure)
        assert len(done.program) == 2


@pytest.mark.parametrize(
    ("mode", "figure"),
    [
        ("subway", "lights"),
        ("drive", "transfers"),
        ("walk", "fare"),
        ("cycle", "tolls"),
        ("transit", "tolls"),
    ],
)
def test_numbers_that_a_mode_lacks_are_refused(mode: str, figure: str) -> None:
    with pytest.raises(InvalidSlotsError):
        run(Scenario.ROUTE_PROPERTY, destination=ends()[2], mode=mode, asked=figure)


def test_the_mode_follows_from_the_query_or_the_context() -> None:
    assert called_tools(run(Scenario.ROUTE_PROPERTY, destination=ends()[2], asked="transfers"))[1] == "bus_planning"
    assert called_tools(run(Scenario.CUSTOMIZED, destination=ends()[2], preferences=["fewest_lights"]))[1] == ROUTED[0]
    free = run(Scenario.POINT_TO_POINT, destination=ends()[2])
    assert called_tools(free)[1] == "driving_planning" and "vehicles" not in free.given
    by_context = execute(
        programs()[Scenario.POINT_TO_POINT], {"destination": ends()[2]}, context(travel_tool="cycle"), recorder().call
    )
    assert called_tools(by_context)[1] == "bicycling_planning" and by_context.given["vehicles"] == ["cycle"]


def run_time(question: str, **slots: Any) -> ProgramExecution:
    """Execute the reference program for questions about times, such as the departure."""
    return run(Scenario.TIME, asked=question, **slots)


@pytest.mark.parametrize("mode", ["drive", "transit", "walk", "cycle"])
def test_times_are_computed_from_the_departure_or_the_arrival(mode: str) -> None:
    plan: Any = {"drive": drive, "transit": transit, "walk": walk, "cycle": cycle}[mode]
    ahead, back = (
        best_route(plan(city(), *trip(), depart=540)),
        best_route(plan(city(), *trip(), arrive_by=600)),
    )
    where = {"destination": ends()[2], "mode": mode}
    leave = run_time("depart", **where, arrive_by="10:00")
    spare = duration_text(max(600, min(1800, back.duration_s)))
    assert leave.given == {"right_depart": clock_of(back.depart_s), "early": spare}
    arrival = run_time("arrive", **where, depart_at="09:00")
    assert arrival.given == {"right_arrive": clock_of(ahead.arrive_s, rounds_up=True)}
    arrived = ahead.arrive_min
    assert arrived is not None
    for minute, answer in ((arrived, "possible"), (arrived - 1, "impossible")):
        by = clock_of(minute * 60)
        possibility = run_time("possible", **where, depart_at="09:00", arrive_by=by)
        assert possibility.given == {"right_possible": answer, "depart_at": "09:00", "arrive_by": by}
        assert "arrive_by" not in possibility.program[-1].arguments
    now = run_time("arrive", **where)
    assert now.given == {
        "right_arrive": clock_of(best_route(plan(city(), *trip(), depart=NOW)).arrive_s, rounds_up=True)
    }


def test_trips_across_midnight_have_no_answer() -> None:
    where = {"destination": ends()[2], "mode": "walk"}
    with pytest.raises(UnansweredCallError, match="day after"):
        run_time("arrive", **where, depart_at="23:58")
    with pytest.raises(UnansweredCallError, match="day before"):
        run_time("depart", **where, arrive_by="00:02")


@pytest.mark.parametrize(
    ("mode", "vehicles"),
    [
        ("drive", ["drive"]),
        ("walk", ["walk"]),
        ("cycle", ["cycle"]),
        ("bus", ["bus"]),
        ("subway", ["subway"]),
        ("transit", ["bus", "subway", "tram", "ferry", "train", "flight"]),
    ],
)
def test_the_givens_of_a_route_have_its_vehicles_and_the_usual_time(mode: str, vehicles: list[str]) -> None:
    done = run(Scenario.POINT_TO_POINT, origin=ends()[1], destination=ends()[2], mode=mode)
    one, other = location_of(ends()[1]), location_of(ends()[2])
    lines: Any = {"bus": ["bus"], "subway": ["metro"], "transit": None}
    plain: Any = {"drive": drive, "walk": walk, "cycle": cycle}
    route = best_route(
        plain[mode](city(), one, other, depart=NOW)
        if mode in plain
        else transit(city(), one, other, depart=NOW, modes=lines[mode])
    )
    assert done.given == {
        "origin": ends()[1],
        "destination": ends()[2],
        "vehicles": vehicles,
        "usual_time": duration_of(route),
    }
    assert len(done.program) == 3


def test_a_route_can_begin_at_a_location_and_at_a_time() -> None:
    start = str(city().pois[9].point)
    done = run(Scenario.POINT_TO_POINT, origin=start, destination=ends()[2], mode="drive", depart_at="18:00")
    route = best_route(drive(city(), point_of(round_location(start)), trip()[1], depart=18 * 60))
    assert done.given["usual_time"] == duration_of(route)
    assert done.given["origin"] == start and done.given["depart_at"] == "18:00"
    with pytest.raises(InvalidSlotsError, match="depart_at"):
        run(Scenario.POINT_TO_POINT, destination=ends()[2], mode="walk", depart_at="18:00")


def test_waypoints_take_one_call_by_car_and_one_per_leg_by_transit() -> None:
    _, middle, far = ends()
    a, b, c = trip()[0], location_of(middle), trip()[1]
    by_car = run(Scenario.MULTI_STOP, via=[middle], destination=far, mode="drive")
    assert called_tools(by_car) == ["poi_query", "poi_query", "driving_planning"]
    assert by_car.given["usual_time"] == duration_of(best_route(drive(city(), a, c, via=[b], depart=NOW)))
    on_lines = run(Scenario.CUSTOMIZED, via=[middle], destination=far, mode="transit")
    assert called_tools(on_lines) == ["poi_query", "poi_query", "bus_planning", "bus_planning"]
    first = best_route(transit(city(), a, b, depart=NOW))
    assert first.arrive_min is not None
    second = best_route(transit(city(), b, c, depart=first.arrive_min))
    assert on_lines.program[-1].arguments["depart_at"] == clock_of(first.arrive_s, rounds_up=True)
    assert on_lines.given["usual_time"] == duration_of(first, second)
    assert on_lines.given["via"] == [middle]
    afoot = run(Scenario.MULTI_STOP, via=[middle], destination=far, mode="walk")
    assert afoot.given["usual_time"] == duration_of(best_route(walk(city(), a, b)), best_route(walk(city(), b, c)))
    assert "pass_through" in by_car.steps and "pass_through" in on_lines.steps


def test_changes_between_legs_are_transfers() -> None:
    _, middle, far = ends()
    done = run(Scenario.CUSTOMIZED, via=[middle], destination=far, mode="transit", preferences=["fewest_transfers"])
    legs: list[Any] = [result for result in done.results if isinstance(result, dict) and "routes" in result]
    rides = sum(step["line"] is not None for leg in legs for step in leg["routes"][0]["steps"])
    assert done.given["best_transfers"] == rides - 1 >= 1


def test_the_givens_have_the_best_value_of_each_preference() -> None:
    a, b = trip()
    lights, short = (
        drive(city(), a, b, depart=NOW, fewest_lights=True),
        drive(city(), a, b, depart=NOW, shortest=True),
    )
    tolls, streets = (
        drive(city(), a, b, depart=NOW, avoid_tolls=True),
        drive(city(), a, b, depart=NOW, avoid_motorways=True),
    )
    fast_roads = drive(city(), a, b, depart=NOW, prefer_motorways=True)
    far = sum(step.length_m for step in best_route(fast_roads).steps if step.road_class == "motorway")
    assert far > 0
    expected: list[tuple[str, dict[str, Any]]] = [
        ("fastest", {"best_time": duration_of(best_route(drive(city(), a, b, depart=NOW)))}),
        ("shortest", {"best_length": length_text(best_route(short).distance_m)}),
        ("fewest_lights", {"best_lights": best_route(lights).lights}),
        ("avoid_tolls", {"no_tolls": True, "usual_time": duration_of(best_route(tolls))}),
        ("avoid_highways", {"no_motorway": True, "usual_time": duration_of(best_route(streets))}),
        ("prefer_highways", {"most_motorway": length_text(far), "usual_time": duration_of(best_route(fast_roads))}),
        (
            "fewest_transfers",
            {"best_transfers": best_route(transit(city(), a, b, depart=NOW, prefer="fewest_transfers")).transfers},
        ),
        (
            "least_walking",
            {
                "best_walking": length_text(
                    best_route(transit(city(), a, b, depart=NOW, prefer="least_walking")).walking_m
                )
            },
        ),
        ("cheapest", {"best_fare": best_route(transit(city(), a, b, depart=NOW, prefer="cheapest")).fare}),
    ]
    assert {name for name, _ in expected} == set(slots()["preferences"].words)
    for preference, given in expected:
        done = run(Scenario.OPTIONS, destination=ends()[2], preferences=[preference])
        figures = {
            name: value for name, value in done.given.items() if name not in {"origin", "destination", "vehicles"}
        }
        assert figures == given, preference
        assert len(done.program) == 2 and "keep_to_options" in done.steps


def test_several_preferences_need_a_tool_that_takes_several() -> None:
    done = run(Scenario.OPTIONS, destination=ends()[2], preferences=["avoid_tolls", "shortest"])
    assert done.given["no_tolls"] is True and "best_length" in done.given and "usual_time" not in done.given
    with pytest.raises(InvalidSlotsError):
        run(Scenario.OPTIONS, destination=ends()[2], preferences=["cheapest", "least_walking"])
    with pytest.raises(InvalidSlotsError):
        run(Scenario.OPTIONS, destination=ends()[2], preferences=["cheapest", "avoid_tolls"])


def test_a_limit_of_transfers_is_a_given() -> None:
    done = run(Scenario.OPTIONS, destination=ends()[2], max_transfers=1)
    route = best_route(transit(city(), *trip(), depart=NOW, max_transfers=1))
    assert done.given["max_transfers"] == 1 and done.given["usual_time"] == duration_of(route)


def test_lines_and_roads_have_the_tools_names() -> None:
    line = city().lines[0]
    done = run(Scenario.CUSTOMIZED, destination=ends()[2], use_line=line.aliases[0])
    assert done.given["use_line"] == line.name
    assert done.given["usual_time"] == duration_of(best_route(transit(city(), *trip(), depart=NOW, use_line=line.name)))
    without = run(Scenario.CUSTOMIZED, destination=ends()[2], avoid_lines=[line.aliases[0].upper()], mode="subway")
    assert without.given["avoid_lines"] == [line.name]
    taken = next(step.road for step in best_route(drive(city(), *trip(), depart=NOW)).steps if step.road)
    round_about = run(Scenario.CUSTOMIZED, destination=ends()[2], avoid_roads=[taken.upper()])
    assert round_about.given["avoid_roads"] == [taken]
    assert round_about.given["usual_time"] == duration_of(
        best_route(drive(city(), *trip(), depart=NOW, avoid_roads=[taken]))
    )
