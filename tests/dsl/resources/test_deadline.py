"""Limits on the time and memory of a block of code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from planspec.dsl.resources import deadline
from planspec.dsl.resources.deadline import MEGABYTE, Deadline, tick
from planspec.errors import LimitReachedError


@pytest.fixture(autouse=True)
def check_memory_always(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make every step check the memory, which is otherwise checked only now and then."""
    monkeypatch.setattr(deadline, "CHECK_INTERVAL_S", 0.0)
    yield
    tick()  # raises an error if the limits of a block are still in force


def test_no_limits_apply_outside_of_a_block_with_limits() -> None:
    tick()


def test_a_block_ends_when_its_time_is_up() -> None:
    with Deadline(0.0) as limit, pytest.raises(LimitReachedError, match="time ran out") as caught:
        tick()
    assert caught.value.reason == "time"
    assert limit.left == 0.0
    assert limit.reached == "time"


def test_a_block_ends_when_the_process_has_grown_too_much() -> None:
    with Deadline(memory_mb=4) as limit:
        tick()
        memory = bytearray(64 * MEGABYTE)  # more than the allocator retains of freed memory
        memory[::4096] = b"x" * len(memory[::4096])  # pages count once they are written
        with pytest.raises(LimitReachedError, match="memory ran out") as caught:
            tick()
    assert caught.value.reason == "memory"
    assert limit.left is None
    assert memory


def test_a_block_has_no_more_time_than_its_enclosing_block() -> None:
    with Deadline(0.0), Deadline(60.0) as inner:
        assert inner.left == 0.0
        with pytest.raises(LimitReachedError):
            tick()


def test_a_block_has_no_more_memory_than_its_enclosing_block() -> None:
    with (
        Deadline(memory_mb=-1000),
        Deadline(memory_mb=1000),
        pytest.raises(LimitReachedError, match="memory"),
    ):
        tick()


def test_the_enclosing_limit_applies_again_after_a_block() -> None:
    with Deadline(60.0):
        with Deadline(0.0), pytest.raises(LimitReachedError):
            tick()
        tick()


@pytest.mark.parametrize(("value", "megabytes"), [("300", 300), ("1", 1)])
def test_the_environment_variable_limits_memory(monkeypatch: pytest.MonkeyPatch, value: str, megabytes: int) -> None:
    monkeypatch.setenv(deadline.MEMORY_VARIABLE, value)
    assert deadline.default_memory_mb.__wrapped__() == megabytes


def test_the_default_memory_limit_is_positive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(deadline.MEMORY_VARIABLE, raising=False)
    assert deadline.default_memory_mb.__wrapped__() > 0
