"""Integer distance matrices: by the formulas of TSPLIB, and in metres on the globe or on the Web Mercator map."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from planspec.errors import TourInputError
from planspec.geodesy import EARTH_M
from planspec.solvers.tour.outcome import EXACT, Integers, Reals

MERCATOR_M = 6_378_137.0
"""Radius in metres of the sphere on which Web Mercator (EPSG:3857) is based."""
MERCATOR_LATITUDE = 85.06
"""Latitude in degrees at which the square Web Mercator map ends."""
_GEO_PI = 3.141592
_GEO_RADIUS_KM = 6378.388

Point = tuple[float, float]
"""Two coordinates: x and y, or latitude and longitude."""

Distances = Callable[[Sequence[Point]], Integers]
"""Function that takes points and returns the square matrix of distances between them."""


def euc_2d(points: Sequence[Point]) -> Integers:
    """Return the matrix of distances by TSPLIB's EUC_2D: Euclidean, rounded to the nearest integer, halves upwards."""
    return _to_integers(np.floor(np.sqrt(_squared_distances(points)) + 0.5))


def ceil_2d(points: Sequence[Point]) -> Integers:
    """Return the matrix of distances between points by TSPLIB's CEIL_2D: Euclidean, rounded up."""
    return _to_integers(np.ceil(np.sqrt(_squared_distances(points))))


def att(points: Sequence[Point]) -> Integers:
    """Return the matrix of distances by TSPLIB's ATT: the Euclidean distance divided by the root of 10, rounded up."""
    exact = np.sqrt(_squared_distances(points) / 10.0)
    near = np.floor(exact + 0.5)
    return _to_integers(np.where(near < exact, near + 1, near))


def geo(points: Sequence[Point]) -> Integers:
    """Return the matrix of distances by TSPLIB's GEO: kilometres on a sphere, plus one, truncated.

    Equal points are therefore at distance 1. Coordinates are latitude and longitude in degrees and minutes: 52.30 is 52
    degrees 30 minutes. Degrees are truncated and pi is 3.141592, as the published optimal lengths require.

    Source: G. Reinelt, TSPLIB 95, and its list of questions and answers.
    """
    spots = [(_geo_radians(x), _geo_radians(y)) for x, y in points]
    n = len(spots)
    matrix = np.zeros((n, n), dtype=np.int64)
    for i, (one, east) in enumerate(spots):
        for j in range(i):
            other, west = spots[j]
            q1, q2, q3 = math.cos(east - west), math.cos(one - other), math.cos(one + other)
            # rounding may put the cosine slightly outside its range
            cosine = min(1.0, max(-1.0, 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)))
            matrix[i, j] = matrix[j, i] = int(_GEO_RADIUS_KM * math.acos(cosine) + 1.0)
    return matrix


def great_circle_distances(points: Sequence[Point]) -> Integers:
    """Return the matrix of great-circle distances between points, by the haversine formula, in whole metres.

    Args:
        points: latitude and longitude in degrees.
    """
    radians = np.radians(_array(points))
    latitude, longitude = radians[:, 0], radians[:, 1]
    north = np.sin((latitude[:, None] - latitude[None, :]) / 2) ** 2
    east = np.sin((longitude[:, None] - longitude[None, :]) / 2) ** 2
    share = north + np.cos(latitude)[:, None] * np.cos(latitude)[None, :] * east
    return _symmetric(np.rint(2 * EARTH_M * np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0)))))


def web_mercator_distances(points: Sequence[Point]) -> Integers:
    """Return the matrix of straight-line distances on the Web Mercator map (EPSG:3857), in whole metres.

    The lines do not cross the 180th meridian.

    Args:
        points: latitude and longitude in degrees.

    Raises:
        TourInputError: a point lies beyond the map's edge, at about 85.06 degrees.
    """
    for number, (latitude, _) in enumerate(points, 1):
        if abs(latitude) > MERCATOR_LATITUDE:
            raise TourInputError(
                f"point {number}, at latitude {latitude}, is not on the Web Mercator map, which ends at "
                f"{MERCATOR_LATITUDE} degrees"
            )
    radians = np.radians(_array(points))
    x = MERCATOR_M * radians[:, 1]
    y = MERCATOR_M * np.log(np.tan(np.pi / 4 + radians[:, 0] / 2))
    return _symmetric(np.rint(np.hypot(x[:, None] - x[None, :], y[:, None] - y[None, :])))


def _geo_radians(value: float) -> float:
    degrees = math.trunc(value)
    return _GEO_PI * (degrees + 5.0 * (value - degrees) / 3.0) / 180.0


def _array(points: Sequence[Point]) -> Reals:
    return np.array(points, dtype=np.float64).reshape(-1, 2)


def _squared_distances(points: Sequence[Point]) -> Reals:
    x, y = _array(points).T
    with np.errstate(over="ignore", invalid="ignore"):
        squares: Reals = (x[:, None] - x[None, :]) ** 2 + (y[:, None] - y[None, :]) ** 2
    return squares


def _symmetric(matrix: Reals) -> Integers:
    # The two halves may differ in the last digit, because products are computed in a different order.
    upper = np.triu(matrix, 1)
    return _to_integers(upper + upper.T)


def _to_integers(matrix: Reals) -> Integers:
    if not (matrix < EXACT).all():
        raise TourInputError("coordinates are so far apart that distances are not exact")
    return matrix.astype(np.int64)
