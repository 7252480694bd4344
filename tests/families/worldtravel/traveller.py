"""A traveller in Berlin: reads a request by hand, and plans with nothing but what the tools say."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from typing import Any

from planspec.agents.desk import Desk
from planspec.agents.view import TaskView

Told = dict[str, Any]


@dataclass(frozen=True)
class Stop:
    """A place that the request names, and what it says of it."""

    name: str
    kind: str = "attraction"
    style: str = "standard"
    course: str = "a_la_carte"
    earliest: str = "00:00"
    latest: str = "24:00"


@dataclass(frozen=True)
class Request:
    """What the words of a request mean."""

    day: date
    stops: tuple[Stop, ...]
    adults: int
    children: int
    profile: str
    area: str
    leave: str
    back: str
    budget: float

    @property
    def party(self) -> int:
        return self.adults + self.children


BERLIN_001 = Request(
    day=date(2026, 7, 1),
    stops=(
        Stop("Neues Museum"), Stop("Berliner Fernsehturm"),
        Stop("Zur letzten Instanz", "restaurant", earliest="18:00", latest="20:00"),
    ),
    adults=2, children=1, profile="family", area="Mitte", leave="08:00", back="22:30", budget=425,
)  # fmt: skip


class Traveller:
    """Tries orders, starts, modes and hotels until a day fits."""

    def __init__(self, request: Request) -> None:
        self.request = request

    def answer(self, view: TaskView, desk: Desk) -> Told:
        self.known = (
            Known(desk, self.request)
            if view.tools.tools()
            else Given(json.loads(view.materials["The city"]), self.request)
        )
        for hotel in sorted(self.known.hotels(), key=lambda h: float(h["price_per_room_and_night"])):
            if hotel["area"] == self.request.area:
                for order in permutations(self.request.stops):
                    for schedule in self.days(
                        hotel["name"], order, minutes(self.request.leave), hotel["name"], ()
                    ):
                        if self.cost(schedule, hotel) <= self.request.budget:
                            return self.written(schedule, hotel)
        raise AssertionError("no day fits")

    def days(
        self, at: str, order: tuple[Stop, ...], now: int, home: str, done: tuple[Told, ...]
    ) -> Iterator[tuple[Told, ...]]:
        if not order:
            for ride in self.rides(at, home, now):
                if ride["end"] <= minutes(self.request.back):
                    yield (*done, ride)
            return
        stop = order[0]
        lead, length = self.known.lead(stop), self.known.length(stop)
        for start in self.known.starts(stop):
            if not minutes(stop.earliest) <= start <= minutes(stop.latest):
                continue
            for ride in self.rides(at, stop.name, now):
                if ride["end"] + lead <= start:
                    visit = {"item": stop.kind, "at": stop, "start": start, "end": start + length}
                    yield from self.days(stop.name, order[1:], start + length, home, (*done, ride, visit))

    def rides(self, at: str, to: str, leave: int) -> Iterator[Told]:
        for way in sorted(self.known.ways(at, to), key=self.ride_cost):
            long = 10 if way["minutes"] is None else way["minutes"]
            yield {
                "item": "transportation",
                "from": at,
                "to": to,
                "way": way,
                "start": leave,
                "end": leave + long,
            }

    # ------------------------------------------------------------------ costs

    def ride_cost(self, way: Told) -> float:
        return float(way["cost"] or 0) * (self.request.party if way["mode"] == "bus" else 1)

    def stop_cost(self, stop: Stop) -> float:
        prices = self.known.prices(stop)
        if stop.kind == "restaurant":
            return float(prices["menu_per_person"][stop.course]) * self.request.party
        adult = prices["tickets"]["adult"]
        child, family = prices["tickets"].get("child", adult), prices["family_pass"]
        singles = [(self.request.adults, self.request.children, 0.0)]
        if family:
            singles += [
                (
                    self.request.adults - n * family["adults"],
                    self.request.children - n * family["children"],
                    n * family["price"],
                )
                for n in range(1, self.request.party + 1)
            ]
        return min(max(0, a) * adult + max(0, c) * child + paid for a, c, paid in singles)

    def stay_cost(self, hotel: Told) -> float:
        return -(-self.request.party // hotel["room_sleeps"]) * float(hotel["price_per_room_and_night"])

    def cost(self, schedule: tuple[Told, ...], hotel: Told) -> float:
        rides = sum(self.ride_cost(item["way"]) for item in schedule if item["item"] == "transportation")
        return rides + sum(map(self.stop_cost, self.request.stops)) + self.stay_cost(hotel)

    # ------------------------------------------------------------------ the answer

    def written(self, schedule: tuple[Told, ...], hotel: Told) -> Told:
        home = hotel["name"]
        items = [
            self.entry("hotel", self.request.leave, self.request.leave, home, home, self.stay_cost(hotel))
        ]
        for item in schedule:
            times = clock(item["start"]), clock(item["end"])
            if item["item"] == "transportation":
                cost = self.ride_cost(item["way"])
                items.append(
                    self.entry("transportation", *times, item["from"], item["to"], cost, item["way"]["mode"])
                )
            else:
                stop = item["at"]
                items.append(self.entry(stop.kind, *times, stop.name, stop.name, self.stop_cost(stop)))
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
    ) -> Told:
        return {
            "item": item, "time": f"{start}-{end}", "departure": departure, "destination": destination, "cost": cost,
            "transportation": mode, "referenceImage": "",
        }  # fmt: skip


class Known:
    """What the tools say, asked for once."""

    def __init__(self, desk: Desk, request: Request) -> None:
        self.desk, self.request = desk, request
        self.said: dict[str, Told] = {}

    def ask(self, tool: str, **arguments: str) -> Told:
        key = f"{tool} {arguments}"
        if key not in self.said:
            self.said[key] = self.desk.call(tool, arguments)
            assert "error" not in self.said[key], self.said[key]
        return self.said[key]

    def hotels(self) -> list[Told]:
        found: list[Told] = self.ask("get_hotel_list", city="Berlin")["hotels"]
        return found

    def guide(self, stop: Stop) -> Told:
        if stop.kind == "restaurant":
            return self.ask("get_restaurant_guide_detail", restaurant=stop.name)
        return self.ask("get_guide_details", attraction=stop.name)

    def page(self, stop: Stop) -> Told:
        day = self.request.day.isoformat()
        if stop.kind == "restaurant":
            return self.ask("get_restaurant_reservation_availability", restaurant=stop.name, date=day)
        return self.ask("get_attraction_ticket_availability", attraction=stop.name, date=day)

    def prices(self, stop: Stop) -> Told:
        return self.guide(stop) if stop.kind == "restaurant" else self.page(stop)

    def ways(self, origin: str, to: str) -> list[Told]:
        found: list[Told] = self.ask("get_route_info", origin=origin, destination=to)["ways"]
        return found

    def lead(self, stop: Stop) -> int:
        return int(self.guide(stop)["be_there_before_the_start_min"])

    def length(self, stop: Stop) -> int:
        return int(self.guide(stop)["length_of_visit"][stop.style][self.request.profile]["least_min"])

    def starts(self, stop: Stop) -> list[int]:
        page = self.page(stop)
        assert page["booking"] == "required"
        return [minutes(s["time"]) for s in page["starts"] if s["status"] == "available" and s["places_left"] >= self.request.party]  # fmt: skip


class Given(Known):
    """The same, of what is given."""

    def __init__(self, given: Mapping[str, Any], request: Request) -> None:
        self.given, self.request = given, request

    def place(self, stop: Stop) -> Told:
        return next(place for place in self.given["places"] if place["name"] == stop.name)

    def hotels(self) -> list[Told]:
        return list(self.given["hotels"])

    guide = prices = place

    def page(self, stop: Stop) -> Told:
        found: Told = self.place(stop)["days"][self.request.day.isoformat()]
        return found

    def ways(self, origin: str, to: str) -> list[Told]:
        return [{"mode": mode, **way} for mode, way in self.given["ways"][origin][to].items()]


def minutes(said: str) -> int:
    hours, _, rest = said.partition(":")
    return int(hours) * 60 + int(rest)


def clock(said: int) -> str:
    return f"{said // 60:02}:{said % 60:02}"
