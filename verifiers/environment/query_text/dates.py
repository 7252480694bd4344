"""Recognition of dates and weekdays in English, German, Chinese and Japanese text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from planspec.verifiers.environment.query_text.marked_text import PRIVATE, MarkedText, N
from planspec.verifiers.environment.query_text.mention import Mention, Reading

MONTHS = (
    "january|januar|jan", "february|februar|feb", "march|märz|mar|mär", "april|apr", "may|mai", "june|juni|jun",
    "july|juli|jul", "august|aug", "september|sept|sep", "october|oktober|oct|okt", "november|nov",
    "december|dezember|dec|dez",
)  # fmt: skip
MONTH_NUMBERS = {word: number for number, words in enumerate(MONTHS, 1) for word in words.split("|")}
MONTH = r"(?P<month>" + "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True)) + rf")\b(?:\.(?=[ ,]*{N}))?"
WEEKDAYS = (
    "mondays?|montags?", "tuesdays?|dienstags?", "wednesdays?|mittwochs?", "thursdays?|donnerstags?",
    "fridays?|freitags?", "saturdays?|samstags?|sonnabends?", "sundays?|sonntags?",
)  # fmt: skip
WEEKDAY = re.compile("|".join(rf"\b(?P<d{number}>{words})\b" for number, words in enumerate(WEEKDAYS)))
HAN_WEEKDAY = re.compile(r"(?:周|週|星期|礼拜)(?P<day>[一二三四五六日天])|(?P<kanji>[月火水木金土日])曜日?")
HAN_DAYS = {**{day: n for n, day in enumerate("一二三四五六日")}, "天": 6}
KANJI_DAYS = {day: n for n, day in enumerate("月火水木金土日")}
RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|day after|next day|next week|this week|(?:first|second|third|fourth|last) (?:day|night|evening|morning)"
    r"|heute|morgen|übermorgen|nächste[nrs]? (?:tag|woche))\b|今天|明天|后天|後天|大后天|今日|明日|明後日|现在|今"
)
"""Words that state a date relative to another one, such as `tomorrow`."""
NUMERIC = (
    re.compile(r"(?<![\d.-])(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?![\d-])"),
    re.compile(r"(?<![\d.])(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.(?: ?(?P<year>\d{4}|\d{2})(?!\d))?(?!\d)"),
    re.compile(r"(?<![\d/])(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4}|\d{2})(?![\d/])"),
    re.compile(r"(?:(?P<year>\d{4}) ?年 ?)?(?P<month>\d{1,2}) ?月 ?(?P<day>\d{1,2}) ?[日号號]?"),
)
YEAR = rf"(?:,? ?(?:in )?(?P<year>{N}))?"
SEVERAL = rf"(?P<others>(?:{N}\.?(?:, | and | to | or | und | bis | - | – |-|–|/))*)"
"""Pattern of further days before the last one, such as `3 to ` in `3 to 5 May`."""
DAY_FIRST = re.compile(rf"{SEVERAL}(?P<day>{N})\.? ?(?:of )?{MONTH}{YEAR}")
MONTH_FIRST = re.compile(
    rf"\b{MONTH} (?:the )?(?P<day>{N})(?P<more>(?:(?:, | and | to | through | until | or | und | bis | - | – |-|–)(?:the )?{N}(?!\w))*){YEAR}"
)
YEARS, DAYS = range(1900, 2200), range(1, 32)


def numeric_dates(text: str) -> Iterator[Mention]:
    """Yield the dates in digits, such as `2026-05-03`, in a text."""
    for pattern in NUMERIC:
        for match in pattern.finditer(text):
            parts = match.groupdict()
            year = int(parts["year"]) if parts["year"] else None
            year = year + 2000 if year is not None and year < 100 else year
            month, day = int(parts["month"]), int(parts["day"])
            readings = set(_readings([month], [day], year))
            if "/" in match[0] and year is not None and not match[0].startswith(parts["year"]):
                readings |= set(_readings([day], [month], year))
            if readings:
                yield Mention(*match.span(), frozenset(readings))


def worded_dates(marked: MarkedText) -> Iterator[Mention]:
    """Yield the dates with a month's name, such as `3 May`, and the names of weekdays."""
    for match in DAY_FIRST.finditer(marked.text):
        yield from _dates(marked, match, "others")
    for match in MONTH_FIRST.finditer(marked.text):
        yield from _dates(marked, match, "more")
    for match in WEEKDAY.finditer(marked.text):
        yield _weekday(marked, match, int(str(match.lastgroup)[1:]))


def han_weekdays(text: str) -> Iterator[Mention]:
    """Yield the weekdays in a Chinese or Japanese text."""
    for match in HAN_WEEKDAY.finditer(text):
        number = HAN_DAYS[match["day"]] if match["day"] else KANJI_DAYS[match["kanji"]]
        yield Mention(*match.span(), frozenset([Reading("weekday", Fraction(number))]), is_definite=True)


def has_relative_day(text: str) -> bool:
    """Return whether a text in lower case names a day relative to another one, such as `tomorrow`."""
    return RELATIVE.search(text) is not None


def _dates(marked: MarkedText, match: re.Match[str], further: str) -> Iterator[Mention]:
    """Yield the dates in an expression with one month, such as `3 to 5 May`.

    Args:
        marked: the text.
        match: match of the expression.
        further: name of the group of `match` with the days other than the one beside the month.
    """
    month = MONTH_NUMBERS[match["month"]]
    places = [match.start(further) + i for i, c in enumerate(match[further]) if PRIVATE.match(c)]
    values = {place: marked.numeral(marked.text[place]).values for place in (*places, match.start("day"))}
    year = None if match["year"] is None else _whole(marked.numeral(match["year"]).values, YEARS)
    for options in values.values():
        year = year or _whole(options, YEARS)
    days = {place: day for place, options in values.items() if (day := _whole(options, DAYS)) is not None}
    if further == "others":  # in `5, 80 and 3 May`, 80 is no day, so 5 is none either
        last = max((place for place in values if place not in days), default=-1)
        days = {place: day for place, day in days.items() if place > last}
    for place, day in days.items():
        whole = match.span() if len(values) == 1 else (place, place + 1)
        yield Mention(*marked.span(*whole), frozenset([Reading("date", Fraction(100 * month + day), year)]))
    if year is not None and len(values) > 1:
        yield from _years(marked, match)


def _years(marked: MarkedText, match: re.Match[str]) -> Iterator[Mention]:
    """Yield the years in a date as mentions, so that they do not count as numbers."""
    for place in range(*match.span()):
        if PRIVATE.match(marked.text[place]) and _whole(marked.numeral(marked.text[place]).values, YEARS):
            yield Mention(*marked.span(place, place + 1), frozenset(), is_definite=False)


def _whole(values: Iterable[Fraction], within: range) -> int | None:
    """Return the first of the values that is a whole number in the range `within`; None if there is none."""
    return next((int(value) for value in values if value in within), None)


def _readings(months: Iterable[int], days: Iterable[int], year: int | None) -> Iterator[Reading]:
    for month in months:
        for day in days:
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield Reading("date", Fraction(100 * month + day), year)


def _weekday(marked: MarkedText, match: re.Match[str], number: int) -> Mention:
    return Mention(*marked.span(*match.span()), frozenset([Reading("weekday", Fraction(number))]))
