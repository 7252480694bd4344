"""A test agent for Berlin. It knows what some requests mean, and plans only from results of tools."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView

Facts = dict[str, Any]


@dataclass(frozen=True)
class Stop:
    """A requested place with its conditions."""

    name: str
    kind: str = "attraction"
    style: str = "standard"
    course: str = "a_la_carte"
    start_range: tuple[str, str] = ("00:00", "24:00")


@dataclass(frozen=True)
class Request:
    """A request, understood by hand. At least one traveller is under twelve, and none is a senior."""

    day: date
    stops: tuple[Stop, ...]
    ages: tuple[int, ...]
    near: str
    ride: str
    walk: int
    back: str

    @property
    def party(self) -> int:
        """Number of travellers."""
        return len(self.ages)


BERLIN_001 = Request(
    day=date(2026, 7, 1),
    stops=(
        Stop("Memorial to the Murdered Jews of Europe"),
        Stop("Café Einstein Stammhaus", "restaurant", course="set_menu", start_range=("17:30", "24:00")),
        Stop("Borchardt", "restaurant", start_range=("11:00", "15:00")),
    ),
    ages=(41, 39, 9),
    near="Memorial to the Murdered Jews of Europe",
    ride="taxi",
    walk=20,
    back="30:00",
)
WALK_TO_BED = 15
"""Longest walk to the hotel that counts as near, in minutes."""


class TripAgent:
    """An agent that takes the cheapest hotel within walking distance, and tries orders and starts until a day fits."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def answer(self, view: TaskView, desk: Desk) -> Facts:
        request = self.request
        self.facts = (
            ToolFacts(desk, request)
            if view.tools.tools()
            else MaterialFacts(json.loads(view.materials["The city"]), request)
        )
        near = [
            h for h in self.facts.hotels() if self.facts.ways(h["name"], request.near)["foot"]["minutes"] <= WALK_TO_BED
        ]
        hotel = min(near, key=lambda h: float(h.get("price_per_room_and_night", 0)))
        for order in permutations(request.stops):
            for schedule in self.days(hotel["name"], order, minutes("08:00"), hotel["name"], ()):
                return self.itinerary(schedule, hotel)
        raise AssertionError("no day fits")

    def days(
        self, at: str, order: tuple[Stop, ...], now: int, home: str, done: tuple[Facts, ...]
    ) -> Iterator[tuple[Facts, ...]]:
        """Yield the schedules that visit the places in this order and end at home in time."""
        if not order:
            ride = self.ride(at, home, now)
            if ride["end"] <= minutes(self.request.back):
                yield (*done, ride)
            return
        stop = order[0]
        ride, ticket, length = self.ride(at, stop.name, now), self.ticket(stop), self.length(stop)
        for start in self.starts(stop, ticket, ride["end"], length):
            if minutes(stop.start_range[0]) <= start <= minutes(stop.start_range[1]):
                visit = {"item": stop.kind, "at": stop, "start": start, "end": start + length}
                yield from self.days(stop.name, order[1:], start + length, home, (*done, ride, visit))

    def starts(self, stop: Stop, ticket: Facts, arrival: int, length: int) -> list[int]:
        """Return the possible starts of a visit, in minutes after midnight.

        These are the starts with places left. If there are no starts, they are the arrival, the opening or the start of
        a meal.
        """
        if "starts" in ticket:
            free = [s for s in ticket["starts"] if s.get("places_left", self.request.party) >= self.request.party]
            ready = arrival + ticket["be_there_before_the_start_min"]
            starts = [start for s in free if (start := minutes(s["time"])) >= ready]
        else:
            starts = [
                max(arrival, minutes(begin)) for h in self.facts.hours(stop) for begin in (h.split("-")[0], *MEALS)
            ]
        if ticket["booking"] == "required":
            return starts
        spans = [tuple(map(minutes, hours.split("-"))) for hours in self.facts.hours(stop)]
        return [s for s in starts if any(opens <= s and s + length <= closes for opens, closes in spans)]

    def ticket(self, stop: Stop) -> Facts:
        """Return the ticket with the lowest fare that is not for a guided tour."""
        return min((t for t in self.facts.tickets(stop) if not t["guided_tour"]), key=self.fare)

    def fare(self, ticket: Facts) -> float:
        """Return the cost of a ticket for the whole party."""
        return sum(
            min(
                (
                    float(f["price"])
                    for f in ticket.get("fares", ())
                    if is_in_range(age, f["ages"]) and "students_only" not in f
                ),
                default=0,
            )
            for age in self.request.ages
        )

    def length(self, stop: Stop) -> int:
        """Return the length of a visit in minutes."""
        return int(self.facts.guide(stop)["length_of_visit"][stop.style]["family"]["least_min"])

    def ride(self, at: str, to: str, leave: int) -> Facts:
        """Return a ride, on foot if the way is short enough."""
        ways = self.facts.ways(at, to)
        mode = "foot" if ways["foot"]["minutes"] <= self.request.walk else self.request.ride
        return {
            "item": "transportation",
            "from": at,
            "to": to,
            "mode": mode,
            "start": leave,
            "end": leave + ways[mode]["minutes"],
            "cost": float(ways[mode].get("cost") or 0) if mode == "taxi" else 0.0,
        }

    # ------------------------------------------------------------------ the answer

    def itinerary(self, schedule: tuple[Facts, ...], hotel: Facts) -> Facts:
        """Return the answer with a schedule and a hotel."""
        home, party = hotel["name"], self.request.party
        stay = -(-party // 2) * float(hotel.get("price_per_room_and_night", 0))
        items = [self.entry("hotel", "08:00", "08:00", home, home, stay)]
        for item in schedule:
            times = clock(item["start"]), clock(item["end"])
            if item["item"] == "transportation":
                items.append(self.entry("transportation", *times, item["from"], item["to"], item["cost"], item["mode"]))
            else:
                stop = item["at"]
                menu = self.facts.guide(stop).get("menu_per_person", {stop.course: 0})
                dishes = [
                    menu.get("child_menu", menu[stop.course]) if a < 12 else menu[stop.course]
                    for a in self.request.ages
                ]
                cost = sum(map(float, dishes)) if stop.kind == "restaurant" else self.fare(self.ticket(stop))
                items.append(self.entry(stop.kind, *times, stop.name, stop.name, cost))
        end = items[-1]["time"].partition("-")[2]
        items.append(self.entry("hotel", end, end, home, home, 0))
        when = f"{self.request.day.month}.{self.request.day.day}"
        return {"itinerary": [{"date": when, "schedule": items}]}

    def entry(
        self,
        item: str,
        start: str,
        end: str,
        departure: str,
        destination: str,
        cost: float,
        mode: str = "none",
    ) -> Facts:
        """Return an item of the answer."""
        return {
            "item": item,
            "time": f"{start}-{end}",
            "departure": departure,
            "destination": destination,
            "cost": cost,
            "transportation": mode,
            "referenceImage": "",
        }


MEALS = ("11:00", "17:30")
"""Earliest start of lunch, and earliest start of dinner."""


class ToolFacts:
    """Facts from results of tools, with a cache."""

    def __init__(self, desk: Desk, request: Request) -> None:
        self.desk, self.request = desk, request
        self.replies: dict[str, Facts] = {}

    def call(self, tool: str, **arguments: str) -> Facts:
        """Return the result of a tool, from the cache if the call was made before."""
        key = f"{tool} {arguments}"
        if key not in self.replies:
            self.replies[key] = self.desk.call(tool, arguments)
            assert "error" not in self.replies[key], self.replies[key]
        return self.replies[key]

    def hotels(self) -> list[Facts]:
        result: list[Facts] = self.call("get_hotel_list", city="Berlin")["hotels"]
        return result

    def guide(self, stop: Stop) -> Facts:
        """Return what the guide says about a place."""
        if stop.kind == "restaurant":
            return self.call("get_restaurant_guide_detail", restaurant=stop.name)
        return self.call("get_guide_details", attraction=stop.name)

    def page(self, stop: Stop) -> Facts:
        """Return the offers of a place on the day of the trip."""
        day = self.request.day.isoformat()
        if stop.kind == "restaurant":
            return self.call("get_restaurant_reservation_availability", restaurant=stop.name, date=day)
        return self.call("get_attraction_ticket_availability", attraction=stop.name, date=day)

    def tickets(self, stop: Stop) -> list[Facts]:
        """Return the tickets of a place, or the tables of a restaurant."""
        page = self.page(stop)
        result: list[Facts] = page.get("tickets") or page["tables"]
        return result

    def hours(self, stop: Stop) -> list[str]:
        """Return the opening hours of a place on the day of the trip."""
        result: list[str] = self.page(stop)["opening_hours"]
        return result

    def ways(self, origin: str, to: str) -> dict[str, Facts]:
        """Return the connections between two places by mode of transport."""
        return {way["mode"]: way for way in self.call("get_route_info", origin=origin, destination=to)["ways"]}


class MaterialFacts(ToolFacts):
    """Facts from the materials of a view, for settings without tools."""

    def __init__(self, material: Mapping[str, Any], request: Request) -> None:
        self.material, self.request = material, request

    def guide(self, stop: Stop) -> Facts:
        result: Facts = next(place for place in self.material["places"] if place["name"] == stop.name)
        return result

    def hotels(self) -> list[Facts]:
        return [{"name": name} for name in self.material["hotels"]]

    def page(self, stop: Stop) -> Facts:
        result: Facts = self.guide(stop)["days"][self.request.day.isoformat()]
        return result

    def ways(self, origin: str, to: str) -> dict[str, Facts]:
        return {mode: {"minutes": least} for mode, least in self.material["ways"][origin][to].items()}


def is_in_range(age: int, ages: str) -> bool:
    """Return whether an age is in a range such as `6 to 17`."""
    least, most = map(int, ages.split(" to "))
    return least <= age <= most


def minutes(text: str) -> int:
    """Convert a time such as `08:30` to minutes after midnight."""
    hours, _, rest = text.partition(":")
    return int(hours) * 60 + int(rest)


def clock(value: int) -> str:
    """Convert minutes after midnight to a time such as `08:30`."""
    return f"{value // 60:02}:{value % 60:02}"
