"""The meaning of expressions: examples on concrete plans for each claim of the language about values."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from planspec import Judge
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import alternatives, indexed_clauses
from planspec.verifiers.meaning.interpret import CALLS, VALUES, Env, Interpreter, arith, call, compare
from planspec.verifiers.meaning.meter import Meter, StepLimitError
from planspec.verifiers.meaning.plan_rows import Plan
from tests.scalar_builtins import SCALAR_BUILTINS
from tests.verifiers.small_tasks import evaluate, minutes, plan_of, small_task, visit

JULY_1 = date(2026, 7, 1).toordinal()

TWO = [
    visit("museum", "09:00", "10:30", cost=1250, mode="bus"),
    visit("park", "11:00", "12:00", cost=0, mode="foot"),
]


def ids(rows: Any) -> list[str]:
    """Return the ids of rows."""
    return [row.id for row in rows]


# -- units and arithmetic -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("12:30 - 11:00", 90),
        ("11:00 - 12:30", -90),
        ("25:30 - 23:00", 150),
        ("23:30 + 2h", minutes("25:30")),
        ("00:10 - 30min", -20),
        ("2026-07-01 + 14:30", 1440 * JULY_1 + 870),
        ("(2026-07-02 + 00:30) - (2026-07-01 + 23:30)", 60),
        ("2026-07-01 + 14:30 + 1h - (2026-07-01 + 14:30)", 60),
        ("2026-07-01 + 25:00 == 2026-07-02 + 01:00", True),
        ("2026-07-03 - 2026-07-01", 2),
        ("2026-07-01 - 1", JULY_1 - 1),
        ("1 + 2026-07-01", JULY_1 + 1),
        ("3 * 12.50 EUR", 3750),
        ("-(2km - 500m)", -1500),
        ("-7 // 2", -4),
        ("-7 % 2", 1),
        ("7 // 2", 3),
        ("90min // 1h", 1),
        ("90min // 2", 45),
        ("7 // 0", None),
        ("7 // -2", None),
        ("7 % 0", None),
        ("min(3, 1, 2)", 1),
        ("max(09:00, 10:00)", 600),
        ("1.1 * 10 EUR", Fraction(1100)),
        ("0.1 * 3 == 0.3", True),
        ("0.1 + 0.2 == 0.3", True),
        ("0.35 * 100min <= 35min", True),
        ("0.35 * 100min < 35min", False),
        ("1 < 1.5", True),
        ("2 == 2.0", True),
        ("1 if 2 < 3 else 2", 1),
        ("0 if 2 > 3 else 2", 2),
    ],
)
def test_numbers_have_units_and_are_exact(expression: str, value: Any) -> None:
    assert evaluate(expression) == value


# -- comparisons and membership -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 < 2 < 3", True),
        ("1 < 3 < 2", False),
        ("3 > 2 >= 2 == 2", True),
        ("09:00 in 09:00..12:00", True),
        ("12:00 in 09:00..12:00", True),
        ("12:01 in 09:00..12:00", False),
        ("12:01 not in 09:00..12:00", True),
        ("09:03 in 09:00..12:00 step 5min", False),
        ("09:05 in 09:00..12:00 step 5min", True),
        ("12:05 in 09:00..12:00 step 5min", False),
        ("09:03 in 12:00..09:00", False),
        ("3 in {1, 2}", False),
        ("3 not in {1, 2}", True),
        ("{1, 2} == {2, 1, 1}", True),
        ("{1, 2} != {2, 1}", False),
        ('via == {"museum", "park", "tower"}', True),
        ('"museum" in via', True),
        ("Place.park == Place.museum", False),
        ('"old" in Place.museum.tags', True),
        ("not 1 < 2 or 2 < 3", True),
        ("2 < 1 implies 1 < 0", True),
        ("1 < 2 implies 1 < 0", False),
        ("count(d for d in (1..3))", 3),
        ("count(d for d in 1..10 step 4)", 3),
        ("sum(d for d in 3..1)", 0),
    ],
)
def test_comparisons_can_be_chained_and_ranges_include_both_ends(expression: str, value: Any) -> None:
    assert evaluate(expression) == value


def test_rows_are_equal_only_to_themselves() -> None:
    assert evaluate("count(b for b in Bag for c in Bag if b == c)") == 2


# -- none -----------------------------------------------------------------------------------------

HALF = [visit("park", "09:00", None)]
"""A visit whose end, cost, mode and day are *none*, at a place without stars."""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("visits[park].end + 1h", None),
        ("visits[park].end - visits[park].start", None),
        ("visits[tower]", None),
        ("visits[tower].place.stars", None),
        ("Slot[park, 09:00].left", None),
        ("Slot[museum].left", None),  # two rows begin with this key
        ("Slot[tower].left", 4),
        ("visits[park].end < 10:00", False),
        ("visits[park].end >= 10:00", False),
        ("visits[park].end != 10:00", False),
        ("visits[park].mode != taxi", False),
        ("visits[park].mode == taxi", False),
        ("not visits[park].end < 10:00", True),
        ("not not visits[park].end < 10:00", False),
        ("08:00 < visits[park].start < visits[park].end", False),
        ("07:00 < 08:00 < visits[park].end", False),
        ("visits[park].mode in {bus, taxi}", False),
        ("visits[park].mode not in {bus, taxi}", False),
        ("09:00 in visits[park].end..24:00", False),
        ("09:00 not in visits[park].end..24:00", False),
        ("09:00 in 08:00..visits[park].end", False),
        ('"old" in visits[tower].place.tags', False),
        ('"old" not in visits[tower].place.tags', False),
        ("Mode.taxi in {bus, visits[park].mode}", False),
        ("Mode.bus in {bus, visits[park].mode}", False),  # a set with none in it is none
        ("Mode.bus not in {taxi, visits[park].mode}", False),
        ("visits[tower].fun", False),
        ("not visits[tower].fun", True),
        ("visits[tower].place.open", False),
        ("visits[park].place.open", True),
        ("visits[park].end is none", True),
        ("visits[park].end is not none", False),
        ("visits[park].end - visits[park].start is none", True),
        ("visits[tower] is none", True),
        ("visits[park].end ?? 12:00", 720),
        ("visits[park].start ?? 12:00", 540),
        ("visits[park].end ?? visits[tower].end", None),
        ("min(3, visits[park].place.stars)", None),
        ("-visits[park].place.stars", None),
        ("1 if visits[park].end > 10:00 else 2", 2),
        ("1 if 1 < 2 else visits[tower].place.stars", 1),
        ("visits[park].end < 10:00 or 1 < 2", True),
        ("visits[park].end < 10:00 implies 2 < 1", True),
        ("lodging.hotel", None),  # the table has no row
        ("the(v for v in visits).start", 540),
        ("the(b for b in Bag).n", None),
        ("the(p for p in Place if p.stars == 4)", None),
    ],
)
def test_operators_are_strict_and_conditions_are_never_none(expression: str, value: Any) -> None:
    assert evaluate(expression, visits=HALF) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [(expression, value) for row in SCALAR_BUILTINS.values() for expression, _, value in row.values],
)
def test_scalar_builtins_have_the_values_worked_out_by_hand(expression: str, value: Any) -> None:
    assert evaluate(expression, visits=HALF) == value


def test_a_lookup_of_two_rows_with_one_key_is_none() -> None:
    assert evaluate("visits[park].start", visits=[*HALF, *HALF]) is None
    assert evaluate("visits[park] is none", visits=[*HALF, *HALF]) is True


def test_a_single_row_table_with_two_rows_is_none() -> None:
    assert evaluate("lodging.cost", lodging=[{"cost": 5}]) == 5
    assert evaluate("lodging.cost", lodging=[{"cost": 5}, {"cost": 5}]) is None


def test_the_builtin_unknown_is_true_for_names_that_no_row_has() -> None:
    rows = [{"unknown": {"place": "Museo"}}, {}, {"place": "park"}]
    assert evaluate("count(e for e in extras if e.place is unknown)", extras=rows) == 1
    assert evaluate("count(e for e in extras if e.place is not unknown)", extras=rows) == 2
    assert evaluate("count(e for e in extras if e.place is none)", extras=rows) == 2
    assert evaluate("lodging.hotel is unknown") is False
    assert evaluate("lodging.hotel is not unknown") is True


# -- definitions ----------------------------------------------------------------------------------

DEFINE = """\
length(v visits): v.end - v.start
long(v visits): v.end - v.start >= 1h
kept(v visits, t time?): t is none or v.start < t
given_or(t time?): t ?? 12:00
twice(n int): n * 2
total: sum(v.cost for v in visits)
always(n int): 1 < 2
"""


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("length(visits[museum])", 90),
        ("length(visits[tower])", None),
        ("long(visits[museum])", True),
        ("long(visits[tower])", False),
        ("not long(visits[tower])", True),
        ("always(visits[tower].place.stars)", False),
        ("not always(visits[tower].place.stars)", True),
        ("kept(visits[museum], none)", True),
        ("kept(visits[museum], 09:00)", False),
        ("kept(visits[tower], none)", False),
        ("given_or(none)", 720),
        ("given_or(visits[tower].end)", 720),
        ("twice(twice(3))", 12),
        ("total + total", 2500),
    ],
)
def test_calls_are_strict_except_in_optional_parameters(expression: str, value: Any) -> None:
    assert evaluate(expression, DEFINE, visits=TWO) == value


# -- aggregates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("all(2 < 1 for v in visits)", True),
        ("any(1 < 2 for v in visits)", False),
        ("count(v for v in visits)", 0),
        ("sum(v.cost for v in visits)", 0),
        ("min(v.start for v in visits)", None),
        ("max(v.start for v in visits)", None),
        ("all_different(v.place for v in visits)", True),
        ("the(v for v in visits)", None),
        ("first(v for v in visits, by=v.start)", None),
        ("last(v for v in visits, by=v.start)", None),
        ("all(a.end <= b.start for a, b in steps(v for v in visits, by=v.start))", True),
        ("no_overlap(v for v in visits, from=v.start, to=v.end)", True),
        ("peak(v.cost for v in visits, from=v.start, to=v.end)", 0),
    ],
)
def test_without_terms_all_is_true_sum_is_zero_and_most_aggregates_are_none(expression: str, value: Any) -> None:
    assert evaluate(expression) == value


GAPS = [visit("museum", "09:00", "10:00", cost=300), visit("park", "11:00", None)]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("sum(v.cost for v in visits)", None),
        ("sum(v.cost ?? 0 EUR for v in visits)", 300),
        ("sum(v.cost for v in visits if v.cost is not none)", 300),
        ("min(v.end for v in visits)", None),
        ("max(v.end for v in visits)", None),
        ("all_different(v.end for v in visits)", False),
        ("all_different(v.end for v in visits if v.end is not none)", True),
        ("count(v.end for v in visits)", 2),
        ("count(v for v in visits if v.end < 12:00)", 1),
        ("count(v for v in visits if not v.end < 12:00)", 1),
        ("all(v.end < 12:00 for v in visits)", False),
        ("any(v.end < 12:00 for v in visits)", True),
        ("count(n for n in (p.stars for p in Place))", 2),  # none is in no set
        ("first(v for v in visits, by=v.end).place.id", "museum"),
        ("last(v for v in visits, by=v.end).place.id", "museum"),
        ("last(v.end for v in visits, by=v.start)", None),
        ("the(v.place.name for v in visits if v.start > 10:00)", None),
        ("no_overlap(v for v in visits, from=v.start, to=v.end)", False),  # the park has no end
        ("no_overlap(v for v in visits, from=v.end, to=v.end)", True),  # the park has no end
        ("peak(1 for v in visits, from=v.start, to=v.end)", None),
        ("peak(v.cost for v in visits, from=v.start, to=v.start + 1h)", None),
        ("no_overlap(v for v in visits, from=10:00, to=11:00, per=v.end)", True),  # rows without a group take no part
    ],
)
def test_aggregates_accept_rows_whose_values_are_none(expression: str, value: Any) -> None:
    assert evaluate(expression, visits=GAPS) == value


DAY = [
    visit("museum", "09:00", "10:00", cost=300),
    visit("park", "10:00", "12:00", cost=200),
    visit("tower", "11:00", "11:00", cost=900),
]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("no_overlap(v for v in visits, from=v.start, to=v.end)", False),  # the tower is strictly inside the park
        ("no_overlap(v for v in visits if v.place != tower, from=v.start, to=v.end)", True),
        ("no_overlap(v for v in visits if v.place != tower, from=v.start, to=v.end, gap=1min)", False),
        ("no_overlap(v for v in visits if v.place != tower, from=v.start, to=v.end, gap=-1h)", True),
        ("no_overlap(v for v in visits if v.place != museum, from=v.start, to=v.end, per=v.place)", True),
        ("no_overlap(v for v in visits, from=12:00, to=12:00)", True),  # rows of no length may touch
        ("no_overlap(v for v in visits, from=v.end, to=v.start)", False),  # each end is before its start
        ("no_overlap(v for v in visits, from=v.place.stars, to=v.place.stars, gap=none)", False),
        ("peak(v.cost for v in visits, from=v.start, to=v.end)", 300),
        ("peak(v.cost for v in visits, from=v.start, to=v.end + 1min)", 1100),
        ("peak(v.cost for v in visits, from=v.start, to=v.end + 1min, per=v.place)", 900),
        ("peak(-v.cost for v in visits, from=v.start, to=v.end)", 0),
        ("peak(1 for v in visits, from=v.start, to=v.start)", 0),
        ("peak(1 for v in visits, from=v.end, to=v.start)", None),
        ("peak(0.5 for v in visits, from=v.start, to=12:00)", Fraction(3, 2)),
    ],
)
def test_intervals_hold_their_start_and_not_their_end(expression: str, value: Any) -> None:
    assert evaluate(expression, visits=DAY) == value


def test_first_and_last_are_none_only_at_a_tie_for_their_own_position() -> None:
    rows = [visit("museum", "09:00"), visit("park", "09:00"), visit("tower", "10:00")]
    assert evaluate("first(v for v in visits, by=v.start)", visits=rows) is None
    assert evaluate("last(v.place.id for v in visits, by=v.start)", visits=rows) == "tower"


def test_a_loop_over_none_has_no_bindings() -> None:
    assert evaluate("count(x for x in visits[tower].place.tags)") == 0
    assert evaluate("all(2 < 1 for x in visits[tower].place.tags)") is True
    assert evaluate("count(x for x in 1..Place.park.stars)") == 0


def test_later_clauses_can_use_variables_of_earlier_ones() -> None:
    assert evaluate("count(s for p in Place for s in Slot if s.place == p)") == 3
    assert evaluate("sum(k for n in 1..3 for k in 1..n)") == 1 + 3 + 6


# -- steps ----------------------------------------------------------------------------------------


def related_places(expression: str, **tables: Any) -> list[tuple[str, str]]:
    """Return the pairs of visits for which a relation holds, each as a pair of places. Each pair is tested."""
    names = ["museum", "park", "tower"]
    return [
        (a, b)
        for a in names
        for b in names
        if evaluate(f"any(a.place == {a} and b.place == {b} for a, b in {expression})", **tables)
    ]


def test_steps_are_pairs_of_neighbours() -> None:
    rows = [visit("tower", "12:00"), visit("museum", "09:00"), visit("park", "10:00")]
    assert related_places("steps(v for v in visits, by=v.start)", visits=rows) == [
        ("museum", "park"),
        ("park", "tower"),
    ]


def test_steps_pair_tied_elements_with_each_other_and_with_every_next_element() -> None:
    rows = [visit("museum", "09:00"), visit("park", "09:00"), visit("tower", "12:00")]
    result = related_places("steps(v for v in visits, by=v.start)", visits=rows)
    assert result == [("museum", "park"), ("museum", "tower"), ("park", "museum"), ("park", "tower")]


def test_steps_stay_within_their_group_and_skip_elements_without_a_group() -> None:
    rows = [
        visit("museum", "09:00", mode="bus"),
        visit("park", "10:00", mode="foot"),
        visit("tower", "11:00", mode="bus"),
    ]
    assert related_places("steps(v for v in visits, by=v.start, per=v.mode)", visits=rows) == [("museum", "tower")]
    rows[2]["mode"] = None
    assert related_places("steps(v for v in visits, by=v.start, per=v.mode)", visits=rows) == []
    assert related_places("steps(v for v in visits, by=v.end)", visits=rows) == []
    assert related_places("steps(v for v in visits if v.place != park, by=v.start)", visits=rows) == [
        ("museum", "tower")
    ]


def test_steps_of_a_list_follow_its_order() -> None:
    assert evaluate("count(1 for a, b in steps(via))") == 2
    assert evaluate('all(b == "museum" or b == "park" and a == "museum" for a, b in steps(via))') is True
    assert evaluate('count(1 for a, b in steps(p for p in via if p != "museum"))') == 1
    assert evaluate("all(b - a == 1 for a, b in steps(days))") is True


# -- functions for other modules -------------------------------------------------------------------


def test_operators_on_none_return_none() -> None:
    assert arith("+", None, 1) is None
    assert arith("*", 2, None) is None
    assert compare("!=", None, 3) is False
    assert call("min", [2, None]) is None
    assert call("contains", [None, "a"]) is None


def test_an_interpreter_for_a_plan_shares_only_static_results() -> None:
    task = small_task("define:\n  stars: sum(p.stars ?? 0 for p in Place)\n  total: count(v for v in visits)\n")
    base = Interpreter(task)
    first = base.on(plan_of(task, visits=TWO))
    assert first.defined(task.definitions["total"]) == 2
    assert first.defined(task.definitions["stars"]) == 8
    second = base.on(plan_of(task))
    assert second.defined(task.definitions["total"]) == 0
    assert task.definitions["stars"] in second.static.of(VALUES)
    assert task.definitions["total"] not in second.static.of(VALUES)


def test_a_plan_table_has_no_rows_without_a_plan() -> None:
    task = small_task("define: {total: count(v for v in visits)}\n")
    with pytest.raises(AssertionError):
        Interpreter(task).defined(task.definitions["total"])
    assert Interpreter(task, Plan({"visits": (), "extras": (), "lodging": ()})).defined(task.definitions["total"]) == 0


# -- static calls ---------------------------------------------------------------------------------


def test_a_static_call_is_computed_once_for_the_same_arguments() -> None:
    task = task_from_text(
        "planspec: task/1\nid: t\nquery: q\nplan: {v: {id: key int}}\nscope: {v: [{id: 1}]}\n"
        "define:\n  upto(n int): sum(i * i for i in 1..n)\n  twice(n int): 2 * n\n"
        "constraints: {c: {hard: upto(30) == upto(30) and upto(3) != upto(30) and twice(2) == twice(2)}}\n"
    )
    body = task.constraints[0].body
    interpreter = Interpreter(task)
    before = interpreter.meter.left
    assert interpreter.holds(body, {})
    once = before - interpreter.meter.left
    assert interpreter.holds(body, {})
    again = before - interpreter.meter.left - once
    assert once - again > 30
    assert {values[1:] for values in interpreter.static.of(CALLS)} == {(3,), (30,)}


ANY = """\
planspec: task/1
id: t
query: q
types: {P: a | b | c}
tables:
  Near:
    columns: {from: P, to: P, far: int, kinds: set of P}
    rows:
      - {id: x, from: a, to: b, far: 1, kinds: [a]}
      - {id: y, from: a, to: c, far: 2, kinds: [b]}
      - {id: z, from: b, to: c, far: 3, kinds: []}
plan: {stop: {one: true, p: P, q: P?}}
scope: {stop: {p: P, q: P}}
define:
  leads: any(n.from == stop.p for n in Near)
  leads_far: any(n.from == stop.p and n.far > 1 for n in Near if n.to == c)
  leads_on: any(n.to == m.from and m.far > 2 for m in Near for n in Near)
  of_none: any(n.from == stop.q for n in Near)
  either: any(n.from == stop.p or n.to == stop.p for n in Near)
  among: any(n.from in {stop.p, c} for n in Near)
constraints: {r: {hard: leads}}
"""


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ("a", (True, True, True, False, True, True)),
        ("b", (True, True, True, False, True, True)),
        ("c", (False, False, True, False, True, False)),
    ],
)
def test_any_with_a_lookup_agrees_with_a_scan_of_all_rows(p: str, expected: tuple[bool, ...]) -> None:
    task = task_from_text(ANY, "t.task.yaml")
    plan = Judge(task).read({"stop": {"p": p}})
    interpreter = Interpreter(task, plan)
    names = ("leads", "leads_far", "leads_on", "of_none", "either", "among")
    assert tuple(interpreter.defined(task.definitions[name]) for name in names) == expected
    bodies = {name: task.definitions[name].body for name in names}
    looked_up = [name for name, body in bodies.items() if isinstance(body, t.Aggregate) and indexed_clauses(body)]
    assert looked_up == ["leads", "leads_far", "leads_on", "of_none", "among"]


class _EvaluatingInterpreter(Interpreter):
    """An interpreter that evaluates every condition itself, because it overrides the method for conditions."""

    def meets(self, condition: t.Expr, env: Env) -> bool:
        return self.holds(condition, env)


@pytest.mark.parametrize(
    "generator",
    [
        "p in Place if p.stars == 3",
        "p in Place if p.open and p.stars in {3, 4, 5}",
        "p in Place if p.stars == 3 and p.stars == 5",
        "p in Place if p.stars == count(v for v in visits) + 3 and p.open and p != tower",
        "p in Place if 3 == p.stars and any(q.open for q in Place if q.stars == p.stars)",
        "p in Place if not (p.stars == 3) or p.stars == 3",
    ],
)
def test_conditions_that_an_index_has_answered_count_the_same_steps(generator: str) -> None:
    task = small_task(f"define:\n  found: (p for {generator})\n")
    plan = Judge(task).read({"visits": []})
    assert plan is not None
    body = task.definitions["found"].body
    results: list[tuple[Any, ...]] = []
    for interpreter in (Interpreter(task, plan), _EvaluatingInterpreter(task, plan)):
        left = interpreter.meter.left
        results.append((interpreter.value(body, {}), left - interpreter.meter.left))
        for most in range(1, results[0][1]):  # the same expression reaches the limit
            limited = interpreter.on(plan, Meter(most))
            with pytest.raises(StepLimitError) as caught:
                limited.value(body, {})
            results[-1] = (*results[-1], caught.value.span)
    assert results[0] == results[1]


class _AllRowsInterpreter(Interpreter):
    seeks_alternatives = False


@pytest.mark.parametrize(
    ("generator", "values"),
    [
        ("p in Place if p == tower or p.stars == 5", ["museum", "tower"]),
        ("p in Place if (p.open and p.stars == 5) or p == tower or p == museum", ["museum", "tower"]),
        ('p in Place if p.stars in {3, 4} or p.name == "Old Mill"', ["tower"]),
        ("p in Place if p != tower and (p == tower or p == park)", ["park"]),
    ],
)
def test_a_generator_skips_rows_that_no_alternative_of_an_or_can_match(generator: str, values: list[str]) -> None:
    task = small_task(f"define:\n  found: ({generator[0]} for {generator})\n")
    body = task.definitions["found"].body
    assert isinstance(body, t.SetOf)
    assert alternatives(body.clauses[0])
    assert ids(Interpreter(task).value(body, {})) == ids(_AllRowsInterpreter(task).value(body, {})) == values


@pytest.mark.parametrize(
    "generator",
    [
        "p in Place if p == tower or p.open",
        "p in Place if p.open or p.stars == 5",
        "p in Place if p == tower or any(v.place == p for v in visits)",
        "b in Bag if b.n == 4 or b.n == 3",
        "v in visits if v.place == tower or v.place == park",
    ],
)
def test_a_generator_runs_through_all_rows_if_an_alternative_of_an_or_names_no_rows(generator: str) -> None:
    body = small_task(f"define:\n  found: ({generator[0]} for {generator})\n").definitions["found"].body
    assert isinstance(body, t.SetOf)
    assert alternatives(body.clauses[0]) == ()


SETS = {
    "(p for p in Place)": 14,
    "(n for n in 1..5)": 14,
    "(n for n in (m % 3 for m in 1..5))": 40,
    "(n for n in {1, 2, 2})": 14,
    "(n for n in 1..5 if n != 2)": 30,
    "(n + 1 for n in 1..5)": 30,
    "(a for a, b in steps(n for n in 1..4, by=n))": 60,
}
"""Sets, each with a limit of steps above those that it takes."""


@pytest.mark.parametrize("text", SETS)
def test_the_members_of_a_set_take_the_same_steps_as_its_value(text: str) -> None:
    task = small_task(f"define:\n  wanted: >-\n    {text}\n")
    set_ = task.definitions["wanted"].body
    assert isinstance(set_, t.SetOf)
    lengths: set[int] = set()
    for most in range(SETS[text]):
        outcomes: list[tuple[Any, ...]] = []
        for evaluated in (Interpreter.value, Interpreter.members):
            interpreter = Interpreter(task, None, Meter(most))
            try:
                outcomes.append((evaluated(interpreter, set_, {}), interpreter.meter.left))
            except StepLimitError as error:
                outcomes.append((error.span,))
        assert outcomes[0] == outcomes[1]
        lengths.add(len(outcomes[0]))
    assert lengths == {1, 2}  # some limits on steps suffice, and some do not
