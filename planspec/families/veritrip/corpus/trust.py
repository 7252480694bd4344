"""The rule by which the truth is found where documents contradict one another, and other ways to read, which it beats.

The rule, as the briefs of the settings with documents state it:

1. A document counts for a place only if it means the place of that name in that city.
2. A reprint counts as the document that it names, with its basis and dates, and only for what that one says, too.
3. What is not in force on the days of the trip does not count.
4. A notice of the operator goes before a register entry, that before a visit, that before hearsay and no named basis.
5. Of several of one basis, that counts which came into force last; of visits the last one.

All readers here are told what a document states by the corpus (`Statement`), as if they read its text without a mistake;
whom they believe they decide by what agents see of it.
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
"""The order of trust; a reprint has the rank of what it passes on."""
MOST_LINKS = 8
"""The longest chain of reprints that is followed."""
_SIGHT_FIELDS = ("ticket", "opens", "closes", "closed_on", "visit")
_SERVICE_FIELDS = ("depart", "arrive", "price")
_OFFICIAL = ("official site", "railway timetable", "airport timetable", "airline site", "station notice")
"""The voices that look official."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A document's statement about one fact."""

    document: CorpusDocument
    value: str


Sayings: TypeAlias = Sequence[Saying]
Reader: TypeAlias = Callable[[Sayings], str | None]
"""From what documents say of one fact to the value that is believed; None where none is."""


@dataclass(frozen=True, slots=True)
class SaidFacts:
    """The statements of a corpus by fact, with the provenance that its documents tell."""

    by_fact: Mapping[Fact, Sayings]
    sources: Mapping[int, Provenance | None]
    titled: Mapping[CitedDocument, Sequence[int]]
    days: tuple[date, ...]

    @classmethod
    def of(cls, corpus: Corpus, days: Iterable[date]) -> SaidFacts:
        """What a corpus says.

        Args:
            corpus: with its statements.
            days: the first and the last day on which trips are made.
        """
        documents = {document.id: document for document in corpus.documents}
        sources = {document.id: read_imprint(document.text) for document in corpus.documents}
        by_fact: dict[Fact, list[Saying]] = defaultdict(list)
        for said in corpus.statements:
            by_fact[said.subject, said.city, said.field].append(Saying(documents[said.document], said.value))
        titled: dict[CitedDocument, list[int]] = defaultdict(list)
        for document in corpus.documents:
            source = sources[document.id]
            if source is not None:
                titled[CitedDocument(document.title, source.publisher, document.published)].append(
                    document.id
                )
        return cls(by_fact, sources, titled, tuple(days))

    # ------------------------------------------------------------------ the rule

    def trusted(self, said: Sayings) -> str | None:
        """The value that the rule finds; None where it finds none, or no single one."""
        values: dict[int, set[str]] = defaultdict(set)
        for saying in said:
            values[saying.document.id].add(saying.value)
        weighed: dict[tuple[int, int], set[str]] = defaultdict(set)
        for saying in said:
            origin = self._origin(saying, values)
            if origin is None:
                continue
            source, published = origin
            if all(source.in_force(day) for day in self.days):
                rank = RANKS[source.basis]
                came = source.since or date.min if rank < RANKS["visit"] else published
                weighed[rank, -came.toordinal()].add(saying.value)
        found = weighed[min(weighed)] if weighed else set()
        return next(iter(found)) if len(found) == 1 else None

    def _origin(self, saying: Saying, values: Mapping[int, set[str]]) -> tuple[Provenance, date] | None:
        """The provenance that counts for a saying, and when it was published: at the end of a chain of reprints."""
        number, published = saying.document.id, saying.document.published
        for _ in range(MOST_LINKS):
            source = self.sources[number]
            if source is None:
                return Provenance("", "unnamed"), published
            if source.basis != "reprint":
                return source, published
            if source.cited is None:
                return None
            same = [n for n in self.titled.get(source.cited, ()) if saying.value in values.get(n, ())]
            if not same:
                return None
            number, published = same[0], source.cited.published
        return None

    # ------------------------------------------------------------------ other ways to read

    def newest(self, said: Sayings) -> str | None:
        """The value of the newest document."""
        return max(said, key=lambda one: (one.document.published, -one.document.id)).value

    def commonest(self, said: Sayings) -> str | None:
        """The value of most documents; of the newest among equals."""
        count = Counter(one.value for one in said)
        newest = {
            one.value: one.document.published for one in sorted(said, key=lambda one: one.document.published)
        }
        return max(count, key=lambda value: (count[value], newest[value], value))

    def official(self, said: Sayings) -> str | None:
        """The value of most documents that look official; of all where none does."""
        looks = [
            one for one in said
            if one.document.origin in _OFFICIAL or "official" in f"{one.document.title} {one.document.text[:400]}".lower()
        ]  # fmt: skip
        return self.commonest(looks or said)

    def highest(self, said: Sayings) -> str | None:
        """The value of most documents of the best basis that is named, whether in force or not, reprints left out."""
        ranks = [(self._rank(one), one) for one in said]
        best = min(rank for rank, _ in ranks)
        return self.commonest([one for rank, one in ranks if rank == best])

    def _rank(self, saying: Saying) -> int:
        source = self.sources[saying.document.id]
        return RANKS.get(source.basis, len(RANKS)) if source is not None else len(RANKS)


def window_of(base: FactBase) -> tuple[date, date]:
    """The first and the last day on which one can travel."""
    days = [service.date for service in base.services]
    return (min(days), max(days)) if days else (date(2025, 10, 15), date(2025, 10, 30))


def truths_of(base: FactBase) -> dict[Fact, set[str]]:
    """The true values of each fact; several where the base holds several."""
    truths: dict[Fact, set[str]] = defaultdict(set)
    for fact, value in values_of(base):
        truths[fact].add(value)
    return truths


def contestable(base: FactBase) -> Iterator[Fact]:
    """The facts on which cells of answers rest and which a document can contradict without meaning something else.

    What restaurants ask and when they are open is left out: there are tools that tell it.
    """
    for sight in base.attractions:
        yield from (fact for fact, _ in sight_values(sight) if fact[2] in _SIGHT_FIELDS)
    for hotel in base.hotels:
        yield from (fact for fact, _ in hotel_values(hotel) if ":" in fact[2])
    for service in base.services:
        yield from (fact for fact, _ in service_values(service) if fact[2] in _SERVICE_FIELDS)


def undecided(base: FactBase, corpus: Corpus) -> list[Fact]:
    """The facts of which the rule does not find the truth in a corpus: of a corpus that may be written there are none.

    Of what documents tell and the base does not have, the rule must find that it does not exist. Places in cities of which
    the base has nothing are left out: no trip goes there.
    """
    said = SaidFacts.of(corpus, window_of(base))
    truths = truths_of(base)
    cities = {city for _, city, _ in truths}
    lost = [
        fact for fact, values in truths.items()
        if said.trusted(said.by_fact.get(fact, ())) not in values and len(values) == 1
    ]  # fmt: skip
    known = {fact[:2] for fact in truths}
    lost += [
        fact for fact, sayings in said.by_fact.items()
        if fact[:2] not in known and fact[1] in cities and (fact[2] != "existence" or said.trusted(sayings) != "false")
    ]  # fmt: skip
    return lost


# ---------------------------------------------------------------------- how much is contradicted, and who is misled


READERS = ("rule", "newest", "majority", "official_look", "best_basis")
"""The ways to read that are measured."""


@dataclass(frozen=True, slots=True)
class NoiseMeasure:
    """How much of corpora is contradicted, and how much of that each way to read gets right.

    Attributes:
        facts: those that documents can contradict.
        contradicted: of these, those of which some document states another value.
        outnumbered: of those, the ones that more documents state falsely than truly.
        right: by the name of the reader, how many of the contradicted facts it gets right.
    """

    facts: int
    contradicted: int
    outnumbered: int
    right: Mapping[str, int]

    @property
    def share(self) -> Fraction:
        """The share of the facts that is contradicted."""
        return Fraction(self.contradicted, self.facts) if self.facts else Fraction(0)

    def rate(self, reader: str) -> Fraction | None:
        """The share of the contradicted facts that a reader gets right; None where there are none."""
        return Fraction(self.right[reader], self.contradicted) if self.contradicted else None

    def __add__(self, other: NoiseMeasure) -> NoiseMeasure:
        return NoiseMeasure(
            self.facts + other.facts, self.contradicted + other.contradicted, self.outnumbered + other.outnumbered,
            {name: self.right[name] + other.right[name] for name in READERS},
        )  # fmt: skip


def measure(base: FactBase, corpus: Corpus, among: Iterable[Fact] | None = None) -> NoiseMeasure:
    """Measure the noise of a corpus.

    Args:
        base: the facts.
        corpus: about them.
        among: the facts that count, of those that can be contradicted; all if None.
    """
    said = SaidFacts.of(corpus, window_of(base))
    truths = truths_of(base)
    readers: Sequence[Reader] = (said.trusted, said.newest, said.commonest, said.official, said.highest)
    facts = dict.fromkeys(contestable(base))
    if among is not None:
        wanted = set(among)
        facts = {fact: None for fact in facts if fact in wanted}
    right = dict.fromkeys(READERS, 0)
    contradicted = outnumbered = 0
    for fact in facts:
        sayings = said.by_fact.get(fact, ())
        wrong = sum(saying.value not in truths[fact] for saying in sayings)
        if wrong:
            contradicted += 1
            outnumbered += wrong * 2 > len(sayings)
            for name, reader in zip(READERS, readers, strict=True):
                right[name] += reader(sayings) in truths[fact]
    return NoiseMeasure(len(facts), contradicted, outnumbered, right)
