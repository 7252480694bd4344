"""What gives noise away beside the rule: a reader who sees a page's language, voice, length and layout, and nothing of what it says.

Of each document the reader sees in which language it is, in which voice (`origin`), how long it is and how it is laid out (paragraphs, lines, lists,
heads, the length of its title); with its words it also sees which words and signs stand on it, without names and numbers. It does not see days,
imprints and whether documents agree. It learns from corpora of another seed which documents state something false (a logistic regression),
and then is asked about those of this seed. Only documents count that state a fact on which documents disagree: on others there is nothing to choose.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np

from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.corpus.provenance import language_of
from planspec.families.veritrip.corpus.records import Corpus, CorpusDocument

Features: TypeAlias = dict[str, float]
_IMPRINT = re.compile(r"\n\n(?:Published by: |发布者：)[^\0]*$")
_WORD = re.compile(r"\b[a-z]{2,}\b|[\u4e00-\u9fff]{2}")
_BULLETS = ("-", "·", "◆", "•")
_FEWEST = 20
"""The fewest documents in which a word stands that is learnt."""
_STEPS, _RATE, _PENALTY = 400, 0.5, 1e-3


def own_text(document: CorpusDocument) -> str:
    """The text of a document without its imprint."""
    return _IMPRINT.sub("", document.text)


def surface(document: CorpusDocument) -> Features:
    """What one sees of a document without reading it."""
    text = own_text(document)
    language = language_of(document.text)
    lines = text.split("\n")
    size = log(len(text))
    return {
        "one": 1.0, language: 1.0, f"voice {document.origin}": 1.0, f"voice {document.origin} {language}": 1.0,
        f"length {language}": size, f"length squared {language}": size * size, f"title {language}": log(1 + len(document.title)),
        "paragraphs": log(1 + text.count("\n\n")), "lines": log(len(lines)),
        "lists": sum(line.lstrip()[:1] in _BULLETS for line in lines) / len(lines),
        "heads": sum(0 < len(line) < 25 and line[-1] not in ".!?。！？" for line in lines) / len(lines),
        "numbers": sum(sign.isdigit() for sign in text) / len(text),
    }  # fmt: skip


def wording(document: CorpusDocument) -> Features:
    """The same with the words and pairs of Chinese signs of its title and text; names begin with capitals, so that they are left out."""
    words = set(_WORD.findall(f"{document.title}\n{own_text(document)}"))
    return surface(document) | {f"word {word}": 1.0 for word in words}


@dataclass(frozen=True, slots=True)
class SurfaceReader:
    """A reader that has learnt which documents state something false.

    Attributes:
        see: what it sees of a document.
        weights: of each thing that it sees.
        scale: the mean and the deviation of each.
    """

    see: Callable[[CorpusDocument], Features]
    weights: Mapping[str, float]
    scale: Mapping[str, tuple[float, float]]

    @classmethod
    def taught(
        cls, see: Callable[[CorpusDocument], Features], documents: Sequence[CorpusDocument], false: set[int]
    ) -> SurfaceReader:
        """A reader that has seen documents, and was told which of them are false."""
        seen = [see(document) for document in documents]
        count = Counter(name for one in seen for name in one)
        names = [name for name in sorted(count) if count[name] >= _FEWEST]
        place = {name: at for at, name in enumerate(names)}
        table = np.zeros((len(seen), len(names)))
        for row, one in enumerate(seen):
            for name, value in one.items():
                if name in place:
                    table[row, place[name]] = value
        mean, deviation = table.mean(0), table.std(0)
        mean[place["one"]], deviation[deviation == 0] = 0.0, 1.0
        table = (table - mean) / deviation
        wanted = np.array([document.id in false for document in documents], dtype=float)
        weights = np.zeros(len(names))
        step = _RATE / max(1.0, float(np.linalg.norm(table, 2)) ** 2 / len(seen) / 4)
        momentum = np.zeros(len(names))
        for _ in range(_STEPS):
            gradient = (
                table.T @ (1 / (1 + np.exp(-(table @ weights))) - wanted) / len(seen) + _PENALTY * weights
            )
            momentum = 0.9 * momentum - step * gradient
            weights = weights + momentum
        return cls(
            see, dict(zip(names, weights.tolist(), strict=True)),
            dict(zip(names, zip(mean.tolist(), deviation.tolist(), strict=True), strict=True)),
        )  # fmt: skip

    def suspicion(self, document: CorpusDocument) -> float:
        """How much a document looks false: the logarithm of the odds."""
        seen = self.see(document)
        total = 0.0
        for name, weight in self.weights.items():
            mean, deviation = self.scale[name]
            total += weight * (seen.get(name, 0.0) - mean) / deviation
        return total


@dataclass(frozen=True, slots=True)
class Tells:
    """How well a reader tells false documents, and finds the values of contradicted facts.

    Attributes:
        false: the share of the documents that state something false.
        right: the share of the documents of which it says rightly whether they do.
        area: how often it suspects a false one more than a true one.
        found: the share of the disputed facts of which the least suspected document has the true value.
        chance: the same of a document that is drawn.
    """

    false: float
    right: float
    area: float
    found: float
    chance: float


@dataclass(frozen=True, slots=True)
class Disputed:
    """What documents disagree on.

    Attributes:
        facts: of each fact on which they do, the documents that state it, and whether what each says is true.
        documents: those that state such a fact.
        false: of them, those that state something false.
    """

    facts: Mapping[Fact, Sequence[tuple[int, bool]]]
    documents: Sequence[tuple[str, CorpusDocument]]
    false: frozenset[int]

    @classmethod
    def of(cls, made: Mapping[str, Corpus]) -> Disputed:
        """What is disputed in the corpora of some countries."""
        sayings: dict[Fact, list[tuple[int, bool]]] = defaultdict(list)
        false: set[int] = set()
        for corpus in made.values():
            for said in corpus.statements:
                sayings[said.subject, said.city, said.field].append((said.document, said.true))
                if not said.true:
                    false.add(said.document)
        facts = {fact: own for fact, own in sayings.items() if 0 < sum(true for _, true in own) < len(own)}
        stating = {number for own in facts.values() for number, _ in own}
        documents = [
            (country, document)
            for country, corpus in made.items()
            for document in corpus.documents
            if document.id in stating
        ]
        return cls(facts, documents, frozenset(false & stating))

    def taught(self, see: Callable[[CorpusDocument], Features]) -> SurfaceReader:
        """A reader that was told which of these documents are false."""
        return SurfaceReader.taught(see, [document for _, document in self.documents], self.false)

    def tells(self, reader: SurfaceReader) -> Tells:
        """How well a reader does on these documents."""
        suspicion = {document.id: reader.suspicion(document) for _, document in self.documents}
        order = sorted(suspicion, key=lambda number: suspicion[number])
        ranks = sum(rank for rank, number in enumerate(order, 1) if number in self.false)
        bad, good = len(self.false), len(order) - len(self.false)
        return Tells(
            bad / len(order),
            sum((suspicion[number] > 0) == (number in self.false) for number in order) / len(order),
            (ranks - bad * (bad + 1) / 2) / (bad * good),
            sum(min(own, key=lambda one: suspicion[one[0]])[1] for own in self.facts.values()) / len(self.facts),
            sum(sum(true for _, true in own) / len(own) for own in self.facts.values()) / len(self.facts),
        )  # fmt: skip

    def shares(self) -> dict[str, dict[str, tuple[int, int]]]:
        """Of the documents by language, length, layout and voice: how many there are, and how many of them state something false."""
        bounds: dict[str, tuple[int, int]] = {}
        for language in ("en", "zh"):
            sizes = sorted(
                len(own_text(d)) for _, d in self.documents if language_of(d.text) == language
            ) or [0]
            bounds[language] = sizes[len(sizes) // 3], sizes[2 * len(sizes) // 3]
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for country, document in self.documents:
            text, language = own_text(document), language_of(document.text)
            short, middle = bounds[language]
            lists = any(line.lstrip()[:1] in _BULLETS for line in text.split("\n"))
            for name, value in (
                ("language", f"{country}, {language}"),
                ("length", "short" if len(text) <= short else "middle" if len(text) <= middle else "long"),
                ("layout", "lists" if lists else "prose"),
                ("voice", document.origin),
            ):
                found[name][value][0] += 1
                found[name][value][1] += document.id in self.false
        return {
            name: {value: (n, bad) for value, (n, bad) in sorted(parts.items())}
            for name, parts in found.items()
        }
