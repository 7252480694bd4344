"""Noise that takes thought: documents that contradict facts, newer than the truth, in the majority, or with an official look.

Each case is about one attraction, one hotel, or the trains or flights of one page of the timetable: some of its facts get
false values, a leading document states them, and others follow it. Each document is written by the writer of the true pages
about altered facts, so that what is left as it was makes it half true. What gives a case away is its provenance:

- `season`: the operator's notice for a time after the trips;
- `expired`: the operator's notice for a time before them;
- `replaced`: a notice or an entry that a later one has replaced;
- `partner`: a page with an official look that names no basis;
- `altered`: a reprint that does not say what the page says that it names.

Namesakes are places of the same name in a city to which no trip goes, with facts of their own.

A document of noise takes the place of one that states nothing which is not stated elsewhere, too; a clean corpus has that one. So
both have the same number of documents, and differ in nothing else.
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
"""The largest share of the documents that can make room which do."""
_MOST_DOCUMENTS = 60
"""The most documents of a case."""
_OUTNUMBERED = 0.75
"""The share of the cases in which the false documents are to be more than the true ones, where there is room."""
_OF_MANY, _OF_FEW = Fraction(2), Fraction(4, 3)
"""How many documents a case takes on average in which they are to be more, and one in which they are not."""
_NEWEST = 0.7
"""The share of the documents of noise that are newer than all true ones."""
_NAMESAKES = 4
"""One of so many attractions with a case has a namesake, too."""

Style: TypeAlias = Literal["season", "expired", "replaced", "partner", "altered"]
_STYLES: tuple[Style, ...] = ("season", "season", "expired", "expired", "replaced", "partner", "altered")
_OF_A_DAY: tuple[Style, ...] = ("replaced", "replaced", "replaced", "partner", "altered")
"""Those of a page about one day, which cannot be in force on others alone."""
_OF_LISTS: tuple[Style, ...] = ("season", "expired", "replaced", "partner")
_Kind: TypeAlias = Literal["sight", "table", "hotel", "namesake"]
_TURNS: tuple[_Kind, ...] = ("sight", "table", "sight", "hotel", "table", "sight", "table", "namesake")
"""The order in which cases of the kinds take the room that there is."""
_Voice: TypeAlias = Literal["official", "portal", "blog", "news"]
_Source: TypeAlias = tuple[Provenance, DocumentDraft | None]
"""The provenance of a document, and what it passes on."""
_ELSEWHERE = {"CNY": ("Linjiang", "Shanhai", "Pingyuan")}
_ELSEWHERE_ELSE = ("Springfield", "Riverton", "Fairview")
"""Cities to which no trip goes."""
CHINESE_ELSEWHERE = {
    "Linjiang": "临江", "Shanhai": "山海", "Pingyuan": "平原",
    "Springfield": "斯普林菲尔德", "Riverton": "里弗顿", "Fairview": "费尔维尤",
}  # fmt: skip
"""Their Chinese names."""


@dataclass(slots=True)
class _DatedDraft(DocumentDraft):
    """A draft whose day is set before it is written."""

    on: date = date(2025, 1, 1)

    def dated(self, first: date, last: date) -> None:  # noqa: ARG002 of drafts whose day is drawn
        """Keeps its day."""
        self.published = self.on


@dataclass(frozen=True, slots=True)
class _Case:
    """What is altered.

    Attributes:
        city: of the subject.
        owner: the name of whoever runs it.
        wrong: the facts that documents contradict.
        others: the voices of the documents that follow; those that state all facts more often than others.
        write: a page about the altered facts in a voice.
        styles: of the document that leads.
        basis: of whoever runs it.
        true: nothing is altered: a true page of a sort of which others are false.
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
    """Put documents that contradict facts in the place of others.

    Args:
        base: the facts.
        drafts: of the corpus, all signed.
        stated: the first so many state every fact; they stay.
        seed: of the choices.
        level: the share of the subjects that get a case; fewer do where there is no room.
        clean: keep of what is written only the lists that are true.
        services: on a page of the timetable at most.
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
        self.places = [n for n in range(stated, len(drafts)) if _may_go(drafts[n])]
        random.Random(f"{seed}|noise|places").shuffle(self.places)
        del self.places[int(len(self.places) * _ROOM) :]
        pages = by_direction(base.services, services)
        subjects = round(level * (len(base.attractions) + len(base.hotels) + len(pages)))
        # where there are few documents for many facts, cases of one document each reach more of these
        room = (
            (Fraction(len(self.places), subjects) - _OF_FEW) / (_OF_MANY - _OF_FEW)
            if subjects
            else Fraction(1)
        )
        self.outnumbered = min(_OUTNUMBERED, max(0.0, float(room)))
        self.pages = pages
        self.telling: dict[Fact, set[int]] = defaultdict(set)  # the documents that truly state each fact
        for number, draft in enumerate(drafts):
            for *fact, _, true in draft.claims:
                if true and not draft.misleads:
                    self.telling[fact[0], fact[1], fact[2]].add(number)

    def run(self) -> None:
        """Write case after case while there is room."""
        cases: dict[_Kind, Iterator[_Case]] = {
            "sight": self._sights() if self.outnumbered == _OUTNUMBERED else self._lists(), "table": self._tables(), "hotel": self._hotels(), "namesake": self._namesakes(),
        }  # fmt: skip
        turn = 0
        while self.places and cases:
            kind = _TURNS[turn % len(_TURNS)]
            turn += 1
            made = next(cases[kind], None) if kind in cases else None
            if made is None:
                cases.pop(kind, None)
            else:
                self._write(made, random.Random(f"{self.seed}|noise|{turn}"), alone=kind == "namesake")

    # ------------------------------------------------------------------ a case

    def _write(self, case: _Case, chance: random.Random, *, alone: bool) -> None:
        """Write the documents of a case: one that leads, and others after it."""
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
        """The number of documents: none where there is nothing to contradict."""
        counts = sorted(len(self.telling[fact]) for fact in case.wrong)
        if not counts or not counts[-1]:
            return 0
        # a list of several places outnumbers the truth on most of them
        many, share = (
            (counts[-1], self.outnumbered)
            if case.basis == "operator"
            else (counts[len(counts) // 2], _OUTNUMBERED)
        )
        return min(many + 1, _MOST_DOCUMENTS) if chance.random() < share else chance.choice((1, 1, 2))

    def _draft(self, case: _Case, voice: _Voice, chance: random.Random) -> DocumentDraft:
        """A document of noise, in the place of another."""
        at = self.places.pop()
        for *fact, _, _ in self.drafts[at].claims:
            self.telling[fact[0], fact[1], fact[2]].discard(at)
        newest = chance.random() < _NEWEST
        day = self.first - timedelta(days=chance.randrange(1, 5) if newest else chance.randrange(30, 500))
        own = random.Random(f"{self.seed}|noise|{at}|page")
        draft = self._page(case, voice, own, day)
        if not case.true and all(true for *_, true in draft.claims):
            draft = self._page(case, "portal", own, day)  # which states all
        self.drafts[at] = draft
        return draft

    def _page(self, case: _Case, voice: _Voice, own: random.Random, day: date) -> DocumentDraft:
        """A page of a case, with what is true in it and what is not."""
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
        """The provenance of the document that leads."""
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
        """The provenance of a document that repeats what another one says."""
        publisher, kind = chance.choice(AGENCIES + WRITERS), chance.random()
        if kind < 0.6:
            return Provenance(publisher, "reprint"), lead
        if kind < 0.75 and (best := self._best(case)) is not None:
            return Provenance(publisher, "reprint"), best
        return Provenance(publisher, chance.choice(("hearsay", "visit", "unnamed"))), None

    def _best(self, case: _Case) -> DocumentDraft | None:
        """A document that stays and states all that is altered: a notice of the operator, or else an entry."""
        stating = set.intersection(*(self.telling[fact] for fact in case.wrong)) if case.wrong else set()
        found = [self.drafts[number] for number in sorted(stating) if number < self.stated]
        for basis in ("operator", "register"):
            for draft in found:
                if draft.source is not None and draft.source.basis == basis:
                    return draft
        return None

    # ------------------------------------------------------------------ subjects

    def _chosen(self, kind: str, count: int, share: float) -> list[tuple[int, random.Random]]:
        """The subjects of a kind that get a case, each with the chance by which it is altered."""
        order = list(range(count))
        random.Random(f"{self.seed}|noise|{kind}").shuffle(order)
        return [(n, random.Random(f"{self.seed}|noise|{kind}|{n}")) for n in order[: round(count * share)]]

    def _sights(self) -> Iterator[_Case]:
        for number, chance in self._chosen("sight", len(self.base.attractions), self.level):
            sight = self.base.attractions[number]
            yield self._of_sight(sight, _other_sight(sight, chance))

    def _lists(self) -> Iterator[_Case]:
        """Lists of several attractions of a city, where there is no room for pages on each: false ones, and true ones."""
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
            # a name that holds its city would give the other one away
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
        """The facts of the base that these values contradict."""
        return frozenset(
            fact for fact, value in values if fact in self.truths and value not in self.truths[fact]
        )


def _may_go(draft: DocumentDraft) -> bool:
    """It does not mislead, sets nothing right, and is no guide, which tells of many places."""
    return (
        not draft.misleads
        and draft.kind != "guide"
        and all(
            true and (field, value) != ("existence", "false") for _, _, field, value, true in draft.claims
        )
    )


# ---------------------------------------------------------------------- altered facts


def _other_sight(sight: Attraction, chance: random.Random) -> Attraction:
    """The attraction with other values of at least two of its price, hours, closing days and length of a visit."""
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
    """The train or flight some minutes earlier or later, at another price or not."""
    shift = chance.choice([minutes for minutes in range(-40, 45, 5) if minutes])
    stretch = chance.choice((-10, -5, 0, 0, 5, 10))
    depart, arrive = service.depart + shift, service.arrive + shift + stretch
    if depart < 0 or arrive >= DAY or arrive <= depart:
        depart, arrive = service.depart, max(service.depart + 1, service.arrive - 1)
    price = _other_price(service.price, chance) if chance.random() < 0.7 else service.price
    return replace(service, depart=depart, arrive=arrive, price=price)


def _other_price(right: int, chance: random.Random) -> int:
    """A price that is plausible and not this one."""
    if right == 0:
        return chance.choice((5, 8, 10, 15, 20, 30))
    step = 10 if right >= 200 else 5 if right >= 40 else 1
    price = max(
        1, right * chance.choice((60, 70, 75, 80, 85, 90, 110, 115, 120, 130, 150)) // 100 // step * step
    )
    return price if price != right else right + step
