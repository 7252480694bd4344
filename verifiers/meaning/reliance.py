"""An interpreter that records which rows of static tables its results rely on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan


class RelianceInterpreter(Interpreter):
    """An interpreter that records which rows of static tables its results rely on.

    A result remains the same if rows that are not recorded are removed from the tables. If one part determines a
    result, such as a false operand of `and`, only the rows of this part are recorded. A lookup that finds no row
    relies on nothing, since rows are removed but never added.

    Args:
        task: task to which expressions refer.
        plan: rows of the plan tables.
        tables: names of the static tables from which rows may be removed.

    Attributes:
        recorded_rows: rows recorded so far.
    """

    remembers = False
    seeks_alternatives = False

    def __init__(self, task: Task, plan: Plan | None, tables: Collection[str]) -> None:
        super().__init__(task, None if plan is None else Plan(plan.tables))
        self.recorded_rows: set[Row] = set()
        self._tables = frozenset(tables)
        self._defined: dict[t.Definition, tuple[Any, set[Row]]] = {}

    def record(self, values: Iterable[Any]) -> None:
        """Record those values that are rows of `tables`."""
        self.recorded_rows.update(v for v in values if isinstance(v, Row) and v._table.name in self._tables)

    def contains(self, collection: t.Expr, item: Any, env: Env) -> bool:
        """Return whether a collection contains an item, and record the rows that decide this."""
        match collection:
            case t.AllRows(table=table):
                self.record((item,))
                return item in super().rows(table)
            case t.SetOf(clauses=clauses, body=body):
                return self._is_attained(self._bindings_unrecorded(clauses, env), clauses, body, item)
            case t.Apply(definition=definition) if not definition.params:
                return self.contains(definition.body, item, {})
            case _:
                return item in self.items(collection, env)

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in super().bindings(clauses, env):
            self.record(inner[target] for clause in clauses for target in clause.targets)
            yield inner

    def items(self, source: t.Expr, env: Env) -> Iterable[Any]:
        # not recorded: removing a row that a loop skips changes nothing, and `bindings` records the others
        return super().rows(source.table) if isinstance(source, t.AllRows) else super().items(source, env)

    def rows(self, table: Table) -> Sequence[Row]:
        rows = super().rows(table)
        if table.name in self._tables:
            self.record(rows)
        return rows

    def defined(self, definition: t.Definition) -> Any:
        entry = self._defined.get(definition)
        if entry is None:
            outer, self.recorded_rows = self.recorded_rows, set()
            entry = self._defined[definition] = self.value(definition.body, {}), self.recorded_rows
            self.recorded_rows = outer
        self.recorded_rows |= entry[1]
        return entry[0]

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        row = super()._lookup(table, keys)
        if row is not None:
            self.record((row,))
        elif table.name in self._tables and None not in keys:  # several rows match; a removal may leave only one
            conditions = [(table.columns[name], (key,)) for name, key in zip(table.key, keys, strict=False)]
            self.record(self.task.facts[table.name].rows_with(conditions))
        return row

    def _logic(self, expr: t.Logic, env: Env) -> bool:
        decisive = {"and": (False, False), "or": (True, True), "implies": (False, True)}[expr.op]
        outer, together = self.recorded_rows, set[Row]()
        is_settled = False
        for i, operand in enumerate(expr.operands):
            self.recorded_rows = set()
            if self.holds(operand, env) == decisive[min(i, 1)]:
                is_settled, together = True, self.recorded_rows
                break
            together |= self.recorded_rows
        self.recorded_rows = outer | together
        return is_settled != (expr.op == "and")

    def _in_set(self, expr: t.InSet, env: Env) -> bool | None:
        outer, self.recorded_rows = self.recorded_rows, set()
        result = super()._in_set(expr, env)
        if result and not expr.negated and not isinstance(expr.collection, t.RangeOf):
            self.recorded_rows = set()
            self.contains(expr.collection, self.value(expr.item, env), env)
        self.recorded_rows |= outer
        return result

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        if expr.function not in ("all", "any"):
            return super()._aggregate(expr, env)
        decisive = expr.function == "any"
        return (
            self._is_attained(self._bindings_unrecorded(expr.clauses, env), expr.clauses, expr.body, decisive)
            == decisive
        )

    def _is_attained(self, bindings: Iterable[Env], clauses: Sequence[t.Clause], body: t.Expr, value: Any) -> bool:
        """Return whether the body equals `value` for some binding. If so, record only the rows of that binding."""
        outer, self.recorded_rows = self.recorded_rows, set()
        settling = next((inner for inner in bindings if self.value(body, inner) == value), None)
        if settling is not None:
            self.recorded_rows = set()
            for clause in clauses:
                bound = tuple(settling[target] for target in clause.targets)
                self.contains(clause.source, bound if len(bound) > 1 else bound[0], settling)
                if clause.condition is not None:
                    self.holds(clause.condition, settling)
            self.value(body, settling)
        self.recorded_rows |= outer
        return settling is not None

    def _bindings_unrecorded(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[Env]:
        """Yield the bindings without recording their rows, since removing a row never adds a binding."""
        clause, *rest = clauses
        for inner in super().bindings((clause,), env):
            yield from self._bindings_unrecorded(rest, inner) if rest else (inner,)
