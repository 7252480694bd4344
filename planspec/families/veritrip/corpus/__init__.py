"""Corpus of documents that an agent reads, generated from a fact base and a seed."""

from planspec.families.veritrip.corpus.records import (
    KINDS,
    Corpus,
    CorpusDocument,
    DocumentKind,
    Statement,
    load,
    load_visible,
    save,
    visible_row,
)
from planspec.families.veritrip.corpus.writing import (
    LARGE,
    SMALL,
    PageSizes,
    min_document_count,
    write_corpus,
)

__all__ = [
    "KINDS",
    "LARGE",
    "SMALL",
    "Corpus",
    "CorpusDocument",
    "DocumentKind",
    "PageSizes",
    "Statement",
    "load",
    "load_visible",
    "min_document_count",
    "save",
    "visible_row",
    "write_corpus",
]
