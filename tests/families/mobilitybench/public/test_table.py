import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from planspec.families.mobilitybench.episode import FAMILIES, LABELS, Episode, Scenario, ScenarioFamily
from planspec.families.mobilitybench.official.cells import LONGEST, CellNotation
from planspec.families.mobilitybench.public.columns import COLUMNS, read_column_cell
from planspec.families.mobilitybench.public.results import program_of, snapshot_of
from planspec.families.mobilitybench.public.sheets import InvalidTableError
from planspec.families.mobilitybench.public.table import TableReport
from tests.families.mobilitybench.public.small_table import END, LINE, POI, TRAFFIC, read_table, write


def episodes(path: Path, *rows: dict[str, str], **options: Any) -> tuple[list[Episode], TableReport]:
    """Write a table with these rows. Return the episodes read from it, and the report on the reading."""
    report = TableReport("t.csv")
    return list(read_table(write(path / "t.csv", *rows, **options), report)), report


def test_a_row_becomes_an_episode(tmp_path: Path) -> None:
    (episode,), report = episodes(tmp_path, LINE)
    assert (episode.id, episode.query) == ("case_1", LINE["query"])
    assert (episode.scenario, episode.family) == (Scenario.CUSTOMIZED, ScenarioFamily.CONSTRAINED_PLANNING)
    assert (episode.context.location, episode.context.city, episode.context.travel_tool) == (
        "120.1,30.1",
        None,
        "公交",
    )
    assert [call.tool for call in episode.program] == ["poi_query", "poi_query", "bus_planning"]
    assert episode.program[2].name == "bus_route"
    assert [(one.call, one.column, one.missing) for one in episode.snapshot] == [
        (0, "std_start", None),
        (1, "std_end", None),
        (2, "route_ans", None),
    ]
    assert episode.snapshot[2].result == {"status": 0, "data": {"transits": [{"cost": "2.0"}]}, "error": None}
    assert episode.truth == {
        "query_start_poi": "北门",
        "query_end_poi": "南站",
        "llm_ner_ans": "不要7路",
        "bus_lines_list": [["3路"], ["7路"]],
        "matched_transit_index": 0,
    }
    assert episode.unread == ()
    assert [str(one) for one in report.cells] == ["row 1, `route_ans`: `ToolStatus.SUCCESS` read as the value it names"]


def test_an_episode_has_the_papers_family_and_its_origin_the_tables_family(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, TRAFFIC)
    assert episode.family is ScenarioFamily.BASIC_INFORMATION
    assert episode.source is not None
    assert (episode.source.scenario, episode.source.family) == ("Traffic Info Query", "Basic Route Planning")


def test_each_call_has_a_record_even_without_a_result(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, TRAFFIC)
    first, second = episode.snapshot
    assert (first.call, first.tool, first.missing, first.result) == (0, "poi_query", "no column", None)
    assert (second.call, second.tool, second.column) == (1, "traffic_info_query", "ans")


def test_the_place_of_the_row_is_the_result_of_its_only_search(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, POI)
    (record,) = episode.snapshot
    assert (record.call, record.column, record.result) == (
        0,
        "poi_result",
        {"status": 0, "data": {"name": "南站"}},
    )
    assert episode.truth == {"ans_loc": "120.200000,30.200000"}


def test_a_result_without_a_call_is_stored(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, LINE | {"query_end_poi": "西站"})
    assert [(one.call, one.column, one.missing) for one in episode.snapshot] == [
        (0, "std_start", None),
        (1, None, "no column"),
        (2, "route_ans", None),
        (None, "std_end", None),
    ]


def test_an_ambiguous_result_belongs_to_no_call() -> None:
    route = {"name": "driving_route", "arguments": {}}
    program, _ = program_of([route, route])
    assert [one.call for one in snapshot_of(program, {"route_ans": {}}, {})] == [0, 1, None]
    search = {"name": "query_poi", "arguments": {"keywords": "x"}}
    program, _ = program_of([search, search])
    assert [one.call for one in snapshot_of(program, {"poi_result": {}}, {})] == [0, 1, None]


def test_two_searches_for_the_same_words_are_answered_in_order() -> None:
    search = {"name": "query_poi", "arguments": {"keywords": "x"}}
    program, _ = program_of([search, search])
    cells = {"query_start_poi": "x", "query_end_poi": "x", "std_start": 1, "std_end": 2}
    assert [(one.call, one.result) for one in snapshot_of(program, cells, {})] == [(0, 1), (1, 2)]


def test_cells_that_are_cut_off_have_no_value(tmp_path: Path) -> None:
    cut = ("{'status': '1', 'info': '" + "x" * LONGEST)[:LONGEST]
    (episode,), report = episodes(tmp_path, LINE | {"route_ans": cut, "llm_ner_ans": "x" * LONGEST})
    assert set(episode.unread) == {"route_ans", "llm_ner_ans"}
    assert "llm_ner_ans" not in episode.truth
    assert (episode.snapshot[2].call, episode.snapshot[2].missing, episode.snapshot[2].result) == (
        2,
        "truncated",
        None,
    )
    assert {(one.row, one.column, one.is_missing) for one in report.cells} == {
        (1, "route_ans", True),
        (1, "llm_ner_ans", True),
    }
    assert "32,767" in report.cells[0].message
    assert report.columns["route_ans"].dropped == {"truncated": 1}


def test_cells_that_cannot_be_read_have_no_value(tmp_path: Path) -> None:
    bad = {
        "std_start": "{'x': <object at 0x7f>}",
        "ans_loc": "here",
        "matched_transit_index": "1.5",
        "context": "[1]",
        "tool_list": "[{'name': 'query_poi'}]",
    }
    (episode,), report = episodes(tmp_path, LINE | bad)
    assert set(episode.unread) == set(bad)
    assert episode.program == () and episode.context.location is None
    assert [(one.call, one.column, one.missing) for one in episode.snapshot] == [
        (None, "std_start", "unreadable"),
        (None, "std_end", None),
        (None, "route_ans", None),
    ]
    assert {one.column for one in report.cells if one.is_missing} == set(bad)
    assert all(table.adds_up for table in report.tables)
    assert report.columns["tool_list"].dropped == {"unreadable": 1}


@pytest.mark.parametrize(
    ("column", "text", "value", "why_missing"),
    [
        ("std_end", END, {"name": "南站", "location": "120.200000,30.200000", "lng": 120.2}, None),
        ("std_end", '{"name": null}', {"name": None}, None),
        ("std_end", "('a', (1, 2))", ["a", [1, 2]], None),
        ("std_end", "{1: 2}", None, CellNotation.UNREADABLE),
        ("std_end", "{'a', 'b'}", None, CellNotation.UNREADABLE),
        ("std_end", "b'x'", None, CellNotation.UNREADABLE),
        ("std_end", "NaN", None, None),
        ("std_end", "[NaN]", None, CellNotation.UNREADABLE),
        ("std_end", "[1e999]", None, CellNotation.UNREADABLE),
        ("std_end", r"['\ud800']", None, CellNotation.UNREADABLE),
        ("std_end", "", None, None),
        ("road", "None", "None", None),
        ("road", "[1]", "[1]", None),
        ("road", "  ", None, None),
        ("user_loc", "-73.98,40.75", "-73.98,40.75", None),
        ("user_loc", "120.1，30.1", None, CellNotation.UNREADABLE),
        ("user_loc", "nan", None, None),
        ("matched_transit_index", "4.0", 4, None),
        ("matched_transit_index", "4", 4, None),
        ("matched_transit_index", "4.5", None, CellNotation.UNREADABLE),
        ("new_column", "x", "x", None),
    ],
)
def test_a_cell_is_read_by_the_kind_of_its_column(
    column: str, text: str, value: Any, why_missing: CellNotation | None
) -> None:
    cell = read_column_cell(column, text)
    assert (cell.value, cell.why_missing) == (value, why_missing)


def test_rows_that_are_not_episodes_are_skipped_with_a_reason(tmp_path: Path) -> None:
    rows = [
        LINE,
        LINE | {"query": ""},
        LINE | {"task_scenario": "Chess"},
        LINE | {"query": "x" * LONGEST},
        TRAFFIC,
    ]
    read_back, report = episodes(tmp_path, *rows)
    assert [episode.id for episode in read_back] == ["case_1", "case_5"]
    assert report.ids == ["case_1", "case_5"]
    assert [(one.line, one.reason) for one in report.left_out] == [
        (2, "it has no query"),
        (3, "`Chess` is no scenario of the paper or the public table"),
        (4, "its query cannot be read"),
    ]
    assert (report.episodes.read, report.episodes.stored) == (5, 2)
    assert report.episodes.dropped == {"query": 2, "scenario": 1}
    assert all(table.adds_up for table in report.tables)


def test_a_row_with_missing_cells_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("query,task_scenario\nx\n\ny,POI Query\n", "utf-8")
    report = TableReport(path.name)
    (episode,) = read_table(path, report)
    assert (episode.id, episode.query) == ("case_2", "y")
    assert str(report.left_out[0]) == "t.csv:1: it has 1 cells for 2 columns"
    assert set(report.absent) == set(COLUMNS) - {"query", "task_scenario"}


def test_an_id_in_the_table_is_used(tmp_path: Path) -> None:
    columns = ("case_id", *COLUMNS, "level")
    rows = [
        POI | {"case_id": "a-7", "level": "hard"},
        POI | {"case_id": ""},
        POI | {"case_id": "a-7"},
        POI | {"case_id": "ö"},
    ]
    read_back, report = episodes(tmp_path, *rows, columns=columns)
    assert [episode.id for episode in read_back] == ["a-7", "case_2"]
    assert read_back[0].truth["level"] == "hard" and "case_id" not in read_back[0].truth
    assert report.unknown == ("level",)
    assert report.episodes.dropped == {"id": 2}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "no column `query`"),
        (b"query,task\n", "no column `task_scenario`"),
        (b"query,task_scenario,query\n", "there twice"),
        (b'query,task_scenario\n"x,y\n', "unexpected end of data"),
        (b"query,task_scenario\n\xff,y\n", "no text in UTF-8"),
    ],
)
def test_a_file_that_is_not_the_table_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidTableError, match=reason):
        list(read_table(path, TableReport(path.name)))


def test_other_fields_of_a_context_are_kept(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, LINE | {"context": "{'city': 7, 'start_datetime': '09:00', 'mood': 'good'}"})
    assert (episode.context.city, episode.context.time) == (None, "09:00")
    assert episode.context.extra == {"city": 7, "mood": "good"}


def test_the_checksum_covers_the_whole_episode(tmp_path: Path) -> None:
    (one,), _ = episodes(tmp_path, LINE)
    (again, other), _ = episodes(tmp_path, LINE, LINE | {"llm_ner_ans": "不要8路"})
    assert one.checksum == again.checksum == one.expected_checksum
    assert one.source is not None and again.source is not None and other.source is not None
    assert one.source.sha256 == again.source.sha256 != other.source.sha256
    assert one.model_copy(update={"query": "x"}).expected_checksum != one.checksum


def test_the_hash_of_a_row_does_not_depend_on_its_place_in_the_table(tmp_path: Path) -> None:
    (one,), _ = episodes(tmp_path, LINE)
    (_, moved), _ = episodes(tmp_path, POI, LINE)
    assert moved.id == "case_2"
    assert moved.source is not None and one.source is not None
    assert moved.source.sha256 == one.source.sha256


def test_calls_are_translated_to_planspecs_schemas(tmp_path: Path) -> None:
    calls = (
        "[{'name': 'query_poi', 'arguments': {'keywords': '北门', 'city': '甲市'}},"
        " {'name': 'query_poi', 'arguments': {'city': '甲市'}},"
        " {'name': 'taxi', 'arguments': {}},"
        " {'name': 'driving_route', 'arguments': {'origin': '120.1,30.1', 'destination': '120.2,30.2',"
        " 'waypoints': ['120.3,30.3'], 'strategy': ['高速优先']}}]"
    )
    (episode,), report = episodes(tmp_path, LINE | {"tool_list": calls, "route_ans": ""})
    assert [one.arguments for one in episode.snapshot if one.call is not None] == [
        {"city": "甲市", "keywords": "北门"},
        None,
        None,
        {
            "destination": "120.20000,30.20000",
            "origin": "120.10000,30.10000",
            "preferences": ["prefer_highways"],
            "waypoints": ["120.30000,30.30000"],
        },
    ]
    unsaid = [one for one in report.cells if one.column == "tool_list"]
    assert [one.is_missing for one in unsaid] == [False, False]
    assert "its call 2, of `query_poi`, is none of our tools" in unsaid[0].message
    assert "the toolkit has no tool `taxi`" in unsaid[1].message


def test_unknown_fields_of_an_episode_are_refused(tmp_path: Path) -> None:
    (episode,), _ = episodes(tmp_path, LINE)
    data = json.loads(episode.line())
    with pytest.raises(ValidationError):
        Episode.model_validate(data | {"level": 1})


def test_there_are_eleven_scenarios_in_four_families() -> None:
    assert len(Scenario) == 11 and set(FAMILIES) == set(Scenario)
    assert [list(FAMILIES.values()).count(family) for family in ScenarioFamily] == [5, 2, 2, 2]
    assert set(LABELS.values()) == set(Scenario)


def test_the_public_table_has_33_columns() -> None:
    assert len(COLUMNS) == 33
