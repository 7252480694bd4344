"""Amounts in results of tools, as literals of the planning language."""

from __future__ import annotations

import pytest

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.values import parse_value
from planspec.families.mobilitybench.amounts import duration_text, length_text, minutes_of, time_text


@pytest.mark.parametrize(("seconds", "minutes"), [(0, 0), (1, 1), (60, 1), (61, 2), (3600, 60)])
def test_durations_are_rounded_up(seconds: int, minutes: int) -> None:
    assert minutes_of(seconds) == minutes
    assert parse_value(duration_text(seconds), ScalarType.DURATION, currency=None) == minutes


def test_legs_are_rounded_one_by_one() -> None:
    assert duration_text(61, 61) == "4min"
    assert duration_text(122) == "3min"


def test_lengths_and_times_are_literals_of_the_language() -> None:
    assert parse_value(length_text(1234), ScalarType.DISTANCE, currency=None) == 1234
    assert [time_text(text) for text in ("7:05", "07:05:59", " 25:30 ")] == ["07:05", "07:05", "25:30"]
    assert parse_value(time_text("25:30"), ScalarType.TIME, currency=None) == 25 * 60 + 30


@pytest.mark.parametrize("text", ["", "7", "7:5", "07:60", "noon", "7:05 pm"])
def test_strings_that_only_resemble_times_are_not_times(text: str) -> None:
    with pytest.raises(ValueError, match="is no time"):
        time_text(text)


def test_negative_amounts_are_refused() -> None:
    with pytest.raises(ValueError, match="no duration"):
        duration_text(10, -1)
    with pytest.raises(ValueError, match="no length"):
        length_text(-1)
