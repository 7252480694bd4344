"""Help for dates, Booleans and numbers in the spellings of spreadsheets and other programs."""

from __future__ import annotations

import re
from datetime import date, timedelta

from planspec.dsl.model.types import ScalarType, Type

TRUE = frozenset({"1", "yes", "y", "t", "on", "ja", "wahr", "oui", "vrai", "si", "sí", "x"})
FALSE = frozenset({"0", "no", "n", "f", "off", "nein", "falsch", "non", "faux", "falso"})
DAY_FIRST = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b.*")
SLASHES = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b.*")
YEAR_FIRST = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})\b.*")
DAYS = re.compile(r"[2-6][0-9]{4}(?:\.[0-9]+)?")
FIRST_DAY = date(1899, 12, 30)
"""Day 0 of spreadsheets."""
CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[.:h]([0-5][0-9])(?::00)?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE)
GROUPS = re.compile(r"(-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?)(\D*)")
COMMA = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{3})+|-?[0-9]+),([0-9]+)(\D*)")
SIGNED = re.compile(r"(?:[€$£¥]\s*(-?[0-9.]+)|(-?[0-9.]+)\s*[€$£¥])")


def foreign_spelling_help(text: str, type_: Type, currency: str | None) -> str | None:
    """Return help for a cell in the spelling of another program; None if the spelling is not recognised.

    Args:
        text: text of the cell, which is not a value of the type.
        type_: type of the column.
        currency: the world's currency, for money.
    """
    match type_:
        case ScalarType.BOOL if text.casefold() in TRUE | FALSE:
            return f"write `{'true' if text.casefold() in TRUE else 'false'}`"
        case ScalarType.DATE | ScalarType.MOMENT:
            return _recognised_date(text)
        case ScalarType.TIME if (match_ := CLOCK.fullmatch(text)) is not None:
            hour, half = int(match_[1]), (match_[3] or "").lower()
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            return f"write `{hour}:{match_[2]}`"
        case ScalarType.MONEY if (match_ := SIGNED.fullmatch(text)) is not None:
            return f"write `{match_[1] or match_[2]} {currency or 'EUR'}`"
        case ScalarType.INT | ScalarType.DECIMAL | ScalarType.MONEY | ScalarType.DISTANCE | ScalarType.DURATION:
            return _number_help(text)
    return None


def _recognised_date(text: str) -> str | None:
    if (match_ := DAY_FIRST.fullmatch(text)) is not None:
        return _date_help(match_[3], match_[2], match_[1])
    if (match_ := YEAR_FIRST.fullmatch(text)) is not None:
        return _date_help(match_[1], match_[2], match_[3])
    if (match_ := SLASHES.fullmatch(text)) is not None:
        a, b, year = match_.groups()
        if int(a) > 12 or int(b) > 12:
            return _date_help(year, *((b, a) if int(a) > 12 else (a, b)))
        return f"year, month and day: write `{year}-{int(a):02}-{int(b):02}` or `{year}-{int(b):02}-{int(a):02}`"
    if DAYS.fullmatch(text) is not None:
        day = FIRST_DAY + timedelta(days=int(text.partition(".")[0]))
        return f"in a spreadsheet that is {day}: export the column as text such as `{day}`"
    return None


def _date_help(year: str, month: str, day: str) -> str | None:
    """Return the help with a date; None if the day does not exist."""
    try:
        return f"write `{date(int(year), int(month), int(day))}`"
    except ValueError:
        return None


def _number_help(text: str) -> str | None:
    if (match_ := GROUPS.fullmatch(text)) is not None:
        return f"numbers have no commas: write `{match_[1].replace(',', '')}{match_[2]}`"
    if (match_ := COMMA.fullmatch(text)) is not None:
        return f"the decimal sign is a point: write `{match_[1].replace('.', '')}.{match_[2]}{match_[3]}`"
    return None
