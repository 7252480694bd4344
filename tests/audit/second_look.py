"""Independent check of passing answers. It reads the answer and the tables, but not the rules.

The conditions are necessary but not sufficient: the answer has the requested items; their times, rides and prices are
in the tables; the total is within the budget. Each function raises an error that names the first fault.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date
from itertools import pairwise
from typing import Any

from planspec.dsl.model.task import Task

MINUTES_A_DAY = 1440


class _SecondLookError(Exception):
    """The answer has a fault, named by the message."""


def _require(holds: object, fault: str) -> None:
    """Raise an error that names the fault unless a condition holds."""
    if not holds:
        raise _SecondLookError(fault)


def _clock(time: str) -> int:
    """Convert a time such as `08:30` to minutes after midnight."""
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)


def _rows(task: Task, table: str) -> list[Any]:
    return list(task.facts[table].rows)


def _cents(amount: Any) -> int:
    """Convert an amount in main units to cents."""
    return round(float(amount) * 100)


# ------------------------------------------------------------------ WorldTravel


def check_worldtravel(task: Task, answer: Any) -> None:
    """Check that visits are as requested and at possible times, and that rides are on the map. Costs are not checked."""
    given, party = task.givens, len(_rows(task, "Traveller"))
    names = {row.name: row for table in ("Place", "Hotel") for row in _rows(task, table)}
    spots = {row.place or row.hotel: row for row in _rows(task, "Spot")}
    legs = {(row.origin, row.to, str(row.mode)): row for row in _rows(task, "Leg")}
    wishes = {row.place: row for row in _rows(task, "Wish")}
    wished = [place for place, row in wishes.items() for _ in range(row.sessions or 1)]
    seen: list[Any] = []
    hotels = set()
    days = sorted(given["trip"])
    _require(len(answer["itinerary"]) == len(days), "a day is missing, or there are too many")
    for day, day_data in zip(days, answer["itinerary"], strict=True):
        _require(day_data["date"] == f"{date.fromordinal(day).month}.{date.fromordinal(day).day}", "another day")
        items = day_data["schedule"]
        _require(
            items[0]["item"] == items[-1]["item"] == "hotel" and len(items) > 3,
            "the day is not from the hotel to it",
        )
        hotels |= {items[0]["destination"], items[-1]["destination"]}
        now, position = given["leave_at"], names[items[0]["destination"]]
        for way, stop in zip(items[1::2], items[2::2], strict=True):
            place = names[stop["destination"]]
            _require(
                way["item"] == "transportation" and stop["item"] != "transportation",
                "no way and stop in turn",
            )
            _require(
                (names[way["departure"]], names[way["destination"]]) == (position, place),
                "the way leads elsewhere",
            )
            leave, arrive = map(_clock, way["time"].split("-"))
            leg = legs.get((spots[position], spots[place], way["transportation"]))
            _require(
                leg is not None and now <= leave and arrive - leave == (10 if leg.time is None else leg.time),
                "the map has no such way",
            )
            if stop["item"] == "hotel":
                _require(stop is items[-1], "at the hotel in between")
                _require(arrive <= (given["back_by"] or MINUTES_A_DAY + given["leave_at"]), "home late")
                break
            _require(place in wishes, "it was not wished")
            now, position = _check_visit(task, wishes[place], day, stop, arrive, party), place
            seen.append(place)
    _require(
        sorted(seen, key=str) == sorted(wished, key=str) and len(hotels) == 1,
        "not what was wished, in one hotel",
    )


def _check_visit(task: Task, wish: Any, day: int, stop: Any, arrive: int, party: int) -> int:
    """Check that a visit starts at a listed time with places left, or lies within opening hours.

    Returns:
        The end of the visit, in minutes after midnight.
    """
    start, end = map(_clock, stop["time"].split("-"))
    offers = [row for row in _rows(task, "Offer") if row.place is wish.place]
    timed = {row.offer for row in _rows(task, "Entry") if row.offer in offers}
    starts = [
        row.offer
        for row in _rows(task, "Entry")
        if row.offer in timed and (row.day, row.at) == (day, start) and row.left >= party
    ]
    windows = [row for row in _rows(task, "Window") if row.place is wish.place and row.day == day]
    _require(
        any(arrive + offer.ahead <= start for offer in starts)
        or (any(offer not in timed for offer in offers) and any(w.open <= start and end <= w.close for w in windows)),
        "nobody is let in then, or one is late for it",
    )
    lengths = [
        row.least for table in ("Dwell", "Part", "Route") for row in _rows(task, table) if row.place is wish.place
    ]
    shows = [row.length for table in ("Show", "Running") for row in _rows(task, table)]
    least = min(n for n in (*lengths, *(o.length for o in offers), *(shows if wish.genre else ())) if n is not None)
    _require(arrive <= start and end - start >= least, "too short, or before one is there")
    if wish.meal is not None:
        _require(
            11 * 60 <= start <= 15 * 60 if wish.meal == "lunch" else start >= 17 * 60 + 30,
            "no time for that meal",
        )
    return end


# ------------------------------------------------------------------ TravelPlanner


def check_travelplanner(task: Task, answer: Any) -> None:
    """Check that legs are in the tables and lead out and home, that venues are distinct, and beds and budget."""
    given = task.givens
    days = [day for day in answer if any(day[name] != "-" for name in day if name not in ("days", "day"))]
    trip = sorted(given["trip"])
    _require(len(days) == len(trip), "not as many days as the trip has")
    hotels, meals, sights = (
        {str(row._key[0]): row for row in _rows(task, table)} for table in ("Hotel", "Restaurant", "Attraction")
    )
    roads = {(row.origin._key[0], row.to._key[0]): row for row in _rows(task, "Road")}
    flights = {row._key[0]: row for row in _rows(task, "Flight")}
    here, spent, eaten, visited = given["org"]._key[0], 0, [], []
    to_see = {
        c._key[0]
        for c in _rows(task, "City")
        if c is given["town"] or (c.state is not None and c.state is given["dest"])
    }
    for n, (ordinal, day) in enumerate(zip(trip, days, strict=True)):
        city, places = day["current_city"], {here}
        if city.startswith("from "):
            start, city = city.removeprefix("from ").split(" to ")
            _require(start == here and city != here, "the way does not go on from there")
            visited.append(city)
            spent += _fare(day["transportation"], (start, city), ordinal, flights, roads, given["party"])
        else:
            _require(
                all(day[meal] != "-" for meal in ("breakfast", "lunch", "dinner")) and day["attraction"] != "-",
                "idle",
            )
        here = city
        places.add(city)
        for name in (day[meal] for meal in ("breakfast", "lunch", "dinner") if day[meal] != "-"):
            _require(name in meals and meals[name].city._key[0] in places, "no such restaurant there")
            eaten.append(name)
            spent += meals[name].price * given["party"]
        for name in (part.strip() for part in day["attraction"].split(";") if part.strip() not in ("", "-")):
            _require(name in sights and sights[name].city._key[0] in places, "no such attraction there")
            eaten.append(name)
        if n < len(trip) - 1:
            _require(
                day["accommodation"] in hotels and hotels[day["accommodation"]].city._key[0] == city,
                "no bed there",
            )
            room = hotels[day["accommodation"]]
            spent += room.price * -(-given["party"] // room.sleeps)
            _require(given["rule"] is None or given["rule"] not in room.bans, "the house does not allow it")
    _require(here == given["org"]._key[0] and set(visited[:-1]) <= to_see, "not home, or elsewhere")
    _require(len(set(visited[:-1])) == len(visited) - 1 == given["cities"], "not as many cities as asked")
    _require(len(set(eaten)) == len(eaten), "the same place twice")
    _require(given["budget"] is None or spent <= given["budget"], "more than the budget")


def _fare(mode_text: str, cities: tuple[str, str], day: int, flights: Any, roads: Any, party: int) -> int:
    """Return the cost of a ride in cents for the whole party. The ride must be in the tables."""
    if mode_text.startswith("Flight Number: "):
        flight = flights.get(mode_text.removeprefix("Flight Number: ").split(",")[0])
        _require(flight is not None and flight.day == day, "no such flight on the day")
        _require((flight.origin._key[0], flight.to._key[0]) == cities, "the flight goes elsewhere")
        return int(flight.price) * party
    road = roads.get(cities)
    _require(road is not None and road.length is not None, "no road")
    taxi = mode_text.startswith("Taxi")
    _require(taxi or mode_text.startswith("Self-driving"), "no such vehicle")
    each = road.length // 1000 * 100 if taxi else road.length // 20_000 * 100
    return int(each) * -(-party // (4 if taxi else 5))


# ------------------------------------------------------------------ VeriTrip


def check_veritrip(task: Task, answer: Any) -> None:
    """Check that services lead out and home, beds and visits are in the city, nothing overlaps, and the budget suffices."""
    given, tables = task.givens, answer["Final Result"]
    start, target = given["start_city"], given["target_city"]
    legs = tables["transportationTable"]
    services: dict[Any, Any] = {
        (row.number, date.fromordinal(row.day).isoformat()): row for row in _rows(task, "Service")
    }
    runs: list[Any] = [services.get((leg["transportationID"], leg["date"])) for leg in legs]
    _require(all(runs) and len(runs) == 2, "not a way there and one back that run")
    there, back = sorted(runs, key=lambda run: (run.day, run.depart))
    _require(
        there.origin.city is start and there.to.city is target and there.day == given["start_date"],
        "no way there",
    )
    _require(back.origin is there.to and back.to.city is start and back.day == given["end_date"], "no way back")
    spent = (there.price + back.price) * given["people"]
    offers = {(row.hotel._key[0], row.room._key[0]): row for row in _rows(task, "Offer") if row.hotel.city is target}
    nights: dict[int, int] = {}
    for stay in tables["accommodationTable"]:
        offer: Any = offers.get((stay["name"], stay["room_type"]))
        _require(offer is not None and stay["room_number"] > 0, "no such room in the city")
        for night in range(_day(stay["check_in"]), _day(stay["check_out"])):
            nights[night] = nights.get(night, 0) + offer.sleeps * stay["room_number"]
            spent += offer.price * stay["room_number"]
    expected_nights = range(given["start_date"], given["end_date"])
    _require(
        set(nights) == set(expected_nights) and all(nights[night] >= given["people"] for night in expected_nights),
        "no bed for all",
    )
    sights, kitchens = (
        {str(row._key[0]).removesuffix(f", {target._key[0]}"): row for row in _rows(task, table) if row.city is target}
        for table in ("Attraction", "Restaurant")
    )
    times, seen = [], []
    for row in tables["itineraryTable"]:
        begin, end, day = _clock(row["start_time"]), _clock(row["end_time"]), _day(row["Date"])
        times.append((day * MINUTES_A_DAY + begin, (day + (end < begin)) * MINUTES_A_DAY + end))
        if row["active_type"] == "inter_city_transportation":
            continue
        _require(times[-1][0] >= there.day * MINUTES_A_DAY + there.arrive, "before one is there")
        _require(times[-1][1] <= back.day * MINUTES_A_DAY + back.depart, "after one has left")
        _require(row["price_per_person"] >= 0, "it costs less than nothing")
        spent += _cents(row["price_per_person"]) * given["people"]
        if row["active_type"] == "attraction":
            place: Any = sights.get(row["name"])
            _require(
                place is not None and place.opens <= begin and end <= place.closes,
                "closed, or not in the city",
            )
            _require(
                (day - 1) % 7 not in place.closed and place.least <= end - begin <= place.most,
                "too short, or closed",
            )
            seen.append(row["name"])
        elif row["active_type"] == "meal" and not (end <= 630 and row["name"] not in kitchens):
            _require(row["name"] in kitchens, "no such restaurant in the city")
    _require(
        all(a < b for a, b in times) and all(a[1] <= b[0] for a, b in pairwise(sorted(times))),
        "two things at once",
    )
    _require(seen and len(set(seen)) == len(seen), "nothing is seen, or the same again")
    _require(
        {day // MINUTES_A_DAY for day, _ in times} == set(range(given["start_date"], given["end_date"] + 1)),
        "idle days",
    )
    _require(given["budget"] is None or spent * 10 <= given["budget"] * 11, "more than the budget and a tenth")


def _day(text: str) -> int:
    """Convert an ISO date to an ordinal."""
    return date.fromisoformat(text).toordinal()


LOOKS: Mapping[str, Callable[[Task, Any], None]] = {
    "worldtravel": check_worldtravel,
    "travelplanner": check_travelplanner,
    "flextravel": check_travelplanner,
    "veritrip": check_veritrip,
}


def fault_of(family: str, task: Task, answer: Any) -> str | None:
    """Return the fault of an answer, or None if no fault is found.

    Args:
        family: the family, `flextravel` for conversations.
        task: the task at its last turn.
        answer: the submitted answer, in the family's format.
    """
    answer_data = json.loads(answer) if isinstance(answer, str) else answer
    try:
        LOOKS[family](task, answer_data)
    except _SecondLookError as error:
        return str(error)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return f"it cannot be followed: {type(error).__name__}: {error}"
    return None
