"""Rule that finds the truth among contradicting documents, and other readers for comparison, which it beats.

The rule, as stated in the briefs of the settings with documents:

1. A document counts for a place only if it means the place of that name in that city.
2. A reprint counts as the document that it names, with its basis and dates, and only for what that one
says, too.
3. A statement that is not in force on the days of the trip does not count.
4. A notice of the operator goes before a register entry, that before a visit, that before hearsay and no
named basis.
5. Of several on the same basis, the one that came into force last counts; of visits, the last one.

All readers here get the statements of documents from the corpus (`Statement`), as if they read the texts
without a mistake. They decide whom to believe by what agents see of the documents.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TypeAlias

from planspec.families.veritrip.corpus.fact_values import (
    Fact,
    hotel_values,
    service_values,
    sight_values,
    values_of,
)
from planspec.families.veritrip.corpus.provenance import Basis, CitedDocument, Provenance, read_imprint
from planspec.families.veritrip.corpus.records import Corpus, CorpusDocument
from planspec.families.veritrip.facts import FactBase

RANKS: dict[Basis, int] = {"operator": 0, "register": 1, "visit": 2, "hearsay": 3, "unnamed": 3}
"""Order of trust; a reprint has the rank of the document that it passes on."""
MOST_LINKS = 8
"""Length of the longest chain of reprints that is followed."""
_SIGHT_FIELDS = ("ticket", "opens", "closes", "closed_on", "visit")
_SERVICE_FIELDS = ("depart", "arrive", "price")
_OFFICIAL = ("official site", "railway timetable", "airport timetable", "airline site", "station notice")
"""Voices that look official."""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A document's statement about one fact."""

    document: CorpusDocument
    value: str


StatedValues: TypeAlias = Sequence[StatedValue]
Reader: TypeAlias = Callable[[StatedValues], str | None]
"""Function from the statements on one fact to the believed value, or None."""


@dataclass(frozen=True, slots=True)
class StatedFacts:
    """Statements of a corpus by fact, with the provenance found in its documents."""

    by_fact: Mapping[Fact, StatedValues]
    sources: Mapping[int, Provenance | None]
    titled: Mapping[CitedDocument, Sequence[int]]
    days: tuple[date, ...]

    @classmethod
    def of(cls, corpus: Corpus, days: Iterable[date]) -> StatedFacts:
        """Collect the statements of a corpus.

        Args:
            corpus: corpus with its statements.
            days: first and last day of travel.
        """
        documents = {document.id: document for document in corpus.documents}
        sources = {document.id: read_imprint(document.text) for document in corpus.documents}
        by_fact: dict[Fact, list[StatedValue]] = defaultdict(list)
        for statement in corpus.statements:
            by_fact[statement.subject, statement.city, statement.field].append(
                StatedValue(documents[statement.document], statement.value)
            )
        titled: dict[CitedDocument, list[int]] = defaultdict(list)
        for document in corpus.documents:
            source = sources[document.id]
            if source is not None:
                titled[CitedDocument(document.title, source.publisher, document.published)].append(
                    document.id
                )
        return cls(by_fact, sources, titled, tuple(days))

    # ------------------------------------------------------------------ the rule

    def trusted(self, statements: StatedValues) -> str | None:
        """Return the value found by the rule, or None if there is no single one."""
        values: dict[int, set[str]] = defaultdict(set)
        for statement in statements:
            values[statement.document.id].add(statement.value)
        weighed: dict[tuple[int, int], set[str]] = defaultdict(set)
        for statement in statements:
            origin = self._origin(statement, values)
            if origin is None:
                continue
            source, published = origin
            if all(source.in_force(day) for day in self.days):
                rank = RANKS[source.basis]
                came = source.since or date.min if rank < RANKS["visit"] else published
                weighed[rank, -came.toordinal()].add(statement.value)
        best = weighed[min(weighed)] if weighed else set()
        return next(iter(best)) if len(best) == 1 else None

    def _origin(
        self, statement: StatedValue, values: Mapping[int, set[str]]
    ) -> tuple[Provenance, date] | None:
        """Return the provenance at the end of a chain of reprints, and its date of publication."""
        number, published = statement.document.id, statement.document.published
        for _ in range(MOST_LINKS):
            source = self.sources[number]
            if source is None:
                return Provenance("", "unnamed"), published
            if source.basis != "reprint":
                return source, published
            if source.cited is None:
                return None
            same = [n for n in self.titled.get(source.cited, ()) if statement.value in values.get(n, ())]
            if not same:
                return None
            number, published = same[0], source.cited.published
        return None

    # ------------------------------------------------------------------ other readers

    def newest(self, statements: StatedValues) -> str | None:
        """Return the value of the newest document."""
        return max(statements, key=lambda one: (one.document.published, -one.document.id)).value

    def commonest(self, statements: StatedValues) -> str | None:
        """Return the value of most documents; on a tie, the newest."""
        count = Counter(one.value for one in statements)
        newest = {
            one.value: one.document.published
            for one in sorted(statements, key=lambda one: one.document.published)
        }
        return max(count, key=lambda value: (count[value], newest[value], value))

    def official(self, statements: StatedValues) -> str | None:
        """Return the value of most documents that look official; of all documents if none does."""
        official_looking = [
            one for one in statements
            if one.document.origin in _OFFICIAL or "official" in f"{one.document.title} {one.document.text[:400]}".lower()
        ]  # fmt: skip
        return self.commonest(official_looking or statements)

    def highest(self, statements: StatedValues) -> str | None:
        """Return the value of most documents on the best named basis, in force or not, without reprints."""
        ranks = [(self._rank(one), one) for one in statements]
        best = min(rank for rank, _ in ranks)
        return self.commonest([one for rank, one in ranks if rank == best])

    def _rank(self, statement: StatedValue) -> int:
        source = self.sources[statement.document.id]
        return RANKS.get(source.basis, len(RANKS)) if source is not None else len(RANKS)


def window_of(base: FactBase) -> tuple[date, date]:
    """Return the first and the last day of travel."""
    days = [service.date for service in base.services]
    return (min(days), max(days)) if days else (date(2025, 10, 15), date(2025, 10, 30))


def truths_of(base: FactBase) -> dict[Fact, set[str]]:
    """Return the true values of each fact; several if the base holds several."""
    truths: dict[Fact, set[str]] = defaultdict(set)
    for fact, value in values_of(base):
        truths[fact].add(value)
    return truths


def contestable(base: FactBase) -> Iterator[Fact]:
    """Yield the facts on which cells of answers rest and which a document can contradict.

    A contradiction must be about the same subject. Prices and opening hours of restaurants are left out,
    since tools tell them.
    """
    for sight in base.attractions:
        yield from (fact for fact, _ in sight_values(sight) if fact[2] in _SIGHT_FIELDS)
    for hotel in base.hotels:
        yield from (fact for fact, _ in hotel_values(hotel) if ":" in fact[2])
    for service in base.services:
        yield from (fact for fact, _ in service_values(service) if fact[2] in _SERVICE_FIELDS)


def undecided(base: FactBase, corpus: Corpus) -> list[Fact]:
    """Return the facts whose truth the rule does not find in a corpus.

    A corpus may only be written if there are none. If documents mention a subject that the base lacks, the
    rule must find that it does not exist. Places in cities outside the base are left out, since no trip goes
    there.
    """
    stated_facts = StatedFacts.of(corpus, window_of(base))
    truths = truths_of(base)
    cities = {city for _, city, _ in truths}
    lost = [
        fact for fact, values in truths.items()
        if stated_facts.trusted(stated_facts.by_fact.get(fact, ())) not in values and len(values) == 1
    ]  # fmt: skip
    subjects = {fact[:2] for fact in truths}
    lost += [
        fact for fact, statements in stated_facts.by_fact.items()
        if fact[:2] not in subjects and fact[1] in cities and (fact[2] != "existence" or stated_facts.trusted(statements) != "false")
    ]  # fmt: skip
    return lost


# ---------------------------------------------------------------------- measuring noise


READERS = ("rule", "newest", "majority", "official_look", "best_basis")
"""Names of the measured readers."""


@dataclass(frozen=True, slots=True)
class NoiseMeasure:
    """Amount of contradicted facts of corpora, and the success of each reader.

    Attributes:
        facts: number of facts that documents can contradict.
        contradicted: number of these for which some document states another value.
        outnumbered: number of contradicted facts that more documents state falsely than truly.
        right: number of contradicted facts that each reader gets right, by its name.
    """

    facts: int
    contradicted: int
    outnumbered: int
    right: Mapping[str, int]

    @property
    def share(self) -> Fraction:
        """Share of contradicted facts."""
        return Fraction(self.contradicted, self.facts) if self.facts else Fraction(0)

    def rate(self, reader: str) -> Fraction | None:
        """Return the share of the contradicted facts that a reader gets right, or None if there are none."""
        return Fraction(self.right[reader], self.contradicted) if self.contradicted else None

    def __add__(self, other: NoiseMeasure) -> NoiseMeasure:
        return NoiseMeasure(
            self.facts + other.facts, self.contradicted + other.contradicted, self.outnumbered + other.outnumbered,
            {name: self.right[name] + other.right[name] for name in READERS},
        )  # fmt: skip


def measure(base: FactBase, corpus: Corpus, among: Iterable[Fact] | None = None) -> NoiseMeasure:
    """Measure the noise of a corpus.

    Args:
        base: facts.
        corpus: corpus about them.
        among: facts that count, among those that can be contradicted; all if None.
    """
    stated_facts = StatedFacts.of(corpus, window_of(base))
    truths = truths_of(base)
    readers: Sequence[Reader] = (
        stated_facts.trusted,
        stated_facts.newest,
        stated_facts.commonest,
        stated_facts.official,
        stated_facts.highest,
    )
    facts = dict.fromkeys(contestable(base))
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
