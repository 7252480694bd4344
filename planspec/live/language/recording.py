"""A checker that takes notes: of every expression what was expected, what was in reach, and what came of it."""

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
class Sighting:
    """An expression as it was checked once.

    Attributes:
        env: the variables that it sees.
        expected: the type that its place has, if one is known.
        made: what it means; of the type `Special.WRONG` where it has a mistake.
    """

    tree: s.Tree
    env: TypeEnv
    expected: Type | None
    made: t.Expr

    @property
    def span(self) -> Span:
        """Its place."""
        return self.tree.span


class RecordingChecker(Checker):
    """Notes every expression that it checks.

    Attributes:
        seen: in the order in which checking ended.
        bound: every variable of a `for`.
        neighbours: every `steps` over which a `for` ranges; it is no expression of its own.
    """

    def __init__(self, names: Names, report: Report) -> None:
        super().__init__(names, report)
        self.seen: list[Sighting] = []
        self.bound: list[t.Binding] = []
        self.neighbours: list[s.Name] = []

    def expression(self, tree: s.Tree, env: TypeEnv, expected: Type | None = None) -> t.Expr:
        """Any expression, noted."""
        made = super().expression(tree, env, expected)
        self.seen.append(Sighting(tree, dict(env), expected, made))
        return made

    def clauses(
        self, trees: Iterable[s.For], env: TypeEnv, *, static: str | None = None
    ) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]]:
        """Generator clauses, whose variables are noted."""
        trees = tuple(trees)
        calls = (tree.source for tree in trees if isinstance(tree.source, s.CallOf))
        self.neighbours += (call.function for call in calls if call.function.name == "steps")
        made, inner = super().clauses(trees, env, static=static)
        self.bound += (target for clause in made for target in clause.targets)
        return made, inner
