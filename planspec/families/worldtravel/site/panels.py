"""The pages of a site: the city's pages with booking forms, and pages that only a site has."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from planspec.families.worldtravel.site.trip import Trip, clock
from planspec.families.worldtravel.webscape.declaring import plain
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import POLICY, Press
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import WorldRow
from planspec.families.worldtravel.webscape.views import view

MOST_PAGES = 600
"""Cached pages."""
END = "</body>"
_KINDS = {"booking": "visit", "reservation": "visit", "hotels": "stay", "ways": "ride"}
"""Kind of booking, by kind of page."""


class Panels:
    """The pages of a site in one look.

    Args:
        press: maker of the city's pages.
    """

    def __init__(self, press: Press) -> None:
        self._press = press
        self._cache: OrderedDict[PageSpec, str] = OrderedDict()

    @cached_property
    def _specs(self) -> dict[str, PageSpec]:
        return {spec.path: spec for spec in self._press.specs}

    def spec(self, path: str) -> PageSpec | None:
        """Return the page at a path without its leading slash, or None."""
        return self._specs.get(path)

    def day(self, place: str, day: str) -> PageSpec | None:
        """Return the booking page of a place on a day, or None."""
        return next(
            (s for s in self._press.specs if s.kind in ("booking", "reservation") and s.of == place and not s.variant and day in s.days),
            None,
        )  # fmt: skip

    def page(self, spec: PageSpec) -> str:
        """Return a page of the city with the form of its kind."""
        if spec not in self._cache:
            page = self._press.page(spec)
            panel = self._press.part(
                "site/panel.j2", spec=spec, what=_KINDS.get(spec.kind), **self._names(spec)
            )
            before, end, after = page.html.rpartition(END)
            self._cache[spec] = f"{before}{panel}{end}{after}"
            while len(self._cache) > MOST_PAGES:
                self._cache.popitem(last=False)
        self._cache.move_to_end(spec)
        return self._cache[spec]

    def _names(self, spec: PageSpec) -> dict[str, Any]:
        """Return the variables of a page's form."""
        tables = self._press.tables
        place = tables.one("place", id=spec.of)
        variables: dict[str, Any] = {
            "place": place,
            "dated": place is not None and (spec.days[0] if spec.days else self._first_day(place)),
        }
        match spec.kind:
            case "booking":
                variables |= dict(view(tables, spec))
            case "reservation":
                variables |= dict(view(tables, spec)) | {"courses": tables.of("menu", place=spec.of)}
            case "hotels" | "ways":
                variables |= dict(view(tables, spec))
        return variables

    def _first_day(self, place: WorldRow) -> str:
        days = [d for s in self._press.specs if s.kind in ("booking", "reservation") and s.of == place["id"] for d in s.days]  # fmt: skip
        return min(days, default="")

    def front(self) -> str:
        """Return the front page."""
        return self._press.front([("Search", "/search"), ("What travellers ask for", "/requests")])

    def trip(self, trip: Trip) -> str:
        """Return the page of the bookings."""
        return self._own("trip", "Your trip", trip=trip, clock=clock)

    def message(self, title: str, words: str, back: str) -> str:
        """Return a page with one message."""
        return self._own("told", title, words=words, back=back)

    def requests(self, tasks: Sequence[str]) -> str:
        """Return the list of the travellers' requests."""
        return self._own("requests", "Requests", tasks=tasks)

    def search(self, words: str) -> str:
        """Return the places and hotels whose name, area or description has all words, ignoring case and accents."""
        terms = plain(words).split()
        tables = self._press.tables
        matches = [
            (row, path)
            for table, kinds in (("place", ("guide", "dining")), ("hotel", ("hotels",)))
            for row in tables.rows(table)
            if terms and all(word in plain(f"{row['name']} {row['area']} {row['about']}") for word in terms)
            for path in [next((s.path for s in self._press.specs if s.kind in kinds and s.of in ("", row["id"])), None)]
            if path is not None
        ]  # fmt: skip
        return self._own("search", "Search", words=words, found=matches)

    def _own(self, template: str, title: str, **names: Any) -> str:
        site = SITES[self._press.seed % len(SITES)]
        return self._press.part(
            f"site/{template}.j2", frame=f"frames/{site.id}.j2", site=site, city=self._press.name, title=title, policy=POLICY,
            menu=self._press.links, **names,
        )  # fmt: skip
