"""Rule that finds the true values among contradicting documents, and simpler rules for comparison ("readers").

The rule is stated in the briefs of the settings with documents:

1. A document counts for a place only if it is about the place of that name in that city.
2. A reprint counts as the document that it names, with its basis and dates. It counts only for statements that the
named document also makes.
3. A statement that is not in force on the days of the trip does not count.
4. An operator's notice takes precedence over a register entry, a register entry over a visit, and a visit over
hearsay or an unnamed basis.
5. Among statements on the same basis, the one that came into force last counts; among visits, the last one.

A reader chooses which value of a fact to believe. It gets the documents' statements (`Statement`) instead of their
texts. Its choice depends only on what agents can see.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from planspec.families.veritrip.corpus.closing import read_provenance
from planspec.families.veritrip.corpus.fact_values import (
    Fact,
    fact_values,
    hotel_values,
    service_values,
    sight_values,
)
from planspec.families.veritrip.corpus.provenance import Basis, CitedDocument, Provenance
from planspec.families.veritrip.corpus.records import Corpus, CorpusDocument
from planspec.families.veritrip.facts import FactBase

RANKS: dict[Basis, int] = {"operator": 0, "register": 1, "visit": 2, "hearsay": 3, "unnamed": 3}
"""Rank of each basis of knowledge; statements with a lower rank are preferred. A reprint has the rank of the
document that it repeats.
"""
MOST_REPRINTS = 8
"""Maximal number of reprints that are followed from a document to its original."""
_SIGHT_FIELDS = ("ticket", "opens", "closes", "closed_on", "visit")
_SERVICE_FIELDS = ("depart", "arrive", "price")
_OFFICIAL_VOICES = (
    "official site",
    "railway timetable",
    "airport timetable",
    "airline site",
    "station notice",
)
"""Kinds of sources that look official."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A document, and the value that it states for a fact."""

    document: CorpusDocument
    value: str


StatedValues: TypeAlias = Sequence[StatedValue]
Reader: TypeAlias = Callable[[StatedValues], str | None]
"""Function that takes all statements on one fact and returns the value to believe, or None."""


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """Statements of a corpus, and the provenance of its documents.

    Attributes:
        by_fact: statements by fact.
        sources: provenance by document id; None for a document without a valid imprint.
        ids_by_citation: by citation in a reprint, the ids of the documents that match it.
        days: first and last day of travel.
    """

    by_fact: Mapping[Fact, StatedValues]
    sources: Mapping[int, Provenance | None]
    ids_by_citation: Mapping[CitedDocument, Sequence[int]]
    days: tuple[date, ...]

    @classmethod
    def of(cls, corpus: Corpus, days: Iterable[date]) -> StatedFacts:
        """Collect the statements of a corpus.

        Args:
            corpus: corpus with its statements.
            days: first and last day of travel.
        """
        documents = {document.id: document for document in corpus.documents}
        sources = {document.id: read_provenance(document.text) for document in corpus.documents}
        by_fact: dict[Fact, list[StatedValue]] = defaultdict(list)
        for statement in corpus.statements:
            by_fact[statement.subject, statement.city, statement.field].append(
                StatedValue(documents[statement.document], statement.value)
            )
        ids_by_citation: dict[CitedDocument, list[int]] = defaultdict(list)
        for document in corpus.documents:
            source = sources[document.id]
            if source is not None:
                ids_by_citation[CitedDocument(document.title, source.publisher, document.published)].append(document.id)
        return cls(by_fact, sources, ids_by_citation, tuple(days))

    # ------------------------------------------------------------------ the rule

    def value_by_rule(self, statements: StatedValues) -> str | None:
        """Return the value that the module's rule of trust selects; None if it selects no value or several."""
        values: dict[int, set[str]] = defaultdict(set)
        for statement in statements:
            values[statement.document.id].add(statement.value)
        values_by_priority: dict[tuple[int, int], set[str]] = defaultdict(set)
        for statement in statements:
            origin = self._origin(statement, values)
            if origin is None:
                continue
            source, published = origin
            if all(source.is_in_force(day) for day in self.days):
                rank = RANKS[source.basis]
                effective_day = source.since or date.min if rank < RANKS["visit"] else published
                values_by_priority[rank, -effective_day.toordinal()].add(statement.value)
        best = values_by_priority[min(values_by_priority)] if values_by_priority else set()
        return next(iter(best)) if len(best) == 1 else None

    def _origin(self, statement: StatedValue, values: Mapping[int, set[str]]) -> tuple[Provenance, date] | None:
        """Return the provenance and day of publication of the document at the end of a chain of reprints.

        Return None if the chain is broken, or if a document of the chain does not make the statement.
        """
        number, published = statement.document.id, statement.document.published
        for _ in range(MOST_REPRINTS):
            source = self.sources[number]
            if source is None:
                return Provenance("", "unnamed"), published
            if source.basis != "reprint":
                return source, published
            if source.cited is None:
                return None
            same = [n for n in self.ids_by_citation.get(source.cited, ()) if statement.value in values.get(n, ())]
            if not same:
                return None
            number, published = same[0], source.cited.published
        return None

    # ------------------------------------------------------------------ other readers

    def value_of_newest(self, statements: StatedValues) -> str | None:
        """Return the value that the newest document states."""
        return max(statements, key=lambda one: (one.document.published, -one.document.id)).value

    def value_of_majority(self, statements: StatedValues) -> str | None:
        """Return the value that most documents state. On a tie, return the value in the newest document."""
        count = Counter(one.value for one in statements)
        newest = {
            one.value: one.document.published for one in sorted(statements, key=lambda one: one.document.published)
        }
        return max(count, key=lambda value: (count[value], newest[value], value))

    def value_of_official_look(self, statements: StatedValues) -> str | None:
        """Return the value that most documents with an official-looking source state.

        If no source looks official, all documents count.
        """
        official_looking = [
            one
            for one in statements
            if one.document.origin in _OFFICIAL_VOICES
            or "official" in f"{one.document.title} {one.document.text[:400]}".lower()
        ]
        return self.value_of_majority(official_looking or statements)

    def value_of_best_basis(self, statements: StatedValues) -> str | None:
        """Return the value that most documents with the best basis state.

        Days in force are ignored. Reprints count as documents with the worst basis.
        """
        ranks = [(self._rank(one), one) for one in statements]
        best = min(rank for rank, _ in ranks)
        return self.value_of_majority([one for rank, one in ranks if rank == best])

    def _rank(self, statement: StatedValue) -> int:
        source = self.sources[statement.document.id]
        return RANKS.get(source.basis, len(RANKS)) if source is not None else len(RANKS)


def travel_days(base: FactBase) -> tuple[date, date]:
    """Return the first and last day with trains or flights in the base."""
    days = [service.date for service in base.services]
    return (min(days), max(days)) if days else (date(2025, 10, 15), date(2025, 10, 30))


def truths_of(base: FactBase) -> dict[Fact, set[str]]:
    """Return the set of true values of each fact."""
    truths: dict[Fact, set[str]] = defaultdict(set)
    for fact, value in fact_values(base):
        truths[fact].add(value)
    return truths


def contradictable_facts(base: FactBase) -> Iterator[Fact]:
    """Yield the facts on which cells of answers depend and which documents can contradict.

    Prices and opening hours of restaurants are left out, since tools return them.
    """
    for sight in base.attractions:
        yield from (fact for fact, _ in sight_values(sight) if fact[2] in _SIGHT_FIELDS)
    for hotel in base.hotels:
        yield from (fact for fact, _ in hotel_values(hotel) if ":" in fact[2])
    for service in base.services:
        yield from (fact for fact, _ in service_values(service) if fact[2] in _SERVICE_FIELDS)


def facts_without_truth(base: FactBase, corpus: Corpus) -> list[Fact]:
    """Return the facts for which the rule does not find the true value in a corpus.

    For a place that is not in the base, the rule must find that it does not exist. Places in cities outside the base
    are left out, since no trip goes there. A corpus is written only if the result is empty.
    """
    stated_facts = StatedFacts.of(corpus, travel_days(base))
    truths = truths_of(base)
    cities = {city for _, city, _ in truths}
    missing = [
        fact
        for fact, values in truths.items()
        if stated_facts.value_by_rule(stated_facts.by_fact.get(fact, ())) not in values and len(values) == 1
    ]
    subjects = {fact[:2] for fact in truths}
    missing += [
        fact
        for fact, statements in stated_facts.by_fact.items()
        if fact[:2] not in subjects
        and fact[1] in cities
        and (fact[2] != "existence" or stated_facts.value_by_rule(statements) != "false")
    ]
    return missing


# ---------------------------------------------------------------------- measuring noise


READERS = ("rule", "newest", "majority", "official_look", "best_basis")
"""Names of the measured readers: rules that choose which value of a fact to believe."""


@dataclass(frozen=True, slots=True)
class NoiseMeasure:
    """Counts of contradicted facts, and of the true values that each reader finds for them.

    Attributes:
        facts: number of facts that documents can contradict.
        contradicted: number of facts for which some document states a false value.
        outnumbered: number of contradicted facts for which more documents state a false value than the true one.
        right: by name of a reader, the number of contradicted facts for which it finds the true value.
    """

    facts: int
    contradicted: int
    outnumbered: int
    right: Mapping[str, int]

    @property
    def share(self) -> Fraction:
        """Share of the facts that are contradicted."""
        return Fraction(self.contradicted, self.facts) if self.facts else Fraction(0)

    def rate(self, reader: str) -> Fraction | None:
        """Return the share of contradicted facts for which a reader finds the true value; None if there are none."""
        return Fraction(self.right[reader], self.contradicted) if self.contradicted else None

    def __add__(self, other: NoiseMeasure) -> NoiseMeasure:
        return NoiseMeasure(
            self.facts + other.facts,
            self.contradicted + other.contradicted,
            self.outnumbered + other.outnumbered,
            {name: self.right[name] + other.right[name] for name in READERS},
        )


def measure_noise(base: FactBase, corpus: Corpus, among: Iterable[Fact] | None = None) -> NoiseMeasure:
    """Measure the noise of a corpus.

    Args:
        base: fact base.
        corpus: corpus about the fact base.
        among: facts to measure; None for all facts that can be contradicted.
    """
    stated_facts = StatedFacts.of(corpus, travel_days(base))
    truths = truths_of(base)
    readers: Sequence[Reader] = (
        stated_facts.value_by_rule,
        stated_facts.value_of_newest,
        stated_facts.value_of_majority,
        stated_facts.value_of_official_look,
        stated_facts.value_of_best_basis,
    )
    facts = dict.fromkeys(contradictable_facts(base))
    if among is not None:
        requested = set(among)
        facts = {fact: None for fact in facts if fact in requested}
    right = dict.fromkeys(READERS, 0)
    contradicted = outnumbered = 0
    for fact in facts:
        statements = stated_facts.by_fact.get(fact, ())
        wrong = sum(statement.value not in truths[fact] for statement in statements)
        if wrong:
            contradicted += 1
            outnumbered += wrong * 2 > len(statements)
            for name, reader in zip(READERS, readers, strict=True):
                right[name] += reader(statements) in truths[fact]
    return NoiseMeasure(len(facts), contradicted, outnumbered, right)
