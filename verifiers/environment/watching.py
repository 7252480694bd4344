"""Facts that note what is read of them, so that what a change cannot reach need not be worked out again."""

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
from planspec.verifiers.environment.other_worlds import OtherWorld
from planspec.verifiers.environment.remembering_interpreter import RESTS, RememberingInterpreter
from planspec.verifiers.environment.results import LEAVES
from planspec.verifiers.meaning.interpret import EQUALITIES, SOUGHT, Env, Interpreter
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan

Mark: TypeAlias = tuple[Any, ...]
"""Something that can be read: a cell, all rows of a table, the rows of a table with a key in some columns, a parameter."""
Marks: TypeAlias = set[Mark]
KnownValues: TypeAlias = dict[t.Definition, tuple[Any, Marks]]
"""The values of definitions without parameters, with what each reads."""
OF_EXPRESSIONS = (EQUALITIES, SOUGHT, RESTS, LEAVES)
"""The kinds of results that follow from expressions alone: they hold in all worlds."""


class Watch:
    """Notes what is read, for whoever asks."""

    def __init__(self) -> None:
        self._marks: Marks = set()

    def note(self, *mark: Any) -> None:
        """Something is read."""
        self._marks.add(mark)

    @contextmanager
    def reading(self) -> Iterator[Marks]:
        """What the block reads; whoever reads around it has read that, too."""
        outer, self._marks = self._marks, set()
        try:
            yield self._marks
        finally:
            outer |= self._marks
            self._marks = outer

    def also(self, marks: Iterable[Mark]) -> None:
        """What was read before counts as read here."""
        self._marks.update(marks)


class WatchedFacts(Facts):
    """The rows of a table, noting who goes through them and who looks which of them up.

    Args:
        table: whose rows they are.
        rows: in order; of a class of `watched_class`.
        watch: is told.
    """

    __slots__ = ("_watch", "_whole")

    def __init__(self, table: Table, rows: list[Row], watch: Watch) -> None:
        self._watch, self._whole = watch, rows
        self.table = table
        self.by_key = _WatchedKeys({row._key: row for row in rows} if table.key else {}, table, watch)
        self._groups = {}
        self._single = {}

    @property
    def rows(self) -> list[Row]:  # type: ignore[override]
        """All rows, in order."""
        self._watch.note("rows", self.table.name)
        return self._whole

    def grouped(self, columns: Sequence[Column]) -> Mapping[Any, Rows]:
        """The rows as `group` puts them."""
        names = tuple(column.name for column in columns)
        found = self._groups.get(names)
        if found is None:
            with self._watch.reading() as unread:
                made = group(self._whole, columns)
                unread.clear()
            found = self._groups[names] = _WatchedGroups(made, self.table, names, self._watch)
        return found

    def without_column_groups(self, column: str) -> Facts:
        """The facts after a cell of a column was changed in place."""
        made = WatchedFacts(self.table, self._whole, self._watch)
        made._groups = {names: groups for names, groups in self._groups.items() if column not in names}
        return made

    def without_row(self, row: Row) -> Facts:
        """The facts without one of their rows."""
        return WatchedFacts(self.table, [other for other in self._whole if other is not row], self._watch)

    def changed(self, row: Row, column: str, value: Any) -> Marks:
        """What reads another value after a change of a cell of a row."""
        marks: Marks = {("cell", row, column)}
        for names in self._groups:
            if column in names:
                columns = [self.table.columns[name] for name in names]
                cells = [getattr(row, name) for name in names]
                moved = [value if name == column else cell for name, cell in zip(names, cells, strict=True)]
                marks |= {("group", self.table.name, names, key_of(each, columns)) for each in (cells, moved)}
                marks.add(("index", self.table.name, names))
        return marks

    def without(self, row: Row) -> Marks:
        """What reads something else where a row is not there."""
        marks: Marks = {("rows", self.table.name), ("key", self.table.name, row._key)}
        for names in self._groups:
            columns = [self.table.columns[name] for name in names]
            key = key_of([getattr(row, name) for name in names], columns)
            marks.add(("group", self.table.name, names, key))
        return marks


class WatchedGivens(dict[str, Any]):
    """The values of parameters, noting which are read."""

    def __init__(self, values: Mapping[str, Any], watch: Watch) -> None:
        super().__init__(values)
        self._watch = watch

    def __getitem__(self, name: str) -> Any:
        self._watch.note("given", name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a parameter."""
        self._watch.note("given", name)
        return super().get(name, default)


class _WatchedKeys(dict[tuple[Any, ...], Row]):
    def __init__(self, rows: Mapping[tuple[Any, ...], Row], table: Table, watch: Watch) -> None:
        super().__init__(rows)
        self._table, self._watch = table.name, watch

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        """The row of a key."""
        self._watch.note("key", self._table, key)
        return super().get(key, default)


class _WatchedGroups(dict[Any, Rows]):
    def __init__(
        self, groups: Mapping[Any, Rows], table: Table, names: tuple[str, ...], watch: Watch
    ) -> None:
        super().__init__(groups)
        self._table, self._names, self._watch = table.name, names, watch

    def get(self, key: Any, default: Any = None) -> Any:
        """The rows of a key."""
        self._watch.note("group", self._table, self._names, key)
        return super().get(key, default)

    def __getitem__(self, key: Any) -> Rows:
        self._watch.note("group", self._table, self._names, key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._watch.note("group", self._table, self._names, key)
        return super().__contains__(key)

    def __iter__(self) -> Iterator[Any]:
        self._all()
        return super().__iter__()

    def items(self) -> Any:
        """All keys with their rows."""
        self._all()
        return super().items()

    def keys(self) -> Any:
        """All keys."""
        self._all()
        return super().keys()

    def values(self) -> Any:
        """The rows of all keys."""
        self._all()
        return super().values()

    def _all(self) -> None:
        self._watch.note("rows", self._table)
        self._watch.note("index", self._table, self._names)


def watched_class(table: Table, watch: Watch) -> type[Row]:
    """The row class of a table whose rows note which of their cells are read; keys, which nobody changes, are not noted."""
    base = row_class(table)
    content: dict[str, Any] = {
        name: _noting(getattr(base, name), name, watch) for name in table.columns if name not in table.key
    }
    return type(f"Watched_{table.name}", (base,), {"__slots__": (), **content})


def _noting(slot: Any, name: str, watch: Watch) -> property:
    """A column of a row, as one that notes who reads it."""
    read = slot.__get__

    def get(row: Row) -> Any:
        watch.note("cell", row, name)
        return read(row)

    return property(get, slot.__set__)


class WatchedWorld(OtherWorld):
    """A copy of a task's facts that notes what is read of it.

    Args:
        task: whose rows are copied.

    Attributes:
        watch: is told what is read.
        change: what reads something else in the world that was made last than in the task's.
    """

    def __init__(self, task: Task) -> None:
        self.watch = Watch()
        self.change: Marks = set()
        super().__init__(task)
        self._givens = WatchedGivens(self._givens, self.watch)

    def with_cell(self, row: Row, column: str, value: Any) -> Task:
        """The task with another value in a cell."""
        self._restore()
        self.change = self._base(row).changed(self._copies[row], column, self._copied(value))
        return super().with_cell(row, column, value)

    def without_row(self, row: Row) -> Task | None:
        """The task without a row."""
        self._restore()
        self.change = self._base(row).without(self._copies[row])
        return super().without_row(row)

    def with_given(self, name: str, value: Any) -> Task:
        """The task with another value of a parameter."""
        self.change = {("given", name)}
        return super().with_given(name, value)

    def originals(self, copies: Collection[Row]) -> frozenset[Row]:
        """The task's rows whose copies these are."""
        return frozenset(row for row, copy in self._copies.items() if copy in copies)

    def _base(self, row: Row) -> WatchedFacts:
        facts = self._facts[row._table.name]
        assert isinstance(facts, WatchedFacts)
        return facts

    def _row_class(self, table: Table) -> type[Row]:
        return watched_class(table, self.watch)

    def _indexed(self, table: Table, rows: list[Row]) -> Facts:
        return WatchedFacts(table, [self._copies[row] for row in rows], self.watch)


class WatchfulInterpreter(RememberingInterpreter):
    """An interpreter for calls that are worked out each by itself, so that what each reads is noted.

    Args:
        task: of a watched world.
        watch: of that world.
        known: definitions without parameters that were worked out, with what each reads.
        static: what follows from expressions alone, and the names by which tools find rows: who shares them has noted what they read.
    """

    def __init__(self, task: Task, watch: Watch, known: KnownValues, static: Memory) -> None:
        super().__init__(task, static=static)
        self._watch, self._known = watch, known
        self._calls: dict[tuple[t.Definition, tuple[Any, ...]], tuple[Any, Marks]] = {}

    def on(self, plan: Plan | None, meter: Meter | None = None) -> Interpreter:
        """An interpreter that shares nothing with this one but the values of definitions, names of rows and what holds in all worlds."""
        assert plan is None and meter is None
        static = self.static.sharing(*OF_EXPRESSIONS, NAME_INDEXES)
        return WatchfulInterpreter(self.task, self._watch, self._known, static)

    def defined(self, definition: t.Definition) -> Any:
        """The value of a definition without parameters, worked out once."""
        found = self._known.get(definition)
        if found is None:
            with self._watch.reading() as marks:
                found = self._known[definition] = self.value(definition.body, {}), marks
        self._watch.also(found[1])
        return found[0]

    def _applied(self, definition: t.Definition, inner: Env) -> Any:
        """The value of a definition for its arguments, worked out once; who asks again has read what it reads."""
        key = definition, tuple(inner.values())
        found = self._calls.get(key)
        if found is None:
            with self._watch.reading() as marks:
                found = self._calls[key] = self.value(definition.body, inner), marks
        self._watch.also(found[1])
        return found[0]
