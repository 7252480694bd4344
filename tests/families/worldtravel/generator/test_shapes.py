"""Task shapes agree with the paper's Table 10."""

from __future__ import annotations

from collections import Counter

import pytest

from planspec.families.worldtravel.generator.shapes import HARD, TIMED, TOTAL, TaskShape, suite_shapes

CITIES = 5


def count_ranges(result: list[TaskShape], column: str) -> Counter[str]:
    """Return how many shapes have each range in a column."""
    return Counter(str(getattr(shape, column)) for shape in result)


@pytest.mark.parametrize(("column", "bins"), [("hard", HARD), ("total", TOTAL), ("timed", TIMED)])
def test_five_cities_with_thirty_tasks_match_the_table(column: str, bins: tuple[object, ...]) -> None:
    result = [shape for city in range(CITIES) for shape in suite_shapes(30, 30 * city)]
    assert count_ranges(result, column) == {str(b): b.tasks for b in bins}  # type: ignore[attr-defined]


@pytest.mark.parametrize("after", [0, 30, 60, 90, 120])
def test_each_city_has_a_fifth_of_the_tasks_in_each_range(after: int) -> None:
    """Each city has a fifth of the tasks in each range of the table, give or take less than two tasks."""
    result = suite_shapes(30, after)
    for column, bins in (("hard", HARD), ("total", TOTAL), ("timed", TIMED)):
        assert all(abs(count_ranges(result, column)[str(b)] - b.tasks / CITIES) < 2 for b in bins)


def test_shapes_with_more_hard_constraints_have_a_higher_total_and_more_anchors() -> None:
    """The total number of constraints leaves room for soft ones, so that a task of each shape is possible."""
    for shape in suite_shapes(150):
        assert 2 <= shape.total.least - shape.hard.least <= 8
        assert (shape.timed.most == 5) <= (shape.hard.least == 11)


def test_a_shape_contains_numbers_within_its_ranges() -> None:
    shape = TaskShape(HARD[1], TOTAL[1], TIMED[1])
    assert shape.mismatch(9, 13, 2) == ""
    assert shape.mismatch(8, 13, 2) == "hard constraints"
    assert shape.mismatch(9, 16, 2) == "constraints"
    assert shape.mismatch(8, 13, 4) == "booked places and hard constraints"
