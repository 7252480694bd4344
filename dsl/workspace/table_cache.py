"""Static tables that are the same for every task of a world: loaded once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from planspec.dsl.diagnostics.source import Source
from planspec.dsl.model.facts import Facts
from planspec.dsl.workspace.document import Document


@dataclass(frozen=True, slots=True)
class CachedTable:
    """A loaded table, and the files that its rows came from."""

    facts: Facts
    sources: tuple[Source, ...]


@dataclass(slots=True, eq=False)
class TableCache:
    """Loaded tables by the documents that they come from and the currency of their prices.

    Invariant: the tables of one key refer to no tables but those of the same key.
    """

    _tables: dict[tuple[tuple[Document, ...], str | None], dict[str, CachedTable]] = field(
        default_factory=dict
    )

    def of(self, documents: Sequence[Document], currency: str | None) -> dict[str, CachedTable]:
        """The tables that were loaded from the documents; a table that one task adds is found by the next."""
        return self._tables.setdefault((tuple(documents), currency), {})
