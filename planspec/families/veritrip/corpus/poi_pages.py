"""Pages on stations, squares, streets and similar places: pages on several places (round-ups), or on one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import TypeAlias

from planspec.families.veritrip.corpus.attraction_pages import with_full_stop
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import TOWN
from planspec.families.veritrip.corpus.nearby import distance_phrase
from planspec.families.veritrip.corpus.surface import join_items, with_article
from planspec.families.veritrip.facts import Poi

NearbySights: TypeAlias = Sequence[tuple[str, int]]

MOST_ON_A_PAGE = 5

_PLURALS = {
    "railway_station": "railway stations",
    "airport": "airports",
    "square": "squares",
    "street": "streets",
    "mall": "malls",
    "bridge": "bridges",
    "university": "universities",
    "market": "markets",
    "metro_station": "metro stations",
    "park_gate": "park gates",
    "tower": "towers",
    "theatre": "theatres",
    "library": "libraries",
    "port": "ports",
    "stadium": "stadiums",
}


def group_for_round_ups(pois: Sequence[Poi], max_places: int = MOST_ON_A_PAGE) -> list[tuple[Poi, ...]]:
    """Group places by page. The places of a group are in one city and, if possible, of one kind."""
    kinds: dict[tuple[str, str], list[Poi]] = defaultdict(list)
    for poi in pois:
        kinds[poi.city, poi.kind].append(poi)
    groups: list[tuple[Poi, ...]] = []
    leftovers: dict[str, list[Poi]] = defaultdict(list)
    for (city, _), members in kinds.items():
        whole = len(members) - len(members) % max_places
        groups += [tuple(members[at : at + max_places]) for at in range(0, whole, max_places)]
        # Two or more remaining places of a kind get their own page. A single one shares a page with other kinds.
        if len(members) - whole > 1:
            groups.append(tuple(members[whole:]))
        else:
            leftovers[city] += members[whole:]
    for members in leftovers.values():
        groups += [tuple(members[at : at + max_places]) for at in range(0, len(members), max_places)]
    return groups


def write_round_up(draft: DocumentDraft, pois: Sequence[Poi]) -> None:
    """Write a page with a sentence on each of several places of one city."""
    city = pois[0].city
    kinds = list(dict.fromkeys(poi.kind for poi in pois))
    places_phrase = _plural_phrase(kinds[0]) if len(kinds) == 1 else "places"
    draft.origin = draft.pick(("city directory", "map notes", "official site"))
    draft.publish_between(date(2025, 3, 1), date(2025, 10, 10))
    names = join_items([poi.name for poi in pois[:3]])
    draft.title = draft.pick(
        (
            f"{places_phrase.capitalize()} in {city}: {names}",
            f"{city} from A to Z: {names}",
            f"{city}, {places_phrase} to know: {names}",
        )
    )
    draft.add_paragraph(
        draft.pick(
            (
                f"Short notes on {places_phrase} in {city}, for those who look for their way.",
                f"This page of the {city} directory describes {len(pois)} of its {places_phrase}."
                if len(pois) > 1
                else f"This page of the {city} directory describes one of its {places_phrase}.",
                f"Where to meet, change and stroll in {city}: {places_phrase} that every visitor comes across.",
            )
        )
    )
    for poi in pois:
        draft.add_claim(poi.name, poi.city, "existence", "true")
        draft.add_paragraph(
            draft.pick(
                (
                    f"{poi.name} ({_singular_phrase(poi.kind)}). {with_full_stop(poi.about)}",
                    f"{poi.name} is {with_article(_singular_phrase(poi.kind))} in {poi.city}. {with_full_stop(poi.about)}",
                    f"{poi.name}, {_singular_phrase(poi.kind)}: {with_full_stop(poi.about)}",
                )
            )
        )
    draft.fill(TOWN, max(60, draft.words() + 12))


def write_poi(draft: DocumentDraft, poi: Poi, nearby: NearbySights) -> None:
    """Write a page on one place and the sights near it."""
    draft.origin = draft.pick(("city directory", "map notes", "personal blog"))
    draft.publish_between(date(2024, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick((f"{poi.name}, {poi.city}", f"{poi.name} ({poi.city}): notes", f"Meet me at {poi.name}"))
    draft.add_claim(poi.name, poi.city, "existence", "true")
    draft.add_paragraph(
        draft.pick(
            (
                f"{poi.name} is {with_article(_singular_phrase(poi.kind))} in {poi.city}.",
                f"If you spend time in {poi.city}, sooner or later you pass {poi.name}.",
            )
        ),
        with_full_stop(poi.about),
    )
    if nearby:
        listed_sights = join_items([f"{name} ({distance_phrase(metres)})" for name, metres in nearby])
        draft.add_paragraph(
            draft.pick(
                (
                    f"The nearest sights in a straight line: {listed_sights}.",
                    f"Next to see from here: {listed_sights}.",
                )
            )
        )
    draft.fill(TOWN, max(62, draft.words() + 14))


def _singular_phrase(kind: str) -> str:
    return kind.replace("_", " ")


def _plural_phrase(kind: str) -> str:
    return _PLURALS.get(kind, f"{_singular_phrase(kind)}s")
