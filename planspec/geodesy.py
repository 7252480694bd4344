"""The earth as a sphere: its radius, and angles between points."""

from __future__ import annotations

from math import asin, cos, sin, sqrt

EARTH_M = 6_371_008.8
"""Mean radius of the earth in metres."""


def central_angle(latitude: float, other: float, across: float) -> float:
    """Return the angle between two points at the centre of the earth, by the haversine formula.

    The length of the great-circle arc is this angle times the radius.

    Args:
        latitude: latitude of the first point, in radians.
        other: latitude of the second point, in radians.
        across: difference of the longitudes, in radians.

    Returns:
        Radians, from 0 to pi.
    """
    half = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(across / 2) ** 2
    return 2 * asin(min(1.0, sqrt(half)))  # rounding may put the root slightly above 1
