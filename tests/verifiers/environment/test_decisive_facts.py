"""Decisive facts, whose change alters a verdict, equal those found by evaluating every changed world from scratch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from planspec import Judge, Task, load
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.facts import Facts
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.environment.decisive_facts import MAX_VALUES, VerdictDependencies, WorldFact
from planspec.verifiers.environment.other_worlds import WorldVariants, other_values
from planspec.verifiers.meaning.ground import Ground, instances_of
from planspec.verifiers.meaning.interpret import Interpreter
from planspec.verifiers.meaning.margin import margin_of
from planspec.verifiers.meaning.plan_rows import Plan

LOOKED_UP = """\
planspec: task/1
id: trip
query: A room, please.
tables:
  Hotel:
    columns: {name: text, area: text, rate: int}
    rows:
      - {id: inn, name: Inn, area: north, rate: 90}
      - {id: ark, name: Ark, area: south, rate: 80}
      - {id: den, name: Den, area: south, rate: 70}
plan:
  stay: {one: true, hotel: Hotel}
define:
  rates(area text): sum(h.rate for h in Hotel if h.area == area)
  northern: rates('north')
constraints:
  dear: {hard: stay.hotel.rate <= northern}
  named: {hard: stay.hotel.area != 'east'}
reference: {stay: {hotel: inn}}
environment:
  tools:
    hotels:
      doc: All hotels.
      returns: {hotels: {each: h in Hotel, as: h.name}}
"""


def outcomes_from_scratch(world: Task, tables: Mapping[str, Any]) -> dict[str, Any]:
    """Compute the outcome of every instance in a world on a plan, by id, without any cache."""
    by_id = {}
    interpreter = Interpreter(world, Plan(tables))
    for constraint in world.constraints:
        for each in instances_of(Ground(world, interpreter, (), {}, ()), constraint):
            holds = each.applicable and interpreter.holds(constraint.body, each.env)
            margin = None
            if each.applicable and not holds:
                margin = margin_of(constraint.body, each.env, interpreter, holds=False)
            by_id[each.id] = (each.applicable, holds, margin)
    return by_id


def expected_changes(worlds: WorldVariants, task: Task, tables: Mapping[str, Any], fact: WorldFact) -> list[set[str]]:
    """Return, for each other value of a cell, the names of the changed outcomes. Values without effect are left out."""
    assert fact.row is not None
    assert fact.column is not None
    before = outcomes_from_scratch(worlds.unchanged(), tables)
    column = fact.row._table.columns[fact.column]
    others = other_values(getattr(fact.row, fact.column), column.type, task, optional=column.optional)
    changes = []
    for value in list(others)[:MAX_VALUES]:
        after = outcomes_from_scratch(worlds.with_cell(fact.row, fact.column, value), tables)
        changes.append({name for name in {**before, **after} if before.get(name) != after.get(name)})
    return [names for names in changes if names]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("trip", 1),
        ("examples/delivery", 5),
        ("examples/menu", 5),
        pytest.param("worldtravel-berlin/berlin-021", 5, marks=pytest.mark.slow),
    ],
)
def test_changed_rules_equal_those_found_by_evaluating_from_scratch(name: str, every: int) -> None:
    task = task_from_text(LOOKED_UP, "trip.task.yaml") if name == "trip" else load(f"tasks/{name}.task.yaml")
    judge = Judge(task)
    plan = judge.reference_plan()
    assert plan is not None
    worlds = WorldVariants(task)
    tables = TABLES.decode(worlds.unchanged(), TABLES.encode(task, plan))[0].tables
    resting = VerdictDependencies(task, worlds, plan)
    cells = [fact for fact in resting.facts() if fact.column is not None]
    assert cells
    changing = 0
    for fact in cells[::every]:
        changes = [set(other.rules) for other in resting.decisive_values(fact)]
        assert changes == expected_changes(worlds, task, tables, fact), fact.place(task.currency)
        changing += bool(changes)
    assert changing


def test_a_changed_lookup_key_changes_the_results_of_lookups() -> None:
    task = task_from_text(LOOKED_UP, "trip.task.yaml")
    plan = Judge(task).reference_plan()
    assert plan is not None
    resting = VerdictDependencies(task, WorldVariants(task), plan)
    area = next(fact for fact in resting.facts() if fact.place(None) == "Hotel[inn].area")
    assert [other.rules for other in resting.decisive_values(area)] == [("dear",)]


def test_removing_a_row_of_facts_updates_the_groups_as_a_new_table_would() -> None:
    facts = task_from_text(LOOKED_UP, "trip.task.yaml").facts["Hotel"]
    columns = [facts.table.columns["area"]]
    facts.grouped(columns)
    for row in facts.rows:
        left = facts.without_row(row)
        anew = Facts(facts.table, left.rows, left.by_key)
        assert row not in left.rows
        assert row._key not in left.by_key
        assert left.grouped(columns) == anew.grouped(columns)
    assert len(facts.rows) == 3
