"""Pages of a booking site: the city's pages with booking forms, and pages such as the trip and the search."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from planspec.families.worldtravel.site.trip import Trip, format_clock
from planspec.families.worldtravel.webscape.declaring import normalize_name
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec
from planspec.families.worldtravel.webscape.rendering import POLICY, PageRenderer
from planspec.families.worldtravel.webscape.sites import SITES
from planspec.families.worldtravel.webscape.tables import WorldRow
from planspec.families.worldtravel.webscape.views import view

MOST_PAGES = 600
"""Maximum number of cached pages."""
END = "</body>"
_KINDS = {"booking": "visit", "reservation": "visit", "hotels": "stay", "ways": "ride"}
"""For each kind of page with a form, the kind of booking that the form makes."""


class SitePages:
    """Pages of a booking site in the visual style of one seed.

    Args:
        renderer: renderer of the city's pages.
    """

    def __init__(self, renderer: PageRenderer) -> None:
        self._renderer = renderer
        self._cache: OrderedDict[PageSpec, str] = OrderedDict()

    @cached_property
    def _specs(self) -> dict[str, PageSpec]:
        return {spec.path: spec for spec in self._renderer.specs}

    def spec(self, path: str) -> PageSpec | None:
        """Return the page at a path such as `booking/...`, or None if there is no such page."""
        return self._specs.get(path)

    def day(self, place: str, day: str) -> PageSpec | None:
        """Return the booking page of a place on a day, or None if there is none."""
        return next(
            (
                s
                for s in self._renderer.specs
                if s.kind in ("booking", "reservation") and s.subject == place and not s.variant and day in s.days
            ),
            None,
        )

    def page(self, spec: PageSpec) -> str:
        """Return the HTML of a city page, with a booking form if its kind has one."""
        if spec not in self._cache:
            page = self._renderer.page(spec)
            panel = self._renderer.render_template(
                "site/panel.j2", spec=spec, what=_KINDS.get(spec.kind), **self._form_variables(spec)
            )
            before, end, after = page.html.rpartition(END)
            self._cache[spec] = f"{before}{panel}{end}{after}"
            while len(self._cache) > MOST_PAGES:
                self._cache.popitem(last=False)
        self._cache.move_to_end(spec)
        return self._cache[spec]

    def _form_variables(self, spec: PageSpec) -> dict[str, Any]:
        """Return the template variables of a page's booking form."""
        tables = self._renderer.tables
        place = tables.row_where("place", id=spec.subject)
        variables: dict[str, Any] = {
            "place": place,
            "dated": place is not None and (spec.days[0] if spec.days else self._first_day(place)),
        }
        match spec.kind:
            case "booking":
                variables |= dict(view(tables, spec))
            case "reservation":
                variables |= dict(view(tables, spec)) | {"courses": tables.rows_where("menu", place=spec.subject)}
            case "hotels" | "ways":
                variables |= dict(view(tables, spec))
        return variables

    def _first_day(self, place: WorldRow) -> str:
        days = [
            d
            for s in self._renderer.specs
            if s.kind in ("booking", "reservation") and s.subject == place["id"]
            for d in s.days
        ]
        return min(days, default="")

    def front(self) -> str:
        """Return the HTML of the front page."""
        return self._renderer.front_page([("Search", "/search"), ("What travellers ask for", "/requests")])

    def trip(self, trip: Trip) -> str:
        """Return the HTML of the page with the bookings."""
        return self._site_page("trip", "Your trip", trip=trip, clock=format_clock)

    def message(self, title: str, text: str, back_path: str) -> str:
        """Return the HTML of a page with a message and a link to `back_path`."""
        return self._site_page("told", title, words=text, back=back_path)

    def requests(self, tasks: Sequence[str]) -> str:
        """Return the HTML of the page that lists the travellers' requests."""
        return self._site_page("requests", "Requests", tasks=tasks)

    def search(self, words: str) -> str:
        """Return the HTML of the page that lists places and hotels which match a search.

        All words must occur in the name, area or description. Case and accents are ignored.
        """
        terms = normalize_name(words).split()
        tables = self._renderer.tables
        matches = [
            (row, path)
            for table, kinds in (("place", ("guide", "dining")), ("hotel", ("hotels",)))
            for row in tables.rows(table)
            if terms and all(word in normalize_name(f"{row['name']} {row['area']} {row['about']}") for word in terms)
            for path in [
                next((s.path for s in self._renderer.specs if s.kind in kinds and s.subject in ("", row["id"])), None)
            ]
            if path is not None
        ]
        return self._site_page("search", "Search", words=words, found=matches)

    def _site_page(self, template: str, title: str, **names: Any) -> str:
        site = SITES[self._renderer.seed % len(SITES)]
        return self._renderer.render_template(
            f"site/{template}.j2",
            frame=f"frames/{site.id}.j2",
            site=site,
            city=self._renderer.name,
            title=title,
            policy=POLICY,
            menu=self._renderer.links,
            **names,
        )
