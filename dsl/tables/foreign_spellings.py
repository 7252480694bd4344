"""Help for dates, Booleans and numbers in the spellings of spreadsheets and other programs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from planspec.dsl.model.types import ScalarType, Type

TRUE = frozenset({"1", "yes", "y", "t", "on", "ja", "wahr", "oui", "vrai", "si", "sí", "x"})
FALSE = frozenset({"0", "no", "n", "f", "off", "nein", "falsch", "non", "faux", "falso"})
DAY_FIRST = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\b.*")
SLASHES = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b.*")
YEAR_FIRST = re.compile(r"([0-9]{4})[/.]([0-9]{1,2})[/.]([0-9]{1,2})\b.*")
DAYS = re.compile(r"[2-6][0-9]{4}(?:\.[0-9]+)?")
FIRST_DAY = date(1899, 12, 30)
"""The date that spreadsheets store as the number 0."""
CLOCK = re.compile(r"([01]?[0-9]|2[0-3])[.:h]([0-5][0-9])(?::00)?\s*(?:([ap])\.?m\.?)?", re.IGNORECASE)
GROUPS = re.compile(r"(-?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?)(\D*)")
COMMA = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{3})+|-?[0-9]+),([0-9]+)(\D*)")
SIGNED = re.compile(r"(?:[€$£¥]\s*(-?[0-9.]+)|(-?[0-9.]+)\s*[€$£¥])")


@dataclass(frozen=True, slots=True)
class ForeignSpelling:
    """A recognised spelling of another program.

    Attributes:
        help: help with the right spelling, such as "write `true`".
        option: key that declares the spelling for a file, such as `dates: "%d.%m.%Y"`; None if there is none.
    """

    help: str
    option: str | None = None


def foreign_spelling(text: str, type_: Type, currency: str | None) -> ForeignSpelling | None:
    """Return help for a cell in the spelling of another program; None if the spelling is not recognised.

    Args:
        text: text of the cell, which is not a value of the type.
        type_: type of the column.
        currency: the world's currency, for money.
    """
    match type_:
        case ScalarType.BOOL if text.casefold() in TRUE | FALSE:
            truth = "true" if text.casefold() in TRUE else "false"
            return ForeignSpelling(f"write `{truth}`", f"{truth}: {text}")
        case ScalarType.DATE | ScalarType.MOMENT:
            return _recognised_date(text)
        case ScalarType.TIME if (match_ := CLOCK.fullmatch(text)) is not None:
            hour, half = int(match_[1]), (match_[3] or "").lower()
            hour = hour % 12 + (12 if half == "p" else 0) if half else hour
            return ForeignSpelling(f"write `{hour}:{match_[2]}`", _time_option(text))
        case ScalarType.MONEY if (match_ := SIGNED.fullmatch(text)) is not None:
            sign = text.strip("-0123456789. ")
            return ForeignSpelling(f"write `{match_[1] or match_[2]} {currency or 'EUR'}`", f'strip: "{sign}"')
        case ScalarType.INT | ScalarType.DECIMAL | ScalarType.MONEY | ScalarType.DISTANCE | ScalarType.DURATION:
            return _recognised_number(text)
    return None


def _recognised_date(text: str) -> ForeignSpelling | None:
    if (match_ := DAY_FIRST.fullmatch(text)) is not None:
        return _date_spelling(match_[3], match_[2], match_[1], "%d.%m.%Y")
    if (match_ := YEAR_FIRST.fullmatch(text)) is not None:
        return _date_spelling(match_[1], match_[2], match_[3], f"%Y{text[4]}%m{text[4]}%d")
    if (match_ := SLASHES.fullmatch(text)) is not None:
        a, b, year = match_.groups()
        if int(a) > 12:
            return _date_spelling(year, b, a, "%d/%m/%Y")
        if int(b) > 12:
            return _date_spelling(year, a, b, "%m/%d/%Y")
        spellings = f"write `{year}-{int(a):02}-{int(b):02}` or `{year}-{int(b):02}-{int(a):02}`"
        return ForeignSpelling(f"year, month and day: {spellings}", 'dates: "%m/%d/%Y"` or `dates: "%d/%m/%Y"')
    if DAYS.fullmatch(text) is not None:
        day = FIRST_DAY + timedelta(days=int(text.partition(".")[0]))
        return ForeignSpelling(f"in a spreadsheet that is {day}: export the column as text such as `{day}`")
    return None


def _date_spelling(year: str, month: str, day: str, pattern: str) -> ForeignSpelling | None:
    """Return the spelling of a date; None if the day does not exist."""
    try:
        return ForeignSpelling(f"write `{date(int(year), int(month), int(day))}`", f'dates: "{pattern}"')
    except ValueError:
        return None


def _time_option(text: str) -> str:
    """Return the key and value that declare the format of a time, such as `times: "%I:%M %p"` for `2:30 pm`."""
    parts = re.split(r"([.:h])", text, maxsplit=1)
    half = re.search(r"\s*[ap]m$", text, re.IGNORECASE)
    blank = "" if half is None or not half[0][0].isspace() else " "
    seconds = ":%S" if re.search(r"[.:h][0-9]{2}:00", text) else ""
    return f'times: "{"%H" if half is None else "%I"}{parts[1]}%M{seconds}{blank}{"" if half is None else "%p"}"'


def _recognised_number(text: str) -> ForeignSpelling | None:
    if (match_ := GROUPS.fullmatch(text)) is not None:
        written = f"{match_[1].replace(',', '')}{match_[2]}"
        return ForeignSpelling(f"numbers have no commas: write `{written}`", 'decimal: "."')
    if (match_ := COMMA.fullmatch(text)) is not None:
        written = f"{match_[1].replace('.', '')}.{match_[2]}{match_[3]}"
        return ForeignSpelling(f"the decimal sign is a point: write `{written}`", 'decimal: ","')
    return None
