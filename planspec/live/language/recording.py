"""Checker that records the expected type, the visible variables and the result of every expression."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import Type
from planspec.dsl.syntax import nodes as s


@dataclass(frozen=True, slots=True, eq=False)
class ExpressionSighting:
    """One check of an expression.

    Attributes:
        env: variables in scope.
        expected: type required by the context, if known.
        checked: checked expression; of the type `Special.WRONG` if it has an error.
    """

    tree: s.Tree
    env: TypeEnv
    expected: Type | None
    checked: t.Expr

    @property
    def span(self) -> Span:
        """Place of the expression."""
        return self.tree.span


class RecordingChecker(Checker):
    """Checker that records every expression.

    Attributes:
        seen: checks, in the order in which they ended.
        bound: all variables of `for` clauses.
        neighbours: every `steps` over which a `for` ranges; it is not an expression of its own.
    """

    def __init__(self, names: Names, report: Report) -> None:
        super().__init__(names, report)
        self.seen: list[ExpressionSighting] = []
        self.bound: list[t.Binding] = []
        self.neighbours: list[s.Name] = []

    def expression(self, tree: s.Tree, env: TypeEnv, expected: Type | None = None) -> t.Expr:
        """Check an expression and record it."""
        checked = super().expression(tree, env, expected)
        self.seen.append(ExpressionSighting(tree, dict(env), expected, checked))
        return checked

    def clauses(
        self, trees: Iterable[s.For], env: TypeEnv, *, static: str | None = None
    ) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]]:
        """Check generator clauses and record their variables."""
        trees = tuple(trees)
        calls = (tree.source for tree in trees if isinstance(tree.source, s.CallOf))
        self.neighbours += (call.function for call in calls if call.function.name == "steps")
        clauses, inner = super().clauses(trees, env, static=static)
        self.bound += (target for clause in clauses for target in clause.targets)
        return clauses, inner
