"""Forgeries: falsified answers with which an agent could try to pass without solving the task.

Each forgery takes the JSON of a right answer in its family's format, may change it, and returns the answer to
submit. Some forgeries are harmless (padding, another vehicle that also works); the audit checks afterwards
whether a pass is deserved.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

Forgery: TypeAlias = Callable[[Any], Any]
TRAVELPLANNER_TEXTS = ("breakfast", "lunch", "dinner", "attraction", "accommodation")

# ------------------------------------------------------------------ any family


def two_answers(answer: Any) -> str:
    """Append an empty answer to the right one, so that the text has two answers."""
    nothing = {"itinerary": [], "plan": [], "Final Result": {"itineraryTable": []}}
    return f"Either {json.dumps(answer, ensure_ascii=False)}\n\nor {json.dumps(nothing)}"


def in_tables(answer: Any) -> Any:
    """Return an answer of empty plan tables."""
    del answer
    return {"visits": [], "moves": [], "lodging": [], "days": [], "meals": [], "sights": [], "itinerary": []}


# ------------------------------------------------------------------ WorldTravel


def _schedules(answer: Any) -> Iterator[list[Any]]:
    """Yield the list of items of each day."""
    for day in answer["itinerary"]:
        yield day["schedule"]


def _items(answer: Any) -> Iterator[Any]:
    """Yield the items of all days."""
    for schedule in _schedules(answer):
        yield from schedule


def _minutes(span: str) -> tuple[int, int]:
    """Convert a text such as `09:00-10:30` to start and end in minutes after midnight."""
    start, end = (int(part[:-3]) * 60 + int(part[-2:]) for part in span.split("-"))
    return start, end


def _time(start: int, end: int) -> str:
    """Convert start and end in minutes after midnight to a text such as `09:00-10:30`."""
    return f"{start // 60:02d}:{start % 60:02d}-{end // 60:02d}:{end % 60:02d}"


def unlisted_mode(answer: Any) -> Any:
    """Make every ride a car ride of ten minutes for free. The map lists no such ride."""
    for item in _items(answer):
        if item["item"] == "transportation":
            start, _ = _minutes(item["time"])
            item |= {"transportation": "driving", "cost": 0, "time": _time(start, start + 10)}
    return answer


def zero_costs(answer: Any) -> Any:
    """Set every cost to 0."""
    for item in _items(answer):
        item["cost"] = 0
    return answer


def negative_costs(answer: Any) -> Any:
    """Make every cost negative."""
    for item in _items(answer):
        item["cost"] = -1000
    return answer


def huge_costs(answer: Any) -> Any:
    """Set every cost to a huge number."""
    for item in _items(answer):
        item["cost"] = 10**15
    return answer


def visits_without_duration(answer: Any) -> Any:
    """End every visit when it begins."""
    for item in _items(answer):
        if item["item"] in ("attraction", "restaurant"):
            start, _ = _minutes(item["time"])
            item["time"] = _time(start, start)
    return answer


def delayed_ride_home(answer: Any) -> Any:
    """Delay the ride home by forty hours."""
    for schedule in _schedules(answer):
        start, end = _minutes(schedule[-2]["time"])
        schedule[-2]["time"] = _time(start + 2400, end + 2400)
    return answer


def second_outing(answer: Any) -> Any:
    """Append a ride out and back after the ride home, without a visit."""
    schedule = answer["itinerary"][0]["schedule"]
    home = schedule[-2]
    start, end = _minutes(home["time"])
    out = home | {
        "departure": home["destination"],
        "destination": home["departure"],
        "time": _time(end, end + end - start),
    }
    schedule[-1:-1] = [out, home | {"time": _time(end + 200, end + 200 + end - start)}]
    return answer


def one_day_later(answer: Any) -> Any:
    """Shift all times by a day, past midnight."""
    for item in _items(answer):
        start, end = _minutes(item["time"])
        item["time"] = _time(start + 1440, end + 1440)
    return answer


def every_day_twice(answer: Any) -> Any:
    """List every day twice."""
    answer["itinerary"] *= 2
    return answer


def only_hotel(answer: Any) -> Any:
    """Spend all days at the hotel."""
    for day in answer["itinerary"]:
        day["schedule"] = [item for item in day["schedule"] if item["item"] == "hotel"]
    return answer


def no_rides_between_visits(answer: Any) -> Any:
    """Leave out the rides between visits of an itinerary."""
    for day in answer["itinerary"]:
        day["schedule"] = [item for item in day["schedule"] if item["item"] != "transportation"]
    return answer


# ------------------------------------------------------------------ TravelPlanner and FlexTravelBench


def padding(answer: Any) -> Any:
    """Append empty days."""
    return [*answer, *({"days": n, **dict.fromkeys(answer[0], "-"), "current_city": "-"} for n in (90, 91))]


def blank_days(answer: Any) -> Any:
    """Empty every day."""
    return [dict.fromkeys(day, "-") | {"days": n} for n, day in enumerate(answer, 1)]


def no_meals(answer: Any) -> Any:
    """Leave out all meals."""
    return [day | dict.fromkeys(("breakfast", "lunch", "dinner"), "-") for day in answer]


def no_beds(answer: Any) -> Any:
    """Leave out all beds."""
    return [day | {"accommodation": "-"} for day in answer]


def any_words(answer: Any) -> Any:
    """Replace every name by words that name nothing."""
    return [day | dict.fromkeys(TRAVELPLANNER_TEXTS, "something nice") for day in answer]


def one_meal(answer: Any) -> Any:
    """Use the same restaurant for every meal."""
    meal = next(day[name] for day in answer for name in TRAVELPLANNER_TEXTS[:3] if day[name] != "-")
    return [day | {name: meal for name in TRAVELPLANNER_TEXTS[:3] if day[name] != "-"} for day in answer]


def by_unlisted_bus(answer: Any) -> Any:
    """Travel by a bus that no table has."""
    return [day if day["transportation"] == "-" else day | {"transportation": "Bus"} for day in answer]


def by_own_car(answer: Any) -> Any:
    """Travel every leg by one's own car."""
    return [_with_mode(day, "Self-driving") for day in answer]


def two_modes(answer: Any) -> Any:
    """Write every leg with two modes of transport: the right one "or" a taxi."""
    return [
        day if day["transportation"] == "-" else day | {"transportation": f"{day['transportation']} or taxi"}
        for day in answer
    ]


def legs_on_days_of_rest(answer: Any) -> Any:
    """Replace days without travel by legs from a city to the same city, so that rules for days without travel do
    not apply.
    """
    days = []
    for day in answer:
        city = day["current_city"]
        if not city.startswith("from "):
            day = dict.fromkeys(day, "-") | {
                "days": day.get("days"),
                "current_city": f"from {city} to {city}",
            }
            day = _with_mode(day, "Taxi")
        days.append(day)
    return days


def _with_mode(day: Mapping[str, Any], mode: str) -> dict[str, Any]:
    """Return a day whose ride uses another mode of transport."""
    city = day["current_city"]
    return {**day, "transportation": f"{mode}, {city}"} if city.startswith("from ") else dict(day)


def whole_trip_twice(answer: Any) -> Any:
    """Repeat the whole trip."""
    return [*answer, *answer]


def no_second_day(answer: Any) -> Any:
    """Leave out the second day."""
    return [*answer[:1], *answer[2:]]


# ------------------------------------------------------------------ VeriTrip


def _rows(answer: Any, table: str) -> list[Any]:
    """Return the rows of a table of the answer."""
    rows: list[Any] = answer["Final Result"][f"{table}Table"]
    return rows


def idle_rides(answer: Any) -> Any:
    """Replace the rides by many rides without duration."""
    rows = _rows(answer, "itinerary")
    day = rows[0]["Date"]
    ride = {
        "Date": day,
        "active_type": "inner_city_transportation",
        "start_time": "23:30",
        "end_time": "23:30",
        "name": "here to here",
        "price_per_person": 0,
        "notes": "",
    }
    others = [row for row in rows if row["active_type"] != "inner_city_transportation"]
    rows[:] = [*others, *(ride | {"active_item_number": 100 + n} for n in range(4 * len(rows)))]
    return answer


def only_rides(answer: Any) -> Any:
    """Turn visits and meals into rides."""
    for row in _rows(answer, "itinerary"):
        if row["active_type"] in ("attraction", "meal"):
            row["active_type"] = "inner_city_transportation"
    return answer


def free_meals(answer: Any) -> Any:
    """Move all meals to the hotel, for free."""
    for stay in _rows(answer, "accommodation")[:1]:
        for row in _rows(answer, "itinerary"):
            if row["active_type"] == "meal":
                row |= {"name": stay["name"], "price_per_person": 0}
    return answer


def negative_fares(answer: Any) -> Any:
    """Make the costs of rides negative."""
    for row in _rows(answer, "itinerary"):
        if row["active_type"] == "inner_city_transportation":
            row["price_per_person"] = -1000
    return answer


def no_rooms(answer: Any) -> Any:
    """Book zero rooms."""
    for row in _rows(answer, "accommodation"):
        row["room_number"] = 0
    return answer


def into_the_next_day(answer: Any) -> Any:
    """Extend the last activity of the first day to almost a whole day."""
    rows = _rows(answer, "itinerary")
    row = [row for row in rows if row["Date"] == rows[0]["Date"]][-1]
    hour, minute = row["start_time"].split(":")
    row["end_time"] = f"{int(hour) - 1:02d}:{minute}"
    return answer


def one_way(answer: Any) -> Any:
    """Leave out the way home."""
    del _rows(answer, "transportation")[1:]
    return answer


def every_row_twice(answer: Any) -> Any:
    """List every row of every table twice."""
    for table in ("transportation", "accommodation", "itinerary"):
        _rows(answer, table).extend([dict(row) for row in _rows(answer, table)])
    return answer


def all_free(answer: Any) -> Any:
    """Set every price to 0."""
    for table in ("transportation", "accommodation", "itinerary"):
        for row in _rows(answer, table):
            row |= {column: 0 for column in row if column.startswith("price")}
    return answer


_ANY: tuple[Forgery, ...] = (two_answers, in_tables)
_TRAVELPLANNER: tuple[Forgery, ...] = (
    *_ANY,
    padding,
    blank_days,
    no_meals,
    no_beds,
    any_words,
    one_meal,
    by_unlisted_bus,
    by_own_car,
    two_modes,
    legs_on_days_of_rest,
    whole_trip_twice,
    no_second_day,
)
FORGERIES: Mapping[str, tuple[Forgery, ...]] = {
    "worldtravel": (
        *_ANY,
        unlisted_mode,
        zero_costs,
        negative_costs,
        huge_costs,
        visits_without_duration,
        delayed_ride_home,
        second_outing,
        one_day_later,
        every_day_twice,
        only_hotel,
        no_rides_between_visits,
    ),
    "travelplanner": _TRAVELPLANNER,
    "flextravel": _TRAVELPLANNER,
    "veritrip": (
        *_ANY,
        idle_rides,
        only_rides,
        free_meals,
        negative_fares,
        no_rooms,
        into_the_next_day,
        one_way,
        every_row_twice,
        all_free,
    ),
}
"""Forgeries of each family."""
