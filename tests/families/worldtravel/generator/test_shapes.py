"""The paper's Table 10: 150 tasks have exactly its numbers, and each city its share."""

from __future__ import annotations

from collections import Counter

import pytest

from planspec.families.worldtravel.generator.shapes import HARD, TIMED, TOTAL, TaskShape, shapes

CITIES = 5


def counted(result: list[TaskShape], column: str) -> Counter[str]:
    return Counter(str(getattr(shape, column)) for shape in result)


@pytest.mark.parametrize(("column", "bins"), [("hard", HARD), ("total", TOTAL), ("timed", TIMED)])
def test_five_cities_of_thirty_have_the_numbers_of_the_table(column: str, bins: tuple[object, ...]) -> None:
    result = [shape for city in range(CITIES) for shape in shapes(30, 30 * city)]
    assert counted(result, column) == {str(b): b.tasks for b in bins}  # type: ignore[attr-defined]


@pytest.mark.parametrize("after", [0, 30, 60, 90, 120])
def test_each_city_has_its_part_of_them(after: int) -> None:
    """Each city has a fifth of each bin, up to two tasks."""
    result = shapes(30, after)
    for column, bins in (("hard", HARD), ("total", TOTAL), ("timed", TIMED)):
        assert all(abs(counted(result, column)[str(b)] - b.tasks / CITIES) < 2 for b in bins)


def test_more_hard_constraints_go_with_more_in_all_and_more_anchors() -> None:
    """A task of each shape is possible: the total always leaves room beyond the hard constraints."""
    for shape in shapes(150):
        assert 2 <= shape.total.least - shape.hard.least <= 8
        assert (shape.timed.most == 5) <= (shape.hard.least == 11)


def test_a_shape_holds_what_lies_in_its_bins() -> None:
    shape = TaskShape(HARD[1], TOTAL[1], TIMED[1])
    assert shape.mismatch(9, 13, 2) == ""
    assert shape.mismatch(8, 13, 2) == "hard constraints"
    assert shape.mismatch(9, 16, 2) == "constraints"
    assert shape.mismatch(8, 13, 4) == "booked places and hard constraints"
