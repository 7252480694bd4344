"""Values are recognised in queries in the forms that people use."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from planspec.dsl.model.types import EnumType, ListType, ScalarType, SetType, Type
from planspec.verifiers.environment.wording import states_value

DAY = date(2026, 7, 1).toordinal()
VALUES_IN_QUERY: list[tuple[str, Any, Type]] = [
    ("It starts on 2026-07-01.", DAY, ScalarType.DATE),
    ("from 1 July on", DAY, ScalarType.DATE),
    ("July 1st, please", DAY, ScalarType.DATE),
    ("on the 1st of July", DAY, ScalarType.DATE),
    ("7月1日", DAY, ScalarType.DATE),
    ("from 1 July to 3 July", (DAY, DAY + 1, DAY + 2), SetType(ScalarType.DATE)),
    ("before seven", 7 * 60, ScalarType.TIME),
    ("by half past eight", 8 * 60 + 30, ScalarType.TIME),
    ("back at 8:30 pm", 20 * 60 + 30, ScalarType.TIME),
    ("at noon", 12 * 60, ScalarType.TIME),
    ("at quarter to nine", 8 * 60 + 45, ScalarType.TIME),
    ("for an hour", 60, ScalarType.DURATION),
    ("takes 90 minutes", 90, ScalarType.DURATION),
    ("an hour and a half", 90, ScalarType.DURATION),
    ("within two hours", 120, ScalarType.DURATION),
    ("we have 1,140 euros", 114_000, ScalarType.MONEY),
    ("12.50 each", 1250, ScalarType.MONEY),
    ("no more than 2.5 km", 2500, ScalarType.DISTANCE),
    ("three of us", 3, ScalarType.INT),
    ("twenty-four crates", 24, ScalarType.INT),
    ("half of 0.5", Fraction(1, 2), ScalarType.DECIMAL),
    ("we go by self driving", "self_driving", EnumType("Mode", ("self_driving", "taxi"))),
    ("two museums", "museum", EnumType("Kind", ("museum", "park"))),
    ("anything", None, ScalarType.MONEY),
    ("anything", (), ListType(ScalarType.INT)),
]
VALUES_NOT_IN_QUERY: list[tuple[str, Any, Type]] = [
    ("from 11 July on", DAY, ScalarType.DATE),
    ("on 2026-07-011", DAY, ScalarType.DATE),
    ("1 July", (DAY, DAY + 1, DAY + 2), SetType(ScalarType.DATE)),
    ("before seventeen", 7 * 60, ScalarType.TIME),
    ("at 12:30", 12 * 60, ScalarType.TIME),
    ("takes 190 minutes", 90, ScalarType.DURATION),
    ("1,140.50", 114_000, ScalarType.MONEY),
    ("thirty-three", 3, ScalarType.INT),
    ("in 2033", 3, ScalarType.INT),
    ("the taxidermist", "taxi", EnumType("Mode", ("self_driving", "taxi"))),
    ("anything", True, ScalarType.BOOL),
]


@pytest.mark.parametrize(("query", "value", "type_"), VALUES_IN_QUERY)
def test_a_value_is_recognized_in_the_forms_that_people_write(query: str, value: Any, type_: Type) -> None:
    assert states_value(query, value, type_, "EUR")


@pytest.mark.parametrize(("query", "value", "type_"), VALUES_NOT_IN_QUERY)
def test_a_part_of_a_longer_word_or_number_is_not_a_value(query: str, value: Any, type_: Type) -> None:
    assert not states_value(query, value, type_, "EUR")
