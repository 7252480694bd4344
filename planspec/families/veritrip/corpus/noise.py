"""Demanding noise: documents that contradict facts, and are newer, more numerous or official in look.

Each case is about one attraction, one hotel, or the trains or flights of one page of the timetable: some of
its facts get false values, a leading document states them, and others follow it. Each document is written by
the writer of the true pages about altered facts, so that the unaltered ones make it half true. The provenance
gives a case away:

- `season`: the operator's notice for a time after the trips;
- `expired`: the operator's notice for a time before them;
- `replaced`: a notice or an entry that a later one has replaced;
- `partner`: a page with an official look that names no basis;
- `altered`: a reprint that does not state what the document that it names states.

Namesakes are places of the same name in a city to which no trip goes, with facts of their own.

A document of noise replaces one whose statements are all made elsewhere, too; a clean corpus keeps that one.
Both corpora therefore have the same number of documents and differ in nothing else.
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
from planspec.families.veritrip.corpus.lodging_pages import write_hotel
from planspec.families.veritrip.corpus.nearby import Neighbours
from planspec.families.veritrip.corpus.price_lists import ON_A_LIST, write_price_list
from planspec.families.veritrip.corpus.provenance import Basis, Provenance
from planspec.families.veritrip.corpus.signing import AGENCIES, RAILWAY, WRITERS, airport
from planspec.families.veritrip.corpus.surface import DAY
from planspec.families.veritrip.corpus.transport_pages import (
    MOST_ON_A_PAGE,
    Timetable,
    by_direction,
    write_timetable,
)
from planspec.families.veritrip.corpus.trust import truths_of, window_of
from planspec.families.veritrip.facts import Attraction, FactBase, Hotel, Room, Service

_ROOM = 0.75
"""Largest share of the replaceable documents that are replaced."""
_MOST_DOCUMENTS = 60
"""Maximal number of documents of a case."""
_OUTNUMBERED = 0.75
"""Share of the cases in which false documents are to outnumber the true ones, if there is room."""
_OF_MANY, _OF_FEW = Fraction(2), Fraction(4, 3)
"""Average numbers of documents of a case in which they are to be the majority, and of another case."""
_NEWEST = 0.7
"""Share of the documents of noise that are newer than all true ones."""
_NAMESAKES = 4
"""Number of attractions with a case for each one that also has a namesake."""

Style: TypeAlias = Literal["season", "expired", "replaced", "partner", "altered"]
_STYLES: tuple[Style, ...] = ("season", "season", "expired", "expired", "replaced", "partner", "altered")
_OF_A_DAY: tuple[Style, ...] = ("replaced", "replaced", "replaced", "partner", "altered")
"""Styles of a page about one day, which cannot be in force on other days only."""
_OF_LISTS: tuple[Style, ...] = ("season", "expired", "replaced", "partner")
_Kind: TypeAlias = Literal["sight", "table", "hotel", "namesake"]
_TURNS: tuple[_Kind, ...] = ("sight", "table", "sight", "hotel", "table", "sight", "table", "namesake")
"""Order in which cases of the kinds take the available room."""
_Voice: TypeAlias = Literal["official", "portal", "blog", "news"]
_Source: TypeAlias = tuple[Provenance, DocumentDraft | None]
"""Provenance of a document, and the document that it passes on."""
_ELSEWHERE = {"CNY": ("Linjiang", "Shanhai", "Pingyuan")}
_ELSEWHERE_ELSE = ("Springfield", "Riverton", "Fairview")
"""Cities to which no trip goes, in countries without their own list."""
CHINESE_ELSEWHERE = {
    "Linjiang": "临江", "Shanhai": "山海", "Pingyuan": "平原",
    "Springfield": "斯普林菲尔德", "Riverton": "里弗顿", "Fairview": "费尔维尤",
}  # fmt: skip
"""Chinese names of cities to which no trip goes."""


@dataclass(slots=True)
class _DatedDraft(DocumentDraft):
    """A draft whose day is set before it is written."""

    on: date = date(2025, 1, 1)

    def dated(self, first: date, last: date) -> None:  # noqa: ARG002 signature of `DocumentDraft.dated`
        """Set the fixed day."""
        self.published = self.on


@dataclass(frozen=True, slots=True)
class _Case:
    """A case of altered facts.

    Attributes:
        city: city of the subject.
        owner: name of the operator.
        wrong: facts that documents contradict.
        others: voices of the following documents; those that state all facts occur more often.
        write: writer of a page about the altered facts in a voice.
        styles: styles of the leading document.
        basis: basis of the operator.
        true: whether nothing is altered: a true page of a sort of which others are false.
    """

    city: str
    owner: str
    wrong: frozenset[Fact]
    others: tuple[_Voice, ...]
    write: Callable[[DocumentDraft, _Voice], None]
    styles: tuple[Style, ...] = _STYLES
    basis: Basis = "operator"
    true: bool = False


def add_noise(
    base: FactBase,
    drafts: list[DocumentDraft],
    stated: int,
    seed: int,
    level: float,
    *,
    clean: bool = False,
    services: int = MOST_ON_A_PAGE,
) -> None:
    """Replace documents by others that contradict facts.

    Args:
        base: facts.
        drafts: signed drafts of the corpus.
        stated: number of drafts at the start that state every fact; they stay.
        seed: seed of the choices.
        level: share of the subjects that get a case; fewer do if there is no room.
        clean: whether to keep only the true lists of the written documents.
        services: maximal number of services on a page of the timetable.
    """
    if level > 0:
        before = list(drafts)
        _Noise(base, drafts, stated, seed, level, services).run()
        if clean:
            drafts[:] = [old if new.misleads else new for old, new in zip(before, drafts, strict=True)]


class _Noise:
    def __init__(
        self, base: FactBase, drafts: list[DocumentDraft], stated: int, seed: int, level: float, services: int
    ) -> None:
        self.base = base
        self.drafts = drafts
        self.stated = stated
        self.seed = seed
        self.level = level
        self.first, self.last = window_of(base)
        self.truths = truths_of(base)
        self._landmarks = Neighbours((*base.attractions, *base.pois))
        self.places = [n for n in range(stated, len(drafts)) if _is_replaceable(drafts[n])]
        random.Random(f"{seed}|noise|places").shuffle(self.places)
        del self.places[int(len(self.places) * _ROOM) :]
        pages = by_direction(base.services, services)
        subjects = round(level * (len(base.attractions) + len(base.hotels) + len(pages)))
        # if there are few documents for many facts, cases of one document each reach more facts
        room = (
            (Fraction(len(self.places), subjects) - _OF_FEW) / (_OF_MANY - _OF_FEW)
            if subjects
            else Fraction(1)
        )
        self.outnumbered = min(_OUTNUMBERED, max(0.0, float(room)))
        self.pages = pages
        self.stating: dict[Fact, set[int]] = defaultdict(set)  # documents that truly state each fact
        for number, draft in enumerate(drafts):
            for *fact, _, true in draft.claims:
                if true and not draft.misleads:
                    self.stating[fact[0], fact[1], fact[2]].add(number)

    def run(self) -> None:
        """Write case after case while there is room."""
        cases: dict[_Kind, Iterator[_Case]] = {
            "sight": self._sights() if self.outnumbered == _OUTNUMBERED else self._lists(), "table": self._tables(), "hotel": self._hotels(), "namesake": self._namesakes(),
        }  # fmt: skip
        turn = 0
        while self.places and cases:
            kind = _TURNS[turn % len(_TURNS)]
            turn += 1
            case = next(cases[kind], None) if kind in cases else None
            if case is None:
                cases.pop(kind, None)
            else:
                self._write(case, random.Random(f"{self.seed}|noise|{turn}"), alone=kind == "namesake")

    # ------------------------------------------------------------------ a case

    def _write(self, case: _Case, chance: random.Random, *, alone: bool) -> None:
        """Write the documents of a case: a leading one and its followers."""
        if case.true:
            draft = self._draft(case, "portal", chance)
            draft.kind = "attraction"
            draft.source = Provenance(
                case.owner, case.basis, self.first - timedelta(days=chance.randrange(5, 120))
            )
            return
        count = 1 if alone else self._count(case, chance)
        lead: DocumentDraft | None = None
        voice: _Voice = "official"
        for _ in range(min(count, len(self.places))):
            if lead is not None:
                (source, passed_on), voice = self._following(case, lead, chance), chance.choice(case.others)
            elif alone:  # a namesake's own notice is in force: it is of another city
                source, passed_on = Provenance(case.owner, "operator", self.first - timedelta(days=30)), None
            else:
                source, passed_on = self._leading(case, chance)
            draft = self._draft(case, voice, chance)
            draft.source, draft.passed_on = source, passed_on
            lead = lead or draft

    def _count(self, case: _Case, chance: random.Random) -> int:
        """Return the number of documents; 0 if there is nothing to contradict."""
        counts = sorted(len(self.stating[fact]) for fact in case.wrong)
        if not counts or not counts[-1]:
            return 0
        # a list of several places is to outnumber the truth on most of them
        many, share = (
            (counts[-1], self.outnumbered)
            if case.basis == "operator"
            else (counts[len(counts) // 2], _OUTNUMBERED)
        )
        return min(many + 1, _MOST_DOCUMENTS) if chance.random() < share else chance.choice((1, 1, 2))

    def _draft(self, case: _Case, voice: _Voice, chance: random.Random) -> DocumentDraft:
        """Write a document of noise in the place of another."""
        at = self.places.pop()
        for *fact, _, _ in self.drafts[at].claims:
            self.stating[fact[0], fact[1], fact[2]].discard(at)
        newest = chance.random() < _NEWEST
        day = self.first - timedelta(days=chance.randrange(1, 5) if newest else chance.randrange(30, 500))
        own = random.Random(f"{self.seed}|noise|{at}|page")
        draft = self._page(case, voice, own, day)
        if not case.true and all(true for *_, true in draft.claims):
            draft = self._page(case, "portal", own, day)  # a portal states all facts
        self.drafts[at] = draft
        return draft

    def _page(self, case: _Case, voice: _Voice, own: random.Random, day: date) -> DocumentDraft:
        """Write a page of a case, and mark its claims as true or false."""
        draft = _DatedDraft(
            "misleading", case.city, "", own, self.base.currency, on=day, misleads=not case.true
        )
        case.write(draft, voice)
        draft.claims = [
            (*claim[:4], claim[3] in self.truths.get((claim[0], claim[1], claim[2]), ()))
            for claim in draft.claims
        ]
        return draft

    def _leading(self, case: _Case, chance: random.Random) -> _Source:
        """Return the provenance of the leading document."""
        best = self._best(case)
        style = chance.choice(case.styles)
        match style:
            case "season":
                return Provenance(
                    case.owner, "operator", self.last + timedelta(days=chance.randrange(10, 60))
                ), None
            case "expired":
                until = self.first - timedelta(days=chance.randrange(3, 40))
                since = until - timedelta(days=chance.randrange(90, 200))
                return Provenance(case.owner, case.basis, since, until), None
            case "replaced" if best is not None and best.source is not None:
                basis = best.source.basis
                publisher = case.owner if basis == "operator" else chance.choice(AGENCIES)
                return Provenance(
                    publisher, basis, self.first - timedelta(days=chance.randrange(200, 700))
                ), None
            case "altered" if best is not None:
                return Provenance(chance.choice(AGENCIES), "reprint"), best
            case "partner" | "replaced" | "altered":
                return Provenance(f"{case.owner}, official partner", "unnamed"), None
            case _:
                assert_never(style)

    def _following(self, case: _Case, lead: DocumentDraft, chance: random.Random) -> _Source:
        """Return the provenance of a document that repeats another."""
        publisher, kind = chance.choice(AGENCIES + WRITERS), chance.random()
        if kind < 0.6:
            return Provenance(publisher, "reprint"), lead
        if kind < 0.75 and (best := self._best(case)) is not None:
            return Provenance(publisher, "reprint"), best
        return Provenance(publisher, chance.choice(("hearsay", "visit", "unnamed"))), None

    def _best(self, case: _Case) -> DocumentDraft | None:
        """Return a lasting document that states all altered facts: an operator's notice, or else an entry."""
        stating = set.intersection(*(self.stating[fact] for fact in case.wrong)) if case.wrong else set()
        candidates = [self.drafts[number] for number in sorted(stating) if number < self.stated]
        for basis in ("operator", "register"):
            for draft in candidates:
                if draft.source is not None and draft.source.basis == basis:
                    return draft
        return None

    # ------------------------------------------------------------------ subjects

    def _chosen(self, kind: str, count: int, share: float) -> list[tuple[int, random.Random]]:
        """Return the subjects of a kind that get a case, each with the source of its alterations."""
        order = list(range(count))
        random.Random(f"{self.seed}|noise|{kind}").shuffle(order)
        return [(n, random.Random(f"{self.seed}|noise|{kind}|{n}")) for n in order[: round(count * share)]]

    def _sights(self) -> Iterator[_Case]:
        for number, chance in self._chosen("sight", len(self.base.attractions), self.level):
            sight = self.base.attractions[number]
            yield self._of_sight(sight, _other_sight(sight, chance))

    def _lists(self) -> Iterator[_Case]:
        """Yield lists of several attractions, false and true ones, for want of room for single pages."""
        cities: dict[str, list[Attraction]] = defaultdict(list)
        for sight in self.base.attractions:
            cities[sight.city].append(sight)
        groups: list[list[Attraction]] = []
        for city, sights in cities.items():
            random.Random(f"{self.seed}|noise|list|{city}").shuffle(sights)
            groups += [sights[at : at + ON_A_LIST] for at in range(0, len(sights), ON_A_LIST)]
        false = {number for number, _ in self._chosen("list", len(groups), self.level)}
        for number, chance in self._chosen("lists", len(groups), 1):
            yield self._of_list(groups[number], chance, true=number not in false)

    def _of_list(self, sights: list[Attraction], chance: random.Random, *, true: bool) -> _Case:
        city = sights[0].city
        others = sights if true else [_other_sight(sight, chance) for sight in sights]

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_price_list(draft, others)
            draft.origin = "official site" if voice == "official" else draft.origin

        wrong = self._wrong(value for sight in others for value in sight_values(sight))
        return _Case(
            city, f"Tourist office of {city}", wrong, ("portal",), write, _OF_LISTS, "register", true
        )

    def _namesakes(self) -> Iterator[_Case]:
        cities = {place.city for place in self.base.places}
        elsewhere = [c for c in _ELSEWHERE.get(self.base.currency, _ELSEWHERE_ELSE) if c not in cities]
        for number, chance in self._chosen("namesake", len(self.base.attractions), self.level / _NAMESAKES):
            sight = self.base.attractions[number]
            # a name that contains its city would reveal the namesake
            if elsewhere and not any(city.lower() in sight.name.lower() for city in cities):
                far = replace(
                    _other_sight(sight, chance),
                    city=chance.choice(elsewhere),
                    address=f"{chance.randint(2, 90)} Station Road",
                )
                yield self._of_sight(sight, far)

    def _of_sight(self, sight: Attraction, other: Attraction) -> _Case:
        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_attraction(draft, other, voice)

        return _Case(
            other.city, sight.name, self._wrong(sight_values(other)), ("portal", "portal", "portal", "official", "news", "blog"), write
        )  # fmt: skip

    def _hotels(self) -> Iterator[_Case]:
        for number, chance in self._chosen("hotel", len(self.base.hotels), self.level):
            yield self._of_hotel(self.base.hotels[number], chance)

    def _of_hotel(self, hotel: Hotel, chance: random.Random) -> _Case:
        other = replace(hotel, rooms=tuple(_other_room(room, chance) for room in hotel.rooms))
        near = self._landmarks.nearest(hotel, 3)

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_hotel(draft, other, "portal" if voice == "news" else voice, near)

        return _Case(
            hotel.city, hotel.name, self._wrong(hotel_values(other)), ("portal", "portal", "blog"), write
        )

    def _tables(self) -> Iterator[_Case]:
        for number, chance in self._chosen("table", len(self.pages), self.level):
            yield self._of_page(self.pages[number], chance)

    def _of_page(self, page: Timetable, chance: random.Random) -> _Case:
        first = page.services[0]
        train = first.vehicle == "train"
        other = replace(page, services=tuple(_other_service(service, chance) for service in page.services))
        voices = ("railway timetable", "station notice") if train else ("airport timetable", "airline site")

        def write(draft: DocumentDraft, voice: _Voice) -> None:
            write_timetable(draft, other)
            draft.origin = draft.pick(voices) if voice == "official" else "booking portal"

        owner = RAILWAY if train else airport(first.origin_city)
        values = (value for service in other.services for value in service_values(service))
        return _Case(
            first.origin_city, owner, self._wrong(values), ("portal", "portal", "official"), write, _OF_A_DAY
        )

    def _wrong(self, values: Iterable[tuple[Fact, str]]) -> frozenset[Fact]:
        """Return the facts of the base that the values contradict."""
        return frozenset(
            fact for fact, value in values if fact in self.truths and value not in self.truths[fact]
        )


def _is_replaceable(draft: DocumentDraft) -> bool:
    """Return whether a document may be replaced.

    Misleading documents, corrections and guides to many places stay.
    """
    return (
        not draft.misleads
        and draft.kind != "guide"
        and all(
            true and (field, value) != ("existence", "false") for _, _, field, value, true in draft.claims
        )
    )


# ---------------------------------------------------------------------- altered facts


def _other_sight(sight: Attraction, chance: random.Random) -> Attraction:
    """Alter at least two of an attraction's price, hours, closing days and duration of a visit."""
    parts = [
        part
        for part, share in (("ticket", 0.85), ("hours", 0.75), ("closed", 0.6), ("visit", 0.65))
        if chance.random() < share
    ]
    if len(parts) < 2:
        parts = ["ticket", "hours", "visit"]
    if "ticket" in parts:
        sight = replace(sight, ticket=_other_price(sight.ticket, chance))
    if "hours" in parts:
        opens = chance.choice([minute for minute in range(420, 661, 30) if minute != sight.opens])
        closes = chance.choice([minute for minute in range(960, 1321, 30) if minute != sight.closes])
        sight = replace(sight, opens=opens, closes=closes)
    if "closed" in parts:
        closed = chance.choice(
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
        least, most = chance.choice(spans)
        sight = replace(sight, least=least, most=most)
    return sight


def _other_room(room: Room, chance: random.Random) -> Room:
    return replace(
        room, price=_other_price(room.price, chance), breakfast=room.breakfast != (chance.random() < 0.5)
    )


def _other_service(service: Service, chance: random.Random) -> Service:
    """Shift a train or flight by some minutes, and possibly alter its price."""
    shift = chance.choice([minutes for minutes in range(-40, 45, 5) if minutes])
    stretch = chance.choice((-10, -5, 0, 0, 5, 10))
    depart, arrive = service.depart + shift, service.arrive + shift + stretch
    if depart < 0 or arrive >= DAY or arrive <= depart:
        depart, arrive = service.depart, max(service.depart + 1, service.arrive - 1)
    price = _other_price(service.price, chance) if chance.random() < 0.7 else service.price
    return replace(service, depart=depart, arrive=arrive, price=price)


def _other_price(right: int, chance: random.Random) -> int:
    """Draw a plausible price other than this one."""
    if right == 0:
        return chance.choice((5, 8, 10, 15, 20, 30))
    step = 10 if right >= 200 else 5 if right >= 40 else 1
    price = max(
        1, right * chance.choice((60, 70, 75, 80, 85, 90, 110, 115, 120, 130, 150)) // 100 // step * step
    )
    return price if price != right else right + step
