"""Monotone parts of rules are sound: if a part fails on an incomplete plan, it fails on all larger plans."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.rows import make_row
from planspec.verifiers.compiled.compile import compile_task
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import MonotonePart, monotone_parts
from tests.differential.programs import (
    choices,
    constraint_text,
    scope_text,
    world_text,
)
from tests.verifiers.growing_plans import (
    failed_conditions,
    failed_parts,
    has_keys_within_limits,
    smaller_plan,
    sound_plan,
)

TRIP = """\
planspec: task/1
id: trip
query: a trial
currency: EUR
types: {Mode: car | train, Meal: lunch | dinner}
tables:
  City: {columns: {far: bool = false}, rows: [{id: rome}, {id: oslo, far: true}]}
  Hotel: {columns: {city: City, price: money, least: int}, rows: [{id: inn, city: rome, price: 40 EUR, least: 2}, {id: spa, city: oslo, price: 90 EUR, least: 1}]}
  Cafe:
    columns: {city: City, price: money?, stars: int}
    rows:
      - {id: bar, city: rome, price: 10 EUR, stars: 2}
      - {id: pub, city: oslo, price: 20 EUR, stars: -1}
      - {id: den, city: rome, stars: 3}
given: {budget: 100 EUR, start: 1}
plan:
  days: {day: key int, city: City?, mode: Mode?, hotel: Hotel?, extra: money = 0 EUR}
  meals: {day: key int, meal: key Meal, cafe: Cafe?}
  sights: {day: int, note: text?}
define:
  food: sum(m.cafe.price for m in meals if m.cafe is not none)
  beds: sum(d.hotel.price for d in days if d.hotel is not none)
  rude(d days): d.mode == car and d.city == home
  night(d days): d.hotel is not none
  home: City.rome
constraints:
  c:
    hard: >-
      {RULE}
"""

GUARDED = [
    "food + beds <= budget",
    "budget >= food * 2",
    "budget - food > 10 EUR",
    "all_different(m.cafe for m in meals if m.cafe is not none)",
    "all_different(m.cafe for m in meals)",
    "count(m for m in meals if m.cafe == bar) <= 1",
    "count(d for d in days) in 0..2",
    "not any(rude(d) for d in days)",
    "all(not rude(d) for d in days)",
    "all(d.mode != car for d in days) or all(d.mode == car for d in days)",
    "all(d.hotel.city == d.city for d in days if night(d))",
    "days[start].city == home",
    "all(m.cafe.city == days[m.day].city for m in meals if m.cafe is not none)",
    "any(d.city == home for d in days if d.day == start)",
    "all(any(e.hotel == d.hotel for e in days if e.day == d.day + 1) for d in days if night(d) and d.hotel.least > 1)",
    "all(sum(m.cafe.price ?? 0 EUR for m in meals if m.day == k) <= 25 EUR for k in 1..3)",
    "any(d.extra > 5 EUR for d in days) implies all(m.cafe != pub for m in meals if m.cafe is not none)",
    "days[start].hotel is none",
    "count(d for d in days if (d.mode == car if d.city == home else d.mode == train)) < 2",
    "food <= budget and beds <= budget",
    "days[start].extra <= 5 EUR",
    "days[start].extra != days[start + 1].extra",
    "any(d.extra <= 5 EUR for d in days if d.day == start)",
    "all(not all(m.cafe.city == d.city for m in meals if m.day == d.day and m.cafe is not none) implies d.mode == car for d in days)",
    "not any(d.hotel is not none and d.mode == car for d in days) or count(d for d in days) <= 1",
    "all(d.city == home for d in days if not (d.mode is none))",
    "all((d.city ?? home) == home for d in days)",
    "all((d.hotel.price ?? 10 EUR) <= 40 EUR for d in days if d.day in 0..2)",
    "count(c for c in City if any(d.city == c for d in days)) <= 1",
    "sum(c.price for c in Cafe if any(m.cafe == c for m in meals)) <= 25 EUR",
    "all(d.day not in {2, 3} and d.day in -5..40 for d in days)",
    "budget - food >= 0 EUR and not (food > 25 EUR)",
]

UNGUARDED = [
    "any(d.city == home for d in days)",  # a future row may satisfy it
    "count(m for m in meals) >= 2",
    "sum(m.cafe.stars for m in meals if m.cafe is not none) <= 3",  # negative stars reduce the sum
    "sum(d.extra for d in days) <= budget",  # an amount in a plan may be negative
    "all(b.city != a.city for a, b in steps(d for d in days, by=d.day))",  # a day in between separates them
    "days[start].city is not none",
    "max(m.cafe.stars for m in meals) >= 2",
    "sum(m.cafe.stars for m in meals if m.cafe is not none) < 0",
    "0 > sum(m.cafe.stars for m in meals if m.cafe is not none)",
    "any(m.cafe.city == d.city for d in days for m in meals)",
    "not all(d.mode == car for d in days)",
    "not all_different(m.cafe for m in meals)",
    "all(any(m.cafe == c for m in meals) for c in Cafe if c.price is not none)",
    "count(c for c in City if all(d.city != c for d in days)) <= 1",
    "(max(m.cafe.stars for m in meals if m.cafe is not none) ?? 9) >= 3",
    "days[start + 1].hotel is not none or days[start].hotel is not none",
    "all(any(m.day == d.day for m in meals) for d in days)",
    "the(d for d in days).city == home",
    "first(d for d in days, by=d.day).city == home",
]


def trip(rule: str) -> Ground:
    """Return the ground task of a trip with this rule."""
    return ground(task_from_text(TRIP.replace("{RULE}", rule)))


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("rule", GUARDED)
def test_a_rule_that_added_rows_can_only_violate_has_a_sound_and_useful_monotone_part(rule: str) -> None:
    task_ground = trip(rule)
    watched = monotone_parts(task_ground)
    assert watched
    seen = check_growing_plans(task_ground, watched, Random(rule), 200)
    assert seen, "no plan ever broke it"


@pytest.mark.parametrize("rule", UNGUARDED)
def test_a_rule_that_added_rows_can_satisfy_has_no_monotone_part(rule: str) -> None:
    assert monotone_parts(trip(rule)) == ()


def test_only_the_parts_of_a_rule_that_can_only_get_worse_are_returned() -> None:
    task_ground = trip(
        "any(d.city == home for d in days)\n      and food <= budget\n      and count(d for d in days) > 1"
    )
    (part,) = monotone_parts(task_ground)
    assert part.part.span.text.strip() == "food <= budget"
    assert part.reasons == ("the terms of a sum are never negative, and rows only add to it",)


STAY = """\
all(any(e.hotel == d.hotel for e in days if e.day == d.day + 1)
          for d in days if night(d) and d.hotel.least > 1
          and not any(e.hotel is not none and e.hotel == d.hotel for e in days if e.day == d.day - 1))"""


@pytest.mark.thorough
@pytest.mark.slow
def test_rows_that_other_rules_forbid_are_not_expected_to_satisfy_a_rule_later() -> None:
    """The inn requires two nights. In a trip of three days, a stay that begins on the last day has only one night."""
    days_end = "\n      and all(d.day in 1..3 for d in days)"
    random = Random(7)
    for rule, ends in ((STAY, False), (STAY + days_end, True)):
        task_ground = trip(rule)
        watched = monotone_parts(task_ground)
        table = task_ground.task.tables["days"]
        inn = task_ground.task.facts["Hotel"].by_key[("inn",)]
        rows = [make_row(table, {"day": 2}, 0), make_row(table, {"day": 3, "hotel": inn}, 1)]
        spa = make_row(table, {"day": 2, "hotel": task_ground.task.facts["Hotel"].by_key[("spa",)]}, 0)
        empty = {"meals": (), "sights": ()}
        assert not failed_conditions(task_ground, watched, Plan({"days": tuple(rows), **empty}))
        assert bool(failed_conditions(task_ground, watched, Plan({"days": (spa, rows[1]), **empty}))) is ends
        assert check_growing_plans(task_ground, watched, random, 3_000) or not ends


def test_soft_rules_and_rules_that_do_not_apply_have_no_monotone_part() -> None:
    assert (
        monotone_parts(
            ground(
                task_from_text(TRIP.replace("hard: >-", "soft: >-").replace("{RULE}", "food <= budget\n    weight: 2"))
            )
        )
        == ()
    )
    never = TRIP.replace("    hard: >-", "    when: start > 1\n    hard: >-").replace("{RULE}", "food <= budget")
    assert monotone_parts(ground(task_from_text(never))) == ()


def test_a_sum_with_an_open_term_is_bounded_by_the_other_terms() -> None:
    """The rule fails if a price is missing, but only known prices above the budget make it fail in all larger
    plans.
    """
    task_ground = trip("sum(d.hotel.price for d in days if d.mode == car) <= budget")
    (part,) = monotone_parts(task_ground)
    days = task_ground.task.tables["days"]
    hotel = task_ground.task.facts["Hotel"].by_key

    def plan(*hotels: str | None) -> Plan:
        rows = [
            make_row(days, {"day": i, "mode": "car", "hotel": hotel.get((name,))}, i) for i, name in enumerate(hotels)
        ]
        return Plan({"days": tuple(rows), "meals": (), "sights": ()})

    assert failed_parts(task_ground, (part,), plan("inn", None)) and not failed_conditions(
        task_ground, (part,), plan("inn", None)
    )
    assert failed_conditions(task_ground, (part,), plan("inn", None, "spa"))


def check_growing_plans(task_ground: Ground, watched: tuple[MonotonePart, ...], random: Random, rounds: int) -> int:
    """Check that parts which fail on a smaller plan fail on the random plans that grow from it.

    Return the number of smaller plans on which a part already fails.
    """
    seen = 0
    for _ in range(rounds):
        later = sound_plan(task_ground.task, random)
        before = smaller_plan(task_ground.task, later, random)
        if not has_keys_within_limits(task_ground, later):
            continue
        bad = failed_conditions(task_ground, watched, before)
        seen += bool(bad)
        assert bad <= failed_conditions(task_ground, watched, later), "what is broken stays broken"
        assert bad <= failed_parts(task_ground, watched, later), "and the rule itself fails then"
        assert failed_conditions(task_ground, watched, later) <= failed_parts(task_ground, watched, later)
    return seen


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw the text of a task with one rule, which may read optional fields."""
    choose = draw(choices())
    return (
        world_text(choose)
        + scope_text(choose)
        + "constraints:\n"
        + constraint_text(choose, "c0", draw(st.integers(1, 3)))
    )


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(programs(), st.integers(0, 2**32))
def test_a_monotone_part_that_fails_on_a_plan_fails_on_all_larger_plans(text: str, seed: int) -> None:
    try:
        task_ground = ground(task_from_text(text))
    except DiagnosticError:
        assume(False)
        raise
    watched = monotone_parts(task_ground)
    event(f"watched: {bool(watched)}")
    seen = check_growing_plans(task_ground, watched, Random(seed), 40)
    event(f"broken: {bool(seen)}")


@settings(suppress_health_check=list(HealthCheck), deadline=None)
@given(programs(), st.integers(0, 2**32))
def test_compiled_conditions_of_parts_agree_with_the_interpreter(text: str, seed: int) -> None:
    try:
        task_ground = ground(task_from_text(text))
    except DiagnosticError:
        assume(False)
        raise
    instances = tuple(
        replace(each, constraint=replace(w.constraint, body=w.condition, message=None, margin=None))
        for w in monotone_parts(task_ground)
        for each in task_ground.instances
        if each.constraint is w.constraint and each.applicable
    )
    guarded = replace(task_ground, instances=instances)
    compiled = compile_task(guarded)
    random = Random(seed)
    for _ in range(10):
        plan = smaller_plan(task_ground.task, sound_plan(task_ground.task, random), random)
        interpreter = task_ground.interpreter.on(plan)
        assert compiled.judge(plan) == tuple(interpreter.holds(each.constraint.body, each.env) for each in instances)
