"""Sheets of Excel workbooks are sources of rows: typed cells are exact, and texts have the forms of a dialect."""

from __future__ import annotations

import sys
import zipfile
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from tests.dsl.documents.test_data import values
from tests.dsl.tables.test_dialects import COLUMNS, DAY, mistakes, write_task
from tests.dsl.tables.workbook import CellError, write_workbook
from tests.extras import needs

pytestmark = needs("python_calamine", extra="sheets")

HEADER: list[Any] = ["id", "title", "price", "weight", "count", "away", "walk", "day", "opens", "since", "garden"]
MOMENT = datetime.fromisoformat("2026-11-27 14:30")
TYPED: list[Any] = [
    "a",
    " Größe\n2 ",
    1234.5,
    -2.5,
    12000,
    "3,2 km",
    timedelta(minutes=90),
    MOMENT.date(),
    time(14, 30),
    MOMENT,
    True,
]
TEXTS: list[Any] = [
    "b",
    "27.11.2026",
    "1.234,50 €",
    "60,5",
    "7",
    "850 m",
    None,
    "1.12.2026",
    "9:05",
    "27.11.2026 14:30",
    "nein",
]
KEYS = """\
    decimal: ","
    dates: "%d.%m.%Y"
    times: "%H:%M"
    true: ja
    false: nein
    strip: "€"
    map: {price: {unit: EUR}}
"""
EXPECTED = [
    ("a", "Größe\n2", 123450, Fraction(-5, 2), 12000, 3200, 90, DAY, 870, DAY * 1440 + 870, True),
    ("b", "27.11.2026", 123450, Fraction(121, 2), 7, 850, None, DAY + 4, 545, DAY * 1440 + 870, False),
]


def read_sheet(folder: Path, rows: list[list[Any]], keys: str = "", columns: str = COLUMNS, **options: Any) -> Task:
    """Load a task whose table `T` has the rows of a workbook with one sheet."""
    write_workbook(folder / "t.xlsx", {"Prices": rows}, **options)
    return task_from_path(write_task(folder, keys, "xlsx: t.xlsx", columns))


def only_mistake(folder: Path, keys: str = "", columns: str = COLUMNS) -> Diagnostic:
    """Return the only error of a task whose table `T` has the rows of `t.xlsx`."""
    (one,) = mistakes(write_task(folder, keys, "xlsx: t.xlsx", columns))
    return one


def test_typed_cells_are_read_unchanged_and_texts_in_the_forms_of_a_dialect(tmp_path: Path) -> None:
    task = read_sheet(tmp_path, [HEADER, TYPED, TEXTS], KEYS)
    assert values(task, "T", *HEADER) == EXPECTED


def test_the_table_may_begin_anywhere_in_the_sheet(tmp_path: Path) -> None:
    rows: list[list[Any]] = [HEADER, [None], TYPED, [None], TEXTS]
    task = read_sheet(tmp_path, rows, KEYS, first_row=4, first_column="C")
    assert values(task, "T", *HEADER) == EXPECTED


def test_a_source_can_name_a_sheet_and_defaults_to_the_first(tmp_path: Path) -> None:
    sheets = {"Read me": [["id", "title"], ["x", "first"]], "Preise 2026": [["id", "title"], ["y", "second"]]}
    write_workbook(tmp_path / "t.xlsx", sheets)
    for keys, rows in (("", [("x", "first")]), ("    sheet: Preise 2026\n", [("y", "second")])):
        assert values(task_from_path(write_task(tmp_path, keys, "xlsx: t.xlsx")), "T", "id", "title") == rows
    one = only_mistake(tmp_path, "    sheet: Preise 2025\n")
    assert (one.code, one.span.text, one.message, one.help) == (
        "PS014",
        "Preise 2025",
        "the workbook has no sheet `Preise 2025`",
        "did you mean `Preise 2026`?",
    )


def test_numbers_have_the_digits_that_spreadsheet_programs_show(tmp_path: Path) -> None:
    task = read_sheet(tmp_path, [["id", "weight"], ["a", 0.1 + 0.2], ["b", 1e-7], [3, 123456789012345]])
    assert values(task, "T", "id", "weight") == [
        ("a", Fraction(3, 10)),
        ("b", Fraction(1, 10**7)),
        ("3", 123456789012345),
    ]


BAD = [
    ("weight", CellError("#DIV/0!"), "`#DIV/0!` is no decimal", "#DIV/0!"),
    ("day", 46353, "`46353` is no date", "46353"),
    ("day", "2026-11-27", "`2026-11-27` is no date", "2026-11-27"),
    ("count", 2.5, "`2.5` is no int", "2.5"),
    ("opens", "9.30", "`9.30` is no time", "9.30"),
]


@pytest.mark.parametrize(("column", "cell", "message", "text"), BAD)
def test_a_mistaken_cell_is_reported_with_its_row_in_the_sheet(
    column: str, cell: Any, message: str, text: str, tmp_path: Path
) -> None:
    rows: list[list[Any]] = [["id", "title", column], ["a", "x"], ["b", "two\nlines", cell]]
    write_workbook(tmp_path / "t.xlsx", {"Prices": rows}, first_row=2)
    one = only_mistake(tmp_path, '    dates: "%d.%m.%Y"\n')
    assert (one.code, one.message, one.span.text, one.span.line) == ("PS016", message, text, 4)
    assert one.span.source.line_text(4) == f"b | two lines | {text}"
    assert Path(one.span.source.name).name == "t.xlsx"


def test_a_cell_with_an_error_counts_as_missing_only_if_the_error_is_listed(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["id", "title", "count"], ["a", CellError("#N/A"), CellError("#N/A")]]
    write_workbook(tmp_path / "t.xlsx", {"Prices": rows})
    one = only_mistake(tmp_path)
    assert one.help == "if nothing is there, leave it out, or write `empty: [#N/A]` beside the table's source"
    task = task_from_path(write_task(tmp_path, '    empty: ["#N/A"]\n', "xlsx: t.xlsx"))
    assert values(task, "T", "title", "count") == [(None, None)]


UNFIT = [
    ([], "the sheet has no header"),
    ([["Prices of 2026"], ["id", "title"], ["a", "x"]], "the header is one name, and the row below has 2 cells"),
    ([["id", "title", "title"], ["a", "x", "y"]], "the header has `title` twice"),
    ([["Titel", "Anzahl"], ["a", 1]], "the source has no column of `T`"),
]


@pytest.mark.parametrize(("rows", "message"), UNFIT)
def test_a_sheet_without_a_header_of_the_table_is_a_mistake(
    rows: list[list[Any]], message: str, tmp_path: Path
) -> None:
    write_workbook(tmp_path / "t.xlsx", {"Prices": rows})
    one = only_mistake(tmp_path)
    assert (one.code, one.message) == ("PS014", message)


def write_damaged(path: Path, part: str, text: str) -> None:
    """Write a workbook in which one part has a different text."""
    whole = write_workbook(path.with_name("whole.xlsx"), {"Prices": [["id"], ["a"]]})
    with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(path, "w") as damaged:
        for name in archive.namelist():
            damaged.writestr(name, text if name == part else archive.read(name))


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("xl/workbook.xml", "<workbook"),
        ("xl/workbook.xml", '<!DOCTYPE x [<!ENTITY a "b">]><workbook/>'),
        ("xl/_rels/workbook.xml.rels", "<Relationships/>"),
        ("xl/s1.xml", '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>99'),
        ("xl/s1.xml", '<worksheet><sheetData><row><c t="e"><v>#N/A</v></c></row></sheetData></worksheet>'),
    ],
)
def test_a_damaged_workbook_is_a_mistake(part: str, text: str, tmp_path: Path) -> None:
    write_damaged(tmp_path / "t.xlsx", part, text)
    assert only_mistake(tmp_path).code == "PS014"


@pytest.mark.parametrize("data", [b"", b"id;title\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_file_that_is_not_a_workbook_is_a_mistake(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(data)
    one = only_mistake(tmp_path)
    assert (one.message, one.help) == (
        "the workbook cannot be read",
        "save it as `.xlsx` without a password, or export the sheet as CSV",
    )


def test_a_cell_at_the_far_end_of_a_sheet_does_not_fill_the_memory(tmp_path: Path) -> None:
    text = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
    text += '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    write_damaged(tmp_path / "t.xlsx", "xl/s1.xml", text)
    one = only_mistake(tmp_path)
    assert one.message == "the workbook has too many cells, counted to its last row and column"


def test_the_extra_is_named_if_it_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_workbook(tmp_path / "t.xlsx", {"Prices": [["id"], ["a"]]})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    one = only_mistake(tmp_path)
    assert (one.code, one.message, one.help) == (
        "PS014",
        "workbooks need an extra",
        "pip install 'planspec[sheets]'",
    )


def test_a_changed_cell_changes_the_hash_of_the_task(tmp_path: Path) -> None:
    texts = {read_sheet(tmp_path, [["id", "count"], ["a", count]]).texts for count in (1, 2)}
    assert len(texts) == 2


def test_a_workbook_of_openpyxl_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="no openpyxl, which writes workbooks as Excel does")
    book = openpyxl.Workbook()
    book.active.title = "Prices"
    book.active.append(["id", "day", "count"])
    book.active.append(["a", date(2026, 11, 27), 7])
    book.save(tmp_path / "t.xlsx")
    task = task_from_path(write_task(tmp_path, "", "xlsx: t.xlsx"))
    assert values(task, "T", "id", "day", "count") == [("a", DAY, 7)]
