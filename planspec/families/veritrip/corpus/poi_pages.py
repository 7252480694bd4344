"""Pages on stations, squares, streets and the like: a round-up of several, or one alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from typing import TypeAlias

from planspec.families.veritrip.corpus.attraction_pages import ended
from planspec.families.veritrip.corpus.draft import DocumentDraft
from planspec.families.veritrip.corpus.filler import TOWN
from planspec.families.veritrip.corpus.nearby import away
from planspec.families.veritrip.corpus.surface import listed, with_article
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


def round_ups(pois: Sequence[Poi], most: int = MOST_ON_A_PAGE) -> list[tuple[Poi, ...]]:
    """Return groups that contain every place once, each of one city and, if possible, of one kind."""
    kinds: dict[tuple[str, str], list[Poi]] = defaultdict(list)
    for poi in pois:
        kinds[poi.city, poi.kind].append(poi)
    groups: list[tuple[Poi, ...]] = []
    rests: dict[str, list[Poi]] = defaultdict(list)
    for (city, _), members in kinds.items():
        whole = len(members) - len(members) % most
        groups += [tuple(members[at : at + most]) for at in range(0, whole, most)]
        # Two or more of a kind make a page of their own; one alone would waste it.
        if len(members) - whole > 1:
            groups.append(tuple(members[whole:]))
        else:
            rests[city] += members[whole:]
    for members in rests.values():
        groups += [tuple(members[at : at + most]) for at in range(0, len(members), most)]
    return groups


def write_round_up(draft: DocumentDraft, pois: Sequence[Poi]) -> None:
    """Write a page with a sentence on each of some places of one city."""
    city = pois[0].city
    kinds = list(dict.fromkeys(poi.kind for poi in pois))
    what = _plural(kinds[0]) if len(kinds) == 1 else "places"
    draft.origin = draft.pick(("city directory", "map notes", "official site"))
    draft.dated(date(2025, 3, 1), date(2025, 10, 10))
    names = listed([poi.name for poi in pois[:3]])
    draft.title = draft.pick(
        (
            f"{what.capitalize()} in {city}: {names}",
            f"{city} from A to Z: {names}",
            f"{city}, {what} to know: {names}",
        )
    )
    draft.paragraph(
        draft.pick(
            (
                f"Short notes on {what} in {city}, for those who look for their way.",
                f"This page of the {city} directory describes {len(pois)} of its {what}."
                if len(pois) > 1
                else f"This page of the {city} directory describes one of its {what}.",
                f"Where to meet, change and stroll in {city}: {what} that every visitor comes across.",
            )
        )
    )
    for poi in pois:
        draft.claim(poi.name, poi.city, "existence", "true")
        draft.paragraph(
            draft.pick(
                (
                    f"{poi.name} ({_single(poi.kind)}). {ended(poi.about)}",
                    f"{poi.name} is {with_article(_single(poi.kind))} in {poi.city}. {ended(poi.about)}",
                    f"{poi.name}, {_single(poi.kind)}: {ended(poi.about)}",
                )
            )
        )
    draft.fill(TOWN, max(60, draft.words() + 12))


def write_poi(draft: DocumentDraft, poi: Poi, near: NearbySights) -> None:
    """Write a page on one place, with the sights near it."""
    draft.origin = draft.pick(("city directory", "map notes", "personal blog"))
    draft.dated(date(2024, 6, 1), date(2025, 10, 10))
    draft.title = draft.pick(
        (f"{poi.name}, {poi.city}", f"{poi.name} ({poi.city}): notes", f"Meet me at {poi.name}")
    )
    draft.claim(poi.name, poi.city, "existence", "true")
    draft.paragraph(
        draft.pick(
            (
                f"{poi.name} is {with_article(_single(poi.kind))} in {poi.city}.",
                f"If you spend time in {poi.city}, sooner or later you pass {poi.name}.",
            )
        ),
        ended(poi.about),
    )
    if near:
        listed_sights = listed([f"{name} ({away(metres)})" for name, metres in near])
        draft.paragraph(
            draft.pick(
                (
                    f"The nearest sights in a straight line: {listed_sights}.",
                    f"Next to see from here: {listed_sights}.",
                )
            )
        )
    draft.fill(TOWN, max(62, draft.words() + 14))


def _single(kind: str) -> str:
    return kind.replace("_", " ")


def _plural(kind: str) -> str:
    return _PLURALS.get(kind, f"{_single(kind)}s")
