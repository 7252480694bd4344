"""Noise: documents that contradict facts although they are newer, more numerous or look official.

The noise consists of cases. A case is about one attraction, one hotel or one page of the timetable. Some of its facts
get false values. A leading document states them, and other documents repeat them. The writers of true pages also write
these documents, from the altered facts. The documents therefore also contain true statements. The provenance of the
leading document shows that it is not to be trusted:

- `season`: an operator's notice that comes into force after the trips;
- `expired`: a notice that expired before the trips;
- `replaced`: a notice or a register entry that a later one replaces;
- `partner`: a page that looks official and names no basis;
- `altered`: a reprint that changes what the reprinted document states.

Namesakes are places of the same name in a city to which no trip goes. Their facts differ.

Each of these documents replaces a redundant document, that is, one that states only what other documents also state.
A clean corpus keeps the replaced document, so that both corpora have the same number of documents and are otherwise
equal.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Literal, TypeAlias, assert_never

from planspec.families.veritrip.corpus.attraction_pages import write_attraction
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.fact_values import (
    Fact,
    hotel_values,
    service_values,
    sight_values,
)
from planspec.families.veritrip.corpus.imprinting import AGENCIES, RAILWAY, WRITERS, airport_of
from planspec.families.veritrip.corpus.lodging_pages import write_hotel
from planspec.families.veritrip.corpus.nearby import NeighbourSearch
from planspec.families.veritrip.corpus.price_lists import SIGHTS_PER_LIST, write_price_list
from planspec.families.veritrip.corpus.provenance import Basis, Provenance
from planspec.families.veritrip.corpus.surface import DAY
from planspec.families.veritrip.corpus.transport_pages import (
    MOST_ON_A_PAGE,
    Timetable,
    pages_by_direction,
    write_timetable,
)
from planspec.families.veritrip.corpus.trust import travel_days, truths_of
from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Room, Service

_MAX_REPLACED = 0.75
"""Maximal share of the replaceable documents that false documents replace."""
_MOST_DOCUMENTS = 60
"""Maximal number of documents in a case of noise (false documents about one subject)."""
_OUTNUMBERING_SHARE = 0.75
"""Share of the cases of noise in which false documents outnumber true ones, if enough documents can be replaced."""
_LARGE_CASE, _SMALL_CASE = Fraction(2), Fraction(4, 3)
"""Average number of documents in a case that outnumbers the true documents, and in any other case."""
_NEWEST_SHARE = 0.7
"""Share of the false documents that are newer than all true documents."""
_CASES_PER_NAMESAKE = 4
"""Number of attractions with false documents per namesake (an attraction of the same name in another city)."""

Style: TypeAlias = Literal["season", "expired", "replaced", "partner", "altered"]
_STYLES: tuple[Style, ...] = ("season", "season", "expired", "expired", "replaced", "partner", "altered")
_DAY_STYLES: tuple[Style, ...] = ("replaced", "replaced", "replaced", "partner", "altered")
"""Styles of false timetable pages. A page is about one day, so styles with notices for other days are left out."""
_LIST_STYLES: tuple[Style, ...] = ("season", "expired", "replaced", "partner")
_Kind: TypeAlias = Literal["sight", "table", "hotel", "namesake"]
_KIND_ORDER: tuple[_Kind, ...] = ("sight", "table", "sight", "hotel", "table", "sight", "table", "namesake")
"""Order, repeated, in which cases of noise are written: kinds of the subjects that false documents are about."""
_Voice: TypeAlias = Literal["official", "portal", "blog", "news"]
_Source: TypeAlias = tuple[Provenance, DocumentDraft | None]
"""Provenance of a document, and the document that it reprints, or None."""
_OTHER_CITIES = {"CNY": ("Linjiang", "Shanhai", "Pingyuan")}
_DEFAULT_OTHER_CITIES = ("Springfield", "Riverton", "Fairview")
"""Cities to which no trip goes, for currencies that are not in `_OTHER_CITIES`."""
CHINESE_OTHER_CITIES = {
    "Linjiang": "临江",
    "Shanhai": "山海",
    "Pingyuan": "平原",
    "Springfield": "斯普林菲尔德",
    "Riverton": "里弗顿",
    "Fairview": "费尔维尤",
}
"""Chinese names of the cities to which no trip goes."""


@dataclass(slots=True)
class _DatedDraft(DocumentDraft):
    """A draft whose day of publication is fixed in advance."""

    fixed_day: date = date(2025, 1, 1)

    def publish_between(self, first: date, last: date) -> None:  # noqa: ARG002 signature of `DocumentDraft.publish_between`
        """Publish on `fixed_day` and ignore the requested days."""
        self.published = self.fixed_day


@dataclass(frozen=True, slots=True)
class _Case:
    """A case of noise: a subject with altered facts, and instructions for writing documents about it.

    Attributes:
        city: city of the subject.
        owner: publisher of true notices on the subject.
        contradicted: facts that the case's documents contradict.
        following_voices: styles (kinds of publisher) of the documents after the leading one. A repeated style is drawn
            more often.
        write: function that writes a page about the altered facts in the style of a kind of publisher.
        styles: possible styles of the leading document.
        basis: basis of the owner's notices.
        is_true: whether nothing is altered. Such true pages are written so that a page's form does not reveal whether
            it is false.
    """

    city: str
    owner: str
    contradicted: frozenset[Fact]
    following_voices: tuple[_Voice, ...]
    write: Callable[[DocumentDraft, _Voice], None]
    styles: tuple[Style, ...] = _STYLES
    basis: Basis = "operator"
    is_true: bool = False


def add_noise(
    base: FactBase,
    drafts: list[DocumentDraft],
    official_count: int,
    seed: int,
    noisy_share: float,
    *,
    clean: bool = False,
    max_services_per_page: int = MOST_ON_A_PAGE,
) -> None:
    """Replace documents by documents that contradict facts.

    Args:
        base: fact base.
        drafts: drafts of the corpus with their provenances. The list is changed in place.
        official_count: number of official drafts. The first `official_count` drafts together state every
            fact, and are not replaced.
        seed: seed of the choices.
        noisy_share: share of the subjects (attractions or lists of them, hotels, pages of the timetable) about
            which contradicting documents are written. Fewer subjects are chosen if there are too few replaceable
            documents.
        clean: whether to undo all replacements, except by lists of attractions without false facts.
        max_services_per_page: maximal number of trains or flights on a page of the timetable.
    """
    if noisy_share > 0:
        before = list(drafts)
        _NoiseWriter(base, drafts, official_count, seed, noisy_share, max_services_per_page).run()
        if clean:
            drafts[:] = [
                old if new.is_misleading_or_replacement else new for old, new in zip(before, drafts, strict=True)
            ]


class _NoiseWriter:
    def __init__(
        self,
        base: FactBase,
        drafts: list[DocumentDraft],
        official_count: int,
        seed: int,
        noisy_share: float,
        max_services_per_page: int,
    ) -> None:
        self.base = base
        self.drafts = drafts
        self.official_count = official_count
        self.seed = seed
        self.noisy_share = noisy_share
        self.first, self.last = travel_days(base)
        self.truths = truths_of(base)
        self._landmarks = NeighbourSearch((*base.attractions, *base.pois))
        self.replaceable = [n for n in range(official_count, len(drafts)) if _is_replaceable(drafts[n])]
        random.Random(f"{seed}|noise|places").shuffle(self.replaceable)
        del self.replaceable[int(len(self.replaceable) * _MAX_REPLACED) :]
        pages = pages_by_direction(base.services, max_services_per_page)
        subjects = round(noisy_share * (len(base.attractions) + len(base.hotels) + len(pages)))
        # If there are few documents for many facts, smaller cases contradict more of the facts.
        room = (
            (Fraction(len(self.replaceable), subjects) - _SMALL_CASE) / (_LARGE_CASE - _SMALL_CASE)
            if subjects
            else Fraction(1)
        )
        self.outnumbering_share = min(_OUTNUMBERING_SHARE, max(0.0, float(room)))
        self.pages = pages
        self.numbers_by_fact: dict[Fact, set[int]] = defaultdict(set)  # documents that truly state each fact
        for number, draft in enumerate(drafts):
            for *fact, _, true in draft.claims:
                if true and not draft.is_misleading_or_replacement:
                    self.numbers_by_fact[fact[0], fact[1], fact[2]].add(number)

    def run(self) -> None:
        """Write cases of noise while there are replaceable documents."""
        cases: dict[_Kind, Iterator[_Case]] = {
            "sight": self._sight_cases() if self.outnumbering_share == _OUTNUMBERING_SHARE else self._list_cases(),
            "table": self._timetable_cases(),
            "hotel": self._hotel_cases(),
            "namesake": self._namesake_cases(),
        }
        turn = 0
        while self.replaceable and cases:
            kind = _KIND_ORDER[turn % len(_KIND_ORDER)]
            turn += 1
            case = next(cases[kind], None) if kind in cases else None
            if case is None:
                cases.pop(kind, None)
            else:
                self._write_case(case, random.Random(f"{self.seed}|noise|{turn}"), alone=kind == "namesake")

    # ------------------------------------------------------------------ a case

    def _write_case(self, case: _Case, rng: random.Random, *, alone: bool) -> None:
        """Write the documents of a case: a leading one and, unless `alone`, others that repeat it."""
        if case.is_true:
            draft = self._replace_document(case, "portal", rng)
            draft.kind = "attraction"
            draft.source = Provenance(case.owner, case.basis, self.first - timedelta(days=rng.randrange(5, 120)))
            return
        count = 1 if alone else self._document_count(case, rng)
        lead: DocumentDraft | None = None
        voice: _Voice = "official"
        for _ in range(min(count, len(self.replaceable))):
            if lead is not None:
                (source, reprinted), voice = (
                    self._following_source(case, lead, rng),
                    rng.choice(case.following_voices),
                )
            elif alone:  # The notice is true, but about the namesake in another city.
                source, reprinted = Provenance(case.owner, "operator", self.first - timedelta(days=30)), None
            else:
                source, reprinted = self._leading_source(case, rng)
            draft = self._replace_document(case, voice, rng)
            draft.source, draft.reprinted = source, reprinted
            lead = lead or draft

    def _document_count(self, case: _Case, rng: random.Random) -> int:
        """Draw the number of documents in a case. Return 0 if no other document states the contradicted facts."""
        counts = sorted(len(self.numbers_by_fact[fact]) for fact in case.contradicted)
        if not counts or not counts[-1]:
            return 0
        # The documents about a list need to outnumber the true ones on only half of the facts.
        many, share = (
            (counts[-1], self.outnumbering_share)
            if case.basis == "operator"
            else (counts[len(counts) // 2], _OUTNUMBERING_SHARE)
        )
        return min(many + 1, _MOST_DOCUMENTS) if rng.random() < share else rng.choice((1, 1, 2))

    def _replace_document(self, case: _Case, voice: _Voice, rng: random.Random) -> DocumentDraft:
        """Replace one replaceable document by a new document of a case. Return the new document."""
        index = self.replaceable.pop()
        for *fact, _, _ in self.drafts[index].claims:
            self.numbers_by_fact[fact[0], fact[1], fact[2]].discard(index)
        newest = rng.random() < _NEWEST_SHARE
        day = self.first - timedelta(days=rng.randrange(1, 5) if newest else rng.randrange(30, 500))
        page_random = random.Random(f"{self.seed}|noise|{index}|page")
        draft = self._write_page(case, voice, page_random, day)
        if not case.is_true and all(true for *_, true in draft.claims):
            # The page happens to state no altered fact. A portal's page states all facts, so also the altered ones.
            draft = self._write_page(case, "portal", page_random, day)
        self.drafts[index] = draft
        return draft

    def _write_page(self, case: _Case, voice: _Voice, page_random: random.Random, day: date) -> DocumentDraft:
        """Write a page about the altered facts of a case, and mark its claims as true or false."""
        draft = _DatedDraft(
            "misleading",
            case.city,
            "",
            page_random,
            self.base.currency,
            fixed_day=day,
            is_misleading_or_replacement=not case.is_true,
        )
        case.write(draft, voice)
        draft.claims = [
            (*claim[:4], claim[3] in self.truths.get((claim[0], claim[1], claim[2]), ())) for claim in draft.claims
        ]
        return draft

    def _leading_source(self, case: _Case, rng: random.Random) -> _Source:
        """Draw the provenance of a case's leading document, and the document that it reprints, or None.

        The provenance shows that the leading document is not to be trusted.
        """
        best = self._citable_document(case)
        style = rng.choice(case.styles)
        match style:
            case "season":
                return Provenance(case.owner, "operator", self.last + timedelta(days=rng.randrange(10, 60))), None
            case "expired":
                until = self.first - timedelta(days=rng.randrange(3, 40))
                since = until - timedelta(days=rng.randrange(90, 200))
                return Provenance(case.owner, case.basis, since, until), None
            case "replaced" if best is not None and best.source is not None:
                basis = best.source.basis
                publisher = case.owner if basis == "operator" else rng.choice(AGENCIES)
                return Provenance(publisher, basis, self.first - timedelta(days=rng.randrange(200, 700))), None
            case "altered" if best is not None:
                return Provenance(rng.choice(AGENCIES), "reprint"), best
            case "partner" | "replaced" | "altered":
                return Provenance(f"{case.owner}, official partner", "unnamed"), None
            case _:
                assert_never(style)

    def _following_source(self, case: _Case, lead: DocumentDraft, rng: random.Random) -> _Source:
        """Draw the provenance of a document that repeats the leading one."""
        publisher, kind = rng.choice(AGENCIES + WRITERS), rng.random()
        if kind < 0.6:
            return Provenance(publisher, "reprint"), lead
        if kind < 0.75 and (best := self._citable_document(case)) is not None:
            return Provenance(publisher, "reprint"), best
        return Provenance(publisher, rng.choice(("hearsay", "visit", "unnamed"))), None

    def _citable_document(self, case: _Case) -> DocumentDraft | None:
        """Return a true document that states all contradicted facts, or None if there is none.

        An operator's notice is preferred to a register entry.
        """
        numbers_by_fact = (
            set.intersection(*(self.numbers_by_fact[fact] for fact in case.contradicted))
            if case.contradicted
            else set()
        )
        candidates = [self.drafts[number] for number in sorted(numbers_by_fact) if number < self.official_count]
        for basis in ("operator", "register"):
            for draft in candidates:
                if draft.source is not None and draft.source.basis == basis:
                    return draft
        return None

    # ------------------------------------------------------------------ subjects

    def _choose_subjects(self, kind: str, count: int, share: float) -> list[tuple[int, random.Random]]:
        """Draw the subjects about which false documents are written.

        Args:
            kind: kind of the subjects, such as `sight`.
            count: number of subjects of this kind.
            share: share of them to draw.

        Returns:
            Pairs of a subject's index and the random source for altering its facts.
        """
        order = list(range(count))
        random.Random(f"{self.seed}|noise|{kind}").shuffle(order)
        return [(n, random.Random(f"{self.seed}|noise|{kind}|{n}")) for n in order[: round(count * share)]]

    def _sight_cases(self) -> Iterator[_Case]:
        for number, rng in self._choose_subjects("sight", len(self.base.attractions), self.noisy_share):
            sight = self.base.attractions[number]
            yield self._sight_case(sight, _alter_sight(sight, rng))

    def _list_cases(self) -> Iterator[_Case]:
        """Yield cases in which the documents are lists of attractions. Some lists are true.

        A list contradicts the facts of several attractions with one document, so fewer documents are needed.
        """
        cities: dict[str, list[Attraction]] = defaultdict(list)
        for sight in self.base.attractions:
            cities[sight.city].append(sight)
        groups: list[list[Attraction]] = []
        for city, sights in cities.items():
            random.Random(f"{self.seed}|noise|list|{city}").shuffle(sights)
            groups += [sights[index : index + SIGHTS_PER_LIST] for index in range(0, len(sights), SIGHTS_PER_LIST)]
        false = {number for number, _ in self._choose_subjects("list", len(groups), self.noisy_share)}
        for number, rng in self._choose_subjects("lists", len(groups), 1):
            yield self._list_case(groups[number], rng, true=number not in false)

    def _list_case(self, sights: list[Attraction], rng: random.Random, *, true: bool) -> _Case:
        city = sights[0].city
        others = sights if true else [_alter_sight(sight, rng) for sight in sights]

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_price_list(draft, others)
            draft.origin = "official site" if voice == "official" else draft.origin

        wrong = self._contradicted_facts(value for sight in others for value in sight_values(sight))
        return _Case(city, f"Tourist office of {city}", wrong, ("portal",), write, _LIST_STYLES, "register", true)

    def _namesake_cases(self) -> Iterator[_Case]:
        cities = {place.city for place in self.base.places}
        elsewhere = [c for c in _OTHER_CITIES.get(self.base.currency, _DEFAULT_OTHER_CITIES) if c not in cities]
        for number, rng in self._choose_subjects(
            "namesake", len(self.base.attractions), self.noisy_share / _CASES_PER_NAMESAKE
        ):
            sight = self.base.attractions[number]
            # A name that contains a city would reveal that the page is about another place.
            if elsewhere and not any(city.lower() in sight.name.lower() for city in cities):
                far = replace(
                    _alter_sight(sight, rng),
                    city=rng.choice(elsewhere),
                    address=f"{rng.randint(2, 90)} Station Road",
                )
                yield self._sight_case(sight, far)

    def _sight_case(self, sight: Attraction, other: Attraction) -> _Case:
        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_attraction(draft, other, voice)

        return _Case(
            other.city,
            sight.name,
            self._contradicted_facts(sight_values(other)),
            ("portal", "portal", "portal", "official", "news", "blog"),
            write,
        )

    def _hotel_cases(self) -> Iterator[_Case]:
        for number, rng in self._choose_subjects("hotel", len(self.base.hotels), self.noisy_share):
            yield self._hotel_case(self.base.hotels[number], rng)

    def _hotel_case(self, hotel: Hotel, rng: random.Random) -> _Case:
        other = replace(hotel, rooms=tuple(_alter_room(room, rng) for room in hotel.rooms))
        near = self._landmarks.nearest(hotel, 3)

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_hotel(draft, other, "portal" if voice == "news" else voice, near)

        return _Case(
            hotel.city,
            hotel.name,
            self._contradicted_facts(hotel_values(other)),
            ("portal", "portal", "blog"),
            write,
        )

    def _timetable_cases(self) -> Iterator[_Case]:
        for number, rng in self._choose_subjects("table", len(self.pages), self.noisy_share):
            yield self._timetable_case(self.pages[number], rng)

    def _timetable_case(self, page: Timetable, rng: random.Random) -> _Case:
        first = page.services[0]
        train = first.vehicle == "train"
        other = replace(page, services=tuple(_alter_service(service, rng) for service in page.services))
        voices = ("railway timetable", "station notice") if train else ("airport timetable", "airline site")

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_timetable(draft, other)
            draft.origin = draft.pick(voices) if voice == "official" else "booking portal"

        owner = RAILWAY if train else airport_of(first.origin_city)
        values = (value for service in other.services for value in service_values(service))
        return _Case(
            first.origin_city,
            owner,
            self._contradicted_facts(values),
            ("portal", "portal", "official"),
            write,
            _DAY_STYLES,
        )

    def _contradicted_facts(self, values: Iterable[tuple[Fact, str]]) -> frozenset[Fact]:
        """Return the facts of the base that the values contradict."""
        return frozenset(fact for fact, value in values if fact in self.truths and value not in self.truths[fact])


def _is_replaceable(draft: DocumentDraft) -> bool:
    """Return whether noise may replace a document. Misleading documents, corrections and guides are never replaced."""
    return (
        not draft.is_misleading_or_replacement
        and draft.kind != "guide"
        and all(true and (field, value) != ("existence", "false") for _, _, field, value, true in draft.claims)
    )


# ---------------------------------------------------------------------- altered facts


def _alter_sight(sight: Attraction, rng: random.Random) -> Attraction:
    """Return the attraction with at least two altered facts among ticket, hours, closing days and visit duration."""
    parts = [
        part
        for part, share in (("ticket", 0.85), ("hours", 0.75), ("closed", 0.6), ("visit", 0.65))
        if rng.random() < share
    ]
    if len(parts) < 2:
        parts = ["ticket", "hours", "visit"]
    if "ticket" in parts:
        sight = replace(sight, ticket=_draw_wrong_price(sight.ticket, rng))
    if "hours" in parts:
        opens = rng.choice([minute for minute in range(420, 661, 30) if minute != sight.opens])
        closes = rng.choice([minute for minute in range(960, 1321, 30) if minute != sight.closes])
        sight = replace(sight, opens=opens, closes=closes)
    if "closed" in parts:
        closed = rng.choice(
            [
                days
                for days in (frozenset[int](), frozenset({0}), frozenset({1}), frozenset({2}))
                if days != sight.closed_on
            ]
        )
        sight = replace(sight, closed_on=closed)
    if "visit" in parts:
        spans = [
            span
            for span in ((30, 45), (45, 60), (60, 90), (90, 120), (120, 180), (180, 240))
            if span != (sight.least, sight.most)
        ]
        least, most = rng.choice(spans)
        sight = replace(sight, least=least, most=most)
    return sight


def _alter_room(room: Room, rng: random.Random) -> Room:
    return replace(room, price=_draw_wrong_price(room.price, rng), breakfast=room.breakfast != (rng.random() < 0.5))


def _alter_service(service: Service, rng: random.Random) -> Service:
    """Return the train or flight shifted by some minutes, possibly with another price."""
    shift = rng.choice([minutes for minutes in range(-40, 45, 5) if minutes])
    stretch = rng.choice((-10, -5, 0, 0, 5, 10))
    depart, arrive = service.depart + shift, service.arrive + shift + stretch
    if depart < 0 or arrive >= DAY or arrive <= depart:
        depart, arrive = service.depart, max(service.depart + 1, service.arrive - 1)
    price = _draw_wrong_price(service.price, rng) if rng.random() < 0.7 else service.price
    return replace(service, depart=depart, arrive=arrive, price=price)


def _draw_wrong_price(right: int, rng: random.Random) -> int:
    """Draw a plausible price that differs from the right one."""
    if right == 0:
        return rng.choice((5, 8, 10, 15, 20, 30))
    step = 10 if right >= 200 else 5 if right >= 40 else 1
    price = max(1, right * rng.choice((60, 70, 75, 80, 85, 90, 110, 115, 120, 130, 150)) // 100 // step * step)
    return price if price != right else right + step
