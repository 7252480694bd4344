"""Tables in JSON are read cell by cell. A plan that is written as JSON is read back unchanged."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import make_row
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import FINDINGS
from planspec.verifiers.answers.envelope import Answer, read_answer
from planspec.verifiers.answers.findings import ShapeFinding
from planspec.verifiers.answers.tables import read_tables, write_tables
from planspec.verifiers.meaning.plan_rows import Plan
from tests.verifiers.berlin_trip import plain_rows

TEXT = """\
planspec: task/1
id: kinds
query: every type of cell
currency: EUR
types: {Mode: foot | bus | taxi}
tables:
  Place:
    columns: {stars: int = 0}
    rows:
      - {id: dom, name: Berliner Dom}
      - {id: zoo}
      - {id: pergamon, name: Pergamonmuseum}
  Slot:
    columns: {place: key Place, at: key time}
    rows:
      - {place: dom, at: 09:00}
      - {place: zoo, at: 10:00}
plan:
  visits:
    place: key Place
    session: key int = 1
    yes: bool = false
    far: distance?
    score: decimal?
    note: text?
    on: date?
    at: time?
    when: moment?
    length: duration?
    cost: money?
    by: Mode?
    slot: Slot?
    tags: set of text = {}
  must: {place: Place, cost: money, start: time}
  lodging: {one: true, hotel: Place, cost: money = 0 EUR}
"""


@pytest.fixture(scope="module")
def task() -> Task:
    return task_from_text(TEXT)


def read_visits(task: Task, **tables: Any) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    """Read the tables of a plan. Tables that are not given have default rows."""
    return read_tables(task, {"visits": [], "must": [], "lodging": {"hotel": "dom"}} | tables)


def kinds_and_places(findings: tuple[ShapeFinding, ...]) -> list[tuple[str, str, str | None, str | None]]:
    """Return kind, path, table and column of each finding."""
    return [(f.kind, f.path, f.table, f.column) for f in findings]


def test_each_cell_is_read_as_its_type(task: Task) -> None:
    row = {
        "place": "dom",
        "session": 2,
        "yes": False,
        "far": "3.2km",
        "score": Decimal("0.35"),
        "note": "",
        "on": "2026-07-01",
        "at": "25:30",
        "when": "2026-07-01 14:30",
        "length": "1h30min",
        "cost": Decimal("12.5"),
        "by": "taxi",
        "slot": ["dom", "09:00"],
        "tags": ["b", "a", "b"],
    }
    plan, findings = read_visits(task, visits=[row])
    assert findings == ()
    assert plain_rows(plan, "visits") == [
        {
            "place": "dom",
            "session": 2,
            "yes": False,
            "far": 3200,
            "score": Fraction(7, 20),
            "note": "",
            "on": 739798,
            "at": 1530,
            "when": 739798 * 1440 + 870,
            "length": 90,
            "cost": 1250,
            "by": "taxi",
            "slot": "dom",
            "tags": ("b", "a"),
        }
    ]
    assert plan.tables["visits"][0].slot is task.facts["Slot"].rows[0]  # type: ignore[attr-defined]


def test_values_spelled_as_programs_print_them_are_read(task: Task) -> None:
    row = {
        "place": "dom",
        "session": "3.0",
        "yes": "True",
        "at": "09:30:00",
        "when": "2026-07-01T14:30",
        "on": "2026-07-01T00:00",
        "cost": "€12.50",
        "note": "cafe\u0301",
        "slot": "dom, 09:00",
    }
    plan, findings = read_visits(task, visits=[row])
    assert findings == ()
    (cells,) = plain_rows(plan, "visits")
    assert {name: cells[name] for name in row if name not in ("place", "slot")} == {
        "session": 3,
        "yes": True,
        "at": 570,
        "when": 739798 * 1440 + 870,
        "on": 739798,
        "cost": 1250,
        "note": "caf\u00e9",
    }
    assert plan.tables["visits"][0].slot is task.facts["Slot"].rows[0]  # type: ignore[attr-defined]


def test_a_whole_number_can_name_a_key_with_the_same_text() -> None:
    rooms = task_from_text(
        "planspec: task/1\nid: rooms\nquery: a room\n"
        "tables:\n  Room: {columns: {}, rows: [{id: 101}, {id: caf\u00e9}]}\n"
        "  Bed: {columns: {room: key Room, name: key text}, rows: [{room: 101, name: 7}]}\n"
        "plan: {stay: {one: true, room: Room, bed: Bed?}}\n"
    )
    plan, findings = read_tables(rooms, {"stay": {"room": 101, "bed": [101, 7]}})
    assert findings == () and plain_rows(plan, "stay")[0]["room"] == "101"
    plan, findings = read_tables(rooms, {"stay": {"room": "cafe\u0301"}})
    assert findings == () and plain_rows(plan, "stay")[0]["room"] == "caf\u00e9"
    _, (finding,) = read_tables(rooms, {"stay": {"room": 102}})
    assert (finding.kind, finding.message) == ("unknown-name", "no Room is called `102`")


def test_a_column_left_out_is_its_default_or_none(task: Task) -> None:
    plan, findings = read_visits(task, visits=[{"place": "dom"}])
    assert findings == ()
    row = plain_rows(plan, "visits")[0]
    assert (row["session"], row["tags"], row["cost"]) == (1, (), None)
    assert plain_rows(plan, "lodging") == [{"hotel": "dom", "cost": 0}]


def test_a_missing_mandatory_column_is_reported(task: Task) -> None:
    plan, findings = read_visits(task, must=[{"place": "dom", "cost": None}])
    assert plain_rows(plan, "must") == [{"place": "dom", "cost": None, "start": None}]
    assert kinds_and_places(findings) == [
        ("missing-column", "/must/0/cost", "must", "cost"),
        ("missing-column", "/must/0", "must", "start"),
    ]


def test_null_is_none_even_if_the_column_has_a_default(task: Task) -> None:
    plan, findings = read_visits(task, visits=[{"place": "dom", "session": None, "cost": None}])
    assert plain_rows(plan, "visits")[0]["session"] is None
    assert kinds_and_places(findings) == [("missing-column", "/visits/0/session", "visits", "session")]


@pytest.mark.parametrize(
    ("column", "cell", "reason"),
    [
        ("at", "14:75", "time"),
        ("at", 870, "write the time as a text"),
        ("on", "2026-02-30", "date"),
        ("cost", "12.50 USD", "EUR"),
        ("cost", [1], "a list"),
        ("by", "txi", "did you mean `taxi`?"),
        ("yes", "maybe", "true"),
        ("tags", "a", "not a list"),
        ("tags", [1], "not a text"),
        ("slot", "dom", "named by place, at"),
        ("slot", ["dom"], "1 given"),
        ("slot", {"place": "dom"}, "`at` is missing"),
        ("slot", ["dom", "nine"], "time"),
    ],
)
def test_a_cell_of_another_type_is_none_and_a_finding(task: Task, column: str, cell: Any, reason: str) -> None:
    plan, (finding,) = read_visits(task, visits=[{"place": "dom", column: cell}])
    assert plain_rows(plan, "visits")[0][column] is None
    assert (finding.kind, finding.path, finding.fails) == ("wrong-type", f"/visits/0/{column}", True)
    assert reason in finding.message


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("pergamno", "`pergamon`"),
        ("Pergamonmuseum", "`pergamon`"),
        ("Berliner Dom", "`dom`"),
        ("Hermitage", None),
    ],
)
def test_an_unknown_name_is_none_and_recorded(task: Task, name: str, suggested: str | None) -> None:
    plan, (finding,) = read_visits(task, visits=[{"place": name}])
    (row,) = plan.tables["visits"]
    assert row._key == (None, 1)
    assert row._unknown == {"place": name}
    assert (finding.kind, finding.path, finding.table, finding.column) == (
        "unknown-name",
        "/visits/0/place",
        "visits",
        "place",
    )
    assert f"`{name}`" in finding.message
    assert (f"did you mean {suggested}?" in finding.message) if suggested else ("did you mean" not in finding.message)


def test_a_composite_key_is_a_list_or_an_object(task: Task) -> None:
    slots = [["zoo", "10:00"], {"at": "10:00", "place": "zoo"}]
    plan, findings = read_visits(task, visits=[{"place": "dom", "slot": slot} for slot in slots])
    assert findings == ()
    assert {id(row.slot) for row in plan.tables["visits"]} == {id(task.facts["Slot"].rows[1])}  # type: ignore[attr-defined]
    _, (finding,) = read_visits(task, visits=[{"place": "dom", "slot": ["zoo", "11:00"]}])
    assert finding.kind == "unknown-name"
    _, (finding,) = read_visits(task, visits=[{"place": "dom", "slot": ["zo", "10:00"]}])
    assert finding.kind == "unknown-name"


def test_unknown_tables_and_columns_are_reported_and_fail_nothing(task: Task) -> None:
    _, findings = read_visits(task, visist=[], visits=[{"place": "dom", "pace": 1}])
    assert [(f.kind, f.path, f.fails) for f in findings] == [
        ("unknown-table", "/visist", False),
        ("unknown-column", "/visits/0/pace", False),
    ]
    assert "did you mean `visits`?" in findings[0].message
    assert "did you mean `place`?" in findings[1].message
    assert {f.as_finding().status for f in findings} == {"not-applicable"}


def test_a_table_that_is_missing_or_not_a_list_has_no_rows(task: Task) -> None:
    plan, findings = read_tables(
        task, {"visits": {"place": "dom"}, "must": [17, {"place": "dom", "cost": 0, "start": "09:00"}]}
    )
    assert kinds_and_places(findings) == [
        ("wrong-shape", "/visits", "visits", None),
        ("wrong-shape", "/must/0", "must", None),
        ("missing-table", "", "lodging", None),
    ]
    assert [len(plan.tables[name]) for name in ("visits", "must", "lodging")] == [0, 1, 0]
    assert {f.as_finding().status for f in findings} == {"violated"}
    assert findings[1].as_finding().message.endswith("(at /must/0)")


def test_a_table_of_one_row_is_the_row_or_a_list(task: Task) -> None:
    for lodging in ({"hotel": "dom"}, [{"hotel": "dom"}]):
        plan, findings = read_visits(task, lodging=lodging)
        assert (len(plan.tables["lodging"]), findings) == (1, ())
    plan, findings = read_visits(task, lodging=[{"hotel": "dom"}, {"hotel": "zoo"}])
    assert (len(plan.tables["lodging"]), findings) == (2, ())
    assert kinds_and_places(read_visits(task, lodging="dom")[1]) == [("wrong-shape", "/lodging", "lodging", None)]


CELLS = {
    "yes": st.booleans(),
    "far": st.integers(-9999, 10**6),
    "score": st.integers(-(10**9), 10**9).map(lambda n: Fraction(n, 1000)),
    "note": st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    "on": st.integers(1, 3_000_000),
    "at": st.integers(0, 5999),
    "when": st.integers(1440, 10**9),
    "length": st.integers(-5000, 5000),
    "cost": st.integers(-(10**6), 2**53),
    "by": st.sampled_from(["foot", "bus", "taxi"]),
    "slot": st.sampled_from([0, 1]),
}


@given(st.data())
def test_written_plans_are_read_back_unchanged(task: Task, data: st.DataObject) -> None:
    rows = []
    for index in range(data.draw(st.integers(0, 3))):
        values: dict[str, Any] = {
            name: data.draw(cells if name == "yes" else st.none() | cells) for name, cells in CELLS.items()
        }
        if values["slot"] is not None:
            values["slot"] = task.facts["Slot"].rows[values["slot"]]
        values["tags"] = tuple(data.draw(st.lists(st.sampled_from("abc"), unique=True)))
        place = data.draw(st.sampled_from([*task.facts["Place"].rows, None]))
        unknown = {"place": "Atlantis"} if place is None else {}
        values |= {"place": place, "session": data.draw(st.integers(1, 3))}
        rows.append(make_row(task.tables["visits"], values, index, unknown=unknown))
    lodging = tuple(
        make_row(task.tables["lodging"], {"hotel": task.facts["Place"].rows[0], "cost": i}, i)
        for i in range(data.draw(st.integers(0, 2)))
    )
    plan = Plan({"visits": tuple(rows), "must": (), "lodging": lodging})
    answer = read_answer(json.dumps(write_tables(task, plan)))
    assert isinstance(answer, Answer)
    again, findings = read_tables(task, answer.plan)
    for name in plan.tables:
        assert plain_rows(again, name) == plain_rows(plan, name)
        assert [row._unknown or {} for row in again.tables[name]] == [row._unknown or {} for row in plan.tables[name]]
    assert {f.kind for f in findings} <= {"unknown-name"}


PLAN_REFERENCES = """\
planspec: task/1
id: jobs
query: rows of the plan that refer to rows of the plan
tables:
  Bag:
    columns: {n: int}
    rows: [{n: 4}, {n: 5}]
plan:
  after:
    job: key jobs
    of: jobs?
    any: set of jobs = {}
  jobs: {name: key text, bag: Bag?}
  notes: {about: after?}
"""


def test_a_row_of_the_plan_is_referred_to_by_its_key() -> None:
    task = task_from_text(PLAN_REFERENCES)
    data = {
        "after": [{"job": "a", "of": "b", "any": ["b", "a"]}, {"job": "b", "of": "c"}, {"job": "twice"}],
        "jobs": [{"name": "a", "bag": 1}, {"name": "b", "bag": 2}, {"name": "twice"}, {"name": "twice"}],
        "notes": [{"about": "a"}],
    }
    plan, findings = read_tables(task, data)
    first: Any
    first, second, third = plan.tables["after"]
    a, b, *_ = plan.tables["jobs"]
    assert (first.job, first.of, first.any) == (a, b, (b, a))
    assert (second.job, second.of, third.job) == (b, None, None)  # type: ignore[attr-defined]
    assert plan.tables["notes"][0].about is first  # type: ignore[attr-defined]
    assert a.bag is task.facts["Bag"].rows[1]  # type: ignore[attr-defined]
    assert Counter(kinds_and_places(findings)) == Counter(
        [
            ("unknown-name", "/jobs/1/bag", "jobs", "bag"),
            ("unknown-name", "/after/2/job", "after", "job"),
            ("unknown-name", "/after/1/of", "after", "of"),
        ]
    )
    again, _ = read_tables(task, write_tables(task, plan))
    for name in plan.tables:
        assert plain_rows(again, name) == plain_rows(plan, name)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals()
    | st.text()
    | st.sampled_from(["dom", "09:00", "12 EUR", "taxi"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["place", "at", "cost", "x", ""]), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(["visits", "must", "lodging", "x"]),
        JSON | st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(CELLS, JSON))),
    )
)
def test_any_object_is_read_as_a_plan_with_findings(task: Task, data: dict[str, Any]) -> None:
    plan, findings = read_tables(task, data)
    assert set(plan.tables) == {"visits", "must", "lodging"}
    assert all(f.message and f.as_finding().level == "shape" for f in findings)
    if len(data) == 0:
        assert [f.kind for f in findings] == ["missing-table"] * 3


def test_many_unknown_names_are_not_all_compared() -> None:
    rows = "".join(f"      - {{id: place-{i}}}\n" for i in range(300))
    task = task_from_text(
        f"planspec: task/1\nid: many\nquery: q\ntables:\n  Place:\n    columns: {{stars: int = 0}}\n    rows:\n{rows}plan:\n  visits: {{place: Place}}\n"
    )
    _, findings = read_tables(task, {"visits": [{"place": f"plaice-{i}"} for i in range(300)]})
    suggested = ["did you mean" in f.message for f in findings]
    assert suggested[0]
    assert not suggested[-1]


def test_findings_past_a_thousand_are_counted(task: Task) -> None:
    _, findings = read_visits(task, visits=[17] * (FINDINGS + 5))
    assert len(findings) == FINDINGS + 1
    assert findings[-1] == ShapeFinding("more", "5 more findings are left out", "")
    _, findings = read_visits(task, visits=[{"place": "dom", "x": 1}] * (FINDINGS + 5))
    assert not findings[-1].fails
