"""Cells mean what their types say, or are refused with a reason."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.model.types import EnumType, Scalar, Type
from planspec.dsl.model.value_text import show
from planspec.dsl.model.values import BadValue, guess_type, minor_digits, parse_json_value, parse_value
from planspec.dsl.resources.limits import NUMBER as LIMIT

MODE = EnumType("Mode", ("foot", "driving", "taxi"))
UNITS = [kind for kind in Scalar if kind not in (Scalar.BOOL, Scalar.TEXT, Scalar.DECIMAL)]


@pytest.mark.parametrize(
    ("text", "of", "value"),
    [
        ("true", Scalar.BOOL, True),
        ("false", Scalar.BOOL, False),
        (" 17 ", Scalar.INT, 17),
        ("-3", Scalar.INT, -3),
        (str(LIMIT), Scalar.INT, LIMIT),
        ("0.35", Scalar.DECIMAL, Fraction(7, 20)),
        ("4", Scalar.DECIMAL, Fraction(4)),
        (" as it is ", Scalar.TEXT, " as it is "),
        ("", Scalar.TEXT, ""),
        ("2026-07-01", Scalar.DATE, 739798),
        ("2024-02-29", Scalar.DATE, 738945),
        ("14:30", Scalar.TIME, 870),
        ("8:05", Scalar.TIME, 485),
        ("25:30", Scalar.TIME, 1530),
        ("2026-07-01 14:30", Scalar.MOMENT, 739798 * 1440 + 870),
        ("90min", Scalar.DURATION, 90),
        ("1h30min", Scalar.DURATION, 90),
        ("3d", Scalar.DURATION, 4320),
        ("-2h", Scalar.DURATION, -120),
        ("99999999d", Scalar.DURATION, 99999999 * 1440),
        ("0", Scalar.DURATION, 0),
        ("12.50 EUR", Scalar.MONEY, 1250),
        ("12.5EUR", Scalar.MONEY, 1250),
        ("-3 EUR", Scalar.MONEY, -300),
        ("0", Scalar.MONEY, 0),
        ("850m", Scalar.DISTANCE, 850),
        ("3.2km", Scalar.DISTANCE, 3200),
        ("0", Scalar.DISTANCE, 0),
        ("taxi", MODE, "taxi"),
    ],
)
def test_a_text_means_a_value(text: str, of: Type, value: Any) -> None:
    read = parse_value(text, of, currency="EUR")
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("text", "of", "said"),
    [
        ("yes", Scalar.BOOL, "true"),
        ("True", Scalar.BOOL, "true"),
        ("1.5", Scalar.INT, "whole"),
        ("", Scalar.INT, "whole"),
        (str(LIMIT + 1), Scalar.INT, "2**53"),
        ("1e3", Scalar.DECIMAL, "number"),
        ("nan", Scalar.DECIMAL, "number"),
        ("2026-02-30", Scalar.DATE, "date"),
        ("2026-7-1", Scalar.DATE, "date"),
        ("0000-01-01", Scalar.DATE, "date"),
        ("12:75", Scalar.TIME, "time"),
        ("14:30:00", Scalar.TIME, "time"),
        ("100:00", Scalar.TIME, "time"),
        ("2026-07-01", Scalar.MOMENT, "time"),
        ("90", Scalar.DURATION, "90min"),
        ("min", Scalar.DURATION, "duration"),
        ("30min1h", Scalar.DURATION, "duration"),
        ("-", Scalar.DURATION, "duration"),
        ("12.50", Scalar.MONEY, "EUR"),
        ("12.50 USD", Scalar.MONEY, "EUR"),
        ("12.505 EUR", Scalar.MONEY, "EUR has no parts"),
        ("1234567890123.00000000000000000001 EUR", Scalar.MONEY, "EUR has no parts"),
        ("99999999999999999 EUR", Scalar.MONEY, "too large"),
        ("0.5m", Scalar.DISTANCE, "metres"),
        ("5 miles", Scalar.DISTANCE, "distance"),
        ("drving", MODE, "did you mean `driving`?"),
        ("rocket", MODE, "foot"),
    ],
)
def test_a_text_that_is_no_value_is_refused_with_a_reason(text: str, of: Type, said: str) -> None:
    with pytest.raises(BadValue) as caught:
        parse_value(text, of, currency="EUR")
    assert said in str(caught.value)


def test_a_world_without_a_currency_has_no_money_but_nothing() -> None:
    assert parse_value("0", Scalar.MONEY, currency=None) == 0
    with pytest.raises(BadValue, match="no currency"):
        parse_value("12.50 EUR", Scalar.MONEY, currency=None)


@pytest.mark.parametrize(
    ("currency", "text", "minor"),
    [("JPY", "1200 JPY", 1200), ("KWD", "1.234 KWD", 1234), ("USD", "1.2 USD", 120)],
)
def test_a_currency_has_the_parts_that_it_has(currency: str, text: str, minor: int) -> None:
    assert parse_value(text, Scalar.MONEY, currency=currency) == minor
    assert 10 ** minor_digits(currency) * Fraction(text.split(maxsplit=1)[0]) == minor


@pytest.mark.parametrize(
    ("value", "of", "read"),
    [
        (True, Scalar.BOOL, True),
        (17, Scalar.INT, 17),
        (Decimal("17.0"), Scalar.INT, 17),
        ("18", Scalar.INT, 18),
        (Decimal("0.1"), Scalar.DECIMAL, Fraction(1, 10)),
        (0.1, Scalar.DECIMAL, Fraction(1, 10)),
        (Decimal("0.3333333333333333333"), Scalar.DECIMAL, Fraction("0.3333333333333333333")),
        (3, Scalar.DECIMAL, Fraction(3)),
        (Decimal("12.5"), Scalar.MONEY, 1250),
        (12, Scalar.MONEY, 1200),
        (Decimal("1.2e1"), Scalar.MONEY, 1200),
        ("12.50 EUR", Scalar.MONEY, 1250),
        (0, Scalar.DURATION, 0),
        (0, Scalar.DISTANCE, 0),
        ("14:30", Scalar.TIME, 870),
        ("taxi", MODE, "taxi"),
        ("x", Scalar.TEXT, "x"),
    ],
)
def test_a_json_cell_means_a_value(value: object, of: Type, read: Any) -> None:
    found = parse_json_value(value, of, currency="EUR")
    assert found == read
    assert type(found) is type(read)


@pytest.mark.parametrize(
    ("value", "of", "said"),
    [
        (True, Scalar.INT, "a truth"),
        (1, Scalar.BOOL, "a number"),
        (Decimal("1.5"), Scalar.INT, "whole"),
        (870, Scalar.TIME, "write the time as a text"),
        (5, Scalar.DURATION, "write the duration as a text"),
        (5, Scalar.TEXT, "not a text"),
        (5, MODE, "not a text"),
        (Decimal("0.001"), Scalar.MONEY, "no parts"),
        (10**500, Scalar.INT, "2**53"),
        (Decimal("1e999999"), Scalar.DECIMAL, "2**53"),
        (Decimal("1e-999999"), Scalar.DECIMAL, "digits"),
        (Decimal("0.1" + "1" * 500), Scalar.DECIMAL, "digits"),
        (Decimal("NaN"), Scalar.DECIMAL, "no number"),
        (float("inf"), Scalar.INT, "no number"),
        (None, Scalar.INT, "null"),
        ([1], Scalar.INT, "a list"),
        ({}, Scalar.INT, "an object"),
    ],
)
def test_a_json_cell_of_another_type_is_refused_with_a_reason(value: object, of: Type, said: str) -> None:
    with pytest.raises(BadValue) as caught:
        parse_json_value(value, of, currency="EUR")
    assert said in str(caught.value)


@given(st.data(), st.sampled_from(UNITS))
def test_what_is_shown_is_read_back(data: st.DataObject, of: Scalar) -> None:
    match of:
        case Scalar.DATE:
            value = data.draw(st.integers(1, 3_652_059))
        case Scalar.TIME:
            value = data.draw(st.integers(0, 5999))
        case Scalar.MOMENT:
            value = data.draw(st.integers(1440, 3_652_059 * 1440))
        case _:
            value = data.draw(st.integers(-(10**9), 10**9))
    assert parse_value(show(value, of, "EUR"), of, currency="EUR") == value


@given(st.one_of(st.text(), st.text("0123456789.:-+ hminkdEUR")), st.sampled_from([*Scalar, MODE]))
def test_any_text_is_a_value_or_refused(text: str, of: Type) -> None:
    with suppress(BadValue):
        assert parse_value(text, of, currency="EUR") is not None


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
    for of in (*Scalar, MODE):
        with suppress(BadValue):
            assert parse_json_value(value, of, currency="EUR") is not None


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("17", Scalar.INT), ("0", Scalar.INT), ("0.5", Scalar.DECIMAL), ("true", Scalar.BOOL), ("2026-07-01", Scalar.DATE),
        ("14:30", Scalar.TIME), ("90min", Scalar.DURATION), ("12 EUR", Scalar.MONEY), ("850m", Scalar.DISTANCE),
        ("pergamon", Scalar.TEXT), ("", Scalar.TEXT),
    ],
)  # fmt: skip
def test_a_literal_says_its_type(text: str, of: Type) -> None:
    assert guess_type(text) is of
