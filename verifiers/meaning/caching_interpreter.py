"""An interpreter for many evaluations of the same expressions on one plan."""

from __future__ import annotations

from typing import Any

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import free_variables
from planspec.verifiers.meaning.interpret import Env, Interpreter
from planspec.verifiers.meaning.plan_rows import Plan


class Remembering(Interpreter):
    """An interpreter that works out an aggregate once for the same values of its variables.

    Args:
        of: shares what it worked out about the task and the plan.
        plan: the rows of the plan tables.
    """

    def __init__(self, of: Interpreter, plan: Plan) -> None:
        super().__init__(of.task, plan, of.meter)
        self.static = of.static
        self._planned = of._planned
        self._free: dict[t.Expr, tuple[t.Binding, ...]] = of.static.setdefault((Remembering, "free"), {})

    def free(self, expr: t.Expr) -> tuple[t.Binding, ...]:
        """The variables that an expression reads and does not bind."""
        found = self._free.get(expr)
        if found is None:
            found = self._free[expr] = free_variables(expr)
        return found

    def _aggregate(self, expr: t.Aggregate, env: Env) -> Any:
        key = (expr, *[env[binding] for binding in self.free(expr)])
        if key not in self._planned:
            self._planned[key] = super()._aggregate(expr, env)
        return self._planned[key]
