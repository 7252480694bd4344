"""Rows of what the tools told."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.families.mobilitybench.calls import route_id
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.ways import HERE, Ways, ways_of
from tests.families.mobilitybench import london

A, B, STOP = "-0.100001,51.500001", "-0.120000,51.510000", "-0.110000,51.505000"


def step(mode: str = "drive", **more: Any) -> dict[str, Any]:
    return {"mode": mode, "road": None, "class": None, "line": None, "from": None, "to": None, "distance": 100,
            "duration": 61, "polyline": []} | more  # fmt: skip


def route(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"mode": "drive", "distance": 500, "duration": 601, "tolls": 0, "traffic_lights": 2, "transfers": 0,
            "walking_distance": 30, "fare": 0, "depart": "08:00", "arrive": "08:11", "steps": list(steps)} | more  # fmt: skip


def planned(*routes: dict[str, Any], tool: str = "driving_planning", **arguments: Any) -> RecordedResult:
    asked = {"origin": A, "destination": B} | arguments
    return RecordedResult(tool=tool, arguments=asked, result={"routes": list(routes)})


def found(name: str, location: str) -> RecordedResult:
    return RecordedResult(
        tool="poi_query",
        arguments={"keywords": name},
        result={"pois": [{"name": name, "location": location}]},
    )


def ways(*records: RecordedResult, given: dict[str, Any] | None = None, location: str | None = None) -> Ways:
    return ways_of(
        Episode(
            id="x", family=Scenario.POINT_TO_POINT.family, scenario=Scenario.POINT_TO_POINT, query="q",
            context=Context(location=location), program=(), snapshot=records, given=given or {},
        )
    )  # fmt: skip


def by(made: Ways) -> list[str]:
    return [halt.place for halt in made.halts]


def test_a_route_is_told_with_its_totals_rounded_up() -> None:
    (row,) = ways(found("Home", A), found("Work", B), planned(route(step()))).routes
    assert (row.origin, row.destination) == ("Home", "Work")
    assert (row.time_min, row.length_m, row.walking_m, row.lights) == (11, 500, 30, 2)


def test_the_id_is_what_the_tool_tells_and_else_the_same_number() -> None:
    asked = {"origin": "-0.10000,51.50000", "destination": "-0.12000,51.51000"}
    told = ways(planned(route(step(), id="drive-00000000-1"))).routes[0]
    computed = ways(planned(route(step()), route(step()))).routes
    assert told.id == "drive-00000000-1"
    assert [row.id for row in computed] == [route_id("driving_planning", asked, n) for n in (1, 2)]


def test_times_of_day_are_there_where_somebody_asked_for_one() -> None:
    assert ways(planned(route(step()))).routes[0].depart is None
    asked = ways(planned(route(step()), depart_at="08:00")).routes[0]
    assert (asked.depart, asked.arrive) == ("08:00", "08:11")
    assert ways(planned(route(step())), given={"arrive_by": "09:00"}).routes[0].arrive == "08:11"
    afoot = planned(route(step("walk")), tool="walking_planning")
    assert ways(afoot, given={"arrive_by": "09:00"}).routes[0].arrive is None


def test_every_step_is_a_piece_and_nameless_ones_are_kept() -> None:
    made = ways(
        planned(route(step("walk"), step(road="M1", **{"class": "motorway"}), step(road="High Street")))
    )
    assert [(p.n, p.vehicle, p.road, p.time_min) for p in made.pieces] == [
        (1, "walk", None, 2), (2, "drive", "M1", 2), (3, "drive", "High Street", 2),
    ]  # fmt: skip
    assert {road.id: road.motorway for road in made.roads} == {"M1": True, "High Street": False}


def test_a_route_comes_by_its_ends_and_the_places_that_were_asked_for() -> None:
    made = ways(found("Home", A), found("Cafe", STOP), planned(route(step()), waypoints=[STOP]))
    assert by(made) == ["Home", "Cafe", "-0.12000,51.51000"]


def ride(start: str, *, line: str = "Bus 1", at: str = STOP) -> dict[str, Any]:
    return step("bus", line=line, polyline=[at, B], **{"from": start, "to": "End"})


def test_the_stops_where_lines_are_boarded_and_left_are_come_by() -> None:
    made = ways(planned(route(step("walk"), ride("Mill Lane")), tool="bus_planning"))
    assert by(made) == ["-0.10000,51.50000", "Mill Lane", "-0.12000,51.51000"]
    assert [line.id for line in made.lines] == ["Bus 1"]


def test_a_stop_beside_a_place_is_that_place() -> None:
    near, far = "-0.110500,51.505000", "-0.111500,51.505000"
    transit = planned(route(ride("Mill Lane")), tool="bus_planning")
    assert by(ways(found("Museum", near), transit))[1] == "Museum"
    assert by(ways(found("Museum", far), transit))[1] == "Mill Lane"
    merged = ways(found("Museum", near), transit).places
    assert next(place for place in merged if place.id == "Museum").names == ("Mill Lane",)


def test_a_stop_that_is_asked_for_is_itself() -> None:
    transit = planned(route(ride("Mill Lane")), tool="bus_planning")
    made = ways(transit, found("Museum", STOP), given={"via": ["Mill Lane"]})
    assert by(made)[1] == "Mill Lane"
    other = ways(transit, found("Shop", STOP), found("Museum", STOP), given={"via": ["Museum"]})
    assert by(other)[1] == "Museum"


def test_two_stops_near_each_other_stay_two() -> None:
    beside = "-0.110300,51.505000"
    made = ways(
        planned(route(ride("Mill Lane"), ride("Mill Road", line="Bus 2", at=beside)), tool="bus_planning")
    )
    assert {"Mill Lane", "Mill Road"} <= set(by(made))


def test_coordinates_are_the_place_that_rounds_to_them() -> None:
    made = ways(found("Home", "-0.100004,51.499996"), found("Work", B), planned(route(step())))
    assert made.routes[0].origin == "Home"
    assert next((place.x, place.y) for place in made.places if place.id == "Home") == (-100004, 51499996)


def test_where_the_user_is_counts_unless_another_name_is_given() -> None:
    records = (found("Home", A), planned(route(step())))
    assert ways(*records, location=A).routes[0].origin == HERE
    assert ways(*records, location=A, given={"origin": "Home"}).routes[0].origin == "Home"


def test_what_is_given_is_a_row_although_no_tool_told_of_it() -> None:
    given = {"origin": "Atlantis", "via": ["-0.110000,51.505000"], "avoid_roads": ["Lost Lane"],
             "use_line": "Bus 9", "avoid_lines": ["Bus 8"]}  # fmt: skip
    made = ways(given=given)
    assert [(place.id, place.x) for place in made.places] == [("Atlantis", None), (given["via"][0], -110000)]
    assert [road.id for road in made.roads] == ["Lost Lane"]
    assert [line.id for line in made.lines] == ["Bus 8", "Bus 9"]


def test_two_places_of_one_name_are_two() -> None:
    made = ways(found("Cafe", A), found("Cafe", B), found("Cafe", B), found("Cafe", STOP))
    assert [place.id for place in made.places] == ["Cafe", "Cafe (2)", "Cafe (3)"]
    assert made.places[1].names == ("Cafe",)


def test_an_address_that_was_located_is_a_place_and_one_that_was_told_is_none() -> None:
    located = RecordedResult(tool="geocoding", arguments={"address": "1 high st"},
                       result={"places": [{"address": "1 High Street, London", "location": A}]})  # fmt: skip
    told = RecordedResult(
        tool="reverse_geocoding", arguments={"location": B}, result={"address": "2 Low Street"}
    )
    made = ways(located, found("Work", B), told, planned(route(step())))
    assert made.routes[0].origin == "1 High Street, London"
    assert {place.id: place.names for place in made.places} == {
        "1 High Street, London": ("1 high st",), "Work": (),
    }  # fmt: skip


def test_weather_has_all_its_wordings_and_what_was_told_first() -> None:
    told: dict[str, Any] = {
        "day": "2026-05-11",
        "condition": "light rain",
        "temperature": 12,
        "low": 9,
        "high": 14,
    }
    call = RecordedResult(tool="weather_query", arguments={"city": "x"}, result={"weather": [told]})
    again = RecordedResult(
        tool="weather_query", arguments={"city": "y"}, result={"weather": [told | {"temperature": 13}]}
    )
    (row,) = ways(call, again).weather
    assert {"light rain", "小雨"} <= set(row.words)
    assert (row.temperature, row.low, row.high) == (12, 9, 14)


def test_errors_and_missing_results_are_no_rows() -> None:
    error = RecordedResult(
        tool="driving_planning", arguments={"origin": A, "destination": B}, result={"error": {"code": "x"}}
    )
    missing = RecordedResult(tool="walking_planning", arguments=None, missing="truncated")
    assert ways(error, missing) == Ways((), (), (), (), (), (), ())


@pytest.mark.parametrize(
    "bad",
    [
        planned({"steps": []}), planned(route(step("teleport"))), planned(route(step()), depart_at="8 o'clock"),
        RecordedResult(tool="poi_query", arguments={}, result={"pois": [{"location": A}]}),
        RecordedResult(tool="poi_query", arguments={}, result={"pois": ["Cafe"]}),
    ],
)  # fmt: skip
def test_what_is_no_result_of_its_tool_is_refused(bad: RecordedResult) -> None:
    with pytest.raises(ValueError, match=r"."):
        ways(bad)


def test_pieces_of_recorded_routes_add_up_and_end_where_the_route_does() -> None:
    for make in london.EPISODES.values():
        made = ways_of(make())
        places = {place.id for place in made.places}
        for row in made.routes:
            pieces = [piece for piece in made.pieces if piece.route == row.id]
            assert sum(piece.length_m for piece in pieces) == row.length_m
            halts = [halt.place for halt in made.halts if halt.route == row.id]
            assert (halts[0], halts[-1]) == (row.origin, row.destination)
            assert set(halts) <= places
