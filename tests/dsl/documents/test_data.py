"""Rows, givens and defaults: their sources, and their values in a task."""

from __future__ import annotations

import json
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_path, task_from_text
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from tests.dsl.cases import diagnostics_of
from tests.dsl.expressions import errors_of

PLAN = "plan: {visits: {n: key int}}\n"
TASK = "planspec: task/1\nid: x\nquery: q\n"


def load_task(folder: Path, tables: str, **files: str) -> Task:
    """Load a task with these tables from a folder with these files. `a_csv` stands for the file `a.csv`."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    path = folder / "task.yaml"
    path.write_text(f"{TASK}currency: EUR\ntables:\n{tables}{PLAN}", "utf-8")
    return task_from_path(path)


def values(task: Task, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table as tuples. A referenced row is replaced by the first part of its key."""

    def plain_cell(value: Any) -> Any:
        return (
            value._key[0]
            if isinstance(value, Row)
            else tuple(map(plain_cell, value))
            if isinstance(value, tuple)
            else value
        )

    return [tuple(plain_cell(getattr(row, column)) for column in columns) for row in task.facts[table].rows]


COLUMNS = "    columns: {name: text?, kind: text, stars: int?, price: money, opens: time?, tags: set of text}\n"
ROWS = [
    ("park", "City Park", "green", None, 0, None, ()),
    ("museum", None, "art", 5, 1250, 600, ("old", "art")),
]
SHOWN = ("id", "name", "kind", "stars", "price", "opens", "tags")


def test_rows_can_be_in_the_document(tmp_path: Path) -> None:
    rows = """\
    rows:
      - {id: park, name: City Park, kind: green, price: 0, tags: []}
      - id: museum
        kind: art
        stars: 5
        price: 12.50 EUR
        opens: 10:00
        tags: {old, art}
"""
    assert values(load_task(tmp_path, f"  Place:\n{COLUMNS}{rows}"), "Place", *SHOWN) == ROWS


def test_rows_can_be_csv_inline_or_in_a_file(tmp_path: Path) -> None:
    text = "id,Title,kind,stars,price,opens,tags,note\npark,City Park,green,,0,,,x\n\nmuseum,,art,5,12.50 EUR,10:00,old; art,y\n"
    entry = '    map: {name: Title, tags: {split: ";"}}\n'
    inline = "    csv: |\n" + "".join(f"      {line}\n" for line in text.splitlines())
    assert values(load_task(tmp_path, f"  Place:\n{COLUMNS}{entry}{inline}"), "Place", *SHOWN) == ROWS
    task = load_task(tmp_path, f"  Place:\n{COLUMNS}{entry}    csv: a.csv\n", a_csv=text)
    assert values(task, "Place", *SHOWN) == ROWS
    assert [source.name.rpartition("/")[2] for source in task.sources] == ["task.yaml", "a.csv"]


def test_undeclared_columns_are_stored_as_strings(tmp_path: Path) -> None:
    task = load_task(
        tmp_path,
        "  Place: {columns: {kind: text}, csv: a.csv}\n",
        a_csv="id,kind,name\npark,green,City Park\n",
    )
    assert task.facts["Place"].rows[0]._extra == {"name": "City Park"}


def test_rows_can_be_json_lines(tmp_path: Path) -> None:
    records = [
        {
            "id": "park",
            "name": "City Park",
            "kind": "green",
            "stars": None,
            "price": 0,
            "tags": [],
            "more": {"a": 1},
        },
        {
            "id": "museum",
            "kind": "art",
            "stars": 5,
            "price": "12.50 EUR",
            "opens": "10:00",
            "tags": ["old", "art"],
        },
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    assert (
        values(load_task(tmp_path, f"  Place:\n{COLUMNS}    jsonl: a.jsonl\n", a_jsonl=text), "Place", *SHOWN) == ROWS
    )


def test_rows_can_come_from_a_database(tmp_path: Path) -> None:
    base = sqlite3.connect(tmp_path / "a.sqlite")
    base.execute("create table t (id text, title text, kind text, stars real, price text, opens text, tags text)")
    base.execute("insert into t values ('park', 'City Park', 'green', null, '0', null, '')")
    base.execute("insert into t values ('museum', null, 'art', 5.0, '12.50 EUR', '10:00', 'old|art')")
    base.commit()
    base.close()
    entry = '    sqlite: {file: a.sqlite, query: select * from t order by kind desc}\n    map: {name: title, tags: {split: "|"}}\n'
    assert values(load_task(tmp_path, f"  Place:\n{COLUMNS}{entry}"), "Place", *SHOWN) == ROWS


def test_parquet_is_read_or_the_missing_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    text = f"{TASK}tables:\n  Place: {{columns: {{kind: text}}, parquet: a.parquet}}\n{PLAN}"
    path = tmp_path / "task.yaml"
    path.write_text(text)
    (diagnostic,) = diagnostics_of(path)
    assert diagnostic.code == "PS014"
    assert "Parquet" in diagnostic.message


# -- references -----------------------------------------------------------------------------------


def test_tables_refer_to_each_other_in_any_order(tmp_path: Path) -> None:
    tables = """\
  Stop:
    columns: {leg: Leg, next: Stop?}
    rows:
      - {id: b, leg: [museum, park, 2], next: a}
      - {id: a, leg: [park, museum, 1]}
  Leg:
    columns: {origin: key Place, to: key Place, n: key int, km: distance}
    rows:
      - {origin: park, to: museum, n: 1, km: 1.2km}
      - {origin: museum, to: park, n: 2, km: 900m}
  Place:
    rows: [{id: park, near: [museum]}, {id: museum, near: [park, museum]}]
    columns: {near: set of Place}
  Wish:
    columns: {stop: key Stop}
    rows: [{stop: a}]
"""
    task = load_task(tmp_path, tables)
    assert values(task, "Place", "id", "near") == [("park", ("museum",)), ("museum", ("park", "museum"))]
    assert values(task, "Stop", "id", "next") == [("b", "a"), ("a", None)]
    first = task.facts["Stop"].rows[0]
    assert (first.leg.km, first.leg.origin.id) == (900, "museum")  # type: ignore[attr-defined]
    assert task.facts["Wish"].by_key[(task.facts["Stop"].by_key[("a",)],)].stop.id == "a"  # type: ignore[attr-defined]


def test_a_table_without_key_and_id_may_have_equal_rows(tmp_path: Path) -> None:
    tables = "  Bag: {columns: {n: int}, rows: [{n: 1}, {n: 1}]}\n  Empty: {columns: {n: int}, rows: []}\n"
    task = load_task(tmp_path, tables)
    assert task.tables["Bag"].key == ()
    assert len(task.facts["Bag"].rows) == 2
    assert task.tables["Empty"].key == ("id",)


def test_rows_of_a_world_and_of_a_task_are_joined(tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text(f"planspec: library/1\nid: lib\ntables: {{Place: {{kind: text}}}}\n{PLAN}")
    (tmp_path / "land.yaml").write_text(
        "planspec: world/1\nid: land\nuses: [lib]\ncurrency: EUR\ntables: {Place: [{id: park, kind: green}]}\n"
    )
    path = tmp_path / "task.yaml"
    path.write_text(f"{TASK}world: land\nuses: [lib]\ntables: {{Place: [{{id: museum, kind: art}}]}}\n")
    task = task_from_path(path)
    assert values(task, "Place", "id") == [("park",), ("museum",)]
    assert task.currency == "EUR"


# -- defaults and givens --------------------------------------------------------------------------

DEFAULTS = (
    ("bool = true", True),
    ("int = -3", -3),
    ("decimal = 0.25", Fraction(1, 4)),
    ("decimal = 2", Fraction(2)),
    ('text = "a b"', "a b"),
    ("date = 2026-07-01", 739798),
    ("time = 25:30", 1530),
    ("duration = 1h30min", 90),
    ("duration = 0", 0),
    ("money = 12.50 EUR", 1250),
    ("distance = 3.2km", 3200),
    ("Mode = bus", "bus"),
    ("Mode = Mode.bus", "bus"),
    ("Mode? = none", None),
    ("money?", None),
    ("set of int = {2, 1, 2}", (2, 1)),
    ("set of Mode = {bus}", ("bus",)),
    ("set of text = {}", ()),
)


@pytest.mark.parametrize(("column", "value"), DEFAULTS)
def test_a_column_has_a_default_of_its_type(column: str, value: Any) -> None:
    text = f"{TASK}currency: EUR\ntypes: {{Mode: foot | bus}}\ntables:\n  T:\n    columns:\n      x: {column}\n    rows: [{{id: a}}]\n"
    task = task_from_text(f"{text}plan:\n  visits:\n    y: {column}\n")
    assert task.facts["T"].rows[0].x == value  # type: ignore[attr-defined]
    assert task.tables["visits"].columns["y"].default == value


def test_a_default_can_be_a_row_of_a_table_declared_later() -> None:
    text = f"""{TASK}tables:
  A:
    columns:
      b: key B = two
      more: set of B = {{}}
    rows: [{{}}, {{b: one, more: [two]}}]
  B: {{columns: {{n: int, next: B? = one}}, rows: [{{id: one, n: 1}}, {{id: two, n: 2}}]}}
{PLAN}"""
    task = task_from_text(text)
    assert values(task, "A", "b", "more") == [("two", ()), ("one", ("two",))]
    assert values(task, "B", "id", "next") == [("one", "one"), ("two", "one")]


@pytest.mark.parametrize(("column", "value"), [d for d in DEFAULTS if "=" in d[0]])
def test_a_given_has_a_default_of_its_type(column: str, value: Any, tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text(
        f"planspec: library/1\nid: lib\ntypes: {{Mode: foot | bus}}\ngiven:\n  g: {column}\n  h: {column}\n{PLAN}"
    )
    path = tmp_path / "task.yaml"
    path.write_text(f"{TASK}currency: EUR\nuses: [lib]\n")
    assert task_from_path(path).givens == {"g": value, "h": value}


@pytest.mark.parametrize(
    ("literal", "type_", "value"),
    [
        ("17", "int", 17),
        ("0.35", "decimal", Fraction(7, 20)),
        ("true", "bool", True),
        ("14:30", "time", 870),
        ("2026-07-01", "date", 739798),
        ("1h30min", "duration", 90),
        ("12.50 EUR", "money", 1250),
        ("3.2km", "distance", 3200),
        ("some text", "text", "some text"),
        ('"17"', "text", "17"),
        ("[1, 2, 2]", "list of int", (1, 2, 2)),
        ("{a, b}", "list of text", ("a", "b")),
        ("[1, a]", "list of text", ("1", "a")),
    ],
)
def test_a_given_of_the_task_takes_the_type_of_its_literal(literal: str, type_: str, value: Any) -> None:
    task = task_from_text(f"{TASK}currency: EUR\ngiven:\n  g: {literal}\n{PLAN}")
    assert (str(task.given_declarations["g"].type), task.givens["g"]) == (type_, value)


# -- sections -------------------------------------------------------------------------------------


def test_a_reference_is_in_the_task_or_in_a_file(tmp_path: Path) -> None:
    inline = task_from_text(f"{TASK}{PLAN}reference:\n  visits:\n    - {{n: 1, at: none, tags: [a]}}\n")
    assert inline.reference == {"visits": [{"n": "1", "at": None, "tags": ["a"]}]}
    (tmp_path / "plan.json").write_text('{"visits": [{"n": 1.10}]}')
    path = tmp_path / "task.yaml"
    path.write_text(f"{TASK}{PLAN}reference: plan.json\n")
    assert str(task_from_path(path).reference["visits"][0]["n"]) == "1.10"
    assert task_from_text(f"{TASK}{PLAN}").reference is None


def test_the_key_without_removes_constraints_of_the_library(tmp_path: Path) -> None:
    rules = "constraints:\n  a: {hard: count(visits) > 1}\n  b: {hard: count(visits) > 2, kind: many}\n"
    (tmp_path / "lib.yaml").write_text(f"planspec: library/1\nid: lib\n{PLAN}{rules}")
    path = tmp_path / "task.yaml"
    path.write_text(f"{TASK}uses: [lib]\nwithout: [a]\nconstraints:\n  c: {{soft: count(visits) > 3, weight: 7}}\n")
    task = task_from_path(path)
    assert [(c.id, c.hard, c.weight and c.weight.span.text, c.kind) for c in task.constraints] == [
        ("b", True, None, "many"),
        ("c", False, "7", None),
    ]


SHARED = """\
planspec: library/1
id: lib
given: {most: int}
plan: {visits: {n: key int}, stays: {one: true, nights: int}}
scope:
  visits:
    - {n: 1..most}
  stays: {nights: 1..7}
"""


def scope_of(task: Task) -> list[tuple[str, str]]:
    """Return each field in a task's scope with the text of its domain."""
    return [(f"{row.table.name}.{c}", f.domain.span.text) for row in task.scope for c, f in row.fields.items()]


def test_a_task_can_replace_a_librarys_scope_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "lib.yaml").write_text(SHARED)
    path = tmp_path / "task.yaml"
    head = f"{TASK}uses: [lib]\ngiven: {{most: 3}}\n"
    for own, visits in (("", "1..most"), ("scope: {visits: [{n: 4}]}\n", "4")):
        path.write_text(head + own)
        assert scope_of(task_from_path(path)) == [("visits.n", visits), ("stays.nights", "1..7")]
        assert diagnostics_of(path) == ()
    path.write_text(f"{head}scope: {{visits: []}}\n")
    assert scope_of(task_from_path(path)) == [("stays.nights", "1..7")]


def test_a_mistake_in_a_librarys_scope_is_reported_in_the_library(tmp_path: Path) -> None:
    path = tmp_path / "lib.yaml"
    path.write_text(SHARED.replace("n: 1..most", "n: 1..mots"))
    assert [(d.code, d.span.text) for d in diagnostics_of(path)] == [("PS201", "mots")]


def test_a_constraint_that_is_one_call_inherits_the_kind_of_the_called_definition() -> None:
    text = f"""{TASK}{PLAN}define:
  many(k int):
    is: count(visits) > k
    kind: number
    message: "{{k}} are too few"
constraints:
  a: {{hard: many(3)}}
  b: {{hard: many(4), kind: other}}
"""
    task = task_from_text(text)
    assert [(c.kind, c.message) for c in task.constraints] == [("number", None), ("other", None)]
    message = task.definitions["many"].message
    assert message is not None
    assert [part if isinstance(part, str) else part.span.text for part in message] == ["k", " are too few"]


def test_a_message_escapes_braces_by_doubling_and_can_use_the_variable_of_the_outermost_all() -> None:
    text = f"""{TASK}{PLAN}constraints:
  a:
    for: k in 1..3
    hard: all(v.n > k for v in visits)
    message: "{{{{{{k}}}}}}: {{v.n}} is not {{'}}'}}{{k + 1}}"
"""
    (constraint,) = task_from_text(text).constraints
    assert constraint.message is not None
    assert [p if isinstance(p, str) else f"<{p.span.text}>" for p in constraint.message] == [
        "{",
        "<k>",
        "}: ",
        "<v.n>",
        " is not ",
        "<'}'>",
        "<k + 1>",
    ]


def test_a_task_declares_its_objective_unique_columns_and_closed_scope() -> None:
    task = task_from_text(
        f"{TASK}{PLAN}maximize: 1.5 * count(visits)\nunique: [visits.n]\nclosed: true\nmeta: {{a: [1, {{b: none}}]}}\n"
    )
    assert task.objective is not None
    assert task.objective.maximize
    assert (task.unique, task.closed, task.meta) == (
        frozenset({("visits", "n")}),
        True,
        {"a": ["1", {"b": None}]},
    )
    assert task_from_text(f"{TASK}{PLAN}").unique is None
    assert task_from_text(f"{TASK}{PLAN}unique: []\n").unique == frozenset()


def test_a_task_has_several_objectives_in_the_order_of_its_text() -> None:
    text = "maximize:\n  - count(visits)\n  - min(v.n for v in visits)\nminimize: [max(v.n for v in visits)]\n"
    objectives = task_from_text(f"{TASK}{PLAN}{text}").objectives
    assert [(o.word, o.expression.span.text) for o in objectives] == [
        ("maximize", "count(visits)"),
        ("maximize", "min(v.n for v in visits)"),
        ("minimize", "max(v.n for v in visits)"),
    ]


@pytest.mark.parametrize(
    "objective",
    ["max(v.n for v in visits)", "0.5 * sum(v.cost for v in visits)", "min(v.at for v in visits)"],
)
def test_any_ordered_type_can_be_an_objective(objective: str) -> None:
    plan = "plan: {visits: {n: key int, cost: money, at: time}}\n"
    assert errors_of(f"{TASK}currency: EUR\n{plan}minimize: {objective}\n") == ()


def test_the_scope_has_constants_ranges_sets_tables_and_filters() -> None:
    text = f"""{TASK}types: {{Mode: foot | bus}}
tables: {{Place: {{columns: {{kind: text}}, rows: [{{id: park, kind: green}}, {{id: museum, kind: art}}]}}}}
given: {{trip: [2026-07-01, 2026-07-02]}}
plan:
  visits: {{place: key Place, day: date, at: time, mode: Mode?, next: Place?, tags: set of Mode, n: int = 1}}
  lodging: {{one: true, rooms: int}}
scope:
  visits:
    - for: p in Place if p.kind == "art"
      place: p
      day: trip
      at: 09:00..12:00 step 30min
      mode: Mode?
      next: q for q in Place if q != p
      tags: {{bus}}
    - place: park
      day: {{2026-07-01}}
      at: 10:00
      mode: none
      next: (q for q in Place if q != museum)?
      tags: {{}}
      optional: true
  lodging: {{rooms: 1..4}}
"""
    task = task_from_text(text)
    shown = [
        {name: (str(field.domain.type), field.many, field.or_none) for name, field in row.fields.items()}
        for row in task.scope
    ]
    assert shown == [
        {
            "place": ("Place", False, False),
            "day": ("list of date", True, False),
            "at": ("set of time", True, False),
            "mode": ("set of Mode", True, True),
            "next": ("set of Place", True, False),
            "tags": ("set of Mode", False, False),
        },
        {
            "place": ("Place", False, False),
            "day": ("set of date", True, False),
            "at": ("time", False, False),
            "mode": ("Mode", False, False),
            "next": ("set of Place", True, True),
            "tags": ("set of Mode", False, False),
        },
        {"rooms": ("set of int", True, False)},
    ]
    assert [row.optional for row in task.scope] == [False, True, False]


def test_null_in_json_written_as_yaml_is_none() -> None:
    task = task_from_text(
        "planspec: task/1\nid: x\nquery: Where?\nplan: {visits: {n: int?, says: text?}}\n"
        'reference: {"visits": [{"n": null, "says": "null"}]}\n'
    )
    assert task.reference == {"visits": [{"n": None, "says": "null"}]}
