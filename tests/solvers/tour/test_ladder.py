from __future__ import annotations

import os
import random
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planspec.errors import TourInputError
from planspec.solvers.tour import shortest
from planspec.solvers.tour.outcome import Method, Tour
from tests.random_examples import examples
from tests.solvers.tour.oracle import (
    Rows,
    matrices,
    planes,
    respects_windows,
    shortest_by_trying,
    tour_length,
)

METHODS: tuple[Method, ...] = ("held-karp", "circuit", "dfj")


def plane_distances(n: int, seed: int, side: int = 1000) -> Rows:
    """Return the rounded distances between random points in a square."""
    chance = random.Random(seed)
    spots = [(chance.randint(0, side), chance.randint(0, side)) for _ in range(n)]
    return [[round(((a - c) ** 2 + (b - d) ** 2) ** 0.5) for c, d in spots] for a, b in spots]


def assert_consistent(tour: Tour, matrix: Rows, closed: bool = True) -> None:
    """Check the order, length, bound and status of a tour."""
    assert sorted(tour.tour) == list(range(len(matrix)))
    assert tour.length == tour_length(matrix, tour.tour, closed)
    assert tour.bound <= tour.length
    assert (tour.status == "optimal") == (tour.bound == tour.length)


@pytest.mark.parametrize("closed", [True, False])
def test_tours_of_zero_or_one_node_have_length_0(closed: bool) -> None:
    none, one = shortest([], closed=closed), shortest([[7]], closed=closed)
    assert (none.n, none.tour, none.length, none.bound, none.status, none.method) == (
        0,
        (),
        0,
        0,
        "optimal",
        "trivial",
    )
    assert (one.n, one.tour, one.length, one.bound, one.status, one.method) == (
        1,
        (0,),
        0,
        0,
        "optimal",
        "trivial",
    )


@pytest.mark.parametrize("method", [None, *METHODS])
def test_two_nodes_are_visited_there_and_back_or_in_the_shorter_direction(method: Method | None) -> None:
    matrix = [[0, 5], [3, 0]]
    assert shortest(matrix, method=method).length == 8
    assert shortest(matrix, closed=False, method=method).tour == (1, 0)
    assert shortest(matrix, closed=False, start=0, method=method).tour == (0, 1)
    assert shortest(matrix, closed=False, end=0, method=method).length == 3


def test_coinciding_points_are_all_visited() -> None:
    for n in (9, 18, 30):
        tour = shortest([[0] * n for _ in range(n)])
        assert (tour.length, tour.status) == (0, "optimal")
        assert sorted(tour.tour) == list(range(n))


@given(st.one_of(matrices(0, 7), planes(0, 7)), st.booleans(), st.sampled_from(METHODS), st.data())
@settings(max_examples=examples(150))
def test_every_method_finds_the_length_of_trying_all_orders(
    matrix: Rows, closed: bool, method: Method, data: st.DataObject
) -> None:
    n = len(matrix)
    start = data.draw(st.none() | st.integers(0, n - 1)) if n else None
    ends = [node for node in range(n) if node != start or n == 1]
    end = data.draw(st.none() | st.sampled_from(ends)) if ends and not closed else None
    tour = shortest(matrix, closed=closed, start=start, end=end, method=method)
    assert tour.status == "optimal"
    assert_consistent(tour, matrix, closed)
    assert tour.length == shortest_by_trying(matrix, closed=closed, start=start, end=end)
    if n:
        assert tour.tour[0] == (start or 0) or (not closed and start is None)
        assert end is None or tour.tour[-1] == end


@given(st.one_of(matrices(8, 9), planes(8, 9)), st.booleans())
@settings(max_examples=examples(4))
def test_the_dynamic_program_agrees_with_brute_force_up_to_nine_nodes(matrix: Rows, closed: bool) -> None:
    """The dynamic program agrees with brute force, which tries all orders."""
    tour = shortest(matrix, closed=closed, start=0)
    assert tour.method == "held-karp"
    assert tour.length == shortest_by_trying(matrix, closed=closed, start=0)


@given(st.one_of(matrices(8, 13), matrices(8, 13, max_length=3000), planes(8, 13)), st.booleans(), st.data())
@settings(max_examples=examples(60))
def test_all_methods_agree_up_to_thirteen_nodes(matrix: Rows, closed: bool, data: st.DataObject) -> None:
    start = data.draw(st.none() | st.integers(0, 3))
    end = data.draw(st.none() | st.integers(4, 7)) if not closed else None
    tours = [shortest(matrix, closed=closed, start=start, end=end, method=method) for method in METHODS]
    assert {tour.status for tour in tours} == {"optimal"}
    assert len({tour.length for tour in tours}) == 1
    for tour in tours:
        assert_consistent(tour, matrix, closed)


@pytest.mark.parametrize(("n", "method"), [(15, "held-karp"), (16, "circuit"), (25, "circuit"), (26, "dfj")])
def test_the_number_of_nodes_determines_the_method(n: int, method: Method) -> None:
    assert shortest(plane_distances(n, 1)).method == method
    assert shortest(plane_distances(n, 1), closed=False).method == method


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cuts_and_circuit_agree_on_instances_too_large_for_dynamic_programming(seed: int) -> None:
    matrix = plane_distances(30, seed, side=100)
    one_way = [[cell + (i - j) % 7 for j, cell in enumerate(row)] for i, row in enumerate(matrix)]
    for rows in (matrix, one_way):
        for options in (
            {},
            {"closed": False},
            {"closed": False, "start": 3},
            {"closed": False, "start": 3, "end": 9},
        ):
            tours = [shortest(rows, method=method, **options) for method in ("dfj", "circuit")]
            assert [tour.status for tour in tours] == ["optimal", "optimal"]
            assert tours[0].length == tours[1].length
            for tour in tours:
                assert_consistent(tour, rows, "closed" not in options)


def test_a_tour_of_sixty_nodes_that_needs_branches_is_proved() -> None:
    tour = shortest(plane_distances(60, 1))
    assert (tour.status, tour.method) == ("optimal", "dfj")
    assert_consistent(tour, plane_distances(60, 1))


def test_tours_with_large_lengths_are_proved_exactly() -> None:
    chance = random.Random(5)
    great = 2**53 // 30 - 1
    rows = [[0] * 30 for _ in range(30)]
    for i in range(30):
        for j in range(i):
            rows[i][j] = rows[j][i] = great - chance.randrange(10**12)
    tour = shortest(rows, limit_seconds=30)
    assert_consistent(tour, rows)
    assert tour.status == "optimal"
    less = shortest([[max(0, cell - great + 10**12) for cell in row] for row in rows], method="circuit")
    assert tour.length is not None and less.length is not None
    assert tour.length - less.length == 30 * (great - 10**12)


@pytest.mark.slow
def test_a_search_that_reaches_its_limit_reports_a_bound_and_a_gap() -> None:
    matrix = plane_distances(150, 1)
    tour = shortest(matrix, limit_seconds=0.5)
    assert tour.status == "feasible"
    assert_consistent(tour, matrix)
    assert tour.gap is not None and tour.gap > 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["circuit", "dfj"])
@pytest.mark.thorough
def test_a_limit_on_effort_gives_the_same_tour_and_bound_each_time(method: Method) -> None:
    matrix = plane_distances(90, 1)
    first, again = (shortest(matrix, method=method, limit_seconds=None, effort=0.2) for _ in range(2))
    assert (first.tour, first.length, first.bound) == (again.tour, again.length, again.bound)
    assert first.status != "optimal"
    if first.status == "feasible":
        assert_consistent(first, matrix)
    assert shortest(matrix, limit_seconds=None, effort=60).status == "optimal"


def test_the_same_problem_has_the_same_tour() -> None:
    matrix = plane_distances(40, 4)
    assert shortest(matrix).tour == shortest(np.array(matrix)).tour


@given(st.one_of(matrices(2, 6, max_length=9), planes(2, 6)), st.booleans(), st.data())
@settings(max_examples=examples(100))
def test_time_windows_are_respected_and_infeasibility_is_reported_rightly(
    matrix: Rows, closed: bool, data: st.DataObject
) -> None:
    n = len(matrix)
    window = st.tuples(st.integers(-5, 25), st.integers(0, 25)).map(lambda pair: (pair[0], pair[0] + pair[1]))
    windows = data.draw(st.lists(st.none() | window, min_size=n, max_size=n))
    service = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    start = data.draw(st.none() | st.integers(0, n - 1))
    tour = shortest(matrix, closed=closed, start=start, windows=windows, service=service)
    expected = shortest_by_trying(matrix, closed=closed, start=start, windows=windows, service=service)
    assert tour.method == "circuit"
    assert tour.length == expected
    if expected is None:
        assert (tour.status, tour.tour, tour.gap) == ("infeasible", (), None)
    else:
        assert tour.status == "optimal"
        assert respects_windows(matrix, tour.tour, closed, windows, service)


def test_waiting_is_free_and_the_return_is_in_time() -> None:
    matrix = [[0, 10, 10], [10, 0, 1], [10, 1, 0]]
    late = shortest(matrix, windows=[(0, 60), (50, 60), (20, 30)])
    assert (late.tour, late.length) == ((0, 2, 1), 21)
    assert shortest(matrix, windows=[(0, 59), (50, 60), (20, 30)]).status == "infeasible"


BAD: list[tuple[dict[str, Any], str]] = [
    ({"matrix": [[0, 1]]}, "row 0"),
    ({"matrix": [[0, 1], [1]]}, "row 1"),
    ({"matrix": [1, 2]}, "row 0"),
    ({"matrix": [[0, -1], [1, 0]]}, "negative"),
    ({"matrix": [[0, 1.5], [1, 0]]}, "not an integer"),
    ({"matrix": [[0, None], [1, 0]]}, "not an integer"),
    ({"matrix": [[0, 2**52], [1, 0]]}, "too great"),
    ({"matrix": np.zeros(4, dtype=np.int64)}, "two dimensions"),
    ({"start": 2}, "start"),
    ({"start": -1}, "start"),
    ({"end": 1}, "closed tour"),
    ({"closed": False, "end": 2}, "end"),
    ({"closed": False, "start": 1, "end": 1}, "same one"),
    ({"windows": [(0, 1)]}, "1 time windows"),
    ({"windows": [(0, 1), (3, 2)]}, "before it begins"),
    ({"windows": [(0, 1), (0, 2**60)]}, "too late"),
    ({"windows": [(0, 1), (0, 2)], "service": [1]}, "service"),
    ({"windows": [(0, 1), (0, 2)], "service": [1, -1]}, "service"),
    ({"windows": [(0, 9), (0, 9)], "method": "dfj"}, "not support time windows"),
    ({"method": "trivial"}, "fewer than two"),
    ({"matrix": [[1] * 21 for _ in range(21)], "method": "held-karp"}, "at most"),
    ({"limit_seconds": 0}, "limit"),
    ({"limit_seconds": float("nan")}, "limit"),
    ({"effort": 0}, "effort"),
    ({"workers": 0}, "worker"),
]


@pytest.mark.parametrize(
    ("options", "message"), BAD, ids=[message + str(place) for place, (_, message) in enumerate(BAD)]
)
def test_invalid_input_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TourInputError, match=message):
        shortest(**({"matrix": [[0, 1], [1, 0]]} | options))


@pytest.mark.slow
def test_ctrl_c_ends_the_search_at_once() -> None:
    class CtrlCError(Exception):
        pass

    def press(*_: object) -> None:
        raise CtrlCError

    previous = signal.signal(signal.SIGINT, press)
    chance = random.Random(1)
    rows = [[chance.randint(900, 1000) + abs(i - j) % 9 for j in range(90)] for i in range(90)]
    timer = threading.Timer(1.0, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    started = time.perf_counter()
    try:
        with pytest.raises(CtrlCError):
            shortest(rows, method="circuit", limit_seconds=300, windows=[(0, 10**6)] * 90)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)
    assert time.perf_counter() - started < 200, "the search went on to its own limit"
