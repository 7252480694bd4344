"""Cache of scopes without mistakes.

If the text of a task's scope is cached, its entries are checked only when a search needs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from planspec.dsl.check.names import Names
from planspec.dsl.model.task import ScopeRow
from planspec.dsl.tables.loader import LoadedTable
from planspec.dsl.yaml.reader import Node

MOST_KEPT = 1_000
"""The maximum number of cached scopes."""


@dataclass(frozen=True, slots=True)
class SoundScope:
    """A scope that caused no diagnostics on a foundation.

    Attributes:
        entry_count: number of its entries.
        searched: names of the static tables in which the scope names rows.
    """

    entry_count: int
    searched: frozenset[str]


def text_of_scope(node: Node | None, names: Names, foundation: Names) -> str | None:
    """Return the text of a task's scope; None if its meaning also depends on the task's own names.

    Args:
        node: the section `scope`.
        names: the names of the task, without mistakes.
        foundation: the names of the foundation, which other tasks share.
    """
    alike = (
        names.places.keys() == foundation.places.keys()
        and names.enums == foundation.enums
        and names.tables == foundation.tables
        and names.givens == foundation.givens
        and names.definitions == foundation.definitions
        and names.incomplete == foundation.incomplete
        and not (names.broken or names.unsure)
    )
    if node is None or not alike:
        return None
    text = node.span.source.text
    return text[text.rfind("\n", 0, node.span.start) + 1 : node.span.end]


def have_same_rows(searched: frozenset[str], names: Names, tables: Mapping[str, LoadedTable]) -> bool:
    """Return whether the tables have the same rows in a task as in its foundation."""
    return all(name in tables and names.facts.get(name) is tables[name].facts for name in searched)


class LazyScope(Sequence[ScopeRow]):
    """The entries of a sound scope, checked on first access.

    Args:
        entry_count: the number of entries.
        load: returns the entries.
    """

    def __init__(self, entry_count: int, load: Callable[[], tuple[ScopeRow, ...]]) -> None:
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
