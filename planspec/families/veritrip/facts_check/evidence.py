"""Evidence: whether the cited documents of an answer support its cells."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.values import minor_digits
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.families.veritrip.facts_check.verdict import Citation
from planspec.families.veritrip.format.cells import WEEKDAYS, weekday
from planspec.families.veritrip.format.reading import ReadRow
from planspec.families.veritrip.format.tables import OWN, VeriTripTables, bare_name

FIELDS = {
    "name": ("existence",), "price_per_person": ("ticket",), "start_time": ("opens", "closed_on"),
    "end_time": ("closes", "visit"),
}  # fmt: skip
"""Facts that a document must state to support a cell, by column."""
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})", re.ASCII)

Values = dict[tuple[int, str, str], list[str]]
"""Values by document, subject and field."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Statements of the documents on a city."""

    values: Values
    currency: str

    @classmethod
    def of(cls, tables: VeriTripTables) -> Evidence:
        """Collect the evidence of a task's statements."""
        return cls(_values_of(tables.task.facts["Statement"]), tables.currency)

    def citation(self, row: ReadRow, column: str) -> Citation:
        """Return whether the citations of an itinerary's row support one of its cells.

        Each fact that the cell rests on must be stated by a cited document, with the claimed value. A lack of
        statements on closed days is no fault: most attractions have none.
        """
        if not row.cited:
            return "uncited"
        subject = bare_name(row.fact) if row.fact is not None else str(row.cells["name"].value or "")
        claim = _Claim.of(row, self.currency)
        support = {field: self._is_supported(row, subject, field, claim) for field in FIELDS[column]}
        if False in support.values():
            return "contradicted"
        return (
            "silent"
            if any(support[field] is None for field in support if field != "closed_on")
            else "supported"
        )

    def _is_supported(self, row: ReadRow, subject: str, field: str, claim: _Claim) -> bool | None:
        """Return whether a cited document agrees; None if none mentions the fact."""
        values = [v for document in row.cited for v in self.values.get((document, subject, field), ())]
        agreements = [agrees for value in values if (agrees := claim.agrees(field, value)) is not None]
        return any(agreements) if agreements else None


@lru_cache(maxsize=OWN)
def _values_of(facts: Facts) -> Values:
    values: Values = {}
    statement: Any
    for statement in facts.rows:
        values.setdefault((statement.document, statement.subject, statement.field), []).append(
            statement.value
        )
    return values


@dataclass(frozen=True, slots=True)
class _Claim:
    """Claims of an itinerary's row about an attraction; None for those that cannot be read.

    Attributes:
        price: price in the main unit of the currency.
        weekday: weekday; Monday is 0.
        start: start, in minutes.
        end: end, in minutes, later than the start.
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

    def agrees(self, field: str, value: str) -> bool | None:
        """Return whether a document's statement agrees with the claim; None if the claim cannot be read."""
        match field:
            case "existence":
                return value == "true"
            case "ticket":
                return None if self.price is None else value.isdecimal() and self.price == int(value)
            case "opens":
                return None if self.start is None else _at_most(_minutes(value), self.start)
            case "closes":
                return None if self.end is None else _at_most(self.end, _minutes(value))
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


def _at_most(a: int | None, b: int | None) -> bool:
    return a is not None and b is not None and a <= b


def _minutes(value: str) -> int | None:
    match = _CLOCK.fullmatch(value)
    return int(match[1]) * 60 + int(match[2]) if match else None
