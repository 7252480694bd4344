"""Results of tools are converted to rows of the library's tables."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.families.mobilitybench.calls import route_id
from planspec.families.mobilitybench.episode import Context, Episode, RecordedResult, Scenario
from planspec.families.mobilitybench.row_collector import HERE, EpisodeRows, rows_of_episode
from tests.families.mobilitybench import london

A, B, STOP = "-0.100001,51.500001", "-0.120000,51.510000", "-0.110000,51.505000"


def step(mode: str = "drive", **more: Any) -> dict[str, Any]:
    """Return a step of a route in a tool's result, with changed fields."""
    return {
        "mode": mode,
        "road": None,
        "class": None,
        "line": None,
        "from": None,
        "to": None,
        "distance": 100,
        "duration": 61,
        "polyline": [],
    } | more


def route(*steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a route in a tool's result, with changed fields."""
    return {
        "mode": "drive",
        "distance": 500,
        "duration": 601,
        "tolls": 0,
        "traffic_lights": 2,
        "transfers": 0,
        "walking_distance": 30,
        "fare": 0,
        "depart": "08:00",
        "arrive": "08:11",
        "steps": list(steps),
    } | more


def planning_record(*routes: dict[str, Any], tool: str = "driving_planning", **arguments: Any) -> RecordedResult:
    """Return a recorded call that planned these routes."""
    all_arguments = {"origin": A, "destination": B} | arguments
    return RecordedResult(tool=tool, arguments=all_arguments, result={"routes": list(routes)})


def search_record(name: str, location: str) -> RecordedResult:
    """Return a recorded search that found one place."""
    return RecordedResult(
        tool="poi_query",
        arguments={"keywords": name},
        result={"pois": [{"name": name, "location": location}]},
    )


def episode_rows(
    *records: RecordedResult, given: dict[str, Any] | None = None, location: str | None = None
) -> EpisodeRows:
    """Return the rows of tables made from the recorded calls of an episode."""
    return rows_of_episode(
        Episode(
            id="x",
            family=Scenario.POINT_TO_POINT.family,
            scenario=Scenario.POINT_TO_POINT,
            query="q",
            context=Context(location=location),
            program=(),
            snapshot=records,
            given=given or {},
        )
    )


def halts_of(rows: EpisodeRows) -> list[str]:
    """Return the places at which routes stop, in order."""
    return [halt.place for halt in rows.halts]


def test_totals_of_a_route_are_rounded_up() -> None:
    (row,) = episode_rows(search_record("Home", A), search_record("Work", B), planning_record(route(step()))).routes
    assert (row.origin, row.destination) == ("Home", "Work")
    assert (row.time_min, row.length_m, row.walking_m, row.lights) == (11, 500, 30, 2)


def test_a_missing_id_is_computed() -> None:
    arguments = {"origin": "-0.10000,51.50000", "destination": "-0.12000,51.51000"}
    given_row = episode_rows(planning_record(route(step(), id="drive-00000000-1"))).routes[0]
    computed = episode_rows(planning_record(route(step()), route(step()))).routes
    assert given_row.id == "drive-00000000-1"
    assert [row.id for row in computed] == [route_id("driving_planning", arguments, n) for n in (1, 2)]


def test_routes_have_times_of_day_only_if_one_is_requested() -> None:
    assert episode_rows(planning_record(route(step()))).routes[0].depart is None
    timed = episode_rows(planning_record(route(step()), depart_at="08:00")).routes[0]
    assert (timed.depart, timed.arrive) == ("08:00", "08:11")
    assert episode_rows(planning_record(route(step())), given={"arrive_by": "09:00"}).routes[0].arrive == "08:11"
    afoot = planning_record(route(step("walk")), tool="walking_planning")
    assert episode_rows(afoot, given={"arrive_by": "09:00"}).routes[0].arrive is None


def test_every_step_is_a_row_even_if_it_has_no_name() -> None:
    rows = episode_rows(
        planning_record(route(step("walk"), step(road="M1", **{"class": "motorway"}), step(road="High Street")))
    )
    assert [(p.n, p.vehicle, p.road, p.time_min) for p in rows.pieces] == [
        (1, "walk", None, 2),
        (2, "drive", "M1", 2),
        (3, "drive", "High Street", 2),
    ]
    assert {road.id: road.motorway for road in rows.roads} == {"M1": True, "High Street": False}


def test_a_route_stops_at_its_start_its_waypoints_and_its_destination() -> None:
    rows = episode_rows(
        search_record("Home", A),
        search_record("Cafe", STOP),
        planning_record(route(step()), waypoints=[STOP]),
    )
    assert halts_of(rows) == ["Home", "Cafe", "-0.12000,51.51000"]


def ride(start: str, *, line: str = "Bus 1", at: str = STOP) -> dict[str, Any]:
    """Return a step by bus from a stop."""
    return step("bus", line=line, polyline=[at, B], **{"from": start, "to": "End"})


def test_a_route_halts_where_lines_are_boarded_and_left() -> None:
    rows = episode_rows(planning_record(route(step("walk"), ride("Mill Lane")), tool="bus_planning"))
    assert halts_of(rows) == ["-0.10000,51.50000", "Mill Lane", "-0.12000,51.51000"]
    assert [line.id for line in rows.lines] == ["Bus 1"]


def test_a_stop_beside_a_place_is_that_place() -> None:
    near, far = "-0.110500,51.505000", "-0.111500,51.505000"
    transit = planning_record(route(ride("Mill Lane")), tool="bus_planning")
    assert halts_of(episode_rows(search_record("Museum", near), transit))[1] == "Museum"
    assert halts_of(episode_rows(search_record("Museum", far), transit))[1] == "Mill Lane"
    merged = episode_rows(search_record("Museum", near), transit).places
    assert next(place for place in merged if place.id == "Museum").names == ("Mill Lane",)


def test_a_requested_stop_keeps_its_name() -> None:
    transit = planning_record(route(ride("Mill Lane")), tool="bus_planning")
    rows = episode_rows(transit, search_record("Museum", STOP), given={"via": ["Mill Lane"]})
    assert halts_of(rows)[1] == "Mill Lane"
    other = episode_rows(transit, search_record("Shop", STOP), search_record("Museum", STOP), given={"via": ["Museum"]})
    assert halts_of(other)[1] == "Museum"


def test_two_stops_near_each_other_are_not_merged() -> None:
    beside = "-0.110300,51.505000"
    rows = episode_rows(
        planning_record(route(ride("Mill Lane"), ride("Mill Road", line="Bus 2", at=beside)), tool="bus_planning")
    )
    assert {"Mill Lane", "Mill Road"} <= set(halts_of(rows))


def test_coordinates_match_the_place_that_rounds_to_them() -> None:
    rows = episode_rows(
        search_record("Home", "-0.100004,51.499996"), search_record("Work", B), planning_record(route(step()))
    )
    assert rows.routes[0].origin == "Home"
    assert next((place.x, place.y) for place in rows.places if place.id == "Home") == (-100004, 51499996)


def test_the_users_location_has_the_id_here_unless_the_query_names_it() -> None:
    records = (search_record("Home", A), planning_record(route(step())))
    assert episode_rows(*records, location=A).routes[0].origin == HERE
    assert episode_rows(*records, location=A, given={"origin": "Home"}).routes[0].origin == "Home"


def test_places_roads_and_lines_in_a_query_are_rows_even_if_no_tool_returns_them() -> None:
    given = {
        "origin": "Atlantis",
        "via": ["-0.110000,51.505000"],
        "avoid_roads": ["Lost Lane"],
        "use_line": "Bus 9",
        "avoid_lines": ["Bus 8"],
    }
    rows = episode_rows(given=given)
    assert [(place.id, place.x) for place in rows.places] == [("Atlantis", None), (given["via"][0], -110000)]
    assert [road.id for road in rows.roads] == ["Lost Lane"]
    assert [line.id for line in rows.lines] == ["Bus 8", "Bus 9"]


def test_places_of_one_name_are_numbered() -> None:
    rows = episode_rows(
        search_record("Cafe", A),
        search_record("Cafe", B),
        search_record("Cafe", B),
        search_record("Cafe", STOP),
    )
    assert [place.id for place in rows.places] == ["Cafe", "Cafe (2)", "Cafe (3)"]
    assert rows.places[1].names == ("Cafe",)


def test_only_geocoded_addresses_are_places() -> None:
    located = RecordedResult(
        tool="geocoding",
        arguments={"address": "1 high st"},
        result={"places": [{"address": "1 High Street, London", "location": A}]},
    )
    reverse = RecordedResult(tool="reverse_geocoding", arguments={"location": B}, result={"address": "2 Low Street"})
    rows = episode_rows(located, search_record("Work", B), reverse, planning_record(route(step())))
    assert rows.routes[0].origin == "1 High Street, London"
    assert {place.id: place.names for place in rows.places} == {
        "1 High Street, London": ("1 high st",),
        "Work": (),
    }


def test_a_day_has_the_weather_of_the_first_result_with_all_wordings() -> None:
    first: dict[str, Any] = {
        "day": "2026-05-11",
        "condition": "light rain",
        "temperature": 12,
        "low": 9,
        "high": 14,
    }
    call = RecordedResult(tool="weather_query", arguments={"city": "x"}, result={"weather": [first]})
    again = RecordedResult(
        tool="weather_query", arguments={"city": "y"}, result={"weather": [first | {"temperature": 13}]}
    )
    (row,) = episode_rows(call, again).weather
    assert {"light rain", "小雨"} <= set(row.words)
    assert (row.temperature, row.low, row.high) == (12, 9, 14)


def test_errors_and_missing_results_have_no_rows() -> None:
    error = RecordedResult(
        tool="driving_planning", arguments={"origin": A, "destination": B}, result={"error": {"code": "x"}}
    )
    missing = RecordedResult(tool="walking_planning", arguments=None, missing="truncated")
    assert episode_rows(error, missing) == EpisodeRows((), (), (), (), (), (), ())


@pytest.mark.parametrize(
    "bad",
    [
        planning_record({"steps": []}),
        planning_record(route(step("teleport"))),
        planning_record(route(step()), depart_at="8 o'clock"),
        RecordedResult(tool="poi_query", arguments={}, result={"pois": [{"location": A}]}),
        RecordedResult(tool="poi_query", arguments={}, result={"pois": ["Cafe"]}),
    ],
)
def test_malformed_results_are_refused(bad: RecordedResult) -> None:
    with pytest.raises(ValueError, match=r"."):
        episode_rows(bad)


def test_steps_and_stops_agree_with_their_route() -> None:
    for make in london.EPISODES.values():
        rows = rows_of_episode(make())
        places = {place.id for place in rows.places}
        for row in rows.routes:
            pieces = [piece for piece in rows.pieces if piece.route == row.id]
            assert sum(piece.length_m for piece in pieces) == row.length_m
            halts = [halt.place for halt in rows.halts if halt.route == row.id]
            assert (halts[0], halts[-1]) == (row.origin, row.destination)
            assert set(halts) <= places
