"""Automatic visitor that books an itinerary by clicking: it searches, fills in forms, and finishes the trip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.task import Task
from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import show
from planspec.errors import PlanspecError
from planspec.families.worldtravel.site.purchases import Purchase, find_purchase, parse_price
from planspec.families.worldtravel.webscape.tables import Tables

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Itinerary = Sequence[Mapping[str, Any]]
"""The days of an answer. Each day has a date and a schedule."""


class UnclickableItineraryError(PlanspecError, ValueError):
    """An itinerary cannot be booked by clicking. The message names the part that cannot be booked."""


class Visitor:
    """Automatic visitor that books itineraries of a task on the city's site.

    Args:
        tables: tables of the city.
        task: task with the travellers and the days of the trip.
        url: address of the site, without a trailing slash.
    """

    def __init__(self, tables: Tables, task: Task, url: str) -> None:
        self._tables, self._task, self._url = tables, task, url
        self._people = len(task.facts["Traveller"].rows)
        self._dates = sorted(date.fromisoformat(show(day, ScalarType.DATE, None)) for day in task.givens["trip"])

    def book(self, page: Page, itinerary: Itinerary) -> None:
        """Book an itinerary, and finish the trip.

        Args:
            page: browser page of the booking session.
            itinerary: itinerary to book.

        Raises:
            UnclickableItineraryError: a part of the itinerary cannot be booked.
        """
        for day, item in self._dated_items(itinerary):
            match item["item"]:
                case "hotel" if item["cost"]:
                    self._book_stay(page, item)
                case "transportation":
                    self._book_ride(page, item, day)
                case "attraction" | "restaurant":
                    self._book_visit(page, self._require_purchase(day, item), day)
        page.goto(f"{self._url}/trip")
        _follow(page, page.get_by_role("button", name="Finish"))

    def _dated_items(self, itinerary: Itinerary) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for day in itinerary:
            date_ = self._iso_date(day["date"])
            for item in day["schedule"]:
                yield date_, item

    def _iso_date(self, text: str) -> str:
        month, number = (int(part) for part in text.split("."))
        match = next((day for day in self._dates if (day.month, day.day) == (month, number)), None)
        if match is None:
            raise UnclickableItineraryError(f"the trip has no day {text}")
        return match.isoformat()

    def _require_purchase(self, day: str, item: Mapping[str, Any]) -> Purchase:
        form = find_purchase(self._tables, self._task, day, item)
        if form is None:
            raise UnclickableItineraryError(
                f"{item['destination']}, {day} {item['time']}: nothing that can be bought costs {item['cost']}"
            )
        return form

    # ------------------------------------------------------------------ forms

    def _book_stay(self, page: Page, item: Mapping[str, Any]) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Hotels").first)
        hotel = self._tables.row_where("hotel", name=item["destination"])
        if hotel is None:
            raise UnclickableItineraryError(f"there is no hotel {item['destination']}")
        rooms = -(-self._people // 2)
        nights = Decimal(str(item["cost"])) / rooms / parse_price(hotel["rate"])
        form = page.locator(".pl-stay")
        form.locator("select").select_option(label=hotel["name"])
        form.locator("[name=rooms]").fill(str(rooms))
        form.locator("[name=nights]").fill(str(int(nights)))
        _follow(page, form.get_by_role("button"))
        _require_booked(page)

    def _book_ride(self, page: Page, item: Mapping[str, Any], day: str) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Getting around").first)
        mode_link = page.get_by_role("link", name=f"By {item['transportation']}")
        if mode_link.count():  # If there is no link to the mode, the page already shows the mode.
            _follow(page, mode_link.first)
        form = page.locator(".pl-ride")
        form.locator("[name=origin]").select_option(label=item["departure"])
        form.locator("[name=to]").select_option(label=item["destination"])
        form.locator("[name=day]").fill(day)
        form.locator("[name=at]").fill(item["time"].split("-")[0])
        form.locator("[name=people]").fill(str(self._people))
        _follow(page, form.get_by_role("button"))
        _require_booked(page)

    def _book_visit(self, page: Page, booking: Purchase, day: str) -> None:
        page.goto(f"{self._url}/")
        _follow(page, page.get_by_role("link", name="Sights").first)
        search = page.locator(".pl-search")
        search.locator("[name=q]").fill(booking.place["name"])
        _follow(page, search.get_by_role("button"))
        _follow(page, page.locator("article").get_by_role("link", name=booking.place["name"], exact=True).first)
        chooser = page.locator(".pl-day")
        chooser.locator("[name=day]").fill(day)
        _follow(page, chooser.get_by_role("button"))
        form = page.locator(".pl-visit")
        if booking.place["kind"] == "restaurant":
            form.locator("[name=day]").select_option(day)
        else:
            form.locator("[name=ticket]").select_option(booking.offer["id"])
        for name, value in booking.fields.items():
            form.locator(f'[name="{name}"]').fill(value)
        _follow(page, form.get_by_role("button"))
        _require_booked(page)


def _follow(page: Page, control: Locator) -> None:
    """Click a control, and wait for the next page. Later queries then do not see the old page."""
    with page.expect_navigation():
        control.click()


def _require_booked(page: Page) -> None:
    if not page.url.endswith("/trip"):
        raise UnclickableItineraryError(f"it was not booked: {' '.join(page.inner_text('main, body').split())[:300]}")
