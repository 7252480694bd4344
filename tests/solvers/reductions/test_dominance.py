"""Dominance keeps feasibility and the optimum: brute force over drawn problems, before and after."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted
from planspec.solvers.reductions.dominance import undominated
from planspec.solvers.reductions.register import Question, reduced
from tests.solvers.strategies import (
    Among,
    Builder,
    Compared,
    Cond,
    Int,
    Joined,
    Listed,
    Lookup,
    Opposite,
    Sum,
    Truth,
    Value,
    Variable,
    World,
    holds,
    number,
    worlds,
)

RANDOM = settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
)


@st.composite
def picks(draw: st.DrawFn) -> World:
    """Two or three picks of the same things and a place: what is read of them is what tasks read of rows of facts.

    Each thing has a price, a place and a tag; -1 is none. Picks differ from one another or may be the same, are
    where the place is, and cost something.
    """
    count = draw(st.integers(2, 3))
    things = range(-1, draw(st.integers(2, 4)))
    domains = (*(tuple(things),) * count, (0, 1))
    price = tuple(((thing,), draw(st.integers(0, 2))) for thing in things)
    where = frozenset((thing, draw(st.integers(0, 1))) for thing in things)
    some = st.frozensets(st.sampled_from(things), min_size=1)
    one = st.integers(0, count - 1)

    def same(i: int, j: int) -> Cond:
        return Compared(True, Sum(((1, Variable(i)), (-1, Variable(j)))))

    def excused(condition: Cond, *of: int) -> Cond:
        kept = [Among(i, draw(some)) for i in of if draw(st.booleans())]
        return Joined(False, (*kept, condition)) if kept else condition

    hard: list[Cond] = []
    for i in range(count):
        for j in range(i):
            kind = draw(st.sampled_from(["apart", "apart", "apart", "alike", "any", "guarded"]))
            if kind == "apart":
                hard.append(excused(Opposite(same(i, j)), i, j))
            elif kind == "alike":
                hard.append(excused(same(i, j), i))
            elif kind == "guarded":
                hard.append(Opposite(Joined(True, (same(i, j), Among(i, draw(some)), Among(j, draw(some))))))
    for _ in range(draw(st.integers(0, 3))):
        i = draw(one)
        hard.append(
            draw(
                st.sampled_from(
                    [
                        excused(Listed((i, count), where), i),
                        excused(Compared(True, Sum(((1, Lookup((i,), price, 0)), (-1, Variable(count))))), i),
                        Joined(False, tuple(Among(k, draw(some)) for k in range(count))),
                        excused(Among(i, draw(some)), draw(one)),
                        Joined(True, (Among(i, draw(some)), excused(Listed((i, count), where), i))),
                    ]
                )
            )
        )
    total = Sum(tuple((1, Lookup((i,), price, 0)) for i in range(count)))
    if draw(st.booleans()):
        hard.append(Compared(False, Sum(((1, total), (1, Value(-draw(st.integers(0, 6))))))))
    soft = tuple(Among(draw(one), draw(some)) for _ in range(draw(st.integers(0, 2))))
    objectives: list[Int] = [total, Sum(((1, total), (-2, Truth(same(0, 1))))), Variable(0)]
    objective = draw(st.sampled_from(objectives))
    return World(domains, tuple(hard), soft, objective)


def problem_of(world: World) -> Problem:
    """The world with its soft conditions and its objective."""
    builder = Builder(world.domains)
    problem = builder.problem(*world.hard)
    problem.soft = [
        (Rooted(builder.condition(node), f"soft {i}"), 1 + i) for i, node in enumerate(world.soft)
    ]
    problem.objectives = [
        LinearObjective(builder.number(world.objective), builder.condition(Joined(True, ())))
    ]
    return problem


def rank(world: World, values: dict[int, int]) -> tuple[int, int]:
    """The less the better: the weight of the soft conditions that fail, then the objective."""
    lost = sum(1 + i for i, node in enumerate(world.soft) if not holds(node, values))
    return lost, number(world.objective, values)


def keeps_the_best(world: World) -> int:
    """Check that the best assignment stays as good; how many values were taken away."""
    problem = problem_of(world)
    left = undominated(problem)
    ranks = [
        (rank(world, values), all(values[var.id] in domain for var, domain in left.items()))
        for values in world.solutions()
    ]
    assert min((r for r, kept in ranks if kept), default=None) == min((r for r, _ in ranks), default=None)
    return sum(var.domain.size - domain.size for var, domain in left.items())


@settings(RANDOM, max_examples=100)
@given(world=picks())
def test_the_best_choice_of_rows_stays_as_good(world: World) -> None:
    event(f"values are taken away: {keeps_the_best(world) > 0}")


@RANDOM
@given(world=worlds())
def test_the_best_assignment_of_any_problem_stays_as_good(world: World) -> None:
    event(f"values are taken away: {keeps_the_best(world) > 0}")


@settings(RANDOM, max_examples=25)
@given(world=picks())
def test_a_back_end_reaches_the_same_optimum_with_and_without(world: World) -> None:
    problem = problem_of(world)
    outcomes = [
        backend("cpsat").open(each, Limits(seconds=20)).solve(minimize=each.objectives[0].linear)
        for each in (problem, reduced(problem, Question.BEST))
    ]
    if world.soft:  # another objective: only that there is an assignment, and none better than without
        assert outcomes[0].found == outcomes[1].found
    else:
        assert [o.status for o in outcomes] in ([Status.OPTIMAL] * 2, [Status.INFEASIBLE] * 2)
        assert outcomes[0].objective == outcomes[1].objective


@settings(RANDOM, max_examples=50)
@given(world=picks())
def test_the_same_soft_conditions_hold_together_and_the_objective_goes_as_low(world: World) -> None:
    """What conflicts and their amounts rest on: each rule that may be dropped is a soft condition."""
    always, rules = world.hard[:1], (*world.hard[1:], *world.soft)
    open_world = World(world.domains, always, rules, world.objective)
    problem = problem_of(open_world)
    left = {var.id: domain for var, domain in undominated(problem).items()}
    least: list[dict[frozenset[int], int]] = [{}, {}]
    for values in open_world.solutions():
        held = frozenset(i for i, rule in enumerate(rules) if holds(rule, values))
        cost = number(world.objective, values)
        kept = all(values[var] in domain for var, domain in left.items())
        for known in least[: 1 + kept]:
            known[held] = min(cost, known.get(held, cost))

    def lowest(known: dict[frozenset[int], int], subset: frozenset[int]) -> int | None:
        return min((cost for held, cost in known.items() if subset <= held), default=None)

    for subset in least[0]:
        assert lowest(least[1], subset) == lowest(least[0], subset)
    event(f"values are taken away: {bool(left)}")


# -- one idea each -----------------------------------------------------------------------------------------------------

PRICES = tuple(((thing,), thing) for thing in range(6))


def left_of(*hard: Cond, picks: int = 2, cost: bool = True) -> list[list[int]]:
    """The values that stay of picks of six things, of which the first is the cheapest."""
    world = World(
        ((0, 1, 2, 3, 4, 5),) * picks,
        hard,
        (),
        Sum(tuple((1, Lookup((i,), PRICES, 0)) for i in range(picks))) if cost else Value(0),
    )
    problem = problem_of(world)
    left = undominated(problem)
    return [list(left.get(var, var.domain)) for var in problem.model.vars]


def differ(i: int, j: int) -> Cond:
    return Opposite(Compared(True, Sum(((1, Variable(i)), (-1, Variable(j))))))


def test_only_the_cheapest_stays_of_what_stands_alone() -> None:
    assert left_of() == [[0], [0]]


def test_as_many_stay_as_variables_must_differ() -> None:
    assert left_of(differ(0, 1)) == [[0, 1], [0, 1]]
    assert left_of(differ(0, 1), differ(1, 2), differ(0, 2), picks=3) == [[0, 1, 2]] * 3


def test_a_value_that_may_be_shared_is_enough_alone() -> None:
    free = Joined(False, (Among(0, frozenset({0})), differ(0, 1)))
    assert left_of(free) == [[0], [0]]


def test_what_a_condition_tells_apart_stays_apart() -> None:
    wanted = Among(0, frozenset({2, 4}))
    assert left_of(Joined(False, (wanted, Among(1, frozenset({5}))))) == [[0, 2], [0, 5]]


def test_values_give_way_together_where_picks_should_be_the_same() -> None:
    assert left_of(Opposite(differ(0, 1))) == [[0], [0]]
    assert left_of(Opposite(differ(0, 1)), Among(1, frozenset({1, 2, 4}))) == [[0, 1], [1]]


def test_a_listed_pair_keeps_what_it_is_listed_with() -> None:
    rows = frozenset({(0, 0), (1, 0), (2, 1), (3, 1)})
    assert left_of(Listed((0, 1), rows)) == [[0, 2, 4], [0, 1, 2]]  # 4, and 2 of the other, with nothing


def test_a_smaller_problem_lists_its_reductions_and_other_questions_get_the_whole() -> None:
    builder = Builder(((0, 1, 2),))
    problem = builder.problem(Among(0, frozenset({1, 2})))
    assert reduced(problem, Question.EVERY) is problem
    smaller = reduced(problem, Question.FEASIBLE)
    assert smaller.reductions == ("dominance",) and problem.reductions == ()
    assert [root.origin for root in smaller.hard] == ["hard 0", "reduction:dominance"]
    (var,) = problem.model.vars
    kept = [code for code in var.domain if all(evaluate(r.condition, {var.id: code}) for r in smaller.hard)]
    assert kept == [1]
