"""Margins: amounts by which a constraint holds or fails, computed from its structure.

A margin is at least 0 if the constraint holds and negative if it fails:

- `a <= b`: b - a; `a < b` on whole numbers: b - a - 1.
- A range: the distance to its nearer end.
- `no_overlap`: the minimum of `start - (end + gap)`, with the start of an interval and the end and gap of an earlier
  one.
- `all` and `and`: the minimum margin of their parts; `any` and `or`: the maximum.

A test without an amount (`v.mode == taxi`, a test of *none*) counts as infinite: positive if it holds, negative if it
fails. A constraint with an infinite result has no margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.types import ScalarType, ScaledType, Special, Type
from planspec.dsl.model.value_text import exact_text, minor_unit_text, show
from planspec.dsl.model.values import InvalidValueError, parse_value
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.intervals import followers

Number: TypeAlias = int | Fraction


@dataclass(frozen=True, slots=True)
class Measured:
    """A margin with an amount and its unit."""

    amount: Number
    unit: str


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """Outcome of a test that has no margin as a number, such as `v.mode == taxi`: only whether the test holds."""

    holds: bool


Margin: TypeAlias = Measured | Unmeasured | None
"""A margin; None if it cannot be computed because amounts in different units would have to be compared."""


def margin_in_finding(margin: Margin) -> tuple[int | str | None, str | None]:
    """Return the amount and the unit of a margin as findings contain them; None for both if there is no amount."""
    if not isinstance(margin, Measured):
        return None, None
    whole = margin.amount.denominator == 1
    return margin.amount.numerator if whole else exact_text(margin.amount), margin.unit


def margin_text(margin: int | str, unit: str | None) -> str:
    """Return a finding's margin as text for display, such as `+1h30min`, `-14.00 EUR` or `-2`."""
    if isinstance(margin, str):  # an exact decimal that is not a whole number of units
        return margin if unit in (None, "1") else f"{margin} {unit}"
    size = abs(margin)
    match (unit or "1").split():
        case ["min"]:
            text = show(size, ScalarType.DURATION, None)
        case ["m"]:
            text = show(size, ScalarType.DISTANCE, None)
        case ["1"]:
            text = str(size)
        case ["d"]:
            text = f"{size}d"
        case [_, currency]:
            text = show(size, ScalarType.MONEY, currency)
        case _:
            text = f"{size} {unit}"
    return f"{'+' if margin > 0 else '-' if margin < 0 else ''}{text}"


def parse_margin(text: str, unit: str | None) -> Number | None:
    """Parse a margin in the form of `margin_text`, possibly with fewer or more zeros.

    Args:
        text: text such as `-14 EUR`, `+1h30min`, `0`.
        unit: unit of the finding.

    Returns:
        The amount in that unit; None if the text has another form.
    """
    sign = -1 if text.startswith("-") else 1
    size = text.lstrip("+-").strip()
    type_ = ScalarType.DECIMAL
    currency: str | None = None
    match (unit or "1").split():
        case ["min"]:
            type_ = ScalarType.DURATION
        case ["m"]:
            type_ = ScalarType.DISTANCE
        case ["d"]:
            size = size.removesuffix("d")
        case ["1"]:
            pass
        case [*_, currency]:
            type_ = ScalarType.MONEY
    try:
        return sign * Fraction(0 if size == "0" else parse_value(size, type_, currency=currency))
    except InvalidValueError:
        return None


def unit_of(type_: Type, currency: str | None) -> str | None:
    """Return the unit of differences between values of a type, such as `min` for times; None if there is none."""
    match type_:
        case ScaledType(unit):
            return unit_of(unit, currency)
        case ScalarType.TIME | ScalarType.MOMENT | ScalarType.DURATION:
            return "min"
        case ScalarType.DATE:
            return "d"
        case ScalarType.MONEY:
            return minor_unit_text(currency)
        case ScalarType.DISTANCE:
            return "m"
        case ScalarType.INT | ScalarType.DECIMAL | Special.UNIT_ZERO:
            return "1"
        case _:
            return None


def margin_of(expr: t.Expr, env: Env, interpreter: Interpreter, *, holds: bool) -> Margin:
    """Return the margin of a Boolean expression with the value `holds`: how far it is from the opposite value.

    Return None if the computed margin is negative although the expression holds, or at least 0 although it fails.
    """
    return Measure(interpreter).margin(expr, env, holds=holds)


def conjunction_margin(parts: Iterable[Margin]) -> Margin:
    """Return the margin of a conjunction: the smallest margin of its operands.

    If an operand fails without an amount (its margin is `Unmeasured`), return this margin, and do not compute later
    ones. Otherwise, return None if a margin is None or if units differ.
    """
    return _best(parts, min, holds=False)


def disjunction_margin(parts: Iterable[Margin]) -> Margin:
    """Return the margin of a disjunction: the largest margin of its operands.

    If an operand holds without an amount (its margin is `Unmeasured`), return this margin, and do not compute later
    ones. Otherwise, return None if a margin is None or if units differ.
    """
    return _best(parts, max, holds=True)


def _best(parts: Iterable[Margin], best: Callable[..., Measured], *, holds: bool) -> Margin:
    """Return the first `Unmeasured` part with the given `holds`: it counts as infinite, so no other part matters.

    If there is no such part, return the `best` (`min` or `max`) by amount; None if units differ or a margin is None.
    """
    measured: list[Measured] = []
    is_mixed = False
    for part in parts:
        if isinstance(part, Measured):
            measured.append(part)
        elif part is None:
            is_mixed = True
        elif part.holds is holds:
            return part
    if is_mixed or len({part.unit for part in measured}) > 1:
        return None
    return best(measured, key=lambda part: part.amount) if measured else Unmeasured(not holds)


def negated_margin(part: Margin) -> Margin:
    """Return the margin of a negation."""
    match part:
        case Measured(amount, unit):
            return Measured(-amount - 1 if isinstance(amount, int) else -amount, unit)
        case Unmeasured(holds):
            return Unmeasured(not holds)
        case None:
            return None


_UNITS: Kind[t.Expr, str] = Kind("units of tests")
_MEASURABLE: Kind[t.Expr, bool] = Kind("whether conditions can hold or fail by an amount")


class Measure:
    """Evaluator of margins on one plan.

    Args:
        interpreter: evaluates expressions on the plan.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self._currency = interpreter.task.currency
        self._measurable = interpreter.static.of(_MEASURABLE)
        self._units = interpreter.static.of(_UNITS)

    def margin(self, expr: t.Expr, env: Env, *, holds: bool) -> Margin:
        """Return the margin of a Boolean expression with the value `holds`: how far it is from the opposite value.

        Return None if the computed margin is negative although the expression holds, or at least 0 although it fails.
        """
        if not self.can_measure(expr):
            return Unmeasured(holds)
        margin = self.structural_margin(expr, env)
        if isinstance(margin, Measured) and (margin.amount >= 0) != holds:
            return None  # a strict comparison of equal decimals fails although its margin is 0
        return margin

    def can_measure(self, expr: t.Expr) -> bool:
        """Return whether a Boolean expression may have a margin: it contains a comparison of numbers or times."""
        is_measurable = self._measurable.get(expr)
        if is_measurable is None:
            is_measurable = self._measurable[expr] = self._has_unit(expr)
        return is_measurable

    def _has_unit(self, expr: t.Expr) -> bool:
        match expr:
            case t.Logic(operands=parts):
                return any(map(self.can_measure, parts))
            case t.Not(operand=part) | t.Aggregate(function="all" | "any", body=part):
                return self.can_measure(part)
            case t.Apply():
                return self.can_measure(expr.definition.body)
            case t.Conditional():
                return self.can_measure(expr.then) or self.can_measure(expr.otherwise)
            case t.Intervals(function="no_overlap"):
                return True
            case _:
                return self._unit_of(expr) is not None

    def structural_margin(self, expr: t.Expr, env: Env) -> Margin:
        """Return the margin of a Boolean expression, computed from its structure."""
        interpreter = self._interpreter
        if not self.can_measure(expr):
            return Unmeasured(interpreter.holds(expr, env))
        parts = _parts(expr)
        if parts is not None:
            return self._measured_margin(expr, [interpreter.value(part, env) for part in parts])
        match expr:
            case t.Logic(op="and"):
                return conjunction_margin(self.structural_margin(operand, env) for operand in expr.operands)
            case t.Logic(op="or"):
                return disjunction_margin(self.structural_margin(operand, env) for operand in expr.operands)
            case t.Logic(op="implies"):
                left, right = expr.operands
                return disjunction_margin(
                    (negated_margin(self.structural_margin(left, env)), self.structural_margin(right, env))
                )
            case t.Not():
                return negated_margin(self.structural_margin(expr.operand, env))
            case t.Aggregate(function="all"):
                return conjunction_margin(self._case_margins(expr, env))
            case t.Aggregate(function="any"):
                return disjunction_margin(self._case_margins(expr, env))
            case t.Intervals():
                return conjunction_margin(self._interval_margins(expr, env))
            case t.Apply():
                inner = interpreter.arguments(expr, env)
                return Unmeasured(holds=False) if inner is None else self.structural_margin(expr.definition.body, inner)
            case t.Conditional():
                return self.structural_margin(
                    expr.then if interpreter.holds(expr.condition, env) else expr.otherwise, env
                )
            case _:
                return Unmeasured(interpreter.holds(expr, env))

    def _interval_margins(self, expr: t.Intervals, env: Env) -> Iterator[Margin]:
        """Yield for each interval of a `no_overlap` its start minus the earliest time at which it may start."""
        unit = self._unit(expr.start) or "1"
        groups = self._interpreter.runs(expr, env)
        if not all(run.is_valid for runs in groups for run in runs):
            yield Unmeasured(holds=False)
            return
        for earlier, later in (pair for runs in groups for pair in followers(runs)):
            slack = later.start - earlier.until
            yield Unmeasured(holds=False) if earlier.until == inf else Measured(slack, unit)

    def _case_margins(self, expr: t.Aggregate, env: Env) -> Iterator[Margin]:
        """Yield the margins of the body of an `all` or `any`, one for each binding."""
        body = expr.body
        parts = _parts(body)
        if parts is None:
            return (self.structural_margin(body, inner) for inner in self._interpreter.bindings(expr.clauses, env))
        cases = self._interpreter.cases(expr.clauses, parts, env)
        return (self._measured_margin(body, values) for _, values in cases)

    def _measured_margin(self, expr: t.Expr, values: Sequence[Any]) -> Margin:
        """Return the margin of a comparison or range test, given the values of its operands."""
        unit = self._units.get(expr)
        if unit is None:
            unit = self._unit_of(expr)
            assert unit is not None
            self._units[expr] = unit
        match expr:
            case t.Compare():
                return _comparison_margin(expr, values, unit)
            case t.InSet():
                return _range_margin(expr, values, unit)
            case _:
                raise AssertionError(f"{expr} is no test")

    def _unit_of(self, expr: t.Expr) -> str | None:
        """Return the unit of a test's margin, such as `min`; None if the test can have no margin."""
        match expr:
            case t.Compare():
                return self._unit(*expr.operands)
            case t.InSet(collection=t.RangeOf() as collection):
                return self._unit(expr.item, collection.low, collection.high)
            case _:
                return None

    def _unit(self, *parts: t.Expr) -> str | None:
        units = [unit_of(part.type, self._currency) for part in parts if part.type is not Special.UNIT_ZERO]
        return units[0] if units else "1"


def _parts(expr: t.Expr) -> tuple[t.Expr, ...] | None:
    """Return the expressions that determine the margin of a comparison or range test; None for other expressions."""
    match expr:
        case t.Compare():
            return expr.operands
        case t.InSet(collection=t.RangeOf(low=low, high=high)):
            return expr.item, low, high, expr
        case _:
            return None


def _comparison_margin(expr: t.Compare, values: Sequence[Any], unit: str) -> Margin:
    if None in values:
        return Unmeasured(holds=False)
    if len(values) == 2:
        return Measured(_link_margin(expr.ops[0], *values), unit)
    links = zip(expr.ops, values[:-1], values[1:], strict=True)
    return conjunction_margin(Measured(_link_margin(op, left, right), unit) for op, left, right in links)


def _range_margin(expr: t.InSet, values: Sequence[Any], unit: str) -> Margin:
    item, low, high, holds = values
    if item is None or low is None or high is None:
        return Unmeasured(holds)
    near = Measured(min(item - low, high - item), unit)
    if (near.amount >= 0) != (holds != expr.negated):
        return Unmeasured(holds)  # the value is between two steps of the range
    return negated_margin(near) if expr.negated else near


def _link_margin(op: str, left: Number, right: Number) -> Number:
    strict = 1 if isinstance(left, int) and isinstance(right, int) else 0
    match op:
        case "<=":
            return right - left
        case ">=":
            return left - right
        case "<":
            return right - left - strict
        case ">":
            return left - right - strict
        case "==":
            return min(left - right, right - left)
        case _:
            return max(left - right, right - left) - strict
