from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings

from planspec.dsl.resources.limits import NUMBER
from planspec.solvers.ir.builder import BoundError, NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import (
    FALSE,
    TRUE,
    AtMostZero,
    InDomain,
    IntVar,
    Negation,
    Product,
    Tabled,
    bounds,
)
from tests.solvers.strategies import TreeBuilder, World, holds, number, worlds

RANDOM = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


def two_variables() -> tuple[NodeBuilder, IntVar, IntVar]:
    """Return a builder of nodes with two variables."""
    model = NodeBuilder()
    return model, model.var("x", Domain.interval(0, 9)), model.var("y", Domain.interval(0, 9))


# -- random expressions ------------------------------------------------------------------------------------------------


@RANDOM
@given(world=worlds())
def test_built_nodes_have_the_values_of_their_expressions(world: World) -> None:
    builder = TreeBuilder(world.domains)
    conditions = [(node, builder.condition(node)) for node in (*world.hard, *world.soft)]
    opposites = [(node, builder.model.negate(condition)) for node, condition in conditions]
    objective = builder.number(world.objective)
    for values in world.assignments():
        assert all(evaluate(condition, values) == holds(node, values) for node, condition in conditions)
        assert all(evaluate(condition, values) != holds(node, values) for node, condition in opposites)
        assert evaluate(objective, values) == number(world.objective, values)


@RANDOM
@given(world=worlds())
def test_a_value_lies_within_the_bounds_of_its_node(world: World) -> None:
    objective = TreeBuilder(world.domains).number(world.objective)
    assert all(objective.low <= evaluate(objective, v) <= objective.high for v in world.assignments())


@RANDOM
@given(world=worlds())
def test_building_a_tree_twice_gives_the_same_nodes(world: World) -> None:
    builder = TreeBuilder(world.domains)
    for node in (*world.hard, *world.soft):
        assert builder.condition(node) is builder.condition(node)
    assert builder.number(world.objective) is builder.number(world.objective)


@RANDOM
@given(world=worlds())
def test_the_negation_of_the_negation_is_the_node_itself(world: World) -> None:
    builder = TreeBuilder(world.domains)
    for node in world.hard:
        condition = builder.condition(node)
        assert builder.model.negate(builder.model.negate(condition)) is condition


# -- simplifications
# -------------------------------------------------------------------------------------------------------------


def test_complementary_comparisons_share_one_node() -> None:
    model, x, y = two_variables()
    before = model.at_most_zero(model.minus(model.of(x), model.of(y)))
    after = model.at_most_zero(model.plus(model.minus(model.of(y), model.of(x)), model.constant(1)))
    assert isinstance(before, AtMostZero)
    assert isinstance(after, Negation)
    assert after.item is before


def test_equality_has_one_node_whichever_side_comes_first() -> None:
    model, x, y = two_variables()
    assert model.is_zero(model.minus(model.of(x), model.of(y))) is model.is_zero(model.minus(model.of(y), model.of(x)))


def test_a_condition_and_its_negation_are_false_in_conjunction_and_true_in_disjunction() -> None:
    model, x, y = two_variables()
    same = model.is_zero(model.minus(model.of(x), model.of(y)))
    assert model.conj([same, model.negate(same)]) is FALSE
    assert model.disj([same, model.negate(same)]) is TRUE


def test_a_disjunction_is_redundant_beside_one_of_its_items() -> None:
    model = NodeBuilder()
    x, y = (model.of(model.var(name, Domain.interval(0, 9))) for name in "xy")
    less, equal = model.at_most_zero(model.minus(x, y)), model.is_zero(model.minus(x, model.constant(3)))
    both = model.conj((less, equal))
    assert model.conj((model.disj((less, equal)), less)) is less
    assert model.conj((both, model.disj((both, model.negate(less))))) is both
    assert model.conj((model.disj((less, equal)), model.disj((less, equal)))) is model.disj((less, equal))


def test_a_conjunct_that_follows_if_the_other_alternatives_fail_is_removed() -> None:
    model, x, y = two_variables()
    none, some = model.member(x, Domain.of([0])), model.member(x, Domain.interval(1, 9))
    less = model.at_most_zero(model.minus(model.of(x), model.of(y)))
    assert model.disj([none, model.conj([some, less])]) is model.disj([none, less])
    assert model.disj([none, model.negate(model.conj([some, less]))]) is model.disj([none, model.negate(less)])
    assert model.disj([some, model.conj([some, less])]) is some


def test_memberships_of_one_variable_are_merged() -> None:
    model, x, y = two_variables()
    odd = model.member(x, Domain.of([1, 3, 5, 7, 9]))
    low, high = model.member(x, Domain.interval(0, 4)), model.member(x, Domain.interval(5, 9))
    other = model.member(y, Domain.of([2]))
    assert model.conj([odd, low]) is model.member(x, Domain.of([1, 3]))
    assert model.conj([low, other, high]) is FALSE
    assert model.disj([low, other, high]) is TRUE
    assert model.disj([low, odd]) is model.member(x, Domain.of([0, 1, 2, 3, 4, 5, 7, 9]))


@pytest.mark.parametrize(("factor", "allowed"), [(3, range(3)), (-3, range(2, 10))])
def test_a_scaled_bound_on_one_variable_is_a_membership(factor: int, allowed: range) -> None:
    model, x, _ = two_variables()
    condition = model.at_most_zero(
        model.plus(model.scale(model.of(x), factor), model.constant(-7 if factor > 0 else 6))
    )
    assert isinstance(condition, InDomain)
    assert list(condition.domain) == list(allowed)


def test_a_bound_on_a_function_of_one_variable_is_a_membership() -> None:
    model, x, _ = two_variables()
    square = model.tabled((x,), {(code,): code * code % 7 for code in range(10)})
    condition = model.at_most_zero(model.minus(square, model.constant(1)))
    assert isinstance(condition, InDomain)
    assert list(condition.domain) == [0, 1, 6, 7, 8]


def test_a_table_drops_variables_with_one_value() -> None:
    model, x, _ = two_variables()
    fixed = model.var("fixed", Domain.of([4]))
    condition = model.in_table((fixed, x), [(4, 2), (3, 5), (4, 7)])
    assert isinstance(condition, InDomain)
    assert list(condition.domain) == [2, 7]


def test_a_function_with_one_value_is_a_constant() -> None:
    model, x, y = two_variables()
    assert model.tabled((x, y), {}, 3) is model.constant(3)


def test_the_indicator_of_a_bit_is_the_bit() -> None:
    model = NodeBuilder()
    bit = model.var("bit", Domain.of([0, 1]))
    assert model.indicator(model.member(bit, Domain.of([1]))) is model.of(bit)
    assert model.at_most_zero(model.of(bit)) is model.member(bit, Domain.of([0]))


def test_a_product_has_one_node_whichever_factor_comes_first() -> None:
    model, x, y = two_variables()
    assert model.product(model.of(x), model.of(y)) is model.product(model.of(y), model.of(x))


def test_the_sides_of_a_product_keep_the_order_of_their_first_use() -> None:
    for _ in range(20):  # not in the order of addresses, which differs from run to run
        model, x, y = two_variables()
        ((atom, _),) = model.product(model.of(y), model.of(x)).terms
        assert isinstance(atom, Product)
        assert atom.left is model.of(y)


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_a_bound_may_equal_but_not_exceed_the_limit() -> None:
    model = NodeBuilder()
    x = model.of(model.var("x", Domain.interval(0, NUMBER)))
    assert x.high == NUMBER
    with pytest.raises(BoundError):
        model.plus(x, model.constant(1))
    with pytest.raises(BoundError):
        model.product(x, x)


def test_a_function_with_missing_combinations_is_bounded_by_its_default() -> None:
    model, x, _ = two_variables()
    ((atom, _),) = model.tabled((x,), {(3,): 5}, -2).terms
    assert isinstance(atom, Tabled)
    assert bounds(atom) == (-2, 5)


def test_a_difference_of_sums_is_one_linear_form() -> None:
    model = NodeBuilder()
    a, b = (model.of(model.var(name, Domain.interval(0, 9))) for name in "ab")
    assert model.difference((a, b), (a,)) is b
    assert model.difference((a, b), (b, b)) is model.minus(a, b)
