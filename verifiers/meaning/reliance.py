"""An interpreter that notes on which rows of facts its results rely."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan


class Reliance(Interpreter):
    """An interpreter that notes rows of facts on which its results rely.

    What it has evaluated stays as it is as long as the rows that it noted stay, whatever other rows of the tables
    go. Where one part settles a result (a false operand of `and`, a binding that makes `any` true), it notes what
    that part relies on and nothing of the others. A row that is sought and not there needs no note, as none comes.

    Args:
        task: what expressions mean.
        plan: the rows of the plan tables.
        tables: the names of the tables of facts from which rows may go.

    Attributes:
        noted: the rows so far.
    """

    remembers = False

    def __init__(self, task: Task, plan: Plan | None, tables: Collection[str]) -> None:
        super().__init__(task, None if plan is None else Plan(plan.tables))
        self.noted: set[Row] = set()
        self._tables = frozenset(tables)
        self._defined: dict[t.Definition, tuple[Any, set[Row]]] = {}

    def note(self, values: Iterable[Any]) -> None:
        """Note those of the values that are rows which may go."""
        self.noted.update(v for v in values if isinstance(v, Row) and v._table.name in self._tables)

    def contains(self, collection: t.Expr, item: Any, env: Env) -> bool:
        """The collection has the item."""
        match collection:
            case t.AllRows(table=table):
                self.note((item,))
                return item in super().rows(table)
            case t.SetOf(clauses=clauses, body=body):
                return self._settled(self._each(clauses, env), clauses, body, item)
            case t.Apply(definition=definition) if not definition.params:
                return self.contains(definition.body, item, {})
            case _:
                return item in self.items(collection, env)

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in super().bindings(clauses, env):
            self.note(inner[target] for clause in clauses for target in clause.targets)
            yield inner

    def items(self, source: t.Expr, env: Env) -> Iterable[Any]:
        # a row that is only passed by may go; one that is bound is noted with its binding
        return super().rows(source.table) if isinstance(source, t.AllRows) else super().items(source, env)

    def rows(self, table: Table) -> Sequence[Row]:
        found = super().rows(table)
        if table.name in self._tables:
            self.note(found)
        return found

    def defined(self, definition: t.Definition) -> Any:
        known = self._defined.get(definition)
        if known is None:
            outer, self.noted = self.noted, set()
            known = self._defined[definition] = self.value(definition.body, {}), self.noted
            self.noted = outer
        self.noted |= known[1]
        return known[0]

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        found = super()._lookup(table, keys)
        if found is not None:
            self.note((found,))
        elif table.name in self._tables and None not in keys:  # of several rows one may be left
            wanted = [(table.columns[name], (key,)) for name, key in zip(table.key, keys, strict=False)]
            self.note(self.task.facts[table.name].rows_with(wanted))
        return found

    def _logic(self, expr: t.Logic, env: Env) -> bool:
        decisive = {"and": (False, False), "or": (True, True), "implies": (False, True)}[expr.op]
        outer, together = self.noted, set[Row]()
        settled = False
        for i, operand in enumerate(expr.operands):
            self.noted = set()
            if self.holds(operand, env) == decisive[min(i, 1)]:
                settled, together = True, self.noted
                break
            together |= self.noted
        self.noted = outer | together
        return settled != (expr.op == "and")

    def _in_set(self, expr: t.InSet, env: Env) -> bool | None:
        outer, self.noted = self.noted, set()
        found = super()._in_set(expr, env)
        if found and not expr.negated and not isinstance(expr.collection, t.RangeOf):
            self.noted = set()
            self.contains(expr.collection, self.value(expr.item, env), env)
        self.noted |= outer
        return found

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        if expr.function not in ("all", "any"):
            return super()._aggregate(expr, env)
        decisive = expr.function == "any"
        return self._settled(self._each(expr.clauses, env), expr.clauses, expr.body, decisive) == decisive

    def _settled(
        self, bindings: Iterable[Env], clauses: Sequence[t.Clause], body: t.Expr, wanted: Any
    ) -> bool:
        """In some binding the body has the value: then what the others rely on is no matter."""
        outer, self.noted = self.noted, set()
        settling = next((inner for inner in bindings if self.value(body, inner) == wanted), None)
        if settling is not None:
            self.noted = set()
            for clause in clauses:
                bound = tuple(settling[target] for target in clause.targets)
                self.contains(clause.source, bound if len(bound) > 1 else bound[0], settling)
                if clause.condition is not None:
                    self.holds(clause.condition, settling)
            self.value(body, settling)
        self.noted |= outer
        return settling is not None

    def _each(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[Env]:
        """The bindings, of which none is noted by itself: without it there is one less that might settle."""
        clause, *rest = clauses
        for inner in super().bindings((clause,), env):
            yield from self._each(rest, inner) if rest else (inner,)
