"""The detour of a plan: the excess of its way over the shortest way through its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planspec.measures.plan_places import NoCoordinatesError, plan_places
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import ClosedWay, Detour

SECONDS = 10.0
"""For the shortest way of one plan in one metric; after that it is known to lie between two lengths."""


def detour_of(
    plan: Plan,
    currency: str | None,
    seconds: float = SECONDS,
    table: str | None = None,
    beds: str | None = None,
) -> Detour | None:
    """The way through a plan's places, each once and in the order in which the plan first comes to it, and back.

    Args:
        plan: its rows.
        currency: the world's.
        seconds: for each of the two shortest ways.
        table: the plan's table whose places count; the one that names most if left out.
        beds: the plan's table of rooms, for the way that also comes to them.

    Returns:
        The way and the shortest one, on the map of the paper and on the globe; None of a plan without known places.
    """
    try:
        places = plan_places(plan, currency, table)
    except NoCoordinatesError:
        return None
    made = _detour(places, seconds)
    lodged = places if beds is None else plan_places(plan, currency, table, beds)
    return made if len(lodged) == len(places) else replace(made, lodged=_detour(lodged, seconds))


def _detour(places: Sequence[tuple[str, float, float]], seconds: float) -> Detour:
    points = [(latitude, longitude) for _, latitude, longitude in places]
    return Detour(len(places), _way(points, seconds, plane=True), _way(points, seconds, plane=False))


def _way(points: Sequence[tuple[float, float]], seconds: float, *, plane: bool) -> ClosedWay:
    from planspec.errors import TourInputError
    from planspec.solvers.tour import shortest
    from planspec.solvers.tour.distances import great_circle, web_mercator
    from planspec.solvers.tour.outcome import length_of

    try:
        matrix = web_mercator(points) if plane else great_circle(points)
    except TourInputError:  # beyond the map
        return ClosedWay(None, None, None)
    length = length_of(matrix, tuple(range(len(points))), closed=True)
    best = shortest(matrix, limit_seconds=seconds)
    upper = length if best.length is None else min(best.length, length)
    return ClosedWay(length, best.bound, upper)
