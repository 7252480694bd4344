"""The context of lowering an expression: the model, the rows, and the lowering of subexpressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.equalities import Equality, equalities, remaining_conditions
from planspec.dsl.model.facts import hashable
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType, Table
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.evaluate import satisfying
from planspec.solvers.ir.nodes import And, Bool, InDomain, Or
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.decision_rows import DecisionRows, ValueEncoding
from planspec.solvers.lowering.relations import EncounteredRelations
from planspec.solvers.lowering.symbolic import (
    Algebra,
    RowVariables,
    Value,
    combinations,
    is_concrete,
    leaves,
    size_of,
)

SymbolicEnv: TypeAlias = Mapping[t.Binding, Value]
"""Values of the variables in scope, by binding."""
MAX_FOLDED_VARIABLES = 3
"""Maximum number of variables of a condition that is folded into a table."""
SMALL_OF_MEMBERSHIPS = 100
"""Maximum number of cells of a table that replaces clauses of memberships."""
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
        self._remaining: dict[t.Clause, tuple[t.Expr, ...]] = {}
        self._slots_by_key: dict[tuple[str, tuple[str, ...]], Mapping[Any, Sequence[RowVariables]] | None] = {}

    @abstractmethod
    def condition(self, expr: t.Expr, env: SymbolicEnv) -> Bool:
        """Return a Boolean expression as a condition that is never *none*."""

    @abstractmethod
    def value(self, expr: t.Expr, env: SymbolicEnv) -> Value:
        """Return the lowered value of an expression. A Boolean one is lowered to a condition node or a `bool`."""

    def equalities(self, clause: t.Clause) -> tuple[Equality, ...]:
        """Return the equalities in a generator's condition for which a static table can use an index."""
        cached = self._equalities.get(clause)
        if cached is None:
            cached = self._equalities[clause] = equalities(clause)
        return cached

    def remaining_conditions(self, clause: t.Clause) -> tuple[t.Expr, ...]:
        """Return the parts of a generator's condition that remain to be tested after an index lookup by equalities."""
        cached = self._remaining.get(clause)
        if cached is None:
            cached = self._remaining[clause] = remaining_conditions(clause)
        return cached

    def slots_with_key(self, table: Table, keys: Sequence[Value]) -> Sequence[RowVariables]:
        """Return the slots of a plan table that may have a key, in their order.

        A slot is left out only if its value differs from the key in a column that is fixed in all slots. The
        slots' presence is not considered.

        Args:
            table: the plan table.
            keys: values of its leading key columns.
        """
        slots = self.slots.by_table[table.name]
        fixed = [
            (name, key)
            for name, key in zip(table.key, keys, strict=False)
            if is_concrete(key) and table.columns[name].type is not ScalarType.BOOL
        ]
        for columns in (fixed, *([one] for one in fixed if len(fixed) > 1)):
            if columns:
                index = self._index_slots(table, tuple(name for name, _ in columns))
                if index is not None:
                    return index.get(tuple(hashable(key) for _, key in columns), ())
        return slots

    def _index_slots(self, table: Table, columns: tuple[str, ...]) -> Mapping[Any, Sequence[RowVariables]] | None:
        """Return the slots of a plan table by their values in columns; None if such a value is not fixed in some slot."""
        place = table.name, columns
        if place not in self._slots_by_key:
            index: dict[Any, list[RowVariables]] = {}
            for slot in self.slots.by_table[table.name]:
                values = [slot.fields[name] for name in columns]
                if not all(map(is_concrete, values)):
                    self._slots_by_key[place] = None
                    break
                index.setdefault(tuple(map(hashable, values)), []).append(slot)
            else:
                self._slots_by_key[place] = index
        return self._slots_by_key[place]

    def compare_order(self, op: str, a: Value, b: Value) -> Bool:
        """Return the condition `a op b` for values that may be `Cases`."""
        choices = self.algebra.combine_cases((a, b))
        return self.model.disj(self.model.conj((g, self.atoms.compare(op, x, y))) for g, (x, y) in choices)

    def fold(self, condition: Bool) -> Bool:
        """Simplify a condition to a single membership or table if its variables have few combinations."""
        if not isinstance(condition, And | Or):
            return condition
        vars_ = tuple(leaves(condition, most=MAX_FOLDED_VARIABLES).values())
        most = (
            SMALL_OF_MEMBERSHIPS
            if isinstance(condition, Or) and all(isinstance(item, InDomain) for item in condition.items)
            else SMALL
        )
        if len(vars_) > MAX_FOLDED_VARIABLES or size_of(vars_) > most:
            return condition
        return self.model.in_table(vars_, satisfying(condition, vars_, combinations(vars_)))
