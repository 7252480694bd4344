"""The pages of a site: those of the city with the forms by which one books, and those that only a site has."""

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
from planspec.families.worldtravel.webscape.tables import Row
from planspec.families.worldtravel.webscape.views import view

MOST_PAGES = 600
"""Pages that are kept as they were made."""
END = "</body>"
_KINDS = {"booking": "visit", "reservation": "visit", "hotels": "stay", "ways": "ride"}
"""What is booked on a kind of page."""


class Panels:
    """The pages of a site in one look.

    Args:
        press: makes those of the city.
    """

    def __init__(self, press: Press) -> None:
        self._press = press
        self._made: OrderedDict[PageSpec, str] = OrderedDict()

    @cached_property
    def _specs(self) -> dict[str, PageSpec]:
        return {spec.path: spec for spec in self._press.specs}

    def spec(self, path: str) -> PageSpec | None:
        """The page at a path, without the first slash."""
        return self._specs.get(path)

    def day(self, place: str, day: str) -> PageSpec | None:
        """The page on which one books a place on a day."""
        return next(
            (s for s in self._press.specs if s.kind in ("booking", "reservation") and s.of == place and not s.variant and day in s.days),
            None,
        )  # fmt: skip

    def page(self, spec: PageSpec) -> str:
        """A page of the city with the form of its kind."""
        if spec not in self._made:
            page = self._press.page(spec)
            panel = self._press.part(
                "site/panel.j2", spec=spec, what=_KINDS.get(spec.kind), **self._names(spec)
            )
            before, end, after = page.html.rpartition(END)
            self._made[spec] = f"{before}{panel}{end}{after}"
            while len(self._made) > MOST_PAGES:
                self._made.popitem(last=False)
        self._made.move_to_end(spec)
        return self._made[spec]

    def _names(self, spec: PageSpec) -> dict[str, Any]:
        """What the form of a page needs to know."""
        tables = self._press.tables
        place = tables.one("place", id=spec.of)
        named: dict[str, Any] = {
            "place": place,
            "dated": place is not None and (spec.days[0] if spec.days else self._first_day(place)),
        }
        match spec.kind:
            case "booking":
                named |= dict(view(tables, spec))
            case "reservation":
                named |= dict(view(tables, spec)) | {"courses": tables.of("menu", place=spec.of)}
            case "hotels" | "ways":
                named |= dict(view(tables, spec))
        return named

    def _first_day(self, place: Row) -> str:
        days = [d for s in self._press.specs if s.kind in ("booking", "reservation") and s.of == place["id"] for d in s.days]  # fmt: skip
        return min(days, default="")

    def front(self) -> str:
        """The front page."""
        return self._press.front([("Search", "/search"), ("What travellers ask for", "/requests")])

    def trip(self, trip: Trip) -> str:
        """What is booked."""
        return self._own("trip", "Your trip", trip=trip, clock=clock)

    def told(self, title: str, words: str, back: str) -> str:
        """A page that says one thing."""
        return self._own("told", title, words=words, back=back)

    def requests(self, tasks: Sequence[str]) -> str:
        """The list of what travellers ask for."""
        return self._own("requests", "Requests", tasks=tasks)

    def search(self, words: str) -> str:
        """Places and hotels of which the name, the area or the description has all words, whatever their capitals and accents."""
        wanted = plain(words).split()
        tables = self._press.tables
        found = [
            (row, path)
            for table, kinds in (("place", ("guide", "dining")), ("hotel", ("hotels",)))
            for row in tables.rows(table)
            if wanted and all(word in plain(f"{row['name']} {row['area']} {row['about']}") for word in wanted)
            for path in [next((s.path for s in self._press.specs if s.kind in kinds and s.of in ("", row["id"])), None)]
            if path is not None
        ]  # fmt: skip
        return self._own("search", "Search", words=words, found=found)

    def _own(self, template: str, title: str, **names: Any) -> str:
        site = SITES[self._press.seed % len(SITES)]
        return self._press.part(
            f"site/{template}.j2", frame=f"frames/{site.id}.j2", site=site, city=self._press.name, title=title, policy=POLICY,
            menu=self._press.links, **names,
        )  # fmt: skip
