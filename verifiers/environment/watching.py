"""Recording of the facts that a computation reads. After a change, only results that depend on it are recomputed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts, Rows, group, key_of
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.rows import Row, row_class
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, Table
from planspec.verifiers.environment.arguments import NAME_INDEXES
from planspec.verifiers.environment.other_worlds import WorldVariants
from planspec.verifiers.environment.remembering_interpreter import UNINDEXED_PARTS, RememberingInterpreter
from planspec.verifiers.environment.results import LEAVES
from planspec.verifiers.meaning.interpret import ANY_CLAUSES, EQUALITIES, Env, Interpreter
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan

Read: TypeAlias = tuple[Any, ...]
"""A recorded read, such as `("cell", row, "rate")`, `("rows", "Hotel")` or `("given", "budget")`.

Lookups are recorded by table and key (`key`), by table, columns and values (`group`), and for all values (`index`).
"""
ReadSet: TypeAlias = set[Read]
DefinitionValues: TypeAlias = dict[t.Definition, tuple[Any, ReadSet]]
"""Values of definitions without parameters, each with the facts read for it."""
OF_EXPRESSIONS = (EQUALITIES, ANY_CLAUSES, UNINDEXED_PARTS, LEAVES)
"""Kinds of results that depend only on expressions, so that they remain valid when facts change."""


class ReadRecorder:
    """Recorder of the facts that are read, from which nested `reading` blocks collect their reads."""

    def __init__(self) -> None:
        self._marks: ReadSet = set()

    def record(self, *mark: Any) -> None:
        """Record one read, given as the items of a `Read`, for example `record("given", "budget")`."""
        self._marks.add(mark)

    @contextmanager
    def reading(self) -> Iterator[ReadSet]:
        """Collect the reads made in a `with` block. They also count as reads of the enclosing blocks."""
        outer, self._marks = self._marks, set()
        try:
            yield self._marks
        finally:
            outer |= self._marks
            self._marks = outer

    def record_again(self, marks: Iterable[Read]) -> None:
        """Record the reads of a cached value. They count as reads of all current `reading` blocks."""
        self._marks.update(marks)


class RecordingFacts(Facts):
    """The rows of a table. Scans and lookups are recorded.

    Args:
        table: table of the rows.
        rows: rows in order. Their class was created by `recording_row_class`.
        watch: recorder of the reads.
    """

    __slots__ = ("_watch", "_whole")

    def __init__(self, table: Table, rows: list[Row], watch: ReadRecorder) -> None:
        self._watch, self._whole = watch, rows
        self.table = table
        self.by_key = _RecordingKeys({row._key: row for row in rows} if table.key else {}, table, watch)
        self._groups = {}
        self._single = {}

    @property
    def rows(self) -> list[Row]:  # type: ignore[override]
        """All rows, in order."""
        self._watch.record("rows", self.table.name)
        return self._whole

    def grouped(self, columns: Sequence[Column]) -> Mapping[Any, Rows]:
        """Return the rows grouped by their values in columns. Lookups in the result are recorded."""
        names = tuple(column.name for column in columns)
        groups = self._groups.get(names)
        if groups is None:
            with self._watch.reading() as unread:
                unwatched = group(self._whole, columns)
                unread.clear()
            groups = self._groups[names] = _RecordingGroups(unwatched, self.table, names, self._watch)
        return groups

    def without_column_groups(self, column: str) -> Facts:
        """Return the facts without the cached groups that a change in this column invalidates."""
        facts = RecordingFacts(self.table, self._whole, self._watch)
        facts._groups = {names: groups for names, groups in self._groups.items() if column not in names}
        return facts

    def without_row(self, row: Row) -> Facts:
        """Return the facts without one of their rows."""
        return RecordingFacts(self.table, [other for other in self._whole if other is not row], self._watch)

    def marks_affected_by_change(self, row: Row, column: str, value: Any) -> ReadSet:
        """Return the reads whose results can change if a cell of a row is set to `value`."""
        marks: ReadSet = {("cell", row, column)}
        for names in self._groups:
            if column in names:
                columns = [self.table.columns[name] for name in names]
                cells = [getattr(row, name) for name in names]
                moved = [value if name == column else cell for name, cell in zip(names, cells, strict=True)]
                marks |= {("group", self.table.name, names, key_of(each, columns)) for each in (cells, moved)}
                marks.add(("index", self.table.name, names))
        return marks

    def marks_affected_by_removal(self, row: Row) -> ReadSet:
        """Return the reads whose results can change if a row is removed."""
        marks: ReadSet = {("rows", self.table.name), ("key", self.table.name, row._key)}
        for names in self._groups:
            columns = [self.table.columns[name] for name in names]
            key = key_of([getattr(row, name) for name in names], columns)
            marks.add(("group", self.table.name, names, key))
        return marks


class RecordingGivens(dict[str, Any]):
    """The values of parameters. Reads are recorded."""

    def __init__(self, values: Mapping[str, Any], watch: ReadRecorder) -> None:
        super().__init__(values)
        self._watch = watch

    def __getitem__(self, name: str) -> Any:
        self._watch.record("given", name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of a parameter."""
        self._watch.record("given", name)
        return super().get(name, default)


class _RecordingKeys(dict[tuple[Any, ...], Row]):
    """The rows of a table by key. Lookups are recorded."""

    def __init__(self, rows: Mapping[tuple[Any, ...], Row], table: Table, watch: ReadRecorder) -> None:
        super().__init__(rows)
        self._table, self._watch = table.name, watch

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        self._watch.record("key", self._table, key)
        return super().get(key, default)


class _RecordingGroups(dict[Any, Rows]):
    """The rows of a table by their values in the columns `names`. Lookups are recorded."""

    def __init__(self, groups: Mapping[Any, Rows], table: Table, names: tuple[str, ...], watch: ReadRecorder) -> None:
        super().__init__(groups)
        self._table, self._names, self._watch = table.name, names, watch

    def get(self, key: Any, default: Any = None) -> Any:
        self._watch.record("group", self._table, self._names, key)
        return super().get(key, default)

    def __getitem__(self, key: Any) -> Rows:
        self._watch.record("group", self._table, self._names, key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._watch.record("group", self._table, self._names, key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        self._record_all()
        return super().__iter__()

    def items(self) -> Any:
        self._record_all()
        return super().items()

    def keys(self) -> Any:
        self._record_all()
        return super().keys()

    def values(self) -> Any:
        self._record_all()
        return super().values()

    def _record_all(self) -> None:
        self._watch.record("rows", self._table)
        self._watch.record("index", self._table, self._names)


def recording_row_class(table: Table, watch: ReadRecorder) -> type[Row]:
    """Return a row class that records reads of cells. Key columns never change and are not recorded."""
    base = row_class(table)
    content: dict[str, Any] = {
        name: _recording_property(getattr(base, name), name, watch) for name in table.columns if name not in table.key
    }
    return type(f"Watched_{table.name}", (base,), {"__slots__": (), **content})


def _recording_property(slot: Any, name: str, watch: ReadRecorder) -> property:
    """Return a property for a column of a row class. It records each read of a cell."""
    read = slot.__get__

    def get(row: Row) -> Any:
        watch.record("cell", row, name)
        return read(row)

    return property(get, slot.__set__)


class RecordedWorld(WorldVariants):
    """A generator of variants of a task that records which facts are read.

    Args:
        task: the original task. Its rows are copied.

    Attributes:
        watch: recorder of the reads.
        change: reads whose results differ between the original task and the latest variant.
    """

    def __init__(self, task: Task) -> None:
        self.watch = ReadRecorder()
        self.change: ReadSet = set()
        super().__init__(task)
        self._givens = RecordingGivens(self._givens, self.watch)

    def with_cell(self, row: Row, column: str, value: Any) -> Task:
        """Return the task with another value in a cell."""
        self._restore()
        self.change = self._recording_facts_of(row).marks_affected_by_change(
            self._copies[row], column, self._with_copied_rows(value)
        )
        return super().with_cell(row, column, value)

    def without_row(self, row: Row) -> Task | None:
        """Return the task without a row, or None if other rows refer to it."""
        self._restore()
        self.change = self._recording_facts_of(row).marks_affected_by_removal(self._copies[row])
        return super().without_row(row)

    def with_given(self, name: str, value: Any) -> Task:
        """Return the task with another value of a parameter."""
        self.change = {("given", name)}
        return super().with_given(name, value)

    def originals(self, copies: Collection[Row]) -> frozenset[Row]:
        """Return the task's original rows for the given copies."""
        return frozenset(row for row, copy in self._copies.items() if copy in copies)

    def _recording_facts_of(self, row: Row) -> RecordingFacts:
        facts = self._facts[row._table.name]
        assert isinstance(facts, RecordingFacts)
        return facts

    def _row_class(self, table: Table) -> type[Row]:
        return recording_row_class(table, self.watch)

    def _facts_of(self, table: Table, rows: list[Row]) -> Facts:
        return RecordingFacts(table, [self._copies[row] for row in rows], self.watch)


class ReadRecordingInterpreter(RememberingInterpreter):
    """An interpreter without a plan that records the facts read, also those of values that it takes from a cache.

    Args:
        task: task of a `RecordedWorld`.
        watch: recorder of that world.
        definitions: values of definitions without parameters, with the facts read; updated.
        static: results that depend only on expressions, and indexes of the names of rows. The caller records the
            facts read for these indexes.
    """

    def __init__(self, task: Task, watch: ReadRecorder, definitions: DefinitionValues, static: Memory) -> None:
        super().__init__(task, static=static)
        self._watch, self._definitions = watch, definitions
        self._calls: dict[tuple[t.Definition, tuple[Any, ...]], tuple[Any, ReadSet]] = {}

    def on(self, plan: Plan | None, meter: Meter | None = None) -> Interpreter:
        """Return another interpreter that shares caches of this interpreter. `plan` and `meter` must be None.

        The shared caches are those of values of definitions without parameters, of results that depend only on
        expressions, and of indexes of the names of rows.
        """
        assert plan is None and meter is None
        static = self.static.sharing(*OF_EXPRESSIONS, NAME_INDEXES)
        return ReadRecordingInterpreter(self.task, self._watch, self._definitions, static)

    def defined(self, definition: t.Definition) -> Any:
        """Return the value of a definition without parameters, computed once."""
        entry = self._definitions.get(definition)
        if entry is None:
            with self._watch.reading() as marks:
                entry = self._definitions[definition] = self.value(definition.body, {}), marks
        self._watch.record_again(entry[1])
        return entry[0]

    def _applied_once(self, definition: t.Definition, arguments: Env) -> Any:
        """Return a definition's value for given arguments, computed on the first call. Reads are always recorded."""
        key = definition, tuple(arguments.values())
        entry = self._calls.get(key)
        if entry is None:
            with self._watch.reading() as marks:
                entry = self._calls[key] = self.value(definition.body, arguments), marks
        self._watch.record_again(entry[1])
        return entry[0]
