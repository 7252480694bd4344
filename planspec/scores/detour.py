"""Detour of a plan: how much longer its route is than the shortest tour through its places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planspec.scores.plan_places import NoCoordinatesError, plan_places
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.metrics.scored import ClosedWay, Detour

SECONDS = 10.0
"""Time limit in seconds of the search for a shortest tour. A search that reaches it gives only a bound."""


def detour_of(
    plan: Plan,
    currency: str | None,
    seconds: float = SECONDS,
    table: str | None = None,
    beds: str | None = None,
) -> Detour | None:
    """Return the lengths of a plan's closed route and of the shortest tour through the same places.

    The route visits the places in the order of their first visits.

    Args:
        plan: rows of the plan.
        currency: currency of the task; None without one.
        seconds: time limit in seconds for each of the two shortest tours.
        table: plan table with the places; None for the table with the most places.
        beds: plan table of lodgings. A second route includes them; None for no second route.

    Returns:
        The lengths on the Web Mercator map and on the globe; None if no place has coordinates.
    """
    try:
        places = plan_places(plan, currency, table)
    except NoCoordinatesError:
        return None
    detour = _detour(places, seconds)
    lodged = places if beds is None else plan_places(plan, currency, table, beds)
    return detour if len(lodged) == len(places) else replace(detour, lodged=_detour(lodged, seconds))


def _detour(places: Sequence[tuple[str, float, float]], seconds: float) -> Detour:
    points = [(latitude, longitude) for _, latitude, longitude in places]
    return Detour(len(places), _closed_route(points, seconds, plane=True), _closed_route(points, seconds, plane=False))


def _closed_route(points: Sequence[tuple[float, float]], seconds: float, *, plane: bool) -> ClosedWay:
    from planspec.errors import TourInputError
    from planspec.solvers.tour import shortest
    from planspec.solvers.tour.distances import great_circle_distances, web_mercator_distances
    from planspec.solvers.tour.outcome import length_of

    try:
        matrix = web_mercator_distances(points) if plane else great_circle_distances(points)
    except TourInputError:  # a point lies outside the map
        return ClosedWay(None, None, None)
    length = length_of(matrix, tuple(range(len(points))), closed=True)
    best = shortest(matrix, limit_seconds=seconds)
    upper = length if best.length is None else min(best.length, length)
    return ClosedWay(length, best.bound, upper)
