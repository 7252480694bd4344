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
"""The share of the budget for a day of each role (section A.4: 0.7 for the departure, 0.5 for the return)."""
_KEPT = 400
_LONG = 2
"""Nights of a stay beyond which several of its days want meals of the same city."""

Key: TypeAlias = tuple[Role, str | None, str, int, Mode | None, int]


class Coordinator(Protocol):
    """Splits a trip into days."""

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """The sub-goals of the next round.

        Args:
            feedback: of the round before; none at first.
            tally: of what the coordinator does.

        Returns:
            One for each day; None where there is nothing else to try.
        """


class Flat:
    """No coordinator: what every executor would assume by itself, without hints, and the same in every round.

    Args:
        market: what there is.
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
    """A coordinator that knows rides and prices at a glance, and learns from feedback what days really need.

    A route is chosen by its least cost at a glance: the cheapest rides, the cheapest bed of each city whatever it is let
    for (once a stay was not available, of those that are let for so short), and the cheapest meal for every meal; there
    must be meals and sights enough.

    Hints at first go by the kind of day: the cheapest rides are set aside and the rest is shared out by `WEIGHTS`, half of
    a day's share being for its night. Feedback replaces the glance by what a day needs, and what is left beyond the needs
    is shared out less and less, none of it in the last round.

    If a day of stay found too little left in its city, days that could do without have to, and a long stay is
    given up; if that did not help, its tastes go elsewhere, or any stay is given up, as long as there is
    another. A leg for which there was no time is not tried again.

    Attributes:
        market: the offers.
        rounds: the most rounds.
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
    _known: list[RoundTrip] | None = None

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
        for said in feedback:
            goal = by_day[said.day]
            if said.deficit is not None and goal.hint is not None:
                self._needs[_key(goal)] = goal.hint + said.deficit
            match said.violation_type:
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
                        self._closer, self._known = True, None
                    self._no_stay.update(stay for stay in self._stays() if stay[0] == where(goal))
                case "budget" | None:  # what the day needs says it all
                    pass

    def _stays(self) -> tuple[tuple[str, int], ...]:
        return () if self._current is None else self._current.stays

    # ------------------------------------------------------------------ routes

    def _route(self) -> RoundTrip | None:
        """The one that was tried, if it may still do; else the one that costs least."""
        budget = self.market.budget
        if self._current is not None and self._open(self._current):
            now = self._cost(self._current)
            if now is not None and (budget is None or now <= budget):
                return self._current
        if self._known is None:
            found = routes(self.market, Prices(cache(self._leg), cache(self._stay)))
            able = ((cost, n, route) for n, (cost, route) in enumerate(found) if self._tasty(route))
            self._known = [route for _, _, route in nsmallest(_KEPT, able)]
        return self._best() or self._once_more()

    def _best(self) -> RoundTrip | None:
        priced = ((self._cost(r), n, r) for n, r in enumerate(self._known or ()) if self._open(r))
        left = [(cost, n, r) for cost, n, r in priced if cost is not None]
        return min(left)[2] if left else None

    def _once_more(self) -> RoundTrip | None:
        """A route that was given up before, if nothing else is left: other days may leave more of it."""
        self._turned += bool(self._no_taste)
        self._no_stay.clear()
        self._no_taste.clear()
        return self._best()

    def _open(self, route: RoundTrip) -> bool:
        return self._no_stay.isdisjoint(route.stays)

    def _cost(self, route: RoundTrip) -> int | None:
        """At a glance, or as it was learnt; None where it cannot be."""
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
        """The days of a route with their tastes."""
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
        known = self.market.served(city)
        return known if not self._no_taste else frozenset(t for t in known if (city, t) not in self._no_taste)

    # ------------------------------------------------------------------ money

    def _need(self, goal: Goal) -> int | None:
        """The least cost of a day, as far as it is known."""
        known = self._needs.get(_key(goal))
        return self._glance(goal) if known is None else known

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
        """The cost of a day's meals; 0 if there is nothing to eat."""
        return 3 * min((meal.cost for meal in self.market.restaurants(city)), default=0)

    def _tasty(self, route: RoundTrip) -> bool:
        """The cities serve all tastes."""
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
    """An amount by day and weight; a night takes half of its day's share, for the day that books it."""
    whole = sum(WEIGHTS[goal.role] for goal in days)
    made: dict[int, int] = {}
    booked = 0  # the day that books the night
    for goal in days:
        booked = goal.day if goal.nights else booked
        part = amount * WEIGHTS[goal.role] // whole
        night = 0 if goal.role == "return" else part // 2
        made[goal.day] = made.get(goal.day, 0) + part - night
        if night:
            made[booked] = made.get(booked, 0) + night
    return made


def _key(goal: Goal) -> Key:
    return goal.role, goal.origin, goal.city, goal.nights, goal.mode, goal.day
