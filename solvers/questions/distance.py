"""The distance of plans from an answer, as linear expressions to minimise.

The distance consists of several measures (levels), in order of precedence: rows added or removed, fields changed,
minutes moved, money moved, and weight of violated soft constraints.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import ScalarType
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.lowering.symbolic import Algebra, RowVariables
from planspec.verifiers.meaning.plan_rows import Plan

LEVELS = ("rows", "fields", "minutes", "money", "soft")
"""Measures of the distance between a plan and an answer, in the order in which they are minimised."""
MINUTES = {ScalarType.TIME: 1, ScalarType.DURATION: 1, ScalarType.MOMENT: 1, ScalarType.DATE: MINUTES_A_DAY}
"""Minutes in one unit of a type's values: 1,440 for dates, which are days, and 1 for the others."""


@dataclass(frozen=True, slots=True)
class Levels:
    """The distance of the solver's plan from an answer, by level, and the matches of rows from which it is computed.

    Attributes:
        linears: linear expression to minimise on each level, by its name: `rows`, `fields`, `minutes`, `money`, `soft`.
        conditions: conditions that each row matches at most one other row.
        pairs: possible matches of a row of the plan with a row of the answer.
    """

    linears: Mapping[str, Linear]
    conditions: Sequence[Bool]
    pairs: Sequence[_Pair]


_Pair: TypeAlias = tuple[Bool, RowVariables, Row, bool]
"""Possible match of a row of the plan with a row of an answer.

The members are the condition that they match, the plan's row (as variables), the answer's row, and whether rows match
by key.
"""


class Distance:
    """The distance between the solver's plan and an answer.

    Args:
        lowered: the task, translated into a problem for solvers.
        answer: rows of the answer; a cell that could not be read is None.
    """

    def __init__(self, lowered: Lowered, answer: Plan) -> None:
        self._lowered = lowered
        self._answer = answer
        self._model = lowered.problem.model
        self._algebra = Algebra(self._model)
        self._atoms = Atoms(self._model, self._algebra, lowered.coding)
        self._conditions: list[Bool] = []

    def levels(self) -> Levels:
        """Return the distance as one linear expression for each measure in `LEVELS`, most important first.

        Also return the possible matches of rows of the plan with rows of the answer, and the conditions that each row
        matches at most one other row.
        """
        model = self._model
        rows: list[Linear] = []
        fields: list[Linear] = []
        minutes: list[Linear] = []
        money: list[Linear] = []
        matching: list[_Pair] = []
        for name, slots in self._lowered.slots.by_table.items():
            answer_rows = self._answer.tables[name]
            pairs = self._possible_matches(slots, answer_rows)
            matching.extend(pairs)
            matched = model.sum(model.indicator(condition) for condition, _, _, _ in pairs)
            present = model.sum(model.indicator(slot.present) for slot in slots)
            # rows added are present and unmatched; rows removed are in the answer and unmatched
            rows.append(model.sum((present, model.constant(len(answer_rows)), model.scale(matched, -2))))
            for condition, slot, row, by_key in pairs:
                columns = [c for c in slot.table.columns.values() if not (by_key and c.name in slot.table.key)]
                for column in columns:
                    same = self._equals_cell(slot.fields[column.name], getattr(row, column.name))
                    fields.append(model.indicator(model.conj((condition, model.negate(same)))))
                    unit = MINUTES.get(column.type) if isinstance(column.type, ScalarType) else None
                    if unit is not None:
                        minutes.append(self._distance_moved(condition, slot, row, column.name, unit))
                    elif column.type is ScalarType.MONEY:
                        money.append(self._distance_moved(condition, slot, row, column.name, 1))
        lost = [
            model.scale(model.minus(model.constant(1), model.indicator(root.condition)), weight)
            for root, weight in self._lowered.problem.soft
        ]
        linears = {
            name: model.sum(parts) for name, parts in zip(LEVELS, (rows, fields, minutes, money, lost), strict=True)
        }
        return Levels(linears, self._conditions, matching)

    def _possible_matches(self, slots: Sequence[RowVariables], answer_rows: Sequence[Row]) -> list[_Pair]:
        """Return the possible matches of rows of the plan with rows of the answer."""
        if not slots or not answer_rows:
            return []
        table = slots[0].table
        if table.one:
            return [(slots[0].present, slots[0], answer_rows[0], True)]
        matching: list[_Pair] = []
        keys = Counter(row._key for row in answer_rows)
        keyless: list[Row] = []
        for row in answer_rows:
            if not table.key or None in row._key or keys[row._key] > 1:
                keyless.append(row)
                continue
            for slot in slots:
                parts = [self._equals_cell(slot.fields[k], getattr(row, k)) for k in table.key]
                condition = self._model.conj((slot.present, *parts))
                if condition is not FALSE:
                    matching.append((condition, slot, row, True))
        matching.extend(self._match_without_keys(slots, keyless, matching))
        return matching

    def _match_without_keys(
        self, slots: Sequence[RowVariables], keyless: Sequence[Row], by_key: Sequence[_Pair]
    ) -> list[_Pair]:
        """Return the possible matches of the answer's rows without a unique key (`keyless`).

        `by_key` has the matches of the other rows. Conditions are added so that each row of the answer matches at most
        one row of the plan, and vice versa.
        """
        model = self._model
        matching: list[_Pair] = []
        for number, row in enumerate(keyless):
            for slot in slots:
                var = model.var(f"{slot.table.name}[{slot.index}] is answer {number}", Domain.interval(0, 1))
                condition = model.member(var, Domain.of([1]))
                self._conditions.append(model.disj((model.negate(condition), slot.present)))
                matching.append((condition, slot, row, False))
        for group in (
            *([p for p in matching if p[2] is row] for row in keyless),
            *([p for p in (*by_key, *matching) if p[1] is slot] for slot in slots),
        ):
            if len(group) > 1:
                matched = model.sum(model.indicator(condition) for condition, _, _, _ in group)
                self._conditions.append(model.at_most_zero(model.minus(matched, model.constant(1))))
        return matching

    def _equals_cell(self, value: Any, cell: Any) -> Bool:
        if cell is None:
            return self._model.negate(self._algebra.defined(value))
        return self._atoms.equal(value, cell)

    def _distance_moved(self, condition: Bool, slot: RowVariables, row: Row, column: str, unit: int) -> Linear:
        """Return the absolute difference of a field and the answer's cell, in minutes or minor units of money.

        The difference is 0 if the rows do not match, or if the field or the cell is *none*.

        Args:
            condition: condition that the two rows match.
            slot: row of the plan, as variables.
            row: row of the answer.
            column: column of the field and the cell.
            unit: number of minutes, or of minor units, in one unit of the column's values.
        """
        model = self._model
        cell = getattr(row, column)
        if cell is None:
            return model.constant(0)
        value = self._algebra.num(slot.fields[column])
        assert value.scale == 1, "times and amounts are whole"
        difference = model.scale(model.minus(value.linear, model.constant(cell)), unit)
        size = model.extreme(((TRUE, difference), (TRUE, model.scale(difference, -1))), greatest=True)
        return model.select(((model.conj((condition, value.defined)), size),))
