"""The number of fields in which two plans differ, as a linear expression to minimise or maximise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import RowVars
from planspec.solvers.lowering.problem import Lowered
from planspec.verifiers.meaning.plan_rows import Plan

_Codes: TypeAlias = tuple[int, ...]
"""Integers that stand for the values of a row, one for each of some columns."""


def field_distance(lowered: Lowered, plan: Plan) -> Linear:
    """Return a linear expression for the number of fields in which the solver's plan differs from `plan`.

    In tables with a key, rows with equal keys are compared field by field. A row that only one plan has counts 1, plus
    1 for each of its compared fields outside the key. Only columns that the problem's `identity` lists are compared.
    """
    model, coding, identity = lowered.problem.model, lowered.coding, lowered.problem.identity
    parts: list[Linear] = []
    for name, columns in identity.items():
        table = lowered.ground.task.tables[name]
        rows = [row for row in lowered.problem.compared if row.table == name]
        codes = [tuple(coding.code(name, c, getattr(row, c)) for c in columns) for row in plan.tables[name]]
        keyed = bool(table.key) or table.one
        key = [i for i, column in enumerate(columns) if column in table.key or not keyed]
        others = [i for i in range(len(columns)) if i not in key]
        parts += _Comparison(model, columns, key, others).parts(rows, codes)
    return model.sum(parts)


class _Comparison:
    """A comparison of the rows of two plans in one table.

    Args:
        model: builder of conditions.
        columns: columns that are compared.
        key: indices of the key columns in `columns`.
        others: indices of the other columns.
    """

    def __init__(self, model: NodeBuilder, columns: Sequence[str], key: Sequence[int], others: Sequence[int]) -> None:
        self._model = model
        self._columns = columns
        self._key = key
        self._others = others

    def parts(self, rows: Iterable[RowVars], codes: Sequence[_Codes]) -> Iterator[Linear]:
        """Yield linear expressions whose sum is the distance in this table.

        Args:
            rows: possible rows of the solver's plan, as variables.
            codes: for each row of the other plan, the integers that stand for its values, in the order of the columns.
        """
        model = self._model
        places: dict[_Codes, list[int]] = {}
        for place, row_codes in enumerate(codes):
            places.setdefault(tuple(row_codes[i] for i in self._key), []).append(place)
        matches: list[list[Bool]] = [[] for _ in codes]
        unmatched: list[Bool] = []
        for row in rows:
            key = self._constant_key(row)
            matched = []
            for place in range(len(codes)) if key is None else places.get(key, ()):
                same_key = [self._equals(row, i, codes[place]) for i in self._key]
                matched.append(model.conj((row.present, *same_key)))
                matches[place].append(matched[-1])
                for i in self._others:
                    differs = model.conj((matched[-1], model.negate(self._equals(row, i, codes[place]))))
                    yield model.indicator(differs)
            unmatched.append(model.conj((row.present, model.negate(model.disj(matched)))))
        unmatched += (model.negate(model.disj(matched)) for matched in matches)
        weight = 1 + len(self._others)
        yield from (model.scale(model.indicator(condition), weight) for condition in unmatched)

    def _constant_key(self, row: RowVars) -> _Codes | None:
        """Return the integers that stand for the values of a row's key; None if the key depends on the plan."""
        forms = [row.fields[self._columns[i]] for i in self._key]
        return tuple(form.constant for form in forms) if all(form.is_constant for form in forms) else None

    def _equals(self, row: RowVars, index: int, codes: _Codes) -> Bool:
        form = row.fields[self._columns[index]]
        return self._model.is_zero(self._model.minus(form, self._model.constant(codes[index])))
