"""Scopes whose entries are checked on first access."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from planspec.dsl.model.memory import Memory
from planspec.dsl.model.task import ScopeRow, Task


@dataclass(frozen=True, slots=True, eq=False)
class EqualScope:
    """The checked scope of another task with the same text and the same meaning.

    A task can evaluate these entries in place of its own. Only their spans are in the other task's document.

    Attributes:
        rows: checked entries.
        shared: cache of results that later phases derive from the entries.
    """

    rows: tuple[ScopeRow, ...]
    shared: Memory = field(default_factory=Memory)


class LazyScope(Sequence[ScopeRow]):
    """The entries of a scope that is known to have no mistakes, checked on first access.

    Args:
        entry_count: the number of entries.
        load: checks and returns the entries.
        equal: the same scope of another task; None if it is no longer cached.
    """

    def __init__(
        self, entry_count: int, load: Callable[[], tuple[ScopeRow, ...]], equal: EqualScope | None = None
    ) -> None:
        self.equal = equal
        self._entries = entry_count
        self._load = load

    @cached_property
    def _rows(self) -> tuple[ScopeRow, ...]:
        return self._load()

    def __len__(self) -> int:
        return self._entries

    @overload
    def __getitem__(self, index: int) -> ScopeRow: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ScopeRow]: ...
    def __getitem__(self, index: int | slice) -> ScopeRow | Sequence[ScopeRow]:
        return self._rows[index]


def equal_scope(task: Task) -> EqualScope | None:
    """Return the scope of another task with the same text and meaning as a task's scope; None if none is cached."""
    return task.scope.equal if isinstance(task.scope, LazyScope) else None
