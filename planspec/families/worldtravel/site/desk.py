"""Booking desk of a site. It adds the booking in a submitted form to a trip, or refuses it with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.errors import PlanspecError
from planspec.families.worldtravel.site.trip import MOST_ENTRIES, Entry, Ride, Stay, Trip, Visit
from planspec.families.worldtravel.webscape.forms import minutes_of_length
from planspec.families.worldtravel.webscape.plan_of_site import modes
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

UNKNOWN_RIDE = 10
"""Assumed duration, in minutes, of a route without a duration on the map. Agents are told it in their brief."""
MOST_NOTE = 500
"""Maximum number of characters of a visitor's note."""
_CLOCK = re.compile(r"([01]?\d|2\d):([0-5]\d)")
_WHOLE = re.compile(r"\d{1,4}")

Form = Mapping[str, str]


class BookingRefusedError(PlanspecError, ValueError):
    """A booking is refused. The message gives the reason."""


class BookingDesk:
    """The booking desk of a city.

    Args:
        tables: tables of the city.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._actions: Mapping[str, Callable[[Trip, Form], Entry]] = {
            "visit": self._make_visit,
            "ride": self._make_ride,
            "stay": self._make_stay,
        }

    def book(self, trip: Trip, kind: str, form: Form) -> int:
        """Add a booking to a trip, and return its number.

        Args:
            trip: trip to which the booking is added.
            kind: `visit`, `ride` or `stay`.
            form: fields of the form on the page.

        Raises:
            BookingRefusedError: the booking is not possible.
        """
        if trip.finished:
            raise BookingRefusedError("This trip is finished.")
        if len(trip.entries) >= MOST_ENTRIES:
            raise BookingRefusedError(f"A trip has no more than {MOST_ENTRIES} bookings.")
        return trip.add(self._actions[kind](trip, form))

    # ------------------------------------------------------------------ visits

    def _make_visit(self, trip: Trip, form: Form) -> Visit:
        place = self._require_row("place", form, "place", "Choose a place.")
        offer = self._require_row("offer", form, "ticket", "Choose a ticket.")
        if offer["place"] != place["id"]:
            raise BookingRefusedError("This ticket is for another place.")
        day, start = _read_day(form), _read_clock(form, "at")
        people, minutes = (
            _read_count(form, "people", "people", least=1),
            _read_count(form, "minutes", "minutes", least=1, most=MINUTES_A_DAY),
        )
        self._require_start(trip, offer, day, start, people)
        if place["kind"] == "restaurant":
            cost, bought = self._buy_meals(place, form, people)
            item = "restaurant"
        else:
            cost, bought = self._buy_tickets(trip, place, offer, form, people)
            item = "attraction"
        return Visit(
            "restaurant" if item == "restaurant" else "attraction",
            place["name"],
            offer["id"],
            offer["name"],
            people,
            day,
            start,
            minutes,
            cost,
            tuple(bought),
            form.get("note", "")[:MOST_NOTE],
        )

    def _require_start(self, trip: Trip, offer: WorldRow, day: str, start: int, people: int) -> None:
        """Check that an offer (ticket or table) has a start time with enough free places.

        Raises:
            BookingRefusedError: the start time does not exist, or has too few free places.
        """
        entries = self._tables.rows_where("entry", offer=offer["id"], day=day)
        if offer["booked"] != "true":
            open_to = [entry for entry in entries if entry["left"] != "0"]
            if open_to and not any(_parse_clock(entry["at"]) == start for entry in open_to):
                raise BookingRefusedError("Nobody is let in at that time. Look at the times of the day.")
            return
        start_entry = next((entry for entry in entries if _parse_clock(entry["at"]) == start), None)
        if start_entry is None:
            raise BookingRefusedError("There is no such start on this day. Look at the times of the day.")
        booked = sum(
            visit.people for visit in trip.visits if (visit.ticket, visit.day, visit.start) == (offer["id"], day, start)
        )
        left = max(0, int(start_entry["left"]) - booked)
        if not left:
            raise BookingRefusedError("This start is sold out.")
        if left < people:
            raise BookingRefusedError(f"There are not enough places left for {people} people.")

    def _buy_tickets(
        self, trip: Trip, place: WorldRow, offer: WorldRow, form: Form, people: int
    ) -> tuple[Decimal, list[str]]:
        tables = self._tables
        cost, bought, holders = Decimal(), list[str](), 0
        for number, fare in enumerate(tables.rows_where("fare", offer=offer["id"])):
            quantity = _read_count(form, f"fare:{offer['id']}:{number}", fare["name"])
            holders += quantity
            cost += self._buy(quantity, fare["name"], fare["price"], bought)
        family = tables.row_where("family_ticket", offer=offer["id"])
        if family is not None:
            quantity = _read_count(form, f"family:{offer['id']}", "family tickets")
            size = int(family["adults"]) + int(family["children"])
            if quantity and holders + (quantity - 1) * size >= people:
                raise BookingRefusedError(f"There are more family tickets than {people} people need.")
            holders = min(
                holders + quantity * size, max(holders, people)
            )  # a family ticket may admit more people than the party has
            cost += self._buy(quantity, "Family ticket", family["price"], bought)
        for addon in tables.rows_where("addon", place=place["id"]):
            cost += self._buy(
                _read_count(form, f"addon:{addon['id']}", addon["name"]),
                addon["name"],
                addon["price"],
                bought,
            )
        covered = 0
        for row in tables.rows_where("covers", place=place["id"]):
            pass_ = tables.row_where("city_pass", id=row["pass"])
            if pass_ is not None:
                quantity = _read_count(form, f"pass:{pass_['id']}", pass_["name"])
                cost += self._buy(quantity, pass_["name"], pass_["price"], bought)
                covered += quantity + self._count_pass_holders(trip, pass_["name"])
        others = _chosen_tickets(form, "fare:", "family:") - {f"fare:{offer['id']}", f"family:{offer['id']}"}
        if others:
            raise BookingRefusedError("There are fares of another ticket among those that you chose.")
        if holders > people:
            raise BookingRefusedError(f"These are tickets for {holders}, and {people} go in.")
        if holders < people - min(covered, people - holders):
            raise BookingRefusedError(
                f"These are tickets for {holders}, and {people} go in. Who goes in with a pass has to have bought it."
            )
        return cost, bought

    def _count_pass_holders(self, trip: Trip, name: str) -> int:
        """Return how many people hold a pass with this name. Passes are bought with earlier visits."""
        return sum(
            int(item.partition(" ")[0])
            for visit in trip.visits
            for item in visit.bought
            if item.partition(" × ")[2] == name
        )

    def _buy_meals(self, place: WorldRow, form: Form, people: int) -> tuple[Decimal, list[str]]:
        cost, bought, eaters = Decimal(), list[str](), 0
        for course in self._tables.rows_where("menu", place=place["id"]):
            name = course["course"].replace("_", " ")
            quantity = _read_count(form, f"course:{course['course']}", name)
            eaters += quantity
            cost += self._buy(quantity, name, course["price"], bought)
        if eaters != people:
            raise BookingRefusedError(f"These are meals for {eaters}, and the table is for {people}.")
        return cost, bought

    def _buy(self, quantity: int, name: str, price: str, bought: list[str]) -> Decimal:
        if not quantity:
            return Decimal()
        bought.append(f"{quantity} × {name}")
        return quantity * _parse_amount(price)

    # ------------------------------------------------------------------ rides and stays

    def _make_ride(self, _: Trip, form: Form) -> Ride:
        mode = form.get("mode", "")
        if mode not in modes(self._tables):
            raise BookingRefusedError("Choose how you go.")
        ends = [self._require_row("spot", form, name, "Choose both ends of the way.") for name in ("origin", "to")]
        if ends[0] is ends[1]:
            raise BookingRefusedError("Both ends of the way are the same.")
        people = _read_count(form, "people", "people", least=1)
        leg = self._tables.row_where("leg", origin=ends[0]["id"], to=ends[1]["id"], mode=mode)
        if leg is None:
            raise BookingRefusedError("Nobody goes this way like that.")
        minutes = minutes_of_length(leg["time"]) if leg["time"] else UNKNOWN_RIDE
        price = _parse_amount(leg["cost"]) if leg["cost"] else Decimal()
        return Ride(
            self._spot_name(ends[0]),
            self._spot_name(ends[1]),
            mode,
            _read_day(form),
            _read_clock(form, "at"),
            minutes,
            price * people if mode == "bus" else price,
        )

    def _spot_name(self, spot: WorldRow) -> str:
        table = "place" if spot["place"] else "hotel"
        row = self._tables.row_where(table, id=spot[table])
        assert row is not None, "the world's check knows each spot"
        return row["name"]

    def _make_stay(self, _: Trip, form: Form) -> Stay:
        hotel = self._require_row("hotel", form, "hotel", "Choose a hotel.")
        nights = _read_count(form, "nights", "nights", least=1, most=60)
        rooms = _read_count(form, "rooms", "rooms", least=1)
        return Stay(hotel["name"], nights, rooms, nights * rooms * _parse_amount(hotel["rate"]))

    def _require_row(self, table: str, form: Form, field: str, missing: str) -> WorldRow:
        row = self._tables.row_where(table, id=form.get(field, ""))
        if row is None:
            raise BookingRefusedError(missing)
        return row


def _parse_amount(price: str) -> Decimal:
    return Decimal(price.partition(" ")[0])


def _parse_clock(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _read_clock(form: Form, field: str) -> int:
    text = form.get(field, "").strip()
    if not _CLOCK.fullmatch(text):
        raise BookingRefusedError("Write the time as 14:30; after midnight go on counting, 25:10.")
    return _parse_clock(text)


def _read_day(form: Form) -> str:
    try:
        return date.fromisoformat(form.get("day", "").strip()).isoformat()
    except ValueError:
        raise BookingRefusedError("Write the day as 2026-07-01.") from None


def _read_count(form: Form, field: str, name: str, *, least: int = 0, most: int = 99) -> int:
    text = form.get(field, "").strip() or "0"
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise BookingRefusedError(f"{name[:1].upper()}{name[1:]}: write a whole number from {least} to {most}.")
    return int(text)


def _chosen_tickets(form: Form, *prefixes: str) -> set[str]:
    """Return the tickets chosen in the form, each as `fare:ID` or `family:ID`."""
    names: Iterable[str] = (
        name for name, value in form.items() if name.startswith(prefixes) and value.strip() not in ("", "0", "00")
    )
    return {":".join(name.split(":")[:2]) for name in names}
