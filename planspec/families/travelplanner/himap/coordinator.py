"""Coordinators: they split a trip into days with budget hints, and split it again if executors reject their days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import nsmallest
from typing import Protocol, TypeAlias

from planspec.families.travelplanner.himap.goals import ExecutorCounts, Feedback, Goal, Mode, Role
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.routes import (
    CostEstimators,
    RoundTrip,
    assign_tastes,
    days_of_route,
    meal_city,
    plain_route,
    routes,
)

WEIGHTS: dict[Role, int] = {"departure": 7, "stay": 10, "transit": 10, "return": 5}
"""Weights of the days' budget shares by role of the day (section A.4: 0.7 for the departure, 0.5 for the return)."""
_MOST_CANDIDATES = 400
_LONG_STAY = 2
"""Maximum number of nights of a short stay. In a long stay, several full days need meals in one city."""

NeedKey: TypeAlias = tuple[Role, str | None, str, int, Mode | None, int]


class Coordinator(Protocol):
    """Interface of the role that splits a trip into days."""

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """Return the sub-goals of the next round.

        Args:
            feedback: feedback of the previous round; empty in the first round.
            tally: counts of calls. The coordinator adds its own calls.

        Returns:
            A sub-goal for each day, or None if there is nothing else to try.
        """


class FixedCoordinator:
    """Coordinator that returns the plain route (see `plain_route`) without hints in every round.

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
        days = days_of_route(route, self._market)
        stays = [day.day for day in days if day.role == "stay"] or [1]
        by_day = {
            day: tuple(taste for n, taste in enumerate(self._market.tastes) if stays[n % len(stays)] == day)
            for day in stays
        }
        return tuple(replace(day, tastes=by_day.get(day.day, ())) for day in days)


@dataclass(slots=True)
class Allocator:
    """Coordinator without a model. It estimates the costs of days from the offers, and corrects them by feedback.

    It chooses the route with the lowest estimated cost: the cheapest ride of each leg, the cheapest bed of each
    city, and the cheapest restaurant for every meal. Each city needs enough restaurants and attractions. Minimum
    stays are ignored at first. Once a stay was unavailable, only beds with a short enough minimum stay are considered.

    In the first round, the cost of the cheapest rides is reserved, and the rest of the budget is divided by `WEIGHTS`
    into hints. Half of a day's share pays for the night after the day. In later rounds, the lowest cost of a day
    according to feedback replaces the estimate. The budget that remains after these costs is also divided: a smaller
    part in each round, and nothing in the last round.

    If a day did not find enough free venues in its city, other days there leave out optional items (`Goal.frugal`),
    and long stays in the city are excluded. If this does not help, the day's cuisines move to another city, or all
    stays in the city are excluded, as long as another route exists. A leg without a ride in time is not tried again.

    Attributes:
        market: offers of the trip.
        rounds: maximum number of rounds.
    """

    market: Market
    rounds: int
    _round: int = 0
    _current: RoundTrip | None = None
    _goals: tuple[Goal, ...] = ()
    _needs: dict[NeedKey, int] = field(default_factory=dict)
    _excluded_stays: set[tuple[str, int]] = field(default_factory=set)
    _excluded_legs: set[tuple[str, str | None, str, Mode | None]] = field(default_factory=set)
    _excluded_tastes: set[tuple[str, str]] = field(default_factory=set)
    _scarce_cities: set[str] = field(default_factory=set)
    _taste_shift: int = 0
    _respects_minimum_stay: bool = False
    _candidates: list[RoundTrip] | None = None

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        tally.count_call("choose")
        self._round += 1
        self._update_needs(feedback)
        route = self._next_route()
        if route is None:
            return None
        self._current = route
        self._goals = self._add_hints(self._days_of(route) or ())
        return self._goals

    # ------------------------------------------------------------------ learning from feedback

    def _update_needs(self, feedback: Sequence[Feedback]) -> None:
        by_day = {goal.day: goal for goal in self._goals}
        for item in feedback:
            goal = by_day[item.day]
            if item.deficit is not None and goal.hint is not None:
                self._needs[_need_key(goal)] = goal.hint + item.deficit
            match item.violation_type:
                case "time":
                    self._excluded_legs.add((goal.date, goal.origin, goal.city, goal.mode))
                case "availability" if goal.role == "stay" and goal.city not in self._scarce_cities:
                    self._scarce_cities.add(goal.city)
                    self._taste_shift += bool(goal.tastes)
                    self._excluded_stays.update(
                        stay for stay in self._current_stays() if stay[0] == goal.city and stay[1] > _LONG_STAY
                    )
                case "availability" if goal.tastes:
                    self._excluded_tastes.update((meal_city(goal), taste) for taste in goal.tastes)
                case "availability":
                    if goal.nights and not self._respects_minimum_stay:
                        self._respects_minimum_stay, self._candidates = True, None
                    self._excluded_stays.update(stay for stay in self._current_stays() if stay[0] == meal_city(goal))
                case "budget" | "price" | None:  # nothing to do beyond the update of `_needs` above
                    pass

    def _current_stays(self) -> tuple[tuple[str, int], ...]:
        return () if self._current is None else self._current.stays

    # ------------------------------------------------------------------ routes

    def _next_route(self) -> RoundTrip | None:
        """Return the current route if it is still possible and affordable, otherwise the cheapest possible route."""
        budget = self.market.budget
        if self._current is not None and self._is_possible(self._current):
            current_cost = self._route_cost(self._current)
            if current_cost is not None and (budget is None or current_cost <= budget):
                return self._current
        if self._candidates is None:
            estimates = routes(self.market, CostEstimators(cache(self._leg_cost), cache(self._stay_cost)))
            candidates = (
                (cost, n, route) for n, (cost, route) in enumerate(estimates) if self._serves_all_tastes(route)
            )
            self._candidates = [route for _, _, route in nsmallest(_MOST_CANDIDATES, candidates)]
        return self._cheapest_candidate() or self._reopened_route()

    def _cheapest_candidate(self) -> RoundTrip | None:
        priced = ((self._route_cost(r), n, r) for n, r in enumerate(self._candidates or ()) if self._is_possible(r))
        feasible = [(cost, n, r) for cost, n, r in priced if cost is not None]
        return min(feasible)[2] if feasible else None

    def _reopened_route(self) -> RoundTrip | None:
        """Allow all excluded stays and cuisines again, and return the cheapest route.

        This is the last resort. A route that failed before may succeed if other days cost less.
        """
        self._taste_shift += bool(self._excluded_tastes)
        self._excluded_stays.clear()
        self._excluded_tastes.clear()
        return self._cheapest_candidate()

    def _is_possible(self, route: RoundTrip) -> bool:
        return self._excluded_stays.isdisjoint(route.stays)

    def _route_cost(self, route: RoundTrip) -> int | None:
        """Return the lowest cost of a route in cents, by feedback or estimates; None if the route is impossible."""
        days = self._days_of(route)
        if days is None:
            return None
        total = 0
        for goal in days:
            need = self._need(goal)
            if need is None or (goal.date, goal.origin, goal.city, goal.mode) in self._excluded_legs:
                return None
            total += need
        return total

    def _days_of(self, route: RoundTrip) -> tuple[Goal, ...] | None:
        """Return the days of a route with their cuisines, or None if a cuisine is not served on any day."""
        days = tuple(
            replace(goal, frugal=not self._scarce_cities.isdisjoint((goal.city, goal.origin)))
            for goal in days_of_route(route, self.market)
        )
        if not self.market.tastes:
            return days
        served = {city: self._cuisines(city) for city, _ in route.stays}
        shift = self._taste_shift % len(self.market.tastes)
        tastes = (*self.market.tastes[shift:], *self.market.tastes[:shift])
        given = assign_tastes(days, tastes, served)
        if given is None:
            return None
        return tuple(replace(day, tastes=given.get(day.day, ())) for day in days)

    def _cuisines(self, city: str) -> frozenset[str]:
        served = self.market.cuisines(city)
        return (
            served
            if not self._excluded_tastes
            else frozenset(t for t in served if (city, t) not in self._excluded_tastes)
        )

    # ------------------------------------------------------------------ money

    def _need(self, goal: Goal) -> int | None:
        """Return the lowest cost of a day in cents, by feedback or by an estimate; None if the day is impossible."""
        need = self._needs.get(_need_key(goal))
        return self._estimated_need(goal) if need is None else need

    def _estimated_need(self, goal: Goal) -> int | None:
        ride = self._ride_cost(goal)
        bed = self._bed_cost(goal.city, goal.nights) if goal.nights else 0
        if ride is None or bed is None:
            return None
        return ride + bed + (self._meals_cost(goal.city) if goal.role == "stay" else 0)

    def _bed_cost(self, city: str, nights: int) -> int | None:
        if self._respects_minimum_stay:
            return min((hotel.cost for hotel in self.market.hotels(city, nights)), default=None)
        return min((nights * bed.cost for bed in self.market.beds(city)), default=None)

    def _ride_cost(self, goal: Goal) -> int | None:
        return 0 if goal.origin is None else self._leg_cost(goal.day, goal.origin, goal.city, goal.mode)

    def _leg_cost(self, day: int, origin: str, to: str, mode: Mode | None) -> int | None:
        rides = self.market.rides(self.market.dates[day - 1], origin, to)
        return min((ride.cost for ride in rides if mode in (None, ride.mode)), default=None)

    def _stay_cost(self, city: str, nights: int) -> int | None:
        market, days, bed = self.market, nights - 1, self._bed_cost(city, nights)
        if bed is None or len(market.sights(city)) < days or len(market.restaurants(city)) < 3 * days:
            return None
        return bed + days * self._meals_cost(city)

    def _meals_cost(self, city: str) -> int:
        """Return the lowest cost of a day's meals, in cents. Return 0 if the city has no restaurant."""
        return 3 * min((meal.cost for meal in self.market.restaurants(city)), default=0)

    def _serves_all_tastes(self, route: RoundTrip) -> bool:
        """Return whether the cities of a route serve all requested cuisines."""
        served = set[str]().union(*(self._cuisines(city) for city, _ in route.stays)) if self.market.tastes else ()
        return set(self.market.tastes) <= set(served)

    def _add_hints(self, days: tuple[Goal, ...]) -> tuple[Goal, ...]:
        budget = self.market.budget
        if budget is None:
            return days
        if self._round == 1:
            reserved = {goal.day: self._ride_cost(goal) or 0 for goal in days}
            share = _shares(days, max(0, budget - sum(reserved.values())))
        else:
            reserved = {goal.day: self._need(goal) or 0 for goal in days}
            spare = max(0, budget - sum(reserved.values()))
            share = _shares(days, spare * max(0, self.rounds - self._round) // self.rounds)
        return tuple(replace(goal, hint=reserved[goal.day] + share[goal.day]) for goal in days)


def _shares(days: Sequence[Goal], amount: int) -> dict[int, int]:
    """Divide an amount in cents among the days by `WEIGHTS`. Return the shares by number of the day.

    Half of a day's share pays for the night after the day. That half goes to the first day of the stay, which books
    the night.
    """
    whole = sum(WEIGHTS[goal.role] for goal in days)
    shares: dict[int, int] = {}
    booked = 0  # number of the day that books the current night
    for goal in days:
        booked = goal.day if goal.nights else booked
        part = amount * WEIGHTS[goal.role] // whole
        night = 0 if goal.role == "return" else part // 2
        shares[goal.day] = shares.get(goal.day, 0) + part - night
        if night:
            shares[booked] = shares.get(booked, 0) + night
    return shares


def _need_key(goal: Goal) -> NeedKey:
    return goal.role, goal.origin, goal.city, goal.nights, goal.mode, goal.day
