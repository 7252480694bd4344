"""Routes: the cities of a trip, the nights in each, and the mode of transport."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.travelplanner.himap.goals import Goal, Mode, Role
from planspec.families.travelplanner.himap.market import Market


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """A round trip.

    Attributes:
        stays: cities with their nights, in order.
        mode: mode of transport; None if each day chooses.
    """

    stays: tuple[tuple[str, int], ...]
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class Prices:
    """Estimated prices from which routes are made, in cents; None if unavailable.

    Attributes:
        leg: price of a ride, by the day from 1, its ends and the mode.
        stay: price of the nights in a city, and of its meals.
    """

    leg: Callable[[int, str, str, Mode], int | None]
    stay: Callable[[str, int], int | None]


def routes(market: Market, prices: Prices) -> Iterator[tuple[int, RoundTrip]]:
    """Yield all possible routes of a trip, each with its estimated cost."""
    last = len(market.dates)
    modes: tuple[Mode, ...] = ("public", "car")
    for mode in modes:
        partial: list[tuple[int, int, tuple[tuple[str, int], ...]]] = [(0, 1, ())]
        while partial:
            spent, day, stays = partial.pop()
            current = stays[-1][0] if stays else market.org
            open_ = market.cities - len(stays)
            if not open_:
                home = prices.leg(day, current, market.org, mode)
                if day == last and home is not None:
                    yield spent + home, RoundTrip(stays, mode)
                continue
            visited = {city for city, _ in stays}
            for city in market.destinations:
                ride = None if city in visited else prices.leg(day, current, city, mode)
                if ride is None:
                    continue
                most = last - day - open_ + 1
                for nights in range(1, most + 1) if open_ > 1 else (most,):
                    stay = prices.stay(city, nights)
                    if stay is not None:
                        partial.append((spent + ride + stay, day + nights, (*stays, (city, nights))))


def plain_route(market: Market) -> RoundTrip | None:
    """Return the route assumed by executors that cannot communicate.

    It has the first cities by name, with nights shared out evenly.
    """
    nights = len(market.dates) - 1
    cities = market.destinations[: market.cities]
    if len(cities) < market.cities or not 0 < market.cities <= nights:
        return None
    each, more = divmod(nights, market.cities)
    return RoundTrip(tuple((city, each + (place < more)) for place, city in enumerate(cities)), None)


def goals(route: RoundTrip, market: Market) -> tuple[Goal, ...]:
    """Return the days of a route, without hints and tastes."""
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


def spread(
    goals: Sequence[Goal], tastes: Sequence[str], served: Mapping[str, frozenset[str]]
) -> dict[int, tuple[str, ...]] | None:
    """Assign each taste to a day whose meals cover it: days of stay first, then days with the fewest tastes.

    Args:
        goals: the days.
        tastes: tastes to cover.
        served: tastes that each city serves.

    Returns:
        Tastes by day, or None if they cannot all be covered.
    """
    given: dict[int, tuple[str, ...]] = {}
    for taste in tastes:
        days = [g for g in goals if taste in served.get(where(g), ()) and len(given.get(g.day, ())) < room(g)]
        if not days:
            return None
        day = min(days, key=lambda g: (g.role != "stay", len(given.get(g.day, ())), g.day)).day
        given[day] = (*given.get(day, ()), taste)
    return given


def where(goal: Goal) -> str:
    """Return the city of most of a day's meals."""
    return goal.origin if goal.role == "return" and goal.origin is not None else goal.city


def room(goal: Goal) -> int:
    """Return the number of a day's meals in that city."""
    return 3 if goal.role == "stay" else 2
