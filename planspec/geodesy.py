"""The earth as a sphere: its radius, and angles between places."""

from __future__ import annotations

from math import asin, cos, sin, sqrt

EARTH_M = 6_371_008.8
"""The mean radius of the earth in metres."""


def central_angle(latitude: float, other: float, across: float) -> float:
    """The angle between two places as seen from the centre of the earth, by the haversine formula.

    Times the radius it is the length of the great circle between them.

    Args:
        latitude: of the one place, in radians.
        other: the latitude of the other one.
        across: the difference of their longitudes.

    Returns:
        Radians, from 0 to pi.
    """
    half = sin((other - latitude) / 2) ** 2 + cos(latitude) * cos(other) * sin(across / 2) ** 2
    return 2 * asin(min(1.0, sqrt(half)))  # rounding may leave the root a little above 1
