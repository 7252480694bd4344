"""A suite is unchanged by export to the public table and import.

The table also has the columns of the public toolkit.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.catalog import Catalog
from planspec.dsl.model.values import minor_digits
from planspec.errors import InexpressiblePlanError
from planspec.exports.tables import NoTableError, export_table
from planspec.families.mobilitybench.calls import normalise_location
from planspec.families.mobilitybench.episode import ROUTE_TOOLS, Episode
from planspec.families.mobilitybench.public.importing import import_mobilitybench
from planspec.families.mobilitybench.public.result_translation import public_routes
from planspec.families.mobilitybench.public.row import EPISODE, ID, ORDER
from planspec.families.mobilitybench.public.table import OFFICIAL, TableReport
from planspec.families.mobilitybench.public.toolkit_calls import public_call
from planspec.families.mobilitybench.public.translation import UntranslatableCall, translate_call
from planspec.families.mobilitybench.suite import InvalidEpisodeError, SuiteWriter, read_episodes
from planspec.families.mobilitybench.suite_files import EPISODES
from tests.families.mobilitybench.public import small_table as small
from tests.families.mobilitybench.test_sharded_suite import write_sharded_suite
from tests.families.mobilitybench.test_suite import some_episodes
from tests.paths import SHARED

SAMPLE = SHARED / "data" / "mobilitybench" / "sample_dev.csv"
SHIPPED = Catalog().suite_path("mobilitybench").parent
CASES = "\ncases:\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the shipped suite as a table."""
    out = tmp_path_factory.mktemp("table") / "shipped.csv"
    export_table("mobilitybench", out)
    return out


@pytest.fixture(scope="module")
def shipped() -> list[Episode]:
    """Return the episodes of the shipped suite."""
    return list(read_episodes(SHIPPED))


def rows_of(file: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file, whose cells may be very long."""
    before = csv.field_size_limit(1 << 26)
    try:
        with file.open(encoding="utf-8", newline="") as opened:
            return list(csv.DictReader(opened))
    finally:
        csv.field_size_limit(before)


def write_rows(file: Path, rows: list[dict[str, str]], columns: tuple[str, ...]) -> Path:
    """Write rows to a CSV file, and return its path."""
    with file.open("w", encoding="utf-8", newline="") as opened:
        table = csv.DictWriter(opened, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    return file


@pytest.mark.sampled(2)
@pytest.mark.slow
def test_a_suite_imported_from_its_table_is_the_same(table: Path, tmp_path: Path) -> None:
    outcome, report = import_mobilitybench(table, tmp_path / "again")
    assert (report.episodes.read, report.episodes.stored, report.unknown, report.absent) == (60, 60, (), ())
    assert all(count.adds_up for count in report.tables)
    assert (outcome.left_out, report.cells, report.unjudged) == ((), [], [])
    again = tmp_path / "again"
    assert (again / EPISODES).read_bytes() == (SHIPPED / EPISODES).read_bytes()
    tasks = sorted((SHIPPED / "tasks").glob("*.yaml"))
    assert len(tasks) == 60
    for task in tasks:
        assert (again / "tasks" / task.name).read_text("utf-8").strip() == task.read_text("utf-8").partition(CASES)[
            0
        ].strip()
    # the inputs of the profile `official` are written
    assert len((again / OFFICIAL).read_text("utf-8").splitlines()) == 60
    # the imported tasks give the same verdicts as the originals
    answers = [json.loads(json.dumps(planspec.encode(name, _solve(name)))) for name in ("mb-000001", "mb-000002")]
    for answer in (*answers, "", {}):
        before, after = (
            planspec.verify(where, answer)
            for where in (SHIPPED / "tasks" / "mb-000001.yaml", again / "tasks" / "mb-000001.yaml")
        )
        assert [(one.constraint, one.status) for one in before.findings] == [
            (one.constraint, one.status) for one in after.findings
        ]
        assert before.status == after.status == ("pass" if answer == answers[0] else before.status)
    # a second export gives the same table
    export_table(str(again), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == table.read_bytes()


def _solve(name: str) -> Any:
    """Return a plan of a task, found by a solver."""
    plan = planspec.solve(name).plan
    assert plan is not None
    return plan


def test_a_row_that_contradicts_its_stored_episode_is_not_imported(table: Path, tmp_path: Path) -> None:
    rows = rows_of(table)[:4]
    rows[1]["query"] = "where am I"
    rows[2][EPISODE] = rows[2][EPISODE].replace('"language":"zh"', '"language":"en"')
    rows[3][EPISODE] = ""
    report = TableReport("table.csv")
    read_back = list(small.read_table(write_rows(tmp_path / "table.csv", rows, (ID, *ORDER, EPISODE)), report))
    assert [one.id for one in read_back] == ["mb-000001"]
    assert report.episodes.dropped == Counter({"episode": 3})
    assert [one.line for one in report.left_out] == [2, 3, 4]
    assert "its `query` disagrees with its `planspec_episode`" in str(report.left_out[0])
    assert "its checksum is wrong" in str(report.left_out[1])


def test_the_toolkits_columns_have_the_results_of_tools(table: Path, tmp_path: Path, shipped: list[Episode]) -> None:
    plain = write_rows(tmp_path / "plain.csv", rows_of(table), ORDER)  # the columns that the toolkit reads
    report = TableReport("plain.csv")
    public = list(small.read_table(plain, report))
    assert (len(public), report.left_out, [one for one in report.cells if one.is_missing]) == (60, [], [])
    ways = 0
    for ours, theirs in zip(shipped, public, strict=True):
        assert (ours.query, ours.scenario, ours.context.location) == (
            theirs.query,
            theirs.scenario,
            theirs.context.location,
        )
        records = [one for one in theirs.snapshot if one.column == "route_ans" and one.tool in ROUTE_TOOLS]
        record = next((one for one in ours.snapshot if one.call is not None and one.tool in ROUTE_TOOLS), None)
        if not records or record is None:
            continue
        assert isinstance(record.result, dict)
        right: Any = record.result["routes"]
        for mine, read in zip(right, public_routes(records[0]), strict=True):
            assert read is not None
            same = ("mode", "distance", "transfers", "traffic_lights")
            yuan = 10 ** (2 - minor_digits(ours.currency or ""))  # amounts are read in yuan, which have two decimals
            assert [mine[name] * yuan for name in ("tolls", "fare")] == [read[name] for name in ("tolls", "fare")]
            ends = {"walking_distance"} if mine["mode"] == "transit" else set()
            assert {name: mine[name] for name in (*same, *ends)} == {name: read[name] for name in (*same, *ends)}
            assert 0 <= read["duration"] - mine["duration"] < (60 if mine["mode"] == "cycle" else 1)
            assert [s["line"] for s in mine["steps"] if s["line"]] == [s["line"] for s in read["steps"] if s["line"]]
            ways += 1
    assert ways > 60


def test_a_call_translated_to_the_toolkits_form_and_back_is_unchanged(shipped: list[Episode]) -> None:
    whole = 0
    for episode in shipped:
        for call in episode.program:
            public = public_call(call, episode.context)
            assert public.name is not None
            translation = translate_call(public.name, public.arguments)
            assert not isinstance(translation, UntranslatableCall)
            unsaid = {one.partition(" of ")[0] for one in public.inexpressible}
            tool, arguments = translation
            if "location" in unsaid:
                assert arguments == {"city": episode.context.city, "type": "forecast"}
                continue
            ours = {name: value for name, value in call.arguments.items() if name not in unsaid}
            defaults: dict[str, Any] = {
                "nearby_poi_query": {"radius": 1000},
                "weather_query": {"type": "current"},
            }
            fixed: dict[str, Any] = defaults.get(call.tool, {})
            if "location" in arguments:
                assert normalise_location(arguments["location"]) == normalise_location(str(ours["location"]))
                arguments |= {"location": ours["location"]}
            assert (tool, arguments) == (call.tool, fixed | ours)
            whole += not unsaid
    assert whole > 90


def test_parts_of_an_episode_that_no_column_has_are_reported(table: Path) -> None:
    export = export_table("mobilitybench", table)
    assert (export.rows, export.columns) == (60, (ID, *ORDER, EPISODE))
    assert export.unsaid["avoid_roads of driving_planning"] == 1
    assert export.unsaid["results of calls beyond the first"] == 3
    rows = {row[ID]: row for row in rows_of(table)}
    assert "avoid_roads" not in rows["mb-000017"]["tool_list"]
    assert rows["mb-000041"]["llm_ner_ans"] == "不要近郊5号線"


def test_cells_of_rows_in_the_public_form_keep_their_values(tmp_path: Path) -> None:
    rows = (
        small.WAY,
        small.OPTION,
        small.STOPS,
        small.LINES,
        small.CYCLE,
        small.FOUND,
        small.WHERE,
        small.NEAR,
        small.WEATHER,
        small.JAM,
    )
    first = small.write(tmp_path / "first.csv", *rows)
    import_mobilitybench(first, tmp_path / "suite")
    export = export_table(str(tmp_path / "suite"), tmp_path / "again.csv")
    assert (export.rows, export.columns, export.unsaid) == (len(rows), ORDER, {})
    import_mobilitybench(tmp_path / "again.csv", tmp_path / "other")
    for one, other in zip(read_episodes(tmp_path / "suite"), read_episodes(tmp_path / "other"), strict=True):
        changed = {"source": None, "checksum": ""}
        assert one.model_copy(update=changed) == other.model_copy(update=changed)


def test_ids_that_the_public_table_cannot_express_are_reported(tmp_path: Path) -> None:
    row = small.WAY | {ID: "w1"}
    import_mobilitybench(small.write(tmp_path / "t.csv", row, columns=(ID, *ORDER)), tmp_path / "suite")
    export = export_table(str(tmp_path / "suite"), tmp_path / "again.csv")
    assert (export.columns, export.unsaid) == (ORDER, {"the id of the episode": 1})


@pytest.mark.skipif(not SAMPLE.is_file(), reason="the public sample of MobilityBench is not here")
@pytest.mark.slow
def test_import_and_export_keep_every_cell_of_the_public_sample(tmp_path: Path) -> None:
    import_mobilitybench(SAMPLE, tmp_path / "suite")
    export = export_table(str(tmp_path / "suite"), tmp_path / "again.csv")
    assert export.unsaid == {"route_ans, which was cut off or could not be read": 8}
    changed: Counter[str] = Counter()
    for before, after in zip(rows_of(SAMPLE), rows_of(tmp_path / "again.csv"), strict=True):
        assert list(before) == list(after)
        for column, text in before.items():
            if after[column] != text:
                changed[column] += 1
                if column == "context":  # a blank city counts as missing
                    assert after[column] == text.replace(" 'city': '',", "")
                else:
                    assert (len(text), after[column]) == (32_767, "")
    assert changed == {"route_ans": 8, "context": 5}


def test_shards_and_files_give_the_same_table(tmp_path: Path) -> None:
    write_sharded_suite(tmp_path / "shards", some_episodes()[:2], some_episodes()[2:])
    export_table(str(tmp_path / "shards"), tmp_path / "shards.csv")
    with SuiteWriter(tmp_path / "files", "Some") as writer:
        for episode in some_episodes():
            writer.add(episode)
    export_table(str(tmp_path / "files"), tmp_path / "files.csv")
    assert (tmp_path / "shards.csv").read_bytes() == (tmp_path / "files.csv").read_bytes()
    assert list(small.read_table(tmp_path / "shards.csv", TableReport("shards.csv"))) == some_episodes()


def test_a_table_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    with SuiteWriter(tmp_path / "files", "Some") as writer:
        for episode in some_episodes():
            writer.add(episode)
    lines = (tmp_path / "files" / EPISODES).read_text("utf-8").splitlines()
    (tmp_path / "files" / EPISODES).write_text(
        "\n".join([*lines[:-1], lines[-1].replace(some_episodes()[-1].query, "?")]), "utf-8"
    )
    (tmp_path / "out.csv").write_text("before", "utf-8")
    with pytest.raises(InvalidEpisodeError, match="was changed after it was written"):
        export_table(str(tmp_path / "files"), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text("utf-8") == "before"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["files", "out.csv"]


def test_suites_of_other_families_cannot_be_exported_as_a_table(tmp_path: Path) -> None:
    with pytest.raises(NoTableError, match="worldtravel"):
        export_table("worldtravel-berlin", tmp_path / "out.csv")
    with pytest.raises(InexpressiblePlanError, match="a whole suite"):
        export_table("mb-000001", tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []
