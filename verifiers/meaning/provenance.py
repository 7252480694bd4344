"""An interpreter that notes which rows of a plan were read."""

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

_NAMED: Kind[t.Expr, tuple[t.Binding, ...] | None] = Kind(
    "plan rows that an expression names and alone reads"
)


class ProvenanceInterpreter(Interpreter):
    """An interpreter that notes the plan rows that values come from, but not those that filters turn down.

    Args:
        quiet: evaluates what nothing is noted of.
        plan: the rows of the plan tables.

    Attributes:
        seen: the rows that were noted, in the order of their first times.
    """

    def __init__(self, quiet: CachingInterpreter, plan: Plan) -> None:
        super().__init__(quiet.task, plan, quiet.meter, quiet.static)
        self._named = quiet.static.of(_NAMED)
        self.seen: dict[Row, None] = {}
        self._quiet = quiet

    def value(self, expr: t.Expr, env: Env) -> Any:
        rows = self._named_rows(expr)
        if rows is None:
            found = super().value(expr, env)
            self.note((found,))
        else:
            found = self._quiet.value(expr, env)
            self.note([env[binding] for binding in rows])
        return found

    def bindings(self, clauses: Sequence[t.Clause], env: Env) -> Iterator[dict[t.Binding, Any]]:
        for inner in super().bindings(clauses, env):
            self.note(inner.values())
            yield inner

    def meets(self, condition: t.Expr, env: Env) -> bool:
        return self._quiet.meets(condition, env)

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        return self._quiet.candidates(clause, env)

    def items(self, source: t.Expr, env: Env) -> Iterable[Any]:
        return self._quiet.items(source, env)

    def extreme(self, expr: t.Aggregate, env: Env) -> dict[t.Binding, Any] | None:
        return self._quiet.extreme(expr, env)

    def defined(self, definition: t.Definition) -> Any:
        static = definition.body.stage is Stage.STATIC
        return super().defined(definition) if static else self.value(definition.body, {})

    def note(self, values: Iterable[Any]) -> None:
        """Note those of the values that are rows of the plan."""
        self.seen.update((value, None) for value in values if isinstance(value, Row) and value._table.plan)

    def _named_rows(self, expr: t.Expr) -> tuple[t.Binding, ...] | None:
        """The plan rows of an expression that reads each of its variables and nothing else of a plan; else None."""
        if expr not in self._named:
            rows = [binding for binding in free_variables(expr) if self._is_plan_row(binding.type)]
            self._named[expr] = tuple(rows) if self._reads_its_variables(expr) else None
        return self._named[expr]

    def _reads_its_variables(self, expr: t.Expr) -> bool:
        match expr:
            case t.Var() | t.Literal() | t.GivenRef() | t.RowNamed():
                return True
            case (
                t.FieldOf() | t.Lookup() | t.Negate() | t.Arith() | t.Compare()
                | t.IsNone() | t.IsUnknown() | t.Call()
            ):  # fmt: skip
                parts = children(expr)
                return not self._is_plan_row(expr.type) and all(map(self._reads_its_variables, parts))
            case _:
                return False

    def _is_plan_row(self, of: Type) -> bool:
        return isinstance(of, RowType) and self.task.tables[of.table].plan
