"""Cells are converted by their types, or refused with a reason."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.model.types import EnumType, ScalarType, Type
from planspec.dsl.model.value_text import show
from planspec.dsl.model.values import (
    InvalidValueError,
    guess_type,
    minor_digits,
    parse_json_value,
    parse_value,
)
from planspec.dsl.resources.limits import NUMBER as LIMIT

MODE = EnumType("Mode", ("foot", "driving", "taxi"))
UNITS = [kind for kind in ScalarType if kind not in (ScalarType.BOOL, ScalarType.TEXT, ScalarType.DECIMAL)]


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("true", ScalarType.BOOL, True),
        ("false", ScalarType.BOOL, False),
        (" 17 ", ScalarType.INT, 17),
        ("-3", ScalarType.INT, -3),
        (str(LIMIT), ScalarType.INT, LIMIT),
        ("0.35", ScalarType.DECIMAL, Fraction(7, 20)),
        ("4", ScalarType.DECIMAL, Fraction(4)),
        (" as it is ", ScalarType.TEXT, " as it is "),
        ("", ScalarType.TEXT, ""),
        ("2026-07-01", ScalarType.DATE, 739798),
        ("2024-02-29", ScalarType.DATE, 738945),
        ("14:30", ScalarType.TIME, 870),
        ("8:05", ScalarType.TIME, 485),
        ("25:30", ScalarType.TIME, 1530),
        ("2026-07-01 14:30", ScalarType.MOMENT, 739798 * 1440 + 870),
        ("90min", ScalarType.DURATION, 90),
        ("1h30min", ScalarType.DURATION, 90),
        ("3d", ScalarType.DURATION, 4320),
        ("-2h", ScalarType.DURATION, -120),
        ("99999999d", ScalarType.DURATION, 99999999 * 1440),
        ("0", ScalarType.DURATION, 0),
        ("12.50 EUR", ScalarType.MONEY, 1250),
        ("12.5EUR", ScalarType.MONEY, 1250),
        ("-3 EUR", ScalarType.MONEY, -300),
        ("0", ScalarType.MONEY, 0),
        ("850m", ScalarType.DISTANCE, 850),
        ("3.2km", ScalarType.DISTANCE, 3200),
        ("0", ScalarType.DISTANCE, 0),
        ("taxi", MODE, "taxi"),
    ],
)
def test_a_text_is_converted_into_a_value(text: str, type_: Type, value: Any) -> None:
    read = parse_value(text, type_, currency="EUR")
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "type_", "reason"),
    [
        ("yes", ScalarType.BOOL, "true"),
        ("True", ScalarType.BOOL, "true"),
        ("1.5", ScalarType.INT, "whole"),
        ("", ScalarType.INT, "whole"),
        (str(LIMIT + 1), ScalarType.INT, "2**53"),
        ("1e3", ScalarType.DECIMAL, "number"),
        ("nan", ScalarType.DECIMAL, "number"),
        ("2026-02-30", ScalarType.DATE, "date"),
        ("2026-7-1", ScalarType.DATE, "date"),
        ("0000-01-01", ScalarType.DATE, "date"),
        ("12:75", ScalarType.TIME, "time"),
        ("14:30:00", ScalarType.TIME, "time"),
        ("100:00", ScalarType.TIME, "time"),
        ("2026-07-01", ScalarType.MOMENT, "a moment such as"),
        ("2026-07-01 14:00Z", ScalarType.MOMENT, "no time zone"),
        ("2026-07-01T14:00+02:00", ScalarType.MOMENT, "no time zone"),
        ("2026-07-01 09:30:15", ScalarType.MOMENT, "whole minutes"),
        ("0.30000000000000004", ScalarType.DECIMAL, "round it"),
        ("\u0967\u096a:\u0969\u0966", ScalarType.TIME, "a time such as"),
        ("90", ScalarType.DURATION, "90min"),
        ("min", ScalarType.DURATION, "duration"),
        ("30min1h", ScalarType.DURATION, "duration"),
        ("-", ScalarType.DURATION, "duration"),
        ("12.50", ScalarType.MONEY, "EUR"),
        ("12.50 USD", ScalarType.MONEY, "EUR"),
        ("12.505 EUR", ScalarType.MONEY, "an amount in EUR has at most 2 decimal digits"),
        (
            "1234567890123.00000000000000000001 EUR",
            ScalarType.MONEY,
            "an amount in EUR has at most 2 decimal digits",
        ),
        ("99999999999999999 EUR", ScalarType.MONEY, "too large"),
        ("0.5m", ScalarType.DISTANCE, "metres"),
        ("5 miles", ScalarType.DISTANCE, "distance"),
        ("drving", MODE, "did you mean `driving`?"),
        ("rocket", MODE, "foot"),
    ],
)
def test_an_invalid_text_is_refused_with_a_reason(text: str, type_: Type, reason: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_value(text, type_, currency="EUR")
    assert reason in str(caught.value)


def test_a_world_without_a_currency_has_no_money_but_zero() -> None:
    assert parse_value("0", ScalarType.MONEY, currency=None) == 0
    with pytest.raises(InvalidValueError, match="no currency"):
        parse_value("12.50 EUR", ScalarType.MONEY, currency=None)


@pytest.mark.parametrize(
    ("currency", "text", "minor"),
    [("JPY", "1200 JPY", 1200), ("KWD", "1.234 KWD", 1234), ("USD", "1.2 USD", 120)],
)
def test_a_currency_has_its_number_of_decimal_digits(currency: str, text: str, minor: int) -> None:
    assert parse_value(text, ScalarType.MONEY, currency=currency) == minor
    assert 10 ** minor_digits(currency) * Fraction(text.split(maxsplit=1)[0]) == minor


@pytest.mark.parametrize(
    ("value", "type_", "read"),
    [
        (True, ScalarType.BOOL, True),
        (17, ScalarType.INT, 17),
        (Decimal("17.0"), ScalarType.INT, 17),
        ("18", ScalarType.INT, 18),
        (Decimal("0.1"), ScalarType.DECIMAL, Fraction(1, 10)),
        (0.1, ScalarType.DECIMAL, Fraction(1, 10)),
        (Decimal("0.3333333333333333333"), ScalarType.DECIMAL, Fraction("0.3333333333333333333")),
        (3, ScalarType.DECIMAL, Fraction(3)),
        (Decimal("12.5"), ScalarType.MONEY, 1250),
        (12, ScalarType.MONEY, 1200),
        (Decimal("1.2e1"), ScalarType.MONEY, 1200),
        ("12.50 EUR", ScalarType.MONEY, 1250),
        (0, ScalarType.DURATION, 0),
        (0, ScalarType.DISTANCE, 0),
        ("14:30", ScalarType.TIME, 870),
        ("taxi", MODE, "taxi"),
        ("x", ScalarType.TEXT, "x"),
    ],
)
def test_a_json_cell_is_converted_into_a_value(value: object, type_: Type, read: Any) -> None:
    result = parse_json_value(value, type_, currency="EUR")
    assert result == read
    assert type(result) is type(read)


@pytest.mark.parametrize(
    ("value", "type_", "reason"),
    [
        (True, ScalarType.INT, "a Boolean"),
        (1, ScalarType.BOOL, "a number"),
        (Decimal("1.5"), ScalarType.INT, "whole"),
        (870, ScalarType.TIME, "write the time as a text"),
        (5, ScalarType.DURATION, "write the duration as a text"),
        (5, ScalarType.TEXT, "not a text"),
        (5, MODE, "not a text"),
        (Decimal("0.001"), ScalarType.MONEY, "at most 2 decimal digits"),
        (10**500, ScalarType.INT, "2**53"),
        (Decimal("1e999999"), ScalarType.DECIMAL, "2**53"),
        (Decimal("1e-999999"), ScalarType.DECIMAL, "digits"),
        (Decimal("0.1" + "1" * 500), ScalarType.DECIMAL, "digits"),
        (Decimal("NaN"), ScalarType.DECIMAL, "no number"),
        (float("inf"), ScalarType.INT, "no number"),
        (None, ScalarType.INT, "null"),
        ([1], ScalarType.INT, "a list"),
        ({}, ScalarType.INT, "an object"),
    ],
)
def test_a_json_cell_of_another_type_is_refused_with_a_reason(value: object, type_: Type, reason: str) -> None:
    with pytest.raises(InvalidValueError) as caught:
        parse_json_value(value, type_, currency="EUR")
    assert reason in str(caught.value)


@given(st.data(), st.sampled_from(UNITS))
def test_a_shown_value_can_be_read_back(data: st.DataObject, type_: ScalarType) -> None:
    match type_:
        case ScalarType.DATE:
            value = data.draw(st.integers(1, 3_652_059))
        case ScalarType.TIME:
            value = data.draw(st.integers(0, 5999))
        case ScalarType.MOMENT:
            value = data.draw(st.integers(1440, 3_652_059 * 1440))
        case _:
            value = data.draw(st.integers(-(10**9), 10**9))
    assert parse_value(show(value, type_, "EUR"), type_, currency="EUR") == value


@given(st.one_of(st.text(), st.text("0123456789.:-+ hminkdEUR")), st.sampled_from([*ScalarType, MODE]))
def test_any_text_is_a_value_or_refused(text: str, type_: Type) -> None:
    with suppress(InvalidValueError):
        assert parse_value(text, type_, currency="EUR") is not None


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.decimals(),
        st.text(),
        st.lists(st.integers()),
    )
)
def test_any_json_cell_is_a_value_or_refused(value: object) -> None:
    for type_ in (*ScalarType, MODE):
        with suppress(InvalidValueError):
            assert parse_json_value(value, type_, currency="EUR") is not None


@pytest.mark.parametrize(
    ("text", "type_"),
    [
        ("17", ScalarType.INT),
        ("0", ScalarType.INT),
        ("0.5", ScalarType.DECIMAL),
        ("true", ScalarType.BOOL),
        ("2026-07-01", ScalarType.DATE),
        ("14:30", ScalarType.TIME),
        ("90min", ScalarType.DURATION),
        ("12 EUR", ScalarType.MONEY),
        ("850m", ScalarType.DISTANCE),
        ("pergamon", ScalarType.TEXT),
        ("", ScalarType.TEXT),
    ],
)
def test_the_type_of_a_literal_is_guessed(text: str, type_: Type) -> None:
    assert guess_type(text) is type_
