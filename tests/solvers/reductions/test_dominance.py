"""The reduction by dominance preserves feasibility and the optimum.

Brute force compares random problems before and after. A pick is a variable whose value is a thing.
"""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.problem import LinearObjective, Problem, Rooted
from planspec.solvers.reductions.dominance import undominated_domains
from planspec.solvers.reductions.register import Question, apply_reductions
from tests.random_examples import examples
from tests.solvers.strategies import (
    ComparedWithZero,
    Cond,
    Constant,
    Function,
    IndicatorOf,
    Int,
    InTable,
    Junction,
    Membership,
    Negated,
    Sum,
    TreeBuilder,
    Variable,
    World,
    holds,
    number,
    worlds,
)

RANDOM = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


@st.composite
def picks(draw: st.DrawFn) -> World:
    """Draw a world with two or three picks of things, and a place.

    Each thing has a price, a place and a tag. Thing -1 is *none*. Some picks must differ, be equal or be at
    the place, and picks have costs. Conditions read the attributes of things, as constraints of tasks read rows of
    facts.
    """
    count = draw(st.integers(2, 3))
    things = range(-1, draw(st.integers(2, 4)))
    domains = (*(tuple(things),) * count, (0, 1))
    price = tuple(((thing,), draw(st.integers(0, 2))) for thing in things)
    where = frozenset((thing, draw(st.integers(0, 1))) for thing in things)
    some = st.frozensets(st.sampled_from(things), min_size=1)
    one = st.integers(0, count - 1)

    def must_be_equal(i: int, j: int) -> Cond:
        return ComparedWithZero(True, Sum(((1, Variable(i)), (-1, Variable(j)))))

    def with_excuses(condition: Cond, *places: int) -> Cond:
        excuses = [Membership(i, draw(some)) for i in places if draw(st.booleans())]
        return Junction(False, (*excuses, condition)) if excuses else condition

    hard: list[Cond] = []
    for i in range(count):
        for j in range(i):
            kind = draw(st.sampled_from(["apart", "apart", "apart", "alike", "any", "guarded"]))
            if kind == "apart":
                hard.append(with_excuses(Negated(must_be_equal(i, j)), i, j))
            elif kind == "alike":
                hard.append(with_excuses(must_be_equal(i, j), i))
            elif kind == "guarded":
                hard.append(
                    Negated(Junction(True, (must_be_equal(i, j), Membership(i, draw(some)), Membership(j, draw(some)))))
                )
    for _ in range(draw(st.integers(0, 3))):
        i = draw(one)
        hard.append(
            draw(
                st.sampled_from(
                    [
                        with_excuses(InTable((i, count), where), i),
                        with_excuses(
                            ComparedWithZero(True, Sum(((1, Function((i,), price, 0)), (-1, Variable(count))))),
                            i,
                        ),
                        Junction(False, tuple(Membership(k, draw(some)) for k in range(count))),
                        with_excuses(Membership(i, draw(some)), draw(one)),
                        Junction(True, (Membership(i, draw(some)), with_excuses(InTable((i, count), where), i))),
                    ]
                )
            )
        )
    total = Sum(tuple((1, Function((i,), price, 0)) for i in range(count)))
    if draw(st.booleans()):
        hard.append(ComparedWithZero(False, Sum(((1, total), (1, Constant(-draw(st.integers(0, 6))))))))
    soft = tuple(Membership(draw(one), draw(some)) for _ in range(draw(st.integers(0, 2))))
    objectives: list[Int] = [total, Sum(((1, total), (-2, IndicatorOf(must_be_equal(0, 1))))), Variable(0)]
    objective = draw(st.sampled_from(objectives))
    return World(domains, tuple(hard), soft, objective)


def problem_of(world: World) -> Problem:
    """Return the problem of a world, with its soft conditions and its objective."""
    builder = TreeBuilder(world.domains)
    problem = builder.problem(*world.hard)
    problem.soft = [(Rooted(builder.condition(node), f"soft {i}"), 1 + i) for i, node in enumerate(world.soft)]
    problem.objectives = [LinearObjective(builder.number(world.objective), builder.condition(Junction(True, ())))]
    return problem


def rank(world: World, values: dict[int, int]) -> tuple[int, int]:
    """Return the weight of the soft conditions that fail, and the objective. Lower ranks are better."""
    lost = sum(1 + i for i, node in enumerate(world.soft) if not holds(node, values))
    return lost, number(world.objective, values)


def assert_optimum_is_preserved(world: World) -> int:
    """Check that the best rank stays the same, and return the number of removed values."""
    problem = problem_of(world)
    remaining = undominated_domains(problem)
    ranks = [
        (rank(world, values), all(values[var.id] in domain for var, domain in remaining.items()))
        for values in world.solutions()
    ]
    assert min((r for r, is_kept in ranks if is_kept), default=None) == min((r for r, _ in ranks), default=None)
    return sum(var.domain.size - domain.size for var, domain in remaining.items())


@settings(RANDOM, max_examples=examples(100))
@given(world=picks())
def test_removing_dominated_rows_preserves_the_best_rank(world: World) -> None:
    event(f"values are removed: {assert_optimum_is_preserved(world) > 0}")


@RANDOM
@given(world=worlds())
def test_removing_dominated_values_preserves_the_best_rank_of_any_problem(world: World) -> None:
    event(f"values are removed: {assert_optimum_is_preserved(world) > 0}")


@settings(RANDOM, max_examples=examples(25))
@given(world=picks())
def test_a_back_end_reaches_the_same_optimum_with_and_without_dominance(world: World) -> None:
    problem = problem_of(world)
    outcomes = [
        backend("cpsat").open(each, Limits(seconds=20)).solve(minimize=each.objectives[0].linear)
        for each in (problem, apply_reductions(problem, Question.BEST))
    ]
    if world.soft:  # since soft conditions change the objective, only feasibility is compared
        assert outcomes[0].found == outcomes[1].found
    else:
        assert [o.status for o in outcomes] in ([Status.OPTIMAL] * 2, [Status.INFEASIBLE] * 2)
        assert outcomes[0].objective == outcomes[1].objective


@settings(RANDOM, max_examples=examples(50))
@given(world=picks())
def test_removing_values_preserves_which_soft_conditions_can_hold_together_and_the_optimum(world: World) -> None:
    """Explanations of conflicts rely on this, since they treat each rule that they may drop as a soft condition."""
    always, rules = world.hard[:1], (*world.hard[1:], *world.soft)
    open_world = World(world.domains, always, rules, world.objective)
    problem = problem_of(open_world)
    remaining = {var.id: domain for var, domain in undominated_domains(problem).items()}
    least: list[dict[frozenset[int], int]] = [{}, {}]
    for values in open_world.solutions():
        satisfied = frozenset(i for i, rule in enumerate(rules) if holds(rule, values))
        cost = number(world.objective, values)
        is_kept = all(values[var] in domain for var, domain in remaining.items())
        for costs in least[: 1 + is_kept]:
            costs[satisfied] = min(cost, costs.get(satisfied, cost))

    def lowest(costs: dict[frozenset[int], int], subset: frozenset[int]) -> int | None:
        return min((cost for satisfied, cost in costs.items() if subset <= satisfied), default=None)

    for subset in least[0]:
        assert lowest(least[1], subset) == lowest(least[0], subset)
    event(f"values are removed: {bool(remaining)}")


# -- single cases ------------------------------------------------------------------------------------------------------

PRICES = tuple(((thing,), thing) for thing in range(6))


def remaining_values(*hard: Cond, picks: int = 2, cost: bool = True) -> list[list[int]]:
    """Return the values that the reduction leaves to each pick of six things, from the cheapest to the dearest."""
    world = World(
        ((0, 1, 2, 3, 4, 5),) * picks,
        hard,
        (),
        Sum(tuple((1, Function((i,), PRICES, 0)) for i in range(picks))) if cost else Constant(0),
    )
    problem = problem_of(world)
    remaining = undominated_domains(problem)
    return [list(remaining.get(var, var.domain)) for var in problem.model.vars]


def must_differ(i: int, j: int) -> Cond:
    """Return the condition that two variables differ."""
    return Negated(ComparedWithZero(True, Sum(((1, Variable(i)), (-1, Variable(j))))))


def test_only_the_cheapest_value_of_an_independent_pick_remains() -> None:
    assert remaining_values() == [[0], [0]]


def test_as_many_values_remain_as_there_are_variables_that_must_differ() -> None:
    assert remaining_values(must_differ(0, 1)) == [[0, 1], [0, 1]]
    assert remaining_values(must_differ(0, 1), must_differ(1, 2), must_differ(0, 2), picks=3) == [[0, 1, 2]] * 3


def test_one_value_remains_for_picks_that_may_share_it() -> None:
    free = Junction(False, (Membership(0, frozenset({0})), must_differ(0, 1)))
    assert remaining_values(free) == [[0], [0]]


def test_values_that_a_condition_distinguishes_remain() -> None:
    required = Membership(0, frozenset({2, 4}))
    assert remaining_values(Junction(False, (required, Membership(1, frozenset({5}))))) == [[0, 2], [0, 5]]


def test_dominated_values_of_variables_that_must_be_equal_are_removed_together() -> None:
    assert remaining_values(Negated(must_differ(0, 1))) == [[0], [0]]
    assert remaining_values(Negated(must_differ(0, 1)), Membership(1, frozenset({1, 2, 4}))) == [[0, 1], [1]]


def test_a_value_with_different_partners_in_a_table_condition_remains() -> None:
    rows = frozenset({(0, 0), (1, 0), (2, 1), (3, 1)})
    assert remaining_values(InTable((0, 1), rows)) == [
        [0, 2, 4],
        [0, 1, 2],
    ]  # neither 4 nor value 2 of the other pick is in a row of the table


def test_a_reduced_problem_lists_its_reductions_and_other_searches_get_the_whole_problem() -> None:
    builder = TreeBuilder(((0, 1, 2),))
    problem = builder.problem(Membership(0, frozenset({1, 2})))
    assert apply_reductions(problem, Question.EVERY) is problem
    smaller = apply_reductions(problem, Question.FEASIBLE)
    assert smaller.reductions == ("dominance",) and problem.reductions == ()
    assert [root.origin for root in smaller.hard] == ["hard 0", "reduction:dominance"]
    (var,) = problem.model.vars
    remaining = [code for code in var.domain if all(evaluate(r.condition, {var.id: code}) for r in smaller.hard)]
    assert remaining == [1]
