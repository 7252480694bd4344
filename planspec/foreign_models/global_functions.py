"""Conversion of CPMpy's numeric functions to expressions of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from planspec.foreign_models.terms import (
    PRODUCT,
    Term,
    call,
    chain,
    choice,
    compare,
    infix,
    negative,
    number,
)
from planspec.foreign_models.values import InexpressibleModelError, integer

if TYPE_CHECKING:
    from planspec.foreign_models.expressions import Expressions

MOST_FACTORS = 64
"""Maximum number of factors of a product in the language."""
MOST_VALUES = 10_000
"""Maximum number of possible values of an array in `nvalue`. Each value needs a condition of its own."""


def _extreme(name: str) -> Callable[[Expressions, Any], Term]:
    def extreme(write: Expressions, expression: Any) -> Term:
        parts: list[Term] = []
        for group in write.families.groups([write.number(arg) for arg in expression.args]):
            family = write.families.family(group)
            parts += list(dict.fromkeys(group)) if family is None else [family.inside(f"{name}({{}} for @)")]
        return parts[0] if len(parts) == 1 else call(name, *parts)

    return extreme


def _absolute(write: Expressions, expression: Any) -> Term:
    return call("abs", write.number(expression.args[0]))


def _power(write: Expressions, expression: Any) -> Term:
    base, exponent = expression.args
    times = integer(exponent)
    if times > MOST_FACTORS:
        raise InexpressibleModelError(f"a power with the exponent {times} has too many factors")
    return chain("*", [write.number(base)] * times, PRODUCT) if times else number(1)


def _division(write: Expressions, expression: Any) -> Term:
    """Return a division that rounds towards zero. The language's division rounds down, by positive divisors only."""
    return _by_signs(write, expression, "//", lambda sign_x, sign_y: sign_x * sign_y)


def _remainder(write: Expressions, expression: Any) -> Term:
    """Return a remainder with the sign of the dividend."""
    return _by_signs(write, expression, "%", lambda sign_x, _: sign_x)


def _by_signs(write: Expressions, expression: Any, operator: str, sign: Callable[[int, int], int]) -> Term:
    """Return `operator` (`//` or `%`) applied to absolute values, with the sign that `sign` returns.

    `sign` is called with the signs of dividend and divisor, each 1 or -1.
    """
    from cpmpy.expressions.utils import get_bounds

    dividend, divisor = map(write.number, expression.args)
    bounds = [get_bounds(arg) for arg in expression.args]

    def quotient(sign_x: int, sign_y: int) -> Term:
        size = infix(operator, _size(dividend, sign_x), _size(divisor, sign_y), PRODUCT)
        return size if sign(sign_x, sign_y) > 0 else negative(size)

    def by_divisor(sign_x: int) -> Term:
        return _split(divisor, bounds[1], lambda sign_y: quotient(sign_x, sign_y))

    return _split(dividend, bounds[0], by_divisor)


def _size(term: Term, sign: int) -> Term:
    return term if sign > 0 else negative(term)


def _split(term: Term, bounds: tuple[int, int], value: Callable[[int], Term]) -> Term:
    """Return `value(1)` or `value(-1)`, by the sign of a term: a choice if its bounds allow both signs."""
    low, high = bounds
    if low >= 0:
        return value(1)
    if high <= 0:
        return value(-1)
    return choice(compare(">=", term, number(0)), value(1), value(-1))


def _element(write: Expressions, expression: Any) -> Term:
    array, index = expression.args
    return write.element(list(array), [index], [len(array)])


def _matrix_element(write: Expressions, expression: Any) -> Term:
    array, *indices = expression.args
    return write.element(list(array.flat), indices, array.shape)


def _count(write: Expressions, expression: Any) -> Term:
    array, value = expression.args
    counted = write.number(value)
    return _number_of(write, [compare("==", write.number(item), counted) for item in array])


def _among(write: Expressions, expression: Any) -> Term:
    array, values = expression.args
    counted = [integer(value) for value in values]
    return _number_of(write, [write.member(write.number(item), counted) for item in array])


def _number_of(write: Expressions, conditions: Sequence[Term]) -> Term:
    return write.weighted_sum([(1, choice(condition, number(1), number(0))) for condition in conditions])


def _distinct(write: Expressions, expression: Any) -> Term:
    return _distinct_values(write, expression.args, None)


def _distinct_except(write: Expressions, expression: Any) -> Term:
    return _distinct_values(write, expression.args[0], integer(expression.args[1]))


def _distinct_values(write: Expressions, array: Sequence[Any], ignored: int | None) -> Term:
    from cpmpy.expressions.utils import get_bounds

    bounds = [get_bounds(item) for item in array]
    values = range(min(low for low, _ in bounds), max(high for _, high in bounds) + 1)
    if len(values) > MOST_VALUES:
        raise InexpressibleModelError(f"`nvalue` over {len(values):,} values is too large")
    items = [write.number(item) for item in array]
    occurs = [write.some([compare("==", item, number(v)) for item in items]) for v in values if v != ignored]
    return _number_of(write, occurs)


FUNCTIONS: Mapping[str, Callable[[Expressions, Any], Term]] = {
    "abs": _absolute,
    "among": _among,
    "count": _count,
    "div": _division,
    "element": _element,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "mod": _remainder,
    "nd_element": _matrix_element,
    "nvalue": _distinct,
    "nvalue_except": _distinct_except,
    "pow": _power,
}
"""Function that converts a numeric function, by its name in CPMpy. Definedness is added by the enclosing condition."""
