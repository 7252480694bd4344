from pathlib import Path
from typing import Any

import pytest

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.public.query_slots import (
    clock_text,
    language_of,
    lines_of,
    minute_in,
    preferences_of,
    requested_figures,
    requested_time,
)
from planspec.families.mobilitybench.public.table import TableReport
from planspec.families.mobilitybench.steps import atomic_steps
from tests.families.mobilitybench.public import small_table as table


def episode(path: Path, row: dict[str, str]) -> Episode:
    """Write a table with one row, and return the episode that is read from it."""
    (own_episode,) = table.read_table(table.write(path / "t.csv", row), TableReport("t.csv"))
    return own_episode


@pytest.mark.parametrize(
    ("row", "constraints", "steps"),
    [
        (table.FOUND, {"place": "甲市南站"}, ("find_place",)),
        (table.WHERE, {"location": "here"}, ("tell_address",)),
        (table.NEAR, {"place": "药店", "near": "南站"}, ("find_place", "find_nearby")),
        (table.WEATHER, {"days": ["2025-03-04"]}, ("tell_weather",)),
        (table.WEATHER | {"query": "甲市天气", "time": ""}, {"city": "甲市"}, ("tell_weather",)),
        (table.JAM, {"road": "环路"}, ("find_place", "tell_traffic")),
        (
            table.PROPERTY,
            {"origin": "北门", "destination": "南站", "asked": "length"},
            ("find_place", "plan_drive", "read_figure"),
        ),
        (
            table.TIME,
            {"origin": "北门", "destination": "南站", "asked": "depart", "arrive_by": "18:00"},
            ("find_place", "plan_drive", "work_out_time"),
        ),
        (table.WAY, {"origin": "北门", "destination": "南站", "mode": "drive"}, ("find_place", "plan_drive")),
        (
            table.STOPS,
            {"origin": "北门", "via": ["西塔"], "destination": "南站"},
            ("find_place", "plan_drive", "pass_through"),
        ),
        (
            table.OPTION,
            {"origin": "北门", "destination": "南站", "preferences": ["avoid_highways"]},
            ("find_place", "plan_drive", "keep_to_options"),
        ),
        (
            table.LINES,
            {"origin": "北门", "destination": "南站", "avoid_lines": ["7路"]},
            ("find_place", "plan_transit", "keep_to_options"),
        ),
    ],
)
def test_slots_and_needed_steps_are_derived_from_a_query(
    tmp_path: Path, row: dict[str, str], constraints: dict[str, Any], steps: tuple[str, ...]
) -> None:
    own_episode = episode(tmp_path, row)
    assert (own_episode.constraints, own_episode.steps, own_episode.language) == (constraints, steps, "zh")
    assert set(own_episode.steps) <= set(atomic_steps())


@pytest.mark.parametrize(
    ("query", "clock"),
    [
        ("下午六点要到", "18:00"),
        ("明天早上9点飞机", "09:00"),
        ("晚上十点半到", "22:30"),
        ("上午十一点二十分到", "11:20"),
        ("中午1点到", "13:00"),
        ("中午12点到", "12:00"),
        ("晚上12点到", "00:00"),
        ("凌晨两点一刻的票", "02:15"),
        ("15点到", "15:00"),
        ("18:30到", "18:30"),
        ("be there at 8:30 am", "08:30"),
        ("be there by 6 pm", "18:00"),
        ("be there at 12:15 pm", "12:15"),
        ("两点的票", None),
        ("12点前要到", None),
        ("八点半到", None),
        ("be there at 8:30", None),
        ("上午九点到下午三点", None),
        ("要三个小时", None),
        ("25点到", None),
        ("上午13点到", None),
        ("几点到", None),
    ],
)
def test_only_unambiguous_times_are_read(query: str, clock: str | None) -> None:
    minute = minute_in(query)
    assert (None if minute is None else clock_text(minute)) == clock


@pytest.mark.parametrize(
    ("query", "requested"),
    [
        ("几点出发", "depart"),
        ("应该从几点出发", "depart"),
        ("什么时候能到", "arrive"),
        ("几点出发几点到", None),
        ("怎么走", None),
        ("When do I have to leave?", "depart"),
        ("When will I arrive?", "arrive"),
    ],
)
def test_departures_and_arrivals_are_recognised(query: str, requested: str | None) -> None:
    assert requested_time(query) == requested


@pytest.mark.parametrize(
    ("query", "requested"),
    [
        ("有多远", ["length"]),
        ("多少公里，要多久", ["length", "time"]),
        ("要多长时间，有多远", ["time", "length"]),
        ("有几个红绿灯", ["lights"]),
        ("过路费多少", ["tolls"]),
        ("怎么走", []),
        ("How far is it?", ["length"]),
    ],
)
def test_requested_numbers_are_in_the_order_of_the_words(query: str, requested: list[str]) -> None:
    assert requested_figures(query) == requested


@pytest.mark.parametrize(
    ("query", "text", "refused", "required", "reason"),
    [
        ("不坐7路", "不要7路", ["7路"], [], None),
        ("不坐7路和8路", "不要7路,不要8路", ["7路", "8路"], [], None),
        ("不坐1号线", "不坐1号线怎么走？\n输出: 不要1号线", ["1号线"], [], None),
        ("只坐1号线", "只坐1号线", [], ["1号线"], None),
        ("坐10号线", "不要10号线", [], [], "the query excludes nothing"),
        ("不坐7路", "7路", [], [], "`7路` names no line"),
        ("不坐7路", "", [], [], "no column has the lines"),
    ],
)
def test_transit_lines_in_a_query_are_excluded_or_required(
    tmp_path: Path, query: str, text: str, refused: list[str], required: list[str], reason: str | None
) -> None:
    lines = lines_of(episode(tmp_path, table.LINES | {"query": query, "llm_ner_ans": text}))
    assert lines[:2] == (refused, required)
    assert lines[2] is None if reason is None else reason in (lines[2] or "")


@pytest.mark.parametrize(
    ("row", "text", "preferences", "others", "unknown"),
    [
        (table.OPTION, "['少收费', '速度最快']", ["avoid_tolls", "fastest"], {}, None),
        (table.OPTION, "['大路优先']", [], {}, "main roads first"),
        (table.OPTION, "", [], {}, None),
        (table.LINES, "['2']", ["fewest_transfers"], {}, None),
        (table.LINES, "5", [], {"modes": ["bus", "tram", "ferry"]}, None),
        (table.LINES, "['7']", [], {}, "the subway first"),
    ],
)
def test_the_column_with_strategies_becomes_preferences(
    tmp_path: Path, row: dict[str, str], text: str, preferences: list[str], others: Any, unknown: str | None
) -> None:
    choices = preferences_of(episode(tmp_path, row | {"strategy_list": text}))
    assert choices[:2] == (preferences, others)
    assert choices[2] is None if unknown is None else unknown in (choices[2] or "")


@pytest.mark.parametrize(
    ("query", "language"), [("去南站", "zh"), ("去KFC", "zh"), ("To the station", "en"), ("123", None)]
)
def test_the_language_of_a_query_is_recognised_by_its_script(query: str, language: str | None) -> None:
    assert language_of(query) == language
