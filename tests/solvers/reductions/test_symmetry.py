"""The reduction that sorts interchangeable rows preserves the optimum.

Brute force compares random problems before and after. In half of them the first two variables can be exchanged.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from planspec.api.loading import loads
from planspec.solvers.backends.outcome import Status
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted, RowVars
from planspec.solvers.lowering.problem import lower
from planspec.solvers.questions.prove import solve
from planspec.solvers.reductions.automorphisms import MeaningGraph
from planspec.solvers.reductions.register import Question, apply_reductions
from planspec.solvers.reductions.symmetry import MAX_NODES, sort_rows
from planspec.verifiers.meaning.ground import Ground, ground
from tests.random_examples import examples
from tests.solvers.strategies import (
    ComparedWithZero,
    Constant,
    Function,
    InTable,
    Membership,
    Sum,
    TreeBuilder,
    Variable,
    World,
    holds,
    number,
    worlds,
)

RANDOM = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])
N = TypeVar("N")


def exchanged(node: N) -> N:
    """Return an expression with the first two variables exchanged."""
    if isinstance(node, tuple):
        return tuple(map(exchanged, node))  # type: ignore[return-value]
    if isinstance(node, Variable | Membership):
        return replace(node, index=(1, 0)[node.index] if node.index < 2 else node.index)
    if isinstance(node, InTable | Function):
        return replace(node, indices=tuple((1, 0)[i] if i < 2 else i for i in node.indices))
    if is_dataclass(node):
        changes: dict[str, Any] = {each.name: exchanged(getattr(node, each.name)) for each in fields(node)}
        return replace(node, **changes)  # type: ignore[type-var]
    return node


@st.composite
def rows_of_two(draw: st.DrawFn) -> World:
    """Draw a world whose first two variables are rows of one table."""
    world = draw(worlds())
    domains = (world.domains[0], world.domains[0], *world.domains[2:])
    world = replace(world, domains=domains)
    if draw(st.booleans()):
        return world
    twice = Sum(((1, world.objective), (1, exchanged(world.objective))))
    return World(domains, (*world.hard, *exchanged(world.hard)), (*world.soft, *exchanged(world.soft)), twice)


def problem_of(world: World) -> Problem:
    """Return the problem of a world, in which each soft condition has the weight 1."""
    builder = TreeBuilder(world.domains)
    problem = builder.problem(*world.hard)
    problem.soft = [(Rooted(builder.condition(node), "soft"), 1) for node in world.soft]
    problem.objectives = [LinearObjective(builder.number(world.objective), TRUE)]
    problem.rows = [
        RowVars("pair" if i < 2 else f"single {i}", TRUE, {"x": builder.model.of(var)})
        for i, var in enumerate(builder.vars)
    ]
    return problem


def rank(world: World, values: dict[int, int]) -> tuple[int, int]:
    """Return the number of soft conditions that fail, and the objective. Lower ranks are better."""
    return sum(not holds(node, values) for node in world.soft), number(world.objective, values)


@settings(RANDOM, max_examples=examples(150))
@given(world=rows_of_two())
def test_an_automorphism_preserves_solutions_and_ranks(world: World) -> None:
    problem = problem_of(world)
    one, other = problem.model.vars[:2]
    is_found = MeaningGraph(problem, MAX_NODES).is_automorphism({one: other, other: one})
    event(f"automorphism: {is_found}")
    if is_found:
        ranks = {tuple(values.values()): rank(world, values) for values in world.solutions()}
        assert {(b, a, *rest): each for (a, b, *rest), each in ranks.items()} == ranks


@settings(RANDOM, max_examples=examples(150))
@given(world=rows_of_two())
def test_sorting_rows_preserves_the_best_rank(world: World) -> None:
    problem = problem_of(world)
    added = [root.condition for root in sort_rows(problem).hard[len(problem.hard) :]]
    ranks = [(rank(world, v), all(evaluate(each, v) for each in added)) for v in world.solutions()]
    event(f"rows are sorted: {bool(added)}")
    assert min((r for r, is_left in ranks if is_left), default=None) == min((r for r, _ in ranks), default=None)


def is_symmetric(world: World) -> bool:
    """Return whether exchanging the first two variables is a symmetry of the problem."""
    problem = problem_of(world)
    one, other = problem.model.vars[:2]
    return MeaningGraph(problem, MAX_NODES).is_automorphism({one: other, other: one})


X, Y, Z = Variable(0), Variable(1), Variable(2)
BITS = ((0, 1, 2),) * 3


def at_most(*parts: tuple[int, Variable | Constant]) -> ComparedWithZero:
    """Return the condition that a weighted sum is at most zero."""
    return ComparedWithZero(False, Sum(parts))


@pytest.mark.parametrize(
    ("hard", "soft", "objective", "expected"),
    [
        ((at_most((1, X), (1, Y), (-3, Constant(1))),), (), Z, True),
        ((at_most((1, X), (2, Y), (-3, Constant(1))),), (), Z, False),
        ((ComparedWithZero(True, Sum(((1, X), (-1, Y)))),), (), Z, True),
        ((at_most((1, X), (-1, Y)),), (), Z, False),
        ((at_most((1, X), (-1, Y)), at_most((1, Y), (-1, X))), (), Z, True),
        ((Membership(0, frozenset({0, 1})),), (), Z, False),
        ((Membership(0, frozenset({0, 1})), Membership(1, frozenset({0, 1}))), (), Z, True),
        ((InTable((0, 1), frozenset({(0, 1), (1, 0)})),), (), Z, True),
        ((InTable((0, 1), frozenset({(0, 1), (1, 2)})),), (), Z, False),
        ((), (Membership(0, frozenset({0})),), Z, False),
        ((), (Membership(0, frozenset({0})), Membership(1, frozenset({0}))), Z, True),
        ((), (), X, False),
        ((), (), Sum(((1, X), (1, Y))), True),
        ((), (), Sum(((1, X), (-1, Y))), False),
    ],
)
def test_rows_are_interchangeable_only_if_every_condition_treats_them_alike(
    hard: tuple[Any, ...], soft: tuple[Any, ...], objective: Any, expected: bool
) -> None:
    assert is_symmetric(World(BITS, hard, soft, objective)) == expected


def shifts(number: int, *more: str, optional: bool = True) -> Ground:
    """Return a task that covers eight hours by paid shifts."""
    needs = "\n".join(f"      {hour}, {need}" for hour, need in enumerate((1, 2, 2, 1, 0, 2, 3, 1)))
    rules = "\n".join(f"  {rule}" for rule in more)
    return ground(
        loads(f"""planspec: task/1
id: shifts
query: Which shifts cover the hours?
tables:
  Hour:
    columns: {{hour: key int, need: int}}
    csv: |
      hour, need
{needs}
plan:
  shifts: {{number: key int, start: int, lasts: int}}
scope:
  shifts: [{{for: n in 1..{number}, number: n, start: 0..6, lasts: 2..4, optional: {str(optional).lower()}}}]
constraints:
  inside: {{hard: all(s.start + s.lasts <= 8 for s in shifts)}}
  cover:
    for: h in Hour
    hard: count(s for s in shifts if s.start <= h.hour and h.hour < s.start + s.lasts) >= h.need
{rules}
minimize: sum(s.lasts + 1 for s in shifts)
""")
    )


def ordered_pairs(task: Ground) -> int:
    """Return the number of pairs of rows that the reduction puts in order."""
    problem = lower(task).problem
    return sum(root.origin == "reduction:symmetry" for root in apply_reductions(problem, Question.BEST).hard)


def test_optional_rows_are_sorted_if_only_their_numbers_differ() -> None:
    assert ordered_pairs(shifts(6)) == 5
    assert ordered_pairs(shifts(6, optional=False)) == 0


def test_a_row_that_a_rule_names_is_not_exchanged_with_others() -> None:
    short = "short: {hard: all(s.lasts == 2 for s in shifts if s.number == 1)}"
    assert ordered_pairs(shifts(6, short)) == 4  # four pairs of neighbours among five rows
    preferred = "preferred: {soft: any(s.number <= 2 for s in shifts)}"
    assert ordered_pairs(shifts(6, preferred)) == 4  # one pair among two rows, and three among four


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cpsat", "smt", "sat"])
def test_back_ends_find_the_same_optimum_with_and_without_an_order(backend: str) -> None:
    task = shifts(5)
    costs = []
    for reduce in (True, False):
        solution = solve(task, backend=backend, reduce=reduce)
        assert solution.status is Status.OPTIMAL
        costs.append(solution.value)
    assert costs[0] == costs[1]


def test_only_the_search_for_a_best_plan_gets_the_problem_with_sorted_rows() -> None:
    problem = lower(shifts(4)).problem
    for question in (Question.EVERY, Question.SUBSETS, Question.FEASIBLE):
        assert "symmetry" not in apply_reductions(problem, question).reductions
    assert "symmetry" in apply_reductions(problem, Question.BEST).reductions
