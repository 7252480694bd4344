"""An interpreter for many calls over the same tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import remaining_conditions
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.interpret import Env, Interpreter

MOST = 10_000
"""The most values that are remembered."""
_APPLIED: Kind[tuple[t.Definition, tuple[Any, ...]], Any] = Kind("values of definitions, by their arguments")

RESTS: Kind[t.Expr, tuple[t.Expr, ...]] = Kind("what an index leaves of a generator's condition to look at")


class RememberingInterpreter(Interpreter):
    """An interpreter without a plan that works out a definition once for the same arguments.

    Of the conditions of a generator it looks only at those that the index behind its rows has not answered, and a row with a whole
    key it takes from the table itself.
    """

    def apply(self, expr: t.Apply, env: Env) -> Any:
        """A definition's value, or that of a call: none or false where a strict argument is none."""
        definition = expr.definition
        if not definition.params:
            return self.defined(definition)
        inner = self.arguments(expr, env)
        return None if inner is None else self._applied(definition, inner)

    def _applied(self, definition: t.Definition, inner: Env) -> Any:
        """The value of a definition for its arguments, worked out once."""
        known = self.static.of(_APPLIED)
        key = definition, tuple(inner.values())
        if key not in known:
            if len(known) >= MOST:
                known.clear()
            known[key] = self.value(definition.body, inner)
        return known[key]

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        """The elements that a generator runs through, at least all that meet its condition."""
        rests = self.static.of(RESTS)
        if clause.condition is not None and clause.condition not in rests:
            rests[clause.condition] = remaining_conditions(clause)
        return super().candidates(clause, env)

    def meets(self, condition: t.Expr, env: Env) -> bool:
        """A generator's condition is true."""
        return all(self.holds(part, env) for part in self.static.of(RESTS)[condition])

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        if len(keys) == len(table.key) and not table.plan and not any(isinstance(key, tuple) for key in keys):
            return self.task.facts[table.name].by_key.get(tuple(keys))
        return super()._lookup(table, keys)
