"""Times of the day as MobilityBench answers tell them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from planspec.dsl.model.values import BadValue
from planspec.families.mobilitybench.format.cells import ABOUT, text_of
from planspec.families.mobilitybench.format.words import arabic

_NEXT_DAY = re.compile(
    r"^(?:次日|第2天|明天|明日)\s*|[\s,(]*(?:next day|the next day|\+\s*1(?:\s*days?|d)?)\s*\)?$"
)
_SAME_DAY = re.compile(r"^(?:当日|当天|今天|今日)\s*|[\s,(]*(?:same day|today)\s*\)?$")
_PART = r"(?P<part>凌晨|清晨|早晨|早上|上午|中午|下午|午后|傍晚|晚上|夜里|晚)?\s*"
_CLOCK = re.compile(rf"{_PART}(?P<h>\d{{1,2}}):(?P<m>[0-5]\d)(?::(?P<s>[0-5]\d))?\s*(?P<half>[ap]m)?")
_SPOKEN = re.compile(rf"{_PART}(?P<h>\d{{1,2}})[点时](?:钟|整|(?P<thirty>半)|(?P<m>[0-5]?\d)分?)?")
_HOUR = re.compile(r"(?P<h>\d{1,2})\s*(?P<half>[ap]m)")
_MORNING = frozenset({"凌晨", "清晨", "早晨", "早上", "上午"})


@dataclass(frozen=True, slots=True)
class TimeOfDay:
    """A time of the day.

    Attributes:
        minutes: after midnight.
        day: 0 for the day of the journey and 1 for the next; None if the text does not say.
        seconds: beyond the minutes.
    """

    minutes: int
    day: int | None = None
    seconds: int = 0


def read_clock(said: object) -> TimeOfDay:
    """A time of the day as people write it in English and Chinese; the tools' own `24:10` is past midnight.

    Raises:
        BadValue: it is none.
    """
    word = ABOUT.sub("", text_of(said)).replace("a.m.", "am").replace("p.m.", "pm")
    word = arabic(word.replace("一刻", "15分").replace("三刻", "45分"))
    day: int | None = None
    for number, pattern in ((1, _NEXT_DAY), (0, _SAME_DAY)):
        bare = pattern.sub("", word, count=1)
        if bare != word:
            day, word = number, bare
            break
    found = _CLOCK.fullmatch(word) or _SPOKEN.fullmatch(word) or _HOUR.fullmatch(word)
    if found is None:
        raise BadValue("it is no time such as 08:10")
    told = found.groupdict()
    minute = 30 if told.get("thirty") else int(told.get("m") or 0)
    hour = _hour(int(told["h"]), told.get("part"), told.get("half"))
    if hour >= 24:
        if day == 1:
            raise BadValue("it is no time of a day")
        day = 1
    return TimeOfDay(hour % 24 * 60 + minute, day, int(told.get("s") or 0))


def _hour(hour: int, part: str | None, half: str | None) -> int:
    """The hour of the day, past 24 on the next one."""
    if half is not None:
        if part is not None or not 1 <= hour <= 12:
            raise BadValue("it is no time such as 8:10 am")
        return hour % 12 + 12 * (half == "pm")
    if hour > 47 or (part is not None and hour > 24):
        raise BadValue("a day has no such hour")
    if part is None or hour > 12:
        if part in _MORNING and hour > 12:
            raise BadValue("a morning has no such hour")
        return hour
    if part in _MORNING:
        return 0 if part == "凌晨" and hour == 12 else hour
    if part == "中午":
        return hour + 12 * (hour < 4)
    if part in ("下午", "午后", "傍晚"):
        return hour + 12 * (hour < 12)
    return hour + 12 * (hour >= 5)  # in the evening, or after midnight
