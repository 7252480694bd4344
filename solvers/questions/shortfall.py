"""The amount by which the solver's plan violates a condition, as a linear expression to minimise.

Amounts are margins (`planspec.verifiers.meaning.margin`) with the opposite sign. The amount of `a <= b` is `a - b`. The
amount of `all` and `and` is the maximum amount of their parts, that of `any` and `or` the minimum.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import lcm
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering import aggregates, intervals
from planspec.solvers.lowering.context import SymbolicEnv
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.symbolic import Num
from planspec.solvers.questions.budget import TimeBudget
from planspec.verifiers.meaning.ground import Instance
from planspec.verifiers.meaning.margin import unit_of

_Part: TypeAlias = tuple[Bool, Num]
"""A condition, and the amount that counts if it holds."""


def shortfall_of(lowering: Lowering, instances: Iterable[Instance], clock: TimeBudget) -> Num | None:
    """Return the maximum amount by which constraint instances are violated; None if no instance has an amount.

    The amount is a number that depends on the solver's plan, such as the minutes by which a visit ends too late.

    The amount is 0 if the instances hold, or if only conditions without an amount are violated, such as `a in SET`. For
    whole numbers, a violation has an amount of at least 1.

    Args:
        lowering: translator of the conditions into expressions of the problem.
        instances: the instances.
        clock: limit on the work.

    Raises:
        NotSupportedError: an instance has no encoding.
        BoundError: a number exceeds 2**53.
        LimitReachedError: the limit was reached.
    """
    with clock:
        measure = _Shortfall(lowering)
        amounts = (measure.amount(i.constraint.body, i.env, holds=True) for i in instances if i.applicable)
        return measure.greatest([(TRUE, amount) for amount in amounts if amount is not None])


class _Shortfall:
    """Builder of linear expressions for the amounts by which conditions are violated.

    Args:
        lowering: translator of the conditions' parts into expressions of the problem.
    """

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._model = lowering.model

    def greatest(self, parts: Sequence[_Part]) -> Num | None:
        """Return the maximum of 0 and of the amounts whose conditions hold; None if `parts` is empty."""
        return self._extreme([*parts, (TRUE, self._zero)], greatest=True) if parts else None

    @property
    def _zero(self) -> Num:
        return Num(self._model.constant(0))

    def _extreme(self, parts: Sequence[_Part], *, greatest: bool) -> Num:
        scale = lcm(*(number.scale for _, number in parts))
        cases = ((guard, self._model.scale(number.linear, scale // number.scale)) for guard, number in parts)
        return Num(self._model.extreme(cases, greatest=greatest), TRUE, scale)

    def amount(self, expr: t.Expr, env: SymbolicEnv, *, holds: bool) -> Num | None:
        """Return the amount by which a condition is violated; None if it has no amount.

        Args:
            expr: the condition.
            env: values of its variables.
            holds: whether the condition must hold (True) or must not hold (False).
        """
        tick()
        match expr:
            case t.Not(operand=part):
                return self.amount(part, env, holds=not holds)
            case t.Logic(op="implies", operands=(left, right)):
                parts = [(left, not holds), (right, holds)]
                return self._logic(parts, env, conjunction=not holds)
            case t.Logic(op="and" | "or" as op, operands=operands):
                return self._logic([(part, holds) for part in operands], env, conjunction=(op == "and") == holds)
            case t.Aggregate(function="all" | "any" as function):
                return self._aggregate(expr, env, holds=holds, conjunction=(function == "all") == holds)
            case t.Intervals(function="no_overlap") if holds:
                return self.greatest([(g, Num(x)) for g, x in intervals.overlaps(self._lowering, expr, env)])
            case t.Apply(definition=definition, args=args):
                inner = {p: self._lowering.value(a, env) for p, a in zip(definition.params, args, strict=True)}
                return self.amount(definition.body, inner, holds=holds)
            case t.Compare():
                return self._comparison(expr, env, holds=holds)
            case t.InSet(collection=t.RangeOf() as limits) if expr.negated != holds:
                return self._range(expr.item, limits, env)
        return None

    def _logic(self, parts: Iterable[tuple[t.Expr, bool]], env: SymbolicEnv, *, conjunction: bool) -> Num | None:
        """Return the amount by which a conjunction or disjunction is violated; None if no part has an amount.

        Each part is a condition, and whether it must hold (True) or must not hold. Parts without an amount are ignored
        in a conjunction. If such a part holds in a disjunction, the amount is 0.
        """
        amounts = [(part, holds, self.amount(part, env, holds=holds)) for part, holds in parts]
        measured = [(TRUE, amount) for _, _, amount in amounts if amount is not None]
        if not measured or conjunction:
            return self.greatest(measured)
        decided = [self._lowering.condition(part, env) for part, holds, amount in amounts if amount is None and holds]
        decided += [
            self._model.negate(self._lowering.condition(part, env))
            for part, holds, amount in amounts
            if amount is None and not holds
        ]
        undecided = self._model.negate(self._model.disj(decided))
        return self.greatest([(undecided, self._extreme(measured, greatest=False))])

    def _aggregate(self, expr: t.Aggregate, env: SymbolicEnv, *, holds: bool, conjunction: bool) -> Num | None:
        """Return the amount by which `all` or `any` is violated; None if it has no amount.

        Args:
            expr: the aggregate.
            env: values of the variables outside the aggregate.
            holds: whether the aggregate's body must hold (True) or must not hold (False).
            conjunction: whether the body must hold, or not hold, for all bindings; otherwise one binding suffices.
        """
        parts: list[_Part] = []
        for guard, inner in aggregates.bindings(self._lowering, expr.clauses, env):
            amount = self.amount(expr.body, inner, holds=holds)
            if amount is None:
                return None
            parts.append((guard, amount))
        if conjunction or not parts:
            return self.greatest(parts)
        return self._extreme(parts, greatest=False)

    def _comparison(self, expr: t.Compare, env: SymbolicEnv, *, holds: bool) -> Num | None:
        """Return the amount, at least 0, by which a comparison is violated.

        If `holds` is false, the opposite comparison is measured, such as `a > b` for `a <= b`. Return None if the
        compared values are not quantities with a unit, or if the opposite of a chain such as `a <= b <= c` is required.
        """
        if any(unit_of(part.type, None) is None for part in expr.operands) or (len(expr.ops) > 1 and not holds):
            return None
        parts: list[_Part] = []
        for guard, values in self._lowering.algebra.combine_cases(
            tuple(self._lowering.value(part, env) for part in expr.operands)
        ):
            numbers = [self._lowering.algebra.num(value) for value in values]
            defined = self._model.conj((guard, *(number.defined for number in numbers)))
            if defined is FALSE:
                continue
            for op, left, right in zip(expr.ops, numbers, numbers[1:], strict=False):
                parts += ((defined, Num(x, TRUE, scale)) for x, scale in self._link(op, left, right, holds=holds))
        return self.greatest(parts) or self._zero

    def _link(self, op: str, left: Num, right: Num, *, holds: bool) -> Iterator[tuple[Linear, int]]:
        """Yield amounts, each multiplied by a scale that makes it an integer, and that scale.

        The largest is the amount by which `left op right` is violated. It is at most 0 if the comparison holds.

        If `holds` is false, the opposite comparison is measured.
        """
        model, scale = self._model, lcm(left.scale, right.scale)
        strict = model.constant(1 if scale == 1 else 0)
        above = model.minus(
            model.scale(left.linear, scale // left.scale), model.scale(right.linear, scale // right.scale)
        )
        below = model.scale(above, -1)
        match op if holds else _OPPOSITES[op]:
            case "<=":
                yield above, scale
            case ">=":
                yield below, scale
            case "<":
                yield model.plus(above, strict), scale
            case ">":
                yield model.plus(below, strict), scale
            case "==":
                yield above, scale
                yield below, scale
            case _:
                yield model.indicator(model.is_zero(above)), 1

    def _range(self, item: t.Expr, limits: t.RangeOf, env: SymbolicEnv) -> Num | None:
        """Return the distance from a value to the range `limits`, which is 0 if the value lies in the range.

        Return None if the value is not a quantity with a unit.
        """
        if unit_of(item.type, None) is None:
            return None
        parts: list[_Part] = []
        values = tuple(self._lowering.value(part, env) for part in (item, limits.low, limits.high))
        for guard, case in self._lowering.algebra.combine_cases(values):
            number, low, high = (self._lowering.algebra.num(value) for value in case)
            defined = self._model.conj((guard, number.defined, low.defined, high.defined))
            for op, left, right in (("<=", low, number), ("<=", number, high)):
                parts += ((defined, Num(x, TRUE, scale)) for x, scale in self._link(op, left, right, holds=True))
        return self.greatest(parts) or self._zero


_OPPOSITES = {"<=": ">", ">=": "<", "<": ">=", ">": "<=", "==": "!=", "!=": "=="}
