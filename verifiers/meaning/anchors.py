"""Temporal anchors: plan rows whose times must match times in static tables, such as bookings.

A library can declare the number of anchors as the measure `anchors`. Otherwise a plan row counts as an anchor if a
hard constraint looks up one of its times in a static table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import make_row
from planspec.dsl.model.traversal import children, free_variables, rebuild, walk
from planspec.dsl.model.types import ScalarType, Stage
from planspec.verifiers.meaning.ground import Ground, GroundRow
from planspec.verifiers.meaning.interpret import Env

MEASURE = "anchors"
"""If a library defines a measure of this name, its value is the number of anchors, instead of the count here."""
_Rows = Mapping[t.Binding, Sequence[int]]
"""For each loop variable over a plan table, the positions of the rows in scope (candidate rows) that it may take."""


def anchors(ground: Ground) -> int:
    """Return the value of the measure `anchors` if the task has it; otherwise the number of anchors in the scope.

    A row in scope is an anchor if a hard constraint looks up one of its times in a static table, in one of three ways:

    - The time is part of a key, as in `Slot[v.place, v.day, v.start]`.
    - The time must equal a column of a static row.
    - The time must be in a set of such columns.

    If the constraint loops over rows with a condition, only rows that can satisfy the condition count.
    """
    if MEASURE in ground.task.measures and ground.task.definitions[MEASURE].body.stage is Stage.STATIC:
        return int(ground.interpreter.defined(ground.task.definitions[MEASURE]))
    rows: set[tuple[str, int]] = set()
    for instance in ground.instances:
        if instance.applicable and instance.constraint.hard:
            search = _AnchorSearch(ground, rows)
            search.visit(instance.constraint.body, instance.env, {})
    return len(rows)


@dataclass(slots=True)
class _AnchorSearch:
    """Search for anchors: rows in scope with a time that an instance of a constraint looks up in a static table.

    Attributes:
        ground: the task.
        anchors: anchors found so far, as (plan table, position of the row in scope).
    """

    ground: Ground
    anchors: set[tuple[str, int]]
    _tables: dict[t.Binding, str] = field(default_factory=dict)
    _loops: dict[t.Binding, tuple[t.Clause, Env]] = field(default_factory=dict)

    def visit(self, expr: t.Expr, env: Env, rows: _Rows) -> None:
        """Add to `anchors` the rows in scope with a time that an expression looks up in a static table.

        For example, `Slot[v.place, v.day, v.start]` looks up the time `v.start` of the plan row `v`. Parts of the
        expression are searched, too.

        Args:
            expr: the expression.
            env: values of the `for:` variables of the instance.
            rows: for each variable of an enclosing loop over a plan table, the rows in scope that it may take.
        """
        for time in _times_looked_up(expr):
            self._record_rows(time, env, rows)
        match expr:
            case t.Apply():
                self.visit(_called_body(expr), env, rows)
            case (
                t.Aggregate(clauses=clauses)
                | t.Intervals(clauses=clauses)
                | t.SetOf(clauses=clauses)
                | t.Steps(clauses=clauses)
            ):
                bound = dict(rows)
                for clause in clauses:
                    if clause.source.stage is Stage.STATIC:
                        self._loops.update((target, (clause, env)) for target in clause.targets)
                    if isinstance(clause.source, t.AllRows) and clause.source.table.plan:
                        for target in clause.targets:
                            self._tables[target] = clause.source.table.name
                            bound[target] = list(self._possible_rows(clause, target, env))
                rows = bound
        for child in children(expr):
            self.visit(child, env, rows)

    def _record_rows(self, time: t.FieldOf, env: Env, rows: _Rows) -> None:
        match time.row:
            case t.Var(binding=binding) if binding in rows:
                self.anchors.update((self._tables[binding], i) for i in rows[binding])
            case t.OnlyRow(table=table):
                self.anchors.update((table.name, i) for i in range(len(self.ground.rows[table.name])))
            case t.Lookup(table=table, keys=keys):
                named = [self._values(key, env) for key in keys]
                self.anchors.update(
                    (table.name, i)
                    for i, row in enumerate(self.ground.rows[table.name])
                    if all(
                        values is None or any(row.fields[name].admits(value) for value in values)
                        for name, values in zip(table.key, named, strict=False)
                    )
                )

    def _values(self, key: t.Expr, env: Env) -> Sequence[Any] | None:
        """Return the possible values of an expression for a key column; None if they are unknown."""
        if key.stage is not Stage.STATIC:
            return None
        looped = [binding for binding in free_variables(key) if binding not in env]
        if not looped:
            return [self.ground.interpreter.value(key, env)]
        if len(looped) > 1 or looped[0] not in self._loops:
            return None
        clause, outer = self._loops[looped[0]]
        values = self._loop_values(clause, outer)
        return values and [self.ground.interpreter.value(key, {**env, looped[0]: value}) for value in values]

    def _loop_values(self, clause: t.Clause, env: Env) -> Sequence[Any] | None:
        """Return the possible values of the variable of a loop over static data; None if they are unknown."""
        target, *others = clause.targets
        if others or not set(free_variables(clause.source)) <= set(env):
            return None
        values = list(self.ground.interpreter.value(clause.source, env) or ())
        condition = clause.condition
        if condition is None or condition.stage is not Stage.STATIC:
            return values
        if not set(free_variables(condition)) <= {*env, target}:
            return values
        return [value for value in values if self.ground.interpreter.holds(condition, {**env, target: value})]

    def _possible_rows(self, clause: t.Clause, target: t.Binding, env: Env) -> Iterator[int]:
        """Yield the positions of the rows in scope that can satisfy the condition of a loop."""
        assert isinstance(clause.source, t.AllRows)
        condition = clause.condition
        parts = condition.operands if isinstance(condition, t.Logic) and condition.op == "and" else (condition,)
        for i, row in enumerate(self.ground.rows[clause.source.table.name]):
            fixed = {name: domain for name, domain in row.fields.items() if not domain.open}
            values = {name: (domain.values or (None,))[0] for name, domain in fixed.items()}
            bound = {**env, target: make_row(row.table, {c: values.get(c) for c in row.table.columns}, i)}
            decided = (part for part in parts if part is not None and _is_decidable(part, target, row, bound))
            if all(self.ground.interpreter.holds(part, bound) for part in decided):
                yield i


def _called_body(call: t.Apply) -> t.Expr:
    """Return the body of the called definition, with the arguments in place of the parameters.

    No variable is captured: definitions are not recursive, so an argument never contains a variable bound in the body.
    """
    args = dict(zip(call.definition.params, call.args, strict=True))

    def inserted(expr: t.Expr) -> t.Expr:
        if isinstance(expr, t.Var):
            return args.get(expr.binding, expr)
        rebuilt = rebuild(expr, inserted)
        planned = any(child.stage is Stage.PLANNED for child in children(rebuilt))
        return replace(rebuilt, stage=Stage.PLANNED) if planned else rebuilt

    return inserted(call.definition.body)


def _is_decidable(part: t.Expr, target: t.Binding, row: GroundRow, env: Env) -> bool:
    """Return whether a condition of a loop has the same value for all plan rows that can match a row in scope.

    Args:
        part: the condition, or an operand of it.
        target: variable of the loop.
        row: row in scope.
        env: variables with a value.
    """
    if not set(free_variables(part)) <= set(env):
        return False
    for node in walk(part):
        match node:
            case t.FieldOf(row=t.Var(binding=binding), column=column) if binding is target:
                if row.fields[column.name].open:
                    return False
            case t.Apply() | t.OnlyRow() | t.AllRows() | t.Lookup() if node.stage is not Stage.STATIC:
                return False
    return True


def _times_looked_up(expr: t.Expr) -> Iterator[t.FieldOf]:
    """Yield the times of plan rows, such as `v.start`, that an expression looks up in static tables.

    The expression looks up a time if it uses the time as a key of a static table, compares the time with a column of a
    static row by `==`, or tests whether the time is in a set of such columns. Parts of the expression are not searched.
    """
    match expr:
        case t.Lookup(table=table, keys=keys) if not table.plan:
            yield from filter(_is_planned_time, map(_unfolded, keys))
        case t.Compare(operands=operands, ops=("==",)):
            a, b = map(_unfolded, operands)
            yield from (time for time, fact in ((a, b), (b, a)) if _is_planned_time(time) and _is_fact(fact))
        case t.InSet(item=item, collection=t.SetOf(body=fact), negated=False) if _is_fact(_unfolded(fact)):
            yield from filter(_is_planned_time, [_unfolded(item)])


def _unfolded(expr: t.Expr) -> t.Expr:
    """Return an expression after inlining the outermost calls, until it is not a call."""
    while isinstance(expr, t.Apply):
        expr = _called_body(expr)
    return expr


def _is_planned_time(expr: t.Expr) -> TypeGuard[t.FieldOf]:
    return (
        isinstance(expr, t.FieldOf)
        and expr.stage is Stage.PLANNED
        and expr.type in (ScalarType.TIME, ScalarType.MOMENT)
    )


def _is_fact(expr: t.Expr) -> bool:
    """Return whether an expression is a column of a loop variable over a static table."""
    return isinstance(expr, t.FieldOf) and isinstance(expr.row, t.Var) and expr.row.stage is Stage.STATIC
