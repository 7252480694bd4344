"""Work in several processes gives what it gives in one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from planspec.parallel import map_parallel


def squared(n: int) -> int:
    if n < 0:
        raise ValueError(f"{n} is negative")
    return n * n


@pytest.mark.parametrize("options", [{}, {"chunk": 3}, {"ahead": 1}, {"chunk": 2, "ahead": 2}])
@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_work(jobs: int, options: dict[str, Any]) -> None:
    assert list(map_parallel(squared, range(7), jobs, **options)) == [n * n for n in range(7)]
    assert list(map_parallel(squared, [], jobs, **options)) == []


def test_no_more_is_begun_than_is_allowed_ahead() -> None:
    taken: list[int] = []

    def work() -> Iterator[int]:
        for n in range(100):
            taken.append(n)
            yield n

    results = map_parallel(squared, work(), 2, ahead=2)
    assert list(islice(results, 3)) == [0, 1, 4]
    assert len(taken) <= 2 * 2 + 3
    results.close()  # type: ignore[attr-defined]


def test_a_piece_that_fails_ends_the_work() -> None:
    with pytest.raises(ValueError, match="-1 is negative"):
        list(map_parallel(squared, [1, -1, 2, 3], 2))
