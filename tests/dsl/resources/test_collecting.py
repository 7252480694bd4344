"""Within a context, garbage is collected less often. Afterwards it is collected as often as before."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from planspec.dsl.resources.collecting import THRESHOLD, rarely_collecting


@pytest.fixture(autouse=True)
def restore_thresholds() -> Iterator[None]:
    """Set fixed thresholds of the garbage collector during a test, and restore the usual ones."""
    usual = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*usual)


def test_thresholds_are_restored_after_the_outermost_block() -> None:
    with rarely_collecting():
        assert gc.get_threshold() == (THRESHOLD, 10, 10)
        with rarely_collecting():
            pass
        assert gc.get_threshold() == (THRESHOLD, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


def test_thresholds_are_restored_after_an_error_and_in_functions() -> None:
    @rarely_collecting()
    def fail() -> None:
        assert gc.get_threshold()[0] == THRESHOLD
        raise ValueError("failed")

    for _ in range(2):
        with pytest.raises(ValueError, match="failed"):
            fail()
        assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("first", [0, THRESHOLD + 1])
def test_a_disabled_garbage_collector_or_a_higher_threshold_is_left_unchanged(first: int) -> None:
    gc.set_threshold(first, 10, 10)
    with rarely_collecting():
        assert gc.get_threshold() == (first, 10, 10)
    assert gc.get_threshold() == (first, 10, 10)
