"""Values are shown in the notation of authors."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from planspec.dsl.model.rows import make_row
from planspec.dsl.model.types import (
    Column,
    EnumType,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Table,
    Type,
)
from planspec.dsl.model.value_text import exact_text, minor_unit_text, row_key, show, show_key

MODE = EnumType("Mode", ("foot", "bus"))


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (None, ScalarType.TIME, "none"),
        (True, ScalarType.BOOL, "true"),
        (False, ScalarType.BOOL, "false"),
        (870, ScalarType.TIME, "14:30"),
        (0, ScalarType.TIME, "00:00"),
        (1530, ScalarType.TIME, "25:30"),
        (-30, ScalarType.TIME, "-00:30"),
        (739798, ScalarType.DATE, "2026-07-01"),
        (0, ScalarType.DATE, "day 0"),
        (4_000_000, ScalarType.DATE, "day 4000000"),
        (739798 * 1440 + 870, ScalarType.MOMENT, "2026-07-01 14:30"),
        (739798 * 1440 - 1, ScalarType.MOMENT, "2026-06-30 23:59"),
        (0, ScalarType.DURATION, "0min"),
        (30, ScalarType.DURATION, "30min"),
        (60, ScalarType.DURATION, "1h"),
        (90, ScalarType.DURATION, "1h30min"),
        (-90, ScalarType.DURATION, "-1h30min"),
        (1500, ScalarType.DURATION, "25h"),
        (1250, ScalarType.MONEY, "12.50 EUR"),
        (5, ScalarType.MONEY, "0.05 EUR"),
        (-5, ScalarType.MONEY, "-0.05 EUR"),
        (190_000, ScalarType.MONEY, "1900.00 EUR"),
        (850, ScalarType.DISTANCE, "850m"),
        (3200, ScalarType.DISTANCE, "3.2km"),
        (1000, ScalarType.DISTANCE, "1km"),
        (-12_345, ScalarType.DISTANCE, "-12.345km"),
        (17, ScalarType.INT, "17"),
        (Fraction(7, 20), ScalarType.DECIMAL, "0.35"),
        (Fraction(-1, 8), ScalarType.DECIMAL, "-0.125"),
        (Fraction(4), ScalarType.DECIMAL, "4"),
        (0, ScalarType.DECIMAL, "0"),
        (Fraction(1, 3), ScalarType.DECIMAL, "1/3"),
        ("a b", ScalarType.TEXT, "a b"),
        ("bus", MODE, "bus"),
        (("bus", "foot"), SetType(MODE), "{bus, foot}"),
        ((), SetType(MODE), "{}"),
        ((870, 60), ListType(ScalarType.TIME), "[14:30, 01:00]"),
        ((870, None), ListType(ScalarType.TIME), "[14:30, none]"),
        (Fraction(357, 10), ScaledType(ScalarType.DURATION), "35.7min"),
        (Fraction(60), ScaledType(ScalarType.DURATION), "1h"),
        (Fraction(2475, 2), ScaledType(ScalarType.MONEY), "12.375 EUR"),
        (Fraction(1, 2), ScaledType(ScalarType.DISTANCE), "0.5m"),
        (0, Special.UNIT_ZERO, "0"),
    ],
)
def test_a_value_is_shown_as_it_is_written(value: Any, type_: Type, text: str) -> None:
    assert show(value, type_, "EUR") == text
    assert show_key(value, type_, "EUR") == text


def test_money_has_the_digits_of_its_currency() -> None:
    assert show(500, ScalarType.MONEY, "JPY") == "500 JPY"
    assert minor_unit_text("JPY") == "JPY"
    assert minor_unit_text("EUR") == "1/100 EUR"
    assert show(1250, ScalarType.MONEY, None) == "12.50"


def test_a_row_is_shown_by_name_and_in_ids_by_key() -> None:
    place = Table(
        "Place",
        {"id": Column("id", ScalarType.TEXT, key=True), "name": Column("name", ScalarType.TEXT, True)},
        ("id",),
    )
    named = make_row(place, {"id": "a", "name": "Old Museum"}, 0)
    nameless = make_row(place, {"id": "b"}, 1)
    assert show(named, RowType("Place"), None) == "Old Museum"
    assert show(nameless, RowType("Place"), None) == "b"
    assert show_key(named, RowType("Place"), None) == "a"
    assert show((named, nameless), SetType(RowType("Place")), None) == "{Old Museum, b}"
    assert show_key((named, nameless), SetType(RowType("Place")), None) == "{a, b}"


def test_an_undeclared_column_can_name_its_row() -> None:
    place = Table("Place", {"id": Column("id", ScalarType.TEXT, key=True)}, ("id",))
    assert show(make_row(place, {"id": "a"}, 0, extra={"name": "A"}), RowType("Place"), None) == "A"


def test_parts_of_a_key_are_joined_and_rows_without_a_key_have_a_place() -> None:
    place = Table("Place", {"id": Column("id", ScalarType.TEXT, key=True)}, ("id",))
    slot = Table(
        "Slot",
        {"place": Column("place", RowType("Place"), key=True), "at": Column("at", ScalarType.TIME, key=True)},
        ("place", "at"),
    )
    row = make_row(slot, {"place": make_row(place, {"id": "a"}, 0, extra={"name": "A"}), "at": 870}, 0)
    assert row_key(row, None) == "a, 14:30"
    assert show(row, RowType("Slot"), None) == "a, 14:30"
    bag = Table("Bag", {"n": Column("n", ScalarType.INT)}, ())
    assert row_key(make_row(bag, {"n": 1}, 3), None) == "3"


def test_exact_numbers_are_not_rounded() -> None:
    assert exact_text(Fraction(1, 2**20)) == "0.00000095367431640625"
    assert exact_text(-3) == "-3"
