"""Amounts, times and dates are recognised in their English, German, Chinese and Japanese forms."""

from __future__ import annotations

from fractions import Fraction

import pytest

from planspec.verifiers.environment.query_text.mention import Reading
from planspec.verifiers.environment.query_text.mentions import mentions

TIMES = [
    ("back by 14:30", 870),
    ("back by 2:30 pm", 870),
    ("back at half past two in the afternoon", 870),
    ("spätestens 14.30 Uhr", 870),
    ("à 14h30", 870),
    ("um 14 Uhr 30", 870),
    ("um halb drei", 870),
    ("a quarter to three", 885),
    ("Viertel vor drei", 885),
    ("ten past two", 850),
    ("two o'clock", 840),
    ("by two", 840),
    ("下午两点半", 870),
    ("下午2点30分", 870),
    ("十四点三刻", 885),
    ("午後2時半", 870),
    ("at noon", 720),
    ("until midnight", 1440),
    ("25:15 in the table", 1515),
]
MONEY = [
    ("fifty euros", 50, "EUR"),
    ("€50", 50, "EUR"),
    ("50,- €", 50, "EUR"),
    ("50.00 EUR", 50, "EUR"),
    ("1,140 euros", 1140, "EUR"),
    ("1.140 Euro", 1140, "EUR"),
    ("fünfzig Euro", 50, "EUR"),
    ("two thousand five hundred dollars", 2500, "USD"),
    ("$2k", 2000, "USD"),
    ("12 euros and 50 cents", Fraction(25, 2), "EUR"),
    ("五十元", 50, "CNY"),
    ("¥3,050", 3050, "CNY"),
    ("5000円", 5000, "JPY"),
]
DURATIONS = [
    ("an hour and a half", 90),
    ("one and a half hours", 90),
    ("1.5 hours", 90),
    ("1h30", 90),
    ("1 hour and 30 minutes", 90),
    ("anderthalb Stunden", 90),
    ("90 Minuten", 90),
    ("half an hour", 30),
    ("a quarter of an hour", 15),
    ("fifteen minutes' walk", 15),
    ("a twenty-minute walk", 20),
    ("两个半小时", 150),
    ("半小时", 30),
    ("2時間30分", 150),
    ("three days", 3 * 1440),
    ("2 weeks", 14 * 1440),
]
DATES = [
    ("3 May", 503, None),
    ("May 3rd, 2026", 503, 2026),
    ("the 3rd of May 2026", 503, 2026),
    ("2026-05-03", 503, 2026),
    ("am 3. Mai", 503, None),
    ("3.5.2026", 503, 2026),
    ("5月3日", 503, None),
    ("2026年5月3日", 503, 2026),
    ("May 1st to 3rd, 2026", 503, 2026),
    ("from 1 to 3 May", 501, None),
]
NUMBERS = [
    ("a party of three", 3),
    ("a hundred and fifty crates", 150),
    ("twenty-four crates", 24),
    ("dreihundertzwanzig Kisten", 320),
    ("zu viert", 4),
    ("一百二十个", 120),
    ("the twelfth round", 12),
    ("3,5 Punkte", Fraction(7, 2)),
    ("for a couple", 2),
]


def readings(text: str) -> set[Reading]:
    """Return all interpretations of the amounts, times and dates in a text."""
    return {reading for mention in mentions(text) for reading in mention.readings}


@pytest.mark.parametrize(("text", "minutes"), TIMES)
def test_times_of_day_are_read(text: str, minutes: int) -> None:
    assert Reading("time", Fraction(minutes)) in readings(text)


@pytest.mark.parametrize(("text", "amount", "currency"), MONEY)
def test_money_is_read(text: str, amount: int | Fraction, currency: str) -> None:
    assert Reading("money", Fraction(amount), currency) in readings(text)


@pytest.mark.parametrize(("text", "minutes"), DURATIONS)
def test_durations_are_read(text: str, minutes: int) -> None:
    assert Reading("duration", Fraction(minutes)) in readings(text)


@pytest.mark.parametrize(("text", "day", "year"), DATES)
def test_dates_are_read(text: str, day: int, year: int | None) -> None:
    assert Reading("date", Fraction(day), year) in readings(text)


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_bare_numbers_are_read(text: str, number: int | Fraction) -> None:
    assert Reading("number", Fraction(number)) in readings(text)


def test_distances_and_weekdays_are_read() -> None:
    assert Reading("distance", Fraction(2500)) in readings("no more than 2.5 km")
    assert Reading("distance", Fraction(1000)) in readings("周边一公里")
    assert Reading("weekday", Fraction(4)) in readings("on Friday")
    assert Reading("weekday", Fraction(2)) in readings("下周三")


def test_an_hour_and_a_half_is_read_as_one_duration() -> None:
    (mention,) = [m for m in mentions("It takes an hour and a half.") if m.is_definite]
    assert mention.readings == {Reading("duration", Fraction(90))}


def test_words_such_as_one_and_both_are_not_definite_numbers() -> None:
    assert not any(
        mention.is_definite
        for mention in mentions("one of us, both, the first, an hour, two of them, children under 10")
    )


@pytest.mark.parametrize("text", ["room r12", "class x8 and v2.5", "...7.....", "s24"])
def test_digits_in_names_and_grids_are_ignored(text: str) -> None:
    assert not mentions(text)
