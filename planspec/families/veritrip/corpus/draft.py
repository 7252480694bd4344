"""Draft of a document: its sentences, and the claims they make."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TypeAlias, TypeVar

from planspec.families.veritrip.corpus.provenance import Provenance
from planspec.families.veritrip.corpus.records import CorpusDocument, DocumentKind, Statement

Claim: TypeAlias = tuple[str, str, str, str, bool]
"""A claim: its subject, city, field and canonical value, and whether the value is true."""

FEWEST_WORDS = 60
DOUBLE_STOP = re.compile(r"(?<!\.)\.\.(?!\.)")
"""Double full stop after a name such as `James Hook & Co.` at the end of a sentence."""

T = TypeVar("T")


@dataclass(slots=True)
class DocumentDraft:
    """The draft of a document.

    Attributes:
        kind: kind of the document.
        city: city that the document is about.
        origin: kind of source shown to agents, such as `forum`.
        rng: random source of this document only, so that no document depends on another.
        currency: currency of the prices.
        published: day of publication.
        title: title, on one line.
        blocks: paragraphs.
        claims: claims, in the order of the sentences.
        source: provenance (publisher, basis of its knowledge, days in force); None until `assign_provenances` assigns
            it.
        reprinted: document that this one reprints; None if it is not a reprint.
        is_misleading_or_replacement: whether the document was written to contradict facts, or replaces such a
            document in a clean corpus.
    """

    kind: DocumentKind
    city: str
    origin: str
    rng: random.Random
    currency: str
    published: date = date(2025, 1, 1)
    title: str = ""
    blocks: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    source: Provenance | None = None
    reprinted: DocumentDraft | None = None
    is_misleading_or_replacement: bool = False

    def pick(self, options: Sequence[T]) -> T:
        return self.rng.choice(options)

    def publish_between(self, first: date, last: date) -> None:
        """Set the day of publication to a random day from `first` to `last`."""
        self.published = first + timedelta(days=self.rng.randrange((last - first).days + 1))

    def add_claim(self, subject: str, city: str, name: str, value: object, true: bool = True) -> None:
        """Record a claim of the document about a fact.

        Args:
            subject: name of a place, or number and date of a train or flight.
            city: city of the place, or where the train or flight departs.
            name: field of the fact; see `Statement.field`.
            value: canonical value.
            true: whether the value is true.
        """
        self.claims.append((subject, city, name, str(value), true))

    def add_paragraph(self, *sentences: str) -> None:
        """Add a paragraph of sentences. Empty sentences are left out."""
        text = DOUBLE_STOP.sub(".", " ".join(sentence for sentence in sentences if sentence))
        if text:
            self.blocks.append(text)

    def add_line(self, text: str) -> None:
        """Add a line to the last paragraph."""
        if self.blocks:
            self.blocks[-1] += f"\n{text}"
        else:
            self.blocks.append(text)

    def text(self) -> str:
        return "\n\n".join(self.blocks)

    def words(self) -> int:
        return sum(len(block.split()) for block in self.blocks)

    def fill(self, sentences: Sequence[str], min_words: int = FEWEST_WORDS) -> None:
        """Lengthen the text to at least `min_words` words with a paragraph of random sentences without facts.

        Args:
            sentences: sentences, which may contain the placeholder `{city}`. A document uses each sentence at
                most once.
            min_words: minimal number of words of the text.
        """
        order = self.rng.sample(range(len(sentences)), len(sentences))
        chosen: list[str] = []
        missing = min_words - self.words() + self.rng.randrange(12)
        for index in order:
            if missing <= 0:
                break
            sentence = sentences[index].format(city=self.city)
            if not any(sentence in block for block in self.blocks):
                chosen.append(sentence)
                missing -= len(sentence.split())
        self.add_paragraph(*chosen)

    def document(self, number: int) -> CorpusDocument:
        """Return the finished document, with `number` as its id."""
        return CorpusDocument(number, self.kind, self.city, self.title, self.text(), self.published, self.origin)

    def statements(self, number: int) -> list[Statement]:
        """Return the distinct claims as statements of the document with the id `number`."""
        return [Statement(number, *claim) for claim in dict.fromkeys(self.claims)]
