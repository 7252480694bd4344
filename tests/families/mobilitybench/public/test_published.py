"""All published forms of MobilityBench can be imported: spreadsheets, JSON tables and the toolkit's caches."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from planspec.environments import open_task
from planspec.families.mobilitybench.official.cells import read_cell
from planspec.families.mobilitybench.public.caches import FILES, read_caches
from planspec.families.mobilitybench.public.columns import COLUMNS, ColumnContent, read_column_cell
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.public.sheets import InvalidTableError, rows_of
from planspec.families.mobilitybench.public.table import OFFICIAL, read_official
from planspec.families.mobilitybench.recording import RECORDING, recording_beside
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from tests.families.mobilitybench.public.small_table import (
    FOUND,
    JAM,
    LINES,
    NEAR,
    POI,
    PROPERTY,
    STOPS,
    WAY,
    WEATHER,
    WHERE,
    driving_result,
    path,
    step,
    write,
)
from tests.planspec.commands.test_command_line import run
from tests.planspec.environments.views import record_of_attempt
from tests.shipped import WORKSPACE

Captured = pytest.CaptureFixture[str]
ALL = (WAY, STOPS, LINES, PROPERTY, FOUND, WHERE, NEAR, WEATHER, JAM)
CUT = "{'status': '1', 'route': {'paths': [" + " " * 32_732
"""A result that is truncated at the maximum length of a cell, as in the published spreadsheets."""
ENDS = {"origin": "120.1,30.1", "destination": "120.2,30.2"}
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def spreadsheet(path: Path, *rows: dict[str, str]) -> Path:
    """Write a workbook with one sheet. Cells with numbers are stored as numbers."""
    header = list(COLUMNS)
    lines = [header, *([row.get(column, "") for column in header] for row in rows)]
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/s.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="{RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{RELATED}"><sheets><sheet name="t" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="a" Type="{RELATED}/worksheet" Target="s.xml"/></Relationships>',
        "xl/s.xml": f'<worksheet xmlns="{SHEET}"><sheetData>'
        + "".join(f"<row>{''.join(map(_cell, line))}</row>" for line in lines)
        + "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as book:
        for name, text in parts.items():
            book.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
    return path


def _cell(text: str) -> str:
    if text.replace(".", "", 1).isdigit():
        return f"<c><v>{text}</v></c>"
    return f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def json_rows(*rows: dict[str, str]) -> list[dict[str, Any]]:
    """Convert rows to JSON.

    Cells that contain a JSON value become that value, except coordinates, which remain strings.
    """
    texts = {column for column, holds in COLUMNS.items() if holds is ColumnContent.PAIR}
    return [
        {
            column: text if column in texts or (value := read_cell(text).value) is None else value
            for column, text in row.items()
        }
        for row in rows
    ]


def episodes(folder: Path) -> list[Any]:
    """Return the episodes of a suite without the hashes of their table cells."""
    return [episode.model_copy(update={"source": None, "checksum": ""}) for episode in read_episodes(folder)]


def test_a_spreadsheet_gives_the_episodes_of_the_table_as_text(tmp_path: Path) -> None:
    import_mobilitybench(write(tmp_path / "t.csv", *ALL), tmp_path / "csv")
    outcome, _ = import_mobilitybench(spreadsheet(tmp_path / "t.xlsx", *ALL), tmp_path / "xlsx")
    assert len(outcome.tasks) == len(ALL) and not outcome.left_out
    assert episodes(tmp_path / "xlsx") == episodes(tmp_path / "csv")
    assert (tmp_path / "xlsx" / OFFICIAL).read_bytes() == (tmp_path / "csv" / OFFICIAL).read_bytes()


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_a_json_table_gives_the_same_episodes(tmp_path: Path, is_wrapped: bool) -> None:
    import_mobilitybench(write(tmp_path / "t.csv", *ALL), tmp_path / "csv")
    rows = json_rows(*ALL)
    (tmp_path / "t.json").write_text(json.dumps({"cases": rows} if is_wrapped else rows, ensure_ascii=False), "utf-8")
    outcome, _ = import_mobilitybench(tmp_path / "t.json", tmp_path / "json")
    assert len(outcome.tasks) == len(ALL) and not outcome.left_out
    assert episodes(tmp_path / "json") == episodes(tmp_path / "csv")


def test_the_toolkit_reads_strings_in_a_json_table_as_strings(tmp_path: Path) -> None:
    """In a JSON table, coordinates are strings, which the toolkit's evaluator reads.

    In a CSV file they are pairs, which it does not read.
    """
    rows = [FOUND | {"ans_loc": "120.2,30.2"}]
    (tmp_path / "t.json").write_text(json.dumps(rows, ensure_ascii=False), "utf-8")
    import_mobilitybench(tmp_path / "t.json", tmp_path / "json")
    import_mobilitybench(write(tmp_path / "t.csv", *rows), tmp_path / "csv")
    (of_json,), (of_csv,) = (list(read_official(tmp_path / name / OFFICIAL)) for name in ("json", "csv"))
    assert (of_json["ans_loc"], of_csv["ans_loc"]) == ("120.2,30.2", (120.2, 30.2))
    assert read_column_cell("ans_loc", "[120.2, 30.2]") == read_column_cell("ans_loc", "120.2,30.2")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("t.json", "[1]", "its entry 1 is no object"),
        ("t.json", "{}", "neither a list of episodes nor an object with such a list as `cases`"),
        ("t.json", "[", "no JSON"),
        ("t.json", "[{}]", "it has no column `query`"),
        ("t.xlsx", "query,task_scenario\n", "no spreadsheet that can be read"),
    ],
)
def test_files_in_another_form_are_refused(tmp_path: Path, name: str, content: str, reason: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InvalidTableError, match=reason):
        import_mobilitybench(tmp_path / name, tmp_path / "suite")
    assert not (tmp_path / "suite").exists()


def test_the_error_for_a_spreadsheet_names_the_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ModuleNotFoundError, match=r"planspec\[sheets\]"):
        list(rows_of(spreadsheet(tmp_path / "t.xlsx", WAY)))


# ------------------------------------------------------------------ the caches of the toolkit's sandbox


def service(text: str) -> Any:
    """Convert a tool's result in the small table to the form in which the caches store it."""
    value = read_cell(text).value
    return value["data"] if isinstance(value, dict) and set(value) == {"status", "data", "error"} else value


def caches(folder: Path) -> Path:
    """Write a folder with all nine cache files."""
    folder.mkdir()
    drive = service(WAY["route_ans"])
    other = service(driving_result(path(step("环路", 7000, 500))))
    contents: dict[str, Any] = {
        "driving_route_handle.json": {
            "120.200000,30.200000": {
                "120.100000,30.100000": {
                    "default": {"default": drive, "120.15,30.15": other},
                    "不走高速": {"default": other},
                    "main_road": {"default": other},
                },
                "120.3,30.3": {"default": {"default": {"status": "0", "info": "no"}}},
            },
        },
        "walking_route_handle.json": {
            "120.2,30.2": {"120.1,30.1": service(driving_result(path(step("小路", 900, 700))))}
        },
        "bicycling_route_handle.json": {
            "120.2,30.2": {"120.1,30.1": "有1种骑行路线：\n第1种：主要经过东路，全程4.2公里，预计耗时21分钟"}
        },
        "bus_route_mock.json": {
            "120.2,30.2": {"120.1,30.1": {"status": "SUCCESS", "data": service(LINES["route_ans"])}}
        },
        "nested_poi_data.json": {"环路": {"甲市": {"location": "120.11,30.11", "name": "环路", "address": "甲市"}}},
        "search_around_poi_sandbox.json": {
            "120.1,30.1": {"药店": [{"location": "120.101,30.1", "name": "北药房", "address": "x"}]}
        },
        "reverse_geocoding_sandbox.json": {"30.3,120.3": "甲省甲市丁路7号"},
        "weather_sandbox.json": {
            "乙市": {"False": {"weather_description": "乙市当前天气晴，气温20℃"}, "True": {"x": 1}}
        },
        "traffic_info_mock.json": {"西路": {"甲市": service(JAM["ans"])}},
    }
    assert set(contents) == set(FILES)
    for name, content in contents.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return folder


def test_every_cached_result_is_read_or_counted(tmp_path: Path) -> None:
    calls, counts = read_caches(caches(tmp_path / "c"))
    assert all(count.adds_up for count in counts)
    assert {count.table: (count.read, count.stored) for count in counts} == dict.fromkeys(FILES, (1, 1)) | {
        "driving_route_handle.json": (5, 3),
        "weather_sandbox.json": (2, 1),
    }
    reasons = {reason for count in counts for reason in count.dropped}
    assert reasons == {"our tools cannot ask it", "no result of the tool"}
    assert len({call.key for call in calls}) == len(calls) == 11


def test_an_imported_suites_tools_answer_all_recorded_calls(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    import_mobilitybench(write(tmp_path / "t.csv", WAY), out, caches(tmp_path / "c"))
    (episode,) = read_episodes(out)
    tools = sandbox_of(episode, recording_beside(out))
    for name, arguments in (
        ("walking_planning", ENDS),
        ("bicycling_route", ENDS),
        ("bus_route", ENDS | {"strategy": "0"}),
        ("query_poi", {"keywords": "环路", "city": "甲市"}),
        ("search_around_poi", {"location": "120.1,30.1", "keywords": "药店"}),
        ("nearby_poi_query", {"location": "120.1,30.1", "keywords": "药店"}),
        ("reverse_geocoding", {"longitude": "120.3", "latitude": "30.3"}),
        ("reverse_geocoding", {"location": "120.3,30.3"}),
        ("weather_query", {"city": "乙市", "need_forecast": False}),
        ("weather_query", {"city": "乙市"}),
        ("traffic_status", {"name": "西路", "city": "甲市"}),
        ("traffic_info_query", {"road": "西路", "city": "甲市"}),
        ("driving_route", ENDS | {"strategy": ["不走高速"]}),
        ("driving_planning", ENDS | {"strategy": ["不走高速"]}),
        ("driving_planning", ENDS | {"preferences": ["avoid_highways"]}),
    ):
        answer = tools.call(name, arguments)
        assert answer.get("match") == {"kind": "exact"}, (name, arguments, answer)
        assert json.loads(tools.call_text(name, arguments)) == answer
    for keywords, city, kind in (("环路", None, "fuzzy"), ("北门", None, "fuzzy"), ("环路", "乙市", None)):
        answer = tools.call("query_poi", {"keywords": keywords} | ({"city": city} if city else {}))
        assert answer.get("match", {}).get("kind") == kind, "a city that is said is no other"
    near = tools.call("walking_planning", ENDS | {"origin": "120.1001,30.1"})
    assert near["match"]["kind"] == "near"
    for name, arguments, code in (
        ("driving_route", ENDS | {"strategy": ["main_road"]}, "invalid-arguments"),
        ("driving_planning", ENDS | {"preferences": ["shortest"]}, "not-found"),
        ("weather_query", {"need_forecast": "yes"}, "invalid-arguments"),
        ("fly", {}, "unknown-tool"),
    ):
        assert tools.call(name, arguments)["error"]["code"] == code
        assert json.loads(tools.call_text(name, arguments))["error"]["code"] == code


def test_cells_that_are_cut_off_are_filled_from_the_caches(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", WAY | {"route_ans": CUT})
    _, without = import_mobilitybench(table, tmp_path / "without")
    _, report = import_mobilitybench(table, tmp_path / "suite", caches(tmp_path / "c"))
    assert (without.filled, report.filled) == (0, 1)
    assert [str(one) for one in without.unjudged] and not report.unjudged
    import_mobilitybench(write(tmp_path / "whole.csv", WAY), tmp_path / "whole")
    (cut,), (whole,) = (list(read_episodes(tmp_path / name)) for name in ("suite", "whole"))
    assert cut.given == whole.given and cut.unread == ("route_ans",)
    # a later import without caches removes the recording
    import_mobilitybench(table, tmp_path / "suite")
    assert not (tmp_path / "suite" / RECORDING).exists()


class OtherRouteAgent:
    """Agent that answers with a different route from the reference program's, and uses the toolkit's tool names."""

    def answer(self, view: Any, desk: Any) -> Any:
        assert "result" in desk.call("driving_route", ENDS | {"strategy": ["不走高速"]})
        return '```json\n{"route_index": 0, "content": "环路"}\n```'


def test_a_route_from_the_caches_is_judged_as_one_from_the_table(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    import_mobilitybench(write(tmp_path / "t.csv", WAY), out, caches(tmp_path / "c"))
    opened = open_task(out / "tasks" / "case_1.yaml", "sandbox", folder=out, workspace=WORKSPACE)
    attempt = record_of_attempt(opened, OtherRouteAgent())
    assert attempt.status == "pass", attempt.verdict["findings"]
    result = attempt.trace.calls[0].result
    assert result is not None and result.ok


def test_the_command_imports_every_form_of_table_and_the_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    book, out = str(spreadsheet(tmp_path / "t.xlsx", WAY | {"route_ans": CUT}, POI)), str(tmp_path / "suite")
    folder = str(caches(tmp_path / "c"))
    arguments = ("import", "mobilitybench", "--table", book, "--sandbox", folder, "--out", out)
    code, printed, noted = run(monkeypatch, capsys, *arguments)
    assert code == 0, noted
    assert "note: 1 results that the table lacks are in the caches" in noted
    assert "driving_route_handle.json  3 of 5 rows; 1 dropped: our tools cannot ask it" in printed
    (tmp_path / "empty").mkdir()
    for wrong, reason in (
        (("--out", out), "give the public table once"),
        (("--table", book, "--csv", book, "--out", out), "give the public table once"),
        (
            ("--table", book, "--sandbox", str(tmp_path / "empty"), "--out", out),
            "none of the toolkit's caches",
        ),
        (("--table", book, "--sandbox", str(tmp_path / "none"), "--out", out), "there is no folder"),
    ):
        code, _, noted = run(monkeypatch, capsys, "import", "mobilitybench", *wrong)
        assert code == 2 and reason in noted, noted
