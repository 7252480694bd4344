"""Random small CPMpy models have the same solutions as their tasks."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.planspec.foreign_models.solutions import check_same_solutions
from tests.random_examples import examples

pytestmark = pytest.mark.skipif(find_spec("cpmpy") is None, reason="no CPMpy: pip install cpmpy")


class ExpressionDrawer:
    """Random expressions over three numbers in an array, a number and two truth values."""

    def __init__(self, draw: st.DrawFn) -> None:
        import cpmpy

        self.cp: Any = cpmpy
        self._draw = draw
        self.x: Any = cpmpy.intvar(-1, 2, shape=3, name="x")
        self.s: Any = cpmpy.intvar(-2, 1, name="s")
        self.b: Any = cpmpy.boolvar(shape=2, name="b")

    def pick(self, *options: Any) -> Any:
        """Return one of the options."""
        return self._draw(st.sampled_from(options))

    def constant(self) -> int:
        """Return a small number."""
        return self._draw(st.integers(-2, 3))

    def number(self, depth: int) -> Any:
        """Return a random numeric expression, nested at most `depth` levels."""
        if depth == 0 or self.pick(True, False, False):
            return self.pick(*self.x, self.s)
        a, b = self.number(depth - 1), self.number(depth - 1)
        match self.pick(
            "+", "-", "*", "//", "%", "abs", "min", "max", "weight", "bool", "element", "count", "constants"
        ):
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "//":
                return a // b
            case "%":
                return a % b
            case "abs":
                return abs(a)
            case "min":
                return self.cp.min([a, b, self.constant()])
            case "max":
                return self.cp.max([a, b])
            case "weight":
                return self.constant() * a + self.constant()
            case "bool":
                return a + self.condition(depth - 1)
            case "element":
                return self.cp.cpm_array([*self.x, self.s])[a] if self.pick(True, False) else self.x[a]
            case "count":
                return self.cp.Count([*self.x, a], b)
            case _:
                return self.cp.cpm_array([self.constant() for _ in range(3)])[a]

    def condition(self, depth: int) -> Any:
        """Return a random Boolean expression that is nested at most `depth` levels deep."""
        if depth == 0:
            return self.pick(*self.b, self.x[0] > self.s)
        match self.pick("compare", "compare", "compare", "not", "and", "or", "implies", "equal", "xor", "global"):
            case "compare":
                return self.compared(self.number(depth), self.pick(self.number(depth - 1), self.constant()))
            case "not":
                return ~self.condition(depth - 1)
            case "and":
                return self.condition(depth - 1) & self.condition(depth - 1)
            case "or":
                return self.condition(depth - 1) | self.condition(depth - 1)
            case "implies":
                return self.condition(depth - 1).implies(self.condition(depth - 1))
            case "equal":
                return self.condition(depth - 1) == self.condition(depth - 1)
            case "xor":
                return self.condition(depth - 1) ^ self.condition(depth - 1)
            case _:
                return self.constraint([self.number(depth - 1) for _ in range(3)])

    def compared(self, a: Any, b: Any) -> Any:
        """Return a comparison of two expressions by a random operator."""
        match self.pick("==", "!=", "<", "<=", ">", ">="):
            case "==":
                return a == b
            case "!=":
                return a != b
            case "<":
                return a < b
            case "<=":
                return a <= b
            case ">":
                return a > b
            case _:
                return a >= b

    def constraint(self, parts: list[Any]) -> Any:
        """Return a global constraint."""
        cp = self.cp
        match self.pick("different", "equal", "increasing", "table", "negative", "domain", "lex", "gcc"):
            case "different":
                return cp.AllDifferent(parts)
            case "equal":
                return cp.AllEqual(parts)
            case "increasing":
                return cp.Increasing(parts)
            case "table":
                return cp.Table(parts, [[self.constant() for _ in parts] for _ in range(3)])
            case "negative":
                return cp.NegativeTable(parts, [[self.constant() for _ in parts] for _ in range(3)])
            case "domain":
                return cp.InDomain(parts[0], [-1, 1, 2])
            case "lex":
                return cp.LexLessEq(parts[:2], [parts[2], 0])
            case _:
                return cp.GlobalCardinalityCount(parts, [0, 1], [self.pick(1, self.s), 1])


@st.composite
def models(draw: st.DrawFn) -> Any:
    """Draw a model of one to three constraints."""
    drawn = ExpressionDrawer(draw)
    return drawn.cp.Model([drawn.condition(draw(st.integers(1, 3))) for _ in range(draw(st.integers(1, 3)))])


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(models())
def test_random_models_have_the_solutions_of_their_tasks(model: Any) -> None:
    check_same_solutions(model)


@st.composite
def models_of_equal_shapes(draw: st.DrawFn) -> Any:
    """Draw a model with many terms of one shape. Their integers may be consecutive."""
    drawn = ExpressionDrawer(draw)
    cp, y = drawn.cp, drawn.cp.intvar(0, 2, shape=4, name="y")
    regular = draw(st.booleans())
    numbers = [draw(st.integers(-1, 1)) + (i if regular else draw(st.integers(-2, 2))) for i in range(4)]
    places = draw(st.permutations(range(4))) if draw(st.booleans()) else range(4)
    shapes = [
        lambda i, c: y[i] - c,
        lambda i, c: c - y[i],
        lambda i, c: c * y[i],
        lambda i, c: y[i] // 2 - 2 * c,
        lambda i, c: abs(y[i] - c),
        lambda i, c: (y[i] == c) + y[(i + 1) % 4],
        lambda i, c: cp.max([y[i], c]) * 2,
        lambda i, c: -(y[i] + c),
        lambda i, c: cp.sum([y[i] != c + k for k in range(3)]),
    ]
    shape = draw(st.sampled_from(shapes))
    terms = [shape(place, number) for place, number in zip(places, numbers, strict=True)]
    bound = drawn.constant()
    return cp.Model(
        draw(
            st.sampled_from(
                [
                    [term >= bound for term in terms],
                    cp.sum(terms) <= bound + 2,
                    cp.AllDifferent(terms),
                    cp.any([term == bound for term in terms]),
                    cp.max(terms) == bound + 1,
                    cp.sum([bound * term for term in terms]) != 3,
                    [drawn.b[0].implies(cp.all([term != bound for term in terms]))],
                    cp.Count(terms, bound) == drawn.s,
                    [cp.sum(terms[:3]) - term != bound for term in terms],
                    cp.cpm_array(terms)[drawn.s] == bound,
                ]
            )
        )
    )


@settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(models_of_equal_shapes())
def test_models_with_many_terms_of_one_shape_keep_their_solutions(model: Any) -> None:
    check_same_solutions(model)
