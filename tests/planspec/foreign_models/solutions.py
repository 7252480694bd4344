"""Comparison of the solutions of a CPMpy model with the plans of the task imported from it."""

from __future__ import annotations

from typing import Any

import planspec
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType, Table
from planspec.foreign_models import Source, import_model
from planspec.foreign_models.variables import split_name

MOST = 5_000
"""Maximum number of solutions of a model in these tests."""

Values = frozenset[tuple[str, int]]


def solutions(model: Any) -> set[Values]:
    """Return the solutions of a model, found by CPMpy and CP-SAT. The model's objective is ignored."""
    from cpmpy import Model
    from cpmpy.transformations.get_variables import get_variables_model

    satisfaction = Model(model.constraints)
    variables = get_variables_model(satisfaction)
    found: set[Values] = set()

    def add() -> None:
        found.add(frozenset((each.name, int(each.value())) for each in variables))

    satisfaction.solveAll(solver="ortools", display=add, solution_limit=MOST)
    assert len(found) < MOST
    return found


def check_same_solutions(model: Any) -> str:
    """Check that the plans of a model's task are the model's solutions, according to the verifier and the solver.

    Returns:
        The text of the task.
    """
    result = import_model(model, Source("model", "Solve the model."))
    task = planspec.loads(result.text)
    expected = solutions(model)
    count = planspec.count(task, most=MOST, limits=60)
    assert (count.count, count.exact) == (len(expected), True), result.text
    if not result.auxiliary:
        judge = planspec.Judge(task)
        for values in expected:
            verdict = judge.answer(plan_of(task, values), details="none")
            assert verdict.status == "pass", (sorted(values), result.text)
    return result.text


def plan_of(task: Task, values: Values) -> dict[str, Any]:
    """Return a solution as a plan of the task. Variables are identified by name."""
    plan: dict[str, Any] = {}
    for name, value in sorted(values):
        base, index = split_name(name)
        table = task.tables[base if index else "vars"]
        cells = zip(table.key, index, strict=True)
        column = "value" if index else name
        typed = {column: bool(value) if _is_bool(table, column) else value}
        if index:
            plan.setdefault(base, []).append({**dict(cells), **typed})
        else:
            plan.setdefault("vars", {}).update(typed)
    return plan


def _is_bool(table: Table, column: str) -> bool:
    return table.columns[column].type is ScalarType.BOOL
