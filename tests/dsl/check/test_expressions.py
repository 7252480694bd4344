"""Expressions: their types, stages and definedness, and the errors of invalid ones."""

from __future__ import annotations

import pytest

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import Special, Stage
from tests.dsl.expressions import HEAD, checked_tree, error_codes_of, errors_of
from tests.scalar_builtins import SCALAR_BUILTINS

TYPES = """\
09:00 - 08:00                                                        | duration
09:00 + 30min                                                        | time
30min + 09:00                                                        | time
2026-07-01 + 1                                                       | date
1 + 2026-07-01                                                       | date
2026-07-01 + 09:00                                                   | moment
2026-07-01 - 2026-06-01                                              | int
(2026-07-01 + 09:00) - (2026-07-01 + 08:00)                          | duration
2026-07-01 + 09:00 + 1h                                              | moment
12 EUR - -3 EUR                                                      | money
3 * 2km                                                              | distance
budget % 7 EUR                                                       | money
budget // 7                                                          | money
budget // 7 EUR                                                      | int
budget // days                                                       | money?
30min // 0                                                           | duration?
0 // 3min                                                            | int
1.5 * budget                                                         | money times a decimal
1.5 * days                                                           | decimal
2 * 1.5                                                              | decimal
1.5 * 1.5                                                            | decimal
1.5 * budget + budget                                                | money times a decimal
0                                                                    | int
0 if true else budget                                                | money
none if true else budget                                             | money?
budget ?? 0                                                          | money
min(0, 0)                                                            | int
max(0, budget)                                                       | money
sum(v.cost ?? 0 for v in visits)                                     | money
sum(v.cost for v in visits)                                          | money?
sum(0 for v in visits)                                               | int
{0, 1}                                                               | set of int
{0, 1min}                                                            | set of duration
min(trip)                                                            | date?
count(trip)                                                          | int
count({1, 2})                                                        | int
count(Place.museum.tags)                                             | int
count((v.place for v in visits))                                     | int
count((m for m in Mode if m != taxi))                                | int
max((v.cost for v in visits))                                        | money?
count(true for v in visits)                                          | int
count(visits)                                                        | int
all_different(trip)                                                  | bool
max(v.start for v in visits) + 0                                     | time?
visits[museum].start                                                 | time?
visits[museum].fun                                                   | bool
visits[museum, 2026-07-01].cost                                      | money?
visits[Place["museum"]].start                                        | time?
Slot[museum].left                                                    | int?
Place.museum                                                         | Place
Place.museum.stars                                                   | int?
Place["St. Petersburg"].open                                         | bool
Wish.park.least                                                      | duration
Place.days.open                                                      | bool
days                                                                 | int
Mode.taxi                                                            | Mode
Mode                                                                 | set of Mode
Place                                                                | set of Place
visits                                                               | set of visits
(v.place for v in visits)                                            | set of Place
(2026-07-01..2026-07-03)                                             | set of date
lodging.hotel                                                        | Place?
lodging.nights                                                       | int
first(v for v in visits, by=v.start).place                           | Place?
the(p for p in Place if p.open)                                      | Place?
"""


def columns(lines: str) -> list[tuple[str, str]]:
    """Split each line at `|`, and return the two stripped parts of each."""
    pairs = (line.partition(" | ") for line in lines.splitlines())
    return [(expression.strip(), expected.strip()) for expression, _, expected in pairs]


CALLS_OF_BUILTINS = [(expression, type_) for row in SCALAR_BUILTINS.values() for expression, type_, _ in row.values]


@pytest.mark.parametrize(("expression", "expected"), [*columns(TYPES), *CALLS_OF_BUILTINS])
def test_every_expression_has_a_type_and_a_definedness(expression: str, expected: str) -> None:
    expr = checked_tree(expression)
    assert f"{expr.type}{'?' if expr.partial else ''}" == expected


CONDITIONS = """\
all(v.mode == taxi for v in visits)
all(taxi == v.mode for v in visits)
all((taxi) == v.mode for v in visits)
all(v.mode in {taxi, bus} for v in visits)
all(v.mode not in Mode for v in visits)
all(v.mode == (taxi if v.fun else bus) for v in visits)
all((v.mode ?? taxi) == bus for v in visits)
all(bus == (v.mode ?? taxi) for v in visits)
any(v.place == museum for v in visits)
any(v.place in {museum, park} for v in visits)
any({v.place} == {museum} for v in visits)
any(v.start in (09:00..12:00 step 15min) for v in visits)
any(v.start not in 09:00..12:00 for v in visits)
any(taxi in b.ways for b in Bag)
any(b.ways == {taxi} for b in Bag)
any(b.ways == {} for b in Bag)
any(b in {bus} for b in Mode)
any(b in {bus} for b in Craft)
any(k == foot for k in {foot, taxi})
any("old" in v.place.tags for v in visits)
any(a < b for a, b in steps(trip))
any(a == b for a, b in steps(v.mode for v in visits, by=v.start))
any(a.start < b.start for a, b in steps(v for v in visits, by=v.start, per=v.day))
visits[park].cost in 0..9 EUR
visits[park].cost in {0, 9 EUR}
visits[park].cost == 0 == budget
0 < days
0 == budget
1.5 * budget <= budget
0 <= 1.5 * budget
-(1.5 * budget) < budget
budget in 0 EUR..1.5 * budget
Slot[museum, 09:00].share * budget < budget
1 < 1.5 < 2
1.5 in 1.0..2.0
trip == {2026-07-01}
trip == {}
lodging.hotel is unknown
lodging.hotel is none
any(v.place is not unknown for v in visits)
contains(word, "x")
true == false
true implies false implies true
"""


@pytest.mark.parametrize("expression", CONDITIONS.splitlines())
def test_names_take_the_type_that_their_context_expects(expression: str) -> None:
    expr = checked_tree(expression)
    assert str(expr.type) == "bool"
    assert not expr.partial
    assert not [node for node in walk(expr) if isinstance(node.type, Special)]


CALLS = (
    ("f(none)", "f(m Mode?): m is none", "bool"),
    ("f(taxi)", "f(m Mode): m == taxi", "bool"),
    ("f(0)", "f(m money): m + m", "money"),
    ("f({bus})", "f(m set of Mode): bus in m", "bool"),
    ("f({})", "f(m set of Mode): bus in m", "bool"),
    ("f(trip)", "f(m set of date): count(m)", "int"),
    ("f(trip)", "f(m list of date): min(m)", "date?"),
    ("f(3)", "f(m decimal): m * 2", "decimal"),
    ("f(museum)", "f(p Place): p.stars", "int?"),
    ("f(visits[museum].cost)", "f(m money): m + m", "money?"),
    ("f(visits[museum].cost)", "f(m money?): m ?? 0", "money"),
    ("f(visits[museum].cost)", "f(m money): m > 0", "bool"),
    ("f()", "f(): 3", "int"),
    ("f", "f: g + 1\ng: 3", "int"),
)


@pytest.mark.parametrize(("expression", "define", "expected"), CALLS)
def test_parameters_determine_the_types_of_arguments(expression: str, define: str, expected: str) -> None:
    expr = checked_tree(expression, define)
    assert f"{expr.type}{'?' if expr.partial else ''}" == expected


@pytest.mark.parametrize(
    ("expression", "stage"),
    [
        ("count(Place)", Stage.STATIC),
        ("count(visits)", Stage.PLANNED),
        ("min(trip) + days", Stage.STATIC),
        ("lodging.nights", Stage.PLANNED),
        ("any(v.fun for v in visits)", Stage.PLANNED),
        ('Place[lodging.hotel.name ?? ""].stars', Stage.PLANNED),
        ("count(p for p in Place if p == lodging.hotel)", Stage.PLANNED),
    ],
)
def test_expressions_that_mention_a_plan_table_are_of_the_stage_planned(expression: str, stage: Stage) -> None:
    assert checked_tree(expression).stage is stage


def test_a_given_takes_precedence_over_a_row_of_the_same_name() -> None:
    assert isinstance(checked_tree("days"), t.GivenRef)
    row = checked_tree("Place.days")
    assert isinstance(row, t.RowNamed)
    assert row.key == "days"


def test_a_whole_number_becomes_a_decimal_if_one_is_required() -> None:
    expr = checked_tree("f(3)", "f(m decimal): m")
    assert isinstance(expr, t.Apply)
    assert str(expr.args[0].type) == "decimal"


WRONG = """\
any(v.place == days for v in visits)          | PS301 ==
any(v.mode == Craft.bus for v in visits)      | PS301 ==
any(taxi == taxi for v in visits)             | PS201 taxi, PS201 taxi
Place[museum].stars                           | PS201 museum
Wish.museum.least                             | PS207 museum
visits[museum, 2026-07-01, 3].start           | PS313 3
visits["museum"].start                        | PS303 "museum"
Bag[3]                                        | PS313 Bag
Bag.n                                         | PS312 Bag.n
visits.start                                  | PS312 visits.start
lodging.x                                     | PS204 x
none                                          | PS315 none
{}                                            | PS315 {}
{none}                                        | PS303 none
none in {1}                                   | PS305 in
1 in none                                     | PS305 in
(none if true else none) is none              | PS315 none if true else none
visits[museum].fun ?? true                    | PS305 visits[museum].fun
visits[museum].fun is none                    | PS305 visits[museum].fun
(visits[museum].fun if true else none) == true | PS307 visits[museum].fun if true else none
sum(trip)                                     | PS302 trip
all(trip)                                     | PS306 trip
first(visits)                                 | PS306 visits
min(3)                                        | PS208 min(3)
count() > 3                                   | PS208 count()
any(a < b for a, b in steps(p for p in Place)) | PS213 steps
no_overlap(v for v in visits)                 | PS213 no_overlap
no_overlap(v for v in visits, from=v.start)   | PS213 no_overlap
no_overlap(visits, from=1, to=2)              | PS208 no_overlap(visits, from=1, to=2)
no_overlap(v for v in visits, from=v.start, to=v.cost) | PS307 v.cost
no_overlap(v for v in visits, from=v.cost, to=v.cost) | PS307 v.cost
no_overlap(v for v in visits, from=v.start, to=v.end, gap=2) | PS303 2
no_overlap(v for v in visits, from=v.start, to=v.end, by=v.day) | PS213 by=v.day
peak(v for v in visits, from=v.start, to=v.end) | PS302 v
peak(1 for v in visits, from=v.start, to=v.end, gap=1h) | PS213 gap=1h
any(true for a in steps(trip))                | PS208 a
any(true for a, a in steps(trip))             | PS203 a
first(v.cost for v in visits, by=v.start, by=v.end) | PS213 by=v.end
count((v.cost for v in visits))               | PS321 (v.cost for v in visits)
count({1, 2, 1})                              | PS321 {1, 2, 1}
sum({days, 3})                                | PS321 {days, 3}
all_different(x for x in {1, 1})              | PS321 {1, 1}
sum(x for x in {1, 2, 1})                     | PS321 {1, 2, 1}
all_different(visits)                         | PS321 visits
count(x for x in (v.place for v in visits))   | PS308 v.place for v in visits
count(time for time in trip)                  | PS203 time
count(min for min in trip)                    | PS203 min
1.5 * 09:00                                   | PS302 *
1.5 * budget // 2                             | PS302 //
budget in {1.5 * budget}                      | PS310 1.5 * budget
12 EUR + 1                                    | PS302 +
12 EUR * 12 EUR                               | PS302 *
3 == budget                                   | PS301 ==
word < "b"                                    | PS317 <
"x" in word                                   | PS306 word
not days                                      | PS304 days
none or true                                  | PS304 none
time                                          | PS201 time
count                                         | PS201 count
9007199254740993                              | PS402 9007199254740993
lodging.nights is unknown                     | PS316 lodging.nights
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "expected"),
    [*columns(WRONG), *(refused for row in SCALAR_BUILTINS.values() for refused in row.refused)],
)
def test_an_invalid_expression_is_underlined(expression: str, expected: str) -> None:
    assert ", ".join(f"{code} {text}" for code, text in error_codes_of(expression)) == expected


def test_a_set_parameter_counts_distinct_values() -> None:
    distinct = "different(m set of money): count(m)"
    assert str(checked_tree("different((v.cost for v in visits))", distinct).type) == "int"


def test_a_set_named_by_a_definition_merges_equal_values() -> None:
    costs = "costs: (v.cost for v in visits)"
    for call in (
        "sum(costs)",
        "count(costs)",
        "all_different(costs)",
        "sum(costs if days == 3 else {0 EUR})",
    ):
        assert [code for code, _ in error_codes_of(call, costs)] == ["PS321"]


def test_a_named_set_that_depends_on_the_plan_cannot_be_iterated() -> None:
    assert error_codes_of("count(x for x in places)", "places: (v.place for v in visits)") == [("PS308", "places")]


def test_only_optional_parameters_accept_none() -> None:
    assert error_codes_of("f(none)", "f(m Mode): m == taxi") == [("PS303", "none")]


# ---- numbers without units

WITH_UNITS = (
    ("all(v.end - v.start == 120 for v in visits)", "write the number with its unit: `120min`"),
    ("all(v.end - v.start == days for v in visits)", "write the number with its unit: `30min`"),
    ("lodging.nights * 10 EUR > 1000", "write the number with its unit: `1000 EUR`"),
    ("9.5 < budget", "write the number with its unit: `9.5 EUR`"),
    ("any(v.start + 45 > 12:00 for v in visits)", "write the number with its unit: `45min`"),
    ("budget - 3 > 0 EUR", "write the number with its unit: `3 EUR`"),
    ("all(v.cost in {1, 2} for v in visits)", None),
    ("budget > 90 % budget", "`%` is the remainder of a division; a part of something is `0.9 * x`"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("expression", "way"), WITH_UNITS)
def test_the_help_for_a_number_without_a_unit_adds_the_unit(expression: str, way: str | None) -> None:
    errors = errors_of(f"{HEAD}constraints:\n  a:\n    hard: {expression}\n")
    assert [d.help for d in errors] == [way]


HELPS = """\
days == NULL                             | none is written `none`
TRUE                                     | write `true`
lodging.nights is None                   | none is written `none`
visits['museum'].start                   | write `museum`, without quotes
visits['musem'].start                    | did you mean `museum`?
visits['St. Petersburg'].start           | write `Place['St. Petersburg']`
max(v.cost for v in visits, default=0)   | write `max(...) ?? 0`
lodging.hotel.best.hour                  | compare with a time as it is, `x >= 9:00`; the hour of a time is `(x - 00:00) // 1h`
sum(v.cost)                              | write `sum(v.cost for v in visits)`
first(v.start)                           | write `first(v for v in visits, by=v.start)`
any(v in visits if v.fun)                | write `any(v.fun for v in visits)`
count(v in visits if v.mode == taxi)     | write `count(v for v in visits if v.mode == taxi)`
1 hour                                   | write `1h`
90 minutes                               | write `90min`
0.5h                                     | a duration is whole minutes: write `30min`
distinct(v.place for v in visits)        | write `all_different(x for ...)`
budget <= €30                            | write `30 EUR`
budget <= 30€                            | write `30 EUR`
"""


@pytest.mark.parametrize("line", HELPS.splitlines())
def test_the_help_for_spellings_of_other_languages_gives_the_right_spelling(line: str) -> None:
    expression, _, remedy = (part.strip() for part in line.partition(" | "))
    errors = errors_of(f"{HEAD}define:\n  wanted: >-\n    {expression}\n")
    assert [mistake.help for mistake in errors] == [remedy]
