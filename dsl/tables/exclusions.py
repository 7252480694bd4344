"""Rows that a table's entry takes away from those that other documents bring: `without:`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.tables.cells import RawRow, Reader, UnreadableCellError


def remove_rows(names: Names, report: Report, wanted: Mapping[str, Sequence[RawRow]]) -> None:
    """Take rows out of static tables that are loaded.

    Args:
        names: whose tables they are.
        report: takes patterns that mean no row, or a row that another row refers to.
        wanted: patterns by table; one means every row whose cells equal those that it has.
    """
    reader = Reader(names, report)
    gone: dict[Row, RawRow] = {}
    for name, patterns in wanted.items():
        facts = names.facts[name]
        for pattern in patterns:
            found = _meant(facts, reader, pattern, report)
            if found == [] and name not in names.incomplete:
                report.error(
                    "PS410", f"`{name}` has no such row to leave out", pattern.span, "no row is like this"
                )
            gone.update(dict.fromkeys(found or (), pattern))
    if not gone:
        return
    _referred(names, gone, report)
    for name in wanted:
        facts = names.facts[name]
        facts.rows[:] = [row for row in facts.rows if row not in gone]
        for i, row in enumerate(facts.rows):
            row._index = i
        for key in [key for key, row in facts.by_key.items() if row in gone]:
            del facts.by_key[key]


def _meant(facts: Facts, reader: Reader, pattern: RawRow, report: Report) -> list[Row] | None:
    """The rows that a pattern means; None after a report."""
    table = facts.table
    values: dict[str, Any] = {}
    for name, cell in pattern.cells.items():
        column = table.columns.get(name)
        if column is None:
            report.error(
                "PS204", f"`{table.name}` has no column `{name}`", cell.span, "unknown column",
                help=did_you_mean(name, table.columns),
            )  # fmt: skip
            return None
        try:
            values[name] = reader.column(column, cell, pattern.span, table.name)
        except UnreadableCellError:
            return None
    if not values:
        report.error(
            "PS410", f"a row of `{table.name}` to leave out is empty", pattern.span, "any row at all?"
        )
        return None
    return [row for row in facts.rows if all(getattr(row, name) == value for name, value in values.items())]


def _referred(names: Names, gone: Mapping[Row, RawRow], report: Report) -> None:
    """Report rows that stay and refer to one that goes."""
    for facts in names.facts.values():
        other = facts.table
        for row in facts.rows:
            if row in gone:
                continue
            for name in other.columns:
                value = getattr(row, name)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Row) and part in gone:
                        report.error(
                            "PS410", f"a row of `{other.name}` refers to a row that is left out", gone[part].span,
                            f"`{other.name}.{name}` means it", help=f"leave those rows of `{other.name}` out, too",
                        )  # fmt: skip
                        return
