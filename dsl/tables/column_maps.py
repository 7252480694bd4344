"""Column maps (keys `map`, `empty` and those of a dialect): the source column of each column, and how cells are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field, replace

from planspec.dsl.check.names import Names
from planspec.dsl.check.type_rules import type_with_article
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.types import ListType, ScalarType, SetType, Special, Table, Type
from planspec.dsl.model.values import UNITS
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import known_entries, texts
from planspec.dsl.tables.cells import READ_UNCHANGED, Cell, ColumnReading, RawRow
from planspec.dsl.tables.dialects import APPLIES, NO_DIALECT, Dialect, cell_form, leaf_types, read_dialect
from planspec.dsl.tables.file_formats import report_unsuitable_keys
from planspec.dsl.tables.missing_columns import UNDECLARED
from planspec.dsl.tables.raw_rows import RawRows, StoredRows, TextRows
from planspec.dsl.yaml.reader import Mapping, Node
from planspec.dsl.yaml.reader import Scalar as Word


@dataclass(frozen=True, slots=True)
class MappedColumn:
    """An entry of a `map:`: the header of a column in the source, and how its cells are read.

    Attributes:
        header: the header.
        reading: how the cells are read.
        span: location of the entry.
        entries: its keys and their values by name, if it is a mapping.
    """

    header: str
    reading: ColumnReading
    span: Span
    entries: MappingOf[str, tuple[Word, Node]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """The map from the columns of a source to the columns of a table.

    Attributes:
        columns: the columns under `map:`.
        others: rules for reading the cells of columns that are not under `map:` and have no format.
        formed: by column, rules for columns that are not under `map:` and have a format.
    """

    columns: MappingOf[str, MappedColumn]
    others: ColumnReading
    formed: MappingOf[str, ColumnReading] = field(default_factory=dict)


MARKS = frozenset(("map", "empty", *document_keys.DIALECT))
"""The keys of a table's entry that change how cells are read."""
NO_MAP = ColumnMap({}, READ_UNCHANGED)
"""The column map of a table's entry that has none of the keys in `MARKS`."""


def column_map(
    sections: MappingOf[str, Node], table: Table, names: Names, report: Report, kind: str = "rows"
) -> ColumnMap:
    """Return the column map of a table's entry, from its `map:`, its `empty:` and its dialect.

    Args:
        sections: the sections of the entry.
        table: the table.
        names: names of the document, including its currency.
        report: receives the diagnostics.
        kind: key of the source.
    """
    if not sections.keys() & MARKS:
        return NO_MAP
    others = ColumnReading(_word_set(sections.get("empty"), report))
    dialect = read_dialect(sections, report)
    columns = {}
    for key, value in _mapped_entries(sections.get("map"), report):
        column = _column(key, value, others, report)
        if column is None or not _is_declared(key, table, names, report):
            continue
        unit = column.reading.unit
        if unit is None or _check_unit(unit, key.text, table, names, value, report):
            columns[key.text] = _with_form(column, key.text, dialect, table, names, kind, report)
    formed = {} if dialect is NO_DIALECT else dict(_formed_readings(dialect, others, table, names))
    return ColumnMap(columns, others, formed)


def _mapped_entries(node: Node | None, report: Report) -> tuple[tuple[Word, Node], ...]:
    if node is None or isinstance(node, Mapping):
        return () if node is None else node.entries
    report.error("PS011", "`map` must be a mapping of columns to headers", node.span, "not a mapping")
    return ()


def _formed_readings(
    dialect: Dialect, others: ColumnReading, table: Table, names: Names
) -> Iterator[tuple[str, ColumnReading]]:
    """Yield each column for which a dialect declares a format, and the rules for reading its cells."""
    for name, column in table.columns.items():
        form = cell_form(dialect, column.type, names.tables)
        if form is not None:
            yield name, replace(others, form=form)


def _with_form(
    column: MappedColumn, name: str, base: Dialect, table: Table, names: Names, kind: str, report: Report
) -> MappedColumn:
    """Return a mapped column with its format, which its own keys or the keys of the table's entry declare.

    Args:
        column: the column.
        name: its name in the table.
        base: dialect of the entry.
        table: the table.
        names: names of the document.
        kind: key of the source.
        report: receives keys that do not apply to the source or to the column's type.
    """
    if base is NO_DIALECT and not column.entries.keys() & document_keys.DIALECT.keys():
        return column
    type_ = table.columns[name].type if name in table.columns else ScalarType.TEXT
    own = {key: entry for key, entry in column.entries.items() if key in document_keys.DIALECT}
    if report_unsuitable_keys(own, kind, report):
        return column
    leaves = leaf_types(type_, names.tables)
    for key, (word, _) in own.items():
        if not leaves & (APPLIES[key] | {Special.WRONG}):
            label = f"it is {type_with_article(type_)}"
            report.error("PS011", f"`{key}` does not apply to `{table.name}.{name}`", word.span, label)
    dialect = read_dialect({key: node for key, (_, node) in own.items()}, report, base)
    form = cell_form(dialect, type_, names.tables)
    return column if form is None else replace(column, reading=replace(column.reading, form=form))


def _column(key: Word, value: Node, others: ColumnReading, report: Report) -> MappedColumn | None:
    if isinstance(value, Word):
        return MappedColumn(value.text, others, value.span)
    if not isinstance(value, Mapping):
        report.error(
            "PS011",
            "a mapped column is a header or a mapping",
            value.span,
            "neither",
            help=f"write `{key.text}: Header`, or `{key.text}: {{from: Header, unit: min}}`",
        )
        return None
    entries = known_entries(value, document_keys.MAPPED, "a mapped column", report)
    parts = {name: part for name, (_, part) in entries.items()}
    values: dict[str, str] = {}
    for name in ("from", "split", "unit"):
        part = parts.get(name)
        if isinstance(part, Word) and part.text:
            values[name] = part.text
        elif part is not None:
            report.error(
                "PS011",
                f"`{name}` must be a non-empty string",
                part.span,
                "nothing" if isinstance(part, Word) else "a collection",
            )
            return None
    empty = _word_set(parts["empty"], report) if "empty" in parts else others.empty
    reading = ColumnReading(empty, values.get("unit"), values.get("split"))
    return MappedColumn(values.get("from", key.text), reading, value.span, entries)


def _word_set(node: Node | None, report: Report) -> frozenset[str]:
    return frozenset(word.text for word in texts(node, "`empty`", report))


def _is_declared(key: Word, table: Table, names: Names, report: Report) -> bool:
    if key.text in table.columns or key.text in UNDECLARED or names.unsure:
        return True
    report.error(
        "PS204",
        f"`{table.name}` has no column `{key.text}`",
        key.span,
        "under `map:` stand its columns",
        help=did_you_mean(key.text, table.columns) or f"it has {', '.join(table.columns) or 'none'}",
    )
    return False


def _check_unit(unit: str, name: str, table: Table, names: Names, node: Node, report: Report) -> bool:
    type_: Type = table.columns[name].type if name in table.columns else ScalarType.TEXT
    if isinstance(type_, SetType | ListType):
        type_ = type_.item
    if type_ is Special.WRONG or (type_ is ScalarType.MONEY and not names.currency_known):
        return True
    units = UNITS.get(type_, ()) if type_ is not ScalarType.MONEY else (names.currency or "none at all",)
    if unit in units:
        return True
    what = f"a unit of {type_} is {' or '.join(units)}" if units else f"{type_with_article(type_)} has no unit"
    report.error("PS011", f"`{table.name}.{name}` is not in {unit}", node.span, what)
    return False


def map_rows(rows: RawRows, columns: ColumnMap, report: Report) -> RawRows:
    """Return the rows with the table's column names and with cells read as the table's entry declares."""
    if columns is NO_MAP or (not columns.columns and not columns.formed and columns.others == READ_UNCHANGED):
        return rows
    headers = rows.names()
    missing = [column for column in columns.columns.values() if column.header not in headers]
    if len(rows) and missing:
        for column in missing:
            report.error(
                "PS014",
                f"the source has no column `{column.header}`",
                column.span,
                "no such header",
                help=did_you_mean(column.header, rows[0].cells) or f"it has {', '.join(rows[0].cells)}",
            )
        return StoredRows()
    if isinstance(rows, TextRows):
        column_indices = {
            name: rows.column_indices[header]
            for name, header in _headers_by_column(rows.column_indices, columns).items()
        }
        readings = {name: _reading_of(name, columns) for name in column_indices}
        return rows.read_as(
            column_indices, {n: reading for n, reading in readings.items() if reading != READ_UNCHANGED}
        )
    return StoredRows([RawRow(_cells(row.cells, columns), row.span) for row in rows.samples()])


def _cells(cells: MappingOf[str, Cell], columns: ColumnMap) -> MappingOf[str, Cell]:
    """Return a row's cells keyed by the table's column names."""
    return {
        name: _reading_of(name, columns).cell(cells[header])
        for name, header in _headers_by_column(cells, columns).items()
    }


def _headers_by_column(present_headers: Iterable[str], columns: ColumnMap) -> dict[str, str]:
    """Return the source header of each column: the header in the map or, without one, the column's name."""
    present = dict.fromkeys(present_headers)
    headers = {name: name for name in present if name not in columns.columns}
    headers.update((name, c.header) for name, c in columns.columns.items() if c.header in present)
    return headers


def _reading_of(name: str, columns: ColumnMap) -> ColumnReading:
    column = columns.columns.get(name)
    return columns.formed.get(name, columns.others) if column is None else column.reading
