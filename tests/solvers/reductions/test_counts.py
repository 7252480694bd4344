"""A reduction counts interchangeable values (a class) instead of assigning them to variables. The optimum stays the same.

Brute force gives the expected results on random problems. A pick is a variable whose value is a thing.
"""

from __future__ import annotations

from itertools import combinations

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.problem import Arc, LinearObjective, Problem, Rooted, Routes
from planspec.solvers.reductions.counts import count_classes
from planspec.solvers.reductions.register import Question, apply_reductions
from planspec.solvers.reductions.session import open_session
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
)

RANDOM = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


def must_differ(i: int, j: int, *excuses: Cond) -> Cond:
    """Return the condition that two variables differ or an excuse (exception) holds."""
    return Junction(False, (*excuses, Negated(ComparedWithZero(True, Sum(((1, Variable(i)), (-1, Variable(j))))))))


def must_all_differ(excuses: dict[int, tuple[Cond, ...]]) -> Cond:
    """Return the condition that picks differ pairwise. A pair may be equal if an excuse (exception) of one pick
    holds.
    """
    return Junction(True, tuple(must_differ(i, j, *excuses[i], *excuses[j]) for i, j in combinations(excuses, 2)))


@st.composite
def stores(draw: st.DrawFn) -> World:
    """Draw a world with a flag and three or four picks of things. The picks must differ and have costs.

    Each thing has a price and one of two kinds. Rules read the kind, and sums read the price. Thing -1 is *none*. The
    first pick may be exempt from the rule if the flag is set. Further rules may distinguish things of one kind, or one
    pick's price from the others'.
    """
    count = draw(st.integers(3, 4))
    things = tuple(range(-1, draw(st.integers(3, 5 if count == 3 else 4))))
    domains = (*((things,) * count), (0, 1))
    price = tuple(((thing,), draw(st.integers(0, 3))) for thing in things)
    kind = frozenset((thing, draw(st.integers(0, 1))) for thing in things)
    of_kind = [frozenset(thing for thing, k in kind if k == each) for each in (0, 1)]
    several = st.one_of(st.sampled_from(of_kind), st.just(frozenset({-1})), st.frozensets(st.sampled_from(things)))
    one = st.integers(0, count - 1)
    may_be_none = draw(st.booleans())
    excuses: dict[int, tuple[Cond, ...]] = {
        i: (Membership(i, frozenset({-1})),) if may_be_none else () for i in range(count)
    }
    if draw(st.booleans()):
        excuses[0] = (*excuses[0], Membership(count, frozenset({1})))
    parts = [(1, Function((i,), price, 0)) for i in range(count)]
    if draw(st.integers(0, 5)) == 0:
        parts[0] = (2, parts[0][1])
    total = Sum(tuple(parts))
    sign = draw(st.sampled_from([1, -1]))
    rules: list[Cond] = [must_all_differ(excuses)]
    for _ in range(draw(st.integers(1, 3))):
        i = draw(one)
        limit = Constant(-sign * draw(st.integers(0, 9)))
        options: list[Cond] = [
            Junction(False, (Membership(i, draw(several)), InTable((i, count), kind))),
            Junction(False, tuple(Membership(k, draw(several)) for k in range(count))),
            Junction(False, (Membership(i, draw(several)), Membership(count, frozenset({0})))),
            Junction(False, (Membership(i, draw(several)), rules[0])),
            ComparedWithZero(False, Sum(((sign, total), (1, limit)))),
            ComparedWithZero(False, Sum(((sign, total), (1, limit), (2, IndicatorOf(Membership(i, draw(several))))))),
            ComparedWithZero(False, Sum(((1, IndicatorOf(Negated(rules[0]))), (-1, Variable(count))))),
        ]
        rules.append(draw(st.sampled_from(options)))
    elsewhere = draw(st.integers(0, 7))
    if elsewhere < 2:
        rules.append(must_differ(0, 1) if elsewhere else must_differ(0, count))
    objectives: list[Int] = [
        Sum(((sign, total),)),
        Sum(((sign, total), (-2, Variable(count)))),
        Variable(count),
    ]
    return World(domains, (), tuple(rules), draw(st.sampled_from(objectives)))


def problem_of(world: World) -> tuple[Problem, tuple[Rooted, ...]]:
    """Return the world's problem, and its soft conditions, each of which may be dropped."""
    builder = TreeBuilder(world.domains)
    problem = builder.problem(*world.hard)
    rules = tuple(Rooted(builder.condition(rule), f"rule {i}") for i, rule in enumerate(world.soft))
    problem.soft = [(rule, 1) for rule in rules]
    always = builder.condition(Junction(True, ()))
    problem.objectives = [LinearObjective(builder.number(world.objective), always)]
    return problem, rules


def least_by_subset(world: World) -> dict[frozenset[int], int]:
    """Return the minimum objective for each set of rules that an assignment satisfies."""
    least: dict[frozenset[int], int] = {}
    for values in world.solutions():
        satisfied = frozenset(i for i, rule in enumerate(world.soft) if holds(rule, values))
        cost = number(world.objective, values)
        least[satisfied] = min(cost, least.get(satisfied, cost))
    return least


def assert_answers_agree(world: World, session: Session, problem: Problem, rules: tuple[Rooted, ...]) -> None:
    """Check that a session finds the optimum and a valid assignment for each set of rules, by comparison with brute
    force.
    """
    least = least_by_subset(world)
    for size in range(len(rules) + 1):
        for chosen in combinations(range(len(rules)), size):
            expected = min((cost for satisfied, cost in least.items() if satisfied.issuperset(chosen)), default=None)
            outcome = session.solve(assumptions=[rules[i] for i in chosen], minimize=problem.objectives[0].linear)
            if expected is None:
                assert outcome.status is Status.INFEASIBLE
                continue
            assert (outcome.status, outcome.objective, outcome.bound) == (Status.OPTIMAL, expected, expected)
            values = {place: outcome.values[place] for place in range(len(world.domains))}
            assert all(holds(rule, values) for rule in world.hard)
            assert all(holds(world.soft[i], values) for i in chosen)
            assert number(world.objective, values) == expected


@settings(RANDOM, max_examples=examples(60))
@given(world=stores())
def test_counting_preserves_which_rules_can_hold_together_and_the_optimum(world: World) -> None:
    problem, rules = problem_of(world)
    smaller = count_classes(problem)
    event(f"values are counted: {smaller is not problem}")
    assert_answers_agree(world, open_session("cpsat", smaller, Limits(seconds=20)), problem, rules)


@settings(RANDOM, max_examples=examples(40))
@given(world=stores(), count=st.booleans())
def test_counting_preserves_which_rules_can_hold_together_without_an_objective(world: World, count: bool) -> None:
    """Without an objective, the encoder needs only one side of each sum. It adds the other side for a later
    objective.
    """
    problem, rules = problem_of(world)
    session = open_session("cpsat", count_classes(problem) if count else problem, Limits(seconds=20))
    least = least_by_subset(world)
    for size in range(len(rules), 0, -1):
        for chosen in combinations(range(len(rules)), size):
            outcome = session.solve(assumptions=[rules[i] for i in chosen])
            assert outcome.found == any(held.issuperset(chosen) for held in least)
            values = {place: outcome.values[place] for place in range(len(world.domains))} if outcome.found else {}
            assert not values or all(holds(world.soft[i], values) for i in chosen)
    assert_answers_agree(world, session, problem, rules)


@settings(RANDOM, max_examples=examples(40))
@given(world=stores())
def test_all_reductions_preserve_which_rules_can_hold_together(world: World) -> None:
    problem, rules = problem_of(world)
    smaller = apply_reductions(problem, Question.SUBSETS)
    event(f"by {smaller.reductions}")
    assert_answers_agree(world, open_session("cpsat", smaller, Limits(seconds=20)), problem, rules)


# -- single cases ------------------------------------------------------------------------------------------------------

PRICES = tuple(((thing,), 1 + thing) for thing in range(6))
ALL: Cond = must_all_differ({0: (), 1: (), 2: ()})


def remaining_values(*rules: Cond, costs: tuple[int, ...] = (1, 1, 1), things: int = 6) -> list[list[int]] | None:
    """Return the values that the reduction leaves to three picks of the things 0, 1, 2, ..., which have increasing
    prices.

    Return None if the reduction does not apply.
    """
    total = Sum(tuple((c, Function((i,), PRICES, 0)) for i, c in enumerate(costs)))
    problem, _ = problem_of(World((tuple(range(things)),) * 3, (), rules, total))
    smaller = count_classes(problem)
    if smaller is problem:
        return None
    assert smaller.reductions == ("counts",)
    domains = {root.condition.var: root.condition.domain for root in smaller.hard}  # type: ignore[union-attr]
    return [list(domains[var]) for var in problem.model.vars[:3]]


def test_one_value_represents_all_values_that_rules_do_not_distinguish() -> None:
    assert remaining_values(ALL) == [[0]] * 3
    assert remaining_values(ALL, Membership(1, frozenset({2, 4}))) == [[0, 2]] * 3


def test_nothing_is_counted_if_picks_are_compared_elsewhere_or_only_two_are_compared() -> None:
    assert remaining_values(ALL, Junction(False, (must_differ(0, 1), Membership(2, frozenset({1}))))) is None
    assert remaining_values(must_differ(0, 1)) is None
    assert (
        remaining_values(Junction(True, (must_differ(0, 1), must_differ(1, 2)))) is None
    )  # nothing requires the first and the last pick to differ


def test_nothing_is_counted_if_a_pick_is_compared_with_another_variable() -> None:
    problem, (_, rule) = problem_of(World((tuple(range(6)),) * 4, (), (ALL, must_differ(0, 3)), Constant(0)))
    assert count_classes(problem) is problem
    problem.soft = [each for each in problem.soft if each[0] is not rule]
    assert count_classes(problem) is not problem


def test_nothing_is_counted_if_picks_have_different_costs() -> None:
    assert remaining_values(ALL, costs=(1, 2, 1)) is None


def test_decoded_picks_have_the_cheapest_values_which_differ_only_if_they_must() -> None:
    total = Sum(tuple((1, Function((i,), PRICES, 0)) for i in range(3)))
    problem, (rule,) = problem_of(World((tuple(range(6)),) * 3, (), (ALL,), total))
    session = open_session("cpsat", count_classes(problem), Limits(seconds=20))
    linear = problem.objectives[0].linear
    different = session.solve(assumptions=[rule], minimize=linear, hint={0: 5, 1: 3, 2: 4})
    assert (different.objective, sorted(different.values[i] for i in range(3))) == (6, [0, 1, 2])
    free = session.solve(minimize=linear)
    assert (free.objective, [free.values[i] for i in range(3)]) == (3, [0, 0, 0])


def test_a_problem_with_more_different_picks_than_values_is_infeasible() -> None:
    problem, (rule, _) = problem_of(
        World((tuple(range(3)),) * 3, (), (ALL, Membership(0, frozenset({2}))), Constant(0))
    )
    assert open_session("cpsat", count_classes(problem), Limits(seconds=20)).solve(assumptions=[rule]).found
    few = World(
        (tuple(range(4)),) * 4,
        (Membership(0, frozenset({0, 1})),),
        (must_all_differ(dict.fromkeys(range(4), ())),),
        Constant(0),
    )
    narrow, (all_of_them,) = problem_of(few)
    for var in narrow.model.vars:
        narrow.hard.append(Rooted(narrow.model.member(var, Domain.interval(0, 2)), "three"))
    smaller = count_classes(narrow)
    assert smaller is not narrow
    session = open_session("cpsat", smaller, Limits(seconds=20))
    assert session.solve(assumptions=[all_of_them]).status is Status.INFEASIBLE
    assert session.solve().found


def test_picks_are_not_replaced_by_counts_if_arcs_of_routes_depend_on_them() -> None:
    problem, _ = problem_of(World((tuple(range(6)),) * 3, (), (ALL,), Constant(0)))
    arc = problem.model.member(problem.model.vars[0], Domain.interval(0, 2))
    problem.routes = [Routes((Arc(0, 1, arc), Arc(1, 0, None)))]
    assert count_classes(problem) is problem
    problem.routes = [Routes((Arc(0, 1, None, implies=arc), Arc(1, 0, None)))]
    assert count_classes(problem) is problem
    problem.routes = [Routes((Arc(0, 1, None), Arc(1, 0, None)), apart=(arc,))]
    assert count_classes(problem) is problem
    problem.routes = [Routes((Arc(0, 1, None), Arc(1, 0, None)))]
    assert count_classes(problem) is not problem
