"""An interpreter for many evaluations of the same expressions on one plan."""

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
    """An interpreter that works out an aggregate once for the same values of its variables.

    Args:
        of: shares what it worked out about the task and the plan.
        plan: the rows of the plan tables.
    """

    def __init__(self, of: Interpreter, plan: Plan) -> None:
        super().__init__(of.task, plan, of.meter, of.static)
        self._values = of._values
        self._indexes = of._indexes
        self._free = of.static.of(_FREE)
        self._aggregates = of.planned.of(_AGGREGATES)

    def free(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        """The variables that an expression reads and does not bind."""
        found = self._free.get(expr)
        if found is None:
            found = self._free[expr] = free_variables(expr)
        return found

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        key = (expr, *[env[binding] for binding in self.free(expr)])
        if key not in self._aggregates:
            self._aggregates[key] = super()._aggregate(expr, env)
        return self._aggregates[key]
