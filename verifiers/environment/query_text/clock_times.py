"""Recognition of times of day in English, German, Chinese and Japanese text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from planspec.verifiers.environment.query_text.marked_text import MarkedText, N
from planspec.verifiers.environment.query_text.mention import Mention, Reading

DAY = 24 * 60
HALF = r" ?(?P<half>[ap])\.? ?m\b\.?"
MORNING = "上午|早上|早晨|凌晨|清晨|午前|朝"
AFTERNOON = "下午|晚上|傍晚|中午|午後|夜|夕方"
PART = (
    r"(?: ?uhr)? ?(?:(?P<morning>in the morning|am morgen|morgens|früh|vormittags)"
    r"|(?P<later>in the afternoon|in the evening|at night|nachmittags|am nachmittag|abends|am abend|nachts|mittags))?"
)
DIGITAL = re.compile(
    rf"(?:(?:(?P<morning>{MORNING})|(?P<later>{AFTERNOON})) ?)?(?<![\d.:])(?P<hour>\d{{1,2}})(?::|h)(?P<minute>\d{{2}})(?![\d:])"
    rf"(?:{HALF})?(?: ?uhr)?"
)
"""Pattern of times in digits: `14:30`, `2:30 pm`, `14h30`."""
HANDS = (
    (re.compile(rf"half past (?P<hour>{N}){PART}"), 30, 0),
    (re.compile(rf"(?:a )?quarter past (?P<hour>{N}){PART}"), 15, 0),
    (re.compile(rf"(?:a )?quarter (?:to|before) (?P<hour>{N}){PART}"), 45, -1),
    (re.compile(rf"\bhalb (?P<hour>{N}){PART}"), 30, -1),
    (re.compile(rf"\bviertel nach (?P<hour>{N}){PART}"), 15, 0),
    (re.compile(rf"\b(?:viertel vor|dreiviertel) (?P<hour>{N}){PART}"), 45, -1),
)
"""Patterns of times at a half or a quarter of an hour, each with the minute, and -1 if it names the next hour."""
MINUTES = (
    (re.compile(rf"(?P<minute>{N}) (?:minutes? )?past (?P<hour>{N}){PART}"), 1),
    (re.compile(rf"(?P<minute>{N}) minutes? (?:to|before) (?P<hour>{N}){PART}"), -1),
    (re.compile(rf"(?P<minute>{N}) (?:minuten )?nach (?P<hour>{N}) uhr{PART}"), 1),
    (re.compile(rf"(?P<minute>{N}) (?:minuten )?vor (?P<hour>{N}) uhr{PART}"), -1),
)
"""Patterns of times with minutes after (1) or before (-1) an hour, such as `ten past nine`."""
HOURS = (
    re.compile(rf"(?P<hour>{N})(?:[.:](?P<minute>{N}))?{HALF}"),
    re.compile(rf"(?P<hour>{N}) ?uhr(?: (?P<minute>{N})(?! ?(?:personen|leute|euro)))?{PART}"),
    re.compile(rf"(?P<hour>{N}) o'? ?clock{PART}"),
    re.compile(rf"(?P<hour>{N}) (?P<morning>in the morning|am morgen|morgens|vormittags)"),
    re.compile(rf"(?P<hour>{N}) (?P<later>in the afternoon|in the evening|at night|nachmittags|abends)"),
)
"""Patterns of an hour with `am`, `uhr`, `o'clock` or a part of the day, such as `nine in the morning`."""
HAN = re.compile(
    rf"(?:(?:(?P<morning>{MORNING})|(?P<later>{AFTERNOON})) ?)?(?P<hour>{N}) ?(?:点钟?|點鐘?|时(?!间)|時(?!間))"
    rf"(?:(?P<half>半)|(?P<quarter>{N})刻|(?P<minute>{N})分?(?!钟))?"
)
"""Pattern of times in Chinese and Japanese, such as `下午三点半`."""
LOOSE = re.compile(
    rf"\b(?:at|by|before|after|until|till|from|since|and|um|bis|ab|vor|nach|gegen)(?P<range> (?P<other>{N}) (?:to|until|till|bis))? (?P<hour>{N})"
)
"""Pattern of numbers that may be a time because of the words around them: `by nine`, `from 9 to 5`."""
NAMED = (
    (re.compile(r"\b(?:noon|midday|mittag|zwölf uhr mittags)\b|正午"), (720,)),
    (re.compile(r"\b(?:midnight|mitternacht)\b|半夜|零点|午夜"), (0, DAY)),
)
"""Patterns of the names of noon and midnight, each with its times in minutes."""
BOUND = re.compile(r"\b(?:by|before|until|till|after|from|since|bis|vor|ab|nach) $")
"""Pattern of words after which `noon` means 12:00 and not a part of the day."""
DOTTED = re.compile(r"(\d{1,2})\.(\d{2})")
"""Pattern of a time with a full stop, such as `9.30`, which is read as one number."""


def digital_times(text: str) -> Iterator[Mention]:
    """Yield the times in digits, such as `14:30`, in a text in lower case."""
    for match in DIGITAL.finditer(text):
        parts = match.groupdict()
        hour, minute = int(parts["hour"]), int(parts["minute"])
        if hour > 47 or minute > 59:
            continue
        clock = _times_of_day(hour, minute, _half_of_day(parts), exact=True)
        readings = {Reading("time", Fraction(time)) for time in clock}
        if parts["half"] is None:
            readings.add(Reading("duration", Fraction(60 * hour + minute)))
        yield Mention(*match.span(), frozenset(readings))


def worded_times(marked: MarkedText, text: str) -> Iterator[Mention]:
    """Yield the times in words, such as `half past two`.

    A number that may also be something else, such as `nine` in `by nine`, is a mention with `is_definite` False.

    Args:
        marked: the text with a placeholder character in place of each number.
        text: the text itself.
    """
    for pattern, minute, shift in HANDS:
        for match in pattern.finditer(marked.text):
            for hour in _whole_values(marked, match["hour"], 24):
                yield _mention(marked, match, _possible_times(hour + shift, minute, match.groupdict()))
    for pattern, sign in MINUTES:
        for match in pattern.finditer(marked.text):
            for hour in _whole_values(marked, match["hour"], 24):
                for minute in _whole_values(marked, match["minute"], 59):
                    times = (60 * hour + sign * minute + 720 * half for half in range(2))
                    yield _mention(marked, match, (time % DAY for time in times))
    yield from _full_hours(marked, text)
    for pattern, named in NAMED:
        for match in pattern.finditer(marked.text):
            yield _mention(
                marked,
                match,
                named,
                is_definite=BOUND.search(marked.text, max(0, match.start() - 8), match.start()) is not None,
            )
    for match in LOOSE.finditer(marked.text):
        for group in ("other", "hour"):
            bare = None if match[group] is None else _bare_hour(marked, match.span(group))
            if bare is not None:
                yield bare


def _full_hours(marked: MarkedText, text: str) -> Iterator[Mention]:
    for pattern in (*HOURS, HAN):
        for match in pattern.finditer(marked.text):
            parts = match.groupdict()
            dotted = DOTTED.fullmatch(text, *_numeral_span(marked, parts["hour"]))
            hours = [int(dotted[1])] if dotted is not None else list(_whole_values(marked, parts["hour"], 24))
            if dotted is not None:
                minutes = [int(dotted[2])]
            elif parts.get("quarter") is not None:
                minutes = [15 * quarter for quarter in _whole_values(marked, parts["quarter"], 3)]
            elif pattern is HAN and parts["half"] is not None:
                minutes = [30]
            else:
                minutes = [0] if parts.get("minute") is None else list(_whole_values(marked, parts["minute"], 59))
            half = None if pattern is HAN and not (parts["morning"] or parts["later"]) else _half_of_day(parts)
            times = {t for h in hours for m in minutes for t in _times_of_day(h, m, half, exact=False)}
            if times:
                yield _mention(marked, match, times)


def _bare_hour(marked: MarkedText, span: tuple[int, int]) -> Mention | None:
    numeral = marked.numeral(marked.text[span[0]])
    hours = (int(value) for value in numeral.values if value.denominator == 1 and value <= 24)
    times = frozenset(Reading("time", Fraction(t)) for hour in hours for t in _times_of_day(hour, 0, None, exact=False))
    return Mention(*marked.span(*span), times, is_definite=False) if times else None


def _numeral_span(marked: MarkedText, character: str) -> tuple[int, int]:
    numeral = marked.numeral(character)
    return numeral.start, numeral.end


def _whole_values(marked: MarkedText, character: str, most: int) -> Iterator[int]:
    """Yield the values of a numeral that are whole numbers from 0 to `most`. A numeral such as `1.140` has several.

    `character` is the placeholder of the numeral in the marked text.
    """
    for value in marked.numeral(character).values:
        if value.denominator == 1 and 0 <= value <= most:
            yield int(value)


def _half_of_day(parts: dict[str, str | None]) -> str | None:
    """Return `a` if the words in a match's groups mean before noon, `p` for after noon; None if they do not say."""
    if parts.get("morning"):
        return "a"
    if parts.get("later"):
        return "p"
    half = parts.get("half")
    return half if half in ("a", "p") else None


def _times_of_day(hour: int, minute: int, half: str | None, *, exact: bool) -> Iterable[int]:
    """Return the possible times, in minutes from midnight: 150 and 870 for `2:30` without `am` or `pm`.

    Args:
        hour: from 0 to 24.
        minute: from 0 to 59.
        half: `a` for before noon, `p` for after noon; None if the text does not say.
        exact: whether 12 with `half` None is always noon. Otherwise it may also be midnight.
    """
    time = 60 * hour + minute
    if half == "a":
        return (time % 720 if hour == 12 else time,)
    if half == "p":
        return (time + 720,) if hour < 12 else (time,)
    if 0 < hour < 12:
        return (time, time + 720)
    return (time,) if exact or hour != 12 else (time, minute)


def _possible_times(hour: int, minute: int, parts: dict[str, str | None]) -> Iterable[int]:
    return [time % DAY for time in _times_of_day(hour % 24, minute, _half_of_day(parts), exact=False)]


def _mention(marked: MarkedText, match: re.Match[str], times: Iterable[int], *, is_definite: bool = True) -> Mention:
    readings = frozenset(Reading("time", Fraction(time)) for time in times)
    return Mention(*marked.span(*match.span()), readings, is_definite)
