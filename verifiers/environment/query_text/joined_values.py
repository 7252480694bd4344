"""Warnings about sentences that combine names of rows with an amount or time that belongs to none of these rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import RowType, ScalarType, Type
from planspec.verifiers.environment.query_text.mention import Measure, Mention
from planspec.verifiers.environment.query_text.names import value_names
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.retold_rows import sentences
from planspec.verifiers.environment.query_text.unset_givens import places_of
from planspec.verifiers.environment.query_text.used_values import UsedValues, used_values
from planspec.verifiers.environment.query_text.value_readings import item_type, items

MEASURES: frozenset[Measure] = frozenset({"time", "weekday", "money", "distance"})
"""Kinds of values that are compared, called amounts here.

Dates, numbers and durations in a sentence often belong to something else.
"""
MOST_ROWS = 60
"""Maximum number of rows of a table. The names of rows in larger tables are not searched for."""
MOST_IN_ALL = 2_000
"""If the document lists more rows than this, the sentences of the queries are not checked."""
DAYS = frozenset({ScalarType.DATE, ScalarType.MOMENT})


class _RowAmounts:
    """The amounts that belong to each row of the document."""

    def __init__(self, values: RequestValues, currency: str | None) -> None:
        self._rows = [row for rows in values.own_rows.values() for row, _ in rows]
        self._currency = currency
        self._amounts: dict[Row, UsedValues] = {}

    def amounts(self, row: Row) -> UsedValues:
        """Return the amounts in a row, in rows that refer to it, and in rows to which any of these rows refers."""
        amounts = self._amounts.get(row)
        if amounts is None:
            near = {row, *self._referring.get(row, ())}
            near |= {cell for each in near for cell, _ in _cells(each) if isinstance(cell, Row)}
            amounts = used_values([cell for each in near for cell in _cells(each)], self._currency)
            self._amounts[row] = amounts
        return amounts

    @cached_property
    def _referring(self) -> dict[Row, set[Row]]:
        result: dict[Row, set[Row]] = {}
        for row in self._rows:
            for cell, _ in _cells(row):
                if isinstance(cell, Row):
                    result.setdefault(cell, set()).add(row)
        return result


def _cells(row: Row) -> Iterator[tuple[Any, Type]]:
    """Yield the value of each cell in a row, with its type. Sets and lists are split into their items."""
    for name, column in row._table.columns.items():
        for item in items(getattr(row, name), column.type):
            yield item, item_type(column.type)


def report_joined_values(
    queries: Queries, values: RequestValues, quotations: Sequence[Passage], currency: str | None, report: Report
) -> None:
    """Warn of sentences that name rows and state an amount, time or weekday that belongs to none of these rows.

    For example, `on Friday the choir has the hall` may state a constraint that the task lacks. Times and weekdays are
    called amounts below. The amounts that belong to a row are those in the row, in rows that refer to it, and in rows
    to which any of these rows refers. Amounts in parameters, in constraints and in the scope (bounds of the search)
    belong to all rows, except weekdays of dates in parameters and constraints, and all weekdays in the scope. The
    author's quotations (`tells:`) are skipped, and so are amounts that occur nowhere in the task, which
    `unused_mentions` returns. Nothing is reported if the author may have computed hidden parameters from the queries
    (`RequestValues.may_be_computed`).

    Args:
        queries: the task's queries.
        values: the task's values.
        quotations: the quotations.
        currency: currency of the task.
        report: receives the warnings (PS441).
    """
    if sum(map(len, values.own_rows.values())) > MOST_IN_ALL or values.may_be_computed:
        return
    places = dict(_places(queries, values))
    names = [part for parts in places.values() for part in parts]
    rows = _RowAmounts(values, currency)
    for sentence in sentences(queries) if places else ():
        named = [row for row, parts in places.items() if any(sentence.contains(part) for part in parts)]
        for placed in queries.mentions if named else ():
            mention, part = placed.mention, placed.part
            if (
                sentence.contains(part)
                and mention.is_definite
                and any(map(mention.has, MEASURES))
                and mention.readings in values.used
                and not any(each.overlaps(part) for each in (*names, *(passage.part for passage in quotations)))
                and not _is_general(mention, values)
                and not any(mention.readings in rows.amounts(row) for row in named)
            ):
                name = next(iter(value_names(named[0], RowType(named[0]._table.name))))
                report.warning(
                    "PS441",
                    f"the query says `{queries.text(part)}` in a sentence on `{name}`, and no row joins the two",
                    queries.span(part),
                    f"no row of `{name}` and no rule has it",
                    help="mend the query or the rules; if other words of the task mean it, quote it under `tells`",
                )


def _places(queries: Queries, values: RequestValues) -> Iterator[tuple[Row, list[QueryPart]]]:
    """Yield the rows that the queries name, each with the positions of its names."""
    for name, rows in values.own_rows.items():
        if 1 < len(rows) <= MOST_ROWS:
            for row, _ in rows:
                parts = [p for form in value_names(row, RowType(name)) for p in places_of(queries, form)]
                if parts:
                    yield row, parts


def _is_general(mention: Mention, values: RequestValues) -> bool:
    """Return whether an amount equals a value of a parameter, a constraint, or the scope (bounds of the search)."""
    if mention.has("weekday"):
        return mention.readings in values.used_by_rules_without(DAYS)
    return mention.readings in values.used_by_rules or bool(mention.readings & values.scope)
