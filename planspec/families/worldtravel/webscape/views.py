"""Content of pages by kind: the rows of the world that fill their templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Any

from planspec.families.worldtravel.webscape.forms import minutes_of_length
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec, modes
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

LUNCH_UNTIL = "17:00"
BREAKFAST_UNTIL = "11:00"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket of a place, on one day.

    Attributes:
        offer: row of the offer.
        entries: its starts on the day; without booking, only those with places.
        show: the show, or None.
        fares: prices by age.
        family: its family ticket, or None.
        parts: included parts.
    """

    offer: WorldRow
    entries: list[WorldRow]
    show: WorldRow | None
    fares: list[WorldRow]
    family: WorldRow | None
    parts: list[WorldRow]

    @property
    def hours(self) -> list[str]:
        """The hours with starts."""
        return sorted({entry["at"][:2] for entry in self.entries})

    def starts(self, hour: str) -> list[WorldRow]:
        """Return the starts within an hour."""
        return [entry for entry in self.entries if entry["at"].startswith(hour)]


@dataclass(frozen=True, slots=True)
class TableDay:
    """A day of a restaurant: its hours and starts; without booking, only starts with places."""

    day: str
    windows: list[WorldRow]
    lunch: list[WorldRow]
    dinner: list[WorldRow]


def view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for the templates of a page's kind.

    Args:
        tables: tables of the world.
        spec: the page.
    """
    return _VIEWS[spec.kind](tables, spec)


def _attractions(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`places`: rows of `place`; `passes`: pairs of a city pass and the rows of `covers`."""
    return {"places": tables.rows_where("place", kind="attraction"), "passes": _passes(tables, None)}


def _restaurants(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`places`: rows of `place`."""
    return {"places": tables.rows_where("place", kind="restaurant")}


def _hotels(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """`hotels`: rows of `hotel`."""
    return {"hotels": tables.rows("hotel")}


def _ways(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`mode`, `spots`, `leg(a, b)`, `minutes(row)`, `lacking`, `uneven`, `apart`, `longest`.

    `spots` are pairs of a spot's id and the row of its place or hotel. `leg` is the row of a way, or None.
    `minutes` is its duration, 0 if the map lacks it. `lacking`: whether a time or a price is missing.
    `uneven`: whether any way differs from the way back. `apart`: whether there are no ways between hotels.
    `longest`: the most minutes of a way.
    """
    spots = []
    for spot in tables.rows("spot"):
        row = (
            tables.row_where("place", id=spot["place"])
            if spot["place"]
            else tables.row_where("hotel", id=spot["hotel"])
        )
        if row is not None:
            spots.append((spot["id"], row))
    legs = tables.rows_where("leg", mode=spec.of)
    hotels = {spot["id"] for spot in tables.rows("spot") if spot["hotel"]}
    return {
        "mode": spec.of,
        "spots": spots,
        "leg": lambda a, b: tables.row_where("leg", origin=a, to=b, mode=spec.of),
        "minutes": lambda row: minutes_of_length(row["time"]) if row["time"] else 0,
        "modes": modes(tables),
        "lacking": any(not (row["time"] and row["cost"]) for row in legs),
        "uneven": any(
            _differs(row, tables.row_where("leg", origin=row["to"], to=row["origin"], mode=spec.of))
            for row in legs
        ),
        "apart": not any(row["origin"] in hotels and row["to"] in hotels for row in legs),
        "longest": max((minutes_of_length(row["time"]) for row in legs if row["time"]), default=1),
    }


def _differs(way: WorldRow, back: WorldRow | None) -> bool:
    return back is None or (way["time"], way["cost"]) != (back["time"], back["cost"])


def _booking(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `day`, `hours`, `windows`, `tickets`, `reserved`, `addons`, `passes`, `part_windows`.

    `hours` have starts. `windows` are empty on a closed day. `tickets` are of type `Ticket`. `reserved`:
    whether any of them is booked.
    """
    (place,) = tables.rows_where("place", id=spec.of)
    day = spec.days[0]
    offers = [o for o in tables.rows_where("offer", place=spec.of) if spec.variant in ("", o["id"])]
    tickets = []
    for offer in offers:
        entries = tables.rows_where("entry", offer=offer["id"], day=day)
        if entries or not offer["show"]:
            tickets.append(_ticket(tables, offer, entries))
    return {
        "place": place, "day": day, "hours": sorted({hour for ticket in tickets for hour in ticket.hours}), "windows": tables.rows_where("window", place=spec.of, day=day), "tickets": tickets,
        "reserved": any(ticket.offer["booked"] == "true" for ticket in tickets),
        "addons": tables.rows_where("addon", place=spec.of), "passes": _passes(tables, spec.of),
        "part_windows": [
            (part, tables.rows_where("part_window", part=part["id"], day=day)) for part in tables.rows_where("part", place=spec.of)
            if tables.rows("part_window") and tables.rows_where("part_window", part=part["id"], day=day)
        ],
    }  # fmt: skip


def _ticket(tables: Tables, offer: WorldRow, entries: list[WorldRow]) -> Ticket:
    entries = _shown(offer, entries)
    parts = [
        tables.row_where("part", id=row["part"]) for row in tables.rows_where("includes", offer=offer["id"])
    ]
    return Ticket(
        offer, entries, tables.row_where("show", id=offer["show"]) if offer["show"] else None,
        tables.rows_where("fare", offer=offer["id"]), tables.row_where("family_ticket", offer=offer["id"]),
        [part for part in parts if part is not None],
    )  # fmt: skip


def _shown(offer: WorldRow, entries: list[WorldRow]) -> list[WorldRow]:
    return [entry for entry in entries if offer["booked"] == "true" or entry["left"] != "0"]


def _passes(tables: Tables, place: str | None) -> list[tuple[WorldRow, list[WorldRow]]]:
    passes = []
    for city_pass in tables.rows("city_pass"):
        covers = tables.rows_where("covers", **{"pass": city_pass["id"]})
        if place is None or any(row["place"] == place for row in covers):
            passes.append((city_pass, covers))
    return passes


def _reservation(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `offer`, `days`, `daily`, `times`, `lunch_until`, `noon`: a week of a restaurant.

    `days` has a `TableDay` each. `daily` has the hours of each day if all days have the same, and is empty
    otherwise. `times` are all starts; those before `lunch_until` are lunch. `noon` is the name of that meal.
    """
    (place,) = tables.rows_where("place", id=spec.of)
    (offer,) = tables.rows_where("offer", place=spec.of)
    days = []
    for day in spec.days:
        entries = _shown(offer, tables.rows_where("entry", offer=offer["id"], day=day))
        days.append(
            TableDay(
                day,
                tables.rows_where("window", place=spec.of, day=day),
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
    """`place`, `variant`, `dwell`, `light`, `parts`, `routes`, `shows`, `running`; empty if the writer omits them.

    `dwell` has rows by style, each by profile. `routes` are pairs of a route and the rows of `passes`. A blog
    tells the length of a visit and the best light, a magazine the sights and shows, and the official guide
    everything.
    """
    (place,) = tables.rows_where("place", id=spec.of)
    stays, sees = spec.variant in ("blog", "official"), spec.variant in ("magazine", "official")
    return {
        "place": place, "variant": spec.variant, "dwell": _dwell(tables, spec.of) if stays else {},
        "light": tables.row_where("light", place=spec.of) if stays else None,
        "parts": tables.rows_where("part", place=spec.of) if sees else [], "routes": _routes(tables, spec.of) if sees else [],
        "shows": tables.rows_where("show", house=spec.of) if sees and tables.rows("show") else [],
        "running": tables.rows_where("running", house=spec.of) if sees and tables.rows("running") else [],
    }  # fmt: skip


def _dwell(tables: Tables, place: str) -> dict[str, dict[str, WorldRow]]:
    rows: dict[str, dict[str, WorldRow]] = {}
    for row in tables.rows_where("dwell", place=place):
        rows.setdefault(row["style"], {})[row["profile"]] = row
    return rows


def _routes(tables: Tables, place: str) -> list[tuple[WorldRow, list[WorldRow]]]:
    if not tables.rows("route"):
        return []
    return [
        (route, tables.rows_where("passes", route=route["id"]))
        for route in tables.rows_where("route", place=place)
    ]


def _floor_plan(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `parts`, `routes`, `ring`, `storeys`.

    `routes` are pairs of a route and the rows of `passes`. `ring` has the parts with their x and y on a
    circle around 0 of radius 1. `storeys` has them from the top down.
    """
    (place,) = tables.rows_where("place", id=spec.of)
    parts = tables.rows_where("part", place=spec.of)
    turns = [2 * pi * number / len(parts) for number in range(len(parts))]
    return {
        "place": place, "parts": parts, "routes": _routes(tables, spec.of),
        "ring": [(part, round(sin(turn), 3), round(-cos(turn), 3)) for part, turn in zip(parts, turns, strict=True)],
        "storeys": sorted(parts, key=lambda part: int(part["steps"]))[::-1],
    }  # fmt: skip


def _menu(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `courses`: rows of `menu`."""
    (place,) = tables.rows_where("place", id=spec.of)
    return {"place": place, "courses": tables.rows_where("menu", place=spec.of)}


def _dining(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """`place`, `dwell`: rows by style, each by profile; `offer`."""
    (place,) = tables.rows_where("place", id=spec.of)
    (offer,) = tables.rows_where("offer", place=spec.of)
    return {"place": place, "dwell": _dwell(tables, spec.of), "offer": offer}


_VIEWS = {
    "attractions": _attractions, "restaurants": _restaurants, "hotels": _hotels, "ways": _ways, "booking": _booking,
    "reservation": _reservation, "guide": _guide, "floor_plan": _floor_plan, "menu": _menu, "dining": _dining,
}  # fmt: skip
