"""A visitor that books an itinerary by clicking: it searches, chooses days, fills forms in, and finishes; nothing goes past the pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.errors import PlanspecError
from planspec.families.worldtravel.site.purchases import Purchase, price, purchase
from planspec.families.worldtravel.webscape.tables import Tables

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Itinerary = Sequence[Mapping[str, Any]]
"""The days of an answer, each with its date and its schedule."""


class UnclickableItineraryError(PlanspecError, ValueError):
    """An itinerary that cannot be booked; the text says what of it."""


class Visitor:
    """Books for a task on the site of its city.

    Args:
        tables: of the city's world.
        task: whose travellers book.
        url: of the site, without a slash at its end.
    """

    def __init__(self, tables: Tables, task: Task, url: str) -> None:
        self._tables, self._task, self._url = tables, task, url
        self._people = len(task.facts["Traveller"].rows)
        self._dates = sorted(
            date.fromisoformat(show(day, ScalarType.DATE, None)) for day in task.givens["trip"]
        )

    def purchases(self, itinerary: Itinerary) -> list[Purchase]:
        """The forms of all visits.

        Raises:
            UnclickableItineraryError: a visit costs what nothing that can be bought costs, or is on no day of the trip.
        """
        return [
            self._purchase(day, item)
            for day, item in self._items(itinerary)
            if item["item"] in ("attraction", "restaurant")
        ]

    def book(self, page: Page, itinerary: Itinerary) -> None:
        """Book an itinerary, and finish the trip.

        Args:
            page: in the session that books.
            itinerary: an answer's.

        Raises:
            UnclickableItineraryError: something of it cannot be had.
        """
        for day, item in self._items(itinerary):
            match item["item"]:
                case "hotel" if item["cost"]:
                    self._stay(page, item)
                case "transportation":
                    self._ride(page, item, day)
                case "attraction" | "restaurant":
                    self._visit(page, self._purchase(day, item), day)
        page.goto(f"{self._url}/trip")
        _follow(page, page.get_by_role("button", name="Finish"))

    def _items(self, itinerary: Itinerary) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for day in itinerary:
            written = self._day(day["date"])
            for item in day["schedule"]:
                yield written, item

    def _day(self, said: str) -> str:
        month, number = (int(part) for part in said.split("."))
        found = next((day for day in self._dates if (day.month, day.day) == (month, number)), None)
        if found is None:
            raise UnclickableItineraryError(f"the trip has no day {said}")
        return found.isoformat()

    def _purchase(self, day: str, item: Mapping[str, Any]) -> Purchase:
        found = purchase(self._tables, self._task, day, item)
        if found is None:
            raise UnclickableItineraryError(
                f"{item['destination']}, {day} {item['time']}: nothing that can be bought costs {item['cost']}"
            )
        return found

    # ------------------------------------------------------------------ forms

    def _stay(self, page: Page, item: Mapping[str, Any]) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Hotels").first)
        hotel = self._tables.one("hotel", name=item["destination"])
        if hotel is None:
            raise UnclickableItineraryError(f"there is no hotel {item['destination']}")
        rooms = -(-self._people // 2)
        nights = Decimal(str(item["cost"])) / rooms / price(hotel["rate"])
        form = page.locator(".pl-stay")
        form.locator("select").select_option(label=hotel["name"])
        form.locator("[name=rooms]").fill(str(rooms))
        form.locator("[name=nights]").fill(str(int(nights)))
        _follow(page, form.get_by_role("button"))
        _require_booked(page)

    def _ride(self, page: Page, item: Mapping[str, Any], day: str) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Getting around").first)
        by = page.get_by_role("link", name=f"By {item['transportation']}")
        if by.count():  # else this is its page
            _follow(page, by.first)
        form = page.locator(".pl-ride")
        form.locator("[name=origin]").select_option(label=item["departure"])
        form.locator("[name=to]").select_option(label=item["destination"])
        form.locator("[name=day]").fill(day)
        form.locator("[name=at]").fill(item["time"].split("-")[0])
        form.locator("[name=people]").fill(str(self._people))
        _follow(page, form.get_by_role("button"))
        _require_booked(page)

    def _visit(self, page: Page, wanted: Purchase, day: str) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Sights").first)
        search = page.locator(".pl-search")
        search.locator("[name=q]").fill(wanted.place["name"])
        _follow(page, search.get_by_role("button"))
        _follow(
            page, page.locator("article").get_by_role("link", name=wanted.place["name"], exact=True).first
        )
        chooser = page.locator(".pl-day")
        chooser.locator("[name=day]").fill(day)
        _follow(page, chooser.get_by_role("button"))
        form = page.locator(".pl-visit")
        if wanted.place["kind"] == "restaurant":
            form.locator("[name=day]").select_option(day)
        else:
            form.locator("[name=ticket]").select_option(wanted.offer["id"])
        for name, said in wanted.fields.items():
            form.locator(f'[name="{name}"]').fill(said)
        _follow(page, form.get_by_role("button"))
        _require_booked(page)


def _follow(page: Page, control: Locator) -> None:
    """Click what leads to another page, and wait until that is there: what is asked of a page before is asked of the old one."""
    with page.expect_navigation():
        control.click()


def _require_booked(page: Page) -> None:
    if not page.url.endswith("/trip"):
        raise UnclickableItineraryError(
            f"it was not booked: {' '.join(page.inner_text('main, body').split())[:300]}"
        )
