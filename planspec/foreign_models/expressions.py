"""Conversion of CPMpy's expressions to expressions of the language.

Partial functions, such as division and array access, have CPMpy's relational semantics: if a function is undefined, the
nearest enclosing condition is false. The translation adds definedness to that condition explicitly, so that negations
can be moved inward.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from planspec.foreign_models.families import Families, find_pattern, shifted
from planspec.foreign_models.global_constraints import CONDITIONS, decomposition
from planspec.foreign_models.global_functions import FUNCTIONS
from planspec.foreign_models.terms import (
    AND,
    CHOICE,
    COMPARISON,
    DEFAULT,
    OR,
    PRODUCT,
    SUM,
    Key,
    Term,
    chain,
    choice,
    compare,
    infix,
    join,
    negative,
    number,
    skeleton,
)
from planspec.foreign_models.values import (
    InexpressibleModelError,
    definedness,
    integer,
    is_condition,
    is_variable,
    truth_value,
    whole_number,
)
from planspec.foreign_models.variables import Variables

OPPOSITES: Mapping[str, str] = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TRUE = compare("==", number(0), number(0))
FALSE = compare("==", number(0), number(1))


class Expressions:
    """Translator of the expressions of one model.

    Attributes:
        variables: tables and cells of the plan that hold the variables.
        families: combines terms with the same structure.
        defining: conditions that define auxiliary variables.
        required: global constraints that are constraints of the model themselves, not parts of other expressions.
    """

    def __init__(self, variables: Variables, families: Families) -> None:
        self.families = families
        self.defining: list[Any] = []
        self.required: list[Any] = []
        self.variables = variables
        self._conditions: Mapping[str, Callable[[Expressions, Any], Term]] = CONDITIONS
        self._functions: Mapping[str, Callable[[Expressions, Any], Term]] = FUNCTIONS

    # -- conditions ------------------------------------------------------------------------------------------------

    def condition(self, expression: Any, *, holds: bool = True) -> Term:
        """Translate a Boolean expression to a condition.

        Args:
            expression: a Boolean expression of CPMpy, or a Boolean value.
            holds: whether the expression is required to be true or to be false.

        Raises:
            InexpressibleModelError: the language cannot express the condition.
        """
        value = truth_value(expression)
        if value is not None:
            return TRUE if value is holds else FALSE
        name = expression.name
        if is_variable(expression):
            return self._variable(expression, holds=holds)
        match name:
            case "not":
                return self.condition(expression.args[0], holds=not holds)
            case "and" | "or":
                parts = [self.condition(arg, holds=holds) for arg in expression.args]
                return self.every(parts) if (name == "and") is holds else self.some(parts)
            case "->":
                cause = self.condition(expression.args[0], holds=not holds)
                effect = self.condition(expression.args[1], holds=holds)
                return self.some([cause, effect]) if holds else self.every([cause, effect])
        guards = [self.condition(guard, holds=holds) for guard in definedness(expression)]
        core = self._core(expression, holds=holds)
        return self.every([*guards, core]) if holds else self.some([*guards, core])

    def _core(self, expression: Any, *, holds: bool) -> Term:
        """Translate a comparison or global constraint whose functions are all defined."""
        if expression.name in OPPOSITES:
            return self._comparison(expression, holds=holds)
        if expression.name == "indomain":
            return self._membership(expression, holds=holds)
        if expression.name == "xor":
            return self._parity(expression.args, holds=holds)
        if type(expression).__name__ == "DirectConstraint":
            raise InexpressibleModelError(f"`{expression.name}` is a constraint of one solver")
        direct = self._conditions.get(expression.name)
        if holds and direct is not None:
            return direct(self, expression)
        return self.decomposed(expression, holds=holds)

    def decomposed(self, expression: Any, *, holds: bool = True) -> Term:
        """Translate a global constraint through CPMpy's own decomposition."""
        conditions, defining = decomposition(expression)
        self.defining += defining
        return self.all_of(conditions, holds=holds)

    def all_of(self, expressions: Iterable[Any], *, holds: bool = True) -> Term:
        """Return the condition that all expressions are true or, if `holds` is False, that not all are."""
        parts = [self.condition(each, holds=holds) for each in expressions]
        return self.every(parts) if holds else self.some(parts)

    def _variable(self, variable: Any, *, holds: bool) -> Term:
        if hasattr(variable, "_bv"):  # CPMpy's class for a negated Boolean variable
            return self._variable(variable._bv, holds=not holds)
        cell = self.variables.cell(variable)
        return cell if holds else compare("==", cell, Term("false"))

    def _comparison(self, expression: Any, *, holds: bool) -> Term:
        operator = expression.name if holds else OPPOSITES[expression.name]
        left, right = expression.args
        if operator in ("==", "!=") and is_condition(left) and is_condition(right):
            return compare(operator, self.condition(left), self.condition(right))
        return compare(operator, self.number(left), self.number(right))

    def _membership(self, expression: Any, *, holds: bool) -> Term:
        subject, values = expression.args
        return self.member(self.number(subject), [int(value) for value in values], holds=holds)

    def member(self, subject: Term, values: Iterable[int], *, holds: bool = True) -> Term:
        """Return the condition that a number equals one of some constants or, if `holds` is False, none of them."""
        ordered = sorted(set(values))
        operator = "in" if holds else "not in"
        if not ordered:
            return FALSE if holds else TRUE
        if len(ordered) == 1:
            return compare("==" if holds else "!=", subject, number(ordered[0]))
        if ordered[-1] - ordered[0] + 1 == len(ordered):
            return join(
                f"{{}} {operator} {{}}..{{}}", (subject, ordered[0], ordered[-1]), COMPARISON, (DEFAULT, SUM, SUM)
            )
        text = f"{{}} {operator} {{{{{', '.join(['{}'] * len(ordered))}}}}}"
        return join(text, (subject, *ordered), COMPARISON, (DEFAULT, *(CHOICE,) * len(ordered)))

    def _parity(self, args: Sequence[Any], *, holds: bool) -> Term:
        constants = [value for value in map(truth_value, args) if value is not None]
        others = [arg for arg in args if truth_value(arg) is None]
        is_odd = holds is not (sum(constants) % 2 == 1)
        if not others:
            return FALSE if is_odd else TRUE
        if len(others) == 1:
            return self.condition(others[0], holds=is_odd)
        *earlier, last = others
        return compare("!=" if is_odd else "==", self._parity(earlier, holds=True), self.condition(last))

    def every(self, parts: Sequence[Term]) -> Term:
        """Return the conjunction of conditions."""
        return self._quantified("all", "and", AND, [part for part in parts if part != TRUE]) if parts else TRUE

    def some(self, parts: Sequence[Term]) -> Term:
        """Return the disjunction of conditions."""
        return self._quantified("any", "or", OR, [part for part in parts if part != FALSE]) if parts else FALSE

    def _quantified(self, quantifier: str, operator: str, level: int, parts: Sequence[Term]) -> Term:
        if not parts:
            return TRUE if operator == "and" else FALSE
        terms: list[Term] = []
        for group in self.families.groups(parts):
            family = self.families.family(group)
            terms += list(dict.fromkeys(group)) if family is None else [family.inside(f"{quantifier}({{}} for @)")]
        return chain(operator, terms, level)

    # -- numbers ---------------------------------------------------------------------------------------------------

    def number(self, expression: Any) -> Term:
        """Translate a numeric expression. A condition counts as 1 or 0.

        Raises:
            InexpressibleModelError: the language cannot express the number.
        """
        value = whole_number(expression)
        if value is not None:
            return number(value)
        if expression.is_bool():
            return choice(self.condition(expression), number(1), number(0))
        if is_variable(expression):
            return self.variables.cell(expression)
        if expression.name in ("sum", "wsum", "sub", "-", "mul"):
            return self._sum(expression)
        function = self._functions.get(expression.name)
        if function is None:
            raise InexpressibleModelError(f"`{expression.name}` is not a function that can be imported")
        return function(self, expression)

    def product(self, left: Term, right: Term) -> Term:
        """Return the product of two numbers."""
        return infix("*", left, right, PRODUCT)

    def _sum(self, expression: Any) -> Term:
        added = 0
        weighted: list[tuple[int, Term]] = []
        for weight, each in _summands(expression, 1):
            value = whole_number(each)
            if value is not None:
                added += weight * value
            elif weight:
                weighted.append((weight, self._factor(each)))
        return self.weighted_sum(weighted, added)

    def _factor(self, expression: Any) -> Term:
        if expression.is_bool() or is_variable(expression) or expression.name != "mul":
            return self.number(expression)
        left, right = expression.args
        if is_condition(left):
            left, right = right, left
        if is_condition(right):  # a conditional value is easier for solvers than a product
            return choice(self.condition(right), self.number(left), number(0))
        return self.product(self.number(left), self.number(right))

    def weighted_sum(self, weighted: Sequence[tuple[int, Term]], added: int = 0) -> Term:
        """Return the weighted sum of numbers, plus a constant."""
        parts: list[tuple[int, Term]] = []  # each pair is a sign, 1 or -1, and a term
        groups: dict[Key, list[tuple[int, Term]]] = {}
        for weight, term in weighted:
            groups.setdefault(skeleton(term), []).append((weight, term))
        for group in groups.values():
            parts += self._weighted_group(group)
        if added or not parts:
            parts.append((1 if added >= 0 else -1, number(abs(added))))
        return _signed_sum(parts)

    def _weighted_group(self, group: Sequence[tuple[int, Term]]) -> list[tuple[int, Term]]:
        """Return the sum of terms with equal structure as signed terms; a single term if they can be merged."""
        weights = {weight for weight, _ in group}
        if len(weights) == 1:
            family = self.families.family([term for _, term in group], repeats=True)
            if family is not None:
                return [_signed(weights.pop(), family.inside("sum({} for @)"))]
        scaled = [self.product(number(weight), term) for weight, term in group]
        family = self.families.family(scaled, repeats=True)
        return [_signed(*each) for each in group] if family is None else [(1, family.inside("sum({} for @)"))]

    def element(self, array: Sequence[Any], indices: Sequence[Any], shape: Sequence[int]) -> Term:
        """Return the item of an array at indices that depend on the plan.

        Args:
            array: numbers or conditions, flattened by rows.
            indices: one index for each dimension.
            shape: size of each dimension.
        """
        places = [self.number(index) for index in indices]
        values = [whole_number(item) for item in array]
        fixed = [value for value in values if value is not None]
        if len(fixed) == len(values):
            return self.families.lookup(fixed, places, shape)
        terms = [self.number(item) for item in array]
        coordinates = list(itertools.product(*map(range, shape)))
        pattern = find_pattern(terms)
        if pattern is not None and all(self._axis(column, coordinates) is not None for column in pattern.columns):
            axes = [self._axis(column, coordinates) for column in pattern.columns]
            return pattern.body([shifted(places[axis[0]], axis[1]) for axis in axes if axis is not None])
        selected = [
            choice(
                self.every([compare("==", place, number(at)) for place, at in zip(places, where, strict=True)]),
                term,
                number(0),
            )
            for where, term in zip(coordinates, terms, strict=True)
        ]
        return self.weighted_sum([(1, term) for term in selected])

    @staticmethod
    def _axis(column: Sequence[int], coordinates: Sequence[Sequence[int]]) -> tuple[int, int] | None:
        """Return the index of the dimension that equals a column minus a constant, and the constant; None without one."""
        for axis in range(len(coordinates[0])):
            distance = column[0] - coordinates[0][axis]
            if all(value - where[axis] == distance for value, where in zip(column, coordinates, strict=True)):
                return axis, distance
        return None


def _signed(weight: int, term: Term) -> tuple[int, Term]:
    sign = 1 if weight >= 0 else -1
    return sign, term if abs(weight) == 1 else infix("*", number(abs(weight)), term, PRODUCT)


def _signed_sum(parts: Sequence[tuple[int, Term]]) -> Term:
    """Return signed terms as a sum, positive ones first."""
    positive = [term for sign, term in parts if sign > 0]
    minus = [term for sign, term in parts if sign < 0]
    if not minus:
        return chain("+", positive, SUM)
    if not positive:
        return negative(chain("+", minus, SUM)) if len(minus) > 1 else negative(minus[0])
    return infix("-", chain("+", positive, SUM), chain("+", minus, SUM), SUM)


def _summands(expression: Any, weight: int) -> Iterator[tuple[int, Any]]:
    """Yield the summands of nested sums, each with its weight."""
    if whole_number(expression) is not None or expression.is_bool() or is_variable(expression):
        yield weight, expression
        return
    match expression.name:
        case "sum":
            for arg in expression.args:
                yield from _summands(arg, weight)
        case "wsum":
            for factor, arg in zip(*expression.args, strict=True):
                yield from _summands(arg, weight * integer(factor))
        case "sub":
            yield from _summands(expression.args[0], weight)
            yield from _summands(expression.args[1], -weight)
        case "-":
            yield from _summands(expression.args[0], -weight)
        case "mul" if whole_number(expression.args[0]) is not None:
            yield from _summands(expression.args[1], weight * integer(expression.args[0]))
        case _:
            yield weight, expression
