"""The context in which one kind of expression is lowered: the model, the rows, and the parts' own lowering."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import Equality, equalities
from planspec.dsl.model.task import Task
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import satisfying
from planspec.solvers.ir.nodes import And, Bool, Or
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.decision_rows import DecisionRows, ValueEncoding
from planspec.solvers.lowering.routes import Met
from planspec.solvers.lowering.symbolic import Algebra, Value, combinations, leaves, size_of

SymbolicEnv: TypeAlias = Mapping[t.Binding, Value]
"""The values of variables."""
SMALL = 2_000
"""Tables are combined, and a choice between them is tabulated, up to this many cells."""


class LoweringContext(ABC):
    """The lowering in hand, as its helpers see it.

    Attributes:
        task: the task that is lowered.
        model: makes the nodes.
        slots: the rows of the search.
        algebra: what can be done with values.
        atoms: comparisons and memberships.
        tabulated: what static functions come to over codes.
        met: relations of neighbours and rankings that were lowered.
    """

    def __init__(self, task: Task, model: NodeBuilder, slots: DecisionRows, coding: ValueEncoding) -> None:
        self.task = task
        self.model = model
        self.slots = slots
        self.algebra = Algebra(model)
        self.atoms = Atoms(model, self.algebra, coding)
        self.tabulated = coding.tabulated
        self.met = Met()
        self._equalities: dict[t.Clause, tuple[Equality, ...]] = {}

    @abstractmethod
    def condition(self, expr: t.Expr, env: SymbolicEnv) -> Bool:
        """A Boolean expression as a condition that is never none."""

    @abstractmethod
    def value(self, expr: t.Expr, env: SymbolicEnv) -> Value:
        """Any expression's value; Boolean ones as conditions (or plain truth values)."""

    def equalities(self, clause: t.Clause) -> tuple[Equality, ...]:
        """The equalities among a generator's conditions that an index of a static table answers."""
        found = self._equalities.get(clause)
        if found is None:
            found = self._equalities[clause] = equalities(clause)
        return found

    def ordered(self, op: str, a: Value, b: Value) -> Bool:
        """`a op b` for values that may be choices."""
        ways = self.algebra.spread((a, b))
        return self.model.disj(self.model.conj((g, self.atoms.compare(op, x, y))) for g, (x, y) in ways)

    def folded(self, condition: Bool) -> Bool:
        """The same condition as one membership or table, where its variables have few combinations."""
        if not isinstance(condition, And | Or):
            return condition
        found = leaves(condition)
        over = tuple(found.values())
        if len(over) > 3 or size_of(over) > SMALL:
            return condition
        return self.model.in_table(over, satisfying(condition, over, combinations(over)))
