"""Translation of type-checked expressions into IR nodes over slots, the rows that a plan may have.

Expressions that do not depend on the plan are evaluated by the interpreter. A function of a few fields of the plan
becomes a table. Numbers become linear expressions with a condition under which they are defined. Undefinedness is
resolved at the nearest Boolean expression: an atom holds if its operands are defined and it is true (the relational
semantics of Frisch and Stuckey).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import free_variables
from planspec.dsl.model.types import ScalarType, SetType, Stage
from planspec.dsl.resources.deadline import tick
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import satisfying
from planspec.solvers.ir.nodes import FALSE, TRUE, And, AtMostZero, Bool, IntVar, IsZero, Negation, Or
from planspec.solvers.lowering import aggregates, intervals
from planspec.solvers.lowering import arithmetic as numbers
from planspec.solvers.lowering.context import SMALL, LoweringContext, SymbolicEnv
from planspec.solvers.lowering.decision_rows import DecisionRows, ValueEncoding
from planspec.solvers.lowering.symbolic import (
    Cases,
    Items,
    NotSupportedError,
    RowVariables,
    Tab,
    TooManyCellsError,
    Value,
    cell_reader,
    combinations,
    is_concrete,
    is_constant,
    joined_vars,
    leaves,
    lift,
    size_of,
    tab,
)
from planspec.solvers.lowering.tabulated import is_tabular
from planspec.verifiers.meaning.ground import Ground


class Lowering(LoweringContext):
    """Translator of expressions into IR nodes of one model. It has a case for every kind of expression."""

    def __init__(self, ground: Ground, model: NodeBuilder, slots: DecisionRows, coding: ValueEncoding) -> None:
        super().__init__(ground.task, model, slots, coding)
        self.ground = ground
        self._interpreter = ground.interpreter.on(None)
        self._free: dict[int, tuple[t.Binding, ...]] = {}
        self._static: dict[tuple[Any, ...], Any] = {}
        self._applications: dict[tuple[Any, ...], tuple[Value, Any]] = {}

    # -- conditions -------------------------------------------------------------------------------

    def condition(self, expr: t.Expr, env: SymbolicEnv) -> Bool:
        """Translate a Boolean expression to a condition on the plan, which is false if the expression is *none*.

        `env` has the values of the variables that are bound outside the expression.
        """
        tick()
        if expr.stage is Stage.STATIC:
            constant = self._static_value(expr, env)
            if constant is not _UNKNOWN:
                return TRUE if constant else FALSE
        model = self.model
        match expr:
            case t.Logic(op="and", operands=xs):
                return model.conj(self._conditions_until(xs, env, FALSE))
            case t.Logic(op="or", operands=xs):
                return model.disj(self._conditions_until(xs, env, TRUE))
            case t.Logic(operands=(a, b)):
                left = self.condition(a, env)
                return TRUE if left is FALSE else model.disj((model.negate(left), self.condition(b, env)))
            case t.Not(operand=x):
                return model.negate(self.condition(x, env))
            case t.Compare():
                return self._compare(expr, env)
            case t.InSet():
                return self._in_set(expr, env)
            case t.IsNone(operand=x, negated=negated):
                defined = self.algebra.defined(self.value(x, env))
                return defined if negated else model.negate(defined)
            case t.IsUnknown(negated=negated):
                return TRUE if negated else FALSE
            case t.Conditional(condition=c, then=a, otherwise=b):
                test = self.condition(c, env)
                if test is TRUE or test is FALSE:
                    return self.condition(a if test is TRUE else b, env)
                return model.disj(
                    (
                        model.conj((test, self.condition(a, env))),
                        model.conj((model.negate(test), self.condition(b, env))),
                    )
                )
            case t.Aggregate(function="all" | "any" | "all_different"):
                return aggregates.condition(self, expr, env)
            case t.Intervals(function="no_overlap"):
                return intervals.condition(self, expr, env)
        return self.algebra.truth(self._value(expr, env))

    def _conditions_until(self, operands: Iterable[t.Expr], env: SymbolicEnv, end: Bool) -> list[Bool]:
        """Lower operands to conditions, up to the first that equals `end` (FALSE ends `and`, TRUE ends `or`)."""
        conditions = []
        for operand in operands:
            conditions.append(self.condition(operand, env))
            if conditions[-1] is end:
                break
        return conditions

    def _compare(self, expr: t.Compare, env: SymbolicEnv) -> Bool:
        fits = intervals.bounded_peak(self, expr, env)
        if fits is not None:
            return fits
        operands = tuple([self.value(x, env) for x in expr.operands])
        if None in operands:
            return FALSE
        lists = not any(isinstance(x.type, SetType) for x in expr.operands)
        if len(operands) == 2 and type(operands[0]) is not Cases and type(operands[1]) is not Cases:
            return self.atoms.compare(expr.ops[0], *operands, lists=lists)
        choices = self.algebra.combine_cases(operands)
        conditions = []
        for guard, picked in choices:
            links = [self.atoms.compare(op, picked[i], picked[i + 1], lists=lists) for i, op in enumerate(expr.ops)]
            if len(picked) > 2:
                links.extend(self.algebra.defined(x) for x in picked)
            conditions.append(self.model.conj((guard, *links)))
        return self.model.disj(conditions)

    def _in_set(self, expr: t.InSet, env: SymbolicEnv) -> Bool:
        item = self.value(expr.item, env)
        if item is None:
            return FALSE
        if isinstance(expr.collection, t.RangeOf):
            return self._in_range(item, expr.collection, env, negated=expr.negated)
        collection = self.value(expr.collection, env)
        conditions = []
        for guard, (x, members) in self.algebra.combine_cases((item, collection)):
            if members is None:
                continue
            conditions.append(self.model.conj((guard, self.atoms.member(x, members, negated=expr.negated))))
        return self.model.disj(conditions)

    def _in_range(self, item: Value, expr: t.RangeOf, env: SymbolicEnv, *, negated: bool) -> Bool:
        parts = [item, *(self.value(x, env) for x in (expr.low, expr.high, expr.step) if x is not None)]
        if any(part is None for part in parts):
            return FALSE
        model = self.model
        conditions = []
        for guard, (x, low, high, *step) in self.algebra.combine_cases(tuple(parts)):
            links = [self.atoms.compare("<=", low, x), self.atoms.compare("<=", x, high)]
            remainders = [numbers.arithmetic(self, "%", numbers.minus(self, x, low), k, expr) for k in step]
            links.extend(self.compare_order("==", remainder, 0) for remainder in remainders)
            if negated:
                defined = [self.algebra.defined(part) for part in (x, low, high, *remainders)]
                links = [model.negate(model.conj(links)), *defined]
            conditions.append(model.conj((guard, *links)))
        return model.disj(conditions)

    # -- values -----------------------------------------------------------------------------------

    def value(self, expr: t.Expr, env: SymbolicEnv) -> Value:
        """Translate an expression to a symbolic value. A Boolean expression becomes a condition or a `bool`.

        `env` has the values of the variables that are bound outside the expression.
        """
        if expr.stage is Stage.STATIC:
            constant = self._static_value(expr, env)
            if constant is not _UNKNOWN:
                return constant
        try:
            if expr.type is ScalarType.BOOL:
                return self.condition(expr, env)
            return self._value(expr, env)
        except TooManyCellsError as error:
            raise NotSupportedError(f"{error.cells:,} combinations", expr) from None

    def _value(self, expr: t.Expr, env: SymbolicEnv) -> Value:  # noqa: C901 one case for each kind of expression
        match expr:
            case t.Var(binding=binding):
                return env[binding]
            case t.FieldOf():
                return self.field(self.value(expr.row, env), expr.column.name)
            case t.Lookup():
                keys = tuple(self.value(key, env) for key in expr.keys)
                return aggregates.lookup(self, expr, keys)
            case t.OnlyRow(table=table):
                rows = self.slots.by_table[table.name]
                return rows[0] if rows else None
            case t.Apply():
                return self._apply(expr, env)
            case t.Negate(operand=x):
                return numbers.arithmetic(self, "*", self.value(x, env), -1, expr)
            case t.Arith(op=op, left=a, right=b):
                left, right = self.value(a, env), self.value(b, env)
                if op == "+" and expr.type is ScalarType.MOMENT:
                    left = (
                        numbers.arithmetic(self, "*", left, MINUTES_A_DAY, expr) if a.type is ScalarType.DATE else left
                    )
                    right = (
                        numbers.arithmetic(self, "*", right, MINUTES_A_DAY, expr)
                        if b.type is ScalarType.DATE
                        else right
                    )
                return numbers.arithmetic(self, op, left, right, expr)
            case t.Coalesce(left=a, right=b):
                return self._coalesce(self.value(a, env), b, env)
            case t.Conditional(condition=c, then=a, otherwise=b):
                return self._conditional(self.condition(c, env), a, b, env)
            case t.Call(function=function, args=xs):
                return numbers.lower_call(self, expr, function, tuple(self.value(x, env) for x in xs))
            case t.Aggregate(function="count" | "sum" | "min" | "max" | "the" | "first" | "last"):
                return aggregates.value(self, expr, env)
            case t.Intervals(function="peak"):
                return intervals.value(self, expr, env)
            case t.SetLiteral(items=xs):
                members = [self.value(x, env) for x in xs]
                defined = self.model.conj(self.algebra.defined(member) for member in members)
                return None if defined is FALSE else Items(tuple((TRUE, x) for x in members), defined)
            case t.SetOf() | t.AllRows():
                return aggregates.items(self, expr, env)
            case t.RangeOf() | t.Steps():
                raise NotSupportedError("a range or relation of planned values", expr)
            # `value` has handled all of these before: the first four are static, the others are conditions.
            case (
                t.Literal()
                | t.GivenRef()
                | t.RowNamed()
                | t.AllMembers()
                | t.Logic()
                | t.Not()
                | t.Compare()
                | t.InSet()
                | t.IsNone()
                | t.IsUnknown()
                | t.Aggregate()
                | t.Intervals()
            ):
                raise AssertionError(f"no value: {type(expr).__name__}")
            case _:
                assert_never(expr)

    def _static_value(self, expr: t.Expr, env: SymbolicEnv) -> Any:
        """Return the value of an expression; `_UNKNOWN` if the value of a variable in it depends on the plan."""
        match expr:  # for these kinds, a cache lookup would take longer
            case t.Literal(value=value):
                return value
            case t.Var(binding=binding):
                value = env[binding]
                return value if is_constant(value) else _UNKNOWN
            case t.FieldOf(row=t.Var(binding=binding), column=column):
                row = env[binding]
                if is_constant(row):
                    return None if row is None else getattr(row, column.name)
                return _UNKNOWN
        free = self._free.get(id(expr))
        if free is None:
            free = self.free(expr)
        values = [env[binding] for binding in free]
        for value in values:
            if not is_constant(value):
                return _UNKNOWN
        key = (id(expr), *values)
        found = self._static.get(key, _UNKNOWN)
        if found is _UNKNOWN:
            found = self._static[key] = self._interpreter.value(expr, dict(zip(free, values, strict=True)))
        return found

    def free(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        """Return the free variables of an expression. Results are cached."""
        cached = self._free.get(id(expr))
        if cached is None:
            cached = self._free[id(expr)] = free_variables(expr)
        return cached

    def field(self, row: Value, column: str) -> Value:
        """Return the symbolic value of a column of a row.

        `row` may be a slot (row that the plan may have), a row of a static table, a `Tab` whose values are such rows,
        or `Cases`.
        """
        match row:
            case None:
                return None
            case Row():
                return getattr(row, column)
            case RowVariables():
                return row.fields[column]
            case Cases():
                return self.algebra.choice((guard, self.field(value, column)) for guard, value in row.cases)
        return self.tabulated.result(column, (row,), self.model, lambda: lift(attrgetter(column), (row,)))

    def _apply(self, expr: t.Apply, env: SymbolicEnv) -> Value:
        definition = expr.definition
        args = tuple([self.value(arg, env) for arg in expr.args])
        key = (id(definition), *[arg if is_constant(arg) else id(arg) for arg in args])
        cached = self._applications.get(key)
        if cached is None:
            if definition.body.stage is Stage.STATIC and is_tabular(args):
                result = self.tabulated.result(
                    id(definition), args, self.model, lambda: self._static_body(definition, args)
                )
            else:
                result = self._apply_to_args(definition, args)
            # The cache keeps the arguments alive, because their ids are in the key.
            cached = self._applications[key] = (result, args)
        return cached[0]

    def _static_body(self, definition: t.Definition, args: tuple[Value, ...]) -> Value:
        """Return the value of a definition that does not depend on the plan, as one table if possible."""
        body = self._apply_to_args(definition, args)
        return self.fold(body) if isinstance(body, And | Or) else body

    def _apply_to_args(self, definition: t.Definition, args: tuple[Value, ...]) -> Value:
        """Return the symbolic value of the body of a definition (a named function) for given arguments.

        The value is *none* (or false) if a required argument is *none*.
        """
        required = [
            arg
            for arg, param in zip(args, definition.params, strict=True)
            if not param.optional and param.type is not ScalarType.BOOL and self.algebra.defined(arg) is not TRUE
        ]
        defined = self.model.conj(map(self.algebra.defined, required))
        inner = dict(zip(definition.params, args, strict=True))
        if defined is FALSE:
            return FALSE if definition.body.type is ScalarType.BOOL else None
        if definition.body.type is ScalarType.BOOL:
            return self.model.conj((defined, self.condition(definition.body, inner)))
        value = self.value(definition.body, inner)
        match required:
            case [Cases(cases=options)]:
                return self.algebra.restrict(value, defined, [guard for guard, each in options if is_concrete(each)])
        return self.algebra.restrict(value, defined)

    def _coalesce(self, left: Value, right: t.Expr, env: SymbolicEnv) -> Value:
        """Lower `left ?? right`: the left value if it is defined, else the right value."""
        if left is None:
            return self.value(right, env)
        defined = self.algebra.defined(left)
        if defined is TRUE:
            return left
        other = self.value(right, env)
        if isinstance(left, Tab) and (is_concrete(other) or isinstance(other, Tab)):
            variables = joined_vars((left, other))
            if size_of(variables) <= SMALL:
                return self._fill_table(variables, left, other)
        options = left.cases if isinstance(left, Cases) else ((TRUE, left),)
        present = [(self.model.conj((guard, self.algebra.defined(value))), value) for guard, value in options]
        result = self.algebra.choice((*present, (self.model.negate(defined), other)))
        if isinstance(result, Cases) and self.algebra.defined(other) is TRUE:
            return replace(result, is_total=True)
        return result

    def _fill_table(self, variables: tuple[Any, ...], first: Tab, second: Value) -> Value:
        """Return a table with the first value or, where it is undefined, the second value."""
        cells = {}
        one, other = cell_reader(first, variables), cell_reader(second, variables)
        for codes in combinations(variables):
            value = one(codes)
            value = other(codes) if value is None else value
            if value is not None:
                cells[codes] = value
        return tab(variables, cells)

    def _conditional(self, test: Bool, then: t.Expr, otherwise: t.Expr, env: SymbolicEnv) -> Value:
        """Lower `then if test else otherwise`, to a table if the variables have few combinations of values."""
        if test is TRUE or test is FALSE:
            return self.value(then if test is TRUE else otherwise, env)
        a, b = self.value(then, env), self.value(otherwise, env)
        is_choice = is_concrete(a) and is_concrete(b) and _compares_variables(test)
        is_tabular = not is_choice and all(is_concrete(x) or isinstance(x, Tab) for x in (a, b))
        if is_tabular and not isinstance(a, Row | RowVariables):
            vars_by_id = leaves(test)
            for var in joined_vars((a, b)):
                vars_by_id.setdefault(var.id, var)
            variables = tuple(vars_by_id.values())
            if size_of(variables) <= SMALL:
                cells = {}
                rows = combinations(variables)
                satisfied = set(satisfying(test, variables, rows))
                one, other = cell_reader(a, variables), cell_reader(b, variables)
                for codes in rows:
                    value = one(codes) if codes in satisfied else other(codes)
                    if value is not None:
                        cells[codes] = value
                return tab(variables, cells)
        return self.algebra.choice(((test, a), (self.model.negate(test), b)))


def _compares_variables(condition: Bool) -> bool:
    """Return whether a condition only compares sums of variables with 0, so that a table would not help back ends."""
    match condition:
        case And(items=items) | Or(items=items):
            return all(map(_compares_variables, items))
        case Negation(item=item):
            return _compares_variables(item)
        case AtMostZero(linear=linear) | IsZero(linear=linear):
            return len(linear.terms) > 1 and all(isinstance(atom, IntVar) for atom, _ in linear.terms)
    return False


_UNKNOWN = object()
"""Marker for a value that depends on the plan, or that is not in the cache."""
