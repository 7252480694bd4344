"""The context of lowering an expression: the model, the rows, and the lowering of subexpressions."""

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
from planspec.solvers.lowering.routes import EncounteredRelations
from planspec.solvers.lowering.symbolic import Algebra, Value, combinations, leaves, size_of

SymbolicEnv: TypeAlias = Mapping[t.Binding, Value]
"""Values of variables."""
SMALL = 2_000
"""Maximum number of cells of a table that results from combining tables or from a choice between them."""


class LoweringContext(ABC):
    """Interface of the current lowering for the modules that lower parts of an expression.

    Attributes:
        task: the task that is lowered.
        model: builder of the nodes.
        slots: rows of the search.
        algebra: operations on values.
        atoms: comparisons and memberships.
        tabulated: results of static functions over codes.
        encountered: uses of `steps`, `first` and `last` that have been lowered.
    """

    def __init__(self, task: Task, model: NodeBuilder, slots: DecisionRows, coding: ValueEncoding) -> None:
        self.task = task
        self.model = model
        self.slots = slots
        self.algebra = Algebra(model)
        self.atoms = Atoms(model, self.algebra, coding)
        self.tabulated = coding.tabulated
        self.encountered = EncounteredRelations()
        self._equalities: dict[t.Clause, tuple[Equality, ...]] = {}

    @abstractmethod
    def condition(self, expr: t.Expr, env: SymbolicEnv) -> Bool:
        """Return a Boolean expression as a condition that is never *none*."""

    @abstractmethod
    def value(self, expr: t.Expr, env: SymbolicEnv) -> Value:
        """Return the value of any expression. That of a Boolean one is a condition or a plain truth value."""

    def equalities(self, clause: t.Clause) -> tuple[Equality, ...]:
        """Return the equalities in a generator's condition for which a static table can use an index."""
        cached = self._equalities.get(clause)
        if cached is None:
            cached = self._equalities[clause] = equalities(clause)
        return cached

    def compare_order(self, op: str, a: Value, b: Value) -> Bool:
        """Return the condition `a op b` for values that may be `Cases`."""
        choices = self.algebra.combine_cases((a, b))
        return self.model.disj(self.model.conj((g, self.atoms.compare(op, x, y))) for g, (x, y) in choices)

    def fold(self, condition: Bool) -> Bool:
        """Simplify a condition to a single membership or table if its variables have few combinations."""
        if not isinstance(condition, And | Or):
            return condition
        variables = leaves(condition)
        vars_ = tuple(variables.values())
        if len(vars_) > 3 or size_of(vars_) > SMALL:
            return condition
        return self.model.in_table(vars_, satisfying(condition, vars_, combinations(vars_)))
