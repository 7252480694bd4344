"""Rows of shown tables that the query does not state although it states most of their table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Type
from planspec.dsl.model.value_text import row_key
from planspec.verifiers.environment.query_text.mention import Mention
from planspec.verifiers.environment.query_text.mentions import mentions
from planspec.verifiers.environment.query_text.names import folded, occurs, value_names
from planspec.verifiers.environment.query_text.names_apart import SENTENCE
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.value_readings import is_mentioned

MOST = 20
"""Largest number of rows of a table that a query states one by one."""
SHARE = 0.6
"""Least share of the rows that the query has to state."""
NAMES = (RowType, EnumType)
AMOUNTS = frozenset({ScalarType.DATE, ScalarType.TIME, ScalarType.DURATION, ScalarType.MONEY, ScalarType.INT})


def report_missing_rows(task: Task, queries: Queries, values: RequestValues, report: Report) -> None:
    """Warn of rows of a table that agents see and that the queries repeat, except for these rows.

    A row counts as stated if one sentence has its names and its amounts.
    """
    visible = {cell.name.name for cell in values.cells}
    tables = {name: rows for name, rows in values.own_rows.items() if name not in visible and 1 < len(rows) <= MOST}
    texts = [s for text in queries.texts for s in SENTENCE.split(text) if s.strip()] if tables else []
    sentences = [(folded(text), mentions(text)) for text in texts]
    for table, rows in tables.items():
        missing = [(row, span) for row, span in rows if not _is_stated(task, row, sentences)]
        if missing and len(rows) - len(missing) >= SHARE * len(rows):
            for row, span in missing:
                report.warning(
                    "PS442",
                    f"the query does not state `{table}[{row_key(row, task.currency)}]`, as it does the other rows",
                    span,
                    "set here",
                    help="state it in a sentence, too, or mend it",
                )


def _is_stated(task: Task, row: Row, sentences: Sequence[tuple[str, tuple[Mention, ...]]]) -> bool:
    cells = list(_cells(row))
    if len(cells) < 2 or not any(isinstance(type_, NAMES) for _, type_ in cells):
        return False
    return any(all(_is_in(task, value, type_, text, found) for value, type_ in cells) for text, found in sentences)


def _is_in(task: Task, value: Any, type_: Type, text: str, found: Sequence[Mention]) -> bool:
    if isinstance(type_, NAMES):
        return any(occurs(name, text) for name in value_names(value, type_))
    return is_mentioned(value, type_, task.currency, found)


def _cells(row: Row) -> Iterator[tuple[Any, Type]]:
    """Yield the cells by which a query states a row: names, and amounts, dates and times."""
    for column in row._table.columns.values():
        value = getattr(row, column.name)
        if value is not None and (isinstance(column.type, NAMES) or column.type in AMOUNTS):
            yield value, column.type
