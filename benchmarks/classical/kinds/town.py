"""Customers in a town with time windows, for the two kinds of routing problems."""

from __future__ import annotations

import random
from dataclasses import dataclass

from benchmarks.classical.kind import table

SERVICE = 3
"""Service time at each customer, in minutes."""


@dataclass(frozen=True)
class Town:
    """Routing instance: the depot (place 0), customers (places 1 to n) with time windows and loads, and vans.

    Attributes:
        places: coordinates (east, north) of the depot and of each customer.
        windows: first and last minute of arrival; the depot's is the whole day.
        loads: load for each customer, 0 for the depot.
        vans: number of vans.
        capacity: maximum load of a van.
    """

    places: list[tuple[int, int]]
    windows: list[tuple[int, int]]
    loads: list[int]
    vans: int
    capacity: int

    @property
    def count(self) -> int:
        return len(self.places) - 1

    @property
    def day(self) -> int:
        return self.windows[0][1]

    def minutes_between(self, a: int, b: int) -> int:
        """Return the travel time in minutes from one place to another, by Manhattan distance."""
        return abs(self.places[a][0] - self.places[b][0]) + abs(self.places[a][1] - self.places[b][1])

    def can_follow(self, a: int, b: int) -> bool:
        """Return whether a van can reach place `b` in time after place `a`."""
        start = max(self.windows[a][0], self.minutes_between(0, a)) + SERVICE if a else 0
        return a != b and start + self.minutes_between(a, b) <= self.windows[b][1]


def town(customers: int, vans: int, width: int, seed: str) -> Town:
    """Draw customers with windows around the arrivals of a random route, so that a plan exists.

    A window begins and ends at most `width` minutes before and after the arrival.
    """
    source = random.Random(seed)
    places = [(0, 0), *((source.randint(-12, 12), source.randint(-12, 12)) for _ in range(customers))]
    loads = [0, *(source.randint(1, 6) for _ in range(customers))]
    windows = [(0, 0)] * (customers + 1)
    drawn = Town(places, windows, loads, vans, 0)
    order = source.sample(range(1, customers + 1), customers)
    latest = fullest = 0
    for van in range(vans):
        minute, at, load = 0, 0, 0
        for customer in order[van::vans]:
            minute += drawn.minutes_between(at, customer)
            windows[customer] = (max(0, minute - source.randint(5, width)), minute + source.randint(5, width))
            minute, at, load = minute + SERVICE, customer, load + loads[customer]
        latest, fullest = max(latest, minute + drawn.minutes_between(at, 0)), max(fullest, load)
    windows[0] = (0, latest + 2 * width)
    return Town(places, windows, loads, vans, fullest + 2)


def customers_table(data: Town) -> str:
    rows = [(f"c{c}", *data.places[c], *data.windows[c], data.loads[c]) for c in range(1, data.count + 1)]
    return table("Customer", "id, east: int, north: int, from: int, until: int, load: int", rows)
