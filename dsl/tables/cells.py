"""Cells of data with their positions, and their conversion into values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, NoReturn

from planspec.dsl.check.names import Names
from planspec.dsl.check.type_rules import type_with_article
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model.types import Column, ListType, RowType, ScalarType, SetType, Special, Type
from planspec.dsl.model.values import (
    UNITS,
    InvalidValueError,
    canonical_text,
    is_number,
    is_text_of_type,
    parse_value,
    with_unit,
)
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.tables.cell_forms import CellForm, ItemForms, KeyForms, UnfitCellError
from planspec.dsl.tables.foreign_spellings import foreign_spelling
from planspec.dsl.yaml.reader import Mapping, Node
from planspec.dsl.yaml.reader import Scalar as Word

MAX_REPORTS = 10
"""The maximum number of bad cells of one column that are reported one by one."""
BOOLEAN_DIGITS = {"1": "true", "0": "false"}
EMPTY_CELL_WORDS = frozenset({"nan", "nat", "none", "null", "nil", "na", "n/a", "#n/a", "-"})
"""Words, in lower case, that other programs write in empty cells."""
EMPTY_FIELD_HELP = (
    "if nothing is there, leave it out; in a table of tasks, write `{{from: FIELD, empty: {}}}` under `map:`"
)
EMPTY_HELP = "if nothing is there, leave it out, or write `empty: [{}]` beside the table's source"


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with its span. Its value is a string, a tuple of cells for a list, or None for a blank."""

    value: str | tuple[Cell, ...] | None
    span: Span


@dataclass(frozen=True, slots=True)
class TypedCell(Cell):
    """A cell that is stored in its source as a number, a Boolean, a date or a time, instead of a string."""


@dataclass(frozen=True, slots=True)
class UnfitCell(Cell):
    """A cell whose text does not have the format of its column; `fault` is the reason."""

    fault: str


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """Rules for reading the cells of a column of a source.

    Attributes:
        empty: strings that stand for a missing value.
        unit: unit to add to numbers without a unit; `None` to add none.
        split: separator of the items of a cell; `None` if a cell is a single item.
        digits: whether 1 and 0 stand for true and false.
        form: format of texts; None for the language's format.
    """

    empty: frozenset[str] = frozenset()
    unit: str | None = None
    split: str | None = None
    digits: bool = False
    form: CellForm | None = None

    def text(self, text: str | None) -> str | None:
        """Apply these rules to a cell's text: return None for a missing value, and a number with its unit.

        Raises:
            UnfitCellError: the text does not have the column's format.
        """
        if text is None or text in self.empty:
            return None
        if self.digits:
            return BOOLEAN_DIGITS.get(text, text)
        if self.form is not None and text != "none" and not isinstance(self.form, KeyForms | ItemForms):
            text = self.form.text(text)
        return text if self.unit is None else with_unit(text, self.unit)

    def cell(self, cell: Cell) -> Cell:
        """Apply these rules to a cell, or to each item of a list."""
        if isinstance(cell.value, tuple):
            return self._list(cell.value, cell.span)
        if self.split is None or cell.value is None or cell.value in self.empty:
            return self._single(cell)
        parts = (part.strip() for part in cell.value.split(self.split))
        return self._list([Cell(part, cell.span) for part in parts if part], cell.span)

    def _single(self, cell: Cell) -> Cell:
        """Apply these rules to a cell that is not a list."""
        assert not isinstance(cell.value, tuple)
        if isinstance(cell, TypedCell):
            return TypedCell(replace(self, form=None).text(cell.value), cell.span)
        try:
            return Cell(self.text(cell.value), cell.span)
        except UnfitCellError as error:
            return UnfitCell(cell.value, cell.span, str(error))

    def _list(self, items: Sequence[Cell], span: Span) -> Cell:
        present = [item for item in items if item.value not in self.empty]
        if not isinstance(self.form, KeyForms | ItemForms):
            return Cell(tuple(map(self._item_value, present)), span)
        forms = self.form.parts if isinstance(self.form, KeyForms) else (self.form.item,) * len(present)
        parts = (
            replace(self, form=form)._item_value(item) for form, item in zip_longest(forms[: len(present)], present)
        )
        return Cell(tuple(parts), span)

    def _item_value(self, item: Cell) -> Cell:
        if not isinstance(item.value, tuple):
            return self._single(item)
        return item if self.form is None else self._list(item.value, item.span)


READ_UNCHANGED = ColumnReading()


def text_cell(text: str | None, index: int, row: Span) -> Cell:  # noqa: ARG001
    """Return a cell with the span of its row, for sources whose cells have no spans. `index` is ignored."""
    return Cell(text, row)


@dataclass(frozen=True, slots=True)
class RawRow:
    """A row of a source, whose cells are not yet converted to the types of their columns."""

    cells: MappingOf[str, Cell]
    span: Span


class UnreadableCellError(Exception):
    """A cell has no valid value. The mistake has been reported."""


def cell_of(node: Node) -> Cell:
    """Return a YAML node as a cell. A flow mapping without values (`{a, b}`) becomes a list."""
    if isinstance(node, Word):
        blank = not node.text and node.style == "plain"
        return Cell(None if blank else node.text, node.span)
    if isinstance(node, Mapping):
        return Cell(tuple(Cell(key.text, key.span) for key, _ in node.entries), node.span)
    return Cell(tuple(cell_of(item) for item in node.items), node.span)


def is_cell(node: Node) -> bool:
    """Return whether a node can be a cell. Every mapping in it must have the form `{}` or `{a, b}`."""
    if isinstance(node, Mapping):
        return node.flow and all(isinstance(value, Word) and not value.text for _, value in node.entries)
    return isinstance(node, Word) or all(is_cell(item) for item in node.items)


class Reader:
    """Converts cells into run-time values, and resolves references by the tables' keys."""

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report
        self._reported: Counter[str] = Counter()
        self._row_items: dict[Type, dict[str, Any]] = {}

    def column_value(self, column: Column, cell: Cell | None, row: Span, table: str) -> Any:
        """Return a row's value in a column: the value of its cell or, without a cell, the column's default or *none*.

        Raises:
            UnreadableCellError: there is no valid value; the mistake has been reported.
        """
        if column.type is Special.WRONG:
            raise UnreadableCellError
        what = f"{table}.{column.name}"
        if cell is None or cell.value is None:
            if column.has_default:
                return column.default
            if column.optional:
                return None
            if isinstance(column.type, SetType | ListType) and cell is not None:
                return ()
            span = cell.span if cell is not None and cell.span.start < cell.span.end else row
            self._error(
                "PS016",
                what,
                f"the row has no `{column.name}`",
                span,
                f"`{what}` is never none",
                f"fill it in, or declare the column as `{column.type}?`",
            )
        if cell.value == "none" and column.optional:
            return None
        return self.value(column.type, cell, what)

    def value(self, type_: Type, cell: Cell, what: str) -> Any:
        """Return the value of a cell.

        Raises:
            UnreadableCellError: the cell has no valid value; the mistake has been reported.
        """
        match type_:
            case ScalarType.TEXT if isinstance(cell.value, str):
                if "\0" in cell.value:
                    self._error("PS016", what, f"`{what}` is no text", cell.span, "binary data, or a NUL in it")
                return normalize_text(cell.value)
            case Special():
                raise UnreadableCellError
            case SetType() | ListType():
                return self._collection_value(type_, cell, what)
            case RowType():
                return self._row_value(type_, cell, what)
        if isinstance(cell, UnfitCell):
            self._report_unfit(type_, cell, what)
        if not isinstance(cell.value, str):
            label, help_text = ("a list", None) if cell.value else ("an empty list", EMPTY_FIELD_HELP.format('"[]"'))
            message = f"`{what}` is {type_with_article(type_)}, not a list"
            self._error("PS016", what, message, cell.span, label, help_text)
        if type_ is ScalarType.MONEY and not self.names.currency_known:
            raise UnreadableCellError
        try:
            return parse_value(canonical_text(cell.value, type_), type_, currency=self.names.currency)
        except InvalidValueError as error:
            shown = cell.value.strip()
            if not shown:
                help_text = EMPTY_FIELD_HELP.format(f'"{cell.value}"')
                message = f"`{what}` is {type_with_article(type_)}, not an empty text"
                self._error("PS016", what, message, cell.span, str(error), help_text)
            return self._error(
                "PS016",
                what,
                f"`{shown[:60]}` is no {type_}",
                cell.span,
                str(error),
                self._remedy_help(type_, shown, what) or f"`{what}` is of type {type_}",
            )

    def _report_unfit(self, type_: Type, cell: UnfitCell, what: str) -> NoReturn:
        """Report a cell that does not have its column's format.

        Raises:
            UnreadableCellError: always.
        """
        shown = str(cell.value)
        is_nothing = shown.casefold() in EMPTY_CELL_WORDS
        help_text = EMPTY_HELP.format(shown) if is_nothing else f"`{what}` is of type {type_}"
        self._error("PS016", what, f"`{shown[:60]}` is no {type_}", cell.span, cell.fault, help_text)

    def _remedy_help(self, type_: Type, text: str, what: str) -> str | None:
        """Return help for a number that lacks a unit, or for a word such as `n/a`; None for other texts."""
        _, in_a_table, column = what.rpartition(".")
        units = (self.names.currency or "EUR",) if type_ is ScalarType.MONEY else UNITS.get(type_, ())
        if units and is_number(text):
            unit = next((unit for unit in units if is_text_of_type(with_unit(text, unit), type_, unit)), units[0])
            more = f", or under the table's `map:` `{column}: {{from: HEADER, unit: {unit}}}`" if in_a_table else ""
            return f"write `{with_unit(text, unit)}`{more}"
        if in_a_table and text.casefold() in EMPTY_CELL_WORDS:
            return EMPTY_HELP.format(text)
        spelling = foreign_spelling(text, type_, self.names.currency)
        if spelling is None or spelling.option is None or not in_a_table:
            return None if spelling is None else spelling.help
        return f"{spelling.help}, or beside `csv:` or a file `{spelling.option}`"

    def _collection_value(self, type_: SetType | ListType, cell: Cell, what: str) -> Any:
        items = cell.value
        if items in ("{}", "[]", "", None):
            return ()
        if not isinstance(items, tuple):
            self._error("PS016", what, f"`{what}` is a {type_}", cell.span, "not a list", _list_help(items, what))
        values, failed = [], False
        # Cached by name, since rows are only added to facts and a name keeps its row.
        named = self._row_items.setdefault(type_.item, {}) if isinstance(type_.item, RowType) else {}
        for item in items:
            text = item.value if isinstance(item.value, str) else None
            if text in named:
                values.append(named[text])
                continue
            try:
                values.append(self._item_value(type_.item, item, what))
                if text is not None:
                    named[text] = values[-1]
            except UnreadableCellError:
                failed = True
        if failed:
            raise UnreadableCellError
        return tuple(dict.fromkeys(values)) if isinstance(type_, SetType) else tuple(values)

    def _item_value(self, type_: Type, cell: Cell, what: str) -> Any:
        if cell.value is None or (cell.value == "none" and type_ is not ScalarType.TEXT):
            self._error("PS016", what, f"`{what}` has no none in it", cell.span, "none")
        return self.value(type_, cell, what)

    def _row_value(self, type_: RowType, cell: Cell, what: str) -> Any:
        table = self.names.tables[type_.table]
        parts = cell.value if isinstance(cell.value, tuple) else (cell,)
        if not table.plan and not table.key and table.name in self.names.incomplete:
            raise UnreadableCellError
        if table.plan or not table.key:
            why = "a plan's rows are not known yet" if table.plan else f"`{table.name}` has no key"
            self._error("PS410", what, f"`{what}` cannot refer to a row here", cell.span, why)
        if len(parts) != len(table.key):
            help_text = f"write `[{', '.join(table.key)}]`" if len(table.key) > 1 else None
            self._error(
                "PS410",
                what,
                f"a row of `{table.name}` is named by {', '.join(table.key)}",
                cell.span,
                f"{len(parts)} given",
                help_text,
            )
        key = tuple(
            self.value(table.columns[name].type, part, f"{table.name}.{name}")
            for name, part in zip(table.key, parts, strict=True)
        )
        row = self.names.row(table, key)
        if row is None:
            if not self.names.rows_complete(table):
                raise UnreadableCellError
            text = ", ".join(str(part.value) for part in parts)
            self._error(
                "PS410",
                what,
                f"there is no {table.name} `{text[:60]}`",
                cell.span,
                f"no row of `{table.name}` has this key",
                did_you_mean(text[:60], self.names.row_names(table)),
            )
        return row

    def _error(
        self, code: str, what: str, message: str, span: Span, label: str, help_text: str | None = None
    ) -> NoReturn:
        """Report an unreadable cell, unless ten in its column have been reported, and raise an exception.

        Raises:
            UnreadableCellError: always.
        """
        self._reported[what] += 1
        if self._reported[what] == MAX_REPORTS:
            help_text = f"this is number {MAX_REPORTS} in `{what}`: further ones are not listed"
        if self._reported[what] <= MAX_REPORTS:
            self.report.error(code, message, span, label, help=help_text)
        raise UnreadableCellError


def _list_help(text: str, what: str) -> str:
    """Return help on writing a text as a list: in brackets, or with a separator that the table declares."""
    _, in_a_table, column = what.rpartition(".")
    mark = next((mark for mark in (";", "|", "/", ",") if mark in text), ";")
    written = ", ".join(part.strip() for part in text.split(mark))
    if not in_a_table:
        return f"write `[{written}]`"
    return f'in `rows:` write `[{written}]`; beside `csv:` or a file write `map: {{{column}: {{split: "{mark}"}}}}`'
