"""Tables of tasks are read from CSV files and workbooks in any format. Each field may have its own form."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Report, Severity
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from planspec.dsl.structure.document import Document
from planspec.dsl.workspace.task_tables import read_tables
from planspec.dsl.workspace.workspace import Workspace
from tests.dsl.tables.test_dialects import DAY
from tests.dsl.tables.workbook import write_workbook
from tests.extras import needs

LIBRARY = """\
planspec: library/1
id: lib
given: {day: date, at: moment?, opens: time?, late: bool = false, weight: decimal?, budget: money?, note: text?}
"""
SUITE = """\
planspec: suite/1
id: s
tasks:
  - from:
SOURCE
      map:
        id: Nr
        query: Text
        given:
FIELDS
      ignore: "*"
    task: {uses: lib, currency: EUR, plan: {visits: {n: key int}}}
"""
FIELDS = """\
          day: {from: Datum, dates: "%d.%m.%Y"}
          at: {from: Seit, dates: "%d.%m.%Y", times: "%H:%M Uhr"}
          opens: {from: Zeit, times: "%I:%M %p"}
          late: {from: Spät, true: ja, false: nein}
          weight: {from: Gewicht, decimal: ","}
          budget: {from: Preis, decimal: ",", strip: "€", unit: EUR}
          note: Datum
"""
RECORDS = [
    {
        "Nr": "1",
        "Text": "Wohin?",
        "Datum": "27.11.2026",
        "Seit": "27.11.2026 14:30 Uhr",
        "Zeit": "2:30 PM",
        "Spät": "Ja",
        "Gewicht": "1.234,5",
        "Preis": "12,50 €",
    },
    {
        "Nr": "2",
        "Text": "Womit?",
        "Datum": "1.12.2026",
        "Seit": "",
        "Zeit": "",
        "Spät": "",
        "Gewicht": "60,5",
        "Preis": "",
    },
]
JSON_RECORDS = [{name: text or None for name, text in record.items()} for record in RECORDS]
GIVENS: list[dict[str, Any]] = [
    {
        "day": DAY,
        "at": DAY * 1440 + 870,
        "opens": 870,
        "late": True,
        "weight": Fraction(2469, 2),
        "budget": 1250,
        "note": "27.11.2026",
    },
    {
        "day": DAY + 4,
        "at": None,
        "opens": None,
        "late": False,
        "weight": Fraction(121, 2),
        "budget": None,
        "note": "1.12.2026",
    },
]


def csv_text(delimiter: str) -> str:
    """Return the records as CSV with this delimiter."""
    lines = [[*RECORDS[0]], *([*record.values()] for record in RECORDS)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def write_suite(folder: Path, source: str, fields: str = FIELDS) -> Path:
    """Write a suite with a table of tasks, and return its path."""
    (folder / "lib.library.yaml").write_text(LIBRARY, "utf-8")
    lines = "".join(f"      {line}\n" for line in source.splitlines()).rstrip("\n")
    path = folder / "s.suite.yaml"
    path.write_text(SUITE.replace("SOURCE", lines).replace("FIELDS\n", fields), "utf-8")
    return path


def tasks_of(suite: Path) -> list[Task]:
    """Load the tasks of both records."""
    return [task_from_path(Path(f"{suite}#{number}")) for number in (1, 2)]


def givens_of(task: Task) -> dict[str, Any]:
    return dict(task.givens)


SOURCES = [
    ('csv: t.csv\ndelimiter: ";"\nencoding: cp1252', csv_text(";").encode("cp1252")),
    ("csv: t.csv\nencoding: utf-16\ndelimiter: tab", csv_text("\t").encode("utf-16")),
    ("jsonl: t.csv", "".join(json.dumps(record) + "\n" for record in JSON_RECORDS).encode()),
    ("json: t.csv", json.dumps(JSON_RECORDS).encode()),
]


@pytest.mark.parametrize(("source", "data"), SOURCES)
def test_forms_of_values_are_applied_to_fields_in_every_source(source: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    assert [givens_of(task) for task in tasks_of(write_suite(tmp_path, source))] == GIVENS


@needs("python_calamine", extra="sheets")
def test_a_sheet_is_a_table_of_tasks(tmp_path: Path) -> None:
    typed: list[Any] = ["1", "Wohin?", date(2026, 11, 27), None, None, True, 1234.5, 12.5]
    rows: list[list[Any]] = [list(RECORDS[0]), typed, list(RECORDS[1].values())]
    write_workbook(tmp_path / "t.xlsx", {"Info": [["x"]], "Aufgaben": rows})
    first, second = tasks_of(write_suite(tmp_path, "xlsx: t.xlsx\nsheet: Aufgaben"))
    expected = {**GIVENS[0], "at": None, "opens": None, "note": "2026-11-27"}
    assert (givens_of(first), givens_of(second)) == (expected, GIVENS[1])


def test_a_json_number_is_exact_and_has_no_form(tmp_path: Path) -> None:
    record = {**RECORDS[0], "Gewicht": 1.234, "Spät": True}
    (tmp_path / "t.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    task = task_from_path(Path(f"{write_suite(tmp_path, 'jsonl: t.jsonl')}#1"))
    assert givens_of(task) == {**GIVENS[0], "weight": Fraction(1234, 1000)}


def test_rows_of_a_record_have_forms(tmp_path: Path) -> None:
    suite = tmp_path / "s.suite.yaml"
    suite.write_text(
        """\
planspec: suite/1
id: s
tasks:
  - from:
      jsonl: t.jsonl
      map:
        query: query
        tables:
          Shop: {each: shops, map: {day: {from: d, dates: "%d.%m.%Y"}, price: {from: p, decimal: ",", unit: EUR}}}
          Rate: {each: rates, keys: [day], value: {from: rate, decimal: ","}}
    task:
      currency: EUR
      tables:
        Shop: {columns: {day: date, price: money}}
        Rate: {columns: {day: key text, rate: decimal}}
      plan: {visits: {n: key int}}
""",
        "utf-8",
    )
    record = {"id": "1", "query": "q", "shops": [{"d": "27.11.2026", "p": "1.000,50"}], "rates": {"a": "0,25"}}
    (tmp_path / "t.jsonl").write_text(json.dumps(record) + "\n", "utf-8")
    task = task_from_path(Path(f"{suite}#1"))
    assert [(row.day, row.price) for row in task.facts["Shop"].rows] == [(DAY, 100050)]  # type: ignore[attr-defined]
    assert [row.rate for row in task.facts["Rate"].rows] == [Fraction(1, 4)]  # type: ignore[attr-defined]


def test_a_field_without_its_form_is_a_mistake_of_its_record(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_text(";").replace("1.12.2026", "2026-12-01"), "utf-8")
    suite = write_suite(tmp_path, 'csv: t.csv\ndelimiter: ";"')
    with pytest.raises(DiagnosticError) as caught:
        task_from_path(Path(f"{suite}#2"))
    (one,) = caught.value.diagnostics
    assert (one.code, one.message, one.primary.text, one.span.line, one.span.text) == (
        "PS016",
        "`2026-12-01` does not have the form of the field `Datum`",
        "not of the form `%d.%m.%Y`",
        3,
        "2026-12-01",
    )


def mistakes_of(suite: Path) -> list[Diagnostic]:
    """Return the errors of the tables of a suite."""
    report = Report()
    document = Workspace().open(suite, report)
    assert isinstance(document, Document)
    read_tables(document, report)
    return [d for d in report.diagnostics if d.severity is Severity.ERROR]


BAD_FIELDS = [
    ('{from: Datum, dates: "%d.%m.%Y", decimal: ","}', "a field has one form, and no `dates` beside it"),
    ('{from: Datum, dates: "%d.%m.%Y", one_of: {a: b}}', "a field has one form, and no `one_of` beside it"),
    ('{from: Datum, dates: "%d.%m"}', "`%d.%m` is no pattern of dates"),
    ('{from: Datum, decimal: ";"}', "the decimal sign is `,` or `.`"),
    ('{from: Datum, delimiter: ";"}', "a field has no key `delimiter`"),
]


@pytest.mark.parametrize(("field", "message"), BAD_FIELDS)
def test_a_mistaken_form_of_a_field_is_reported(field: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_text(","), "utf-8")
    suite = write_suite(tmp_path, "csv: t.csv", f"          day: {field}\n")
    assert message in [d.message for d in mistakes_of(suite)]


BAD_SOURCES = [
    ('jsonl: t.csv\ndelimiter: ";"', "`delimiter` does not apply to `jsonl:`"),
    ("csv: t.csv\nsheet: x", "`sheet` does not apply to `csv:`"),
    ("csv: t.csv\nencoding: nope", "there is no encoding `nope`"),
    ('csv: t.csv\ndates: "%d.%m.%Y"', "a source of records has no key `dates`"),
    ("csv: t.csv", "the CSV's header is one name"),
]


@pytest.mark.parametrize(("source", "message"), BAD_SOURCES)
def test_a_mistaken_format_of_a_source_is_reported(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_text(";"), "utf-8")
    assert message in [d.message for d in mistakes_of(write_suite(tmp_path, source))]


def test_the_id_of_a_record_cannot_have_a_form(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(csv_text(","), "utf-8")
    suite = write_suite(tmp_path, "csv: t.csv")
    suite.write_text(suite.read_text("utf-8").replace("id: Nr", 'id: {from: Nr, decimal: ","}'), "utf-8")
    assert "an id is the text of its field" in [d.message for d in mistakes_of(suite)]
