"""An interpreter without a plan for many tool calls over the same tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import remaining_conditions
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import Table
from planspec.verifiers.meaning.interpret import Env, Interpreter

MAX_CACHED = 10_000
"""Maximum number of cached results of calls of definitions. When it is reached, the cache is emptied."""
_APPLIED: Kind[tuple[t.Definition, tuple[Any, ...]], Any] = Kind("values of definitions, by their arguments")

UNINDEXED_PARTS: Kind[t.Expr, tuple[t.Expr, ...]] = Kind(
    "parts of generators' conditions that an index does not ensure"
)


class RememberingInterpreter(Interpreter):
    """An interpreter without a plan that caches the values of definitions by their arguments.

    It skips the parts of a generator's condition that an index has already ensured. Rows are looked up by complete
    keys directly in the table.
    """

    seeks_alternatives = False

    def apply(self, expr: t.Apply, env: Env) -> Any:
        """Return the value of a definition or call; *none* or false if a mandatory argument is *none*."""
        definition = expr.definition
        if not definition.params:
            return self.defined(definition)
        arguments = self.arguments(expr, env)
        return None if arguments is None else self._applied_once(definition, arguments)

    def _applied_once(self, definition: t.Definition, arguments: Env) -> Any:
        """Return a definition's value for given arguments, computed once."""
        cache = self.static.of(_APPLIED)
        key = definition, tuple(arguments.values())
        if key not in cache:
            if len(cache) >= MAX_CACHED:
                cache.clear()
            cache[key] = self.value(definition.body, arguments)
        return cache[key]

    def candidates(self, clause: t.Clause, env: Env) -> Iterable[Any]:
        """Return the elements that a `for` clause visits, possibly without some that fail its condition."""
        rests = self.static.of(UNINDEXED_PARTS)
        if clause.condition is not None and clause.condition not in rests:
            rests[clause.condition] = remaining_conditions(clause)
        return super().candidates(clause, env)

    def meets(self, condition: t.Expr, env: Env) -> bool:
        """Return whether a generator's condition is true."""
        return all(self.holds(part, env) for part in self.static.of(UNINDEXED_PARTS)[condition])

    def _lookup(self, table: Table, keys: Sequence[Any]) -> Row | None:
        if len(keys) == len(table.key) and not table.plan and not any(isinstance(key, tuple) for key in keys):
            return self.task.facts[table.name].by_key.get(tuple(keys))
        return super()._lookup(table, keys)
