"""The context in which an expression is lowered: the model, the plan rows, and the lowering of subexpressions."""

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
"""Symbolic values of the bound variables of an expression, by binding."""
MAX_FOLDED_VARIABLES = 3
"""Maximum number of variables in a condition that is replaced by a table."""
SMALL_OF_MEMBERSHIPS = 100
"""Maximum number of cells in a table that replaces a disjunction of memberships, such as `x in {1, 2} or y in {3}`."""
SMALL = 2_000
"""Maximum number of cells in a table that results from combining tables or from a choice between tables."""


class LoweringContext(ABC):
    """The current lowering (translation of a task for back ends), as seen by the modules for parts of the language.

    Attributes:
        task: the task that is lowered.
        model: builder of the nodes.
        slots: rows that the plan may have, as decision variables.
        algebra: operations on symbolic values.
        atoms: builder of conditions for comparisons and memberships.
        tabulated: cache of tables of functions that read only static data.
        encountered: uses of `steps`, `first`, `last`, `no_overlap`, `peak` and `all_different` that have been lowered.
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
        """Translate a Boolean expression to a condition on the plan, which is false if the expression is *none*.

        `env` has the values of the variables that are bound outside the expression.
        """

    @abstractmethod
    def value(self, expr: t.Expr, env: SymbolicEnv) -> Value:
        """Translate an expression to a symbolic value. A Boolean expression becomes a condition or a `bool`.

        `env` has the values of the variables that are bound outside the expression.
        """

    def equalities(self, clause: t.Clause) -> tuple[Equality, ...]:
        """Return the equalities by which an index can find the rows of a static table that a generator selects.

        An example is `x.city == c` in `for x in R if x.city == c and x.price < 9`.
        """
        cached = self._equalities.get(clause)
        if cached is None:
            cached = self._equalities[clause] = equalities(clause)
        return cached

    def remaining_conditions(self, clause: t.Clause) -> tuple[t.Expr, ...]:
        """Return the parts of a generator's condition that a lookup in an index does not test; see `equalities`."""
        cached = self._remaining.get(clause)
        if cached is None:
            cached = self._remaining[clause] = remaining_conditions(clause)
        return cached

    def slots_with_key(self, table: Table, keys: Sequence[Value]) -> Sequence[RowVariables]:
        """Return the slots (rows that the plan may have) of a plan table whose key may have the given values.

        A slot is left out only if its value differs from `keys` in a column that is constant in every slot of the
        table. Whether a slot is present in the plan is not considered.

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
        """Return the slots (possible rows) of a plan table by their values in some columns.

        Return None if such a value depends on the plan.
        """
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
        """Return the condition that `a op b` holds and both are defined, for values of any kind, also `Cases`."""
        choices = self.algebra.combine_cases((a, b))
        return self.model.disj(self.model.conj((g, self.atoms.compare(op, x, y))) for g, (x, y) in choices)

    def fold(self, condition: Bool) -> Bool:
        """Replace a condition by a single membership or table if its variables have few combinations of values.

        Other conditions are returned unchanged.
        """
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
