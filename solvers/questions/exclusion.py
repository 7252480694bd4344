"""Conditions that exclude plans from a search, and the distance between plans.

Two plans are the same if they agree in the compared fields: those in the problem's `identity`. Values are compared as
codes, which are the integers that stand for values in the problem.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from planspec.dsl.model.memory import Kind
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, Linear
from planspec.solvers.ir.problem import RowVars
from planspec.solvers.lowering.problem import Lowered
from planspec.verifiers.meaning.plan_rows import Plan

_IDENTITIES: Kind[tuple[RowVars, tuple[str, ...], tuple[int, ...]], Bool] = Kind(
    "conditions that a row has codes in columns"
)


def forbid(lowered: Lowered, values: Mapping[int, int]) -> Bool:
    """Return the condition that the solver's plan differs from the plan of an assignment in a compared field.

    The problem's `identity` lists the columns that are compared.
    """
    by_table: dict[str, list[tuple[int, ...]]] = {}
    for row in lowered.problem.compared:
        codes = by_table.setdefault(row.table, [])
        if evaluate(row.present, values):
            codes.append(tuple(evaluate(row.fields[c], values) for c in lowered.problem.identity[row.table]))
    return _forbid_codes(lowered, by_table)


def forbid_plan(lowered: Lowered, plan: Plan) -> Bool | None:
    """Return the condition that the solver's plan differs from `plan`; None if the search cannot yield `plan`.

    Only the columns in the problem's `identity` are compared. For example, a time that is not on the scope's grid does
    not matter if the task's `unique`, which lists the fields to compare, leaves out its column.
    """
    by_table = _identity_codes(lowered, plan)
    if any(len(codes) > len(lowered.ground.rows[table]) for table, codes in by_table.items()):
        return None
    different = _forbid_codes(lowered, by_table)
    return None if different is TRUE else different


def row_distance(lowered: Lowered, plan: Plan) -> Linear:
    """Return a linear expression for the number of rows that are only in `plan` or only in the solver's plan.

    Rows are equal if they have the same values in the compared columns.
    """
    model = lowered.problem.model
    rows = list(_rows_with_matches(lowered, plan))
    foreign = (model.conj((row.present, model.negate(model.disj(same)))) for row, same in rows)
    missing = (
        model.negate(model.disj(same[place] for row, same in rows if row.table == table))
        for table, codes in _identity_codes(lowered, plan).items()
        for place in range(len(codes))
    )
    return model.sum(model.indicator(x) for x in (*foreign, *missing))


def without_new_rows(lowered: Lowered, plan: Plan, values: Mapping[int, int]) -> Bool:
    """Return the condition that the solver's plan has none of the rows that an assignment's plan has and `plan` lacks.

    If there are no such rows, return the condition that the solver's plan differs from the assignment's.
    """
    model, problem = lowered.problem.model, lowered.problem
    new: dict[str, set[tuple[int, ...]]] = {}
    for row, same in _rows_with_matches(lowered, plan):
        if evaluate(row.present, values) and not any(evaluate(x, values) for x in same):
            columns = problem.identity[row.table]
            new.setdefault(row.table, set()).add(tuple(evaluate(row.fields[c], values) for c in columns))
    if not new:
        return forbid(lowered, values)
    return model.negate(
        model.disj(
            has_identity(lowered, row, problem.identity[row.table], codes)
            for row in problem.rows
            for codes in sorted(new.get(row.table, ()))
        )
    )


def _rows_with_matches(lowered: Lowered, plan: Plan) -> Iterator[tuple[RowVars, list[Bool]]]:
    """Yield each possible row of the solver's plan, and for each row of `plan` the condition that both are equal."""
    codes = _identity_codes(lowered, plan)
    for row in lowered.problem.compared:
        columns = lowered.problem.identity[row.table]
        yield row, [has_identity(lowered, row, columns, row_codes) for row_codes in codes[row.table]]


def _identity_codes(lowered: Lowered, plan: Plan) -> dict[str, list[tuple[int, ...]]]:
    """Return, by table, the integers that stand for the values of each row of the plan in the compared columns."""
    coding, identity = lowered.coding, lowered.problem.identity
    return {
        table: [tuple(coding.code(table, c, getattr(row, c)) for c in identity[table]) for row in plan.tables[table]]
        for table in identity
    }


def _forbid_codes(lowered: Lowered, codes_by_table: Mapping[str, Sequence[tuple[int, ...]]]) -> Bool:
    """Return the condition that, in at least one table, the multiset of the plan's rows differs from the given one.

    A row is given as codes: the integers that stand for its values in the compared columns.

    Two multisets are equal if they have the same size and contain each row equally often.
    """
    problem, model = lowered.problem, lowered.problem.model
    same: list[Bool] = []
    by_table: dict[str, list[RowVars]] = {}
    for row in problem.compared:
        by_table.setdefault(row.table, []).append(row)
    for table, rows in by_table.items():
        columns = problem.identity[table]
        counts = Counter(codes_by_table[table])
        present = len(codes_by_table[table])
        if any(row.present is not TRUE for row in rows):
            same.append(model.is_zero(_count_difference(lowered, [row.present for row in rows], present)))
        fixed = len(rows) == present and all(row.present is TRUE for row in rows)
        if fixed and len(rows) == 1:
            same.append(has_identity(lowered, rows[0], columns, next(iter(counts))))
            continue
        index = _RowIndex(rows, columns)
        for codes, count in counts.items():
            equal = [has_identity(lowered, row, columns, codes) for row in index.candidates(codes)]
            same.append(model.is_zero(_count_difference(lowered, equal, count)))
    return model.negate(model.conj(same))


class _RowIndex:
    """An index of a table's possible rows by their values in columns that do not depend on the plan, such as keys.

    Values are given as codes: the integers that stand for them.

    Args:
        rows: the possible rows.
        columns: the compared columns, whether or not they depend on the plan.
    """

    def __init__(self, rows: Sequence[RowVars], columns: Sequence[str]) -> None:
        self._fixed = [i for i, c in enumerate(columns) if all(row.fields[c].is_constant for row in rows)]
        self._rows: dict[tuple[int, ...], list[RowVars]] = {}
        for row in rows:
            key = tuple(row.fields[columns[i]].constant for i in self._fixed)
            self._rows.setdefault(key, []).append(row)

    def candidates(self, codes: Sequence[int]) -> Sequence[RowVars]:
        """Return the possible rows that agree with `codes` in every column that does not depend on the plan.

        The other columns are not compared. The rows are in the table's order.

        `codes` has the integers that stand for a row's values, one for each column of the index.
        """
        return self._rows.get(tuple(codes[i] for i in self._fixed), ())


def has_identity(lowered: Lowered, row: RowVars, columns: Sequence[str], codes: Sequence[int]) -> Bool:
    """Return the condition that a possible row of the plan is present and has given values in the given columns.

    `codes` has, for each column, the integer that stands for the value.

    Conditions are cached, because the plans of an enumeration have most rows in common.
    """
    for column, code in zip(columns, codes, strict=True):
        form = row.fields[column]
        if form.is_constant and form.constant != code:
            return FALSE
    cache, key = lowered.memory.of(_IDENTITIES), (row, tuple(columns), tuple(codes))
    if key not in cache:
        model = lowered.problem.model
        parts = [
            model.is_zero(model.minus(row.fields[c], model.constant(code)))
            for c, code in zip(columns, codes, strict=True)
        ]
        cache[key] = model.conj((row.present, *parts))
    return cache[key]


def _count_difference(lowered: Lowered, conditions: Sequence[Bool], count: int) -> Linear:
    """Return the number of conditions that hold, minus a given number."""
    model = lowered.problem.model
    return model.minus(model.sum(model.indicator(c) for c in conditions), model.constant(count))
