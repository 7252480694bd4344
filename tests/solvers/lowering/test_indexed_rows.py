"""If an index of facts selects the rows of a generator, the selected rows are those that the verifier selects."""

from __future__ import annotations

from itertools import product

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import Equality
from planspec.dsl.model.types import Stage
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering.context import LoweringContext
from planspec.solvers.lowering.problem import lower, lower_alone
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.interpret import Interpreter

TASK = """planspec: task/1
id: indexed
query: Two numbers and a colour.
types:
  Colour: red | blue
tables:
  Part:
    columns: {{name: key int, colour: Colour?, size: int?, weight: int}}
    csv: |
      name, colour, size, weight
      1, red, 1, 1
      2, red, 2, 2
      3, blue, , 4
      4, , 1, 8
      5, , , 16
      6, blue, 2, 32
  Wish:
    columns: {{name: key int, colour: Colour?, size: int?}}
    csv: |
      name, colour, size
      1, red, 1
      2, , 1
      3, blue,
      4, blue, 2
plan:
  draw: {{one: true, number: int, colour: Colour}}
scope:
  draw: {{number: 0..3, colour: Colour}}
constraints:
  rule:
    for: w in Wish
    hard: {body}
"""
CONDITIONS = [
    "p.colour == w.colour",
    "w.colour == p.colour and p.size == w.size",
    "p.colour == w.colour and p.weight > draw.number",
    "p.colour == w.colour and p.colour == draw.colour",
    "p.size == w.size and p.size == 1",
    "p.size == draw.number and p.colour == w.colour",
    "p.size == draw.number",
    "p.colour == draw.colour and p.size == draw.number",
    "p.size in {w.size ?? 0, 2} and p.colour == w.colour",
    "p.colour == w.colour or p.size == draw.number",
    "not (p.colour == w.colour)",
]
BODIES = [
    "sum(p.weight for p in Part if {}) * 2 > draw.number + 3",
    "any(p.weight > draw.number * 3 for p in Part if {})",
    "all(p.weight < draw.number * 9 for p in Part if {})",
]


def task_with(body: str, condition: str) -> Ground:
    """Return a ground task with this constraint and this condition of its generator."""
    return ground(task_from_text(TASK.format(body=body.format(condition))))


def truth_of_all_plans(task: Ground) -> tuple[list[list[bool]], list[list[bool]]]:
    """Return two tables of truth values, by instance and plan: of the lowered condition, and of the interpreter."""
    lowered = lower(task, presolve=False)
    variables = lowered.problem.model.vars
    assignments = [
        {var.id: code for var, code in zip(variables, codes, strict=True)}
        for codes in product(*(var.domain for var in variables))
    ]
    plans = [lowered.decode(values) for values in assignments]
    instances = [instance for instance in task.instances if instance.applicable]
    conditions = [lower_alone(task, instance) for instance in instances]
    found = [[evaluate(condition, values) for values in assignments] for condition in conditions]
    expected = [
        [Interpreter(task.task).on(plan).holds(each.constraint.body, each.env) for plan in plans] for each in instances
    ]
    return found, expected


@pytest.mark.parametrize(("body", "condition"), list(product(BODIES, CONDITIONS)))
def test_lowered_generators_select_the_rows_of_the_verifier(body: str, condition: str) -> None:
    found, expected = truth_of_all_plans(task_with(body, condition))
    assert found == expected
    assert len(expected) == 4 and all(len(row) == 8 for row in expected)


def test_a_mutant_that_drops_conditions_without_an_index_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    mixed = task_with(BODIES[0], "p.colour == w.colour and p.weight > draw.number")
    monkeypatch.setattr(LoweringContext, "remaining_conditions", lambda *_: ())
    found, expected = truth_of_all_plans(mixed)
    assert found != expected


def test_a_mutant_that_drops_conditions_with_planned_keys_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = task_with(BODIES[0], "p.size == draw.number and p.colour == w.colour")
    own = LoweringContext.equalities

    def equalities_with_static_keys(context: LoweringContext, clause: t.Clause) -> tuple[Equality, ...]:
        return tuple(each for each in own(context, clause) if each.key.stage is Stage.STATIC)

    monkeypatch.setattr(LoweringContext, "equalities", equalities_with_static_keys)
    found, expected = truth_of_all_plans(planned)
    assert found != expected


def test_without_an_index_the_conditions_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_equalities(_: LoweringContext, __: t.Clause) -> tuple[Equality, ...]:
        return ()

    with_index = [truth_of_all_plans(task_with(body, each))[0] for body in BODIES for each in CONDITIONS]
    monkeypatch.setattr(LoweringContext, "equalities", no_equalities)
    without = [truth_of_all_plans(task_with(body, each))[0] for body in BODIES for each in CONDITIONS]
    assert without == with_index
