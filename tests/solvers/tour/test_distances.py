from __future__ import annotations

import math

import pytest

from planspec.errors import TourInputError
from planspec.solvers.tour.distances import (
    att,
    ceil_2d,
    euc_2d,
    geo,
    great_circle_distances,
    web_mercator_distances,
)


def test_euclidean_lengths_round_halves_upward() -> None:
    matrix = euc_2d([(0, 0), (3, 4), (1, 1), (0, 2.5)])
    assert matrix.tolist() == [[0, 5, 1, 3], [5, 0, 4, 3], [1, 4, 0, 2], [3, 3, 2, 0]]


def test_ceiled_lengths_are_rounded_up_and_whole_ones_unchanged() -> None:
    assert ceil_2d([(0, 0), (3, 4), (1, 1)]).tolist() == [[0, 5, 2], [5, 0, 4], [2, 4, 0]]


def test_lengths_of_type_att_are_never_below_the_exact_root() -> None:
    # sqrt(10/10) = 1 stays; sqrt(20/10) = 1.41 would round to 1 and becomes 2; sqrt(40/10) = 2 stays
    assert att([(0, 0), (1, 3), (2, 4), (2, 6)])[0].tolist() == [0, 1, 2, 2]
    assert att([(0, 0), (1, 5), (0, 0.5)])[0].tolist() == [0, 2, 1]


def test_geo_reads_degrees_and_minutes_and_truncates_after_adding_one() -> None:
    # a degree on this sphere is 111.32 km
    assert geo([(0, 0), (1, 0)])[0, 1] == 112
    assert geo([(0, 0), (0, 0.30)])[0, 1] == 56  # 0.30 means 30 minutes, half a degree: 55.66 km
    assert geo([(-1.30, 0), (0, 0)])[0, 1] == 167  # -1.30 means one and a half degrees south: 166.98 km
    assert geo([(60, 0), (60, 1)])[0, 1] == 56
    assert geo([(0, 0), (0, 180)])[0, 1] == 20039  # half of the equator in km: 3.141592 * 6378.388 is 20038.29


def test_in_geo_equal_points_have_distance_one_and_a_node_has_distance_zero_from_itself() -> None:
    assert geo([(12.5, 7.25), (12.5, 7.25)]).tolist() == [[0, 1], [1, 0]]


def test_great_circles_are_arcs_on_a_sphere_of_the_earths_mean_radius() -> None:
    radius = 6371008.8
    matrix = great_circle_distances([(0, 0), (0, 90), (90, 0), (0, -180), (0, 180)])
    assert matrix[0].tolist() == [0, *(round(radius * math.pi * part) for part in (0.5, 0.5, 1, 1))]
    assert matrix[3, 4] == 0
    assert great_circle_distances([(52.5, 13.4), (52.5, 13.4)]).tolist() == [[0, 0], [0, 0]]
    assert great_circle_distances([(0, 0), (0, 1)])[0, 1] == 111195


def test_the_mercator_map_stretches_with_latitude_and_does_not_wrap() -> None:
    degree = 6378137 * math.pi / 180
    matrix = web_mercator_distances([(0, 0), (0, 1), (60, 0), (60, 1), (0, -180), (0, 180)])
    assert matrix[0, 1] == round(degree)
    assert matrix[2, 3] == round(degree)
    assert matrix[0, 2] == round(6378137 * math.log(math.tan(math.radians(75))))
    assert matrix[4, 5] == round(360 * degree)


@pytest.mark.parametrize("latitude", [90, -90, 86])
def test_the_mercator_map_ends_before_the_poles(latitude: float) -> None:
    with pytest.raises(TourInputError, match="point 2"):
        web_mercator_distances([(0, 0), (latitude, 0)])


def test_without_points_the_matrix_of_distances_is_empty() -> None:
    for formula in (euc_2d, ceil_2d, att, geo, great_circle_distances, web_mercator_distances):
        assert formula([]).shape == (0, 0)


def test_coordinates_too_far_apart_are_refused() -> None:
    with pytest.raises(TourInputError, match="not exact"):
        euc_2d([(0, 0), (1e300, 0)])
