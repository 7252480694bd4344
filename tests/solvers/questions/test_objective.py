"""An objective ranks plans but excludes none. A plan without a value of the objective ranks below all plans with
one.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from planspec.dsl.documents.documents import task_from_text
from planspec.solvers.backends.outcome import Status
from planspec.solvers.backends.register import BACKENDS
from planspec.solvers.questions.conflicts import why
from planspec.solvers.questions.lint import lint_task
from planspec.solvers.questions.prove import Level, solve
from planspec.solvers.questions.repair import repair
from planspec.solvers.questions.validation import validate
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.ground import Ground, ground
from planspec.verifiers.meaning.plan_rows import Plan
from tests.differential.agreement import reference_accepts
from tests.differential.plans import all_plans

PICK = """\
planspec: task/1
id: pick
query: Pick a number, and a second one if you like.
plan: {{pick: {{one: true, n: int, m: int?}}}}
scope: {{pick: {{n: {n}, m: (1..2)?}}}}
constraints:
{constraints}
{objective}
"""


def pick_task(constraints: str, objective: str = "minimize: pick.m", n: str = "1..2") -> Ground:
    """Return a ground task that picks numbers, with these constraints and this objective."""
    return ground(task_from_text(PICK.format(constraints=constraints, objective=objective, n=n)))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("objective", "value"), [("minimize: pick.m", 1), ("maximize: pick.m", 2), ("maximize: pick.m - 5", -3)]
)
def test_plans_on_which_the_objective_has_a_value_are_better_than_others(
    backend: str, objective: str, value: int
) -> None:
    result = solve(pick_task("  c: {hard: pick.n == 1}", objective), backend=backend)
    assert (result.status, result.objective, result.bound) == (Status.OPTIMAL, value, value)


@pytest.mark.parametrize("backend", BACKENDS)
def test_any_plan_is_optimal_if_the_objective_has_no_value_on_any_plan(backend: str) -> None:
    result = solve(pick_task("  c: {hard: pick.m is none}"), backend=backend)
    assert (result.status, result.objective, result.bound) == (Status.OPTIMAL, None, None)
    assert result.plan is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_soft_weight_ranks_above_having_an_objective_value(backend: str) -> None:
    result = solve(pick_task("  c: {soft: pick.m is none, weight: 2}\n  d: {soft: pick.m == 2}"), backend=backend)
    assert (result.status, result.soft_weight, result.objective) == (Status.OPTIMAL, 2, None)


@pytest.mark.parametrize(("objective", "best"), [("minimize", 8), ("maximize", 12)])
def test_progress_is_reported_and_each_bound_holds(objective: str, best: int) -> None:
    rules = "  c: {hard: pick.n >= 7 and pick.m is not none}"
    levels: list[Level] = []
    result = solve(
        pick_task(rules, f"{objective}: pick.n + pick.m * pick.m - (pick.m - 1)", n="1..9"),
        on_progress=levels.append,
    )
    assert (result.status, result.objective) == (Status.OPTIMAL, best)
    assert levels[-1].value == result.objective
    sign = -1 if objective == "maximize" else 1
    for before, after in pairwise(levels):
        assert before != after
        assert sign * (after.bound or 0) >= sign * (before.bound or 0)
    for level in levels:
        assert level.bound is not None and sign * level.bound <= sign * (result.objective or 0)
        assert level.progress_text(None).endswith(f"{'at most' if sign < 0 else 'at least'} {level.bound} proved")
    assert levels[-1].progress_text(None).startswith(f"best {result.objective}, ")


SEVERAL = (
    "minimize: [pick.n, pick.m]",
    "maximize:\n  - pick.m\n  - pick.n",
    "minimize: pick.m\nmaximize: pick.n",
    "maximize: pick.n\nminimize: pick.m - pick.n",
    "minimize: [pick.m, pick.n, 2 * pick.n]",
    "maximize: [pick.n % 2, pick.m % 2, pick.n]",
    "minimize:\n  - pick.n // (pick.m ?? 1)\n  - 0.5 * pick.m",
)
RULES = (
    "  c: {hard: pick.m is none or pick.m <= pick.n}",
    "  c: {hard: pick.m is none}",
    "  c: {soft: pick.m is none or pick.n > 2, weight: 2}\n  d: {soft: pick.n != 3}",
    "  c: {hard: pick.n < 3 implies pick.m is none}\n  d: {hard: pick.n > 2 implies pick.m is not none and pick.m != pick.n - 2}",
)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("objectives", SEVERAL)
@pytest.mark.parametrize("rules", RULES)
def test_objectives_are_lexicographic_and_a_missing_value_ranks_last(rules: str, objectives: str, backend: str) -> None:
    task = pick_task(rules, objectives, "1..4")
    plans = [plan for plan in all_plans(task) if reference_accepts(task, plan)]
    ranks = {rank(task, plan) for plan in plans}
    result = solve(task, backend=backend)
    assert result.status is Status.OPTIMAL
    assert result.plan is not None
    assert rank(task, result.plan) == max(ranks)
    assert [level.value for level in result.levels] == [level.bound for level in result.levels]


def rank(task: Ground, plan: Plan) -> tuple[object, ...]:
    """Return the rank of a plan: soft weight, then each objective. A missing value ranks last."""
    interpreter = task.interpreter.on(plan)
    soft = [i for i in task.instances if not i.constraint.hard]
    values = [(o, interpreter.value(o.expression, {})) for o in task.task.objectives]
    return (
        sum(i.weight for i in soft if interpreter.holds(i.constraint.body, i.env)),
        *((False, 0) if value is None else (True, value if o.maximize else -value) for o, value in values),
    )


def test_a_solution_s_text_has_every_objective() -> None:
    result = solve(pick_task("  c: {hard: pick.m is none}", "minimize: [pick.m, 2 * pick.n]"))
    assert str(result) == "pick: optimal"
    result = solve(pick_task("  c: {hard: pick.n == 2}", "maximize: [pick.n, pick.m - 5]"))
    assert str(result) == "pick: optimal, objective 2, then -3"


@pytest.mark.parametrize(
    ("constraints", "n", "unique"),
    [
        ("  small: {hard: pick.m is none or pick.m <= 1}", "1", "multiple"),
        ("  small: {hard: pick.m is none or pick.m <= 1}", "1..2", "multiple"),
        ("  leave: {hard: pick.m is none}", "1..2", "multiple"),
        ("  leave: {hard: pick.m is none}", "1", "unique"),
    ],
)
def test_an_objective_does_not_change_feasibility_and_uniqueness(constraints: str, n: str, unique: str) -> None:
    for objective in ("minimize: pick.m", "maximize: pick.m + 1", ""):
        result = validate(pick_task(constraints, objective, n))
        assert (result.feasible.status, result.unique.status) == ("feasible", unique)


def test_an_objective_is_in_no_conflict_and_makes_no_rule_redundant() -> None:
    never = pick_task("  leave: {hard: pick.m is none}\n  small: {hard: pick.n > 2}")
    assert [[m.id for m in members] for members in why(never, bounds=False).mus_sets] == [["small"]]
    codes = {
        d.code
        for d in lint_task(pick_task("  defined: {hard: pick.m is not none}\n  small: {hard: pick.n < 2}")).diagnostics
    }
    assert not codes & {"PS421", "PS422", "PS423"}


def test_a_repair_may_leave_the_objective_without_a_value() -> None:
    task = pick_task("  c: {hard: pick.n == 2}")
    plan, _ = TABLES.decode(task.task, {"pick": {"n": 1, "m": None}})
    result = repair(task, plan)
    assert result.status is Status.OPTIMAL
    assert [(edit.table, edit.field) for edit in result.edits] == [("pick", "n")]
