"""A condition that excludes a plan holds for exactly the other plans. Its size is linear in the number of rows."""

from __future__ import annotations

from itertools import product
from unittest.mock import Mock

import pytest

from planspec.api.loading import loads
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.lowering.problem import lower, same_plan
from planspec.solvers.questions import exclusion
from planspec.verifiers.meaning.ground import ground


def shifts(rows: str) -> str:
    """Return the text of a task with this scope of shifts."""
    return f"""planspec: task/1
id: shifts
query: Who works when?
plan:
  shifts: {{day: int, who: int}}
scope:
  shifts: [{{{rows}}}]
constraints:
  some: {{hard: count(x for x in shifts) >= 0}}
"""


@pytest.mark.parametrize(
    "rows",
    [
        "for: d in 1..2 for n in 1..2, day: d, who: 0..1",
        "for: d in 1..3, day: d, who: 0..1, optional: true",
        "for: n in 1..3, day: 1, who: 0..2, optional: true",
        "for: n in 1..3, day: 1..2, who: 0..1",
    ],
)
def test_the_condition_that_a_plan_differs_holds_for_all_other_plans(rows: str) -> None:
    lowered = lower(ground(loads(shifts(rows))))
    problem = lowered.problem
    assignments = [
        dict(zip((var.id for var in problem.model.vars), values, strict=True))
        for values in product(*(tuple(var.domain) for var in problem.model.vars))
    ]
    solutions = [a for a in assignments if all(evaluate(root.condition, a) for root in problem.hard)]
    assert len(solutions) > 5
    for values in solutions[::3]:
        plan = lowered.decode(values)
        differs = exclusion.forbid(lowered, values)
        for other in solutions:
            assert evaluate(differs, other) != same_plan(lowered.ground, plan, lowered.decode(other))


def test_a_row_with_a_fixed_key_is_compared_with_one_row_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    has_identity = Mock(side_effect=exclusion.has_identity)
    monkeypatch.setattr(exclusion, "has_identity", has_identity)
    lowered = lower(ground(loads(shifts("for: d in 1..60, day: d, who: 0..1"))))
    exclusion.forbid(lowered, {var.id: 0 for var in lowered.problem.model.vars})
    assert has_identity.call_count == 60
