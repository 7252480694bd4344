"""Formats of values in files of other programs, and their conversion into the language's spelling."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import TypeAlias

from planspec.dsl.model.values import DURATION

THOUSANDS = "  \u00a0\u202f'\u2019"
"""Signs that may separate thousands, in addition to the comma or point that is not the decimal sign."""
DIRECTIVES = ["%d", "%m", "%Y", "%y", "%b", "%B", "%a", "%A", "%j", "%H", "%I", "%M", "%S", "%f", "%p", "%%"]
"""Allowed directives of `datetime.strptime`. Others depend on the machine or stand for time zones."""
DIRECTIVE = re.compile(r"%(.?)", re.DOTALL)
CLOCK = frozenset("HIMSfp")
"""Letters of the directives for times, such as `H` in `%H`."""
SAMPLES = (datetime.fromisoformat("2003-04-25 14:37"), datetime.fromisoformat("1999-12-01 01:05"))
"""Moments with which a pattern is tested: formatting and parsing must return the same moment."""
NO_DATE = "1900-01-01"
"""The date that `strptime` returns if the pattern has no date."""
PLACEHOLDERS = {
    "dates": {
        "YYYY": "%Y",
        "JJJJ": "%Y",
        "AAAA": "%Y",
        "DD": "%d",
        "TT": "%d",
        "JJ": "%d",
        "MM": "%m",
        "YY": "%y",
        "AA": "%y",
    },
    "times": {"HH": "%H", "MM": "%M", "SS": "%S"},
}
"""Directives for the placeholders of spreadsheets in English, German and French, by key of the document."""


class UnfitCellError(ValueError):
    """A string does not have the format of its column; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class NumberForm:
    """The format of numbers in a source, with or without a unit.

    Attributes:
        decimal: the decimal sign, `,` or `.`; None if numbers have the language's format.
        strip: strings to remove before and after a number, longest first.
    """

    decimal: str | None = None
    strip: tuple[str, ...] = ()

    def text(self, text: str) -> str:
        """Convert the text of a number into the language's spelling.

        Raises:
            UnfitCellError: the text is not a number in this format.
        """
        plain = self._without_marks(text)
        if not plain.strip("-"):
            raise UnfitCellError("no number is left of it")
        if self.decimal is None or DURATION.fullmatch(plain):
            return plain
        match = _number(self.decimal).fullmatch(plain)
        if match is None:
            example = "1.234,50" if self.decimal == "," else "1,234.50"
            more = ": name what stands beside the number under `strip:`" if _has_marks(plain) else ""
            raise UnfitCellError(f"not a number such as {example}{more}")
        sign, whole, _, fraction, unit = match.groups()
        digits = "".join(filter(str.isdecimal, whole))
        return f"{sign}{digits}{'.' if fraction else ''}{fraction or ''}{unit}"

    def _without_marks(self, text: str) -> str:
        """Remove the strings of `strip` from both ends of a text. A minus sign before them stays."""
        if not self.strip:
            return text
        sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
        before = None
        while rest != before:
            before = rest
            for mark in self.strip:
                rest = rest.strip().removeprefix(mark).removesuffix(mark).strip()
        return sign + rest


@lru_cache(maxsize=2)
def _number(decimal: str) -> re.Pattern[str]:
    """Return the pattern of numbers with a decimal sign. Its groups include sign, whole part, fraction and unit."""
    groups = f"[{re.escape('.' if decimal == ',' else ',')}{THOUSANDS}]"
    whole = rf"[1-9][0-9]{{0,2}}({groups})[0-9]{{3}}(?:\3[0-9]{{3}})*|[0-9]+"
    return re.compile(rf"(-?)({whole})(?:{re.escape(decimal)}([0-9]+))?(\s*[^\W\d_]*)")


def _has_marks(text: str) -> bool:
    """Return whether a string is a number with other characters before or after it, such as `€`."""
    return re.search(r"[0-9]", text) is not None and re.match(r"[^\d-]|.*[^\w.,]$", text) is not None


@dataclass(frozen=True, slots=True)
class ClockForm:
    """The format of dates, times or moments.

    Attributes:
        patterns: patterns of `datetime.strptime`; the first that matches is used.
        parts: parts of the values: `date`, `time`, or both.
    """

    patterns: tuple[str, ...]
    parts: tuple[str, ...]

    def text(self, text: str) -> str:
        """Return a date, a time or a moment in the language's spelling.

        Raises:
            UnfitCellError: the text does not have this format.
        """
        for pattern in self.patterns:
            try:
                value = datetime.strptime(text, pattern)  # noqa: DTZ007 moments have no time zone
            except ValueError:
                continue
            clock = value.time().isoformat().removesuffix(":00") if value.second == 0 else value.time().isoformat()
            written = {"date": value.date().isoformat(), "time": clock}
            return " ".join(written[part] for part in self.parts)
        raise UnfitCellError(f"not of the form `{self.patterns[0]}`")


@dataclass(frozen=True, slots=True)
class TruthForm:
    """The words for true and false, in lower case. They replace the language's words."""

    true: frozenset[str]
    false: frozenset[str]

    def text(self, text: str) -> str:
        """Return `true` or `false`.

        Raises:
            UnfitCellError: the string is not one of the words.
        """
        word = text.casefold()
        if word in (self.true or ("true",)):
            return "true"
        if word in (self.false or ("false",)):
            return "false"
        words = [*sorted(self.true or ["true"]), *sorted(self.false or ["false"])]
        raise UnfitCellError(f"none of {', '.join(f'`{word}`' for word in words)}")


Form: TypeAlias = NumberForm | ClockForm | TruthForm


@dataclass(frozen=True, slots=True)
class KeyForms:
    """The formats of the parts of a key of several columns; None for the language's format."""

    parts: tuple[CellForm | None, ...]


@dataclass(frozen=True, slots=True)
class ItemForms:
    """The format of each item of a list of references to rows with several key columns."""

    item: KeyForms


CellForm: TypeAlias = Form | KeyForms | ItemForms
"""The format of a cell. For a list of single values, it is the format of the items."""


def has_time(pattern: str) -> bool:
    """Return whether a pattern has a time component, such as the hour."""
    return any(letter in CLOCK for letter in DIRECTIVE.findall(pattern))


def pattern_fault(pattern: str, key: str) -> str | None:
    """Return the reason why a pattern is refused; None if it is accepted.

    Args:
        pattern: a pattern of `datetime.strptime`. A pattern of dates may have a time after the date.
        key: `dates` or `times`.
    """
    unsuitable = next((f"%{x}" for x in DIRECTIVE.findall(pattern) if f"%{x}" not in DIRECTIVES), None)
    if unsuitable is not None:
        return f"`{unsuitable}` is none of {' '.join(DIRECTIVES)}"
    timed = has_time(pattern)
    for sample in SAMPLES:
        text = DIRECTIVE.sub(partial(_part, sample), pattern)
        try:
            value = datetime.strptime(text, pattern)  # noqa: DTZ007 moments have no time zone
        except (ValueError, re.error) as error:  # re.error if a part is repeated
            return str(error) if isinstance(error, ValueError) else "a part of it is repeated"
        if key == "times" and (value.time() != sample.time() or value.date().isoformat() != NO_DATE):
            return "it does not give the hour and the minute alone"
        if key == "dates" and (value.date() != sample.date() or (timed and value.time() != sample.time())):
            return "it does not give the day, the month and the year"
    return None


def _part(sample: datetime, directive: re.Match[str]) -> str:
    return sample.strftime(directive[0])


def suggested_pattern(pattern: str, key: str) -> str | None:
    """Translate a pattern with placeholders, such as `DD.MM.YYYY`, to `%d.%m.%Y`; None if the result is not valid.

    Args:
        pattern: a pattern that was refused.
        key: `dates` or `times`.
    """
    text = pattern.upper()
    for placeholder, directive in PLACEHOLDERS[key].items():
        text = text.replace(placeholder, directive)
    return text if pattern_fault(text, key) is None else None
