"""An import is complete, or leaves no suite. The import of the small world equals the shipped suite."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.api.outputs.imports import ImportOutput
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.travelplanner.importing.database import InvalidDatabaseError
from planspec.families.travelplanner.importing.suite import BASE, import_travelplanner, suite_folder
from planspec.suite_writing.folder import SuiteFolder
from tests.families.travelplanner.importing.public_folder import (
    CITIES,
    FLIGHTS,
    HOTELS,
    RESTAURANTS,
    copy_database,
    import_queries,
    query,
    replace_text,
    save_queries,
)
from tests.families.travelplanner.official.small_world import SMALL
from tests.planspec.commands.test_command_line import run

WRITTEN = {"suite.yaml", "world.yaml", BASE, "tasks"}


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def dump(base: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every table of a database with its definition and its rows in order."""
    with closing(sqlite3.connect(base)) as opened:
        result = {}
        for name, sql in opened.execute("select name, sql from sqlite_master where sql is not null").fetchall():
            result[name] = [(sql,)]
            if sql.lower().startswith("create table"):
                result[name] += opened.execute(f"select * from {name} order by rowid").fetchall()
    return result


# -- the shipped suite -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fresh_import(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a new import of the small world."""
    out = tmp_path_factory.mktemp("import") / SMALL.name
    result = import_travelplanner(SMALL / "database", [SMALL / "queries.jsonl"], out)
    assert result.left_out == ()
    return out


def remove_cases(text: bytes) -> bytes:
    """Return a task's text without its handwritten sections `expects` and `cases`."""
    return text.partition(b"cases:\n")[0].partition(b"\nexpects:")[0].rstrip() + b"\n"


def test_a_new_import_keeps_handwritten_cases_of_tasks(tmp_path: Path) -> None:
    out = tmp_path / SMALL.name
    import_travelplanner(SMALL / "database", [SMALL / "queries.jsonl"], out)
    first, second = out / "tasks" / "1.yaml", out / "tasks" / "2.yaml"
    fresh_import = [first.read_text(), second.read_text()]
    section = "expects: feasible\ncases:\n  # no plan at all\n  nothing: {answer: [1], undelivered: true}\n"
    first.write_text(fresh_import[0].replace("scope:\n", f"{section}scope:\n", 1))
    import_travelplanner(SMALL / "database", [SMALL / "queries.jsonl"], out)
    assert [first.read_text(), second.read_text()] == [fresh_import[0] + section, fresh_import[1]]


def test_the_shipped_documents_equal_those_of_a_fresh_import(fresh_import: Path) -> None:
    result = contents(fresh_import)
    del result[BASE]
    assert len(result) == 16
    handwritten = {name: remove_cases((SMALL / name).read_bytes()) for name in result if name.startswith("tasks/")}
    assert {**{name: (SMALL / name).read_bytes() for name in result}, **handwritten} == result
    present = {path.name for path in (SMALL / "tasks").iterdir()}
    assert present == {"certificates"} | {path.name for path in (fresh_import / "tasks").iterdir()}


def test_the_shipped_database_equals_that_of_a_fresh_import(fresh_import: Path) -> None:
    shipped, result = dump(SMALL / BASE), dump(fresh_import / BASE)
    assert shipped.keys() == result.keys()
    assert len(result["public_distances"]) == 1 + 77
    for name, rows in result.items():
        assert shipped[name] == rows, name


@pytest.mark.slow
def test_every_shipped_task_checks_without_mistakes() -> None:
    assert planspec.check([SMALL]) == ()


@pytest.mark.slow
def test_the_givens_of_every_shipped_task_match_its_query() -> None:
    workspace = Workspace()
    for line in (SMALL / "queries.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        task = planspec.load(SMALL / "tasks" / f"{record['idx']}.yaml", workspace=workspace)
        assert task.query == record["query"]
        assert task.givens["party"] == record["people_number"]
        assert task.givens["cities"] == record["visiting_city_number"]
        assert task.givens["budget"] == record["budget"] * 100
        assert {c._key[0] for c in task.givens["tastes"]} == set(record["local_constraint"]["cuisine"] or ())


# -- failed imports --------------------------------------------------------------------------------------


def add_short_row(folder: Path) -> None:
    """Append a row with too few cells to the table of flights."""
    with (folder / FLIGHTS).open("a", encoding="utf-8") as file:
        file.write("one,cell,too,few\n")


SPOILED = [
    ("a missing file", lambda folder: (folder / FLIGHTS).unlink(), "has no flights/clean_Flights_2022.csv"),
    ("a missing column", lambda folder: replace_text(folder / HOTELS, "NAME", "X"), "has no column `NAME`"),
    ("a ragged row", add_short_row, "line 129: the row has 4 cells, the header 9"),
    ("no text", lambda folder: (folder / CITIES).write_bytes(b"\xff\tX\n"), "is not UTF-8 (byte 0)"),
    ("no CSV", lambda folder: replace_text(folder / RESTAURANTS, "Square", "x" * 200_000), "is not CSV: field larger"),
]


@pytest.mark.parametrize(("damage", "text"), [x[1:] for x in SPOILED], ids=[x[0] for x in SPOILED])
def test_an_invalid_database_exits_2_with_one_line_and_leaves_no_files(
    damage: Any, text: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    damage(copy_database(tmp_path))
    out = tmp_path / "made"
    words = (
        "import",
        "travelplanner",
        "--db",
        str(tmp_path / "database"),
        "--queries",
        str(save_queries(tmp_path, query())),
        "--out",
        str(out),
    )
    code, printed, err = run(monkeypatch, capsys, *words)
    assert (code, printed) == (2, "")
    assert err.startswith("error: ")
    assert text in err
    assert err.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("damage", [x[1] for x in SPOILED], ids=[x[0] for x in SPOILED])
def test_an_invalid_database_leaves_an_earlier_import_unchanged(damage: Any, tmp_path: Path) -> None:
    result = import_queries(tmp_path, query(1), query(2))
    before = contents(result.folder)
    damage(copy_database(tmp_path))
    with pytest.raises(InvalidDatabaseError):
        import_travelplanner(tmp_path / "database", [save_queries(tmp_path, query(3))], result.folder)
    assert contents(result.folder) == before


def test_unreadable_queries_leave_no_files(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        import_travelplanner(SMALL / "database", [tmp_path / "nowhere.jsonl"], tmp_path / "made")
    assert not (tmp_path / "made").exists()


def test_an_import_interrupted_while_writing_leaves_no_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a suite were left, a later command would take the tasks written so far for all of its tasks."""
    result = import_queries(tmp_path, query(1), query(2))

    def fail(*_: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(SuiteFolder, "_suite_text", fail)
    with pytest.raises(KeyboardInterrupt):
        import_queries(tmp_path, query(3))
    assert not (result.folder / "suite.yaml").exists()


def test_a_new_import_replaces_an_earlier_one_and_keeps_other_files(tmp_path: Path) -> None:
    result = import_queries(tmp_path, query(1), query(2))
    (result.folder / "README.md").write_text("mine", "utf-8")
    again = import_queries(tmp_path, query(3))
    assert again.tasks == ("3",)
    assert {path.name for path in (result.folder / "tasks").iterdir()} == {"3.yaml"}
    assert {path.name for path in result.folder.iterdir()} == WRITTEN | {"README.md"}
    once = contents(result.folder)
    import_queries(tmp_path, query(3))
    assert {k: v for k, v in contents(result.folder).items() if k != BASE} == {
        k: v for k, v in once.items() if k != BASE
    }


@pytest.mark.slow
def test_an_imported_suite_passes_the_check(tmp_path: Path) -> None:
    result = import_queries(tmp_path, query(1), query(6))
    assert {path.name for path in result.folder.iterdir()} == WRITTEN
    assert planspec.check([result.folder]) == ()
    assert planspec.load(result.folder / "tasks" / "6.yaml").id == "6"


def test_an_import_without_queries_is_an_empty_suite(tmp_path: Path) -> None:
    result = import_queries(tmp_path)
    assert (result.tasks, result.left_out) == ((), ())
    assert planspec.check([result.folder]) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"), [("a b", "a-b"), ("träume", "träume"), ("..x", "travelplanner"), ("1", "1"), ("a@b: {", "a-b---")]
)
def test_the_id_of_a_suite_is_derived_from_its_folder(tmp_path: Path, name: str, text: str) -> None:
    assert suite_folder(tmp_path / name).id == text
    result = import_travelplanner(SMALL / "database", [save_queries(tmp_path, query())], tmp_path / name)
    assert planspec.check([result.folder]) == ()


# -- the command ----------------------------------------------------------------------------------------------


def import_arguments(tmp_path: Path, *more: str, family: str = "travelplanner", out: str = "made") -> tuple[str, ...]:
    """Return the arguments of the command `import` for the small world."""
    return (
        "import",
        family,
        "--db",
        str(SMALL / "database"),
        "--queries",
        str(tmp_path / "queries.jsonl"),
        "--out",
        str(tmp_path / out),
        *more,
    )


@pytest.mark.parametrize("family", ["travelplanner", "flextravel"])
def test_the_json_output_matches_its_schema(family: str, tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    save_queries(tmp_path, query(1), query(6), query(4, org="Atlantis"))
    code, out, err = run(monkeypatch, capsys, *import_arguments(tmp_path, "--format", "json", family=family))
    result = ImportOutput.model_validate_json(out)
    assert (code, result.family, result.suite) == (2, family, "made")
    assert [(left.file, left.line) for left in result.left_out] == [("queries.jsonl", 3)]
    assert err == f"error: queries.jsonl:3: {result.left_out[0].reason}; it is left out\n"
    _, schema, _ = run(monkeypatch, capsys, "schema", "output/import")
    properties = json.loads(schema)["properties"]
    assert set(json.loads(out)) == set(properties)
    assert {t.table: t.read - t.kept - t.repeated - sum(t.dropped.values()) for t in result.tables} == dict.fromkeys(
        ("cities", "accommodations", "restaurants", "attractions", "distances", "flights"), 0
    )


def test_the_text_output_counts_the_rows_of_each_table(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    save_queries(tmp_path, query(1), query(2))
    code, out, err = run(monkeypatch, capsys, *import_arguments(tmp_path))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[2] == (
        "restaurants     53 of 54 rows; 1 repeated (the first counts); 1 not found or confused by the public evaluator"
    )
    assert lines[-1] == f"suite made: 2 tasks in {tmp_path / 'made'}"


def test_a_folder_not_written_by_an_import_is_refused_and_unchanged(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    """The folder holds arbitrary files, or a handwritten suite."""
    save_queries(tmp_path, query())
    (tmp_path / "any").mkdir()
    (tmp_path / "any" / "notes.txt").write_text("mine", "utf-8")
    (tmp_path / "file").write_text("mine", "utf-8")
    shutil.copytree(SMALL, tmp_path / "suite", ignore=shutil.ignore_patterns(BASE, "database"))
    before = contents(tmp_path)
    for out in ("any", "file", "suite"):
        code, _, err = run(monkeypatch, capsys, *import_arguments(tmp_path, out=out))
        assert (code, "is neither a new folder nor one of an earlier import" in err) == (2, True), out
    assert contents(tmp_path) == before


def test_a_folder_with_the_remains_of_a_killed_import_is_accepted(
    tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    save_queries(tmp_path, query())
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / suite_folder(tmp_path / "made").part.name).write_bytes(b"half a base")
    code, _, _ = run(monkeypatch, capsys, *import_arguments(tmp_path))
    assert code == 0
    assert {path.name for path in (tmp_path / "made").iterdir()} == WRITTEN


def test_missing_files_are_reported(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    code, _, err = run(monkeypatch, capsys, *import_arguments(tmp_path))
    assert (code, err) == (2, f"error: there is no file `{tmp_path / 'queries.jsonl'}`\n")
    save_queries(tmp_path, query())
    words = list(import_arguments(tmp_path))
    words[3] = str(tmp_path / "nowhere")
    code, _, err = run(monkeypatch, capsys, *words)
    assert (code, err) == (2, f"error: there is no folder `{tmp_path / 'nowhere'}`\n")
    assert not (tmp_path / "made").exists()
