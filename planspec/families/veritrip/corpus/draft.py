"""A document while it is written: its sentences, and beside each what it claims."""

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
"""The end of a sentence with a name such as `James Hook & Co.`"""

T = TypeVar("T")


@dataclass(slots=True)
class DocumentDraft:
    """The draft of a document.

    Attributes:
        kind: of the document.
        city: that it is about.
        origin: the voice, as agents see it.
        chance: every choice in this document is drawn from here, so that no document depends on another.
        currency: of the prices.
        published: the day.
        title: one line.
        blocks: paragraphs.
        claims: in the order of the sentences.
        source: who says it, and by what.
        passed_on: of a reprint, the document that it passes on.
        misleads: it contradicts a fact, or stands in a clean corpus in the place of one that does.
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
        """Publishes it on a day from `first` to `last`."""
        self.published = first + timedelta(days=self.chance.randrange((last - first).days + 1))

    def claim(self, subject: str, city: str, name: str, value: object, true: bool = True) -> None:
        """Notes what the sentence at hand says of a fact."""
        self.claims.append((subject, city, name, str(value), true))

    def paragraph(self, *sentences: str) -> None:
        """Adds a paragraph of these sentences; empty ones are left out."""
        text = TWICE.sub(".", " ".join(sentence for sentence in sentences if sentence))
        if text:
            self.blocks.append(text)

    def line(self, text: str) -> None:
        """Adds to the paragraph before it a line of its own."""
        if self.blocks:
            self.blocks[-1] += f"\n{text}"
        else:
            self.blocks.append(text)

    def text(self) -> str:
        return "\n\n".join(self.blocks)

    def words(self) -> int:
        return sum(len(block.split()) for block in self.blocks)

    def fill(self, sentences: Sequence[str], atleast: int = FEWEST_WORDS) -> None:
        """Adds a paragraph of sentences that state no fact, until the text has enough words.

        Args:
            sentences: they may hold `{city}`; none is said twice in one document.
            atleast: words.
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
        """The document under its number."""
        return CorpusDocument(
            number, self.kind, self.city, self.title, self.text(), self.published, self.origin
        )

    def statements(self, number: int) -> list[Statement]:
        """The statements of the document, each once."""
        return [Statement(number, *claim) for claim in dict.fromkeys(self.claims)]
