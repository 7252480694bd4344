"""Exclusions: with `without:`, a table's entry removes rows that other documents add to the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.tables.cells import RawRow, Reader, UnreadableCellError


def remove_rows(names: Names, report: Report, exclusions: Mapping[str, Sequence[RawRow]]) -> None:
    """Remove rows from loaded static tables.

    Args:
        names: the names, which hold the tables.
        report: receives patterns without matching rows, and rows to which other rows refer.
        exclusions: patterns by table. A pattern gives values of some columns, and matches all rows with these values.
    """
    reader = Reader(names, report)
    removed: dict[Row, RawRow] = {}
    for name, patterns in exclusions.items():
        facts = names.facts[name]
        for pattern in patterns:
            matches = _matching_rows(facts, reader, pattern, report)
            if matches == [] and name not in names.incomplete:
                report.error("PS410", f"`{name}` has no such row to leave out", pattern.span, "no row is like this")
            removed.update(dict.fromkeys(matches or (), pattern))
    if not removed:
        return
    _report_references(names, removed, report)
    for name in exclusions:
        facts = names.facts[name]
        facts.rows[:] = [row for row in facts.rows if row not in removed]
        for i, row in enumerate(facts.rows):
            row._index = i
        for key in [key for key, row in facts.by_key.items() if row in removed]:
            del facts.by_key[key]


def _matching_rows(facts: Facts, reader: Reader, pattern: RawRow, report: Report) -> list[Row] | None:
    """Return the rows that match a pattern; None if a mistake was reported."""
    table = facts.table
    values: dict[str, Any] = {}
    for name, cell in pattern.cells.items():
        column = table.columns.get(name)
        if column is None:
            report.error(
                "PS204",
                f"`{table.name}` has no column `{name}`",
                cell.span,
                "unknown column",
                help=did_you_mean(name, table.columns),
            )
            return None
        try:
            values[name] = reader.column_value(column, cell, pattern.span, table.name)
        except UnreadableCellError:
            return None
    if not values:
        report.error("PS410", f"a row of `{table.name}` to leave out is empty", pattern.span, "any row at all?")
        return None
    return [row for row in facts.rows if all(getattr(row, name) == value for name, value in values.items())]


def _report_references(names: Names, removed: Mapping[Row, RawRow], report: Report) -> None:
    """Report remaining rows that refer to a removed one."""
    for facts in names.facts.values():
        other = facts.table
        for row in facts.rows:
            if row in removed:
                continue
            for name in other.columns:
                value = getattr(row, name)
                for part in value if isinstance(value, tuple) else (value,):
                    if isinstance(part, Row) and part in removed:
                        report.error(
                            "PS410",
                            f"a row of `{other.name}` refers to a row that is left out",
                            removed[part].span,
                            f"`{other.name}.{name}` means it",
                            help=f"leave those rows of `{other.name}` out, too",
                        )
                        return
