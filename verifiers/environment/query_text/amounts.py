"""Recognition of durations, distances, money and percentages in English, German, Chinese and Japanese text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.environment.query_text.marked_text import MarkedText, N
from planspec.verifiers.environment.query_text.mention import Measure, Mention, Reading

MINUTE = r"(?:minutes?|mins?|minuten?)\b|分钟|分鐘|分間|分(?![店之享行公])"
HOUR = r"(?:hours?|hrs?|h|stunden?|std)\b|个?小时|個?小時|时间|時間|个?钟头"
DAY = r"(?:days?|tagen?|tage)\b|天|日間"
NIGHT = r"(?:nights?|nächten?|nächte)\b|晚|泊"
WEEK = r"(?:weeks?|wochen?)\b|(?:个|個)?(?:星期|礼拜)|周(?![一二三四五六日天末边])|週間"
JOIN = r"(?: ?(?:to|or|and|bis|oder|und|-|–|~|至|到|から) ?)"
ADD = r" ?(?:and|und|又|零)? ?"
UNITS = (
    ("duration", rf"(?:{MINUTE})", Fraction(1)),
    ("duration", rf"(?:{HOUR})", Fraction(60)),
    ("duration", rf"(?:{DAY})", Fraction(MINUTES_A_DAY)),
    ("nights", rf"(?:{NIGHT})", Fraction(MINUTES_A_DAY)),
    ("duration", rf"(?:{WEEK})", Fraction(7 * MINUTES_A_DAY)),
    ("distance", r"(?:km|kilomet(?:er|re)s?n?|ks)\b|公里|千米|キロ(?:メートル)?", Fraction(1000)),
    ("distance", r"(?:m|met(?:er|re)s?n?)\b|米(?!其林)|メートル", Fraction(1)),
)
"""For each unit: what it measures, a pattern of its names, and its size in minutes or metres."""
SINGLE = tuple(
    (measure, factor, re.compile(rf"(?:(?P<first>{N}){JOIN})?(?P<count>{N})[ -]?(?:{unit})"))
    for measure, unit, factor in UNITS
)
"""For each unit: what it measures, its size, and the pattern of an amount or a range, such as `2 to 3 hours`."""
FRACTIONS = (
    ("(?:half an?|an? half|halben?r?)", Fraction(1, 2)),
    ("(?:a )?quarter of an?", Fraction(1, 4)),
    ("three quarters of an?", Fraction(3, 4)),
)
"""Patterns of words for a fraction of a kilometre or metre, such as `half a`, each with the fraction."""
PARTS = tuple(
    (part, factor, re.compile(rf"\b{words} (?:{unit})"))
    for measure, unit, factor in UNITS
    if measure == "distance"
    for words, part in FRACTIONS
)
"""For each fraction and unit of distance: fraction, size of the unit, and pattern, as of `half a kilometre`."""
COMPOUND = re.compile(
    rf"(?P<hours>{N})[ -]?(?:{HOUR}){ADD}"
    rf"(?:(?P<minutes>{N})[ -]?(?:{MINUTE})|(?P<half>a half|半)|(?P<quarter>a quarter))|(?P<h>{N}) ?h ?(?P<min>{N})(?!\w)"
)
"""Pattern of hours with minutes, such as `1 hour 30 minutes` or `1h30`."""
HALVES = re.compile(
    rf"(?:(?P<count>{N})|\b(?P<one>an?|one)) (?:and a (?P<half>half)|and a (?P<quarter>quarter)) hours?\b"
    rf"|\b(?P<an>an|one) hour and a (?:(?P<half2>half)|(?P<quarter2>quarter))\b"
    rf"|(?P<han>{N})(?:个|個)半(?:小时|小時|钟头)"
)
"""Pattern of hours and a half or a quarter, such as `two and a half hours`."""
FIXED = (
    (re.compile(r"\bthree quarters of an hour\b|\bdreiviertelstunde\b|三刻钟"), 45),
    (re.compile(r"\b(?:a )?quarter of an hour\b|\bquarter[ -]hour\b|\bviertelstunde\b|一刻钟"), 15),
    (re.compile(r"\bhalf an hour\b|\bhalf[ -]hour\b|\bhalbe stunde\b|\bhalben stunde\b|半个?小时|半時間|半小時"), 30),
    (re.compile(r"\b(?:anderthalb|eineinhalb) stunden\b"), 90),
)
"""Patterns of words for a duration, such as `half an hour`, each with its minutes."""
LOOSE = (
    (re.compile(r"\ban hour\b|\bper hour\b|\beine(?:r|n)? stunde\b|\bone full hour\b"), 60),
    (re.compile(r"\ba day\b|\bone night\b"), MINUTES_A_DAY),
    (re.compile(r"\bfortnight\b"), 14 * MINUTES_A_DAY),
)
"""Patterns of words that may state a duration, such as `a day`, each with its minutes."""
SYMBOLS = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "欧元": "EUR", "ユーロ": "EUR",
    "$": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "美元": "USD", "ドル": "USD",
    "£": "GBP", "pound": "GBP", "pounds": "GBP", "pfund": "GBP", "英镑": "GBP", "quid": "GBP",
    "¥": "CNY JPY", "元": "CNY", "块": "CNY", "块钱": "CNY", "人民币": "CNY", "yuan": "CNY", "rmb": "CNY",
    "円": "JPY", "日元": "JPY", "yen": "JPY", "francs": "CHF", "franc": "CHF", "franken": "CHF", "fr.": "CHF",
}  # fmt: skip
"""Currency codes by sign or word. Several codes are separated by blanks."""
CODE = r"(?:eur|usd|gbp|cny|jpy|chf|sek|nok|dkk|pln|czk|huf|cad|aud|nzd|inr|krw|sgd|hkd|try|brl|mxn|zar|thb)\b"
SIGN = r"[€$£¥]"
WORDED = "|".join(
    sorted(
        (f"{re.escape(w)}\\b" if w.isascii() and w.isalpha() else re.escape(w) for w in SYMBOLS), key=len, reverse=True
    )
)
MONEY = (
    re.compile(rf"(?P<unit>{SIGN}|{CODE}) ?(?P<count>{N})(?P<thousands>k\b)?"),
    re.compile(
        rf"(?:(?P<first>{N}){JOIN})?(?P<count>{N})(?P<thousands>k)?(?:,[-–])?[ -]?(?P<unit>{WORDED}|{CODE})"
        rf"(?: (?:and )?(?P<cents>{N}) ?(?:cents?|ct)\b)?"
    ),
)
"""Patterns of amounts of money: with the currency first, as in `€5`, or last, as in `5 euros 20`."""
CENTS = re.compile(rf"(?P<count>{N}) ?(?:cents?|ct|pence)\b")
SHARE = re.compile(rf"(?P<count>{N}) ?(?:%|percent\b|per cent\b|prozent\b)|百分之(?P<han>{N})")
"""Pattern of a percentage."""


def amounts(marked: MarkedText) -> Iterator[Mention]:
    """Yield the amounts with a unit in a text. Some overlap, such as `1 hour` within `1 hour 30 minutes`."""
    yield from _hours_and_minutes(marked)
    for pattern, minutes in FIXED:
        for match in pattern.finditer(marked.text):
            yield _mention(marked, match.span(), "duration", [Fraction(minutes)])
    for part, factor, pattern in PARTS:
        for match in pattern.finditer(marked.text):
            readings = frozenset({Reading("distance", part * factor), Reading("number", part)})
            yield Mention(*marked.span(*match.span()), readings)
    yield from _money(marked)
    for measure, factor, pattern in SINGLE:
        for match in pattern.finditer(marked.text):
            if match["first"] is not None:
                yield _scaled(marked, match.span("first"), match["first"], measure, factor)
            yield _scaled(marked, (match.start("count"), match.end()), match["count"], measure, factor)
    for pattern, minutes in LOOSE:
        for match in pattern.finditer(marked.text):
            yield _mention(marked, match.span(), "duration", [Fraction(minutes)], is_definite=False)
    for match in SHARE.finditer(marked.text):
        values = marked.numeral(match["count"] or match["han"]).values
        yield _mention(marked, match.span(), "number", [part for v in values for part in (v, v / 100)])


def _hours_and_minutes(marked: MarkedText) -> Iterator[Mention]:
    for match in HALVES.finditer(marked.text):
        counted = match["count"] or match["han"]
        hours = marked.numeral(counted).values if counted else (Fraction(1),)
        rest = 15 if match["quarter"] or match["quarter2"] else 30
        yield _mention(marked, match.span(), "duration", [60 * hour + rest for hour in hours])
    for match in COMPOUND.finditer(marked.text):
        rests: Iterable[Fraction] = [Fraction(15 if match["quarter"] else 30)]
        if match["minutes"] or match["min"]:
            rests = marked.numeral(match["minutes"] or match["min"]).values
        hours = marked.numeral(match["hours"] or match["h"]).values
        yield _mention(marked, match.span(), "duration", [60 * hour + rest for hour in hours for rest in rests])


def _scaled(marked: MarkedText, span: tuple[int, int], count: str, measure: str, factor: Fraction) -> Mention:
    """Return the mention of an amount: the numeral that the character `count` replaces, times the size of a unit."""
    numeral = marked.numeral(count)
    readings = {Reading("distance" if measure == "distance" else "duration", v * factor) for v in numeral.values}
    if factor >= MINUTES_A_DAY:  # the number may also be compared as a count of days
        days = factor / MINUTES_A_DAY
        readings |= {Reading("number", value * days) for value in numeral.values}
    if measure == "nights":  # a stay of two nights has three days
        readings |= {Reading("duration", (value + 1) * factor) for value in numeral.values}
    return Mention(*marked.span(*span), frozenset(readings), numeral.form in ("digits", "words", "han"))


def _money(marked: MarkedText) -> Iterator[Mention]:
    for pattern in MONEY:
        for match in pattern.finditer(marked.text):
            parts = match.groupdict()
            unit = parts["unit"]
            codes = SYMBOLS.get(unit, unit.upper()).split()
            cents = marked.numeral(parts["cents"]).values[0] / 100 if parts.get("cents") else Fraction(0)
            factor = 1000 if parts["thousands"] else 1
            for group in ("first", "count"):
                if parts.get(group):
                    start = match.start() if group == "first" or not parts.get("first") else match.start("count")
                    end = match.end("first") if group == "first" else match.end()
                    values = [value * factor + cents for value in marked.numeral(parts[group]).values]
                    readings = frozenset(Reading("money", value, code) for value in values for code in codes)
                    yield Mention(*marked.span(start, end), readings)
    for match in CENTS.finditer(marked.text):
        values = [value / 100 for value in marked.numeral(match["count"]).values]
        readings = frozenset(Reading("money", value, code) for value in values for code in ("EUR", "USD", "GBP"))
        yield Mention(*marked.span(*match.span()), readings)


def _mention(
    marked: MarkedText, span: tuple[int, int], measure: Measure, values: Iterable[Fraction], *, is_definite: bool = True
) -> Mention:
    return Mention(*marked.span(*span), frozenset(Reading(measure, value) for value in values), is_definite)
