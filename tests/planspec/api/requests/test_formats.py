"""Amounts, dates, times and numbers are written as in each language, compared with texts written by hand."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.wording import CATEGORIES, PLURALS
from tests.extras import needs

pytestmark = needs("babel", extra="words")
MARCH_5 = date(2026, 3, 5).toordinal()


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            [
                "855 euros",
                "1 euro",
                "12.50 euros",
                "1 hour and 30 minutes",
                "0 minutes",
                "1.25 kilometers",
                "300 meters",
            ],
        ),
        (
            "de",
            ["855 Euro", "1 Euro", "12,50 Euro", "1 Stunde und 30 Minuten", "0 Minuten", "1,25 Kilometer", "300 Meter"],
        ),
        ("zh", ["855欧元", "1欧元", "12.50欧元", "1小时30分钟", "0分钟", "1.25公里", "300米"]),
        ("ja", ["855ユーロ", "1ユーロ", "12.50ユーロ", "1時間30分", "0分", "1.25キロメートル", "300メートル"]),
    ],
)
def test_amounts_have_the_unit_of_the_language(language: str, texts: list[str]) -> None:
    from planspec.api.requests.formats import Formats

    formats = Formats(language, "EUR")
    money = [formats.scalar(cents, ScalarType.MONEY) for cents in (85_500, 100, 1250)]
    durations = [formats.scalar(minutes, ScalarType.DURATION) for minutes in (90, 0)]
    assert [*money, *durations, *(formats.scalar(m, ScalarType.DISTANCE) for m in (1250, 300))] == texts


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            ["March 5, 2026", "Thursday, March 5, 2026", "March 5", "Thursday", "2:30 PM", "March 5, 2026, 12:05 AM"],
        ),
        ("de", ["5. März 2026", "Donnerstag, 5. März 2026", "5. März", "Donnerstag", "14:30", "5. März 2026, 00:05"]),
        ("zh", ["2026年3月5日", "2026年3月5日星期四", "3月5日", "星期四", "14:30", "2026年3月5日 00:05"]),
        ("ja", ["2026年3月5日", "2026年3月5日木曜日", "3月5日", "木曜日", "14:30", "2026年3月5日 0:05"]),
    ],
)
def test_dates_and_times_are_written_as_in_each_language(language: str, texts: list[str]) -> None:
    from planspec.api.requests.formats import Formats

    formats = Formats(language, None)
    dates = [formats.scalar(MARCH_5, ScalarType.DATE, form) for form in (None, "full", "day", "weekday")]
    moment = formats.scalar(MARCH_5 * 1440 + 5, ScalarType.MOMENT)
    assert [*dates, formats.scalar(14 * 60 + 30, ScalarType.TIME), moment] == texts


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ["1,140.5", "a, b, and c", "a, b, or c", "a; b; c"]),
        ("de", ["1.140,5", "a, b und c", "a, b oder c", "a; b; c"]),
        ("zh", ["1,140.5", "a、b和c", "a、b或c", "a; b; c"]),
        ("ja", ["1,140.5", "a、b、c", "a、b、またはc", "a; b; c"]),
    ],
)
def test_numbers_and_lists_are_formatted_by_language(language: str, texts: list[str]) -> None:
    from planspec.api.requests.formats import Formats

    formats = Formats(language, None)
    lists = [formats.listed(["a", "b", "c"], join) for join in ("and", "or", "; ")]
    assert [formats.scalar(Fraction(2281, 2), ScalarType.DECIMAL), *lists] == texts


def test_a_currency_without_minor_units_has_no_decimals() -> None:
    from planspec.api.requests.formats import Formats

    assert Formats("ja", "JPY").scalar(1500, ScalarType.MONEY) == "1,500円"


def test_plural_categories_are_those_of_babel() -> None:
    from babel import Locale

    for language, categories in PLURALS.items():
        tags = Locale.parse(language).plural_form.tags
        assert categories == tuple(name for name in CATEGORIES if name in tags or name == "other"), language


def test_plurals_follow_the_rules_of_the_language() -> None:
    from planspec.api.requests.formats import Formats

    polish, english = Formats("pl", None), Formats("en", None)
    assert [polish.plural(n) for n in (1, 2, 5, 22)] == ["one", "few", "many", "few"]
    assert [english.plural(n) for n in (0, 1, Fraction(3, 2))] == ["other", "one", "other"]
