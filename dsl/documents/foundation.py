"""Foundations: the documents that tasks use, checked once for all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.dsl.check.names import EntangledDocumentError, Names
from planspec.dsl.diagnostics.diagnostic import Diagnostic
from planspec.dsl.documents.constraints import DeclaredRule
from planspec.dsl.documents.search_scope import StatedScope
from planspec.dsl.documents.sound_scopes import SoundScope
from planspec.dsl.model.environment import Environment
from planspec.dsl.model.facts import COMMON_FACTS
from planspec.dsl.model.memory import Memory
from planspec.dsl.tables.loader import LoadedTable, Meanings
from planspec.dsl.workspace.document import Document
from planspec.dsl.yaml.reader import Scalar

WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True, eq=False)
class Foundation:
    """Checked documents on which others stand; nothing in it changes any more.

    Attributes:
        documents: in the order in which their declarations count.
        names: all that they declare.
        tables: their static tables, loaded.
        rules: their constraints by id.
        dropped: the ids of those that one of them takes out.
        scope: what they say of the search, by table of the plan.
        measures: the names of the definitions to report.
        removable: the names of the tables whose rows tightening may leave out.
        kinds: the kinds of constraints that they list.
        family: the format of answers; None where none of them says one.
        environment: what they say of what agents see.
        warnings: what was said of them.
        meanings: what texts mean in the columns of their tables, as far as tasks have asked.
        scopes: scopes of tasks that were checked on them and are sound, by their text.
        shared: what is worked out about them later.
    """

    documents: tuple[Document, ...] = ()
    names: Names = field(default_factory=Names)
    tables: Mapping[str, LoadedTable] = field(default_factory=dict)
    rules: Mapping[str, DeclaredRule] = field(default_factory=dict)
    dropped: frozenset[str] = frozenset()
    scope: Mapping[str, StatedScope] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    removable: tuple[str, ...] = ()
    kinds: Mapping[str, Scalar] = field(default_factory=dict)
    family: str | None = None
    environment: Environment = field(default_factory=Environment)
    warnings: tuple[Diagnostic, ...] = ()
    meanings: Meanings = field(default_factory=dict)
    scopes: dict[str, SoundScope] = field(default_factory=dict)
    shared: Memory = field(default_factory=Memory)
    _words: frozenset[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        slices = (
            document.source.text[start:end]
            for document in self.documents
            for _, start, end in document.source.trees
        )
        words = frozenset(word for text in slices for word in WORD.findall(text))
        object.__setattr__(self, "_words", words)
        self.shared.of(COMMON_FACTS).update((name, table.facts) for name, table in self.tables.items())

    def keep_apart(self, names: Names) -> None:
        """See to it that further names and rows change nothing here.

        A name that is declared here and in no expression of the foundation means nothing else there. Rows matter where an
        expression names one.

        Raises:
            EntangledDocumentError: they might.
        """
        if not self._words.isdisjoint(names.places.keys() - self.names.places.keys()):
            raise EntangledDocumentError
        for name in self.names.searched:
            if names.facts.get(name) is not self.tables[name].facts:
                raise EntangledDocumentError
