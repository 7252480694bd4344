"""With the ground truth derived from a row, the right answer passes and wrong ones fail, in each scenario."""

from pathlib import Path
from typing import Any

import pytest

from planspec.families.mobilitybench.calls import route_id
from planspec.families.mobilitybench.episode import Episode, Scenario
from planspec.families.mobilitybench.official.cells import LONGEST
from planspec.families.mobilitybench.public.ground_truth import PLANNED, ground_truth_of, is_line
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.public.table import TableReport
from tests.families.mobilitybench.public import small_table as table
from tests.families.mobilitybench.public.judging import faults, ways

pytestmark = pytest.mark.slow


ENDS = {"origin": "120.10000,30.10000", "destination": "120.20000,30.20000"}
CUT = ('{"status": "1", "route": "' + "x" * LONGEST)[:LONGEST]


def episode(path: Path, row: dict[str, str]) -> Episode:
    """Write a table with one row, and return the episode that is read from it."""
    (own_episode,) = table.read_table(table.write(path / "t.csv", row), TableReport("t.csv"))
    return own_episode


def route(tool: str, number: int, **more: Any) -> str:
    """Return the id of a route by the tool that planned it and its number in the result."""
    return route_id(tool, ENDS | more, number)


def drive(number: int, **more: Any) -> dict[str, Any]:
    """Return an answer with one route by car, by its number in the result."""
    return {"legs": ways(route("driving_planning", number, **more))}


def bus(number: int) -> dict[str, Any]:
    """Return an answer with one route by bus, by its number in the result."""
    return {"legs": ways(route("bus_planning", number))}


AVOIDING = {"preferences": ["avoid_highways"]}
STOP = {"waypoints": ["120.15000,30.15000"]}
JUDGED = [
    (
        table.FOUND,
        {"answer": {"place": "南站", "where": "南站"}},
        [({}, "right-place"), ({"answer": {"place": "南站"}}, "tells-where")],
    ),
    (
        table.WHERE,
        {"answer": {"address": "甲省甲市乙区丙路5号"}},
        [({}, "right-address"), ({"answer": {"address": "甲省甲市乙区丙路6号"}}, "right-address")],
    ),
    (
        table.NEAR,
        {"places": [{"n": 1, "place": "大药房 (2)"}]},
        [({}, "enough-places"), ({"places": [{"n": 1, "place": "甲市南站"}]}, "near-places")],
    ),
    (
        table.WEATHER,
        {"days": [{"day": "2025-03-04", "weather": "多云", "temperature": -4}]},
        [
            ({}, "right-weather[2025-03-04]"),
            ({"days": [{"day": "2025-03-04", "weather": "晴"}]}, "right-weather[2025-03-04]"),
            ({"days": [{"day": "2025-03-04", "weather": "多云", "temperature": 4}]}, "right-temperatures[2025-03-04]"),
        ],
    ),
    (table.JAM, {"answer": {"level": "slow"}}, [({"answer": {"level": "smooth"}}, "right-level")]),
    (
        table.PROPERTY,
        {"answer": {"length": "12.5km"}},
        [({}, "right-length"), ({"answer": {"length": "14km"}}, "right-length")],
    ),
    (
        table.TIME,
        {"answer": {"depart": "17:47"}},
        [
            ({}, "right-departure"),
            ({"answer": {"depart": "17:48"}}, "right-departure"),
            ({"answer": {"depart": "17:16"}}, "right-departure"),
        ],
    ),
    (
        table.WAY,
        drive(1),
        [({}, "a-way"), (drive(3), "sensible"), (drive(1) | {"answer": {"length": "20km"}}, "told-length")],
    ),
    (table.STOPS, drive(1, **STOP), [({}, "a-way"), ({}, "via[西塔]")]),
    (table.OPTION, drive(2, **AVOIDING), [(drive(1, **AVOIDING), "no-motorway"), (drive(3, **AVOIDING), "sensible")]),
    (table.LINES, bus(2), [(bus(1), "avoid-line[7路(北门--南站)]"), ({}, "a-way")]),
]


@pytest.mark.parametrize(("row", "right", "wrong"), JUDGED, ids=[row["task_scenario"] for row, _, _ in JUDGED])
def test_the_right_answer_passes_and_wrong_ones_fail(
    tmp_path: Path, row: dict[str, str], right: dict[str, Any], wrong: list[tuple[dict[str, Any], str]]
) -> None:
    out = tmp_path / "suite"
    outcome, report = import_mobilitybench(table.write(tmp_path / "t.csv", row), out)
    assert outcome.tasks == ("case_1",) and report.unjudged == []
    assert faults(out, "case_1", **right) == []
    for answer, constraint in wrong:
        assert constraint in faults(out, "case_1", **answer)


def test_every_scenario_is_judged() -> None:
    from planspec.families.mobilitybench.episode import LABELS

    assert {LABELS[row["task_scenario"]] for row, _, _ in JUDGED} == set(Scenario)


def test_every_route_by_other_lines_passes(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    import_mobilitybench(table.write(tmp_path / "t.csv", table.LINES), out)
    assert faults(out, "case_1", **bus(3)) == []


@pytest.mark.parametrize(
    ("strategy", "word", "given"),
    [
        ("不走高速", "avoid_highways", {"no_motorway": True, "usual_time": "15min"}),
        ("高速优先", "prefer_highways", {"usual_time": "13min"}),
        ("速度最快", "fastest", {"best_time": "13min"}),
        ("距离最短", "shortest", {"best_length": "10000m"}),
        ("少收费", "avoid_tolls", {"best_fare": 0}),
    ],
)
def test_a_preference_requires_the_best_of_the_recorded_routes(
    tmp_path: Path, strategy: str, word: str, given: dict[str, Any]
) -> None:
    program = table.trip("driving_route", strategy=[strategy])
    own_episode = episode(tmp_path, table.OPTION | {"strategy_list": repr([strategy]), "tool_list": program})
    assert own_episode.constraints["preferences"] == [word]
    assert own_episode.given == {"origin": "北门", "destination": "南站", "vehicles": ["drive"]} | given


def test_a_route_without_an_origin_starts_at_the_user(tmp_path: Path) -> None:
    row = table.WAY | {
        "query_start_poi": "",
        "std_start": "",
        "context": "{'user_current_location': '120.1,30.1'}",
    }
    own_episode = episode(tmp_path, row)
    assert (own_episode.given["origin"], own_episode.given["destination"]) == ("here", "南站")
    assert "origin" not in own_episode.constraints


def test_an_origin_and_a_destination_of_the_same_name_are_distinct(tmp_path: Path) -> None:
    end = table.END.replace("南站", "北门")
    out = tmp_path / "suite"
    import_mobilitybench(table.write(tmp_path / "t.csv", table.WAY | {"std_end": end}), out)
    own_episode = episode(tmp_path, table.WAY | {"std_end": end})
    assert (own_episode.given["origin"], own_episode.given["destination"]) == ("北门", "北门 (2)")
    assert faults(out, "case_1", **drive(1)) == []


UNKNOWN = [
    (table.WAY | {"route_ans": CUT}, "the way: `route_ans` is truncated", PLANNED),
    (table.STOPS | {"route_ans": CUT}, "the way: `route_ans` is truncated", PLANNED),
    (table.LINES | {"route_ans": table.BUS}, "the way: `route_ans` cannot be read", PLANNED),
    (
        table.WAY | {"tool_list": table.trip("driving_route", strategy=["大路优先"])},
        "the way: its call has no counterpart among our tools",
        PLANNED,
    ),
    (table.PROPERTY | {"route_ans": CUT}, "the figure: `route_ans` is truncated", ()),
    (table.PROPERTY | {"query": "北门到南站"}, "the figure: the query does not say which", ()),
    (table.TIME | {"query": "两点要到南站，几点出发"}, "the time: the query has no unambiguous one", ()),
    (table.TIME | {"route_ans": CUT, "duration": ""}, "the time: `route_ans` is truncated", ()),
    (table.POI, "the place: `poi_result` cannot be read", ()),
    (table.FOUND | {"ans_loc": "120.3,30.3"}, "the place: `ans_loc` and `poi_result` disagree", ()),
    (table.NEAR | {"near_poi_ans": ""}, "the places: no column has it", ("near-places", "enough-places")),
    (
        table.WEATHER | {"weather": table.tool_result_text({"weather_description": "甲市当前天气，气温℃"})},
        "the weather: `weather` cannot be read",
        (),
    ),
    (table.TRAFFIC, "the level of traffic: `ans` cannot be read", ("right-level",)),
    (table.WHERE | {"formatted_address": "乙省"}, "the address: `formatted_address` and `location_ans` disagree", ()),
    (
        table.LINES | {"llm_ner_ans": "不要3号线"},
        "the lines: the route at `matched_transit_index` does not comply with them",
        (),
    ),
    (
        table.LINES | {"query": "从北门到南站坐7路"},
        "the lines: the column excludes `7路`, and the query excludes nothing",
        (),
    ),
    (
        table.OPTION | {"strategy_list": "['大路优先']"},
        "the preference: ours has no way to ask for main roads first (`大路优先`)",
        (),
    ),
    (
        table.OPTION | {"route_ans": table.driving_result(table.path(table.step("甲乙高速", 9000, 400)))},
        "the preference: every recorded way is on a motorway",
        (),
    ),
    (
        table.STOPS | {"tool_list": table.trip("driving_route")},
        "the places on the way: the standard program does not pass them",
        (),
    ),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("row", "reason", "without"),
    UNKNOWN,
    ids=[f"{n}-{row['task_scenario']}" for n, (row, _, _) in enumerate(UNKNOWN)],
)
def test_missing_ground_truth_is_reported_and_not_judged(
    tmp_path: Path, row: dict[str, str], reason: str, without: tuple[str, ...]
) -> None:
    out = tmp_path / "suite"
    _, report = import_mobilitybench(table.write(tmp_path / "t.csv", row), out)
    assert reason in [one.message for one in report.unjudged]
    own_episode = episode(tmp_path, row)
    assert ground_truth_of(own_episode).without == list(without)
    text = (out / "tasks" / "case_1.yaml").read_text("utf-8")
    assert reason in text.partition("  unasked: ")[2]
    assert ("\nwithout: [" in text) == bool(without)
    # the task loads, and its remaining parts can be answered
    missing = {
        "the way",
        "the figure",
        "the time",
        "the place",
        "the weather",
        "the address",
        "the places",
        "the level of traffic",
    }
    if reason.partition(":")[0] in missing:
        assert faults(out, "case_1") == []
        assert own_episode.given == {} and text.endswith('  judged: "no"\n')
    else:
        assert faults(out, "case_1") != []
        assert own_episode.given != {} and "judged" not in text


def test_the_best_route_is_unknown_if_one_cannot_be_read(tmp_path: Path) -> None:
    paths = table.driving_result(table.path(table.step("东路", 3000, 300)), {"distance": "far"})
    own_episode = episode(tmp_path, table.OPTION | {"strategy_list": "['速度最快']", "route_ans": paths})
    assert "best_time" not in own_episode.given and own_episode.given["usual_time"] == "5min"
    assert "the best way: one of the routes cannot be read" in ground_truth_of(own_episode).unjudged


def test_the_answer_may_be_that_no_places_are_nearby(tmp_path: Path) -> None:
    row = table.NEAR | {"near_poi_ans": table.tool_result_text({"status": "1", "pois": []})}
    own_episode = episode(tmp_path, row)
    assert own_episode.given == {"right_places": [], "at_least": 0}


@pytest.mark.parametrize(
    ("line", "name", "same"),
    [
        ("地铁1号线八通线(环球度假区--古城)", "1号线", True),
        ("地铁1号线八通线(环球度假区--古城)", "八通线", True),
        ("地铁1号线八通线(环球度假区--古城)", "地铁1号线", True),
        ("地铁11号线(甲--乙)", "1号线", False),
        ("地铁S1号线(甲--乙)", "1号线", False),
        ("37路(甲--乙)", "7路", False),
        ("D7路(甲--乙)", "7路", False),
        ("29路(甲--乙)", "凉都29路", False),
        ("8路(7路总站--乙)", "7路", False),
        ("7路(甲--乙)", "", False),
    ],
)
def test_a_line_is_matched_by_its_own_name(line: str, name: str, same: bool) -> None:
    assert is_line(line, name) is same
