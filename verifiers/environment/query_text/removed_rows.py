"""Warnings about rows that a task removes (`without:`), although its query names them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Table
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces, RemovedRows
from planspec.verifiers.environment.query_text.names import folded, occurs, row_names
from planspec.verifiers.environment.query_text.queries import Queries

SENTENCE = re.compile(r"(?<=[.!?])\s+|[。！？\n]")


def report_removed_rows(task: Task, queries: Queries, places: DocumentPlaces, report: Report) -> None:
    """Warn of rows that the task removes (`without:`) although one sentence of the queries names them.

    A sentence names the rows if it names every cell of the pattern that selects them.
    """
    for pattern in places.removed:
        table = task.tables.get(pattern.table)
        if table is None:
            continue
        names = list(_names(task, table, pattern))
        sentence = next(filter(lambda text: _names_all(text, names), _sentences(queries)), None) if names else None
        if sentence is not None:
            report.warning(
                "PS443",
                f"the query names a row that `{pattern.table}` leaves out",
                pattern.span.first_line,
                "left out here",
                help=f"it says `{sentence}`: say something else, or keep the row",
            )


def _sentences(queries: Queries) -> Iterator[str]:
    for text in queries.texts:
        yield from (" ".join(sentence.split()) for sentence in SENTENCE.split(text) if sentence.strip())


def _names_all(sentence: str, names: list[frozenset[str]]) -> bool:
    text = folded(sentence)
    return all(any(occurs(name, text) for name in each) for each in names)


def _names(task: Task, table: Table, pattern: RemovedRows) -> Iterator[frozenset[str]]:
    """Yield for each cell of a pattern the names by which a sentence can mention the cell's value.

    These are the key and names of a row, or the name of an enum member. The strings of all text cells are yielded
    together, because they are probably names of the same thing. Cells with values of other types are skipped.
    """
    own: set[str] = set()
    for column_name, cell in pattern.cells.items():
        column = table.columns.get(column_name)
        if column is None:
            continue
        if isinstance(column.type, RowType):
            yield frozenset(_row_names(task, column.type.table, cell))
        elif isinstance(column.type, EnumType):
            yield frozenset({cell})
        elif column.type is ScalarType.TEXT:
            own.add(cell)
    if own:
        yield frozenset(own)


def _row_names(task: Task, table: str, key: str) -> Iterator[str]:
    """Yield the names of the row with the given key."""
    yield key
    for facts_key, row in task.facts[table].by_key.items() if table in task.facts else ():
        if len(facts_key) == 1 and str(facts_key[0]) == key:
            yield from row_names(row)
