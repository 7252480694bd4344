"""Times, distances, numbers and days as people say them, in English and Chinese, so that no two are said alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]

NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
DIGITS = "零一二三四五六七八九"


def said_clock(language: Language, clock: str) -> tuple[str, ...]:
    """A time of day HH:MM: with its part of the day, or of 24 hours; none can be taken for another one's."""
    hour, minute = int(clock[:2]), int(clock[3:])
    return (*(_english(hour, minute) if language == "en" else _chinese(hour, minute)), clock)


def _english(hour: int, minute: int) -> list[str]:
    if hour == 0:
        return []
    half = "am" if hour < 12 else "pm"
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    twelve = (hour - 1) % 12 + 1
    match minute:
        case 0 if hour == 12:
            return ["noon"]
        case 0:
            return [f"{twelve} {half}", f"{twelve}:00 {half}", f"{NUMBERS[twelve]} o'clock {part}"]
        case 15:
            return [f"{twelve}:15 {half}", f"a quarter past {NUMBERS[twelve]} {part}"]
        case 30:
            return [f"{twelve}:30 {half}", f"half past {NUMBERS[twelve]} {part}"]
        case 45 if hour not in {11, 12, 17, 23}:  # a quarter to noon is no longer said of the morning
            return [f"{twelve}:45 {half}", f"a quarter to {NUMBERS[twelve % 12 + 1]} {part}"]
        case _:
            return [f"{twelve}:{minute:02} {half}"]


def _chinese(hour: int, minute: int) -> list[str]:
    part = next(word for before, word in PARTS if hour < before)
    twelve = hour if hour <= 12 else hour - 12
    spelt = "两" if twelve == 2 else numeral(twelve)
    match minute:
        case 0:
            return [f"{part}{twelve}点", f"{part}{spelt}点"]
        case 15:
            return [f"{part}{twelve}点15分", f"{part}{spelt}点一刻"]
        case 30:
            return [f"{part}{twelve}点半", f"{part}{spelt}点半"]
        case 45:
            return [f"{part}{twelve}点45分", f"{part}{spelt}点三刻"]
        case _:
            zero = "零" if minute < 10 else ""
            return [f"{part}{twelve}点{minute:02}分", f"{part}{spelt}点{zero}{numeral(minute)}分"]


PARTS = ((6, "凌晨"), (9, "早上"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))


def numeral(number: int) -> str:
    """A number below a hundred in Chinese."""
    tens, ones = divmod(number, 10)
    before = "" if tens == 0 else "十" if tens == 1 else f"{DIGITS[tens]}十"
    return before + (DIGITS[ones] if ones or not tens else "")


def said_length(language: Language, metres: int) -> tuple[str, ...]:
    """A distance in metres."""
    kilometres, rest = divmod(metres, 1000)
    if language == "en":
        if kilometres == 0:
            return (f"{metres} meters", f"{metres} m", *(("half a kilometer",) if metres == 500 else ()))
        if rest:
            return (f"{metres} meters", f"{_decimal(metres)} kilometers")
        unit = "kilometer" if kilometres == 1 else "kilometers"
        spelt = (f"{NUMBERS[kilometres]} {unit}",) if kilometres < len(NUMBERS) else ()
        return (f"{metres} meters", f"{kilometres} {unit}", *spelt)
    if kilometres == 0:
        hundreds = (f"{'两' if metres == 200 else DIGITS[metres // 100]}百米",) if metres % 100 == 0 else ()
        return (f"{metres}米", *hundreds)
    spelt_zh = "两" if kilometres == 2 else numeral(kilometres)
    if rest == 500:
        return (f"{metres}米", f"{_decimal(metres)}公里", f"{spelt_zh}公里半")
    if rest:
        return (f"{metres}米", f"{_decimal(metres)}公里")
    return (f"{metres}米", f"{kilometres}公里", f"{spelt_zh}公里")


def _decimal(metres: int) -> str:
    return f"{metres // 1000}.{metres % 1000:03}".rstrip("0")


def said_count(language: Language, count: int) -> tuple[str, ...]:
    """A number of places; in Chinese with the word that counts them."""
    if language == "en":
        return (str(count), *((NUMBERS[count],) if count < len(NUMBERS) else ()))
    return (f"{count}个", f"{'两' if count == 2 else numeral(count)}个")


def said_days(words: Mapping[str, Any], days: Sequence[str], today: str) -> tuple[str, ...]:
    """Days of this week: one, or several on end from tomorrow.

    Args:
        words: of the language, as `wording.*.yaml` has them.
        days: ISO 8601.
        today: ISO 8601.

    Raises:
        ValueError: they are neither.
    """
    begin, named = date.fromisoformat(today), [date.fromisoformat(day) for day in days]
    on = words["weekdays"][named[-1].weekday()]
    if len(named) == 1:
        ahead = (named[0] - begin).days
        if ahead == 0:
            return tuple(words["today"])
        plain = words["one"][ahead : ahead + 1] if ahead > 0 else []
        return (*plain, *(pattern.format(on) for pattern in words["weekday"]))
    if named != [begin + timedelta(n) for n in range(1, len(named) + 1)]:
        raise ValueError(f"the days {', '.join(days)} do not begin with tomorrow, one after the other")
    if len(named) == 2:
        return tuple(words["two"])
    return tuple(pattern.format(on) for pattern in words["from_tomorrow"])
