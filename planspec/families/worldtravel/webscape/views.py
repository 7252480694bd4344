"""Content of pages: template variables for each kind of page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planspec.families.worldtravel.webscape.cartes import carte_of, cooking_of
from planspec.families.worldtravel.webscape.forms import minutes_of_length
from planspec.families.worldtravel.webscape.ground_plans import ground_plan
from planspec.families.worldtravel.webscape.plan_of_site import PageSpec, modes
from planspec.families.worldtravel.webscape.tables import Tables, WorldRow

LUNCH_UNTIL = "17:00"
BREAKFAST_UNTIL = "11:00"
_FORTNIGHT = 14


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket for a place on a day.

    Attributes:
        offer: row of the offer.
        entries: rows of `entry` on the day, one for each start time. If the ticket needs no booking, sold-out times are
            left out.
        show: row of the show; None if the ticket is for no show.
        fares: rows of the fares.
        family: row of the family ticket; None if there is none.
        parts: rows of the included parts.
    """

    offer: WorldRow
    entries: list[WorldRow]
    show: WorldRow | None
    fares: list[WorldRow]
    family: WorldRow | None
    parts: list[WorldRow]

    @property
    def entry_hours(self) -> list[str]:
        """The hours of the day with start times, such as `09`."""
        return sorted({entry["at"][:2] for entry in self.entries})

    def starts(self, hour: str) -> list[WorldRow]:
        """Return the rows of the start times within an hour such as `09`."""
        return [entry for entry in self.entries if entry["at"].startswith(hour)]


@dataclass(frozen=True, slots=True)
class TableDay:
    """Opening hours and start times of a restaurant on a day.

    Attributes:
        day: date such as `2026-07-01`.
        windows: rows of the opening hours.
        lunch: rows of the start times before `LUNCH_UNTIL`. If no booking is needed, sold-out times are left out.
        dinner: rows of the later start times, under the same condition.
    """

    day: str
    windows: list[WorldRow]
    lunch: list[WorldRow]
    dinner: list[WorldRow]


def view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the template variables for a page.

    Args:
        tables: tables of the city.
        spec: specification of the page.
    """
    return _VIEWS[spec.kind](tables, spec)


def _attractions_view(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """Return `places` (rows of `place`) and `passes` (pairs of a city pass and its rows of `covers`)."""
    return {
        "places": tables.rows_where("place", kind="attraction"),
        "passes": _passes_with_covers(tables, None),
    }


def _restaurants_view(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """Return `places` (rows of `place`) and `cooking`, a function that describes the cooking of a restaurant."""
    return {
        "places": tables.rows_where("place", kind="restaurant"),
        "cooking": lambda place: cooking_of(tables, place),
    }


def _hotels_view(tables: Tables, _: PageSpec) -> Mapping[str, Any]:
    """Return `hotels` (rows of `hotel`)."""
    return {"hotels": tables.rows("hotel")}


def _ways_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for the routes by one mode of transport.

    - `mode` is the mode of the page, and `modes` are all modes.
    - `spots` are pairs of the id of a route's end and the row of its place or hotel.
    - `leg(a, b)` returns the row of the route between two spots, or None.
    - `minutes(row)` returns the duration of a route, or 0 if the map lacks it.
    - `lacking` says whether a duration or price is missing.
    - `uneven` says whether any route differs from the route back in duration or price.
    - `apart` says whether there are no routes between hotels.
    - `longest` is the duration of the longest route, in minutes.
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
    legs = tables.rows_where("leg", mode=spec.subject)
    hotels = {spot["id"] for spot in tables.rows("spot") if spot["hotel"]}
    return {
        "mode": spec.subject,
        "spots": spots,
        "leg": lambda a, b: tables.row_where("leg", origin=a, to=b, mode=spec.subject),
        "minutes": lambda row: minutes_of_length(row["time"]) if row["time"] else 0,
        "modes": modes(tables),
        "lacking": any(not (row["time"] and row["cost"]) for row in legs),
        "uneven": any(
            _differs_from_way_back(row, tables.row_where("leg", origin=row["to"], to=row["origin"], mode=spec.subject))
            for row in legs
        ),
        "apart": not any(row["origin"] in hotels and row["to"] in hotels for row in legs),
        "longest": max((minutes_of_length(row["time"]) for row in legs if row["time"]), default=1),
    }


def _differs_from_way_back(way: WorldRow, back: WorldRow | None) -> bool:
    return back is None or (way["time"], way["cost"]) != (back["time"], back["cost"])


def _booking_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for booking a place on a day.

    - `place` is a row, and `day` a date.
    - `hours` are the hours of the day with start times, such as `09`.
    - `windows` are the rows of the opening hours; there are none on a closed day.
    - `tickets` are of type `Ticket`, and `reserved` says whether any of them must be booked.
    - `addons` are rows, and `passes` are pairs of a city pass and its rows of `covers`.
    - `part_windows` are pairs of a part and the rows of its opening hours.
    """
    (place,) = tables.rows_where("place", id=spec.subject)
    day = spec.days[0]
    offers = [o for o in tables.rows_where("offer", place=spec.subject) if spec.variant in ("", o["id"])]
    tickets = []
    for offer in offers:
        entries = tables.rows_where("entry", offer=offer["id"], day=day)
        if entries or not offer["show"]:
            tickets.append(_ticket_on_day(tables, offer, entries))
    return {
        "place": place,
        "day": day,
        "hours": sorted({hour for ticket in tickets for hour in ticket.entry_hours}),
        "windows": tables.rows_where("window", place=spec.subject, day=day),
        "tickets": tickets,
        "reserved": any(ticket.offer["booked"] == "true" for ticket in tickets),
        "addons": tables.rows_where("addon", place=spec.subject),
        "passes": _passes_with_covers(tables, spec.subject),
        "part_windows": [
            (part, tables.rows_where("part_window", part=part["id"], day=day))
            for part in tables.rows_where("part", place=spec.subject)
            if tables.rows("part_window") and tables.rows_where("part_window", part=part["id"], day=day)
        ],
    }


def _ticket_on_day(tables: Tables, offer: WorldRow, entries: list[WorldRow]) -> Ticket:
    entries = _shown_entries(offer, entries)
    parts = [tables.row_where("part", id=row["part"]) for row in tables.rows_where("includes", offer=offer["id"])]
    return Ticket(
        offer,
        entries,
        tables.row_where("show", id=offer["show"]) if offer["show"] else None,
        tables.rows_where("fare", offer=offer["id"]),
        tables.row_where("family_ticket", offer=offer["id"]),
        [part for part in parts if part is not None],
    )


def _shown_entries(offer: WorldRow, entries: list[WorldRow]) -> list[WorldRow]:
    return [entry for entry in entries if offer["booked"] == "true" or entry["left"] != "0"]


def _passes_with_covers(tables: Tables, place: str | None) -> list[tuple[WorldRow, list[WorldRow]]]:
    passes = []
    for city_pass in tables.rows("city_pass"):
        covers = tables.rows_where("covers", **{"pass": city_pass["id"]})
        if place is None or any(row["place"] == place for row in covers):
            passes.append((city_pass, covers))
    return passes


def _reservation_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for a week of a restaurant.

    - `place` and `offer` are rows, and `days` are of type `TableDay`.
    - `daily` are the opening hours of each day; empty if the days differ.
    - `times` are all start times. Times before `lunch_until` are for lunch.
    - `noon` is the name of the earlier meal.
    """
    (place,) = tables.rows_where("place", id=spec.subject)
    (offer,) = tables.rows_where("offer", place=spec.subject)
    days = []
    for day in spec.days:
        entries = _shown_entries(offer, tables.rows_where("entry", offer=offer["id"], day=day))
        days.append(
            TableDay(
                day,
                tables.rows_where("window", place=spec.subject, day=day),
                [entry for entry in entries if entry["at"] < LUNCH_UNTIL],
                [entry for entry in entries if entry["at"] >= LUNCH_UNTIL],
            )
        )
    times = sorted({entry["at"] for day in days for entry in (*day.lunch, *day.dinner)})
    windows = [window for day in days for window in day.windows]
    entry_hours = {(window["open"], window["close"]) for window in windows}
    daily = windows if len(entry_hours) == 1 and all(len(day.windows) == 1 for day in days) else []
    return {
        "place": place,
        "offer": offer,
        "days": days,
        "daily": daily,
        "times": times,
        "lunch_until": LUNCH_UNTIL,
        "noon": "Daytime" if times and times[0] < BREAKFAST_UNTIL else "Lunch",
    }


def _guide_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for a guide to a place.

    A blog has the lengths of visits and the best light. A magazine has the parts, routes and shows. The
    official guide has everything. Variables for content that a guide lacks are empty.

    - `place` is a row, and `variant` the kind of writer.
    - `dwell` has the rows of the lengths by style and profile, and `by_profile` by profile and style; `light` is a row or None.
    - `parts`, `shows` and `running` are rows, and `timed` says whether a part has a time.
    - `first_day` is the first day of the calendar, and `fortnight` its first fourteen days.
    - `routes` are pairs of a route and its rows of `passes`.
    """
    (place,) = tables.rows_where("place", id=spec.subject)
    stays, sees = spec.variant in ("blog", "official"), spec.variant in ("magazine", "official")
    dwell = _dwell_rows(tables, spec.subject) if stays else {}
    parts = tables.rows_where("part", place=spec.subject) if sees else []
    return {
        "place": place,
        "variant": spec.variant,
        "dwell": dwell,
        "by_profile": {
            profile: {style: rows[profile] for style, rows in dwell.items() if profile in rows}
            for profile in dict.fromkeys(profile for rows in dwell.values() for profile in rows)
        },
        "light": tables.row_where("light", place=spec.subject) if stays else None,
        "parts": parts,
        "timed": any(row["least"] for row in parts),
        "first_day": tables.days[0],
        "fortnight": tables.days[:_FORTNIGHT],
        "routes": _routes_with_passes(tables, spec.subject) if sees else [],
        "shows": tables.rows_where("show", house=spec.subject) if sees and tables.rows("show") else [],
        "running": tables.rows_where("running", house=spec.subject) if sees and tables.rows("running") else [],
    }


def _dwell_rows(tables: Tables, place: str) -> dict[str, dict[str, WorldRow]]:
    rows: dict[str, dict[str, WorldRow]] = {}
    for row in tables.rows_where("dwell", place=place):
        rows.setdefault(row["style"], {})[row["profile"]] = row
    return rows


def _routes_with_passes(tables: Tables, place: str) -> list[tuple[WorldRow, list[WorldRow]]]:
    if not tables.rows("route"):
        return []
    return [
        (route, tables.rows_where("passes", route=route["id"])) for route in tables.rows_where("route", place=place)
    ]


def _floor_plan_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return the variables for a floor plan of a place.

    - `place` is a row, and `parts` are rows.
    - `routes` are pairs of a route and its rows of `passes`.
    - `plan` is the ground plan; `levels` are its drawings (main plan and insets) from the top level down.
    """
    (place,) = tables.rows_where("place", id=spec.subject)
    parts = tables.rows_where("part", place=spec.subject)
    plan = ground_plan(place, parts)
    order = ("Above", "", "Passage", "Outside", "Below")
    return {
        "place": place,
        "parts": parts,
        "routes": _routes_with_passes(tables, spec.subject),
        "plan": plan,
        "levels": sorted(plan.plates, key=lambda plate: order.index(plate.title)),
    }


def _menu_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return `place` (a row) and `carte` (the restaurant's dishes and menus)."""
    (place,) = tables.rows_where("place", id=spec.subject)
    return {"place": place, "carte": carte_of(tables, place)}


def _dining_view(tables: Tables, spec: PageSpec) -> Mapping[str, Any]:
    """Return `place`, `dwell` (rows of the visit durations by style and profile) and `offer`."""
    (place,) = tables.rows_where("place", id=spec.subject)
    (offer,) = tables.rows_where("offer", place=spec.subject)
    return {"place": place, "dwell": _dwell_rows(tables, spec.subject), "offer": offer}


_VIEWS = {
    "attractions": _attractions_view,
    "restaurants": _restaurants_view,
    "hotels": _hotels_view,
    "ways": _ways_view,
    "booking": _booking_view,
    "reservation": _reservation_view,
    "guide": _guide_view,
    "floor_plan": _floor_plan_view,
    "menu": _menu_view,
    "dining": _dining_view,
}
