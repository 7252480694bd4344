"""Values as text in a natural language: numbers, money, dates, times, durations, distances and lists (with Babel)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from planspec.dsl.model.types import ScalarType
from planspec.dsl.model.value_text import exact_text
from planspec.dsl.model.values import minor_digits
from planspec.dsl.model.wording import DATE_STYLES, LIST_STYLES, WITHOUT_BLANKS, base_language
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.extras import needing

if TYPE_CHECKING:
    from babel import Locale

FEATURE = "requests in words need an extra"
NARROW_BLANKS = str.maketrans({"\u202f": " ", "\xa0": " "})
DATE_PATTERNS = {"weekday": "EEEE"}
"""Patterns for date styles without a name in CLDR."""
KILOMETRE = 1000
"""Distance in metres from which kilometres are used."""


class Formats:
    """Formatter of values as text in a natural language.

    Args:
        language: language, optionally with a region, such as `de` or `pt-BR`.
        currency: currency of all money; None without money.

    Raises:
        ModuleNotFoundError: Babel is not installed.
        LookupError: Babel does not have the language in this region or script.
    """

    def __init__(self, language: str, currency: str | None) -> None:
        with needing("words", FEATURE):
            from babel import Locale, UnknownLocaleError
        try:
            self._locale: Locale = Locale.parse(language.replace("-", "_"))
        except (UnknownLocaleError, ValueError) as error:
            raise LookupError(str(error)) from None
        self._currency = currency
        self._is_dense = base_language(language) in WITHOUT_BLANKS

    def plural(self, number: int | Fraction) -> str:
        """Return the plural category of a number in the language, such as `one` or `other`."""
        return str(self._locale.plural_form(_decimal(number)))

    def listed(self, items: Sequence[str], join: str = "and") -> str:
        """Return a list of texts as one text, joined by `and`, `or`, or another word."""
        if join not in LIST_STYLES:
            return join.join(items)
        from babel.lists import format_list

        return format_list(items, "standard" if join == "and" else "or", locale=self._locale)

    def scalar(self, value: Any, type_: ScalarType, form: str | None = None) -> str:
        """Return a value of a built-in type.

        Args:
            value: value of any built-in type except Boolean.
            type_: its type.
            form: style of a date or time; None for the default.
        """
        match type_:
            case ScalarType.TEXT:
                return str(value)
            case ScalarType.DATE:
                return self._date(value, form)
            case ScalarType.TIME:
                return self._time(value)
            case ScalarType.MOMENT:
                day, minute = divmod(value, MINUTES_A_DAY)
                pattern = str(self._locale.datetime_formats["medium"])
                return pattern.replace("{0}", self._time(minute)).replace("{1}", self._date(day, form))
            case ScalarType.DURATION:
                return self._duration(value)
            case ScalarType.MONEY:
                return self._money(value)
            case ScalarType.DISTANCE:
                far = abs(value) >= KILOMETRE
                number = Decimal(value) / KILOMETRE if far else Decimal(value)
                return self._unit(number, "length-kilometer" if far else "length-meter")
            case _:
                return self._number(_decimal(value))

    def _number(self, number: Decimal) -> str:
        from babel.numbers import format_decimal

        return format_decimal(number, locale=self._locale, decimal_quantization=False).translate(NARROW_BLANKS)

    def _date(self, ordinal: int, form: str | None) -> str:
        from babel.dates import format_date, format_skeleton

        day = date.fromordinal(ordinal)
        if form == "day":
            text = format_skeleton("MMMMd", datetime.combine(day, time()), locale=self._locale)
        else:
            text = format_date(
                day, DATE_PATTERNS.get(form or "", form if form in DATE_STYLES else "long"), self._locale
            )
        return text.translate(NARROW_BLANKS)

    def _time(self, minutes: int) -> str:
        from babel.dates import format_time

        moment = time(minutes // 60 % 24, minutes % 60)
        return format_time(moment, "short", locale=self._locale).translate(NARROW_BLANKS)

    def _duration(self, minutes: int) -> str:
        hours, rest = divmod(abs(minutes), 60)
        parts = [
            self._unit(Decimal(number), f"duration-{unit}")
            for number, unit in ((hours, "hour"), (rest, "minute"))
            if number or (unit == "minute" and not hours)
        ]
        text = "".join(parts) if self._is_dense else self.listed(parts)
        return f"-{text}" if minutes < 0 else text

    def _unit(self, number: Decimal, unit: str) -> str:
        from babel.units import format_unit

        text = format_unit(number, unit, "long", locale=self._locale).translate(NARROW_BLANKS)
        return text.replace(" ", "") if self._is_dense else text

    def _money(self, minor: int) -> str:
        """Return an amount with the name of its currency, without decimals if it is whole: `855 euros`."""
        from babel.numbers import format_decimal, get_currency_name, get_currency_unit_pattern

        currency = self._currency or ""
        digits = minor_digits(currency)
        amount = Decimal(minor).scaleb(-digits)
        pattern = "#,##0" if amount == amount.to_integral_value() else "#,##0." + "0" * digits
        if pattern == "#,##0":
            amount = amount.to_integral_value()
        number = format_decimal(amount, pattern, locale=self._locale)
        name = get_currency_name(currency, amount, locale=self._locale)
        text = get_currency_unit_pattern(currency, amount, locale=self._locale).format(number, name)
        return (text.replace(" ", "") if self._is_dense else text).translate(NARROW_BLANKS)


def _decimal(number: int | Fraction) -> Decimal:
    """Return a number as a decimal, exact if possible."""
    if isinstance(number, int):
        return Decimal(number)
    text = exact_text(number)
    return Decimal(number.numerator) / Decimal(number.denominator) if "/" in text else Decimal(text)
