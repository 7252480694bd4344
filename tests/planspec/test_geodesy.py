"""Central angles between points on the globe."""

from __future__ import annotations

import math

import pytest

from planspec.geodesy import EARTH_M, central_angle
from planspec.solvers.tour.distances import great_circle_distances

QUARTER = math.pi / 2


@pytest.mark.parametrize(
    ("latitude", "other_latitude", "longitude_difference", "angle"),
    [
        (0.0, 0.0, QUARTER, QUARTER),
        (0.0, QUARTER, 0.3, QUARTER),
        (-QUARTER, QUARTER, 2.0, math.pi),
        (0.7, 0.7, 0.0, 0.0),
        (0.4, -0.4, math.pi, math.pi),
    ],
)
def test_central_angles_match_known_values(
    latitude: float, other_latitude: float, longitude_difference: float, angle: float
) -> None:
    assert central_angle(latitude, other_latitude, longitude_difference) == pytest.approx(angle)


def test_tours_use_the_same_great_circle_distance() -> None:
    places = [(52.52, 13.405), (48.137, 11.575), (-33.87, 151.21)]
    matrix = great_circle_distances(places)
    for i, (north, east) in enumerate(places):
        for j, (other, west) in enumerate(places):
            angle = central_angle(math.radians(north), math.radians(other), math.radians(west - east))
            assert matrix[i, j] == pytest.approx(EARTH_M * angle, abs=0.5)
