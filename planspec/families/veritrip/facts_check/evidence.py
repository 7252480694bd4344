"""Check whether the documents cited in an answer support its cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.values import minor_digits
from planspec.dsl.resources.english_words import WEEKDAYS
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.veritrip.facts_check.verdict import Citation
from planspec.families.veritrip.format.cells import weekday
from planspec.families.veritrip.format.reading import ReadRow
from planspec.families.veritrip.format.tables import OWN_CACHE_SIZE, VeriTripTables, bare_name

FIELDS = {
    "name": ("existence",),
    "price_per_person": ("ticket",),
    "start_time": ("opens", "closed_on"),
    "end_time": ("closes", "visit"),
}
"""Facts that a document must state to support a cell, by column."""
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)

Values = dict[tuple[int, str, str], list[str]]
"""Stated values by document, subject and field."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Statements of the documents that a task's answers may cite.

    Attributes:
        values: stated values by document, subject and field.
        currency: currency of all prices.
    """

    values: Values
    currency: str

    @classmethod
    def of(cls, tables: VeriTripTables) -> Evidence:
        """Collect the documents' statements from the tables of a task."""
        return cls(_values_by_fact(tables.task.facts["Statement"]), tables.currency)

    def citation(self, row: ReadRow, column: str) -> Citation:
        """Return how the documents cited in a row of the itinerary support a cell of the row.

        To support a cell, cited documents must state each fact on which the cell depends, with the claimed
        value. Statements on closing days may be missing, since most attractions have no closing day.
        """
        if not row.cited:
            return "uncited"
        subject = bare_name(row.fact) if row.fact is not None else str(row.cells["name"].value or "")
        claim = _Claim.of(row, self.currency)
        support = {field: self._is_supported(row, subject, field, claim) for field in FIELDS[column]}
        if False in support.values():
            return "contradicted"
        return "silent" if any(support[field] is None for field in support if field != "closed_on") else "supported"

    def _is_supported(self, row: ReadRow, subject: str, field: str, claim: _Claim) -> bool | None:
        """Return whether a cited document agrees with the claim.

        Return None if no cited document states the fact.
        """
        values = [v for document in row.cited for v in self.values.get((document, subject, field), ())]
        agreements = [agreement for value in values if (agreement := claim.agrees_with(field, value)) is not None]
        return any(agreements) if agreements else None


@lru_cache(maxsize=OWN_CACHE_SIZE)
def _values_by_fact(facts: Facts) -> Values:
    values: Values = {}
    statement: Any
    for statement in facts.rows:
        values.setdefault((statement.document, statement.subject, statement.field), []).append(statement.value)
    return values


@dataclass(frozen=True, slots=True)
class _Claim:
    """Claims of an itinerary's row about an attraction. An attribute is None if its cell cannot be read.

    Attributes:
        price: ticket price in the main unit of the currency.
        weekday: weekday of the visit; Monday is 0.
        start: start of the visit, in minutes after midnight.
        end: end of the visit, in minutes after midnight; later than the start.
    """

    price: Fraction | None
    weekday: int | None
    start: int | None
    end: int | None

    @classmethod
    def of(cls, row: ReadRow, currency: str) -> _Claim:
        price, day, start, end = (
            row.cells[column].value for column in ("price_per_person", "Date", "start_time", "end_time")
        )
        if start is not None and end is not None and end < start:
            end += MINUTES_A_DAY
        return cls(
            None if price is None else Fraction(price, 10 ** minor_digits(currency)),
            None if day is None else weekday(day),
            start,
            end,
        )

    def agrees_with(self, field: str, value: str) -> bool | None:
        """Return whether a stated value agrees with the claim. Return None if the claim cannot be read."""
        match field:
            case "existence":
                return value == "true"
            case "ticket":
                return None if self.price is None else value.isdecimal() and self.price == int(value)
            case "opens":
                return None if self.start is None else _is_at_most(_parse_time(value), self.start)
            case "closes":
                return None if self.end is None else _is_at_most(self.end, _parse_time(value))
            case "closed_on":
                return None if self.weekday is None else WEEKDAYS[self.weekday] not in value.split("|")
            case "visit":
                least, dash, most = value.partition("-")
                if self.start is None or self.end is None:
                    return None
                is_span = dash and least.isdecimal() and most.isdecimal()
                return bool(is_span) and int(least) <= self.end - self.start <= int(most)
            case _:
                raise ValueError(f"a cell rests on no `{field}`")


def _is_at_most(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and a <= b


def _parse_time(value: str) -> int | None:
    match = _CLOCK.fullmatch(value)
    return int(match[1]) * 60 + int(match[2]) if match else None
