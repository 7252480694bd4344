"""A second evaluator of the language, the reference for the others.

It is written from docs/language.md without a look at other evaluators, and shares no code with the verifiers. It is
slow and simple on purpose, with one case for each kind of node. Values are as in `planspec.dsl.model.tree`; `None` is
*none*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias, assert_never

from planspec.dsl.model import tree as t
from planspec.dsl.model.task import ScopeField, Task
from planspec.dsl.model.types import ListType, ScalarType, Table
from planspec.verifiers.meaning.plan_rows import Plan

Env: TypeAlias = Mapping[t.Binding, Any]
Instance: TypeAlias = tuple[t.Constraint, Env, bool]
Content: TypeAlias = dict[str, Any] | None
"""Cells of a row by column, or None if the row is absent."""

MINUTES_A_DAY = 1440


class Reference:
    """Evaluator of a task's expressions on a plan.

    Args:
        task: a checked task.
        plan: rows of its plan tables, or None to evaluate only static expressions.

    Attributes:
        instances: each constraint with each binding of its `for:`, and whether its `when:` is true.
    """

    def __init__(self, task: Task, plan: Plan | None = None) -> None:
        self._task = task
        self._plan = plan
        self.instances: Sequence[Instance] = ()
        if plan is None:
            self.instances = [
                (constraint, env, constraint.when is None or self.holds(constraint.when, env))
                for constraint in task.constraints
                for env in self.bindings(constraint.clauses, {})
            ]

    def on(self, plan: Plan) -> Reference:
        """Return an evaluator of the same task on a plan."""
        reference = Reference(self._task, plan)
        reference.instances = self.instances
        return reference

    # -- tasks --------------------------------------------------------------------------------------

    def statuses(self) -> tuple[bool | None, ...]:
        """Return, for each instance of a constraint, whether it holds; None if it does not apply."""
        return tuple(
            self.holds(constraint.body, env) if applicable else None for constraint, env, applicable in self.instances
        )

    def accepts(self) -> bool:
        """Return whether the plan has the right shape and every hard constraint holds."""
        return self.has_shape() and all(
            self.holds(constraint.body, env)
            for constraint, env, applicable in self.instances
            if applicable and constraint.hard
        )

    def has_shape(self) -> bool:
        """Return whether each `one` table has one row, and no readable key occurs twice."""
        for table in self._task.plan_tables:
            rows = self._rows(table)
            if table.one and len(rows) != 1:
                return False
            keys = [tuple(getattr(row, name) for name in table.key) for row in rows]
            readable = [key for key in keys if None not in key]
            if table.key and any(key in readable[:i] for i, key in enumerate(readable)):
                return False
        return True

    def soft_weight(self) -> int:
        """Return the total weight of the soft instances that hold."""
        return sum(
            1 if constraint.weight is None else self.value(constraint.weight, env)
            for constraint, env, applicable in self.instances
            if applicable and not constraint.hard and self.holds(constraint.body, env)
        )

    def objective(self) -> Any:
        """Return the value of the objective, or None if there is no objective or it is *none*."""
        return None if self._task.objective is None else self.value(self._task.objective.expression, {})

    def rank(self) -> tuple[Any, ...]:
        """Return a tuple by which plans are ranked; a greater one is better.

        It consists of the soft weight, and for each objective whether it has a value, and this value.
        """
        values = [(each, self.value(each.expression, {})) for each in self._task.objectives]
        return (
            self.soft_weight(),
            *((False, 0) if x is None else (True, x if each.maximize else -x) for each, x in values),
        )

    def scope(self) -> dict[str, list[list[Content]]]:
        """Return the possible contents of each row in the scope, by plan table."""
        choices: dict[str, list[list[Content]]] = {table.name: [] for table in self._task.plan_tables}
        for entry in self._task.scope:
            for env in self.bindings(entry.clauses, {}):
                columns = [
                    self._choices(entry.fields[name], env) if name in entry.fields else [column.default]
                    for name, column in entry.table.columns.items()
                ]
                filled: list[Content] = [
                    dict(zip(entry.table.columns, cells, strict=True)) for cells in product(*columns)
                ]
                choices[entry.table.name].append([*filled, None] if entry.optional else filled)
        return choices

    def _choices(self, field: ScopeField, env: Env) -> list[Any]:
        """Return the possible values of a field."""
        if not field.many:
            return [self.value(field.domain, env)]
        values: list[Any] = []
        for value in self._items(field.domain, env):
            if not any(self._are_equal(value, other) for other in values):
                values.append(value)
        return [*values, None] if field.or_none else values

    # -- conditions ---------------------------------------------------------------------------------

    def holds(self, condition: t.Expr, env: Env) -> bool:
        """Return whether a condition holds. It is false, and not *none*, if it depends on *none*."""
        return self.value(condition, env) is True

    def _compare(self, expr: t.Compare, env: Env) -> bool:
        """Return whether every comparison of a chain such as `a < b <= c` holds; False if any operand is *none*."""
        values = [self.value(operand, env) for operand in expr.operands]
        if any(value is None for value in values):
            return False
        for op, left, right in zip(expr.ops, values, values[1:], strict=False):
            match op:
                case "==":
                    link = self._are_equal(left, right)
                case "!=":
                    link = not self._are_equal(left, right)
                case "<":
                    link = left < right
                case "<=":
                    link = left <= right
                case ">":
                    link = left > right
                case ">=":
                    link = left >= right
                case _:
                    assert_never(op)
            if not link:
                return False
        return True

    def _are_equal(self, left: Any, right: Any) -> bool:
        """Return whether values are equal.

        Collections are compared as lists if both are lists, else as sets.
        """
        if isinstance(left, list) and isinstance(right, list):
            return left == right
        if isinstance(left, list | tuple):
            return frozenset(left) == frozenset(right)
        return bool(left == right)

    def _is_member(self, expr: t.InSet, env: Env) -> bool:
        """Return whether a test of membership, `in` or `not in`, holds."""
        item = self.value(expr.item, env)
        if isinstance(expr.collection, t.RangeOf):
            is_member = self._is_in_range(item, expr.collection, env)
        else:
            members = self.value(expr.collection, env)
            is_member = None if members is None or item is None else item in members
        return is_member is not None and is_member != expr.negated

    def _is_in_range(self, item: Any, expr: t.RangeOf, env: Env) -> bool | None:
        """Return whether an item is in a range and on its grid, or None if an end or the step is *none*."""
        low, high = self.value(expr.low, env), self.value(expr.high, env)
        step = None if expr.step is None else self.value(expr.step, env)
        if item is None or low is None or high is None:
            return None
        if expr.step is None:
            return bool(low <= item <= high)
        if step is None or step <= 0:
            return None
        return bool(low <= item <= high and (item - low) % step == 0)

    # -- values -------------------------------------------------------------------------------------

    def value(self, expr: t.Expr, env: Env) -> Any:
        """Return an expression's value. A set is a tuple without repetitions, and a list a Python list."""
        value_ = self._value(expr, env)
        if expr.type is ScalarType.BOOL:
            return value_ is True
        if isinstance(value_, tuple):
            return list(value_) if isinstance(expr.type, ListType) else tuple(dict.fromkeys(value_))
        return value_

    def _value(self, expr: t.Expr, env: Env) -> Any:  # noqa: C901 one case for each kind of expression
        """Return the value of an expression, with one case for each kind of expression."""
        match expr:
            case t.Literal(value=value):
                return value
            case t.Var(binding=binding):
                return env[binding]
            case t.GivenRef(given=given):
                return self._task.givens[given.name]
            case t.RowNamed(table=table, key=key):
                return next(row for row in self._task.facts[table.name].rows if self._begins_with(row, table, [key]))
            case t.Apply():
                return self._apply(expr, env)
            case t.FieldOf(row=row, column=column):
                owner = self.value(row, env)
                return None if owner is None else getattr(owner, column.name)
            case t.Lookup(table=table, keys=keys):
                return self._lookup(table, [self.value(key, env) for key in keys])
            case t.OnlyRow(table=table):
                return only_value(list(self._rows(table)))
            case t.Negate(operand=operand):
                value = self.value(operand, env)
                return None if value is None else -value
            case t.Arith():
                return self._arith(expr, env)
            case t.Compare():
                return self._compare(expr, env)
            case t.InSet():
                return self._is_member(expr, env)
            case t.IsNone(operand=operand, negated=negated):
                return (self.value(operand, env) is None) != negated
            case t.IsUnknown(row=row, column=column, negated=negated):
                owner = self.value(row, env)
                return (owner is not None and column.name in owner._unknown) != negated
            case t.Coalesce(left=left, right=right):
                value = self.value(left, env)
                return self.value(right, env) if value is None else value
            case t.Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.value(then if self.holds(condition, env) else otherwise, env)
            case t.Not(operand=operand):
                return not self.holds(operand, env)
            case t.Logic():
                return self._logic(expr, env)
            case t.Call():
                return self._call(expr, env)
            case t.Aggregate():
                return self._aggregate(expr, env)
            case t.Intervals(function="no_overlap"):
                return self._no_overlap(expr, env)
            case t.Intervals():
                return self._peak(expr, env)
            case t.SetLiteral(items=items):
                values = [self.value(item, env) for item in items]
                return None if any(value is None for value in values) else tuple(values)
            case t.SetOf(body=body, clauses=clauses):
                bodies = [self.value(body, inner) for inner in self.bindings(clauses, env)]
                return tuple(value for value in bodies if value is not None)
            case t.RangeOf():
                members = self._range(expr, env)
                return None if members is None else tuple(members)
            case t.AllRows(table=table):
                return self._rows(table)
            case t.AllMembers(enum=enum):
                return enum.members
            case t.Steps():
                raise AssertionError("steps are iterated over, and are not a value")
            case _:
                assert_never(expr)

    def _rows(self, table: Table) -> tuple[Any, ...]:
        """Return the rows of a table of facts or of the plan."""
        if not table.plan:
            return tuple(self._task.facts[table.name].rows)
        assert self._plan is not None, "a static expression mentions no plan table"
        return self._plan.tables[table.name]

    @staticmethod
    def _begins_with(row: Any, table: Table, keys: list[Any]) -> bool:
        """Return whether a row's first key columns have these values."""
        return all(getattr(row, name) == key for name, key in zip(table.key, keys, strict=False))

    def _lookup(self, table: Table, keys: list[Any]) -> Any:
        """Return the row whose first key columns have these values, or None if there is not exactly one."""
        if any(key is None for key in keys):
            return None
        return only_value([row for row in self._rows(table) if self._begins_with(row, table, keys)])

    def _apply(self, expr: t.Apply, env: Env) -> Any:
        """Return the value of a definition.

        It is None if an argument of a parameter that is not optional is None.
        """
        params = expr.definition.params
        args = [self.value(arg, env) for arg in expr.args]
        if any(arg is None and not param.optional for param, arg in zip(params, args, strict=True)):
            return None
        return self.value(expr.definition.body, dict(zip(params, args, strict=True)))

    def _arith(self, expr: t.Arith, env: Env) -> Any:
        """Return the value of an arithmetic operation, or None if an operand is *none*."""
        left, right = self.value(expr.left, env), self.value(expr.right, env)
        if left is None or right is None:
            return None
        match expr.op:
            case "+" if {expr.left.type, expr.right.type} == {ScalarType.DATE, ScalarType.TIME}:
                date, time = (left, right) if expr.left.type is ScalarType.DATE else (right, left)
                return MINUTES_A_DAY * date + time
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "//" | "%" if right <= 0:
                return None
            case "//":
                return left // right
            case "%":
                return left - right * (left // right)
            case _:
                assert_never(expr.op)

    def _logic(self, expr: t.Logic, env: Env) -> bool:
        """Return whether a condition with `and`, `or` or `implies` holds."""
        parts = [self.holds(operand, env) for operand in expr.operands]
        match expr.op:
            case "and":
                return all(parts)
            case "or":
                return any(parts)
            case "implies":
                premise, conclusion = parts
                return conclusion or not premise
            case _:
                assert_never(expr.op)

    def _call(self, expr: t.Call, env: Env) -> Any:
        """Return the value of a builtin function, or None if an argument is *none*."""
        args = [self.value(arg, env) for arg in expr.args]
        if any(arg is None for arg in args):
            return None
        match expr.function, args:
            case "min", [*_]:
                return min(args)
            case "max", [*_]:
                return max(args)
            case "abs", [x]:
                return -x if x < 0 else x
            case "ceil_div", [a, b]:
                return None if b <= 0 else -(-a // b)
            case "day_of_week", [date]:
                return (date - 1) % 7 + 1  # day 1 was a Monday
            case "contains", [text, part]:
                return part in text
            case unknown:
                raise AssertionError(f"no page describes {unknown}")

    # -- generators ---------------------------------------------------------------------------------

    def bindings(self, clauses: tuple[t.Clause, ...], env: Env) -> Iterator[dict[t.Binding, Any]]:
        """Yield the bindings of a generator's clauses that satisfy every `if`."""
        if not clauses:
            yield dict(env)
            return
        first, *rest = clauses
        for values in self._target_values(first, env):
            inner = {**env, **dict(zip(first.targets, values, strict=True))}
            if first.condition is None or self.holds(first.condition, inner):
                yield from self.bindings(tuple(rest), inner)

    def _target_values(self, clause: t.Clause, env: Env) -> Iterator[tuple[Any, ...]]:
        """Yield the values that a clause assigns to its targets: pairs if it ranges over steps, otherwise single
        values.
        """
        if isinstance(clause.source, t.Steps):
            yield from self._steps(clause.source, env)
        else:
            yield from ((value,) for value in self._items(clause.source, env))

    def _items(self, source: t.Expr, env: Env) -> list[Any]:
        """Return the values over which a generator iterates, in order. A set has each member once, and *none* has no values."""
        if isinstance(source, t.RangeOf):
            return self._range(source, env) or []
        if isinstance(source, t.AllRows):
            return list(self._rows(source.table))
        return list(self.value(source, env) or ())

    def _range(self, expr: t.RangeOf, env: Env) -> list[Any] | None:
        """Return low, low + step, ..., up to high, or None if low, step or high is *none*."""
        low, high = self.value(expr.low, env), self.value(expr.high, env)
        step = 1 if expr.step is None else self.value(expr.step, env)
        if low is None or high is None or step is None or step <= 0:
            return None
        values = []
        while low <= high:
            values.append(low)
            low += step
        return values

    def _steps(self, expr: t.Steps, env: Env) -> Iterator[tuple[Any, Any]]:
        """Yield the pairs (a, b) of neighbours within groups: a is not later than b, and no item is strictly between
        them.

        Items with equal keys are neighbours in both orders.
        """
        inner = list(self.bindings(expr.clauses, env))
        rows = [
            (
                i if expr.by is None else self.value(expr.by, each),
                True if expr.per is None else self.value(expr.per, each),
                self.value(expr.body, each),
            )
            for i, each in enumerate(inner)
        ]
        rows = [(by, per, row) for by, per, row in rows if by is not None and per is not None]
        for i, (a_by, a_per, a) in enumerate(rows):
            for k, (b_by, b_per, b) in enumerate(rows):
                between = (a_by < c_by < b_by and self._are_equal(a_per, c_per) for c_by, c_per, _ in rows)
                if i != k and self._are_equal(a_per, b_per) and a_by <= b_by and not any(between):
                    yield a, b

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        """Return the value of an aggregate, such as `sum`, over the bindings of its clauses."""
        inner = list(self.bindings(expr.clauses, env))
        match expr.function:
            case "all":
                return all(self.holds(expr.body, each) for each in inner)
            case "any":
                return any(self.holds(expr.body, each) for each in inner)
            case "count":
                return len(inner)
            case "first" | "last":
                return self._extreme_row(expr, inner)
            case "sum" | "min" | "max" | "all_different" | "the":
                return self._combine_terms(expr.function, [self.value(expr.body, each) for each in inner])
            case _:
                assert_never(expr.function)

    def _interval_rows(self, expr: t.Intervals, env: Env) -> list[tuple[Any, Any, Any, dict[t.Binding, Any]]]:
        """Return start, end, group and binding of each row that is an interval: rows in which none of these is
        missing.
        """
        rows = []
        for inner in self.bindings(expr.clauses, env):
            start, end = self.value(expr.start, inner), self.value(expr.end, inner)
            group = 0 if expr.per is None else self.value(expr.per, inner)
            if group is not None and not (start is None and end is None):
                rows.append((start, end, group, inner))
        return rows

    def _no_overlap(self, expr: t.Intervals, env: Env) -> bool:
        """Return whether rows that are intervals do not overlap within a group."""
        rows = self._interval_rows(expr, env)
        if any(start is None or end is None or end < start for start, end, _, _ in rows):
            return False

        def comes_first(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
            gap = 0 if expr.gap is None else self.value(expr.gap, one[3])
            return gap is not None and one[1] <= other[0] and one[1] + gap <= other[0]

        return all(
            comes_first(a, b) or comes_first(b, a)
            for i, a in enumerate(rows)
            for b in rows[:i]
            if self._are_equal(a[2], b[2])
        )

    def _peak(self, expr: t.Intervals, env: Env) -> Any:
        """Return the maximum total of amounts at any time, or None if it is undefined."""
        rows = self._interval_rows(expr, env)
        amounts = [self.value(expr.body, inner) for _, _, _, inner in rows]
        if None in amounts or any(start is None or end is None or end < start for start, end, _, _ in rows):
            return None
        moments = [(moment, group) for start, end, group, _ in rows for moment in (start, end)]
        sums = [
            sum(
                amount
                for amount, (start, end, other, _) in zip(amounts, rows, strict=True)
                if self._are_equal(group, other) and start <= moment < end
            )
            for moment, group in moments
        ]
        return max([0, *sums])

    def _combine_terms(self, function: str, terms: list[Any]) -> Any:
        """Return the value of an aggregate, given the values of its terms."""
        if function == "the":
            return only_value(terms)
        if any(term is None for term in terms):
            return None
        match function:
            case "sum":
                return sum(terms)
            case "min":
                return min(terms, default=None)
            case "max":
                return max(terms, default=None)
            case _:
                return not any(self._are_equal(a, b) for i, a in enumerate(terms) for b in terms[:i])

    def _extreme_row(self, expr: t.Aggregate, inner: list[dict[t.Binding, Any]]) -> Any:
        """Return the value with the minimum or maximum key, or None if several bindings have that key."""
        assert expr.by is not None
        keys = [self.value(expr.by, each) for each in inner]
        defined = [key for key in keys if key is not None]
        if not defined:
            return None
        best = min(defined) if expr.function == "first" else max(defined)
        return only_value([self.value(expr.body, each) for each, key in zip(inner, keys, strict=True) if key == best])


def only_value(values: list[Any]) -> Any:
    """Return the value in a list of exactly one value, or None for other lists."""
    return values[0] if len(values) == 1 else None
