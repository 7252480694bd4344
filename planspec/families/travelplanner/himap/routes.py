"""Routes: which cities a trip goes through, for how many nights each, and how it is travelled."""

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
        mode: how it is travelled; None where each day chooses.
    """

    stays: tuple[tuple[str, int], ...]
    mode: Mode | None


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices at a glance from which routes are made, in cents; None if there are none.

    Attributes:
        leg: of a ride, by the day from 1, its ends and the mode.
        stay: of the nights in a city, and of its meals.
    """

    leg: Callable[[int, str, str, Mode], int | None]
    stay: Callable[[str, int], int | None]


def routes(market: Market, prices: Prices) -> Iterator[tuple[int, RoundTrip]]:
    """All routes of a trip that can be, with what they cost at a glance."""
    last = len(market.dates)
    modes: tuple[Mode, ...] = ("public", "car")
    for mode in modes:
        begun: list[tuple[int, int, tuple[tuple[str, int], ...]]] = [(0, 1, ())]
        while begun:
            spent, day, stays = begun.pop()
            here = stays[-1][0] if stays else market.org
            open_ = market.cities - len(stays)
            if not open_:
                home = prices.leg(day, here, market.org, mode)
                if day == last and home is not None:
                    yield spent + home, RoundTrip(stays, mode)
                continue
            been = {city for city, _ in stays}
            for city in market.there:
                ride = None if city in been else prices.leg(day, here, city, mode)
                if ride is None:
                    continue
                most = last - day - open_ + 1
                for nights in range(1, most + 1) if open_ > 1 else (most,):
                    stay = prices.stay(city, nights)
                    if stay is not None:
                        begun.append((spent + ride + stay, day + nights, (*stays, (city, nights))))


def plain_route(market: Market) -> RoundTrip | None:
    """The route that all take who cannot ask each other: the first cities by name, and nights shared out evenly."""
    nights = len(market.dates) - 1
    cities = market.there[: market.cities]
    if len(cities) < market.cities or not 0 < market.cities <= nights:
        return None
    each, more = divmod(nights, market.cities)
    return RoundTrip(tuple((city, each + (place < more)) for place, city in enumerate(cities)), None)


def goals(route: RoundTrip, market: Market) -> tuple[Goal, ...]:
    """The days of a route, without hints and tastes."""
    made: list[Goal] = []
    origin, day = market.org, 1
    for place, (city, nights) in enumerate(route.stays):
        role: Role = "transit" if place else "departure"
        made.append(Goal(day, market.dates[day - 1], role, origin, city, nights, route.mode))
        made += [
            Goal(later, market.dates[later - 1], "stay", None, city, 0, route.mode)
            for later in range(day + 1, day + nights)
        ]
        origin, day = city, day + nights
    made.append(Goal(day, market.dates[day - 1], "return", origin, market.org, 0, route.mode))
    return tuple(made)


def spread(
    goals: Sequence[Goal], tastes: Sequence[str], served: Mapping[str, frozenset[str]]
) -> dict[int, tuple[str, ...]] | None:
    """The days whose meals cover each taste: days of stay first, and among them the day with the fewest tastes.

    Args:
        goals: the days.
        tastes: to cover.
        served: the tastes that each city serves.

    Returns:
        Tastes by day; None if they cannot all be covered.
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
    """The city in which a day eats most."""
    return goal.origin if goal.role == "return" and goal.origin is not None else goal.city


def room(goal: Goal) -> int:
    """The number of meals of a day in that city."""
    return 3 if goal.role == "stay" else 2
