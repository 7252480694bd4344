"""Leakage test: can a classifier recognise false documents of VeriTrip's corpora by their form alone?

The classifier sees the language of a document, its kind of source (`origin`, such as `forum`), its length and its
layout (paragraphs, lines, lists, headings, the length of its title). A second variant also sees the words, except names
and numbers. Neither sees dates, imprints (lines that name publisher and basis), or whether documents agree. The
classifier is a logistic regression. It is trained on corpora of one seed and evaluated on corpora of another. Only
documents about disputed facts are used: facts for which documents state different values.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np

from planspec.families.veritrip.corpus.closing import text_without_provenance
from planspec.families.veritrip.corpus.fact_values import Fact
from planspec.families.veritrip.corpus.provenance import language_of
from planspec.families.veritrip.corpus.records import Corpus, CorpusDocument

Features: TypeAlias = dict[str, float]
_WORD = re.compile(r"\b[a-z]{2,}\b|[\u4e00-\u9fff]{2}")
_BULLETS = ("-", "·", "◆", "•")
_MIN_DOCUMENTS = 20
"""Features that occur in fewer documents than this are not used."""
_STEPS, _RATE, _PENALTY = 400, 0.5, 1e-3


def text_without_imprint(document: CorpusDocument) -> str:
    """Return the text of a document without its imprint."""
    return text_without_provenance(document.text)


def surface_features(document: CorpusDocument) -> Features:
    """Return the features of a document's form: language, kind of source, length and layout."""
    text = text_without_imprint(document)
    language = language_of(document.text)
    lines = text.split("\n")
    size = log(len(text))
    return {
        "one": 1.0,
        language: 1.0,
        f"voice {document.origin}": 1.0,
        f"voice {document.origin} {language}": 1.0,
        f"length {language}": size,
        f"length squared {language}": size * size,
        f"title {language}": log(1 + len(document.title)),
        "paragraphs": log(1 + text.count("\n\n")),
        "lines": log(len(lines)),
        "lists": sum(line.lstrip()[:1] in _BULLETS for line in lines) / len(lines),
        "heads": sum(0 < len(line) < 25 and line[-1] not in ".!?。！？" for line in lines) / len(lines),
        "numbers": sum(sign.isdigit() for sign in text) / len(text),
    }


def word_features(document: CorpusDocument) -> Features:
    """Return the surface features of a document, and its words and pairs of Chinese characters.

    Words that begin with capitals are left out, since they may be names.
    """
    words = set(_WORD.findall(f"{document.title}\n{text_without_imprint(document)}"))
    return surface_features(document) | {f"word {word}": 1.0 for word in words}


@dataclass(frozen=True, slots=True)
class SurfaceClassifier:
    """Classifier that recognises documents which state something false.

    Attributes:
        features_of: function that extracts the features of a document.
        weights: weight of each feature.
        scale: mean and standard deviation of each feature.
    """

    features_of: Callable[[CorpusDocument], Features]
    weights: Mapping[str, float]
    scale: Mapping[str, tuple[float, float]]

    @classmethod
    def train_classifier(
        cls,
        features_of: Callable[[CorpusDocument], Features],
        documents: Sequence[CorpusDocument],
        false: AbstractSet[int],
    ) -> SurfaceClassifier:
        """Train a classifier on documents. `false` has the ids of the false documents."""
        seen = [features_of(document) for document in documents]
        count = Counter(name for features in seen for name in features)
        names = [name for name in sorted(count) if count[name] >= _MIN_DOCUMENTS]
        place = {name: at for at, name in enumerate(names)}
        table = np.zeros((len(seen), len(names)))
        for row, features in enumerate(seen):
            for name, value in features.items():
                if name in place:
                    table[row, place[name]] = value
        mean, deviation = table.mean(0), table.std(0)
        mean[place["one"]], deviation[deviation == 0] = 0.0, 1.0
        table = (table - mean) / deviation
        labels = np.array([document.id in false for document in documents], dtype=float)
        weights = np.zeros(len(names))
        step = _RATE / max(1.0, float(np.linalg.norm(table, 2)) ** 2 / len(seen) / 4)
        momentum = np.zeros(len(names))
        for _ in range(_STEPS):
            gradient = table.T @ (1 / (1 + np.exp(-(table @ weights))) - labels) / len(seen) + _PENALTY * weights
            momentum = 0.9 * momentum - step * gradient
            weights = weights + momentum
        return cls(
            features_of,
            dict(zip(names, weights.tolist(), strict=True)),
            dict(zip(names, zip(mean.tolist(), deviation.tolist(), strict=True), strict=True)),
        )

    def suspicion(self, document: CorpusDocument) -> float:
        """Return the logarithm of the odds that a document is false."""
        seen = self.features_of(document)
        total = 0.0
        for name, weight in self.weights.items():
            mean, deviation = self.scale[name]
            total += weight * (seen.get(name, 0.0) - mean) / deviation
        return total


@dataclass(frozen=True, slots=True)
class ClassifierQuality:
    """Quality of a classifier of false documents.

    Attributes:
        false: share of the documents that state something false.
        accuracy: share of the documents that are classified correctly.
        area: area under the ROC curve: the probability that a false document has a higher suspicion than a true one.
        found_truths: share of the disputed facts for which the least suspicious document states the true value.
        chance: expected share of disputed facts for which a randomly drawn document states the true value.
    """

    false: float
    accuracy: float
    area: float
    found_truths: float
    chance: float


@dataclass(frozen=True, slots=True)
class DisputedFacts:
    """Facts on which documents disagree.

    Attributes:
        facts: for each disputed fact, a pair (document id, whether its value is true) for each document about it.
        documents: documents that state a disputed fact, each with its country.
        false: ids of the documents that state something false.
    """

    facts: Mapping[Fact, Sequence[tuple[int, bool]]]
    documents: Sequence[tuple[str, CorpusDocument]]
    false: frozenset[int]

    @classmethod
    def of(cls, corpora: Mapping[str, Corpus]) -> DisputedFacts:
        """Return the disputed facts in the corpora of several countries."""
        statements: dict[Fact, list[tuple[int, bool]]] = defaultdict(list)
        false: set[int] = set()
        for corpus in corpora.values():
            for statement in corpus.statements:
                statements[statement.subject, statement.city, statement.field].append(
                    (statement.document, statement.true)
                )
                if not statement.true:
                    false.add(statement.document)
        facts = {fact: own for fact, own in statements.items() if 0 < sum(true for _, true in own) < len(own)}
        stating = {number for own in facts.values() for number, _ in own}
        documents = [
            (country, document)
            for country, corpus in corpora.items()
            for document in corpus.documents
            if document.id in stating
        ]
        return cls(facts, documents, frozenset(false & stating))

    def train_classifier(self, features_of: Callable[[CorpusDocument], Features]) -> SurfaceClassifier:
        """Train a classifier of false documents on these documents."""
        return SurfaceClassifier.train_classifier(features_of, [document for _, document in self.documents], self.false)

    def quality(self, classifier: SurfaceClassifier) -> ClassifierQuality:
        """Evaluate a classifier on these documents."""
        suspicion = {document.id: classifier.suspicion(document) for _, document in self.documents}
        order = sorted(suspicion, key=lambda number: suspicion[number])
        ranks = sum(rank for rank, number in enumerate(order, 1) if number in self.false)
        bad, good = len(self.false), len(order) - len(self.false)
        return ClassifierQuality(
            bad / len(order),
            sum((suspicion[number] > 0) == (number in self.false) for number in order) / len(order),
            (ranks - bad * (bad + 1) / 2) / (bad * good),
            sum(min(own, key=lambda one: suspicion[one[0]])[1] for own in self.facts.values()) / len(self.facts),
            sum(sum(true for _, true in own) / len(own) for own in self.facts.values()) / len(self.facts),
        )

    def count_false_documents(self) -> dict[str, dict[str, tuple[int, int]]]:
        """Return counts by property (language, length, layout, voice) and its value: all documents, and false ones."""
        bounds: dict[str, tuple[int, int]] = {}
        for language in ("en", "zh"):
            sizes = sorted(
                len(text_without_imprint(d)) for _, d in self.documents if language_of(d.text) == language
            ) or [0]
            bounds[language] = sizes[len(sizes) // 3], sizes[2 * len(sizes) // 3]
        counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for country, document in self.documents:
            text, language = text_without_imprint(document), language_of(document.text)
            short, middle = bounds[language]
            lists = any(line.lstrip()[:1] in _BULLETS for line in text.split("\n"))
            for name, value in (
                ("language", f"{country}, {language}"),
                ("length", "short" if len(text) <= short else "middle" if len(text) <= middle else "long"),
                ("layout", "lists" if lists else "prose"),
                ("voice", document.origin),
            ):
                counts[name][value][0] += 1
                counts[name][value][1] += document.id in self.false
        return {name: {value: (n, bad) for value, (n, bad) in sorted(parts.items())} for name, parts in counts.items()}
