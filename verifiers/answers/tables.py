"""Conversion between plan tables in JSON and the rows of a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, ListType, RowType, ScalarType, SetType, Table, Type
from planspec.dsl.model.value_text import json_value, row_key
from planspec.dsl.model.values import InvalidValueError, parse_json_value
from planspec.dsl.resources.limits import ANSWER_TEXT, SUGGESTIONS
from planspec.verifiers.answers.amounts import read_cost
from planspec.verifiers.answers.findings import FindingLog, ShapeFinding, pointer
from planspec.verifiers.meaning.plan_rows import Plan


def read_tables(task: Task, data: Mapping[str, Any]) -> tuple[Plan, tuple[ShapeFinding, ...]]:
    """Return the rows of an answer that consists of the plan's tables as JSON.

    Each table is a list of objects, one for each row. A table of exactly one row (`one`) may also be a single object.
    An unreadable cell becomes *none*, with a finding. A cell refers to a row by key:

    - A key of one column is a string.
    - A key of several columns is a list of values, an object with the values by column, or a string as tools show it.
    - A row of a table without a key is referred to by its position, counted from 0.

    Args:
        task: task with the plan tables.
        data: the answer as returned by `read_answer`.

    Returns:
        The plan and the findings. Rows that are not objects are left out.
    """
    return TableReader(task).read(data)


def write_tables(task: Task, plan: Plan) -> dict[str, Any]:
    """Return the plan's tables as JSON from which `read_tables` restores the plan.

    Values with units, and decimals that are not whole, become strings, because floats could lose digits. A reference
    to an unknown row is written as it was in the answer.

    Args:
        task: task with the plan tables.
        plan: rows of the plan.

    Returns:
        For each table by name, a list of objects. A `one` table with one row is a single object.
    """
    written: dict[str, Any] = {}
    for table in task.plan_tables:
        rows = [_row(row, table.columns, task.currency) for row in plan.tables[table.name]]
        written[table.name] = rows[0] if table.one and len(rows) == 1 else rows
    return written


def _row(row: Row, columns: Mapping[str, Column], currency: str | None) -> dict[str, Any]:
    names = row._unknown if isinstance(row._unknown, Mapping) else {}
    return {
        name: names[name] if name in names else json_value(getattr(row, name), column.type, currency)
        for name, column in columns.items()
    }


NUMBERS_AND_TEXTS = (str, int, float, Decimal)


class _UnknownNameError(Exception):
    """A cell refers to a row by a name that no row has, or that several rows have."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(why)
        self.name = name


@dataclass(slots=True)
class _Draft:
    """A row of the plan while its cells are being read.

    Attributes:
        row: the row, with the cells read so far.
        cells: JSON of the cells, by column.
        path: position of the row in the answer, as a JSON pointer.
        unknown: names in cells that refer to no row, or to several rows, by column. Names are added while cells are
            read.
    """

    row: Row
    cells: Mapping[str, Any]
    path: str
    unknown: dict[str, str]


class TableReader:
    """Reader of the plan tables of one answer.

    Cells that refer to rows of the plan are read after all other cells: first those in key columns, then the rest.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._findings = FindingLog()
        self._drafts: dict[str, list[_Draft]] = {}
        self._keyed: dict[str, dict[tuple[Any, ...], list[Row]] | None] = {}
        self._named: dict[str, Mapping[str, str]] = {}
        self._texts: dict[str, Mapping[str, Row]] = {}
        self._suggested = 0

    def read(self, data: Mapping[str, Any]) -> tuple[Plan, tuple[ShapeFinding, ...]]:
        """Return the plan in an answer's JSON (rows by table), and the findings on faults of the JSON."""
        tables = {table.name: table for table in self._task.plan_tables}
        for name in data:
            if name not in tables:
                message = f"the plan has no table `{clipped_text(name)}`{self._suggestion(name, lambda: dict(zip(tables, tables, strict=True)))}"
                self._report("unknown-table", message, pointer("", name), fails=False)
        for table in tables.values():
            self._drafts[table.name] = self._rows(table, data)
        for table in tables.values():
            self._rows_by_key(table)
        for table in tables.values():
            self._read_plan_cells(table, [name for name in table.columns if name not in table.key])
        rows = {name: tuple(draft.row for draft in drafts) for name, drafts in self._drafts.items()}
        return Plan(rows), self._findings.all()

    # ------------------------------------------------------------------ rows

    def _rows(self, table: Table, data: Mapping[str, Any]) -> list[_Draft]:
        path = pointer("", table.name)
        if table.name not in data:
            self._report("missing-table", f"the plan's table `{table.name}` is missing", "", table)
            return []
        columns = [column for column in table.columns.values() if not self._refers_to_plan(column.type)]
        value = data[table.name]
        if table.one and isinstance(value, Mapping):
            return [self._read_draft(table, columns, value, path, 0)]
        if not isinstance(value, list | tuple):
            expected = "one object or a list of one" if table.one else "a list of objects"
            self._report("wrong-shape", f"`{table.name}` is {json_kind(value)}, not {expected}", path, table)
            return []
        drafts: list[_Draft] = []
        for place, item in enumerate(value):
            where = pointer(path, place)
            if isinstance(item, Mapping):
                drafts.append(self._read_draft(table, columns, item, where, len(drafts)))
            else:
                self._report(
                    "wrong-shape",
                    f"a row of `{table.name}` is {json_kind(item)}, not an object",
                    where,
                    table,
                )
        return drafts

    def _read_draft(
        self, table: Table, columns: Iterable[Column], cells: Mapping[str, Any], path: str, index: int
    ) -> _Draft:
        """Create a row, and read only its cells in `columns`.

        `path` is the JSON pointer of the row in the answer, and `index` its position in the table.
        """
        for name in cells:
            if name not in table.columns:
                message = f"`{table.name}` has no column `{clipped_text(name)}`{self._suggestion(name, lambda: dict(zip(table.columns, table.columns, strict=True)))}"
                self._report("unknown-column", message, pointer(path, name), table, fails=False)
        unknown: dict[str, str] = {}
        draft = _Draft(make_row(table, {}, index, unknown=unknown), cells, path, unknown)
        for column in columns:
            self._fill_cell(table, column, draft)
        return draft

    def _read_plan_cells(self, table: Table, names: Iterable[str]) -> None:
        columns = [table.columns[name] for name in names]
        for column in columns:
            if self._refers_to_plan(column.type):
                for draft in self._drafts[table.name]:
                    self._fill_cell(table, column, draft)

    def _refers_to_plan(self, type_: Type) -> bool:
        match type_:
            case RowType(table):
                return self._task.tables[table].plan
            case SetType(item) | ListType(item):
                return self._refers_to_plan(item)
            case _:
                return False

    # ------------------------------------------------------------------ cells

    def _fill_cell(self, table: Table, column: Column, draft: _Draft) -> None:
        """Set the value of a row in a column. An unreadable cell becomes *none* and is reported."""
        name = column.name
        if name not in draft.cells and (column.has_default or column.optional):
            return
        cell = draft.cells.get(name)
        value: Any = None
        if cell is None:
            if not column.optional:
                message = f"`{table.name}.{name}` is missing, and it must have a value"
                place = pointer(draft.path, name) if name in draft.cells else draft.path
                self._report("missing-column", message, place, table, name)
        else:
            try:
                value = self._cell(cell, column.type)
            except InvalidValueError as error:
                message = f"`{table.name}.{name}` cannot be read: `{clipped_text(cell)}` is no {column.type} ({error})"
                self._report("wrong-type", message, pointer(draft.path, name), table, name)
            except _UnknownNameError as error:
                draft.unknown[name] = error.name
                self._report("unknown-name", str(error), pointer(draft.path, name), table, name)
        setattr(draft.row, name, value)

    def _cell(self, cell: Any, type_: Type) -> Any:
        match type_:
            case ScalarType.TEXT if isinstance(cell, str) and len(cell) > ANSWER_TEXT:
                raise InvalidValueError(f"it has more than {ANSWER_TEXT:,} characters")
            case ScalarType.MONEY if self._task.currency is not None and isinstance(cell, NUMBERS_AND_TEXTS):
                return read_cost(cell, self._task.currency)
            case ScalarType() | EnumType():
                return parse_json_value(cell, type_, currency=self._task.currency)
            case RowType(name):
                return self._row(cell, self._task.tables[name])
            case SetType(item) | ListType(item):
                if not isinstance(cell, list | tuple):
                    raise InvalidValueError(f"it is {json_kind(cell)}, not a list")
                parts = [self._cell(part, item) for part in cell]
                return tuple(dict.fromkeys(parts) if isinstance(type_, SetType) else parts)
            case _:
                raise TypeError(f"a {type_} is no cell")

    # ------------------------------------------------------------------ references

    def _row(self, reference: Any, table: Table) -> Row:
        if not table.key:
            rows = (
                [draft.row for draft in self._drafts[table.name]] if table.plan else self._task.facts[table.name].rows
            )
            place: int = parse_json_value(reference, ScalarType.INT, currency=None)
            if 0 <= place < len(rows):
                return rows[place]
            raise _UnknownNameError(
                clipped_text(reference),
                f"`{table.name}` has no row {clipped_text(reference)}: it has {len(rows)}, from 0",
            )
        if (
            isinstance(reference, str)
            and len(table.key) > 1
            and (row := self._rows_by_key_text(table).get(reference)) is not None
        ):
            return row
        try:
            key = self._key(reference, table)
        except InvalidValueError as error:
            if isinstance(reference, str) and len(table.key) == 1:
                raise self._no_row_error(reference, table) from None
            raise InvalidValueError(f"a row of `{table.name}` is named by {', '.join(table.key)}: {error}") from None
        if table.plan:
            matches = (self._rows_by_key(table) or {}).get(key, [])
            if len(matches) > 1:
                raise _UnknownNameError(
                    clipped_text(reference),
                    f"several rows of `{table.name}` are called {clipped_text(reference)}",
                )
            row = matches[0] if matches else None
        else:
            row = self._task.facts[table.name].by_key.get(key)
        if row is None:
            raise self._no_row_error(reference, table)
        return row

    def _key(self, reference: Any, table: Table) -> tuple[Any, ...]:
        """Return the values of the key columns, given a reference to a row as in `read_tables`."""
        parts: Sequence[Any]
        if isinstance(reference, Mapping):
            missing = [name for name in table.key if name not in reference]
            if missing or len(reference) > len(table.key):
                raise InvalidValueError(f"`{missing[0]}` is missing" if missing else "it has other names too")
            parts = [reference[name] for name in table.key]
        elif len(table.key) == 1:
            parts = [reference]
        elif isinstance(reference, list | tuple):
            parts = reference
        else:
            raise InvalidValueError(f"{json_kind(reference)} cannot name it")
        if len(parts) != len(table.key):
            raise InvalidValueError(f"{len(parts)} given")
        columns = [table.columns[name].type for name in table.key]
        return tuple(
            self._cell(str(part) if _is_number_for(type_, part) else part, type_)
            for part, type_ in zip(parts, columns, strict=True)
        )

    def _rows_by_key(self, table: Table) -> dict[tuple[Any, ...], list[Row]] | None:
        """Return a plan table's rows by key, after reading the keys; None while the keys are being read."""
        if table.name not in self._keyed:
            self._keyed[table.name] = None
            self._read_plan_cells(table, table.key)
            keyed: dict[tuple[Any, ...], list[Row]] = {}
            for draft in self._drafts[table.name]:
                if table.key and None not in draft.row._key:
                    keyed.setdefault(draft.row._key, []).append(draft.row)
            self._keyed[table.name] = keyed
        return self._keyed[table.name]

    def _rows_by_key_text(self, table: Table) -> Mapping[str, Row]:
        """Return the rows of a static table by the text of their key, such as `lathe, 2026-07-01`."""
        if table.plan:
            return {}
        if table.name not in self._texts:
            rows = self._task.facts[table.name].rows
            self._texts[table.name] = {row_key(row, self._task.currency): row for row in rows}
        return self._texts[table.name]

    def _no_row_error(self, reference: Any, table: Table) -> _UnknownNameError:
        near = ""
        if isinstance(reference, str) and not table.plan and len(table.key) == 1:
            near = self._suggestion(reference, lambda: self._names(table))
        return _UnknownNameError(
            clipped_text(reference), f"no {table.name} is called `{clipped_text(reference)}`{near}"
        )

    def _names(self, table: Table) -> Mapping[str, str]:
        """Return a mapping from the names of a table's rows to their keys."""
        if table.name not in self._named:
            self._named[table.name] = {
                name: str(row._key[0]) for row in self._task.facts[table.name].rows for name in row_names(row)
            }
        return self._named[table.name]

    # ------------------------------------------------------------------ findings

    def _suggestion(self, name: str, names: Callable[[], Mapping[str, str]]) -> str:
        """Return text such as ``; did you mean `museum`?`` with the most similar name; empty if none is similar.

        The number of searches for each answer is limited, because each search visits all names.
        """
        self._suggested += 1
        if self._suggested > SUGGESTIONS:
            return ""
        keys = names()
        best = most_similar(name[:100], keys)
        return f"; did you mean `{keys[best]}`?" if best else ""

    def _report(
        self,
        kind: str,
        message: str,
        path: str,
        table: Table | None = None,
        column: str | None = None,
        *,
        fails: bool = True,
    ) -> None:
        self._findings.add(ShapeFinding(kind, message, path, table.name if table else None, column, fails))


def _is_number_for(type_: Type, value: object) -> bool:
    """Return whether a value is a whole number although the type is a string, such as 101 for the room `101`."""
    return type_ is ScalarType.TEXT and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**40


def row_names(row: Row) -> Iterable[str]:
    """Yield the names of a row: its key, and its name if it has one."""
    yield str(row._key[0])
    name = getattr(row, "name", None) or row._extra.get("name")
    if isinstance(name, str):
        yield name


def clipped_text(value: object) -> str:
    """Return a value of an answer as text, shortened for a message."""
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def json_kind(value: object) -> str:
    """Return the kind of a JSON value with an article, such as `a list`, for messages."""
    match value:
        case None:
            return "null"
        case bool():
            return "a Boolean"
        case str():
            return "text"
        case Mapping():
            return "an object"
        case list() | tuple():
            return "a list"
        case int() | float() | Decimal():
            return "a number"
        case _:
            return f"not JSON but a `{type(value).__name__}`"
