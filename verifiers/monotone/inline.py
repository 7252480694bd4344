"""Definitions written out where they are used, so that an analysis sees one expression and no calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import children, rebuild, walk
from planspec.dsl.model.types import RowType, ScalarType, Stage, Table

MOST_NODES = 20_000
"""The largest size to which an expression may grow."""


class ExpressionTooLargeError(ValueError):
    """An expression that is too large once its definitions are written out."""


class Inliner:
    """Writes definitions out.

    Calls that neither read the plan's tables nor take a row of them stay as they are: their value changes
    only with their arguments.

    Args:
        tables: of the task, by name.
    """

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        self._nodes = 0

    def written_out(self, expr: t.Expr, env: Mapping[t.Binding, t.Expr] | None = None) -> t.Expr:
        """The same expression without such calls, parameters replaced by what `env` has for them.

        Raises:
            ExpressionTooLargeError: it has more than `MOST_NODES` nodes.
        """
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise ExpressionTooLargeError
        inner: Mapping[t.Binding, t.Expr] = env or {}

        def part(child: t.Expr) -> t.Expr:
            return self.written_out(child, inner)

        def fresh(targets: tuple[t.Binding, ...]) -> tuple[t.Binding, ...]:
            """Within a definition each use has variables of its own, as uses may nest."""
            nonlocal inner
            if not env:
                return targets
            new = tuple(replace(target) for target in targets)
            inner = {**inner, **dict(zip(targets, map(_var, new), strict=True))}
            return new

        match expr:
            case t.Var():
                return inner.get(expr.binding, expr)
            case t.Apply() if not self._opaque(expr):
                return self._call(expr, inner)
        made = rebuild(expr, part, fresh)
        planned = any(child.stage is Stage.PLANNED for child in children(made))
        return replace(made, stage=Stage.PLANNED) if planned else made

    def _opaque(self, call: t.Apply) -> bool:
        definition = call.definition
        return not reads_plan(definition.body) and not any(self._of_plan(p) for p in definition.params)

    def _of_plan(self, binding: t.Binding) -> bool:
        return isinstance(binding.type, RowType) and self._tables[binding.type.table].plan

    def _call(self, call: t.Apply, env: Mapping[t.Binding, t.Expr]) -> t.Expr:
        """The body with the arguments in it; none (or false) where a strict one is none."""
        params = call.definition.params
        args = [self.written_out(arg, env) for arg in call.args]
        body = self.written_out(call.definition.body, dict(zip(params, args, strict=True)))
        given: list[t.Expr] = [
            t.IsNone(ScalarType.BOOL, arg.span, arg.stage, False, arg, negated=True)
            for param, arg in zip(params, args, strict=True)
            if not param.optional and may_be_none(arg)
        ]
        if not given:
            return body
        stage = Stage.PLANNED if any(p.stage is Stage.PLANNED for p in (*given, body)) else body.stage
        if call.type is ScalarType.BOOL:
            return t.Logic(ScalarType.BOOL, call.span, stage, False, "and", (*given, body))
        both = (
            given[0]
            if len(given) == 1
            else t.Logic(ScalarType.BOOL, call.span, stage, False, "and", tuple(given))
        )
        none = t.Literal(call.type, call.span, Stage.STATIC, True, None)
        return t.Conditional(call.type, call.span, stage, True, both, body, none)


def _var(binding: t.Binding) -> t.Expr:
    # whatever it stands for, it is a value at hand; planned, so that nobody works it out ahead of the loop
    return t.Var(binding.type, binding.span, Stage.PLANNED, binding.optional, binding)


def reads_plan(expr: t.Expr) -> bool:
    """The plan's tables are asked somewhere in it, or in a definition that it uses."""
    return any(isinstance(n, t.AllRows | t.Lookup | t.OnlyRow) and n.table.plan for n in walk(expr))


def may_be_none(expr: t.Expr) -> bool:
    """It may be none on a plan that is still growing, where the row of a `one` table can be missing."""
    return expr.partial or any(isinstance(n, t.OnlyRow) for n in walk(expr))
