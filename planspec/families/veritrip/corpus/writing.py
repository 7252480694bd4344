"""Writing of a corpus from a fact base: the documents, their order and their numbers."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, TypeVar, get_args

from planspec.families.veritrip.corpus import misleading_pages as lies
from planspec.families.veritrip.corpus.attraction_pages import SightVoice, write_attraction
from planspec.families.veritrip.corpus.chinese_pages import ChineseWriter
from planspec.families.veritrip.corpus.chinese_words import ChineseWords
from planspec.families.veritrip.corpus.comments import Wrong, write_comment, write_wrong_comment, wrongs
from planspec.families.veritrip.corpus.dining_pages import DiningVoice, write_restaurant
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import FORUM
from planspec.families.veritrip.corpus.guide_pages import GuideTown, write_guide
from planspec.families.veritrip.corpus.listing_pages import write_hotel_list, write_restaurant_list
from planspec.families.veritrip.corpus.lodging_pages import LodgingVoice as HotelVoice
from planspec.families.veritrip.corpus.lodging_pages import write_hotel
from planspec.families.veritrip.corpus.nearby import Neighbours
from planspec.families.veritrip.corpus.noise import add_noise
from planspec.families.veritrip.corpus.poi_pages import MOST_ON_A_PAGE as ROUND_UP
from planspec.families.veritrip.corpus.poi_pages import round_ups, write_poi, write_round_up
from planspec.families.veritrip.corpus.records import Corpus, DocumentKind
from planspec.families.veritrip.corpus.signing import print_imprints, sign
from planspec.families.veritrip.corpus.transport_pages import MOST_ON_A_PAGE as TIMETABLE
from planspec.families.veritrip.corpus.transport_pages import by_direction, by_station, write_timetable
from planspec.families.veritrip.corpus.trust import window_of
from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase, Hotel, Restaurant
from planspec.families.veritrip.noise_level import NOISE
from planspec.suite_writing.options import UnsuitableSuiteError

Sort: TypeAlias = Literal[
    "attraction",
    "guide",
    "comment",
    "restaurant",
    "accommodation",
    "poi",
    "transport",
    "misleading",
    "wrong comment",
]

_SHARES: dict[Sort, int] = {
    "attraction": 15,
    "guide": 18,
    "comment": 25,
    "restaurant": 12,
    "accommodation": 11,
    "poi": 7,
    "transport": 4,
    "misleading": 10,
    "wrong comment": 4,
}
"""Shares of the documents beyond those that state every fact once."""

_TRIES = 50
"""Number of places tried for a contradiction before a document without any takes its place."""

T = TypeVar("T")
P = TypeVar("P", bound=AnyPlace)


@dataclass(frozen=True, slots=True)
class PageSizes:
    """Sizes of the pages that state every fact.

    Attributes:
        services: services of a timetable.
        pois: places of a round-up.
        hotels: hotels of a list; 1 gives each a page of its own.
        restaurants: restaurants of a list; 1 gives each a page of its own.
        own_pages: number of hotels, and half the number of restaurants, of a city that have pages of their
            own anyway.
    """

    services: int = TIMETABLE
    pois: int = ROUND_UP
    hotels: int = 1
    restaurants: int = 1
    own_pages: int = 0


SMALL = PageSizes()
LARGE = PageSizes(services=30, pois=14, hotels=6, restaurants=14, own_pages=12)
"""Sizes for large fact bases, whose rows outnumber the documents by nine to one."""


def least_size(base: FactBase, pages: PageSizes = SMALL) -> int:
    """Return the number of documents needed to state every fact once."""
    hotels, restaurants = _listed_places(base, pages)
    return (
        len(by_direction(base.services, pages.services))
        + len(base.attractions)
        + len(hotels)
        + len(restaurants)
        + len(round_ups(base.pois, pages.pois))
    )


def _listed_places(
    base: FactBase, pages: PageSizes
) -> tuple[list[tuple[Hotel, ...]], list[tuple[Restaurant, ...]]]:
    """Return the hotels and the restaurants of each page."""
    return (
        _in_lists(base.hotels, pages.hotels, pages.own_pages),
        _in_lists(base.restaurants, pages.restaurants, 2 * pages.own_pages),
    )


def _in_lists(places: Sequence[P], size: int, own: int) -> list[tuple[P, ...]]:
    if size == 1:
        return [(place,) for place in places]
    cities: dict[str, list[P]] = defaultdict(list)
    for place in places:
        cities[place.city].append(place)
    alone = [(place,) for members in cities.values() for place in members[:own]]
    rest = [
        tuple(members[at : at + size]) for members in cities.values() for at in range(own, len(members), size)
    ]
    return alone + rest


def write_corpus(
    base: FactBase,
    seed: int,
    size: int,
    clean: bool = False,
    noise: float = NOISE,
    *,
    pages: PageSizes = SMALL,
    chinese: ChineseWords | None = None,
) -> Corpus:
    """Write documents that state every fact of the base truly and contradict some.

    The rule of `trust` finds the truth on each fact. The time is linear in `size`.

    Args:
        base: facts.
        seed: seed; the same base, seed and size give the same corpus, on every machine.
        size: number of documents.
        clean: whether other documents replace the contradicting ones; all others stay the same, numbers
            included.
        noise: share of the attractions, hotels and timetables about which a case of documents misleads.
        pages: sizes of the pages that state every fact.
        chinese: words for a share of pages in Chinese; None for English only.

    Raises:
        UnsuitableSuiteError: `size` is too small to state every fact, or the base is empty.
    """
    writer = _CorpusWriter(base, seed, clean, pages)
    writer.state_all()
    stated = len(writer.drafts)
    if size < len(writer.drafts):
        raise UnsuitableSuiteError(
            f"{size} documents are too few to state every fact: {len(writer.drafts)} is the least size"
        )
    writer.add(size - len(writer.drafts))
    sign(writer.drafts, stated, seed, window_of(base)[0])
    add_noise(base, writer.drafts, stated, seed, noise, clean=clean, services=pages.services)
    if chinese is not None:
        ChineseWriter(chinese).write_share(writer.drafts, seed)
    print_imprints(writer.drafts)
    numbers = list(range(1, size + 1))
    random.Random(f"{seed}|numbers").shuffle(numbers)
    ordered = sorted(zip(numbers, writer.drafts, strict=True), key=lambda pair: pair[0])
    return Corpus(
        tuple(draft.document(number) for number, draft in ordered),
        tuple(statement for number, draft in ordered for statement in draft.statements(number)),
    )


@dataclass(frozen=True, slots=True)
class _Contradictions:
    """Misleading pages that need their own notice, grouped by notice."""

    vanished: Sequence[tuple[str, tuple[str, ...]]]
    moved: Sequence[tuple[str, tuple[tuple[Attraction, str], ...]]]


class _CorpusWriter:
    def __init__(self, base: FactBase, seed: int, clean: bool, pages: PageSizes) -> None:
        self.base = base
        self.pages = pages
        self.seed = seed
        self.clean = clean
        self.drafts: list[DocumentDraft] = []
        self._truths: Counter[tuple[str, str, str]] = Counter()
        self._lies: Counter[tuple[str, str, str]] = Counter()
        self._sights = Neighbours(base.attractions)
        self._landmarks = Neighbours((*base.attractions, *base.pois))

    def state_all(self) -> None:
        """Write the documents that together state every fact."""
        base = self.base
        for number, page in enumerate(by_direction(base.services, self.pages.services)):
            write_timetable(
                self._draft("transport", page.services[0].origin_city, f"direction|{number}"), page
            )
        sight_voices: tuple[SightVoice, ...] = ("official", "official", "portal")
        for number, sight in enumerate(base.attractions):
            draft = self._draft("attraction", sight.city, f"sight|{number}")
            write_attraction(draft, sight, draft.pick(sight_voices))
        hotels, restaurants = _listed_places(base, self.pages)
        hotel_voices: tuple[HotelVoice, ...] = ("official", "portal", "portal")
        for number, beds in enumerate(hotels):
            draft = self._draft("accommodation", beds[0].city, f"hotel|{number}")
            if len(beds) > 1:
                write_hotel_list(draft, beds)
            else:
                write_hotel(draft, beds[0], draft.pick(hotel_voices), self._landmarks.nearest(beds[0], 3))
        dining_voices: tuple[DiningVoice, ...] = ("portal", "portal", "portrait")
        for number, tables in enumerate(restaurants):
            draft = self._draft("restaurant", tables[0].city, f"table|{number}")
            if len(tables) > 1:
                write_restaurant_list(draft, tables)
            else:
                write_restaurant(draft, tables[0], draft.pick(dining_voices))
        for number, group in enumerate(round_ups(base.pois, self.pages.pois)):
            write_round_up(self._draft("poi", group[0].city, f"round-up|{number}"), group)

    def add(self, count: int) -> None:
        """Write further documents, of all sorts for which the base has a subject."""
        if count == 0:
            return
        boards = by_station(self.base.services, self.pages.services)
        subjects: dict[Sort, int] = {
            "attraction": len(self.base.attractions),
            "guide": len(self.base.attractions),
            "comment": len(self.base.places),
            "restaurant": len(self.base.restaurants),
            "accommodation": len(self.base.hotels),
            "poi": len(self.base.pois),
            "transport": len(boards),
            "misleading": len(self.base.attractions),
            "wrong comment": sum(1 for place in self.base.places if wrongs(place)),
        }
        counts = _shared(count, {sort: _SHARES[sort] for sort in get_args(Sort) if subjects[sort]})
        contradictions = self._contradictions(counts["misleading"], counts["attraction"])
        notices = len(contradictions.vanished) + len(contradictions.moved)
        for number, page in self._turns("transport", boards, counts["transport"]):
            write_timetable(self._draft("transport", page.services[0].origin_city, f"board|{number}"), page)
        voices: tuple[SightVoice, ...] = ("blog", "portal", "blog", "news")
        for number, sight in self._turns("attraction", self.base.attractions, counts["attraction"] - notices):
            voice = voices[(number + number // len(self.base.attractions)) % len(voices)]
            write_attraction(self._draft("attraction", sight.city, f"more sight|{number}"), sight, voice)
        hotel_voices: tuple[HotelVoice, ...] = ("blog", "portal", "blog")
        for number, hotel in self._turns("accommodation", self.base.hotels, counts["accommodation"]):
            voice_of_hotel = hotel_voices[(number + number // len(self.base.hotels)) % len(hotel_voices)]
            draft = self._draft("accommodation", hotel.city, f"more hotel|{number}")
            write_hotel(draft, hotel, voice_of_hotel, self._landmarks.nearest(hotel, 3))
        dining_voices: tuple[DiningVoice, ...] = ("blog", "portrait", "blog")
        for number, place in self._turns("restaurant", self.base.restaurants, counts["restaurant"]):
            voice_of_table = dining_voices[
                (number + number // len(self.base.restaurants)) % len(dining_voices)
            ]
            write_restaurant(
                self._draft("restaurant", place.city, f"more table|{number}"), place, voice_of_table
            )
        for number, poi in self._turns("poi", self.base.pois, counts["poi"]):
            write_poi(self._draft("poi", poi.city, f"poi|{number}"), poi, self._sights.nearest(poi, 2))
        for number, town in self._turns("guide", self._towns(), counts["guide"]):
            write_guide(self._draft("guide", town.city, f"guide|{number}"), town)
        for number, spot in self._turns("comment", self.base.places, counts["comment"]):
            write_comment(self._draft("comment", spot.city, f"comment|{number}"), spot)
        for number, (city, names) in enumerate(contradictions.vanished):
            lies.write_vanished_notice(
                self._draft("attraction", city, f"vanished notice|{number}"), names, city
            )
        for number, (city, cases) in enumerate(contradictions.moved):
            lies.write_moved_notice(self._draft("attraction", city, f"moved notice|{number}"), cases, city)
        self._make_distinct()
        for draft in self.drafts:
            self._truths.update({claim[:3] for claim in draft.claims if claim[4]})
        self._mislead(counts["misleading"], contradictions)
        self._comment_wrongly(counts["wrong comment"])

    def _make_distinct(self) -> None:
        """Lengthen documents that repeat an earlier one: short posts on one place may be equal."""
        seen: set[str] = set()
        for draft in self.drafts:
            words = 0
            while draft.text() in seen and words < draft.words():
                words = draft.words()
                draft.fill(FORUM, words + 12)
            seen.add(draft.text())

    def _draft(self, kind: DocumentKind, city: str, key: str) -> DocumentDraft:
        """Append a new draft; the key determines its choices."""
        draft = DocumentDraft(kind, city, "", random.Random(f"{self.seed}|{key}"), self.base.currency)
        self.drafts.append(draft)
        return draft

    def _turns(self, name: str, items: Sequence[T], count: int) -> list[tuple[int, T]]:
        """Return `count` numbered items, each as often as the others, in an order drawn by the seed."""
        order = list(items)
        random.Random(f"{self.seed}|{name}").shuffle(order)
        return [(number, order[number % len(order)]) for number in range(count)]

    def _towns(self) -> list[GuideTown]:
        sights, tables, beds = defaultdict(list), defaultdict(list), defaultdict(list)
        for sight in self.base.attractions:
            sights[sight.city].append(sight)
        for table in self.base.restaurants:
            tables[table.city].append(table)
        for bed in self.base.hotels:
            beds[bed.city].append(bed)
        return [
            GuideTown(city, city_sights, tables[city], beds[city]) for city, city_sights in sights.items()
        ]

    def _contradictions(self, pages: int, most_notices: int) -> _Contradictions:
        """Return the invented and the moved places, on about 3 of 10 misleading pages."""
        vanished = _grouped(
            [(city, name) for name, city in lies.vanished(self.base, self.seed)[: pages * 15 // 100]]
        )
        moved = _grouped([(case[1], case) for case in lies.moved(self.base, self.seed)[: pages * 15 // 100]])
        vanished = vanished[: most_notices // 2]
        return _Contradictions(vanished, moved[: most_notices - len(vanished)])

    def _mislead(self, count: int, contradictions: _Contradictions) -> None:
        sights = self.base.attractions
        vanished = [(name, city) for city, names in contradictions.vanished for name in names]
        for number, (name, city) in enumerate(vanished):
            draft = self._draft("misleading", city, f"vanished|{number}")
            write = partial(lies.write_vanished, name=name, city=city)
            self._mislead_about(draft, sights[number % len(sights)], write)
        moved = [case for _, cases in contradictions.moved for case in cases]
        for number, (sight, city) in enumerate(moved):
            draft = self._draft("misleading", city, f"moved|{number}")
            self._mislead_about(draft, sight, partial(lies.write_moved, sight=sight, city=city))
        order = [sight for _, sight in self._turns("misleading", sights, len(sights))]
        at = 0
        for number in range(count - len(vanished) - len(moved)):
            draft = self._draft("misleading", "", f"misleading|{number}")
            form = draft.pick(("outdated",) * 5 + ("exaggeration",) * 3 + ("rumour",))
            at, sight, free = self._next(order, at, partial(_parts, form=form))
            draft.city = sight.city
            if not free:
                draft.kind = "attraction"
                lies.write_neutral(draft, sight)
            elif form == "outdated":
                chosen = draft.chance.sample(free, min(len(free), draft.pick((1, 2, 2))))
                self._mislead_about(draft, sight, partial(lies.write_outdated, sight=sight, parts=chosen))
            elif form == "exaggeration":
                part = draft.pick(free)
                self._mislead_about(draft, sight, partial(lies.write_exaggeration, sight=sight, part=part))
            else:
                self._mislead_about(draft, sight, partial(lies.write_rumour, sight=sight))

    def _comment_wrongly(self, count: int) -> None:
        places = [place for place in self.base.places if wrongs(place)]
        order = [place for _, place in self._turns("wrong comment", places, len(places))]
        at = 0
        for number in range(count):
            at, place, free = self._next(order, at, _errors)
            draft = self._draft("comment", place.city, f"wrong comment|{number}")
            rightly = partial(write_comment, place=place)
            if free:
                wrongly = partial(write_wrong_comment, place=place, wrong=draft.pick(free))
                self._contradict(draft, wrongly, rightly)
            else:
                rightly(draft)

    def _next(
        self, order: Sequence[P], at: int, options: Callable[[P], Sequence[tuple[T, tuple[str, ...]]]]
    ) -> tuple[int, P, list[T]]:
        """Find the next place, from `at` on, about which one more document may be wrong.

        Args:
            order: order of the places; it starts again at its end.
            at: start.
            options: possible errors about a place, each with the fields of its facts.

        Returns:
            The next start, the place, and its remaining options; these are empty if no place in reach has
            any.
        """
        for step in range(_TRIES):
            place = order[(at + step) % len(order)]
            free = [
                option
                for option, fields in options(place)
                if all(self._lies[fact] < self._truths[fact] for fact in _facts(place, fields))
            ]
            if free:
                return at + step + 1, place, free
        return at + _TRIES, order[at % len(order)], []

    def _mislead_about(
        self, draft: DocumentDraft, sight: Attraction, write: Callable[[DocumentDraft], None]
    ) -> None:
        self._contradict(draft, write, partial(lies.write_neutral, sight=sight))
        if self.clean:
            draft.kind = "attraction"
            draft.city = sight.city

    def _contradict(
        self,
        draft: DocumentDraft,
        wrongly: Callable[[DocumentDraft], None],
        neutrally: Callable[[DocumentDraft], None],
    ) -> None:
        """Write a document wrongly; in a clean corpus, write it again without the contradiction.

        The false claims of the first version are counted in both cases, so that later choices are the same.
        """
        wrongly(draft)
        draft.misleads = True
        self._lies.update({claim[:3] for claim in draft.claims if not claim[4]})
        if self.clean:
            draft.title, draft.blocks, draft.claims = "", [], []
            neutrally(draft)


def _shared(count: int, weights: dict[Sort, int]) -> Counter[Sort]:
    """Split a number in the proportion of the weights, by largest remainders."""
    if not weights:
        raise UnsuitableSuiteError("the fact base is empty: there is nothing to write about")
    whole = sum(weights.values())
    parts: Counter[Sort] = Counter({sort: count * weight // whole for sort, weight in weights.items()})
    rests = sorted(weights, key=lambda sort: -(count * weights[sort] % whole))
    for sort in rests[: count - parts.total()]:
        parts[sort] += 1
    return parts


def _errors(place: AnyPlace) -> list[tuple[Wrong, tuple[str, ...]]]:
    return [(wrong, (field,)) for wrong, field in wrongs(place)]


def _parts(_sight: Attraction, form: str) -> list[tuple[lies.MisledPart, tuple[str, ...]]]:
    parts: tuple[lies.MisledPart, ...]
    match form:
        case "outdated":
            parts = ("ticket", "hours", "closed_on")
        case "exaggeration":
            parts = ("visit", "ticket")
        case _:
            parts = ("existence",)
    return [(part, lies.FIELDS[part]) for part in parts]


def _facts(place: AnyPlace, fields: Sequence[str]) -> list[tuple[str, str, str]]:
    return [(place.name, place.city, field) for field in fields]


def _grouped(pairs: Sequence[tuple[str, T]]) -> list[tuple[str, tuple[T, ...]]]:
    """Return the items of each city in groups of the size of a notice."""
    cities: dict[str, list[T]] = defaultdict(list)
    for city, item in pairs:
        cities[city].append(item)
    size = lies.ON_A_NOTICE
    return [
        (city, tuple(items[at : at + size]))
        for city, items in cities.items()
        for at in range(0, len(items), size)
    ]
