"""The desk of a site: a form becomes an entry of a trip, or is refused with the reason."""

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
"""Minutes of a way that the map lacks; it costs nothing (the brief says so)."""
MOST_NOTE = 500
"""Characters of a note."""
_CLOCK = re.compile(r"([01]?\d|2\d):([0-5]\d)")
_WHOLE = re.compile(r"\d{1,4}")

Form = Mapping[str, str]


class BookingRefusedError(PlanspecError, ValueError):
    """A refused booking; the message gives the reason to the visitor."""


class Desk:
    """Books for trips through one city.

    Args:
        tables: tables of its world.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._actions: Mapping[str, Callable[[Trip, Form], Entry]] = {
            "visit": self._visit, "ride": self._ride, "stay": self._stay,
        }  # fmt: skip

    def book(self, trip: Trip, kind: str, form: Form) -> int:
        """Book, and return the number of the entry.

        Args:
            trip: trip to add the entry to.
            kind: `visit`, `ride` or `stay`.
            form: fields of the page's form.

        Raises:
            BookingRefusedError: the booking is not possible.
        """
        if trip.finished:
            raise BookingRefusedError("This trip is finished.")
        if len(trip.entries) >= MOST_ENTRIES:
            raise BookingRefusedError(f"A trip has no more than {MOST_ENTRIES} bookings.")
        return trip.add(self._actions[kind](trip, form))

    # ------------------------------------------------------------------ visits

    def _visit(self, trip: Trip, form: Form) -> Visit:
        place = self._one("place", form, "place", "Choose a place.")
        offer = self._one("offer", form, "ticket", "Choose a ticket.")
        if offer["place"] != place["id"]:
            raise BookingRefusedError("This ticket is for another place.")
        day, start = _day(form), _clock(form, "at")
        people, minutes = (
            _count(form, "people", "people", least=1),
            _count(form, "minutes", "minutes", least=1, most=MINUTES_A_DAY),
        )
        self._require_start(trip, offer, day, start, people)
        if place["kind"] == "restaurant":
            cost, bought = self._meals(place, form, people)
            item = "restaurant"
        else:
            cost, bought = self._tickets(trip, place, offer, form, people)
            item = "attraction"
        return Visit(
            "restaurant" if item == "restaurant" else "attraction", place["name"], offer["id"], people, day, start, minutes, cost, tuple(bought),
            form.get("note", "")[:MOST_NOTE],
        )  # fmt: skip

    def _require_start(self, trip: Trip, offer: WorldRow, day: str, start: int, people: int) -> None:
        """Check that the start exists and has enough places.

        Raises:
            BookingRefusedError: it does not.
        """
        entries = self._tables.of("entry", offer=offer["id"], day=day)
        if offer["booked"] != "true":
            open_to = [entry for entry in entries if entry["left"] != "0"]
            if open_to and not any(_minutes(entry["at"]) == start for entry in open_to):
                raise BookingRefusedError("Nobody is let in at that time. Look at the times of the day.")
            return
        start_entry = next((entry for entry in entries if _minutes(entry["at"]) == start), None)
        if start_entry is None:
            raise BookingRefusedError("There is no such start on this day. Look at the times of the day.")
        booked = sum(
            visit.people
            for visit in trip.visits
            if (visit.ticket, visit.day, visit.start) == (offer["id"], day, start)
        )
        left = max(0, int(start_entry["left"]) - booked)
        if not left:
            raise BookingRefusedError("This start is sold out.")
        if left < people:
            raise BookingRefusedError(f"There are not enough places left for {people} people.")

    def _tickets(
        self, trip: Trip, place: WorldRow, offer: WorldRow, form: Form, people: int
    ) -> tuple[Decimal, list[str]]:
        tables = self._tables
        cost, bought, holders = Decimal(), list[str](), 0
        for number, fare in enumerate(tables.of("fare", offer=offer["id"])):
            many = _count(form, f"fare:{offer['id']}:{number}", fare["name"])
            holders += many
            cost += self._pay(many, fare["name"], fare["price"], bought)
        family = tables.one("family_ticket", offer=offer["id"])
        if family is not None:
            many = _count(form, f"family:{offer['id']}", "family tickets")
            size = int(family["adults"]) + int(family["children"])
            if many and holders + (many - 1) * size >= people:
                raise BookingRefusedError(f"There are more family tickets than {people} people need.")
            holders = min(
                holders + many * size, max(holders, people)
            )  # a family ticket may have unused places
            cost += self._pay(many, "Family ticket", family["price"], bought)
        for addon in tables.of("addon", place=place["id"]):
            cost += self._pay(
                _count(form, f"addon:{addon['id']}", addon["name"]), addon["name"], addon["price"], bought
            )
        covered = 0
        for row in tables.of("covers", place=place["id"]):
            pass_ = tables.one("city_pass", id=row["pass"])
            if pass_ is not None:
                many = _count(form, f"pass:{pass_['id']}", pass_["name"])
                cost += self._pay(many, pass_["name"], pass_["price"], bought)
                covered += many + self._held(trip, pass_["name"])
        others = _chosen(form, "fare:", "family:") - {f"fare:{offer['id']}", f"family:{offer['id']}"}
        if others:
            raise BookingRefusedError("There are fares of another ticket among those that you chose.")
        if holders > people:
            raise BookingRefusedError(f"These are tickets for {holders}, and {people} go in.")
        if holders < people - min(covered, people - holders):
            raise BookingRefusedError(f"These are tickets for {holders}, and {people} go in. Who goes in with a pass has to have bought it.")  # fmt: skip
        return cost, bought

    def _held(self, trip: Trip, name: str) -> int:
        """Return the number of holders of a pass that was bought before."""
        return sum(
            int(item.partition(" ")[0])
            for visit in trip.visits
            for item in visit.bought
            if item.partition(" × ")[2] == name
        )

    def _meals(self, place: WorldRow, form: Form, people: int) -> tuple[Decimal, list[str]]:
        cost, bought, eaters = Decimal(), list[str](), 0
        for course in self._tables.of("menu", place=place["id"]):
            name = course["course"].replace("_", " ")
            many = _count(form, f"course:{course['course']}", name)
            eaters += many
            cost += self._pay(many, name, course["price"], bought)
        if eaters != people:
            raise BookingRefusedError(f"These are meals for {eaters}, and the table is for {people}.")
        return cost, bought

    def _pay(self, many: int, name: str, price: str, bought: list[str]) -> Decimal:
        if not many:
            return Decimal()
        bought.append(f"{many} × {name}")
        return many * _amount(price)

    # ------------------------------------------------------------------ rides and stays

    def _ride(self, _: Trip, form: Form) -> Ride:
        mode = form.get("mode", "")
        if mode not in modes(self._tables):
            raise BookingRefusedError("Choose how you go.")
        ends = [self._one("spot", form, name, "Choose both ends of the way.") for name in ("origin", "to")]
        if ends[0] is ends[1]:
            raise BookingRefusedError("Both ends of the way are the same.")
        people = _count(form, "people", "people", least=1)
        leg = self._tables.one("leg", origin=ends[0]["id"], to=ends[1]["id"], mode=mode)
        if leg is None:
            raise BookingRefusedError("Nobody goes this way like that.")
        minutes = minutes_of_length(leg["time"]) if leg["time"] else UNKNOWN_RIDE
        price = _amount(leg["cost"]) if leg["cost"] else Decimal()
        return Ride(
            self._name(ends[0]), self._name(ends[1]), mode, _day(form), _clock(form, "at"), minutes,
            price * people if mode == "bus" else price,
        )  # fmt: skip

    def _name(self, spot: WorldRow) -> str:
        table = "place" if spot["place"] else "hotel"
        row = self._tables.one(table, id=spot[table])
        assert row is not None, "the world's check knows each spot"
        return row["name"]

    def _stay(self, _: Trip, form: Form) -> Stay:
        hotel = self._one("hotel", form, "hotel", "Choose a hotel.")
        nights = _count(form, "nights", "nights", least=1, most=60)
        rooms = _count(form, "rooms", "rooms", least=1)
        return Stay(hotel["name"], nights, rooms, nights * rooms * _amount(hotel["rate"]))

    def _one(self, table: str, form: Form, field: str, missing: str) -> WorldRow:
        row = self._tables.one(table, id=form.get(field, ""))
        if row is None:
            raise BookingRefusedError(missing)
        return row


def _amount(price: str) -> Decimal:
    return Decimal(price.partition(" ")[0])


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def _clock(form: Form, field: str) -> int:
    text = form.get(field, "").strip()
    if not _CLOCK.fullmatch(text):
        raise BookingRefusedError("Write the time as 14:30; after midnight go on counting, 25:10.")
    return _minutes(text)


def _day(form: Form) -> str:
    try:
        return date.fromisoformat(form.get("day", "").strip()).isoformat()
    except ValueError:
        raise BookingRefusedError("Write the day as 2026-07-01.") from None


def _count(form: Form, field: str, name: str, *, least: int = 0, most: int = 99) -> int:
    text = form.get(field, "").strip() or "0"
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise BookingRefusedError(
            f"{name[:1].upper()}{name[1:]}: write a whole number from {least} to {most}."
        )
    return int(text)


def _chosen(form: Form, *prefixes: str) -> set[str]:
    """Return the tickets with a number in a form, such as `fare:colosseum_fast`."""
    names: Iterable[str] = (
        name
        for name, value in form.items()
        if name.startswith(prefixes) and value.strip() not in ("", "0", "00")
    )
    return {":".join(name.split(":")[:2]) for name in names}
