"""An interpreter that records which plan rows a value depends on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.traversal import children, free_variables
from planspec.dsl.model.types import RowType, Stage, Type
from planspec.verifiers.meaning.caching_interpreter import CachingInterpreter
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

_READ: Kind[t.Expr, tuple[t.Expr, ...] | None] = Kind("plan rows that expressions always read")


class ProvenanceInterpreter(Interpreter):
    """An interpreter that records the plan rows on which values depend. Rows that a condition rejects do not count.

    Args:
        quiet: interpreter without recording, which evaluates parts whose rows are known.
        plan: rows of the plan tables.

    Attributes:
        seen: recorded rows, in the order of first occurrence.
    """

    def __init__(self, quiet: CachingInterpreter, plan: Plan) -> None:
        super().__init__(quiet.task, plan, quiet.meter, quiet.static)
        self._read = quiet.static.of(_READ)
        self.seen: dict[Row, None] = {}
        self._quiet = quiet

    def value(self, expr: t.Expr, env: Env) -> Any:
        rows = self._read[expr] if expr in self._read else self._rows_of(expr)
        if rows is None:
            result = super().value(expr, env)
            self.record((result,))
            return result
        if rows:
            self.record([self._quiet.value(row, env) for row in rows])
        return self._quiet.value(expr, env)

    def read(self, expr: t.Expr, env: Env) -> None:
        """Record the plan rows on which the value of an expression depends."""
        rows = self._rows_of(expr)
        if rows is None:
            self.value(expr, env)
        else:
            self.record([self._quiet.value(row, env) for row in rows])

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in self._quiet.bindings(clauses, env):
            self.record(inner.values())
            yield inner

    def items(self, source: t.Expr, env: Env) -> Iterable[Any]:
        return self._quiet.items(source, env)

    def extreme(self, expr: t.Aggregate, env: Env) -> dict[t.Binding, Any] | None:
        return self._quiet.extreme(expr, env)

    def defined(self, definition: t.Definition) -> Any:
        static = definition.body.stage is Stage.STATIC
        return super().defined(definition) if static else self.value(definition.body, {})

    def record(self, values: Iterable[Any]) -> None:
        """Record those values that are plan rows."""
        seen = self.seen
        for value in values:
            if isinstance(value, Row) and value._table.plan:
                seen[value] = None

    def _rows_of(self, expr: t.Expr) -> tuple[t.Expr, ...] | None:
        """Return expressions whose values are the plan rows that an expression reads, such as `v` for `v.start`.

        Return None if the rows depend on the evaluation, as in loops and conditionals.
        """
        if expr not in self._read:
            rows = self._rows_read(expr)
            self._read[expr] = None if rows is None else tuple(rows)
        return self._read[expr]

    def _rows_read(self, expr: t.Expr) -> list[t.Expr] | None:
        if expr.stage is Stage.STATIC and not any(self._is_plan_row(each.type) for each in free_variables(expr)):
            return []
        match expr:
            case (
                t.Var()
                | t.Literal()
                | t.GivenRef()
                | t.RowNamed()
                | t.OnlyRow()
                | t.FieldOf()
                | t.Lookup()
                | t.Negate()
                | t.Arith()
                | t.Compare()
                | t.IsNone()
                | t.IsUnknown()
                | t.Call()
                | t.InSet()
                | t.RangeOf()
                | t.SetLiteral()
            ):
                parts = [self._rows_of(part) for part in children(expr)]
                if any(part is None for part in parts):
                    return None
                rows = [row for part in parts for row in part or ()]
            case t.Apply(definition=definition):
                parts = [self._rows_of(part) for part in (*expr.args, definition.body)]
                if any(part is None for part in parts):
                    return None
                body = parts.pop() or ()
                if definition.params:
                    if not all(isinstance(row, t.Var) for row in body):
                        return None
                    body = ()  # the body reads only rows that are arguments, which `parts` already contains
                rows = [row for part in (*parts, body) for row in part or ()]
            case _:
                return None
        return [*rows, expr] if self._is_plan_row(expr.type) else rows

    def _is_plan_row(self, type_: Type) -> bool:
        return isinstance(type_, RowType) and self.task.tables[type_.table].plan
