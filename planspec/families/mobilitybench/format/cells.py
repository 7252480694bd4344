"""Parsers of the values in a MobilityBench answer: amounts with and without units, days and locations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.dsl.model.values import InvalidValueError, minor_amount
from planspec.families.mobilitybench.format.words import (
    TRUTHS,
    level_of,
    normalise_text,
    number_of_word,
    to_arabic_digits,
)
from planspec.verifiers.answers.tables import clipped_text, json_kind

MOST_CHARACTERS = 2_000
"""Maximum number of characters read from a string."""
LONGEST = 120
"""Maximum number of characters of an amount or a time."""
MOST = 10**10
"""Maximum accepted amount, in any unit."""
MOST_BITS = 1_000
"""Maximum number of bits of an integer in a message. Python refuses to print much longer integers."""
ABOUT = re.compile(
    r"^(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|etwa|ungefähr|rund|[~≈]|大约|大概|约为|约|約|およそ|だいたい)\s*|\s*(?:左右|approximately|ほど|くらい|ぐらい)$"
)
"""Pattern of words that mark an amount as approximate."""
_N = r"(\d{1,9}(?:\.\d{1,9})?)"
_AND = r"\s*(?:,|and|und|零|又|と)?\s*"
_DURATION = re.compile(
    rf"(?:{_N}\s*(?:days?|d|tagen?|tag|天|日間?))?{_AND}(?:{_N}\s*(?:hours?|hrs?|h|stunden?|std\.?|个?小时|个?钟头|時間))?{_AND}"
    rf"(?:{_N}\s*(?:minutes?|mins?|min\.|m|minuten|分钟|分間?))?{_AND}(?:{_N}\s*(?:seconds?|secs?|s|sekunden?|sek\.?|秒钟?|秒間))?"
)
_HOUR = r"\s*个?\s*(?:小时|钟头)"
_PARTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"\b(?:an?|one) (hour|minute) and a half", r"1.5 \1s"),
        (r"\b(?:an?|one) and a half (hours|minutes)", r"1.5 \1"),
        (r"(\d{1,4}) and a half (hours|minutes)", r"\1.5 \2"),
        (r"three[- ]quarters(?: of)?(?: an)? hour", "45 min"),
        (r"(?:\ba )?quarter(?: of)?(?: an)? hour", "15 min"),
        (r"(?:\ba )?half(?: an| a)? hour", "30 min"),
        (r"\b(?:anderthalb|eineinhalb) stunden", "1.5 h"),
        (r"\bzweieinhalb stunden", "2.5 h"),
        (r"(?:\beiner? )?dreiviertelstunde", "45 min"),
        (r"(?:\beiner? )?viertelstunde", "15 min"),
        (r"(?:\beiner? )?halben? stunde", "30 min"),
        (r"\beiner? (?=stunde|minute)", "1 "),
        (r"(\d{1,4})時間半", r"\1時間30分"),
        (r"\ban? (?=hour|minute)", "1 "),
        (rf"(\d{{1,4}})\s*个?半{_HOUR}|(\d{{1,4}}){_HOUR}半", r"\1\2小时30分"),
        (rf"半{_HOUR}", "30分"),
        (r"(?<!\d)1刻钟?", "15分"),
        (r"(?<!\d)2刻钟?", "30分"),
        (r"(?<!\d)3刻钟?", "45分"),
        (r"(\d{1,4})\s*分钟?半(?:钟)?", r"\1分30秒"),
        ("半分钟?", "30秒"),
    )
)
"""Patterns of phrases such as "half an hour", each with a replacement in digits and units."""
_LENGTH = re.compile(
    rf"(?:{_N}\s*(?:kilomet(?:er|re)[sn]?|km|公里|千米|キロメートル|キロ))?{_AND}(?:{_N}\s*(?:met(?:er|re)[sn]?|m|米|メートル))?"
    rf"|{_N}\s*(?P<miles>miles?|mi|meilen?|英里|マイル)"
)
_MILE = Fraction("1609.344")
_COUNT = re.compile(
    r"(?:(?:需要?|要|共|一共|总共|有|得)?\s*(?:换乘|换车|转车|经过|umsteigen:?|umstiege?:?|乗り?換え?は?|信号は?)\s*)?(\d{1,6})\s*(?:个|次|盏|处|回|つ|か所|ヶ所|箇所|mal|x)?\s*(?:の?(?:乗り?換え?|信号)|umsteigen|umstiege?n?|ampeln?|transfers?|changes?|(?:traffic )?lights?|traffic signals?|换乘|换车|红绿灯|交通灯)?"
)
_NUMBER_WORD = re.compile(
    r"\b[a-zäöüß]+(?= (?:stunden?|minuten?|kilometern?|metern?|hours?|minutes?|kilomet(?:er|re)s?|met(?:er|re)s?)\b)"
)
"""Pattern of a number word before a unit, for example `two hours`."""
_TIMES = re.compile(r"^(ein|zwei|drei|vier|fünf|sechs)(mal)\b")
_DIRECT = frozenset(
    {
        "none",
        "direct",
        "no transfers",
        "no transfer",
        "no changes",
        "直达",
        "直达无需换乘",
        "direkt",
        "ohne umsteigen",
        "ohne umstieg",
        "kein umstieg",
        "keine umstiege",
        "kein umsteigen",
        "keine ampeln",
        "keine ampel",
        "直通",
        "乗り換えなし",
        "乗換なし",
        "乗り換え不要",
        "なし",
    }
    | {
        f"{no}{change}"
        for no in ("无需", "不用", "不", "不需", "不需要", "不必", "无", "没有")
        for change in ("换乘", "换车", "转车")
    }
)
_CURRENCIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("元", "块", "块钱", "人民币", "rmb", "cny", "yuan"), ("CNY",)),
    **dict.fromkeys(("円", "日元", "yen", "jpy"), ("JPY",)),
    **dict.fromkeys(("€", "eur", "euro", "euros"), ("EUR",)),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), ("GBP",)),
    **dict.fromkeys(("chf", "franken", "sfr"), ("CHF",)),
    **dict.fromkeys(("us$", "usd"), ("USD",)),
    **dict.fromkeys(("c$", "ca$", "cad"), ("CAD",)),
    **dict.fromkeys(("a$", "au$", "aud"), ("AUD",)),
    **dict.fromkeys(("s$", "sgd"), ("SGD",)),
    **dict.fromkeys(("$", "dollar", "dollars"), ("USD", "CAD", "AUD", "SGD")),
    "¥": ("CNY", "JPY"),
}
_MONEY = re.compile(
    r"(?P<before>[a-z]{0,3}[$€£¥]|[a-z]{3})?\s*(?P<number>\d{1,9}(?:\.\d{1,9})?)\s*(?P<after>[€$£¥]|[a-z]{3,7}|元|块钱|块|円|日元|人民币)?"
)
_YUAN_AND_JIAO = re.compile(r"(\d{1,6})[元块](\d)角?")
_FREE = frozenset(
    {
        "free",
        "free of charge",
        "none",
        "免费",
        "无",
        "不收费",
        "kostenlos",
        "gratis",
        "umsonst",
        "mautfrei",
        "無料",
        "なし",
    }
)
_DEGREES = re.compile(
    r"(零下|氷点下|マイナス|minus\s|-|\+)?\s*(\d{1,3})(?:\.0+)?\s*(?:°\s*c|°|c|度|摄氏度|degrees?(?: celsius)?|grad(?: celsius)?|celsius)?"
)
_DAY = re.compile(r"(\d{4})(?:-(\d{2})-(\d{2})|/(\d{1,2})/(\d{1,2})|年(\d{1,2})月(\d{1,2})[日号])", re.ASCII)


def display_value(value: object) -> str:
    """Return a value of an answer as a short string for messages."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "a number of hundreds of digits"
    return clipped_text(value) if isinstance(value, str | int | Decimal | float) else json_kind(value)


def number_of(value: object) -> Fraction | None:
    """Return a JSON number as a fraction; None for other values, including Booleans.

    Raises:
        InvalidValueError: the number is negative, too large, too small, or not finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise InvalidValueError("it is too large")
    exact = value if isinstance(value, int | Decimal) else Decimal(repr(value))
    if isinstance(exact, Decimal) and not exact.is_finite():
        raise InvalidValueError("it is not a number")
    if isinstance(exact, Decimal) and exact and not -30 <= exact.adjusted() <= 30:
        raise InvalidValueError("it is too large, or too small")
    if not exact:
        return Fraction(0)
    fraction = Fraction(exact)
    if fraction < 0:
        raise InvalidValueError("it is negative")
    if fraction > MOST:
        raise InvalidValueError("it is too large")
    return fraction


def text_of(value: object) -> str:
    """Return a short string in Unicode normal form, without surrounding blanks.

    Raises:
        InvalidValueError: the value is not a short string.
    """
    if not isinstance(value, str):
        raise InvalidValueError(f"it is {json_kind(value)}")
    if len(value) > LONGEST:
        raise InvalidValueError("it is too long")
    return normalise_text(value)


def _amount_text(value: object) -> str:
    """Normalise an amount: write number words as digits, and remove thousands separators and words like `about`."""
    word = ABOUT.sub("", text_of(value))
    word = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", word)  # decimal comma, as in German
    word = _NUMBER_WORD.sub(lambda match: str(number_of_word(match[0]) or match[0]), word)
    return to_arabic_digits(re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", word)).strip()


def read_minutes(value: object) -> int:
    """Read a duration and round it up to whole minutes. The value is a number of seconds, or a string with units.

    Raises:
        InvalidValueError: the value is not a duration.
    """
    seconds = number_of(value)
    if seconds is None:
        seconds = _parse_seconds(_amount_text(value))
    return _check_bound(-(-seconds // 60))


def _parse_seconds(word: str) -> Fraction:
    for part, replacement in _PARTS:
        word = part.sub(replacement, word)
    match = re.fullmatch(_N, word)
    if match is not None:
        return Fraction(word)
    match = _DURATION.fullmatch(word)
    if match is None or not any(match.groups()):
        raise InvalidValueError("it is not a duration such as 45 min or a number of seconds")
    return sum(
        (Fraction(n) * size for n, size in zip(match.groups(), (86_400, 3600, 60, 1), strict=True) if n),
        Fraction(0),
    )


def read_metres(value: object) -> int:
    """Read a length in whole metres. The value is a number of metres, or a string with units.

    Raises:
        InvalidValueError: the value is not a length.
    """
    metres = number_of(value)
    if metres is None:
        word = _amount_text(value)
        match = _LENGTH.fullmatch(word)
        if re.fullmatch(_N, word):
            metres = Fraction(word)
        elif match is None or not any(match.groups()):
            raise InvalidValueError("it is not a length such as 12.3 km or a number of metres")
        elif match["miles"]:
            metres = Fraction(match[3]) * _MILE
        else:
            metres = Fraction(match[1] or 0) * 1000 + Fraction(match[2] or 0)
    return _check_bound(int(metres + Fraction(1, 2)))


def read_count(value: object) -> int:
    """Read a whole number of transfers or traffic lights.

    Raises:
        InvalidValueError: the value is not a whole number.
    """
    number = number_of(value)
    if number is not None:
        if number.denominator != 1:
            raise InvalidValueError("it is not a whole number")
        return _check_bound(number.numerator)
    word = _TIMES.sub(r"\1 \2", _amount_text(value))
    first, blank, rest = word.partition(" ")
    spelled = number_of_word(first)
    if spelled is not None:
        word = f"{spelled}{blank}{rest}"
    if word in _DIRECT:
        return 0
    match = _COUNT.fullmatch(word)
    if match is None:
        raise InvalidValueError("it is not a whole number")
    return int(match[1])


def read_minor(value: object, currency: str | None) -> int:
    """Read an amount of money in minor units, such as cents.

    The value is a whole number of minor units, or a string in main units with the currency.

    Args:
        value: the JSON value.
        currency: currency of the task; None to accept any.

    Raises:
        InvalidValueError: the value is not an amount, or is in another currency.
    """
    number = number_of(value)
    if number is not None:
        if number.denominator != 1:
            raise InvalidValueError("a number is in minor units, such as cents; write `2.50 EUR` for main units")
        return _check_bound(number.numerator)
    word = _amount_text(value)
    if word in _FREE:
        return 0
    match = _YUAN_AND_JIAO.fullmatch(word)
    if match is not None:
        word = f"{match[1]}.{match[2]}元"
    match = _MONEY.fullmatch(word)
    if match is None:
        raise InvalidValueError("it is not an amount such as 250 or 2.50 EUR")
    signs = [sign for sign in (match["before"], match["after"]) if sign]
    if not signs:
        if "." in match["number"]:
            raise InvalidValueError("a number is in minor units, such as cents; write `2.50 EUR` for main units")
        return int(match["number"])
    candidates = [_CURRENCIES.get(sign, ()) for sign in signs]
    currencies = [one for one in candidates[0] if all(one in other for other in candidates)]
    if currency is not None:
        currencies = [one for one in currencies if one == currency]
    if not currencies:
        raise InvalidValueError(f"it is not an amount in {currency}" if currency else "its currency is unknown")
    return minor_amount(Decimal(match["number"]), currencies[0])


def read_truth(value: object) -> bool:
    """Read a Boolean, or a word such as `yes`, `possible` or `不行`.

    Raises:
        InvalidValueError: the value is neither true nor false.
    """
    if isinstance(value, bool):
        return value
    word = text_of(value).rstrip(".。!！")
    if word not in TRUTHS:
        raise InvalidValueError("it is neither true nor false")
    return TRUTHS[word]


def read_level(value: object) -> str:
    """Read a level of traffic and return the constraint library's word for it, such as `slow`.

    Raises:
        InvalidValueError: the value names no level, or more than one.
    """
    if not isinstance(value, str):
        raise InvalidValueError(f"it is {json_kind(value)}")
    return level_of(value[:MOST_CHARACTERS])


def read_degrees(value: object) -> int:
    """Read a temperature in whole degrees Celsius.

    Raises:
        InvalidValueError: the value is not a temperature.
    """
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1000:
        return value
    if isinstance(value, Decimal | float):
        exact = value if isinstance(value, Decimal) else Decimal(repr(value))
        if not exact.is_finite() or exact.adjusted() > 2 or exact != exact.to_integral_value():
            raise InvalidValueError("it is not a temperature in whole degrees Celsius")
        return int(exact)
    word = text_of(value).replace("−", "-")
    match = _DEGREES.fullmatch(ABOUT.sub("", word))
    if match is None:
        raise InvalidValueError("it is not a temperature in whole degrees Celsius, such as 21")
    return int(match[2]) * (-1 if match[1] and match[1].strip() in ("零下", "氷点下", "マイナス", "minus", "-") else 1)


def read_day(value: object) -> int:
    """Read a day and return its proleptic Gregorian ordinal, as `date.toordinal` does.

    Raises:
        InvalidValueError: the value is not a day.
    """
    match = _DAY.fullmatch(text_of(value))
    if match is None:
        raise InvalidValueError("it is not a day such as 2026-05-11")
    year, *parts = (int(part) for part in match.groups() if part)
    try:
        return date(year, *parts).toordinal()
    except ValueError:
        raise InvalidValueError("there is no such day") from None


def read_point(value: Any) -> tuple[int, int]:
    """Read a location. Return longitude and latitude in 1e-6 degrees.

    The value is a string `longitude,latitude`, a list of the two, or an object with the keys of the two.

    Raises:
        InvalidValueError: the value is not a location.
    """
    parts: list[Any]
    if isinstance(value, str):
        parts = text_of(value).strip("()[]").split(",")
    elif isinstance(value, list | tuple):
        parts = list(value)
    elif isinstance(value, Mapping):
        parts = [
            next((value[name] for name in names if name in value), None)
            for names in (("longitude", "lon", "lng"), ("latitude", "lat"))
        ]
    else:
        raise InvalidValueError(f"it is {json_kind(value)}")
    if len(parts) != 2:
        raise InvalidValueError("it is not a location such as 116.407400,39.904200")
    x, y = (_parse_degree(part) for part in parts)
    if abs(y) > 90_000_000 or abs(x) > 180_000_000:
        is_swapped = abs(x) <= 90_000_000 and abs(y) <= 180_000_000
        raise InvalidValueError(
            "the longitude comes first" if is_swapped else "there is no such longitude and latitude"
        )
    return x, y


def _parse_degree(value: object) -> int:
    small = type(value) is int and abs(value) <= 180
    word = str(value).strip() if small or isinstance(value, str | Decimal | float) else ""
    if not re.fullmatch(r"[+-]?\d{1,3}(?:\.\d{1,20})?", word, re.ASCII):
        raise InvalidValueError("it is not a location such as 116.407400,39.904200")
    return round(Fraction(word) * 1_000_000)


def _check_bound(value: int) -> int:
    if value > MOST:
        raise InvalidValueError("it is too large")
    return int(value)
