"""What somebody has booked on a site, and the itinerary that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal, TypeAlias

MOST_ENTRIES = 200
"""The most entries of one trip."""
MOST_REFUSALS = 200
"""The most refusals that are kept in words; all are counted."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A place at a time.

    Attributes:
        item: as itineraries call it.
        place: its name.
        ticket: the id of the offer that is booked.
        people: who go in.
        day: such as `2026-07-01`.
        start: minutes after that day's midnight.
        minutes: that it takes.
        cost: of all tickets or meals, in the world's currency.
        bought: what is paid for, in words.
        note: what the visitor wrote; never markup.
    """

    item: Literal["attraction", "restaurant"]
    place: str
    ticket: str
    people: int
    day: str
    start: int
    minutes: int
    cost: Decimal
    bought: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ride:
    """A way from one place to another; `mode` as the world calls it."""

    origin: str
    destination: str
    mode: str
    day: str
    start: int
    minutes: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Stay:
    """The hotel of the trip."""

    hotel: str
    nights: int
    rooms: int
    cost: Decimal


Entry: TypeAlias = Visit | Ride | Stay


@dataclass(slots=True)
class Trip:
    """A trip that grows.

    Attributes:
        seed: of the site's looks.
        entries: by number, in the order in which they were made.
        finished: whether its traveller is done.
        refused: how many bookings were refused: by trying one learns what pages tell to the eye.
        refusals: the first of them: the form, and what was said.
    """

    seed: int = 0
    entries: dict[int, Entry] = field(default_factory=dict)
    finished: bool = False
    refused: int = 0
    refusals: list[tuple[str, str]] = field(default_factory=list)
    _next: int = 1

    def add(self, entry: Entry) -> int:
        """Take an entry in, and return its number; a stay takes the place of the one before."""
        if isinstance(entry, Stay):
            self.entries = {
                number: kept for number, kept in self.entries.items() if not isinstance(kept, Stay)
            }
        number, self._next = self._next, self._next + 1
        self.entries[number] = entry
        return number

    def refuse(self, form: str, said: str) -> None:
        """Note that a booking was refused."""
        self.refused += 1
        if len(self.refusals) < MOST_REFUSALS:
            self.refusals.append((form, said))

    @property
    def visits(self) -> list[Visit]:
        """All visits, in the order in which they were booked."""
        return [entry for entry in self.entries.values() if isinstance(entry, Visit)]

    @property
    def stay(self) -> Stay | None:
        """The hotel, if one is booked."""
        return next((entry for entry in self.entries.values() if isinstance(entry, Stay)), None)

    @property
    def cost(self) -> Decimal:
        """Of everything."""
        return sum((entry.cost for entry in self.entries.values()), Decimal())

    def days(self) -> list[tuple[str, list[tuple[int, Visit | Ride]]]]:
        """Visits and rides with their numbers, by day and by their start."""
        dated = [(number, entry) for number, entry in self.entries.items() if not isinstance(entry, Stay)]
        return [
            (day, sorted(((n, e) for n, e in dated if e.day == day), key=lambda one: (one[1].start, one[0])))
            for day in sorted({entry.day for _, entry in dated})
        ]

    def state(self) -> dict[str, Any]:
        """The trip as JSON; amounts are numbers."""
        entries = [
            {
                "id": number, "kind": type(entry).__name__.lower(), **asdict(entry), "cost": float(entry.cost),
                **({"bought": list(entry.bought)} if isinstance(entry, Visit) else {}),
            }
            for number, entry in self.entries.items()
        ]  # fmt: skip
        return {
            "seed": self.seed, "finished": self.finished, "cost": float(self.cost), "entries": entries, "answer": self.itinerary(),
            "refused": self.refused, "refusals": [{"form": form, "said": said} for form, said in self.refusals],
        }  # fmt: skip

    def itinerary(self) -> dict[str, Any]:
        """The answer that it makes, as agents write it: each day begins and ends at the hotel, if there is one."""
        days = self.days()
        return {
            "itinerary": [
                {"date": _date(day), "schedule": self._schedule([entry for _, entry in entries], first=n == 0)}
                for n, (day, entries) in enumerate(days)
            ]
        }  # fmt: skip

    def _schedule(self, entries: Sequence[Visit | Ride], *, first: bool) -> list[dict[str, Any]]:
        items = [_item(entry) for entry in entries]
        stay = self.stay
        if stay is None:
            return items
        begin = min(8 * 60, *(entry.start for entry in entries))
        end = max(entry.start + entry.minutes for entry in entries)
        nights = [
            _written("hotel", at, at, stay.hotel, stay.hotel, cost)
            for at, cost in ((begin, stay.cost if first else Decimal()), (end, Decimal()))
        ]
        return [nights[0], *items, nights[1]]


def _item(entry: Visit | Ride) -> dict[str, Any]:
    end = entry.start + entry.minutes
    if isinstance(entry, Visit):
        return _written(entry.item, entry.start, end, entry.place, entry.place, entry.cost)
    return _written(
        "transportation", entry.start, end, entry.origin, entry.destination, entry.cost, entry.mode
    )


def _written(
    item: str, start: int, end: int, origin: str, destination: str, cost: Decimal, mode: str = "none"
) -> dict[str, Any]:
    return {
        "item": item, "time": f"{clock(start)}-{clock(end)}", "departure": origin, "destination": destination, "cost": float(cost),
        "transportation": mode, "referenceImage": "booked on the site",
    }  # fmt: skip


def _date(day: str) -> str:
    read = date.fromisoformat(day)
    return f"{read.month}.{read.day}"


def clock(minutes: int) -> str:
    """Minutes after midnight as a time; past midnight it goes on counting, `25:10`."""
    return f"{minutes // 60:02}:{minutes % 60:02}"
