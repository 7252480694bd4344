"""Times of day in MobilityBench answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planspec.dsl.model.values import InvalidValueError
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.mobilitybench.format.cells import ABOUT, text_of
from planspec.families.mobilitybench.format.words import number_of_word, to_arabic_digits

_NEXT_DAY = re.compile(
    r"^(?:次日|第2天|明天|明日|翌日|am nächsten tag(?: um)?)[\s,の]*|[\s,(]*(?:am nächsten tag|next day|the next day|\+\s*1(?:\s*days?|d)?)\s*\)?$"
)
_SAME_DAY = re.compile(r"^(?:当日|当天|今天|今日|本日|heute(?: um)?)[\s,の]*|[\s,(]*(?:same day|today|heute)\s*\)?$")
_PART = r"(?P<part>凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|夜里|晚|午前|朝|正午|午後|夕方|夜)?\s*"
_CLOCK = re.compile(rf"{_PART}(?P<h>\d{{1,2}}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?\s*(?P<half>[ap]m)?")
_SPOKEN = re.compile(rf"{_PART}(?P<h>\d{{1,2}})[点时時](?:钟|整|(?P<thirty>半)|(?P<m>[0-5]?\d)分?)?")
_HOUR = re.compile(r"(?P<h>\d{1,2})\s*(?P<half>[ap]m)")
_GERMAN = re.compile(
    r"(?:um )?(?P<h>\d{1,2})(?:[:.](?P<m>[0-5]\d))? uhr(?: (?P<more>[0-5]?\d))?"
    r"(?: (?P<part>morgens|vormittags|mittags|nachmittags|abends|nachts))?"
)
_QUARTERS = re.compile(
    r"(?:um )?(?P<before>halb|viertel vor|viertel nach) (?P<h>\d{1,2})"
    r"(?: (?P<part>morgens|vormittags|mittags|nachmittags|abends|nachts))?"
)
_BEFORE = {"halb": -30, "viertel vor": -15, "viertel nach": 15}
_MORNING = frozenset({"凌晨", "清晨", "早晨", "早上", "上午", "午前", "朝", "morgens", "vormittags"})
_NOON = frozenset({"中午", "正午", "mittags"})
_AFTERNOON = frozenset({"下午", "午后", "傍晚", "午後", "夕方", "nachmittags"})


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of day.

    Attributes:
        minutes: minutes after midnight.
        day: 0 for the day of the journey and 1 for the next; None if unspecified.
        seconds: seconds beyond the minutes.
    """

    minutes: int
    day: int | None = None
    seconds: int = 0


def read_clock(value: object) -> TimeOfDay:
    """Read a time of day in English, Chinese, German or Japanese.

    `24:10`, the tools' notation for 0:10 on the next day, is also accepted.

    Raises:
        InvalidValueError: the value is not a time.
    """
    word = ABOUT.sub("", text_of(value)).replace("a.m.", "am").replace("p.m.", "pm")
    word = to_arabic_digits(word.replace("一刻", "15分").replace("三刻", "45分"))
    day: int | None = None
    for number, pattern in ((1, _NEXT_DAY), (0, _SAME_DAY)):
        bare = pattern.sub("", word, count=1)
        if bare != word:
            day, word = number, bare
            break
    german = _german_minutes(word)
    if german is not None:
        return TimeOfDay(german, day)
    match = _CLOCK.fullmatch(word) or _SPOKEN.fullmatch(word) or _HOUR.fullmatch(word)
    if match is None:
        raise InvalidValueError("it is not a time such as 08:10")
    parts = match.groupdict()
    minute = 30 if parts.get("thirty") else int(parts.get("m") or 0)
    hour = _hour_of_day(int(parts["h"]), parts.get("part"), parts.get("half"))
    if hour >= 24:
        if day == 1:
            raise InvalidValueError("it is not a time of a day")
        day = 1
    return TimeOfDay(hour % 24 * 60 + minute, day, int(parts.get("s") or 0))


def _german_minutes(word: str) -> int | None:
    """Return the minutes after midnight of a time in spoken German; None if the string is not such a time.

    Raises:
        InvalidValueError: the hour does not exist.
    """
    word = re.sub(r"[a-zäöüß]+", lambda match: str(number_of_word(match[0]) or match[0]), word)
    match = _QUARTERS.fullmatch(word)
    if match is not None:
        minutes = _hour_of_day(int(match["h"]), None, None) * 60 + _BEFORE[match["before"]]
        return (_hour_of_day(minutes // 60, match["part"], None) * 60 + minutes % 60) % MINUTES_A_DAY
    match = _GERMAN.fullmatch(word)
    if match is None or (match["m"] and match["more"]):
        return None
    hour = _hour_of_day(int(match["h"]), match["part"], None)
    if hour > 24:
        raise InvalidValueError("a day has no such hour")
    return (hour * 60 + int(match["m"] or match["more"] or 0)) % MINUTES_A_DAY


def _hour_of_day(hour: int, part: str | None, half: str | None) -> int:
    """Return the hour in 24-hour notation. An hour from 24 on is on the next day.

    Args:
        hour: the number in the text.
        part: word for the part of the day, such as `下午` (afternoon); None if there is none.
        half: `am` or `pm`; None if there is neither.

    Raises:
        InvalidValueError: the hour does not exist.
    """
    if half is not None:
        if part is not None or not 1 <= hour <= 12:
            raise InvalidValueError("it is not a time such as 8:10 am")
        return hour % 12 + 12 * (half == "pm")
    if hour > 47 or (part is not None and hour > 24):
        raise InvalidValueError("a day has no such hour")
    if part is None or hour > 12:
        if part in _MORNING and hour > 12:
            raise InvalidValueError("a morning has no such hour")
        return hour
    if part in _MORNING:
        return 0 if part in ("凌晨", "午前") and hour == 12 else hour
    if part in _NOON:
        return hour + 12 * (hour < 4)
    if part in _AFTERNOON:
        return hour + 12 * (hour < 12)
    return hour + 12 * (hour >= 5)  # "night" means evening from 5 on, and after midnight for smaller hours
