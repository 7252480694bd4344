"""The values of a MobilityBench answer: amounts with and without units, days, degrees and locations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

from planspec.dsl.model.values import InvalidValueError, minor_amount, minor_digits
from planspec.families.mobilitybench.format.words import TRUTHS, arabic, counted, level_of, plain
from planspec.verifiers.answers.tables import clipped, what

MOST_CHARACTERS = 2_000
"""The most characters of a text that are read."""
LONGEST = 120
"""No amount and no time takes more characters."""
MOST = 10**10
"""No amount is larger."""
MOST_BITS = 1_000
"""Python refuses to print integers that are much longer."""
ABOUT = re.compile(
    r"^(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|etwa|ungefähr|rund|[~≈]|大约|大概|约为|约|約|およそ|だいたい)\s*|\s*(?:左右|approximately|ほど|くらい|ぐらい)$"
)
"""The words that mark an amount as approximate."""
_N = r"(\d{1,9}(?:\.\d{1,9})?)"
_AND = r"\s*(?:,|and|und|零|又|と)?\s*"
_DURATION = re.compile(
    rf"(?:{_N}\s*(?:days?|d|tagen?|tag|天|日間?))?{_AND}(?:{_N}\s*(?:hours?|hrs?|h|stunden?|std\.?|个?小时|个?钟头|時間))?{_AND}"
    rf"(?:{_N}\s*(?:minutes?|mins?|min\.|m|minuten|分钟|分間?))?{_AND}(?:{_N}\s*(?:seconds?|secs?|s|sekunden?|sek\.?|秒钟?|秒間))?"
)
_HOUR = r"\s*个?\s*(?:小时|钟头)"
_PARTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), meant)
    for pattern, meant in (
        (r"\b(?:an?|one) (hour|minute) and a half", r"1.5 \1s"),
        (r"\b(?:an?|one) and a half (hours|minutes)", r"1.5 \1"),
        (r"(\d{1,4}) and a half (hours|minutes)", r"\1.5 \2"),
        (r"three[- ]quarters(?: of)?(?: an)? hour", "45 min"),
        (r"(?:\ba )?quarter(?: of)?(?: an)? hour", "15 min"),
        (r"(?:\ba )?half(?: an| a)? hour", "30 min"),
        (r"\b(?:anderthalb|eineinhalb) stunden", "1.5 h"), (r"\bzweieinhalb stunden", "2.5 h"),
        (r"(?:\beiner? )?dreiviertelstunde", "45 min"), (r"(?:\beiner? )?viertelstunde", "15 min"),
        (r"(?:\beiner? )?halben? stunde", "30 min"), (r"\beiner? (?=stunde|minute)", "1 "),
        (r"(\d{1,4})時間半", r"\1時間30分"),
        (r"\ban? (?=hour|minute)", "1 "),
        (rf"(\d{{1,4}})\s*个?半{_HOUR}|(\d{{1,4}}){_HOUR}半", r"\1\2小时30分"),
        (rf"半{_HOUR}", "30分"),
        (r"(?<!\d)1刻钟?", "15分"), (r"(?<!\d)2刻钟?", "30分"), (r"(?<!\d)3刻钟?", "45分"),
        (r"(\d{1,4})\s*分钟?半(?:钟)?", r"\1分30秒"), ("半分钟?", "30秒"),
    )
)  # fmt: skip
"""Halves and quarters of hours and minutes, in the words of a duration."""
_LENGTH = re.compile(
    rf"(?:{_N}\s*(?:kilomet(?:er|re)[sn]?|km|公里|千米|キロメートル|キロ))?{_AND}(?:{_N}\s*(?:met(?:er|re)[sn]?|m|米|メートル))?"
    rf"|{_N}\s*(?P<miles>miles?|mi|meilen?|英里|マイル)"
)
_MILE = Fraction("1609.344")
_COUNT = re.compile(
    r"(?:(?:需要?|要|共|一共|总共|有|得)?\s*(?:换乘|换车|转车|经过|umsteigen:?|umstiege?:?|乗り?換え?は?|信号は?)\s*)?(\d{1,6})\s*(?:个|次|盏|处|回|つ|か所|ヶ所|箇所|mal|x)?\s*(?:の?(?:乗り?換え?|信号)|umsteigen|umstiege?n?|ampeln?|transfers?|changes?|(?:traffic )?lights?|traffic signals?|换乘|换车|红绿灯|交通灯)?"
)
_SPELT = re.compile(
    r"\b[a-zäöüß]+(?= (?:stunden?|minuten?|kilometern?|metern?|hours?|minutes?|kilomet(?:er|re)s?|met(?:er|re)s?)\b)"
)
"""The word for a number before its unit."""
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
    **dict.fromkeys(("us$", "usd"), ("USD",)), **dict.fromkeys(("c$", "ca$", "cad"), ("CAD",)),
    **dict.fromkeys(("a$", "au$", "aud"), ("AUD",)), **dict.fromkeys(("s$", "sgd"), ("SGD",)),
    **dict.fromkeys(("$", "dollar", "dollars"), ("USD", "CAD", "AUD", "SGD")), "¥": ("CNY", "JPY"),
}  # fmt: skip
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


def shown(said: object) -> str:
    """A cell's value, for people."""
    if isinstance(said, int) and said.bit_length() > MOST_BITS:
        return "a number of hundreds of digits"
    return clipped(said) if isinstance(said, str | int | Decimal | float) else what(said)


def number_of(said: object) -> Fraction | None:
    """A JSON number that is no truth; None of everything else.

    Raises:
        InvalidValueError: it is less than nothing, or too large.
    """
    if isinstance(said, bool) or not isinstance(said, int | float | Decimal):
        return None
    if isinstance(said, int) and said.bit_length() > MOST_BITS:
        raise InvalidValueError("it is too large")
    exact = said if isinstance(said, int | Decimal) else Decimal(repr(said))
    if isinstance(exact, Decimal) and not exact.is_finite():
        raise InvalidValueError("it is no number")
    if isinstance(exact, Decimal) and exact and not -30 <= exact.adjusted() <= 30:
        raise InvalidValueError("it is too large, or too small")
    if not exact:
        return Fraction(0)
    value = Fraction(exact)
    if value < 0:
        raise InvalidValueError("it is less than nothing")
    if value > MOST:
        raise InvalidValueError("it is too large")
    return value


def text_of(said: object) -> str:
    """A short text, in plain characters.

    Raises:
        InvalidValueError: it is none.
    """
    if not isinstance(said, str):
        raise InvalidValueError(f"it is {what(said)}")
    if len(said) > LONGEST:
        raise InvalidValueError("it is too long")
    return plain(said)


def _amount(said: object) -> str:
    """A text of an amount, without what says that it is roughly so, and without marks of thousands."""
    word = ABOUT.sub("", text_of(said))
    word = re.sub(r"(?<=\d),(?=\d{1,2}(?!\d))", ".", word)  # as German writes decimals
    word = _SPELT.sub(lambda found: str(counted(found[0]) or found[0]), word)
    return arabic(re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", word)).strip()


def read_minutes(said: object) -> int:
    """A duration in minutes, of which none is too short: a number of seconds, or a text with units.

    Raises:
        InvalidValueError: it is none.
    """
    seconds = number_of(said)
    if seconds is None:
        seconds = _seconds(_amount(said))
    return _bounded(-(-seconds // 60))


def _seconds(word: str) -> Fraction:
    for part, meant in _PARTS:
        word = part.sub(meant, word)
    found = re.fullmatch(_N, word)
    if found is not None:
        return Fraction(word)
    found = _DURATION.fullmatch(word)
    if found is None or not any(found.groups()):
        raise InvalidValueError("it is no duration such as 45 min or a number of seconds")
    return sum(
        (Fraction(n) * size for n, size in zip(found.groups(), (86_400, 3600, 60, 1), strict=True) if n),
        Fraction(0),
    )


def read_metres(said: object) -> int:
    """A length in whole metres: a number of metres, or a text with units.

    Raises:
        InvalidValueError: it is none.
    """
    metres = number_of(said)
    if metres is None:
        word = _amount(said)
        found = _LENGTH.fullmatch(word)
        if re.fullmatch(_N, word):
            metres = Fraction(word)
        elif found is None or not any(found.groups()):
            raise InvalidValueError("it is no length such as 12.3 km or a number of metres")
        elif found["miles"]:
            metres = Fraction(found[3]) * _MILE
        else:
            metres = Fraction(found[1] or 0) * 1000 + Fraction(found[2] or 0)
    return _bounded(int(metres + Fraction(1, 2)))


def read_count(said: object) -> int:
    """A whole number of transfers or of traffic lights.

    Raises:
        InvalidValueError: it is none.
    """
    number = number_of(said)
    if number is not None:
        if number.denominator != 1:
            raise InvalidValueError("it is no whole number")
        return _bounded(number.numerator)
    word = _TIMES.sub(r"\1 \2", _amount(said))
    first, blank, rest = word.partition(" ")
    spelled = counted(first)
    if spelled is not None:
        word = f"{spelled}{blank}{rest}"
    if word in _DIRECT:
        return 0
    found = _COUNT.fullmatch(word)
    if found is None:
        raise InvalidValueError("it is no whole number")
    return int(found[1])


def read_minor(said: object, currency: str | None) -> int:
    """An amount of money in minor units: a whole number of these, or a text in main units with the currency.

    Args:
        said: the JSON value.
        currency: the task's; None if it has none, so that any is taken.

    Raises:
        InvalidValueError: it is none, or of another currency.
    """
    number = number_of(said)
    if number is not None:
        if number.denominator != 1:
            raise InvalidValueError(
                "a number is in minor units, such as cents; write `2.50 EUR` for main units"
            )
        return _bounded(number.numerator)
    word = _amount(said)
    if word in _FREE:
        return 0
    found = _YUAN_AND_JIAO.fullmatch(word)
    if found is not None:
        word = f"{found[1]}.{found[2]}元"
    found = _MONEY.fullmatch(word)
    if found is None:
        raise InvalidValueError("it is no amount such as 250 or 2.50 EUR")
    signs = [sign for sign in (found["before"], found["after"]) if sign]
    if not signs:
        if "." in found["number"]:
            raise InvalidValueError(
                "a number is in minor units, such as cents; write `2.50 EUR` for main units"
            )
        return int(found["number"])
    every = [_CURRENCIES.get(sign, ()) for sign in signs]
    meant = [one for one in every[0] if all(one in other for other in every)]
    if currency is not None:
        meant = [one for one in meant if one == currency]
    if not meant:
        raise InvalidValueError(
            f"it is no amount in {currency}" if currency else "it is in no money that is known"
        )
    return minor_amount(Decimal(found["number"]), meant[0])


def money_digits(currency: str | None) -> int:
    """The digits behind the point of a task's money."""
    return 2 if currency is None else minor_digits(currency)


def read_truth(said: object) -> bool:
    """Whether something is possible, as a cell says.

    Raises:
        InvalidValueError: it is neither true nor false.
    """
    if isinstance(said, bool):
        return said
    word = text_of(said).rstrip(".。!！")
    if word not in TRUTHS:
        raise InvalidValueError("it is neither true nor false")
    return TRUTHS[word]


def read_level(said: object) -> str:
    """A level of traffic, as the library calls it.

    Raises:
        InvalidValueError: it is none, or several.
    """
    if not isinstance(said, str):
        raise InvalidValueError(f"it is {what(said)}")
    return level_of(said[:MOST_CHARACTERS])


def read_degrees(said: object) -> int:
    """A temperature in whole degrees Celsius.

    Raises:
        InvalidValueError: it is none.
    """
    if isinstance(said, int) and not isinstance(said, bool) and abs(said) < 1000:
        return said
    if isinstance(said, Decimal | float):
        exact = said if isinstance(said, Decimal) else Decimal(repr(said))
        if not exact.is_finite() or exact.adjusted() > 2 or exact != exact.to_integral_value():
            raise InvalidValueError("it is no temperature in whole degrees Celsius")
        return int(exact)
    word = text_of(said).replace("−", "-")
    found = _DEGREES.fullmatch(ABOUT.sub("", word))
    if found is None:
        raise InvalidValueError("it is no temperature in whole degrees Celsius, such as 21")
    return int(found[2]) * (
        -1 if found[1] and found[1].strip() in ("零下", "氷点下", "マイナス", "minus", "-") else 1
    )


def read_day(said: object) -> int:
    """A day as its ordinal.

    Raises:
        InvalidValueError: it is none.
    """
    found = _DAY.fullmatch(text_of(said))
    if found is None:
        raise InvalidValueError("it is no day such as 2026-05-11")
    year, *parts = (int(part) for part in found.groups() if part)
    try:
        return date(year, *parts).toordinal()
    except ValueError:
        raise InvalidValueError("there is no such day") from None


def read_point(said: Any) -> tuple[int, int]:
    """A location in 1e-6 degrees: `longitude,latitude`, a list of the two, or an object with their names.

    Raises:
        InvalidValueError: it is none.
    """
    parts: list[Any]
    if isinstance(said, str):
        parts = text_of(said).strip("()[]").split(",")
    elif isinstance(said, list | tuple):
        parts = list(said)
    elif isinstance(said, Mapping):
        parts = [
            next((said[name] for name in names if name in said), None)
            for names in (("longitude", "lon", "lng"), ("latitude", "lat"))
        ]
    else:
        raise InvalidValueError(f"it is {what(said)}")
    if len(parts) != 2:
        raise InvalidValueError("it is no location such as 116.407400,39.904200")
    x, y = (_degree(part) for part in parts)
    if abs(y) > 90_000_000 or abs(x) > 180_000_000:
        turned = abs(x) <= 90_000_000 and abs(y) <= 180_000_000
        raise InvalidValueError(
            "the longitude comes first" if turned else "there is no such longitude and latitude"
        )
    return x, y


def _degree(said: object) -> int:
    small = type(said) is int and abs(said) <= 180
    word = str(said).strip() if small or isinstance(said, str | Decimal | float) else ""
    if not re.fullmatch(r"[+-]?\d{1,3}(?:\.\d{1,20})?", word, re.ASCII):
        raise InvalidValueError("it is no location such as 116.407400,39.904200")
    return round(Fraction(word) * 1_000_000)


def _bounded(value: int) -> int:
    if value > MOST:
        raise InvalidValueError("it is too large")
    return int(value)
