"""Scopes in which no mistake was found: a task that says the same needs their trees only where something searches."""

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
"""The scopes of which it is known that they are sound."""


@dataclass(frozen=True, slots=True)
class SoundScope:
    """A scope that was checked on a foundation, of which nothing had to be said.

    Attributes:
        entries: how many it has.
        asked: names of the static tables among whose rows it names one.
    """

    entries: int
    asked: frozenset[str]


def text_of_scope(node: Node | None, names: Names, foundation: Names) -> str | None:
    """The text that decides what a task's scope means; None where it may mean something else than in other tasks.

    Args:
        node: the section.
        names: of the task, without mistakes.
        foundation: the names of the documents on which it stands, which other tasks have, too.
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


def same_rows(asked: frozenset[str], names: Names, tables: Mapping[str, LoadedTable]) -> bool:
    """The tables have the same rows in a task as for all tasks on its foundation."""
    return all(name in tables and names.facts.get(name) is tables[name].facts for name in asked)


class LaterScope(Sequence[ScopeRow]):
    """The entries of a sound scope, checked when somebody first asks for one.

    Args:
        entries: how many there are.
        check: makes them.
    """

    def __init__(self, entries: int, check: Callable[[], tuple[ScopeRow, ...]]) -> None:
        self._entries = entries
        self._check = check

    @cached_property
    def _rows(self) -> tuple[ScopeRow, ...]:
        return self._check()

    def __len__(self) -> int:
        return self._entries

    @overload
    def __getitem__(self, place: int) -> ScopeRow: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[ScopeRow]: ...
    def __getitem__(self, place: int | slice) -> ScopeRow | Sequence[ScopeRow]:
        return self._rows[place]
