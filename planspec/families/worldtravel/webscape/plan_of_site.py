"""List of a city's pages.

The kinds of pages are from the WorldTravel paper's Section 18, and their numbers from its statistics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from planspec.families.worldtravel.webscape.tables import Tables, ids
from planspec.suite_writing.options import UnsuitableSuiteError

Kind = Literal[
    "attractions",
    "restaurants",
    "hotels",
    "ways",
    "booking",
    "reservation",
    "guide",
    "floor_plan",
    "menu",
    "dining",
]
"""Kind of a page (Sections 18.2 to 18.10).

The kinds are overviews of attractions and of restaurants, the list of hotels, the matrix of routes, the booking of
attractions, the reservation of tables, guides, floor plans, menus and notes on dining.
"""

PAGES: Mapping[str, int] = {"berlin": 365, "vienna": 360, "rome": 457, "barcelona": 496, "florence": 325}
"""Number of pages of each city, from the WorldTravel paper's statistics. The sum is 2,003."""
OTHERS = 360
"""Maximum number of pages of a city that is not in the paper."""
GUIDES = ("blog", "magazine", "official")
"""Kinds of writers of an attraction's guides."""
MODES = ("foot", "bus", "taxi", "driving")
WEEK = 7


@dataclass(frozen=True, slots=True)
class PageSpec:
    """Specification of a page to render.

    Attributes:
        kind: kind of the page.
        subject: id of the page's place, or mode of transport of its routes; empty for the whole city.
        variant: kind of writer of a guide, or id of the only ticket on a booking page; empty otherwise.
        days: days that the page shows, such as `2026-07-01`.
    """

    kind: Kind
    subject: str = ""
    variant: str = ""
    days: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Path of the page's file, relative to the root of the city's pages."""
        parts = [part for part in (self.subject, self.variant, self.days[0] if self.days else "") if part]
        return f"{self.kind.replace('_', '-')}/{'_'.join(parts) or 'index'}.html"


def pages(tables: Tables, city: str) -> list[PageSpec]:
    """Return the pages of a city, in order.

    Booking pages by day come after all other pages, and booking pages of single tickets come last.

    Args:
        tables: tables of the city.
        city: id of the city.

    Raises:
        UnsuitableSuiteError: the tables have too little content for the paper's number of pages.
    """
    count = PAGES.get(city)
    specs = list(islice(_all_pages(tables), count if count is not None else OTHERS))
    if count is not None and len(specs) < count:
        raise UnsuitableSuiteError(f"`{tables.folder}` has enough content for {len(specs)} pages, not for {count}")
    return specs


def _all_pages(tables: Tables) -> Iterator[PageSpec]:
    places = tables.rows("place")
    attractions = ids(row for row in places if row["kind"] == "attraction")
    restaurants = ids(row for row in places if row["kind"] == "restaurant")
    yield PageSpec("attractions")
    yield PageSpec("restaurants")
    yield PageSpec("hotels")
    yield from (PageSpec("ways", mode) for mode in modes(tables))
    for place in attractions:
        yield from (PageSpec("guide", place, variant) for variant in GUIDES)
        if tables.rows_where("part", place=place) or tables.rows_where("route", place=place):
            yield PageSpec("floor_plan", place)
    for place in restaurants:
        yield PageSpec("menu", place)
        yield PageSpec("dining", place)
        for first in range(0, len(tables.days), WEEK):
            yield PageSpec("reservation", place, days=tuple(tables.days[first : first + WEEK]))
    for day in tables.days:
        yield from (PageSpec("booking", place, days=(day,)) for place in attractions)
    for day in tables.days:
        for place in attractions:
            offers = tables.rows_where("offer", place=place)
            for offer in offers if len(offers) > 1 else []:
                if tables.rows_where("entry", offer=offer["id"], day=day):
                    yield PageSpec("booking", place, offer["id"], (day,))


def modes(tables: Tables) -> list[str]:
    """Return the modes of transport with routes on the map."""
    return [mode for mode in MODES if tables.rows_where("leg", mode=mode)]
