"""Tables of other programs: numbers without units, words for missing values, and the cell to which an error points."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from tests.dsl.documents.test_data import load_task, values

COLUMNS = """\
    columns:
      price: money
      walk: duration?
      away: distance?
      opens: time?
      day: date?
      at: moment?
      pool: bool = false
      stars: int?
      tags: set of text = {}
"""


def diagnostics_of(folder: Path, entry: str, **files: str) -> list[Diagnostic]:
    """Return the diagnostics of a table `T` with this entry."""
    with pytest.raises(DiagnosticError) as caught:
        load_task(folder, f"  T:\n{COLUMNS}{entry}", **files)
    return list(caught.value.diagnostics)


def test_a_column_can_declare_the_unit_of_its_numbers(tmp_path: Path) -> None:
    entry = "    map: {price: {from: Price, unit: EUR}, walk: {unit: h}, away: {unit: km}}\n    csv: a.csv\n"
    text = "id,Price,walk,away\na,117,1.5,0.4\nb,99.50,90min,850m\nc,12.50 EUR,0,\n"
    task = load_task(tmp_path, f"  T:\n{COLUMNS}{entry}", a_csv=text)
    assert values(task, "T", "price", "walk", "away") == [(11700, 90, 400), (9950, 90, 850), (1250, 0, None)]


def test_units_and_words_for_missing_values_work_in_every_source(tmp_path: Path) -> None:
    how = "    map: {price: {from: Price, unit: EUR}, walk: {unit: min}, tags: {split: '|'}}\n    empty: [NaN, None]\n"
    records = [
        {"id": "a", "Price": "7", "walk": "NaN", "tags": "x|None|y"},
        {"id": "b", "Price": "8", "walk": "5", "tags": "None"},
    ]
    csv = "id,Price,walk,tags\n" + "".join(",".join(r.values()) + "\n" for r in records)
    base = sqlite3.connect(tmp_path / "a.sqlite")
    base.execute("create table t (id text, Price real, walk text, tags text)")
    base.executemany("insert into t values (?, ?, ?, ?)", [tuple(r.values()) for r in records])
    base.commit()
    base.close()
    rows = "".join("      - {" + ", ".join(f"{k}: '{v}'" for k, v in r.items()) + "}\n" for r in records)
    sources = {
        "csv": "    csv: a.csv\n",
        "jsonl": "    jsonl: a.jsonl\n",
        "sqlite": "    sqlite: {file: a.sqlite, query: select * from t}\n",
        "rows": f"    rows:\n{rows}",
    }
    lines = "".join(json.dumps(r | {"tags": r["tags"].split("|"), "Price": float(r["Price"])}) + "\n" for r in records)
    for entry in sources.values():
        task = load_task(tmp_path, f"  T:\n{COLUMNS}{how}{entry}", a_csv=csv, a_jsonl=lines)
        assert values(task, "T", "price", "walk", "tags") == [(700, None, ("x", "y")), (800, 5, ())], entry


def test_a_column_may_have_its_own_words_for_missing_values(tmp_path: Path) -> None:
    entry = (
        "    map: {tags: {split: ';', empty: []}, name: {from: Name, empty: '-'}}\n    empty: [NaN]\n    csv: a.csv\n"
    )
    text = "id,Name,price,stars,tags\na,-,0,NaN,NaN;x\nb,NaN,0,1,\n"
    task = load_task(tmp_path, f"  T:\n{COLUMNS}{entry}", a_csv=text)
    assert values(task, "T", "stars", "tags") == [(None, ("NaN", "x")), (1, ())]
    assert [row._extra.get("name") for row in task.facts["T"].rows] == [None, "NaN"]


def test_an_empty_cell_of_a_split_column_takes_the_default(tmp_path: Path) -> None:
    table = '  T:\n    columns:\n      tags: set of text = {"a"}\n    map: {tags: {split: ;}}\n    csv: a.csv\n'
    assert values(load_task(tmp_path, table, a_csv="id,tags\nx,\ny,b;c\n"), "T", "tags") == [
        (("a",),),
        (("b", "c"),),
    ]


def test_values_may_have_the_spelling_of_programs(tmp_path: Path) -> None:
    text = (
        "id,price,opens,day,at,pool,stars\n"
        "a,0,09:00:00,2025-01-02 00:00:00,2025-01-02T09:30:00,True,3.0\n"
        "b,0,9:00:00.000,2025-01-02T00:00,2025-01-02 09:30,FALSE,-3.00\n"
    )
    task = load_task(tmp_path, f"  T:\n{COLUMNS}    csv: a.csv\n", a_csv=text)
    day = 739253
    assert values(task, "T", "opens", "day", "at", "pool", "stars") == [
        (540, day, day * 1440 + 570, True, 3),
        (540, day, day * 1440 + 570, False, -3),
    ]


BAD = (
    (
        "price",
        "117",
        "an amount such as 12.50 EUR is needed",
        "write `117 EUR`, or under the table's `map:` `price: {from: HEADER, unit: EUR}`",
    ),
    (
        "walk",
        "10",
        "a duration such as 90min or 1h30min is needed",
        "write `10min`, or under the table's `map:` `walk: {from: HEADER, unit: min}`",
    ),
    (
        "away",
        "0.4",
        "a distance such as 850m or 3.2km is needed",
        "write `0.4km`, or under the table's `map:` `away: {from: HEADER, unit: km}`",
    ),
    (
        "stars",
        "NaN",
        "a whole number is needed",
        "if nothing is there, leave it out, or write `empty: [NaN]` beside the table's source",
    ),
    ("stars", "3.5", "a whole number is needed", "`T.stars` is of type int"),
    (
        "opens",
        "09:00:30",
        "times are whole minutes, such as 14:30: the seconds can only be 00",
        "`T.opens` is of type time",
    ),
    ("day", "2025-01-02 09:00", "a date such as 2026-07-01 is needed", "`T.day` is of type date"),
    ("pool", "yes", "true or false is needed", "write `true`, or beside `csv:` or a file `true: yes`"),
    ("walk", "90s", "a whole number of minutes is needed", "`T.walk` is of type duration"),
)


@pytest.mark.parametrize(("column", "cell", "label", "way"), BAD)
def test_the_diagnostic_of_an_unreadable_cell_says_how_to_mend_it(
    column: str, cell: str, label: str, way: str, tmp_path: Path
) -> None:
    text = f"id,{column},note\na,{cell},x\n" if column == "price" else f"id,price,{column}\na,0,{cell}\n"
    (one,) = diagnostics_of(tmp_path, "    csv: a.csv\n", a_csv=text)
    assert (one.code, one.span.text, one.primary.text, one.help) == ("PS016", cell, label, way)


def test_a_number_in_a_unit_that_leaves_parts_of_minutes_is_refused(tmp_path: Path) -> None:
    (one,) = diagnostics_of(tmp_path, "    csv: a.csv\n    map: {walk: {unit: h}}\n", a_csv="id,price,walk\na,0,0.33\n")
    assert (one.span.text, one.primary.text) == ("0.33", "a whole number of minutes is needed")


ROWS = (
    ("a,0, bad ,x", "bad"),
    ('a,0,"bad",x', '"bad"'),
    ('"a, b",0,"b ""a"" d",x', '"b ""a"" d"'),
    ('"a\n2",0,bad,"y\nz"', "bad"),
)


@pytest.mark.parametrize(("row", "cell"), ROWS)
def test_the_cell_of_a_csv_row_is_underlined(row: str, cell: str, tmp_path: Path) -> None:
    text = f"id,price,stars,note\n{row}\n"
    (one,) = diagnostics_of(tmp_path, "    csv: a.csv\n", a_csv=text)
    assert (one.span.text, one.span.line) == (cell, 2 + row[: row.index(cell)].count("\n"))
    inline = "".join(f"      {line}\n" for line in text.splitlines())
    (one,) = diagnostics_of(tmp_path, f"    csv: |\n{inline}")
    assert one.span.text == cell


def test_the_row_is_underlined_if_its_cell_differs_from_the_text_in_the_file(tmp_path: Path) -> None:
    (one,) = diagnostics_of(tmp_path, '    csv: "id,price,stars\\na,0,b\\x61d\\n"\n')
    assert one.span.text == "a,0,b\\x61d"
