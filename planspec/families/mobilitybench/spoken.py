"""Wordings of times, distances, numbers and days in four languages. No two values share a wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal, TypeAlias, assert_never

from planspec.dsl.resources.english_words import ONES

Language: TypeAlias = Literal["en", "zh", "de", "ja"]

WORDED: tuple[Language, ...] = ("en", "zh", "de", "ja")
"""Languages of the queries."""
NUMBERS = ONES[:13]
GERMAN = (
    "null",
    "ein",
    "zwei",
    "drei",
    "vier",
    "fünf",
    "sechs",
    "sieben",
    "acht",
    "neun",
    "zehn",
    "elf",
    "zwölf",
)
DIGITS = "零一二三四五六七八九"
WORDED_WAITS_MIN = (5, 10, 15, 20, 30, 40, 45, 60, 90, 120)
"""Minutes until a time that may be worded as a duration, such as "in half an hour". For example, 17 is not listed."""
A_QUARTER = "einer Viertelstunde"


def clock_wordings(language: Language, clock: str) -> tuple[str, ...]:
    """Return the wordings of a time of day, given as HH:MM.

    Each is unambiguous, since it states the part of the day or uses the 24-hour clock.
    """
    hour, minute = int(clock[:2]), int(clock[3:])
    match language:
        case "en":
            return (*_english_clock(hour, minute), clock)
        case "zh":
            return (*_chinese_clock(hour, minute), clock)
        case "de":
            return (*_german_clock(hour, minute), f"{hour}:{minute:02} Uhr")
        case "ja":
            return (*_japanese_clock(hour, minute), clock)
        case _:
            assert_never(language)


def _english_clock(hour: int, minute: int) -> list[str]:
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
        case 45 if hour not in {
            11,
            12,
            17,
            23,
        }:  # the phrase names the next hour, which may be in another part of the day
            return [f"{twelve}:45 {half}", f"a quarter to {NUMBERS[twelve % 12 + 1]} {part}"]
        case _:
            return [f"{twelve}:{minute:02} {half}"]


def _chinese_clock(hour: int, minute: int) -> list[str]:
    part = next(word for before, word in CHINESE_PARTS if hour < before)
    twelve = hour if hour <= 12 else hour - 12
    spelt = "两" if twelve == 2 else chinese_numeral(twelve)
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
            return [f"{part}{twelve}点{minute:02}分", f"{part}{spelt}点{zero}{chinese_numeral(minute)}分"]


CHINESE_PARTS = ((6, "凌晨"), (9, "早上"), (12, "上午"), (13, "中午"), (18, "下午"), (24, "晚上"))


def _german_clock(hour: int, minute: int) -> list[str]:
    part = next(word for before, word in GERMAN_PARTS if hour < before)
    twelve, following = hour % 12 or 12, hour % 12 + 1
    match minute:
        case 0:
            hour_word = GERMAN[twelve] if twelve > 1 else "ein"
            return [f"{hour} Uhr", *([f"{hour_word} Uhr {part}"] if hour else [])]
        case 15 if hour:
            return [f"{hour} Uhr 15", f"Viertel nach {_german_hour(twelve)} {part}"]
        case 30 if hour not in {0, 11, 17}:
            return [f"{hour} Uhr 30", f"halb {_german_hour(following)} {part}"]
        case 45 if hour not in {0, 11, 17, 23}:
            return [f"{hour} Uhr 45", f"Viertel vor {_german_hour(following)} {part}"]
        case _:
            return [f"{hour} Uhr {minute}"] if minute >= 10 else []


GERMAN_PARTS = ((5, "nachts"), (12, "morgens"), (14, "mittags"), (18, "nachmittags"), (24, "abends"))


def _german_hour(twelve: int) -> str:
    return "eins" if twelve == 1 else GERMAN[twelve]


def _japanese_clock(hour: int, minute: int) -> list[str]:
    half = "午前" if hour < 12 else "午後"
    part = next(word for before, word in JAPANESE_PARTS if hour < before)
    twelve = hour % 12
    after = "" if not minute else "半" if minute == 30 else f"{minute}分"
    wordings = [f"{half}{twelve}時{after}"]
    if part and twelve:
        wordings.append(f"{part}{twelve}時{after}")
    if hour > 12:
        wordings.append(f"{hour}時{after}")
    return wordings


JAPANESE_PARTS = ((5, ""), (11, "朝"), (16, ""), (19, "夕方"), (23, "夜"), (24, ""))


def wait_wordings(language: Language, now: str | None, clock: str) -> tuple[str, ...]:
    """Return the wordings of the duration from now until a time of day, such as `half an hour`.

    Return an empty tuple if `now` is None, or if the duration is not in `WORDED_WAITS_MIN`.
    German wordings are in the dative.
    """
    if now is None:
        return ()
    minutes = (int(clock[:2]) - int(now[:2])) * 60 + int(clock[3:]) - int(now[3:])
    if minutes not in WORDED_WAITS_MIN:
        return ()
    match language:
        case "en":
            named = {
                15: "a quarter of an hour",
                30: "half an hour",
                60: "an hour",
                90: "an hour and a half",
                120: "two hours",
            }
            return (
                *([named[minutes]] if minutes in named else []),
                *([f"{minutes} minutes"] if minutes < 60 else []),
            )
        case "zh":
            named = {15: "一刻钟", 30: "半小时", 60: "一个小时", 90: "一个半小时", 120: "两个小时"}
            return (
                *([named[minutes]] if minutes in named else []),
                *([f"{minutes}分钟"] if minutes < 60 else []),
            )
        case "de":
            named = {
                15: A_QUARTER,
                30: "einer halben Stunde",
                45: "einer Dreiviertelstunde",
                60: "einer Stunde",
                90: "anderthalb Stunden",
                120: "zwei Stunden",
            }
            return (
                *([named[minutes]] if minutes in named else []),
                *([f"{minutes} Minuten"] if minutes < 60 else []),
            )
        case "ja":
            hours, rest = divmod(minutes, 60)
            if hours:
                return (f"{hours}時間{'半' if rest else ''}",)
            return (f"{minutes}分",)
        case _:
            assert_never(language)


def chinese_numeral(number: int) -> str:
    """Return the Chinese numeral of a number below a hundred."""
    tens, ones = divmod(number, 10)
    before = "" if tens == 0 else "十" if tens == 1 else f"{DIGITS[tens]}十"
    return before + (DIGITS[ones] if ones or not tens else "")


def length_wordings(language: Language, metres: int) -> tuple[str, ...]:
    """Return the wordings of a distance in metres."""
    kilometres, rest = divmod(metres, 1000)
    match language:
        case "en":
            if kilometres == 0:
                return (f"{metres} meters", f"{metres} m", *(("half a kilometer",) if metres == 500 else ()))
            if rest:
                return (f"{metres} meters", f"{_kilometres_text(metres)} kilometers")
            unit = "kilometer" if kilometres == 1 else "kilometers"
            spelt = (f"{NUMBERS[kilometres]} {unit}",) if kilometres < len(NUMBERS) else ()
            return (f"{metres} meters", f"{kilometres} {unit}", *spelt)
        case "zh":
            if kilometres == 0:
                hundreds = f"{'两' if metres == 200 else DIGITS[metres // 100]}百米"
                return (f"{metres}米", *((hundreds,) if metres % 100 == 0 else ()))
            spelt_zh = "两" if kilometres == 2 else chinese_numeral(kilometres)
            if rest:
                halves = (f"{spelt_zh}公里半",) if rest == 500 else ()
                return (f"{metres}米", f"{_kilometres_text(metres)}公里", *halves)
            return (f"{metres}米", f"{kilometres}公里", f"{spelt_zh}公里")
        case "de":
            if kilometres == 0:
                return (f"{metres} Meter", f"{metres} m")
            if rest:
                return (f"{metres} Meter", f"{_kilometres_text(metres).replace('.', ',')} Kilometer")
            spelt = (
                (f"{GERMAN[kilometres]}{'en' if kilometres == 1 else ''} Kilometer",)
                if kilometres < len(GERMAN)
                else ()
            )
            return (f"{metres} Meter", f"{kilometres} Kilometer", *spelt)
        case "ja":
            if kilometres == 0:
                return (f"{metres}メートル", f"{metres}m")
            number = _kilometres_text(metres) if rest else str(kilometres)
            return (f"{metres}メートル", f"{number}キロ", f"{number}km")
        case _:
            assert_never(language)


def _kilometres_text(metres: int) -> str:
    return f"{metres // 1000}.{metres % 1000:03}".rstrip("0")


def count_wordings(language: Language, count: int, measure: str = "") -> tuple[str, ...]:
    """Return the wordings of a number of places. Chinese and Japanese wordings include a counter word.

    Args:
        language: language of the wording.
        count: number of places.
        measure: the counter word; empty for the language's general counter word.
    """
    match language:
        case "en":
            return (str(count), *((NUMBERS[count],) if count < len(NUMBERS) else ()))
        case "zh":
            counts = measure or "个"
            return (f"{count}{counts}", f"{'两' if count == 2 else chinese_numeral(count)}{counts}")
        case "de":
            return (str(count), *((GERMAN[count],) if 1 < count < len(GERMAN) else ()))
        case "ja":
            return (f"{count}{measure or 'か所'}",)
        case _:
            assert_never(language)


def day_wordings(words: Mapping[str, Any], days: Sequence[str], today: str) -> tuple[str, ...]:
    """Return the wordings of a day from today on, or of several consecutive days.

    Args:
        words: words for days, from a file `wording.*.yaml`.
        days: days as ISO 8601.
        today: today as ISO 8601.

    Raises:
        ValueError: the days are past, or not consecutive.
    """
    begin, named = date.fromisoformat(today), [date.fromisoformat(day) for day in days]
    first, last = named[0], named[-1]
    if first < begin or named != [first + timedelta(n) for n in range(len(named))]:
        raise ValueError(f"the days {', '.join(days)} are past, or not one after the other")
    ahead = (first - begin).days
    if len(named) == 1:
        if ahead == 0:
            return tuple(words["today"])
        return (
            *words["one"][ahead : ahead + 1],
            *_weekday_wordings(words, first, begin),
            *_date_wordings(words["date"], words, first),
        )
    spans = [pattern.format(*(_weekday_name(words, day, begin) for day in (first, last))) for pattern in words["span"]]
    if len(named) == 2 and first.weekday() == 5 and ahead <= 5:
        spans += words["weekend"]
    if ahead != 1:
        return tuple(spans)
    if len(named) == 2:
        return (*words["two"], *spans)
    return tuple(pattern.format(_weekday_name(words, last, begin)) for pattern in words["from_tomorrow"])


def _weekday_wordings(words: Mapping[str, Any], day: date, begin: date) -> tuple[str, ...]:
    """Return wordings with the day of the week, such as `next Tuesday`. They distinguish this week from the next.

    Return an empty tuple if the day is more than six days ahead.
    """
    if (day - begin).days > 6:
        return ()
    patterns = words["weekday" if _same_week(day, begin) else "next_weekday"]
    return tuple(pattern.format(words["weekdays"][day.weekday()]) for pattern in patterns)


def _weekday_name(words: Mapping[str, Any], day: date, begin: date) -> str:
    pattern = words["weekday_name" if _same_week(day, begin) else "next_weekday_name"]
    return str(pattern.format(words["weekdays"][day.weekday()]))


def _same_week(day: date, begin: date) -> bool:
    return day.isocalendar()[:2] == begin.isocalendar()[:2]


def _date_wordings(patterns: Sequence[str], words: Mapping[str, Any], day: date) -> tuple[str, ...]:
    month = words["months"][day.month - 1] if "months" in words else str(day.month)
    ends = {1: "st", 2: "nd", 3: "rd"}
    end = "th" if 10 < day.day < 14 else ends.get(day.day % 10, "th")
    return tuple(pattern.format(month=month, day=day.day, end=end) for pattern in patterns)
