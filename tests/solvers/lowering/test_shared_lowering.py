"""A grounded task is lowered once, and several questions share the result."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Limits
from planspec.solvers.lowering.problem import SharedLowering
from planspec.solvers.questions.claims import validate_claims
from planspec.solvers.questions.enumerate import count
from planspec.solvers.questions.prove import solve
from planspec.verifiers.meaning.ground import Ground, ground

TASK = """planspec: task/1
id: t
query: A number.
plan: {t: {one: true, x: int}}
scope: {t: {x: 1..5}}
constraints: {c: {hard: t.x >= 3}}
minimize: t.x
"""


def grounded(text: str = TASK) -> Ground:
    return ground(task_from_text(text))


def test_questions_share_one_problem_and_do_not_change_it() -> None:
    lowering, whole = SharedLowering(), grounded()
    before = list(lowering(whole).problem.hard)
    validation = validate_claims(whole, limits=Limits(), lowering=lowering)
    solution = solve(whole, lowering=lowering)
    number = count(lowering(whole))
    assert (validation.unique.status, number.count, number.exact) == ("multiple", 3, True)
    assert solution.objective == 3
    assert lowering(whole).problem.hard == before


def test_each_ground_task_has_its_own_problem() -> None:
    lowering, one, other = SharedLowering(), grounded(), grounded()
    assert lowering(one) is lowering(one)
    assert lowering(one) is not lowering(other)


def test_a_failed_lowering_is_not_stored() -> None:
    lowering, whole = SharedLowering(), grounded(TASK.replace("t.x >= 3", "t.x * 4000000000000000 >= 3"))
    for _ in range(2):
        with pytest.raises(DiagnosticError):
            lowering(whole)
