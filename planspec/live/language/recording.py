"""Checker that records its result for every expression."""

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
class ExpressionCheck:
    """Record of one check of an expression.

    Attributes:
        tree: syntax tree of the expression.
        env: variables in scope, by name.
        expected: type that the context requires; None if any type is allowed.
        checked: result of the check. An expression with an error has the type `Special.WRONG`.
    """

    tree: s.Tree
    env: TypeEnv
    expected: Type | None
    checked: t.Expr

    @property
    def span(self) -> Span:
        """Span of the expression in the source."""
        return self.tree.span


class RecordingChecker(Checker):
    """Checker that records its result for every expression.

    Attributes:
        checks: checks of expressions, in order of completion.
        bindings: variables of all `for` clauses.
        steps_names: places where `for` clauses use the builtin `steps`, which is not checked as an expression.
    """

    def __init__(self, names: Names, report: Report) -> None:
        super().__init__(names, report)
        self.checks: list[ExpressionCheck] = []
        self.bindings: list[t.Binding] = []
        self.steps_names: list[s.Name] = []

    def expression(self, tree: s.Tree, env: TypeEnv, expected: Type | None = None) -> t.Expr:
        """Check an expression and record it."""
        checked = super().expression(tree, env, expected)
        self.checks.append(ExpressionCheck(tree, dict(env), expected, checked))
        return checked

    def clauses(
        self, trees: Iterable[s.For], env: TypeEnv, *, static: str | None = None
    ) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]]:
        """Check generator clauses and record their variables."""
        trees = tuple(trees)
        calls = (tree.source for tree in trees if isinstance(tree.source, s.CallOf))
        self.steps_names += (call.function for call in calls if call.function.name == "steps")
        clauses, inner = super().clauses(trees, env, static=static)
        self.bindings += (target for clause in clauses for target in clause.targets)
        return clauses, inner
