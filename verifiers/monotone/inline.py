"""Inlining of definitions, so that an analysis sees a single expression without calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import children, rebuild, walk
from planspec.dsl.model.types import RowType, ScalarType, Stage, Table

MAX_NODES = 20_000
"""Maximum number of nodes of an expression with inlined definitions. ExpressionTooLargeError is raised beyond it."""


class ExpressionTooLargeError(ValueError):
    """An expression with inlined definitions is too large."""


class Inliner:
    """Inliner of definitions.

    A call is not inlined if it does not read plan tables and has no plan rows as arguments: its value then depends
    only on its arguments.

    Args:
        tables: tables of the task, by name.
    """

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._nodes = 0

    def inlined(self, expr: t.Expr, env: Mapping[t.Binding, t.Expr] | None = None) -> t.Expr:
        """Return the expression with definitions inlined and parameters replaced according to `env`.

        Raises:
            ExpressionTooLargeError: the result has more than `MAX_NODES` nodes.
        """
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise ExpressionTooLargeError
        inner: Mapping[t.Binding, t.Expr] = env or {}

        def part(child: t.Expr) -> t.Expr:
            return self.inlined(child, inner)

        def fresh(targets: tuple[t.Binding, ...]) -> tuple[t.Binding, ...]:
            """Return new variables in place of `targets` if `expr` is in a definition; otherwise `targets`.

            Calls of the definition may be nested, and must not share variables.
            """
            nonlocal inner
            if not env:
                return targets
            new = tuple(replace(target) for target in targets)
            inner = {**inner, **dict(zip(targets, map(_planned_variable, new), strict=True))}
            return new

        match expr:
            case t.Var():
                return inner.get(expr.binding, expr)
            case t.Apply() if not self._is_opaque(expr):
                return self._inlined_call(expr, inner)
        rebuilt = rebuild(expr, part, fresh)
        is_planned = any(child.stage is Stage.PLANNED for child in children(rebuilt))
        return replace(rebuilt, stage=Stage.PLANNED) if is_planned else rebuilt

    def _is_opaque(self, call: t.Apply) -> bool:
        """Return whether the value of a call depends only on its arguments, so that the call is not inlined."""
        definition = call.definition
        return not reads_plan(definition.body) and not any(self._is_plan_variable(p) for p in definition.params)

    def _is_plan_variable(self, binding: t.Binding) -> bool:
        return isinstance(binding.type, RowType) and self._tables[binding.type.table].plan

    def _inlined_call(self, call: t.Apply, env: Mapping[t.Binding, t.Expr]) -> t.Expr:
        """Return the definition's body with the arguments inserted.

        A call is *none* (a Boolean call is false) if a mandatory argument is *none*. If an argument may be *none*, the
        body is combined with a condition that has the same effect.
        """
        params = call.definition.params
        args = [self.inlined(arg, env) for arg in call.args]
        body = self.inlined(call.definition.body, dict(zip(params, args, strict=True)))
        tests: list[t.Expr] = [
            t.IsNone(ScalarType.BOOL, arg.span, arg.stage, False, arg, negated=True)
            for param, arg in zip(params, args, strict=True)
            if not param.optional and may_be_none(arg)
        ]
        if not tests:
            return body
        stage = Stage.PLANNED if any(p.stage is Stage.PLANNED for p in (*tests, body)) else body.stage
        if call.type is ScalarType.BOOL:
            return t.Logic(ScalarType.BOOL, call.span, stage, False, "and", (*tests, body))
        present = (
            tests[0] if len(tests) == 1 else t.Logic(ScalarType.BOOL, call.span, stage, False, "and", tuple(tests))
        )
        none = t.Literal(call.type, call.span, Stage.STATIC, True, None)
        return t.Conditional(call.type, call.span, stage, True, present, body, none)


def _planned_variable(binding: t.Binding) -> t.Expr:
    # the stage `PLANNED` prevents evaluation outside the loop
    return t.Var(binding.type, binding.span, Stage.PLANNED, binding.optional, binding)


def reads_plan(expr: t.Expr) -> bool:
    """Return whether an expression, or a definition that it uses, reads plan tables."""
    return any(isinstance(n, t.AllRows | t.Lookup | t.OnlyRow) and n.table.plan for n in walk(expr))


def may_be_none(expr: t.Expr) -> bool:
    """Return whether an expression may be *none* on an incomplete plan.

    Such a plan may lack the row of a `one` table, which has exactly one row in a complete plan.
    """
    return expr.partial or any(isinstance(n, t.OnlyRow) for n in walk(expr))
