"""Values in the spelling of other programs are read if they are unambiguous. Otherwise the help gives the right
spelling.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.tables.foreign_spellings import foreign_spelling

TASK = """\
planspec: task/1
id: x
query: Where to?
currency: EUR
tables:
  T:
    columns: {COLUMNS}
    SOURCE
plan: {p: {one: true, t: T}}
scope: {p: {t: T}}
"""


def load_task(folder: Path, columns: str, source: str) -> Task:
    """Load a task with a table that has these columns and this source."""
    path = folder / "x.task.yaml"
    path.write_text(TASK.replace("COLUMNS", columns).replace("SOURCE", source), "utf-8")
    return task_from_path(path)


def only_mistake(folder: Path, columns: str, source: str) -> Diagnostic:
    """Return the only mistake in a task with a table that has these columns and this source."""
    with pytest.raises(DiagnosticError) as caught:
        load_task(folder, columns, source)
    (one,) = (d for d in caught.value.diagnostics if d.severity.value == "error")
    return one


CELLS = """\
date    | 27.11.2026       | write `2026-11-27`                                           | dates: "%d.%m.%Y"
date    | 27/11/2026       | write `2026-11-27`                                           | dates: "%d/%m/%Y"
date    | 11/27/2026       | write `2026-11-27`                                           | dates: "%m/%d/%Y"
date    | 2026/11/27       | write `2026-11-27`                                           | dates: "%Y/%m/%d"
date    | 3/4/2026         | year, month and day: write `2026-03-04` or `2026-04-03`      | dates: "%m/%d/%Y"` or `dates: "%d/%m/%Y"
date    | 46353            | in a spreadsheet that is 2026-11-27: export the column as text such as `2026-11-27` |
bool    | yes              | write `true`                                                 | true: yes
bool    | falsch           | write `false`                                                | false: falsch
bool    | 1                | write `true`                                                 | true: 1
time    | 9.30             | write `9:30`                                                 | times: "%H.%M"
time    | 14h30            | write `14:30`                                                | times: "%Hh%M"
time    | 2:30 pm          | write `14:30`                                                | times: "%I:%M %p"
time    | 12:15am          | write `0:15`                                                 | times: "%I:%M%p"
time    | 2:30:00 PM       | write `14:30`                                                | times: "%I:%M:%S %p"
money   | €3               | write `3 EUR`                                                | strip: "€"
decimal | "60,5"           | the decimal sign is a point: write `60.5`                    | decimal: ","
money   | "1.140,50 EUR"   | the decimal sign is a point: write `1140.50 EUR`             | decimal: ","
int     | "1,140"          | numbers have no commas: write `1140`                         | decimal: "."
"""


@pytest.mark.parametrize("line", CELLS.splitlines())
def test_the_help_for_a_foreign_cell_gives_the_right_spelling_and_the_option(line: str, tmp_path: Path) -> None:
    type_, cell, remedy, option = (part.strip() for part in line.split("|"))
    (tmp_path / "t.csv").write_text(f"id,c\na,{cell}\n", "utf-8")
    one = only_mistake(tmp_path, f"c: {type_}", "csv: t.csv")
    more = f", or beside `csv:` or a file `{option}`" if option else ""
    assert (one.code, one.help) == ("PS016", remedy + more)


ONE_OPTION = [
    line for line in CELLS.splitlines() if line.split("|")[3].count(":") and "` or `" not in line.split("|")[3]
]
"""Lines of `CELLS` whose cell can be read if one key is added to the table."""


@pytest.mark.parametrize("line", ONE_OPTION)
def test_the_option_reads_a_foreign_cell_as_the_right_spelling(line: str, tmp_path: Path) -> None:
    type_, cell, remedy, option = (part.strip() for part in line.split("|"))
    columns = f"c: {type_}"
    unit = ", unit: EUR" if cell == "€3" else ""
    (tmp_path / "t.csv").write_text(f"id,c\na,{cell}\n", "utf-8")
    foreign = load_task(tmp_path, columns, f"csv: t.csv\n    map: {{c: {{from: c{unit}}}}}\n    {option}")
    (tmp_path / "t.csv").write_text(f"id,c\na,{remedy.split('`')[1]}\n", "utf-8")
    own = load_task(tmp_path, columns, "csv: t.csv")
    assert [row.c for row in foreign.facts["T"].rows] == [row.c for row in own.facts["T"].rows]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "mark", "key"),
    [("id;c\na;1\n", "`;`", '";"'), ("id\tc\na\t1\n", "tabs", "tab"), ("id|c\n", "`|`", '"|"')],
)
def test_a_file_with_another_separator_is_recognised_by_its_header(
    text: str, mark: str, key: str, tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text(text, "utf-8")
    one = only_mistake(tmp_path, "c: int?", "csv: t.csv")
    assert (one.code, Path(one.span.source.name).name, one.span.line) == ("PS014", "t.csv", 1)
    assert one.help == f"the file seems to be separated by {mark}: write `delimiter: {key}` beside the source"
    task = load_task(tmp_path, "c: int?", f"csv: t.csv\n    delimiter: {key}")
    assert len(task.facts["T"].rows) == text.count("\n") - 1


def test_json_lines_without_any_column_are_reported(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"Title": 1}\n', "utf-8")
    assert only_mistake(tmp_path, "c: int?", "jsonl: t.jsonl").message == "the source has no column of `T`"


def test_the_help_for_a_workbook_names_its_key(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"PK\x03\x04\xff\xfe")
    assert "write `xlsx:` in the place of `csv:`" in str(only_mistake(tmp_path, "c: int?", "csv: t.xlsx").help)


def empty_database(folder: Path, query: str) -> str:
    """Create an SQLite file with an empty table, and return a source that queries it."""
    with sqlite3.connect(folder / "b.sqlite") as connection:
        connection.execute("create table empty (a)")
    return f'sqlite: {{file: b.sqlite, query: "{query}"}}'


def test_sqlite_stores_booleans_as_digits(tmp_path: Path) -> None:
    task = load_task(tmp_path, "c: bool", empty_database(tmp_path, "select 'a' as id, 3 > 2 as c union select 'b', 0"))
    assert [row.c for row in task.facts["T"].rows] == [True, False]  # type: ignore[attr-defined]


@pytest.mark.parametrize("value", ["x'c328'", "'a' || char(0)"])
def test_binary_data_is_not_a_text(value: str, tmp_path: Path) -> None:
    one = only_mistake(tmp_path, "c: text", empty_database(tmp_path, f"select 'a' as id, {value} as c"))
    assert (one.code, one.message) == ("PS016", "`T.c` is no text")


def test_names_that_look_equal_are_equal(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,name\ncafe\u0301,Cafe\u0301\n", "utf-8")
    (row,) = load_task(tmp_path, "name: text", "csv: t.csv").facts["T"].rows
    assert row._key == ("caf\u00e9",) and row.name == "Caf\u00e9"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("31.02.2026", ScalarType.DATE),
        ("2026/13/01", ScalarType.DATE),
        ("25.30", ScalarType.TIME),
        ("9.75", ScalarType.TIME),
    ],
)
def test_the_help_never_suggests_a_nonexistent_date_or_time(text: str, type_: ScalarType) -> None:
    assert foreign_spelling(text, type_, "EUR") is None
