"""What a page of a kind has to tell: the rows of the world from which its template is filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from planspec.families.worldtravel.webscape.forms import minutes_of_length
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec, modes
from planspec.families.worldtravel.webscape.tables import Row, Tables

LUNCH_UNTIL = "17:00"
BREAKFAST_UNTIL = "11:00"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A way to go in, on one day.

    Attributes:
        offer: its row.
        entries: its starts on the day; those that nobody can have any more only where one books.
        show: what is played, if anything is.
        fares: what it costs, by age.
        family: its family ticket, if there is one.
        parts: what it includes.
    """

    offer: Row
    entries: list[Row]
    show: Row | None
    fares: list[Row]
    family: Row | None
    parts: list[Row]

    @property
    def hours(self) -> list[str]:
        """The hours in which it has starts."""
        return sorted({entry["at"][:2] for entry in self.entries})

    def starts(self, hour: str) -> list[Row]:
        """Its starts within an hour."""
        return [entry for entry in self.entries if entry["at"].startswith(hour)]


@dataclass(frozen=True, slots=True)
class TableDay:
    """A day of a restaurant: its hours, and its starts of lunch and of dinner, without those that nobody can have where none books."""

    day: str
    windows: list[Row]
    lunch: list[Row]
    dinner: list[Row]


def view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """The names that the templates of a page's kind may use.

    Args:
        tables: of the world.
        spec: the page.
    """
    return _VIEWS[spec.kind](tables, spec)


def _attractions(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`places`: rows of `place`; `passes`: pairs of a city pass and the rows of `covers`."""
    return {"places": tables.of("place", kind="attraction"), "passes": _passes(tables, None)}


def _restaurants(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`places`: rows of `place`."""
    return {"places": tables.of("place", kind="restaurant")}


def _hotels(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`hotels`: rows of `hotel`."""
    return {"hotels": tables.rows("hotel")}


def _ways(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`mode`, `spots`, `leg(a, b)`, `minutes(row)`, `lacking`, `uneven`, `apart`, `longest`.

    `spots` are pairs of a spot's id and the row of its place or hotel, `leg` is the row of a way, or none, and `minutes` what
    it takes, 0 where the map does not say. `lacking` says whether a time or a price is not known, `uneven` whether any way differs from
    the way back, `apart` that there are no ways between hotels; `longest` is the most minutes of a way.
    """
    spots = []
    for spot in tables.rows("spot"):
        row = (
            tables.one("place", id=spot["place"]) if spot["place"] else tables.one("hotel", id=spot["hotel"])
        )
        if row is not None:
            spots.append((spot["id"], row))
    legs = tables.of("leg", mode=spec.of)
    hotels = {spot["id"] for spot in tables.rows("spot") if spot["hotel"]}
    return {
        "mode": spec.of,
        "spots": spots,
        "leg": lambda a, b: tables.one("leg", origin=a, to=b, mode=spec.of),
        "minutes": lambda row: minutes_of_length(row["time"]) if row["time"] else 0,
        "modes": modes(tables),
        "lacking": any(not (row["time"] and row["cost"]) for row in legs),
        "uneven": any(
            _differs(row, tables.one("leg", origin=row["to"], to=row["origin"], mode=spec.of)) for row in legs
        ),
        "apart": not any(row["origin"] in hotels and row["to"] in hotels for row in legs),
        "longest": max((minutes_of_length(row["time"]) for row in legs if row["time"]), default=1),
    }


def _differs(there: Row, back: Row | None) -> bool:
    return back is None or (there["time"], there["cost"]) != (back["time"], back["cost"])


def _booking(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """What is sold on a day.

    `place`, `day`, `hours` of starts, `windows` (none where it is closed), `tickets` (`Ticket`), `reserved` (whether any of them is booked),
    `addons`, `passes`, `light`, `part_windows`.
    """
    (place,) = tables.of("place", id=spec.of)
    day = spec.days[0]
    offers = [o for o in tables.of("offer", place=spec.of) if spec.variant in ("", o["id"])]
    tickets = []
    for offer in offers:
        entries = tables.of("entry", offer=offer["id"], day=day)
        if entries or not offer["show"]:
            tickets.append(_ticket(tables, offer, entries))
    return {
        "place": place, "day": day, "hours": sorted({hour for ticket in tickets for hour in ticket.hours}), "windows": tables.of("window", place=spec.of, day=day), "tickets": tickets,
        "reserved": any(ticket.offer["booked"] == "true" for ticket in tickets),
        "addons": tables.of("addon", place=spec.of), "passes": _passes(tables, spec.of),
        "part_windows": [
            (part, tables.of("part_window", part=part["id"], day=day)) for part in tables.of("part", place=spec.of)
            if tables.rows("part_window") and tables.of("part_window", part=part["id"], day=day)
        ],
    }  # fmt: skip


def _ticket(tables: Tables, offer: Row, entries: list[Row]) -> Ticket:
    entries = _shown(offer, entries)
    parts = [tables.one("part", id=row["part"]) for row in tables.of("includes", offer=offer["id"])]
    return Ticket(
        offer, entries, tables.one("show", id=offer["show"]) if offer["show"] else None,
        tables.of("fare", offer=offer["id"]), tables.one("family_ticket", offer=offer["id"]),
        [part for part in parts if part is not None],
    )  # fmt: skip


def _shown(offer: Row, entries: list[Row]) -> list[Row]:
    return [entry for entry in entries if offer["booked"] == "true" or entry["left"] != "0"]


def _passes(tables: Tables, place: str | None) -> list[tuple[Row, list[Row]]]:
    found = []
    for bought in tables.rows("city_pass"):
        covers = tables.of("covers", **{"pass": bought["id"]})
        if place is None or any(row["place"] == place for row in covers):
            found.append((bought, covers))
    return found


def _reservation(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """A week of a restaurant.

    `place`, `offer`, `days`: a `TableDay` each; `daily`: the hours of each day where they are the same on all, else none; `times` of all
    starts, those before `lunch_until` of lunch; `noon`, what that is called.
    """
    (place,) = tables.of("place", id=spec.of)
    (offer,) = tables.of("offer", place=spec.of)
    days = []
    for day in spec.days:
        entries = _shown(offer, tables.of("entry", offer=offer["id"], day=day))
        days.append(
            TableDay(
                day,
                tables.of("window", place=spec.of, day=day),
                [entry for entry in entries if entry["at"] < LUNCH_UNTIL],
                [entry for entry in entries if entry["at"] >= LUNCH_UNTIL],
            )
        )
    times = sorted({entry["at"] for day in days for entry in (*day.lunch, *day.dinner)})
    windows = [window for day in days for window in day.windows]
    hours = {(window["open"], window["close"]) for window in windows}
    daily = windows if len(hours) == 1 and all(len(day.windows) == 1 for day in days) else []
    return {"place": place, "offer": offer, "days": days, "daily": daily, "times": times, "lunch_until": LUNCH_UNTIL,
            "noon": "Daytime" if times and times[0] < BREAKFAST_UNTIL else "Lunch"}  # fmt: skip


def _guide(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `variant`, `dwell`, `light`, `parts`, `routes`, `shows`, `running`; empty where this writer does not know.

    `dwell` has rows by style, each by profile; `routes` are pairs of a route and the rows of `passes`.
    Who blogs tells how long one stays and when the light is best, a magazine what there is to see and what is played, the
    official guide all of it.
    """
    (place,) = tables.of("place", id=spec.of)
    stays, sees = spec.variant in ("blog", "official"), spec.variant in ("magazine", "official")
    return {
        "place": place, "variant": spec.variant, "dwell": _dwell(tables, spec.of) if stays else {},
        "light": tables.one("light", place=spec.of) if stays else None,
        "parts": tables.of("part", place=spec.of) if sees else [], "routes": _routes(tables, spec.of) if sees else [],
        "shows": tables.of("show", house=spec.of) if sees and tables.rows("show") else [],
        "running": tables.of("running", house=spec.of) if sees and tables.rows("running") else [],
    }  # fmt: skip


def _dwell(tables: Tables, place: str) -> dict[str, dict[str, Row]]:
    found: dict[str, dict[str, Row]] = {}
    for row in tables.of("dwell", place=place):
        found.setdefault(row["style"], {})[row["profile"]] = row
    return found


def _routes(tables: Tables, place: str) -> list[tuple[Row, list[Row]]]:
    if not tables.rows("route"):
        return []
    return [(route, tables.of("passes", route=route["id"])) for route in tables.of("route", place=place)]


def _floor_plan(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `parts`, `routes`, `ring`, `storeys`.

    `routes` are pairs of a route and the rows of `passes`, `ring` has the parts with their x and y on a circle about 0 of
    radius 1, `storeys` has them from the top down.
    """
    (place,) = tables.of("place", id=spec.of)
    parts = tables.of("part", place=spec.of)
    turns = [2 * pi * number / len(parts) for number in range(len(parts))]
    return {
        "place": place, "parts": parts, "routes": _routes(tables, spec.of),
        "ring": [(part, round(sin(turn), 3), round(-cos(turn), 3)) for part, turn in zip(parts, turns, strict=True)],
        "storeys": sorted(parts, key=lambda part: int(part["steps"]))[::-1],
    }  # fmt: skip


def _menu(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `courses`: rows of `menu`."""
    (place,) = tables.of("place", id=spec.of)
    return {"place": place, "courses": tables.of("menu", place=spec.of)}


def _dining(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `dwell`: rows by style, each by profile; `offer`."""
    (place,) = tables.of("place", id=spec.of)
    (offer,) = tables.of("offer", place=spec.of)
    return {"place": place, "dwell": _dwell(tables, spec.of), "offer": offer}


_VIEWS = {
    "attractions": _attractions, "restaurants": _restaurants, "hotels": _hotels, "ways": _ways, "booking": _booking,
    "reservation": _reservation, "guide": _guide, "floor_plan": _floor_plan, "menu": _menu, "dining": _dining,
}  # fmt: skip
