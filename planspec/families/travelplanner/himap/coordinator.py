"""The coordinator: splits a trip into days with budget hints, and splits it anew when days reject theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import nsmallest
from typing import Protocol, TypeAlias

from planspec.families.travelplanner.himap.goals import ExecutorCounts, Feedback, Goal, Mode, Role
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.routes import (
    Prices,
    RoundTrip,
    goals,
    plain_route,
    routes,
    spread,
    where,
)

WEIGHTS: dict[Role, int] = {"departure": 7, "stay": 10, "transit": 10, "return": 5}
"""Weights of the days' budget shares by role (section A.4: 0.7 for the departure, 0.5 for the return)."""
_KEPT = 400
_LONG = 2
"""Nights beyond which several days of a stay need meals in the same city."""

Key: TypeAlias = tuple[Role, str | None, str, int, Mode | None, int]


class Coordinator(Protocol):
    """Splits a trip into days."""

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """Return the sub-goals of the next round.

        Args:
            feedback: feedback of the previous round; empty at first.
            tally: counts of the coordinator.

        Returns:
            A sub-goal for each day, or None if there is nothing else to try.
        """


class Flat:
    """A coordinator that only gives the plain route, without hints, the same in every round.

    Args:
        market: offers of the trip.
    """

    def __init__(self, market: Market) -> None:
        self._market = market

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        route = plain_route(self._market)
        if route is None:
            return None
        days = goals(route, self._market)
        stays = [day.day for day in days if day.role == "stay"] or [1]
        by_day = {
            day: tuple(taste for n, taste in enumerate(self._market.tastes) if stays[n % len(stays)] == day)
            for day in stays
        }
        return tuple(replace(day, tastes=by_day.get(day.day, ())) for day in days)


@dataclass(slots=True)
class Allocator:
    """A coordinator that estimates costs from rides and prices, and learns the actual needs from feedback.

    A route is chosen by its least estimated cost: the cheapest rides, the cheapest bed of each city whatever
    its minimum stay (once a stay was unavailable, among those with a short enough minimum), and the cheapest
    meal for every meal; there must be enough meals and attractions.

    The first hints depend on the kind of day: the cheapest rides are set aside and the rest is shared out by
    `WEIGHTS`, with half of a day's share for its night. Feedback replaces the estimate by a day's need. The
    surplus over the needs is shared out less and less, none of it in the last round.

    If a day of stay found too little left in its city, other days drop what they can do without, and a long
    stay is given up. If that did not help, its tastes move elsewhere, or any stay is given up, while there is
    another. A leg without enough time is not tried again.

    Attributes:
        market: offers of the trip.
        rounds: largest number of rounds.
    """

    market: Market
    rounds: int
    _round: int = 0
    _current: RoundTrip | None = None
    _given: tuple[Goal, ...] = ()
    _needs: dict[Key, int] = field(default_factory=dict)
    _no_stay: set[tuple[str, int]] = field(default_factory=set)
    _no_leg: set[tuple[str, str | None, str, Mode | None]] = field(default_factory=set)
    _no_taste: set[tuple[str, str]] = field(default_factory=set)
    _scarce: set[str] = field(default_factory=set)
    _turned: int = 0
    _closer: bool = False
    _candidates: list[RoundTrip] | None = None

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        tally.call("choose")
        self._round += 1
        self._learn(feedback)
        route = self._route()
        if route is None:
            return None
        self._current = route
        self._given = self._hinted(self._days(route) or ())
        return self._given

    # ------------------------------------------------------------------ what is learnt

    def _learn(self, feedback: Sequence[Feedback]) -> None:
        by_day = {goal.day: goal for goal in self._given}
        for item in feedback:
            goal = by_day[item.day]
            if item.deficit is not None and goal.hint is not None:
                self._needs[_key(goal)] = goal.hint + item.deficit
            match item.violation_type:
                case "time":
                    self._no_leg.add((goal.date, goal.origin, goal.city, goal.mode))
                case "availability" if goal.role == "stay" and goal.city not in self._scarce:
                    self._scarce.add(goal.city)
                    self._turned += bool(goal.tastes)
                    self._no_stay.update(
                        stay for stay in self._stays() if stay[0] == goal.city and stay[1] > _LONG
                    )
                case "availability" if goal.tastes:
                    self._no_taste.update((where(goal), taste) for taste in goal.tastes)
                case "availability":
                    if goal.nights and not self._closer:
                        self._closer, self._candidates = True, None
                    self._no_stay.update(stay for stay in self._stays() if stay[0] == where(goal))
                case "budget" | None:  # what the day needs says it all
                    pass

    def _stays(self) -> tuple[tuple[str, int], ...]:
        return () if self._current is None else self._current.stays

    # ------------------------------------------------------------------ routes

    def _route(self) -> RoundTrip | None:
        """Return the current route if it may still work, or else the cheapest one."""
        budget = self.market.budget
        if self._current is not None and self._open(self._current):
            current_cost = self._cost(self._current)
            if current_cost is not None and (budget is None or current_cost <= budget):
                return self._current
        if self._candidates is None:
            estimates = routes(self.market, Prices(cache(self._leg), cache(self._stay)))
            candidates = ((cost, n, route) for n, (cost, route) in enumerate(estimates) if self._tasty(route))
            self._candidates = [route for _, _, route in nsmallest(_KEPT, candidates)]
        return self._best() or self._once_more()

    def _best(self) -> RoundTrip | None:
        priced = ((self._cost(r), n, r) for n, r in enumerate(self._candidates or ()) if self._open(r))
        feasible = [(cost, n, r) for cost, n, r in priced if cost is not None]
        return min(feasible)[2] if feasible else None

    def _once_more(self) -> RoundTrip | None:
        """Return a route that was given up before, as a last resort: other days may leave more for it."""
        self._turned += bool(self._no_taste)
        self._no_stay.clear()
        self._no_taste.clear()
        return self._best()

    def _open(self, route: RoundTrip) -> bool:
        return self._no_stay.isdisjoint(route.stays)

    def _cost(self, route: RoundTrip) -> int | None:
        """Return the estimated or learnt cost, or None if the route is impossible."""
        days = self._days(route)
        if days is None:
            return None
        total = 0
        for goal in days:
            need = self._need(goal)
            if need is None or (goal.date, goal.origin, goal.city, goal.mode) in self._no_leg:
                return None
            total += need
        return total

    def _days(self, route: RoundTrip) -> tuple[Goal, ...] | None:
        """Return the days of a route with their tastes, or None if the tastes cannot be served."""
        days = tuple(
            replace(goal, frugal=not self._scarce.isdisjoint((goal.city, goal.origin)))
            for goal in goals(route, self.market)
        )
        if not self.market.tastes:
            return days
        served = {city: self._served(city) for city, _ in route.stays}
        turned = self._turned % len(self.market.tastes)
        tastes = (*self.market.tastes[turned:], *self.market.tastes[:turned])
        given = spread(days, tastes, served)
        if given is None:
            return None
        return tuple(replace(day, tastes=given.get(day.day, ())) for day in days)

    def _served(self, city: str) -> frozenset[str]:
        served = self.market.served(city)
        return (
            served if not self._no_taste else frozenset(t for t in served if (city, t) not in self._no_taste)
        )

    # ------------------------------------------------------------------ money

    def _need(self, goal: Goal) -> int | None:
        """Return the least cost of a day, as far as it is known."""
        need = self._needs.get(_key(goal))
        return self._glance(goal) if need is None else need

    def _glance(self, goal: Goal) -> int | None:
        ride = self._ride(goal)
        bed = self._bed(goal.city, goal.nights) if goal.nights else 0
        if ride is None or bed is None:
            return None
        return ride + bed + (self._meals(goal.city) if goal.role == "stay" else 0)

    def _bed(self, city: str, nights: int) -> int | None:
        if self._closer:
            return min((hotel.cost for hotel in self.market.hotels(city, nights)), default=None)
        return min((nights * bed.cost for bed in self.market.beds(city)), default=None)

    def _ride(self, goal: Goal) -> int | None:
        return 0 if goal.origin is None else self._leg(goal.day, goal.origin, goal.city, goal.mode)

    def _leg(self, day: int, origin: str, to: str, mode: Mode | None) -> int | None:
        rides = self.market.rides(self.market.dates[day - 1], origin, to)
        return min((ride.cost for ride in rides if mode in (None, ride.mode)), default=None)

    def _stay(self, city: str, nights: int) -> int | None:
        market, days, bed = self.market, nights - 1, self._bed(city, nights)
        if bed is None or len(market.sights(city)) < days or len(market.restaurants(city)) < 3 * days:
            return None
        return bed + days * self._meals(city)

    def _meals(self, city: str) -> int:
        """Return the cost of a day's meals; 0 if there are none."""
        return 3 * min((meal.cost for meal in self.market.restaurants(city)), default=0)

    def _tasty(self, route: RoundTrip) -> bool:
        """Return whether the cities serve all tastes."""
        served = (
            set[str]().union(*(self._served(city) for city, _ in route.stays)) if self.market.tastes else ()
        )
        return set(self.market.tastes) <= set(served)

    def _hinted(self, days: tuple[Goal, ...]) -> tuple[Goal, ...]:
        budget = self.market.budget
        if budget is None:
            return days
        if self._round == 1:
            aside = {goal.day: self._ride(goal) or 0 for goal in days}
            share = _shares(days, max(0, budget - sum(aside.values())))
        else:
            aside = {goal.day: self._need(goal) or 0 for goal in days}
            spare = max(0, budget - sum(aside.values()))
            share = _shares(days, spare * max(0, self.rounds - self._round) // self.rounds)
        return tuple(replace(goal, hint=aside[goal.day] + share[goal.day]) for goal in days)


def _shares(days: Sequence[Goal], amount: int) -> dict[int, int]:
    """Split an amount by day and weight. A night takes half of its day's share, for the day that books it."""
    whole = sum(WEIGHTS[goal.role] for goal in days)
    shares: dict[int, int] = {}
    booked = 0  # the day that books the night
    for goal in days:
        booked = goal.day if goal.nights else booked
        part = amount * WEIGHTS[goal.role] // whole
        night = 0 if goal.role == "return" else part // 2
        shares[goal.day] = shares.get(goal.day, 0) + part - night
        if night:
            shares[booked] = shares.get(booked, 0) + night
    return shares


def _key(goal: Goal) -> Key:
    return goal.role, goal.origin, goal.city, goal.nights, goal.mode, goal.day
