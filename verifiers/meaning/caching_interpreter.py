"""An interpreter with a cache, for repeated evaluation of the same expressions on one plan."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.traversal import free_variables
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan

_FREE: Kind[t.Expr, tuple[t.Binding, ...]] = Kind("variables that an expression reads and does not bind")
_AGGREGATES: Kind[tuple[Any, ...], Any] = Kind("values of aggregates, by the values of their variables")


class CachingInterpreter(Interpreter):
    """An interpreter that caches the values of aggregates by the values of their free variables.

    Args:
        base: interpreter from which the task and all cached results are taken.
        plan: rows of the plan tables.
    """

    def __init__(self, base: Interpreter, plan: Plan) -> None:
        super().__init__(base.task, plan, base.meter, base.static)
        self._values = base._values
        self._indexes = base._indexes
        self._free = base.static.of(_FREE)
        self._aggregates = base.planned.of(_AGGREGATES)

    def free_variables_of(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        """Return the free variables of an expression."""
        variables = self._free.get(expr)
        if variables is None:
            variables = self._free[expr] = free_variables(expr)
        return variables

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        key = (expr, *[env[binding] for binding in self.free_variables_of(expr)])
        if key not in self._aggregates:
            self._aggregates[key] = super()._aggregate(expr, env)
        return self._aggregates[key]
