"""Bookings of a session, and their conversion to an itinerary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeAlias

MOST_ENTRIES = 200
"""Maximum number of bookings in one trip."""
MOST_REFUSALS = 200
"""Maximum number of refused bookings with stored messages. All refusals are counted."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A booked visit to a place.

    Attributes:
        item: kind of the visit in itineraries.
        place: name of the place.
        ticket: id of the offer.
        ticket_name: name of the offer.
        people: number of people.
        day: date such as `2026-07-01`.
        start: minutes after midnight.
        minutes: duration in minutes.
        cost: cost of all tickets or meals, in the city's currency.
        bought: numbers and names of the purchases, such as `2 × Adult`.
        note: the visitor's note, which is never treated as markup.
    """

    item: Literal["attraction", "restaurant"]
    place: str
    ticket: str
    ticket_name: str
    people: int
    day: str
    start: int
    minutes: int
    cost: Decimal
    bought: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ride:
    """A booked ride or walk between two places or hotels.

    Attributes:
        origin: name of the place or hotel where the route begins.
        destination: name of the place or hotel where the route ends.
        mode: mode of transport, as named in the city's tables.
        day: date such as `2026-07-01`.
        start: minutes after midnight.
        minutes: duration in minutes.
        cost: cost for all people, in the city's currency.
    """

    origin: str
    destination: str
    mode: str
    day: str
    start: int
    minutes: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Stay:
    """The booked stay at a hotel: its name, the numbers of nights and rooms, and the cost in the city's currency."""

    hotel: str
    nights: int
    rooms: int
    cost: Decimal


Entry: TypeAlias = Visit | Ride | Stay


@dataclass(slots=True)
class Trip:
    """The bookings of a session.

    Attributes:
        seed: seed of the site's visual style.
        entries: bookings by number, in the order of booking.
        finished: whether the traveller has declared the trip finished.
        refused_count: number of refused bookings. Refusals reveal facts that pages show only visually, so an agent
            could try out bookings instead of looking at pages.
        refusals: kinds and messages of the first refusals.
    """

    seed: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    finished: bool = False
    refused_count: int = 0
    refusals: list[tuple[str, str]] = field(default_factory=list)
    _next: int = 1

    def add(self, entry: Entry) -> int:
        """Add a booking, and return its number. A stay replaces the previous stay."""
        if isinstance(entry, Stay):
            self.entries = {number: entry for number, entry in self.entries.items() if not isinstance(entry, Stay)}
        number, self._next = self._next, self._next + 1
        self.entries[number] = entry
        return number

    def refuse(self, form: str, message: str) -> None:
        """Record a refused booking: the kind of its form, and the reason as a message."""
        self.refused_count += 1
        if len(self.refusals) < MOST_REFUSALS:
            self.refusals.append((form, message))

    @property
    def visits(self) -> list[Visit]:
        """The booked visits, in the order of booking."""
        return [entry for entry in self.entries.values() if isinstance(entry, Visit)]

    @property
    def stay(self) -> Stay | None:
        """The booked stay, or None."""
        return next((entry for entry in self.entries.values() if isinstance(entry, Stay)), None)

    @property
    def cost(self) -> Decimal:
        """Total cost of the bookings."""
        return sum((entry.cost for entry in self.entries.values()), Decimal())

    def days(self) -> list[tuple[str, list[tuple[int, Visit | Ride]]]]:
        """Return each day with its visits and rides.

        They are sorted by start, and each has the number of its booking.
        """
        numbered = [(number, entry) for number, entry in self.entries.items() if not isinstance(entry, Stay)]
        return [
            (
                day,
                sorted(((n, e) for n, e in numbered if e.day == day), key=lambda one: (one[1].start, one[0])),
            )
            for day in sorted({entry.day for _, entry in numbered})
        ]

    def state(self) -> dict[str, Any]:
        """Return the trip as JSON, with amounts as numbers."""
        entries = [
            {
                "id": number,
                "kind": type(entry).__name__.lower(),
                **asdict(entry),
                "cost": float(entry.cost),
                **({"bought": list(entry.bought)} if isinstance(entry, Visit) else {}),
            }
            for number, entry in self.entries.items()
        ]
        return {
            "seed": self.seed,
            "finished": self.finished,
            "cost": float(self.cost),
            "entries": entries,
            "answer": self.itinerary(),
            "refused": self.refused_count,
            "refusals": [{"form": form, "said": message} for form, message in self.refusals],
        }

    def itinerary(self) -> dict[str, Any]:
        """Return the trip as an agent's answer. If a stay is booked, each day begins and ends at the hotel."""
        days = self.days()
        return {
            "itinerary": [
                {"date": _month_and_day(day), "schedule": self._schedule([entry for _, entry in entries], first=n == 0)}
                for n, (day, entries) in enumerate(days)
            ]
        }

    def _schedule(self, entries: Sequence[Visit | Ride], *, first: bool) -> list[dict[str, Any]]:
        items = [_item_of(entry) for entry in entries]
        stay = self.stay
        if stay is None:
            return items
        begin = min(8 * 60, *(entry.start for entry in entries))
        end = max(entry.start + entry.minutes for entry in entries)
        nights = [
            _item_json("hotel", at, at, stay.hotel, stay.hotel, cost)
            for at, cost in ((begin, stay.cost if first else Decimal()), (end, Decimal()))
        ]
        return [nights[0], *items, nights[1]]


def _item_of(entry: Visit | Ride) -> dict[str, Any]:
    end = entry.start + entry.minutes
    if isinstance(entry, Visit):
        item = _item_json(entry.item, entry.start, end, entry.place, entry.place, entry.cost)
        return item | {"ticket": entry.ticket_name}
    return _item_json("transportation", entry.start, end, entry.origin, entry.destination, entry.cost, entry.mode)


def _item_json(
    item: str, start: int, end: int, origin: str, destination: str, cost: Decimal, mode: str = "none"
) -> dict[str, Any]:
    return {
        "item": item,
        "time": f"{format_clock(start)}-{format_clock(end)}",
        "departure": origin,
        "destination": destination,
        "cost": float(cost),
        "transportation": mode,
        "referenceImage": "booked on the site",
    }


def _month_and_day(day: str) -> str:
    parsed = date.fromisoformat(day)
    return f"{parsed.month}.{parsed.day}"


def format_clock(minutes: int) -> str:
    """Format minutes after midnight as a time. Times on the next day have hours from 24, such as `25:10`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"
