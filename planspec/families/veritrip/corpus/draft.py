"""Draft of a document: its sentences, with their claims."""

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
"""Subject, city, field, canonical value, and whether it is true."""

FEWEST_WORDS = 60
TWICE = re.compile(r"(?<!\.)\.\.(?!\.)")
"""Double full stop after a name such as `James Hook & Co.` at the end of a sentence."""

T = TypeVar("T")


@dataclass(slots=True)
class DocumentDraft:
    """The draft of a document.

    Attributes:
        kind: kind of the document.
        city: city that it is about.
        origin: voice that agents see.
        chance: source of every choice in this document, so that no document depends on another.
        currency: currency of the prices.
        published: day of publication.
        title: title, on one line.
        blocks: paragraphs.
        claims: claims, in the order of the sentences.
        source: publisher and basis.
        passed_on: document passed on by a reprint.
        misleads: whether it contradicts a fact, or replaces a contradicting document in a clean corpus.
    """

    kind: DocumentKind
    city: str
    origin: str
    chance: random.Random
    currency: str
    published: date = date(2025, 1, 1)
    title: str = ""
    blocks: list[str] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    source: Provenance | None = None
    passed_on: DocumentDraft | None = None
    misleads: bool = False

    def pick(self, options: Sequence[T]) -> T:
        return self.chance.choice(options)

    def dated(self, first: date, last: date) -> None:
        """Set the day of publication to a day from `first` to `last`."""
        self.published = first + timedelta(days=self.chance.randrange((last - first).days + 1))

    def claim(self, subject: str, city: str, name: str, value: object, true: bool = True) -> None:
        """Record the claim of the current sentence about a fact."""
        self.claims.append((subject, city, name, str(value), true))

    def paragraph(self, *sentences: str) -> None:
        """Add a paragraph of sentences; empty ones are left out."""
        text = TWICE.sub(".", " ".join(sentence for sentence in sentences if sentence))
        if text:
            self.blocks.append(text)

    def line(self, text: str) -> None:
        """Add a line to the last paragraph."""
        if self.blocks:
            self.blocks[-1] += f"\n{text}"
        else:
            self.blocks.append(text)

    def text(self) -> str:
        return "\n\n".join(self.blocks)

    def words(self) -> int:
        return sum(len(block.split()) for block in self.blocks)

    def fill(self, sentences: Sequence[str], atleast: int = FEWEST_WORDS) -> None:
        """Add a paragraph of sentences without facts, until the text has enough words.

        Args:
            sentences: sentences, which may hold `{city}`; none is used twice in one document.
            atleast: number of words.
        """
        order = self.chance.sample(range(len(sentences)), len(sentences))
        chosen: list[str] = []
        short = atleast - self.words() + self.chance.randrange(12)
        for place in order:
            if short <= 0:
                break
            sentence = sentences[place].format(city=self.city)
            if not any(sentence in block for block in self.blocks):
                chosen.append(sentence)
                short -= len(sentence.split())
        self.paragraph(*chosen)

    def document(self, number: int) -> CorpusDocument:
        """Return the document under its number."""
        return CorpusDocument(
            number, self.kind, self.city, self.title, self.text(), self.published, self.origin
        )

    def statements(self, number: int) -> list[Statement]:
        """Return the distinct statements of the document."""
        return [Statement(number, *claim) for claim in dict.fromkeys(self.claims)]
