"""Spherical model of the earth: its radius, and angles between points."""

from __future__ import annotations

from math import asin, cos, sin, sqrt

EARTH_M = 6_371_008.8
"""Mean radius of the earth in metres."""


def central_angle(latitude: float, other_latitude: float, longitude_difference: float) -> float:
    """Return the angle between two points at the centre of the earth, by the haversine formula.

    The length of the great-circle arc is this angle times the radius.

    Args:
        latitude: latitude of the first point, in radians.
        other_latitude: latitude of the second point, in radians.
        longitude_difference: difference of the longitudes, in radians.

    Returns:
        The angle in radians, from 0 to pi.
    """
    haversine = (
        sin((other_latitude - latitude) / 2) ** 2
        + cos(latitude) * cos(other_latitude) * sin(longitude_difference / 2) ** 2
    )
    return 2 * asin(min(1.0, sqrt(haversine)))  # rounding can put the root slightly above 1
