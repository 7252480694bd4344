"""Routes: the cities of a trip, the nights in each, and the mode of transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.travelplanner.himap.goals import Goal, Mode, Role
from planspec.families.travelplanner.himap.market import Market


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """Route of a trip that ends where it begins.

    Attributes:
        stays: visited cities, each with its number of nights, in order.
        mode: mode of transport; None if each day chooses its own.
    """

    stays: tuple[tuple[str, int], ...]
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class CostEstimators:
    """Functions that estimate costs for all travellers in cents. They return None if nothing is available.

    Attributes:
        leg: estimates a ride, given the number of the day (from 1), the origin, the destination and the mode.
        stay: estimates a stay with its meals, given the city and the number of nights.
    """

    leg: Callable[[int, str, str, Mode], int | None]
    stay: Callable[[str, int], int | None]


def routes(market: Market, estimators: CostEstimators) -> Iterator[tuple[int, RoundTrip]]:
    """Yield all possible routes of a trip, each with its estimated cost in cents."""
    last = len(market.dates)
    modes: tuple[Mode, ...] = ("public", "car")
    for mode in modes:
        partial: list[tuple[int, int, tuple[tuple[str, int], ...]]] = [(0, 1, ())]
        while partial:
            spent, day, stays = partial.pop()
            current = stays[-1][0] if stays else market.org
            cities_left = market.cities - len(stays)
            if not cities_left:
                home = estimators.leg(day, current, market.org, mode)
                if day == last and home is not None:
                    yield spent + home, RoundTrip(stays, mode)
                continue
            visited = {city for city, _ in stays}
            for city in market.destinations:
                ride = None if city in visited else estimators.leg(day, current, city, mode)
                if ride is None:
                    continue
                most_nights = last - day - cities_left + 1
                for nights in range(1, most_nights + 1) if cities_left > 1 else (most_nights,):
                    stay = estimators.stay(city, nights)
                    if stay is not None:
                        partial.append((spent + ride + stay, day + nights, (*stays, (city, nights))))


def plain_route(market: Market) -> RoundTrip | None:
    """Return the route that executors assume if there is no coordinator, or None if there are too few cities.

    It visits the first cities by name and divides the nights evenly among them.
    """
    nights = len(market.dates) - 1
    cities = market.destinations[: market.cities]
    if len(cities) < market.cities or not 0 < market.cities <= nights:
        return None
    each, remainder = divmod(nights, market.cities)
    return RoundTrip(tuple((city, each + (place < remainder)) for place, city in enumerate(cities)), None)


def days_of_route(route: RoundTrip, market: Market) -> tuple[Goal, ...]:
    """Return a sub-goal for each day of a route, without hints and cuisines."""
    days: list[Goal] = []
    origin, day = market.org, 1
    for place, (city, nights) in enumerate(route.stays):
        role: Role = "transit" if place else "departure"
        days.append(Goal(day, market.dates[day - 1], role, origin, city, nights, route.mode))
        days += [
            Goal(later, market.dates[later - 1], "stay", None, city, 0, route.mode)
            for later in range(day + 1, day + nights)
        ]
        origin, day = city, day + nights
    days.append(Goal(day, market.dates[day - 1], "return", origin, market.org, 0, route.mode))
    return tuple(days)


def assign_tastes(
    goals: Sequence[Goal], tastes: Sequence[str], served: Mapping[str, frozenset[str]]
) -> dict[int, tuple[str, ...]] | None:
    """Assign each cuisine to a day in a city where it is served.

    Days of stay are preferred, then days with the fewest cuisines so far.

    Args:
        goals: sub-goals of the days.
        tastes: requested cuisines.
        served: cuisines served in each city.

    Returns:
        The cuisines by number of the day, or None if no day suits a cuisine.
    """
    assigned: dict[int, tuple[str, ...]] = {}
    for taste in tastes:
        days = [
            g for g in goals if taste in served.get(meal_city(g), ()) and len(assigned.get(g.day, ())) < meal_count(g)
        ]
        if not days:
            return None
        day = min(days, key=lambda g: (g.role != "stay", len(assigned.get(g.day, ())), g.day)).day
        assigned[day] = (*assigned.get(day, ()), taste)
    return assigned


def meal_city(goal: Goal) -> str:
    """Return the city in which most meals of a day are eaten."""
    return goal.origin if goal.role == "return" and goal.origin is not None else goal.city


def meal_count(goal: Goal) -> int:
    """Return the number of meals of a day that are eaten in its `meal_city`."""
    return 3 if goal.role == "stay" else 2
