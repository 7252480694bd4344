"""An interpreter for many evaluations of the same expressions: frequent kinds of nodes become Python functions.

A function is made when its expression is first asked for; whatever has no function here is evaluated by the
reference interpreter, whose parts may be functions again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import children, free_variables
from planspec.dsl.model.types import Scalar, SetType, Stage
from planspec.verifiers.meaning.interpret import Env, Interpreter, arith
from planspec.verifiers.meaning.plan_rows import Plan

Code: TypeAlias = Callable[[Interpreter, Env], Any]
"""The value of one expression, by the interpreter of the plan in hand and the values of variables."""
_OPERATORS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


class Remembering(Interpreter):
    """An interpreter that works out an aggregate once for the same values of its variables.

    Args:
        of: shares what it worked out about the task and the plan.
        plan: the rows of the plan tables.
    """

    def __init__(self, of: Interpreter, plan: Plan) -> None:
        super().__init__(of.task, plan, of.meter)
        self.static = of.static
        self._planned = of._planned
        self._codes: dict[t.Expr, tuple[Code, int]] = of.static.setdefault((Remembering, "codes"), {})
        self._free: dict[t.Expr, tuple[t.Binding, ...]] = of.static.setdefault((Remembering, "free"), {})

    def value(self, expr: t.Expr, env: Env) -> Any:
        found = self._codes.get(expr)
        if found is None:
            found = self._codes[expr] = self._code(expr), _size(expr)
        code, size = found
        meter = self.meter
        meter.left -= size
        if meter.left < 0:
            meter.spend(0, expr.span)
        return code(self, env)

    def free(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        """The variables that an expression reads and does not bind."""
        found = self._free.get(expr)
        if found is None:
            found = self._free[expr] = free_variables(expr)
        return found

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        key = (expr, *[env[binding] for binding in self.free(expr)])
        if key not in self._planned:
            self._planned[key] = super()._aggregate(expr, env)
        return self._planned[key]

    def _code(self, expr: t.Expr) -> Code:
        code = self._frequent(expr) or _interpreted(expr)
        surely = isinstance(expr, t.Compare | t.Logic | t.Not | t.IsNone | t.IsUnknown)
        return code if surely or expr.type is not Scalar.BOOL else _false_for_none(code)

    def _frequent(self, expr: t.Expr) -> Code | None:
        """The function of an expression of a kind that has one."""
        match expr:
            case t.Var(binding=binding):
                return lambda _, env: env[binding]
            case t.Literal() | t.GivenRef() | t.RowNamed() | t.AllMembers():
                return _constant(self._value(expr, {}))
            case t.Apply(args=(), definition=definition) if not definition.params:
                static = definition.body.stage is Stage.STATIC
                return _constant(self.defined(definition)) if static else None
            case t.FieldOf(row=t.Var(binding=binding)):
                return _column(binding, expr.column.name)
            case t.FieldOf():
                return _field(self._code(expr.row), expr.column.name)
            case t.IsNone():
                return _is_none(self._code(expr.operand), expr.negated)
            case t.IsUnknown():
                return _is_unknown(self._code(expr.row), expr.column.name, expr.negated)
            case t.Compare(operands=(left, right), ops=(op,)) if not isinstance(left.type, SetType):
                either_set = isinstance(right.type, SetType)
                return None if either_set else _compare(_OPERATORS[op], self._code(left), self._code(right))
            case t.Arith() if expr.type is not Scalar.MOMENT:
                return _arith(expr.op, self._code(expr.left), self._code(expr.right))
            case t.Not():
                operand = self._code(expr.operand)
                return lambda run, env: not operand(run, env)
            case t.Logic():
                return _logic(expr.op, [self._code(operand) for operand in expr.operands])
            case t.Conditional():
                condition, then, otherwise = map(self._code, (expr.condition, expr.then, expr.otherwise))
                return lambda run, env: then(run, env) if condition(run, env) else otherwise(run, env)
            case _:
                return None


def _size(expr: t.Expr) -> int:
    """The steps of an expression as a function, without aggregates in it, which count themselves."""
    if isinstance(expr, t.Aggregate | t.SetOf | t.Steps):
        return 1
    return 1 + sum(map(_size, children(expr)))


def _interpreted(expr: t.Expr) -> Code:
    return lambda run, env: run._value(expr, env)


def _false_for_none(code: Code) -> Code:
    def held(run: Interpreter, env: Env) -> Any:
        found = code(run, env)
        return False if found is None else found

    return held


def _constant(value: Any) -> Code:
    return lambda *_: value


def _column(binding: t.Binding, name: str) -> Code:
    """The most frequent field: that of a variable's row."""

    def column(_: Interpreter, env: Env) -> Any:
        row = env[binding]
        return None if row is None else getattr(row, name)

    return column


def _field(source: Code, name: str) -> Code:
    def field(run: Interpreter, env: Env) -> Any:
        row = source(run, env)
        return None if row is None else getattr(row, name)

    return field


def _is_none(operand: Code, negated: bool) -> Code:
    return lambda run, env: (operand(run, env) is None) != negated


def _is_unknown(source: Code, name: str, negated: bool) -> Code:
    def is_unknown(run: Interpreter, env: Env) -> bool:
        row = source(run, env)
        return (row is not None and name in row._unknown) != negated

    return is_unknown


def _compare(holds: Callable[[Any, Any], bool], left: Code, right: Code) -> Code:
    def compare(run: Interpreter, env: Env) -> bool:
        a = left(run, env)
        if a is None:
            return False
        b = right(run, env)
        return b is not None and bool(holds(a, b))

    return compare


def _arith(op: Any, left: Code, right: Code) -> Code:
    return lambda run, env: arith(op, left(run, env), right(run, env))


def _logic(op: str, operands: list[Code]) -> Code:
    if op == "implies":
        premise, conclusion = operands
        return lambda run, env: not premise(run, env) or bool(conclusion(run, env))
    settles = op == "or"

    def logic(run: Interpreter, env: Env) -> bool:
        for operand in operands:
            held: bool = operand(run, env)
            if held is settles:
                return held
        return not settles

    return logic
