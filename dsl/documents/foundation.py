"""Foundations. A foundation is the set of documents that a task uses, checked once for all tasks that share them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.documents.constraints import DeclaredRule
from planspec.dsl.documents.search_scope import DeclaredScope
from planspec.dsl.documents.sound_scopes import SoundScope
from planspec.dsl.model.environment import Environment
from planspec.dsl.model.facts import COMMON_FACTS
from planspec.dsl.model.memory import Memory
from planspec.dsl.model.task import Objective
from planspec.dsl.structure.document import Document
from planspec.dsl.tables.loader import LoadedTable, Meanings
from planspec.dsl.yaml.reader import Node, Scalar

WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True, eq=False)
class Foundation:
    """A set of checked documents that other documents use; immutable except for its caches.

    Attributes:
        documents: the documents, in the order of their declarations.
        names: all names that they declare.
        tables: their static tables with the loaded rows.
        rules: their constraints by id.
        dropped: ids of the constraints that these documents remove.
        scope: their scopes by table of the plan.
        measures: names of the definitions to report.
        removable: names of the tables from which tightening may remove rows.
        kinds: the kinds of constraints that they list.
        family: family, which defines the answer format; `None` if no document declares one.
        objectives: objectives of the last document that has any.
        max_gap: node under `max_gap` in the last document that has this section.
        environment: the shows, tools and settings that they declare.
        warnings: warnings about them.
        meanings: cache of the values of cells, by table and column, and by the text of the cell.
        scopes: cache of tasks' scopes that caused no diagnostics on this foundation, by text.
        shared: cache of results that later phases derive from these documents.
    """

    documents: tuple[Document, ...] = ()
    names: Names = field(default_factory=Names)
    tables: Mapping[str, LoadedTable] = field(default_factory=dict)
    rules: Mapping[str, DeclaredRule] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    scope: Mapping[str, DeclaredScope] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    removable: tuple[str, ...] = ()
    kinds: Mapping[str, Scalar] = field(default_factory=dict)
    family: str | None = None
    objectives: tuple[Objective, ...] = ()
    max_gap: Node | None = None
    environment: Environment = field(default_factory=Environment)
    warnings: tuple[Diagnostic, ...] = ()
    meanings: Meanings = field(default_factory=dict)
    scopes: dict[str, SoundScope] = field(default_factory=dict)
    shared: Memory = field(default_factory=Memory)
    _words: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        slices = (
            document.source.text[start:end] for document in self.documents for _, start, end in document.source.trees
        )
        words = frozenset(word for text in slices for word in WORD.findall(text))
        object.__setattr__(self, "_words", words)
        self.shared.of(COMMON_FACTS).update((name, table.facts) for name, table in self.tables.items())

    def check_independence(self, names: Names) -> None:
        """Check that the names and rows of a new document change nothing in the foundation.

        A new name matters only if an expression of the foundation contains the same word. New rows of a table matter
        only if an expression names one of its rows.

        Raises:
            EntangledDocumentError: the document may change the foundation's meaning.
        """
        if not self._words.isdisjoint(names.places.keys() - self.names.places.keys()):
            raise EntangledDocumentError
        for name in self.names.searched:
            if names.facts.get(name) is not self.tables[name].facts:
                raise EntangledDocumentError
