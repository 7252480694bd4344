"""CSV files from spreadsheets of several countries are read as they are. Unsuitable cells and keys are reported."""

from __future__ import annotations

import csv
import io
import sqlite3
from datetime import date, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.model.task import Task
from tests.dsl.documents.test_data import PLAN, TASK, values

COLUMNS = """\
    columns:
      title: text?
      price: money?
      weight: decimal?
      count: int?
      away: distance?
      walk: duration?
      day: date?
      opens: time?
      since: moment?
      garden: bool = false
"""
SHOWN = ("id", "title", "price", "weight", "count", "away", "walk", "day", "opens", "since", "garden")
DAY = date(2026, 11, 27).toordinal()
EXPECTED = [
    ("a", "Größe; 1.234,5", 123450, Fraction(-5, 2), 12000, 3200, 90, DAY, 870, DAY * 1440 + 870, True),
    ("b", "27.11.2026", None, Fraction(121, 2), 7, 850, None, DAY + 4, 545, None, False),
]
"""Rows that each of the files below must yield."""

GERMAN = """\
id;title;price;weight;count;away;walk;day;opens;since;garden
a;"Größe; 1.234,5";1.234,50 €;-2,5;12.000;3,2 km;1,5;27.11.2026;14:30 Uhr;27.11.2026 14:30 Uhr;ja
b;27.11.2026;;60,5;7;850 m;;1.12.2026;9:05 Uhr;;Nein
"""
GERMAN_KEYS = """\
    delimiter: ";"
    decimal: ","
    dates: "%d.%m.%Y"
    times: "%H:%M Uhr"
    true: [ja, wahr]
    false: nein
    strip: "€"
"""
UNITS = "    map: {price: {unit: EUR}, walk: {unit: h}}\n"
FRENCH = """\
id;title;price;weight;count;away;walk;day;opens;since;garden
a;"Größe; 1.234,5";1\u202f234,50 €;-2,5;12 000;3,2 km;1,5;27/11/2026;14h30;27/11/2026 14h30;VRAI
b;27.11.2026;;60,5;7;850 m;;01/12/2026;9h05;;FAUX
"""
FRENCH_KEYS = """\
    delimiter: ";"
    decimal: ","
    dates: "%d/%m/%Y"
    times: "%Hh%M"
    true: vrai
    false: faux
    strip: [€]
"""
AMERICAN = """\
id,title,price,weight,count,away,walk,day,opens,since,garden
a,"Größe; 1.234,5","EUR 1,234.50",-2.5,"12,000",3.2 km,1.5,11/27/2026,2:30 PM,11/27/2026 2:30 PM,TRUE
b,27.11.2026,,60.5,7,850 m,,12/1/2026,9:05 AM,,FALSE
"""
AMERICAN_KEYS = """\
    decimal: "."
    dates: "%m/%d/%Y"
    times: "%I:%M %p"
    strip: EUR
"""


def write_task(folder: Path, keys: str, source: str = "csv: t.csv", columns: str = COLUMNS) -> Path:
    """Write a task with a table `T` that has this source and these keys, and return its path."""
    path = folder / "x.task.yaml"
    path.write_text(f"{TASK}currency: EUR\ntables:\n  T:\n{columns}    {source}\n{keys}{PLAN}", "utf-8")
    return path


def read_task(folder: Path, keys: str, text: str, encoding: str = "utf-8", columns: str = COLUMNS) -> Task:
    """Load a task whose table `T` has the rows of a CSV file."""
    (folder / "t.csv").write_bytes(text.encode(encoding))
    return task_from_path(write_task(folder, keys, columns=columns))


def mistakes(path: Path) -> list[Diagnostic]:
    """Return the errors of a task."""
    with pytest.raises(DiagnosticError) as caught:
        task_from_path(path)
    return [d for d in caught.value.diagnostics if d.severity is Severity.ERROR]


def only_mistake(
    folder: Path, keys: str, text: str | bytes, source: str = "csv: t.csv", columns: str = COLUMNS
) -> Diagnostic:
    """Return the only error of a task whose table `T` has the rows of a CSV file."""
    (folder / "t.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    (one,) = mistakes(write_task(folder, keys, source, columns))
    return one


@pytest.mark.parametrize(
    ("text", "keys"),
    [(GERMAN, GERMAN_KEYS), (FRENCH, FRENCH_KEYS), (AMERICAN, AMERICAN_KEYS)],
    ids=["German", "French", "American"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_files_of_spreadsheets_are_read_unchanged(text: str, keys: str, encoding: str, tmp_path: Path) -> None:
    if encoding == "cp1252":
        text = text.replace("\u202f", "\u00a0")
    if encoding != "utf-8-sig":
        keys += f"    encoding: {encoding}\n"
    task = read_task(tmp_path, keys + UNITS, text.replace("\n", "\r\n"), encoding)
    assert values(task, "T", *SHOWN) == EXPECTED


def test_the_text_in_a_document_may_have_a_dialect(tmp_path: Path) -> None:
    text = "".join(f"      {line}\n" for line in GERMAN.splitlines())
    path = write_task(tmp_path, GERMAN_KEYS + UNITS, f"csv: |\n{text}")
    assert values(task_from_path(path), "T", *SHOWN) == EXPECTED


def test_a_tab_can_be_the_delimiter_of_a_csv_file(tmp_path: Path) -> None:
    task = read_task(tmp_path, "    delimiter: tab\n", "id\ttitle\tcount\na\tx, y; z\t3\n")
    assert values(task, "T", "id", "title", "count") == [("a", "x, y; z", 3)]


def test_a_mapped_column_may_have_its_own_forms(tmp_path: Path) -> None:
    keys = """\
    dates: "%d.%m.%Y"
    decimal: ","
    map:
      day: {from: Tag, dates: "%m/%d/%y"}
      since: {from: Seit, dates: "%d %b %Y, %H:%M:%S"}
      weight: {decimal: "."}
      garden: {from: Garten, true: x, false: "-"}
"""
    text = 'id,Tag,Seit,weight,Garten,count\na,11/27/26,"27 Nov 2026, 14:30:00","1,234.5",X,1.234\n'
    task = read_task(tmp_path, keys, text)
    shown = ("day", "since", "weight", "garden", "count")
    assert values(task, "T", *shown) == [(DAY, DAY * 1440 + 870, Fraction(2469, 2), True, 1234)]


def test_a_dates_pattern_without_a_time_is_followed_by_a_time_such_as_14_30(tmp_path: Path) -> None:
    task = read_task(tmp_path, '    dates: "%d.%m.%Y"\n', "id,since\na,27.11.2026 14:30\nb,27.11.2026 14:30:00\n")
    assert values(task, "T", "since") == [(DAY * 1440 + 870,)] * 2


def test_a_pattern_of_dates_may_have_a_time_that_is_midnight_in_a_date(tmp_path: Path) -> None:
    keys = '    dates: "%d.%m.%Y %H:%M"\n'
    assert values(read_task(tmp_path, keys, "id,day\na,27.11.2026 00:00\n"), "T", "day") == [(DAY,)]
    one = only_mistake(tmp_path, keys, "id,day\na,27.11.2026 09:00\n")
    assert (one.code, one.span.text) == ("PS016", "27.11.2026 09:00")


def test_items_of_a_list_and_references_are_read_in_the_form_of_their_type(tmp_path: Path) -> None:
    text = """\
planspec: task/1
id: x
query: Where to?
tables:
  Day:
    columns: {day: key date, note: text?}
    dates: "%d.%m.%Y"
    csv: |
      day,note
      27.11.2026,a
      1.12.2026,b
  Slot:
    columns: {day: key date, nr: key int, note: text?}
    rows: [{day: 2026-11-27, nr: 1200}]
  T:
    columns: {days: set of date, on: Day, slot: Slot, sums: set of decimal}
    map: {days: {split: "|"}, slot: {split: "/"}, sums: {split: " "}}
    dates: "%d.%m.%Y"
    decimal: ","
    csv: |
      id,days,on,slot,sums
      a,27.11.2026|1.12.2026,1.12.2026,27.11.2026/1.200,"1,5 2,25"
"""
    path = tmp_path / "x.task.yaml"
    path.write_text(text + PLAN, "utf-8")
    (row,) = task_from_path(path).facts["T"].rows
    assert (row.days, row.on.note, row.sums) == (  # type: ignore[attr-defined]
        (DAY, DAY + 4),
        "b",
        (Fraction(3, 2), Fraction(9, 4)),
    )
    assert row.slot._key == (DAY, 1200)  # type: ignore[attr-defined]


def test_none_and_words_for_missing_values_are_none_in_every_form(tmp_path: Path) -> None:
    keys = GERMAN_KEYS.replace(";", ",") + "    empty: [k. A.]\n"
    task = read_task(tmp_path, keys, "id,day,weight,garden\na,none,none,\nb,k. A.,k. A.,k. A.\nc,,,\n")
    assert values(task, "T", "day", "weight", "garden") == [(None, None, False)] * 3


BAD_CELLS = [
    ("day", "2026-11-27", "not of the form `%d.%m.%Y`"),
    ("day", "31.02.2026", "not of the form `%d.%m.%Y`"),
    ("opens", "14:30", "not of the form `%H:%M Uhr`"),
    ("since", "27.11.2026", "not of the form `%d.%m.%Y %H:%M Uhr`"),
    ("weight", "60.5", "not a number such as 1.234,50"),
    ("weight", "0.123", "not a number such as 1.234,50"),
    ("weight", "1.234.5", "not a number such as 1.234,50"),
    ("weight", "1.234 567", "not a number such as 1.234,50"),
    ("count", "1.2345", "not a number such as 1.234,50"),
    ("price", "12,50 $", "not a number such as 1.234,50: name what stands beside the number under `strip:`"),
    ("price", "€", "no number is left of it"),
    ("garden", "true", "none of `ja`, `wahr`, `nein`"),
    ("garden", "1", "none of `ja`, `wahr`, `nein`"),
]


@pytest.mark.parametrize(("column", "cell", "label"), BAD_CELLS)
def test_a_cell_without_the_form_of_its_column_is_a_mistake(column: str, cell: str, label: str, tmp_path: Path) -> None:
    one = only_mistake(tmp_path, GERMAN_KEYS, f'id;title;{column}\nb;x;\na;y; "{cell}"\n'.replace('"', ""))
    assert (one.code, one.span.line, one.span.text, one.primary.text) == ("PS016", 3, cell, label)


def test_a_wrong_item_of_a_list_in_a_cell_is_reported(tmp_path: Path) -> None:
    columns = "    columns: {days: set of date}\n"
    keys = '    dates: "%d.%m.%Y"\n    map: {days: {split: "|"}}\n'
    one = only_mistake(tmp_path, keys, "id,days\na,27.11.2026|2026-11-28\n", columns=columns)
    assert (one.code, one.message, one.primary.text) == (
        "PS016",
        "`2026-11-28` is no date",
        "not of the form `%d.%m.%Y`",
    )


def test_money_is_a_mistake_if_its_sign_is_removed_and_no_unit_is_declared(tmp_path: Path) -> None:
    one = only_mistake(tmp_path, '    strip: "€"\n', "id,price\na,€3\n")
    assert one.help == "write `3 EUR`, or under the table's `map:` `price: {from: HEADER, unit: EUR}`"


STRIPPED = [
    ("$1,234.50", "$", "1234.50"),
    ("-$1,234.50", "$", "-1234.50"),
    ("$-5", "$", "-5"),
    ("5 kr.", "kr.", "5"),
    ("12,-", ",-", "12"),
    ("ca. 5 %", "[ca., '%']", "5"),
]


@pytest.mark.parametrize(("cell", "strip", "number"), STRIPPED)
def test_declared_texts_before_and_after_a_number_are_removed(
    cell: str, strip: str, number: str, tmp_path: Path
) -> None:
    keys = (
        f'    decimal: "."\n    strip: {strip}\n'
        if strip.startswith("[")
        else f'    decimal: "."\n    strip: "{strip}"\n'
    )
    task = read_task(tmp_path, keys, f'id,weight\na,"{cell}"\n')
    assert values(task, "T", "weight") == [(Fraction(number),)]


BAD_KEYS = [
    ('delimiter: ";;"', "PS011", "the delimiter is one character, or `tab`", "not one such character"),
    ("delimiter: a", "PS011", "the delimiter is one character, or `tab`", "not one such character"),
    ("delimiter: '\"'", "PS011", "the delimiter is one character, or `tab`", "not one such character"),
    ("delimiter: [a]", "PS011", "`delimiter` must be a non-empty string", "a collection"),
    ("encoding: latin-99", "PS011", "there is no encoding `latin-99`", "unknown to Python"),
    ("encoding: base64", "PS011", "there is no encoding `base64`", "unknown to Python"),
    ("encoding: idna", "PS011", "there is no encoding `idna`", "unknown to Python"),
    ("encoding:", "PS011", "`encoding` must be a non-empty string", "nothing"),
    ("sheet: Prices", "PS014", "`sheet` does not apply to `csv:`", "it stands beside `xlsx:`"),
    ('decimal: ";"', "PS011", "the decimal sign is `,` or `.`", "neither"),
    ('dates: "%d.%m"', "PS011", "`%d.%m` is no pattern of dates", "it does not give the day, the month and the year"),
    (
        'dates: "%d.%m.%Y %I"',
        "PS011",
        "`%d.%m.%Y %I` is no pattern of dates",
        "it does not give the day, the month and the year",
    ),
    (
        'dates: "%-d.%m.%Y"',
        "PS011",
        "`%-d.%m.%Y` is no pattern of dates",
        "`%-` is none of %d %m %Y %y %b %B %a %A %j %H %I %M %S %f %p %%",
    ),
    ('dates: "%d %d %m %Y"', "PS011", "`%d %d %m %Y` is no pattern of dates", None),
    ('dates: "%d.%m.%Y%"', "PS011", "`%d.%m.%Y%` is no pattern of dates", None),
    ('times: "%I:%M"', "PS011", "`%I:%M` is no pattern of times", "it does not give the hour and the minute alone"),
    (
        'times: "%d %H:%M"',
        "PS011",
        "`%d %H:%M` is no pattern of times",
        "it does not give the hour and the minute alone",
    ),
    ('times: "%H:%M %z"', "PS011", "`%H:%M %z` is no pattern of times", None),
    ("true: []", "PS011", "`true` has no words", "nothing"),
    ("{true: [x, ja], false: JA}", "PS011", "`ja` is a word for true and for false", "it can only be one of them"),
    ('strip: "-"', "PS011", "`-` cannot be left out of numbers", "digits, signs and blanks belong to numbers"),
    ('strip: "1x"', "PS011", "`1x` cannot be left out of numbers", "digits, signs and blanks belong to numbers"),
    ('map: {title: {dates: "%d.%m.%Y"}}', "PS011", "`dates` does not apply to `T.title`", "it is a text"),
    ('map: {day: {times: "%H:%M"}}', "PS011", "`times` does not apply to `T.day`", "it is a date"),
    ('map: {day: {dates: "%d"}}', "PS011", "`%d` is no pattern of dates", None),
]


@pytest.mark.parametrize(("key", "code", "message", "label"), BAD_KEYS)
def test_a_mistaken_key_is_reported_once(key: str, code: str, message: str, label: str | None, tmp_path: Path) -> None:
    keys = (
        "".join(f"    {part}\n" for part in key.strip("{}").split(", false")) if key.startswith("{") else f"    {key}\n"
    )
    keys = keys.replace("    : JA", "    false: JA")
    one = only_mistake(tmp_path, keys, "id,title,day\n")
    assert (one.code, one.message) == (code, message)
    assert label is None or one.primary.text == label


@pytest.mark.parametrize(
    ("key", "pattern", "help_text"),
    [
        ("dates", "DD.MM.YYYY", 'write `dates: "%d.%m.%Y"`'),
        ("dates", "TT.MM.JJJJ", 'write `dates: "%d.%m.%Y"`'),
        ("dates", "jj/mm/aaaa", 'write `dates: "%d/%m/%Y"`'),
        ("dates", "M/D", "a pattern is, for example, `%d.%m.%Y`"),
        ("times", "HH:mm", 'write `times: "%H:%M"`'),
    ],
)
def test_a_pattern_of_placeholders_is_translated(key: str, pattern: str, help_text: str, tmp_path: Path) -> None:
    assert only_mistake(tmp_path, f"    {key}: {pattern}\n", "id,title\n").help == help_text


def test_a_pattern_without_quotes_is_reported_as_a_mistake_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,day\n", "utf-8")
    first = mistakes(write_task(tmp_path, "    dates: %d.%m.%Y\n"))[0]
    assert (first.code, first.span.text[:1]) == ("PS002", "%")


@pytest.mark.parametrize(
    ("source", "key", "message", "help_text"),
    [
        ("rows: [{id: a}]", 'dates: "%d.%m.%Y"', "`dates` does not apply to `rows:`", None),
        ("rows: [{id: a}]", "true: x", "`true` does not apply to `rows:`", None),
        (
            "rows: [{id: a, day: 2026-11-27}]",
            'map: {day: {dates: "%d.%m.%Y"}}',
            "`dates` does not apply to `rows:`",
            None,
        ),
        ("jsonl: t.jsonl", 'delimiter: ";"', "`delimiter` does not apply to `jsonl:`", None),
        (
            "sqlite: {file: b.sqlite, query: select 1 as id}",
            'decimal: ","',
            "`decimal` does not apply to `sqlite:`",
            "convert the values in the query",
        ),
        (
            "csv: |\n      id,title\n      a,x",
            "encoding: cp1252",
            "a CSV text in a document has no encoding of its own",
            None,
        ),
    ],
)
def test_a_key_beside_the_wrong_source_is_a_mistake(
    source: str, key: str, message: str, help_text: str | None, tmp_path: Path
) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "a"}\n', "utf-8")
    sqlite3.connect(tmp_path / "b.sqlite").close()
    one = only_mistake(tmp_path, f"    {key}\n", "", source)
    assert (one.code, one.message, one.help) == ("PS014", message, help_text)


def test_a_key_without_a_source_is_a_mistake_and_a_column_may_have_its_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("", "utf-8")
    path = write_task(tmp_path, "", 'dates: "%d.%m.%Y"')
    assert [d.message for d in mistakes(path)] == ["`dates` does not apply to an entry without a source"]
    path.write_text(f"{TASK}tables:\n  T: {{dates: set of date, strip: int, sheet: text?}}\n{PLAN}", "utf-8")
    assert [*task_from_path(path).facts["T"].table.columns] == ["id", "dates", "strip", "sheet"]


# -- likely dialects of files that do not fit ----------------------------------------------------------------

UNFIT_FILES = [
    (
        "",
        b"id,Gr\xf6\xdfe\na,1\n",
        "PS001",
        "save the file as UTF-8, or name its encoding beside the source, such as `encoding: cp1252`",
    ),
    ("", "id,title\na,x\n".encode("utf-16"), "PS001", "write `encoding: utf-16` beside the source"),
    ("    encoding: cp1252\n", b"\xef\xbb\xbfid,title\n", "PS001", "write `encoding: utf-8` beside the source"),
    (
        "    encoding: utf-16\n",
        b"id,title\nab",
        "PS001",
        "save the file as UTF-8, or name its encoding beside the source, such as `encoding: cp1252`",
    ),
    (
        "",
        "id,title\na,x\n".encode("utf-16-le"),
        "PS014",
        "if the file is UTF-16, write `encoding: utf-16-le` or `encoding: utf-16-be` beside the source",
    ),
    (
        "    encoding: cp1252\n",
        "Größe\n1\n".encode(),
        "PS014",
        "the headers look like UTF-8 in another encoding: leave out `encoding:` beside the source",
    ),
    (
        "",
        b"Prices of 2026\nid,title\na,x\n",
        "PS014",
        "remove the lines before the header, or put a cell that contains a comma in quotes",
    ),
    (
        "",
        b"Prices of 2026,,\nid,title,count\na,x,1\n",
        "PS014",
        "remove the lines before the header, or put a cell that contains a comma in quotes",
    ),
    (
        "",
        b"Prices,2026\nid,title\na,x\n",
        "PS014",
        "the line below has `id`, `title`: if the first line is a title, remove it",
    ),
    (
        "",
        b"Prices\nid;title\na;x\n",
        "PS014",
        "the line below has several cells, separated by `;`: if the first line is a title, remove it",
    ),
    ("", b"Title,Count\nx,1\n", "PS014", "write `map: {title: Title, count: Count}` beside the source"),
    ("", b"a,1\nb,2\n", "PS014", "the first line seems to be a row: write a header above it, such as title,count"),
    (
        "    delimiter: ';'\n",
        b"id,title\na,x\n",
        "PS014",
        'the file seems to be separated by `,`: write `delimiter: ","` beside the source',
    ),
    (
        "",
        b"sep=;\nid;title\n",
        "PS014",
        'the file seems to be separated by `;`: write `delimiter: ";"` beside the source',
    ),
    ("    delimiter: ';'\n", b"sep=;\nid;title;count\n1;2;3\n", "PS014", None),
]


@pytest.mark.parametrize(("keys", "data", "code", "help_text"), UNFIT_FILES)
def test_the_help_of_an_unfit_file_names_the_likely_dialect(
    keys: str, data: bytes, code: str, help_text: str | None, tmp_path: Path
) -> None:
    one = only_mistake(tmp_path, keys, data, columns="    columns: {title: text?, count: int?}\n")
    assert (one.code, Path(one.span.source.name).name) == (code, "t.csv")
    assert help_text is None or one.help == help_text


# -- round trips ---------------------------------------------------------------------------------------------

DIALECTS: dict[str, list[Any]] = {
    "decimal": [",", "."],
    "group": ["", "other", " ", "\u202f", "'"],
    "dates": ["%d.%m.%Y", "%m/%d/%Y", "%Y%m%d", "%d %b %Y", "%A, %d %B %Y"],
    "times": ["%H:%M", "%H.%M Uhr", "%I:%M %p", "%Hh%M", "%H:%M:%S"],
    "delimiter": [";", ",", "tab", "|"],
    "truths": [("ja", "nein"), ("1", "0"), ("VRAI", "FAUX"), ("x", "-")],
    "mark": ["", "€", "kr."],
    "encoding": ["utf-8", "utf-16", "cp1252"],
}
CELLS = st.tuples(
    st.text(st.characters(codec="cp1252", exclude_categories=["C", "Z"]), max_size=12),
    st.integers(-(10**9), 10**9),
    st.integers(-(10**6), 10**6),
    st.integers(date(1000, 1, 1).toordinal(), date(9999, 12, 31).toordinal()),
    st.integers(0, 24 * 60 - 1),
    st.booleans(),
)


def written_number(cents: int, dialect: dict[str, Any]) -> str:
    """Return an amount in hundredths as a program in this dialect writes it."""
    other = "." if dialect["decimal"] == "," else ","
    group = other if dialect["group"] == "other" else dialect["group"]
    whole = f"{abs(cents) // 100:,}".replace(",", group)
    return f"{'-' if cents < 0 else ''}{whole}{dialect['decimal']}{abs(cents) % 100:02}"


@given(
    rows=st.lists(CELLS, max_size=5),
    dialect=st.fixed_dictionaries({k: st.sampled_from(v) for k, v in DIALECTS.items()}),
)
def test_a_table_written_in_any_dialect_is_read_back_unchanged(
    rows: list[tuple[str, int, int, int, int, bool]], dialect: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    if dialect["encoding"] == "cp1252" and dialect["group"] == "\u202f":
        dialect["group"] = "\u00a0"
    delimiter = "\t" if dialect["delimiter"] == "tab" else dialect["delimiter"]
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["id", "title", "price", "weight", "day", "opens", "since", "garden"])
    for number, (title, price, weight, day, minute, garden) in enumerate(rows):
        moment = datetime.fromordinal(day) + timedelta(minutes=minute)
        pattern = f"{dialect['dates']} {dialect['times']}"
        amount = f"{written_number(price, dialect)} {dialect['mark']}".strip()
        shown = [moment.strftime(part) for part in (dialect["dates"], dialect["times"], pattern)]
        truth = dialect["truths"][0 if garden else 1]
        writer.writerow([f"r{number}", title, amount, written_number(weight, dialect), *shown, truth])
    keys = "".join(f'    {key}: "{dialect[key]}"\n' for key in ("decimal", "dates", "times", "delimiter", "encoding"))
    keys += '    "true": "{}"\n    "false": "{}"\n'.format(*dialect["truths"])
    keys += f'    strip: "{dialect["mark"]}"\n' if dialect["mark"] else ""
    task = read_task(
        tmp_path_factory.mktemp("t"), keys + "    map: {price: {unit: EUR}}\n", out.getvalue(), dialect["encoding"]
    )
    assert values(task, "T", "id", "title", "price", "weight", "day", "opens", "since", "garden") == [
        (f"r{n}", title or None, price, Fraction(weight, 100), day, minute, day * 1440 + minute, garden)
        for n, (title, price, weight, day, minute, garden) in enumerate(rows)
    ]
