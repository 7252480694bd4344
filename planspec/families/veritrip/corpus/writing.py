"""Writer of a corpus from a fact base: the documents, their order and their ids."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, TypeVar, get_args

from planspec.families.veritrip.corpus import misleading_pages
from planspec.families.veritrip.corpus.attraction_pages import SightVoice, write_attraction
from planspec.families.veritrip.corpus.chinese_pages import ChineseWriter
from planspec.families.veritrip.corpus.chinese_words import ChineseWords
from planspec.families.veritrip.corpus.comments import (
    WrongFact,
    possible_wrong_facts,
    write_comment,
    write_wrong_comment,
)
from planspec.families.veritrip.corpus.dining_pages import DiningVoice, write_restaurant
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import FORUM
from planspec.families.veritrip.corpus.guide_pages import GuideTown, write_guide
from planspec.families.veritrip.corpus.imprinting import append_closings, assign_provenances
from planspec.families.veritrip.corpus.listing_pages import write_hotel_list, write_restaurant_list
from planspec.families.veritrip.corpus.lodging_pages import LodgingVoice as HotelVoice
from planspec.families.veritrip.corpus.lodging_pages import write_hotel
from planspec.families.veritrip.corpus.nearby import NeighbourSearch
from planspec.families.veritrip.corpus.noise import add_noise
from planspec.families.veritrip.corpus.poi_pages import MOST_ON_A_PAGE as ROUND_UP
from planspec.families.veritrip.corpus.poi_pages import group_for_round_ups, write_poi, write_round_up
from planspec.families.veritrip.corpus.records import Corpus, DocumentKind
from planspec.families.veritrip.corpus.transport_pages import MOST_ON_A_PAGE as TIMETABLE
from planspec.families.veritrip.corpus.transport_pages import (
    pages_by_direction,
    pages_by_station,
    write_timetable,
)
from planspec.families.veritrip.corpus.trust import travel_days
from planspec.families.veritrip.facts import AnyPlace, Attraction, FactBase, Hotel, Restaurant
from planspec.families.veritrip.noise_level import NOISE
from planspec.suite_writing.options import UnsuitableSuiteError

DocumentSort: TypeAlias = Literal[
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

_SORT_WEIGHTS: dict[DocumentSort, int] = {
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
"""Weights of the sorts of documents that are added to the documents that together state every fact."""

_MAX_TRIES = 50
"""Number of places to try for a false statement. If all fail, the document states no false fact."""

Item = TypeVar("Item")
Place = TypeVar("Place", bound=AnyPlace)


@dataclass(frozen=True, slots=True)
class PageSizes:
    """Sizes of the pages that together state every fact.

    Attributes:
        services: maximal number of trains or flights in a timetable.
        pois: maximal number of places in a round-up.
        hotels: maximal number of hotels in a list; 1 gives each hotel its own page.
        restaurants: maximal number of restaurants in a list; 1 gives each restaurant its own page.
        own_pages: number of hotels in each city that always have their own pages. Twice as many restaurants
            have them.
    """

    services: int = TIMETABLE
    pois: int = ROUND_UP
    hotels: int = 1
    restaurants: int = 1
    own_pages: int = 0


SMALL = PageSizes()
LARGE = PageSizes(services=30, pois=14, hotels=6, restaurants=14, own_pages=12)
"""Page sizes for large fact bases, which have about nine rows per document."""


def min_document_count(base: FactBase, pages: PageSizes = SMALL) -> int:
    """Return the minimal number of documents that state every fact."""
    hotels, restaurants = _listed_places(base, pages)
    return (
        len(pages_by_direction(base.services, pages.services))
        + len(base.attractions)
        + len(hotels)
        + len(restaurants)
        + len(group_for_round_ups(base.pois, pages.pois))
    )


def _listed_places(base: FactBase, pages: PageSizes) -> tuple[list[tuple[Hotel, ...]], list[tuple[Restaurant, ...]]]:
    """Return the hotels of each page about hotels, and the restaurants of each page about restaurants."""
    return (
        _split_into_lists(base.hotels, pages.hotels, pages.own_pages),
        _split_into_lists(base.restaurants, pages.restaurants, 2 * pages.own_pages),
    )


def _split_into_lists(places: Sequence[Place], size: int, own_count: int) -> list[tuple[Place, ...]]:
    if size == 1:
        return [(place,) for place in places]
    cities: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        cities[place.city].append(place)
    alone = [(place,) for members in cities.values() for place in members[:own_count]]
    rest = [
        tuple(members[start : start + size])
        for members in cities.values()
        for start in range(own_count, len(members), size)
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
    """Write documents that together state every fact of the base correctly, and others that contradict some facts.

    The rule of `trust` finds the true value of each fact. The time is linear in `size`.

    Args:
        base: fact base.
        seed: seed of all choices. The same arguments give the same corpus on every machine.
        size: number of documents.
        clean: whether harmless documents replace the contradicting ones. All other documents stay the same,
            including their ids.
        noise: share of the attractions, hotels and timetable pages about which false documents are written.
        pages: sizes of the pages that together state every fact.
        chinese: names for writing a share of the pages in Chinese; None for English only.

    Raises:
        UnsuitableSuiteError: `size` is too small to state every fact, or the base is empty.
    """
    writer = _CorpusWriter(base, seed, clean, pages)
    writer.write_all_facts()
    official_count = len(writer.drafts)
    if size < len(writer.drafts):
        raise UnsuitableSuiteError(
            f"{size} documents are too few to state every fact: at least {len(writer.drafts)} are needed"
        )
    writer.add_documents(size - len(writer.drafts))
    assign_provenances(writer.drafts, official_count, seed, travel_days(base)[0])
    add_noise(base, writer.drafts, official_count, seed, noise, clean=clean, max_services_per_page=pages.services)
    if chinese is not None:
        ChineseWriter(chinese).write_share(writer.drafts, seed)
    append_closings(writer.drafts)
    numbers = list(range(1, size + 1))
    random.Random(f"{seed}|numbers").shuffle(numbers)
    ordered = sorted(zip(numbers, writer.drafts, strict=True), key=lambda pair: pair[0])
    return Corpus(
        tuple(draft.document(number) for number, draft in ordered),
        tuple(statement for number, draft in ordered for statement in draft.statements(number)),
    )


@dataclass(frozen=True, slots=True)
class _Contradictions:
    """Places on misleading pages that notices correct, grouped by notice.

    Attributes:
        vanished: for each notice, its city and the names of places that do not exist.
        moved: for each notice, a wrong city and the attractions that pages place in it.
    """

    vanished: Sequence[tuple[str, tuple[str, ...]]]
    moved: Sequence[tuple[str, tuple[tuple[Attraction, str], ...]]]


class _CorpusWriter:
    def __init__(self, base: FactBase, seed: int, clean: bool, pages: PageSizes) -> None:
        self.base = base
        self.pages = pages
        self.seed = seed
        self.clean = clean
        self.drafts: list[DocumentDraft] = []
        self._true_counts: Counter[tuple[str, str, str]] = Counter()
        self._false_counts: Counter[tuple[str, str, str]] = Counter()
        self._sights = NeighbourSearch(base.attractions)
        self._landmarks = NeighbourSearch((*base.attractions, *base.pois))

    def write_all_facts(self) -> None:
        """Write the first documents, which together state every fact."""
        base = self.base
        for number, page in enumerate(pages_by_direction(base.services, self.pages.services)):
            write_timetable(self._new_draft("transport", page.services[0].origin_city, f"direction|{number}"), page)
        sight_voices: tuple[SightVoice, ...] = ("official", "official", "portal")
        for number, sight in enumerate(base.attractions):
            draft = self._new_draft("attraction", sight.city, f"sight|{number}")
            write_attraction(draft, sight, draft.pick(sight_voices))
        hotels, restaurants = _listed_places(base, self.pages)
        hotel_voices: tuple[HotelVoice, ...] = ("official", "portal", "portal")
        for number, hotel_group in enumerate(hotels):
            draft = self._new_draft("accommodation", hotel_group[0].city, f"hotel|{number}")
            if len(hotel_group) > 1:
                write_hotel_list(draft, hotel_group)
            else:
                write_hotel(draft, hotel_group[0], draft.pick(hotel_voices), self._landmarks.nearest(hotel_group[0], 3))
        dining_voices: tuple[DiningVoice, ...] = ("portal", "portal", "portrait")
        for number, restaurant_group in enumerate(restaurants):
            draft = self._new_draft("restaurant", restaurant_group[0].city, f"table|{number}")
            if len(restaurant_group) > 1:
                write_restaurant_list(draft, restaurant_group)
            else:
                write_restaurant(draft, restaurant_group[0], draft.pick(dining_voices))
        for number, group in enumerate(group_for_round_ups(base.pois, self.pages.pois)):
            write_round_up(self._new_draft("poi", group[0].city, f"round-up|{number}"), group)

    def add_documents(self, count: int) -> None:
        """Write `count` further documents of various sorts, such as guides, comments and misleading pages."""
        if count == 0:
            return
        boards = pages_by_station(self.base.services, self.pages.services)
        subjects: dict[DocumentSort, int] = {
            "attraction": len(self.base.attractions),
            "guide": len(self.base.attractions),
            "comment": len(self.base.places),
            "restaurant": len(self.base.restaurants),
            "accommodation": len(self.base.hotels),
            "poi": len(self.base.pois),
            "transport": len(boards),
            "misleading": len(self.base.attractions),
            "wrong comment": sum(1 for place in self.base.places if possible_wrong_facts(place)),
        }
        counts = _split_by_weight(
            count, {sort: _SORT_WEIGHTS[sort] for sort in get_args(DocumentSort) if subjects[sort]}
        )
        contradictions = self._contradictions(counts["misleading"], counts["attraction"])
        notices = len(contradictions.vanished) + len(contradictions.moved)
        for number, page in self._take_turns("transport", boards, counts["transport"]):
            write_timetable(self._new_draft("transport", page.services[0].origin_city, f"board|{number}"), page)
        voices: tuple[SightVoice, ...] = ("blog", "portal", "blog", "news")
        for number, sight in self._take_turns("attraction", self.base.attractions, counts["attraction"] - notices):
            voice = voices[(number + number // len(self.base.attractions)) % len(voices)]
            write_attraction(self._new_draft("attraction", sight.city, f"more sight|{number}"), sight, voice)
        hotel_voices: tuple[HotelVoice, ...] = ("blog", "portal", "blog")
        for number, hotel in self._take_turns("accommodation", self.base.hotels, counts["accommodation"]):
            hotel_voice = hotel_voices[(number + number // len(self.base.hotels)) % len(hotel_voices)]
            draft = self._new_draft("accommodation", hotel.city, f"more hotel|{number}")
            write_hotel(draft, hotel, hotel_voice, self._landmarks.nearest(hotel, 3))
        dining_voices: tuple[DiningVoice, ...] = ("blog", "portrait", "blog")
        for number, place in self._take_turns("restaurant", self.base.restaurants, counts["restaurant"]):
            dining_voice = dining_voices[(number + number // len(self.base.restaurants)) % len(dining_voices)]
            write_restaurant(self._new_draft("restaurant", place.city, f"more table|{number}"), place, dining_voice)
        for number, poi in self._take_turns("poi", self.base.pois, counts["poi"]):
            write_poi(self._new_draft("poi", poi.city, f"poi|{number}"), poi, self._sights.nearest(poi, 2))
        for number, town in self._take_turns("guide", self._guide_towns(), counts["guide"]):
            write_guide(self._new_draft("guide", town.city, f"guide|{number}"), town)
        for number, commented_place in self._take_turns("comment", self.base.places, counts["comment"]):
            write_comment(self._new_draft("comment", commented_place.city, f"comment|{number}"), commented_place)
        for number, (city, names) in enumerate(contradictions.vanished):
            misleading_pages.write_vanished_notice(
                self._new_draft("attraction", city, f"vanished notice|{number}"), names, city
            )
        for number, (city, cases) in enumerate(contradictions.moved):
            misleading_pages.write_misplaced_notice(
                self._new_draft("attraction", city, f"moved notice|{number}"), cases, city
            )
        self._lengthen_duplicates()
        for draft in self.drafts:
            self._true_counts.update({claim[:3] for claim in draft.claims if claim[4]})
        self._write_misleading_pages(counts["misleading"], contradictions)
        self._write_wrong_comments(counts["wrong comment"])

    def _lengthen_duplicates(self) -> None:
        """Lengthen documents that equal an earlier one. Short posts on one place may be equal."""
        seen: set[str] = set()
        for draft in self.drafts:
            words = 0
            while draft.text() in seen and words < draft.words():
                words = draft.words()
                draft.fill(FORUM, words + 12)
            seen.add(draft.text())

    def _new_draft(self, kind: DocumentKind, city: str, key: str) -> DocumentDraft:
        """Append a new draft. Its random choices depend only on `key` and the seed."""
        draft = DocumentDraft(kind, city, "", random.Random(f"{self.seed}|{key}"), self.base.currency)
        self.drafts.append(draft)
        return draft

    def _take_turns(self, name: str, items: Sequence[Item], count: int) -> list[tuple[int, Item]]:
        """Return `count` numbered items, from 0: all items in a random order, repeated as often as needed."""
        order = list(items)
        random.Random(f"{self.seed}|{name}").shuffle(order)
        return [(number, order[number % len(order)]) for number in range(count)]

    def _guide_towns(self) -> list[GuideTown]:
        sights, restaurants, hotels = defaultdict(list), defaultdict(list), defaultdict(list)
        for sight in self.base.attractions:
            sights[sight.city].append(sight)
        for restaurant in self.base.restaurants:
            restaurants[restaurant.city].append(restaurant)
        for hotel in self.base.hotels:
            hotels[hotel.city].append(hotel)
        return [GuideTown(city, city_sights, restaurants[city], hotels[city]) for city, city_sights in sights.items()]

    def _contradictions(self, pages: int, most_notices: int) -> _Contradictions:
        """Choose the vanished and misplaced places of the misleading pages that notices correct.

        These pages are about 30% of the misleading pages.
        """
        vanished = _group_by_notice(
            [(city, name) for name, city in misleading_pages.invent_places(self.base, self.seed)[: pages * 15 // 100]]
        )
        moved = _group_by_notice(
            [(case[1], case) for case in misleading_pages.misplace_sights(self.base, self.seed)[: pages * 15 // 100]]
        )
        vanished = vanished[: most_notices // 2]
        return _Contradictions(vanished, moved[: most_notices - len(vanished)])

    def _write_misleading_pages(self, count: int, contradictions: _Contradictions) -> None:
        sights = self.base.attractions
        vanished = [(name, city) for city, names in contradictions.vanished for name in names]
        for number, (name, city) in enumerate(vanished):
            draft = self._new_draft("misleading", city, f"vanished|{number}")
            write = partial(misleading_pages.write_vanished_page, name=name, city=city)
            self._write_misleading_page(draft, sights[number % len(sights)], write)
        moved = [case for _, cases in contradictions.moved for case in cases]
        for number, (sight, city) in enumerate(moved):
            draft = self._new_draft("misleading", city, f"moved|{number}")
            self._write_misleading_page(
                draft, sight, partial(misleading_pages.write_misplaced_page, sight=sight, city=city)
            )
        order = [sight for _, sight in self._take_turns("misleading", sights, len(sights))]
        start = 0
        for number in range(count - len(vanished) - len(moved)):
            draft = self._new_draft("misleading", "", f"misleading|{number}")
            form = draft.pick(("outdated",) * 5 + ("exaggeration",) * 3 + ("rumour",))
            start, sight, remaining = self._next_place(order, start, partial(_page_errors, form=form))
            draft.city = sight.city
            if not remaining:
                draft.kind = "attraction"
                misleading_pages.write_neutral_page(draft, sight)
            elif form == "outdated":
                chosen = draft.rng.sample(remaining, min(len(remaining), draft.pick((1, 2, 2))))
                self._write_misleading_page(
                    draft, sight, partial(misleading_pages.write_outdated_page, sight=sight, parts=chosen)
                )
            elif form == "exaggeration":
                part = draft.pick(remaining)
                self._write_misleading_page(
                    draft, sight, partial(misleading_pages.write_exaggeration, sight=sight, part=part)
                )
            else:
                self._write_misleading_page(draft, sight, partial(misleading_pages.write_rumour, sight=sight))

    def _write_wrong_comments(self, count: int) -> None:
        places = [place for place in self.base.places if possible_wrong_facts(place)]
        order = [place for _, place in self._take_turns("wrong comment", places, len(places))]
        start = 0
        for number in range(count):
            start, place, remaining = self._next_place(order, start, _comment_errors)
            draft = self._new_draft("comment", place.city, f"wrong comment|{number}")
            rightly = partial(write_comment, place=place)
            if remaining:
                write_wrong_version = partial(write_wrong_comment, place=place, wrong=draft.pick(remaining))
                self._write_contradiction(draft, write_wrong_version, rightly)
            else:
                rightly(draft)

    def _next_place(
        self,
        order: Sequence[Place],
        start: int,
        options: Callable[[Place], Sequence[tuple[Item, tuple[str, ...]]]],
    ) -> tuple[int, Place, list[Item]]:
        """Find the next place about which another document may state something false.

        There must never be more false than true statements on a fact.

        Args:
            order: places, which are tried cyclically.
            start: index of the first place to try.
            options: function that returns the possible errors about a place, each with the fields of `Statement` that
                would be false.

        Returns:
            The index at which to continue, the place, and its possible errors. The list of errors is empty if
            `_MAX_TRIES` places have no possible errors.
        """
        for step in range(_MAX_TRIES):
            place = order[(start + step) % len(order)]
            remaining = [
                option
                for option, fields in options(place)
                if all(self._false_counts[fact] < self._true_counts[fact] for fact in _facts_of_place(place, fields))
            ]
            if remaining:
                return start + step + 1, place, remaining
        return start + _MAX_TRIES, order[start % len(order)], []

    def _write_misleading_page(
        self, draft: DocumentDraft, sight: Attraction, write: Callable[[DocumentDraft], None]
    ) -> None:
        self._write_contradiction(draft, write, partial(misleading_pages.write_neutral_page, sight=sight))
        if self.clean:
            draft.kind = "attraction"
            draft.city = sight.city

    def _write_contradiction(
        self,
        draft: DocumentDraft,
        write_wrong_version: Callable[[DocumentDraft], None],
        write_neutral_version: Callable[[DocumentDraft], None],
    ) -> None:
        """Write a document with a contradiction. For a clean corpus, rewrite it without the contradiction.

        The false claims are counted in both cases, so that later choices are the same.
        """
        write_wrong_version(draft)
        draft.is_misleading_or_replacement = True
        self._false_counts.update({claim[:3] for claim in draft.claims if not claim[4]})
        if self.clean:
            draft.title, draft.blocks, draft.claims = "", [], []
            write_neutral_version(draft)


def _split_by_weight(count: int, weights: dict[DocumentSort, int]) -> Counter[DocumentSort]:
    """Split a number in proportion to weights, by largest remainders."""
    if not weights:
        raise UnsuitableSuiteError("the fact base is empty: there is nothing to write about")
    whole = sum(weights.values())
    parts: Counter[DocumentSort] = Counter({sort: count * weight // whole for sort, weight in weights.items()})
    by_remainder = sorted(weights, key=lambda sort: -(count * weights[sort] % whole))
    for sort in by_remainder[: count - parts.total()]:
        parts[sort] += 1
    return parts


def _comment_errors(place: AnyPlace) -> list[tuple[WrongFact, tuple[str, ...]]]:
    return [(wrong, (field,)) for wrong, field in possible_wrong_facts(place)]


def _page_errors(_sight: Attraction, form: str) -> list[tuple[misleading_pages.MisledPart, tuple[str, ...]]]:
    parts: tuple[misleading_pages.MisledPart, ...]
    match form:
        case "outdated":
            parts = ("ticket", "hours", "closed_on")
        case "exaggeration":
            parts = ("visit", "ticket")
        case _:
            parts = ("existence",)
    return [(part, misleading_pages.FIELDS[part]) for part in parts]


def _facts_of_place(place: AnyPlace, fields: Sequence[str]) -> list[tuple[str, str, str]]:
    return [(place.name, place.city, field) for field in fields]


def _group_by_notice(pairs: Sequence[tuple[str, Item]]) -> list[tuple[str, tuple[Item, ...]]]:
    """Group items by city, given pairs of city and item, so that each group fits on a notice."""
    cities: dict[str, list[Item]] = defaultdict(list)
    for city, item in pairs:
        cities[city].append(item)
    size = misleading_pages.PLACES_PER_NOTICE
    return [
        (city, tuple(items[start : start + size]))
        for city, items in cities.items()
        for start in range(0, len(items), size)
    ]
