"""An import of the public table writes a suite as a whole or not at all."""

import json
from pathlib import Path

import pytest

from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.public.sheets import InvalidTableError
from planspec.families.mobilitybench.public.table import (
    OFFICIAL,
    TableReport,
    read_official,
)
from planspec.families.mobilitybench.suite import read_episodes, sandbox_of
from planspec.families.mobilitybench.suite_files import EPISODES
from tests.families.mobilitybench.public.small_table import (
    FOUND,
    JAM,
    LINE,
    LINES,
    NEAR,
    POI,
    PROPERTY,
    STOPS,
    TIME,
    TRAFFIC,
    WAY,
    WEATHER,
    WHERE,
    read_table,
    write,
)
from tests.planspec.commands.test_command_line import run

Captured = pytest.CaptureFixture[str]

ALL = (WAY, STOPS, LINES, PROPERTY, TIME, FOUND, WHERE, NEAR, WEATHER, JAM)
WRITTEN = {"suite.yaml", "ways.sqlite", "tasks", EPISODES, OFFICIAL}


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_an_import_writes_a_suite_that_can_be_read_back(tmp_path: Path) -> None:
    table, out = write(tmp_path / "t.csv", *ALL), tmp_path / "suite"
    outcome, report = import_mobilitybench(table, out)
    ids = [f"case_{n}" for n in range(1, len(ALL) + 1)]
    assert outcome.tasks == tuple(report.ids) == tuple(ids)
    assert {path.name for path in out.iterdir()} == WRITTEN
    assert {path.stem for path in (out / "tasks").iterdir()} == set(ids)
    assert list(read_episodes(out)) == list(read_table(table, TableReport("t.csv")))


def test_the_same_table_gives_the_same_files(tmp_path: Path) -> None:
    table = write(tmp_path / "t.csv", *ALL)
    first, second = tmp_path / "a" / "suite", tmp_path / "b" / "suite"
    for out in (first, second, second):
        out.parent.mkdir(exist_ok=True)
        import_mobilitybench(table, out)
    one, other = contents(first), contents(second)
    one.pop("ways.sqlite"), other.pop("ways.sqlite")
    assert one == other


def test_a_failed_import_changes_nothing(tmp_path: Path) -> None:
    table, out = write(tmp_path / "t.csv", WAY), tmp_path / "suite"
    import_mobilitybench(table, out)
    before = contents(out)
    table.write_bytes(table.read_bytes() + b'"x')
    with pytest.raises(InvalidTableError):
        import_mobilitybench(table, out)
    assert contents(out) == before


def test_the_toolkits_records_are_written_beside_the_tasks(tmp_path: Path) -> None:
    out = tmp_path / "suite"
    import_mobilitybench(write(tmp_path / "t.csv", LINE, LINE | {"query": ""}, POI), out)
    line, poi = read_official(out / OFFICIAL)
    assert (line.case, line.scenario, line.tools) == (
        "case_1",
        "Route-Constrained Planning",
        ("query_poi", "query_poi", "bus_route"),
    )
    assert line["matched_transit_index"] == 0.0 and isinstance(line["matched_transit_index"], float)
    assert (poi.case, poi["ans_loc"]) == ("case_3", (120.2, 30.2))
    assert poi["poi_result"] == POI["poi_result"]


def test_a_call_of_the_reference_program_is_replayed_with_the_services_result(tmp_path: Path) -> None:
    (episode,) = read_table(write(tmp_path / "t.csv", WAY), TableReport("t.csv"))
    tools = sandbox_of(episode)
    answer = tools.call("driving_planning", {"origin": "120.1,30.1", "destination": "120.2,30.2"})
    assert answer == {"match": {"kind": "exact"}, "result": json.loads(WAY["route_ans"])}
    # a call with another preference was not recorded
    refused = tools.call(
        "driving_planning",
        {"origin": "120.1,30.1", "destination": "120.2,30.2", "preferences": ["fastest"]},
    )
    assert refused["error"]["code"] == "not-found"


@pytest.mark.slow
def test_the_command_reports_the_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    table, out = write(tmp_path / "t.csv", *ALL), tmp_path / "suite"
    code, printed, noted = run(monkeypatch, capsys, "import", "mobilitybench", "--csv", str(table), "--out", str(out))
    assert code == 0
    lines = printed.splitlines()
    assert lines[0] == "episodes        10 of 10 rows"
    assert (
        "route_ans       5 of 10 rows; 5 dropped: blank; 1 members of enumerations read as the values they name"
        in lines
    )
    assert lines[-1] == f"suite suite: 10 tasks in {out}"
    assert noted == ""
    checked, _, _ = run(monkeypatch, capsys, "check", str(out))
    assert checked == 0


def test_the_command_names_lost_rows_and_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    table = write(tmp_path / "t.csv", WAY | {"std_end": "{'x': <object>}"}, TRAFFIC, LINE | {"query": ""})
    code, printed, noted = run(
        monkeypatch, capsys, "import", "mobilitybench", "--csv", str(table), "--out", str(tmp_path / "suite")
    )
    assert code == 2
    assert "note: row 1, `std_end`: it is neither JSON nor a literal of Python" in noted
    assert "note: row 2 (case_2): not judged: the level of traffic: `ans` cannot be read" in noted
    assert "error: t.csv:3: it has no query; it is left out" in noted
    assert "suite suite: 2 tasks" in printed


def test_the_command_prints_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    table = write(tmp_path / "t.csv", FOUND)
    code, printed, _ = run(
        monkeypatch,
        capsys,
        "import",
        "mobilitybench",
        "--csv",
        str(table),
        "--out",
        str(tmp_path / "s"),
        "--format",
        "json",
    )
    assert code == 0
    output = json.loads(printed)
    assert (output["family"], output["suite"], output["tasks"], output["left_out"]) == (
        "mobilitybench",
        "s",
        ["case_1"],
        [],
    )
    assert output["tables"][0]["table"] == "episodes"


def test_the_command_refuses_other_files_and_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    table = write(tmp_path / "t.csv", FOUND)
    (tmp_path / "bad.csv").write_text("x,y\n1,2\n", "utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x", "utf-8")
    for csv, out, reason in (
        ("none.csv", "s", "there is no file"),
        ("bad.csv", "s", "it has no column `query`"),
        (table.name, "mine", "is neither a new folder nor one with a suite of MobilityBench"),
    ):
        code, _, noted = run(
            monkeypatch,
            capsys,
            "import",
            "mobilitybench",
            "--csv",
            str(tmp_path / csv),
            "--out",
            str(tmp_path / out),
        )
        assert code == 2 and reason in noted
    assert not (tmp_path / "s").exists()
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
