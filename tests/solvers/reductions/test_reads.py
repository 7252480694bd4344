"""The parts of a problem that read its variables are the same whether they are shared by reductions or computed
anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import IntVar
from planspec.solvers.ir.problem import Problem, Rooted
from planspec.solvers.reductions import countable
from planspec.solvers.reductions.countable import countable_groups
from planspec.solvers.reductions.reads import SharedReads, VariableReads
from tests.random_examples import examples
from tests.solvers.reductions.test_counts import problem_of, stores
from tests.solvers.strategies import World

RANDOM = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    max_examples=examples(60),
)


def assert_same(shared: VariableReads, own: VariableReads) -> None:
    """Check that two records of how a problem reads its variables are the same."""
    assert shared.readings.keys() == own.readings.keys()
    for var, readings in own.readings.items():
        assert len(shared.readings[var]) == len(readings)
        assert set(shared.readings[var]) == set(readings)
    assert shared.equalities == own.equalities


def narrowed(problem: Problem, variables: Sequence[IntVar]) -> Problem:
    """Return the problem with a further hard condition on each of the variables."""
    further = [Rooted(problem.model.member(var, Domain.interval(0, 1)), "further") for var in variables]
    return Problem(
        problem.model,
        [*problem.hard, *further],
        problem.soft,
        problem.objectives,
        problem.rows,
        problem.identity,
    )


@RANDOM
@given(world=stores(), count=st.integers(0, 3))
def test_shared_reads_of_a_problem_with_further_conditions_equal_reads_computed_anew(world: World, count: int) -> None:
    problem, _ = problem_of(world)
    reads = SharedReads()
    first = reads(problem)
    assert_same(first, VariableReads.of(problem))
    assert reads(problem) is first
    smaller = narrowed(problem, problem.model.vars[:count])
    assert_same(reads(smaller), VariableReads.of(smaller))
    assert_same(first, VariableReads.of(problem))


@RANDOM
@given(world=stores())
def test_a_problem_with_other_conditions_or_objectives_is_visited_anew(world: World) -> None:
    problem, _ = problem_of(world)
    reads = SharedReads()
    reads(narrowed(problem, problem.model.vars))
    assert_same(reads(problem), VariableReads.of(problem))
    without = Problem(problem.model, problem.hard, [], [], problem.rows, problem.identity)
    assert_same(reads(without), VariableReads.of(without))


@RANDOM
@given(world=stores())
def test_the_quick_test_for_groups_of_picks_never_misses_a_group(world: World) -> None:
    problem, _ = problem_of(world)
    found = [group.pick_group.picks for group in countable_groups(problem)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(countable, "_may_have_groups", lambda _: True)
        assert [group.pick_group.picks for group in countable_groups(problem)] == found
