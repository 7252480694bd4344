"""Presolve preserves the plans of tasks in which a field always equals another field plus a constant."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.enumerate import PlanEnumeration
from planspec.verifiers.meaning.ground import ground

LARGE = 45_000
"""Upper end of the fields' domains."""


def solutions(x: str, y: str, offset: int, condition: str) -> set[tuple[int, int]]:
    """Return the values of `x` and `y` in all plans with `x == y + offset` that satisfy a condition."""
    task = ground(
        task_from_text(f"""\
planspec: task/1
id: holes
query: two numbers
plan: {{answer: {{one: true, x: int, y: int}}}}
scope: {{answer: [{{x: {x}, y: {y}}}]}}
constraints:
  equal: {{hard: answer.x == answer.y + {offset}}}
  other: {{hard: {condition}}}
""")
    )
    plans = PlanEnumeration(lower(task), limits=Limits(seconds=60))
    rows: list[Any] = [plan.tables["answer"][0] for plan in plans]
    assert plans.status is Status.INFEASIBLE
    return {(row.x, row.y) for row in rows}


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (f"0..{LARGE}", f"0..{LARGE} step 5"),
        (f"0..{LARGE} step 5", f"0..{LARGE}"),
        (f"0..{LARGE} step 5", f"0..{LARGE} step 3"),
        (f"0..{LARGE}", f"0..{LARGE}"),
    ],
)
def test_a_field_that_equals_another_keeps_the_holes_of_a_large_domain(x: str, y: str) -> None:
    """A field of 45,001 values once lost the holes in its domain because only the ends of the other were compared."""
    steps = [int(text.partition(" step ")[2] or 1) for text in (x, y)]
    condition = "answer.y % 4500 == 3 or answer.y % 4500 == 30"  # narrows no domain
    for offset in (0, 2):
        expected = {
            (value + offset, value)
            for value in range(0, LARGE + 1, steps[1])
            if value % 4500 in (3, 30) and value + offset <= LARGE and (value + offset) % steps[0] == 0
        }
        assert solutions(x, y, offset, condition) == expected
