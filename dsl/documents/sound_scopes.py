"""Cache of scopes without mistakes, so that tasks with the same scope need not check it again.

If the text of a task's scope is cached, its entries are checked only when a search needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planspec.dsl.check.names import Names
from planspec.dsl.model.lazy_scope import EqualScope
from planspec.dsl.tables.loader import LoadedTable
from planspec.dsl.yaml.reader import Node

MAX_CACHED_SCOPES = 1_000
"""The maximum number of cached scopes."""
MAX_CHECKED_SCOPES = 100
"""The maximum number of cached scopes with checked entries, which take more memory."""


@dataclass(frozen=True, slots=True)
class SoundScope:
    """A task's scope that was checked, together with the documents that the task uses, without any diagnostic.

    Attributes:
        entry_count: number of its entries.
        searched: names of the static tables whose rows the scope mentions by name.
        checked: its checked entries; None if the cache already has `MAX_CHECKED_SCOPES` scopes.
    """

    entry_count: int
    searched: frozenset[str]
    checked: EqualScope | None


def text_of_scope(node: Node | None, names: Names, foundation: Names) -> str | None:
    """Return the text of a task's scope; None if its meaning also depends on the task's own names.

    Args:
        node: the section `scope`.
        names: the names of the task, without mistakes.
        foundation: the names of the documents that the task uses.
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
    """Return whether the tables `searched` have the same rows in a task as in the documents that it uses."""
    return all(name in tables and names.facts.get(name) is tables[name].facts for name in searched)
