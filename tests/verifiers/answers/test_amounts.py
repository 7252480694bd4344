"""Amounts of money that agents write are parsed exactly, and earlier results do not matter."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from planspec.dsl.model.values import InvalidValueError
from planspec.verifiers.answers.amounts import LONGEST_CACHED, read_cost


@pytest.mark.parametrize(
    ("value", "currency", "minor"),
    [
        (12, "EUR", 1_200),
        (12, "JPY", 12),
        (Decimal("12.5"), "EUR", 1_250),
        (Decimal("12.50"), "EUR", 1_250),
        (12.1 + 0.2, "EUR", 1_230),  # this sum has a rounding error of binary floating point
        (Decimal("12." + "0" * LONGEST_CACHED), "EUR", 1_200),
        (Decimal(0), "EUR", 0),
        (Decimal("0E-3"), "EUR", 0),
        ("12.50 EUR", "EUR", 1_250),
        ("free", "EUR", 0),
    ],
)
def test_an_amount_is_read_in_minor_units(value: Any, currency: str, minor: int) -> None:
    assert [read_cost(value, currency) for _ in range(2)] == [minor, minor]


@pytest.mark.parametrize(
    "value", [Decimal("12.505"), Decimal("1E+50"), Decimal("0E-50"), Decimal("NaN"), True, None, "12 USD", [12]]
)
def test_values_that_are_not_amounts_are_refused_each_time(value: Any) -> None:
    assert read_cost(Decimal(0), "EUR") == 0  # equal to `Decimal("0E-50")`, which is refused
    for _ in range(2):
        with pytest.raises(InvalidValueError):
            read_cost(value, "EUR")
