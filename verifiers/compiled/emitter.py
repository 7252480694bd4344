"""Code generation for expressions: a dispatcher by kind of expression."""

from __future__ import annotations

from typing import assert_never

from planspec.dsl.model.tree import (
    Aggregate,
    AllMembers,
    AllRows,
    Apply,
    Arith,
    Call,
    Coalesce,
    Compare,
    Conditional,
    Expr,
    FieldOf,
    GivenRef,
    InSet,
    Intervals,
    IsNone,
    IsUnknown,
    Literal,
    Logic,
    Lookup,
    Negate,
    Not,
    OnlyRow,
    RangeOf,
    RowNamed,
    SetLiteral,
    SetOf,
    Steps,
    Var,
)
from planspec.dsl.model.types import ScalarType
from planspec.verifiers.compiled import aggregate, call, compare, loop, scalar
from planspec.verifiers.compiled import syntax as py
from planspec.verifiers.compiled.frame import Frame
from planspec.verifiers.compiled.value import Guarded, Known, Nullable, Total, Value


class Emitter(Frame):
    """Generator of one function, with a case for every kind of expression.

    The larger cases are functions of other modules, which get the emitter as a `Frame`.
    """

    def value(self, expr: Expr) -> Value:
        """Return code for an expression.

        The code is moved out of loops as far as its variables allow, and equal expressions share it. A Boolean
        expression is false instead of *none*.
        """
        value = self._placed_value(expr)
        if expr.type is not ScalarType.BOOL or isinstance(value, Total):
            return value
        return Known(bool(value.value)) if isinstance(value, Known) else Total(self.holds(value))

    def _placed_value(self, expr: Expr) -> Value:
        """Return code for an expression, placed in the outermost possible loop and shared by equal expressions."""
        match expr:
            case Literal():
                return Known(expr.value)
            case Var() if expr.binding in self.scope.bound:
                return self.scope.bound[expr.binding]
            case _:
                values = self.static_values(expr)
        if values is not None:
            return self.value_before_plan(values)
        scope, traits = self.scope, self.analysis.traits(expr)
        number = scope.repeats.get(expr)
        if number is not None:
            shared = self.block.find((scope, number))
            if shared is not None:
                return shared
        level = scope.level_of(traits.free)
        moves_outward = level < self.block.level and (traits.loops or not self.conditional) and not _is_cheap(expr)
        if not moves_outward and number is None:
            return self._value(expr)
        block = self.block.above(level) if moves_outward else self.block
        with self.inside(block, conditional=self.conditional and not moves_outward):
            value = self.as_repeatable(self._value(expr))
            if number is not None:
                self.block.shared[scope, number] = value
        return value

    def _value(self, expr: Expr) -> Value:  # noqa: C901 one case for each kind of expression
        match expr:
            case Literal() | Var() | AllMembers():
                raise AssertionError(f"{expr} is known or bound")
            case GivenRef():
                return self._task_value(expr.given, expr)
            case RowNamed():
                return self._task_value((expr.table, expr.key), expr)
            case Apply():
                return call.generate_application(self, expr)
            case FieldOf():
                return scalar.generate_field(self, expr)
            case Lookup():
                return scalar.generate_lookup(self, expr)
            case OnlyRow():
                rows = self.rows_of(expr.table)
                one = py.compare(py.call(py.name("len"), rows), "==", py.constant(1))
                return Guarded((one,), py.item(rows, py.ZERO))
            case Negate():
                return self.strict([expr.operand], lambda codes: py.minus(codes[0]))
            case Arith():
                return scalar.generate_arithmetic(self, expr)
            case Compare():
                return Total(compare.generate_comparison(self, expr))
            case InSet():
                return Total(compare.generate_membership(self, expr))
            case IsNone():
                return scalar.generate_none_test(self, expr)
            case IsUnknown():
                guards, row = self.parts(self.value(expr.row))
                unknown = py.attribute(row, "_unknown")
                test = py.conjunction([*guards, py.compare(py.constant(expr.column.name), "in", unknown)])
                return Total(py.negation(test) if expr.negated else test)
            case Coalesce():
                return scalar.generate_coalesce(self, expr)
            case Conditional():
                return scalar.generate_conditional(self, expr)
            case Not():
                return Total(py.negation(self.test(expr.operand)))
            case Logic():
                return Total(scalar.generate_logic(self, expr))
            case Call():
                return scalar.generate_builtin(self, expr)
            case Aggregate() | Intervals() | SetOf():
                return aggregate.generate_aggregate(self, expr)
            case SetLiteral():
                return self.strict(expr.items, lambda codes: py.call(py.name("distinct"), py.tuple_(codes)))
            case RangeOf():
                return scalar.generate_range(self, expr)
            case AllRows():
                return Total(py.call(py.name("tuple"), self.rows_of(expr.table)))
            case Steps():
                code, _ = loop.generate_pairs(self, expr)
                return Total(py.call(py.name("tuple"), code))
            case _:
                assert_never(expr)

    def _task_value(self, key: object, expr: Expr) -> Value:
        """Return code for a value that depends on the task but not on the plan. Linking the code computes the value."""
        return Nullable(self.program.of_task(key, lambda linked: linked.statics.interpreter.value(expr, {})))


def _is_cheap(expr: Expr) -> bool:
    """Return whether an expression is a column of a variable, which is too cheap to be moved out of a loop."""
    return isinstance(expr, FieldOf) and isinstance(expr.row, Var)
