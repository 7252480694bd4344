"""Values that a task uses, converted to readings so that they can be compared with mentions in its query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Table, Type
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.environment.query_text.mention import Measure, Reading
from planspec.verifiers.environment.query_text.value_readings import MEASURED, bare_numbers, value_readings

MOST_COUNTED = 500
"""The different values in a table's columns are counted only if the table has at most this many rows."""


@dataclass(frozen=True, slots=True)
class UsedValues:
    """Values that a task uses in parameters, rows or constraints.

    Attributes:
        exact: the values with their measures, such as a duration or an amount of money.
        numbers: bare numbers by which a query may state values without their units.
        measures: the measures that occur in `exact`.
    """

    exact: frozenset[Reading]
    numbers: frozenset[Fraction]
    measures: frozenset[Measure]

    def without_numbers(self) -> UsedValues:
        """Return the values without `numbers`: a number without a unit in the query then matches none of them."""
        exact = frozenset(reading for reading in self.exact if reading.measure != "number")
        return UsedValues(exact, frozenset(), frozenset(reading.measure for reading in exact))

    def with_others(
        self, *others: UsedValues, readings: Iterable[Reading] = (), numbers: Iterable[int] = ()
    ) -> UsedValues:
        """Return the union of these values, the `others`, more readings with their units, and more numbers without."""
        exact = self.exact.union(readings, *(other.exact for other in others))
        return _collected(exact, self.numbers.union(map(Fraction, numbers), *(other.numbers for other in others)))

    def __contains__(self, readings: frozenset[Reading]) -> bool:
        """Return whether any of the readings is one of the values."""
        if readings & self.exact:
            return True
        for reading in readings:
            if reading.measure == "number" and reading.value in self.numbers:
                return True
            if reading.measure not in self.measures and any(n in self.numbers for n in unit_less(reading)):
                return True
        return False


def used_values(values: Iterable[tuple[Any, Type]], currency: str | None) -> UsedValues:
    """Convert values to readings. *None* and values other than amounts, times and dates are skipped."""
    exact: set[Reading] = set()
    bare: set[Fraction] = set()
    for value, type_ in {each for each in values if each[1] in MEASURED}:
        if value is not None:
            exact.update(value_readings(value, type_, currency))
            bare.update(bare_numbers(value, type_, currency))
    return _collected(exact, bare)


def _collected(exact: Iterable[Reading], bare: Iterable[Fraction]) -> UsedValues:
    readings = frozenset(exact)
    numbers = frozenset(bare).union(reading.value for reading in readings if reading.measure == "number")
    return UsedValues(readings, numbers, frozenset(reading.measure for reading in readings))


def unit_less(reading: Reading) -> Iterator[Fraction]:
    """Yield the numbers that may state a reading if its unit is left out, such as 90 and 1.5 for 90 minutes."""
    match reading.measure:
        case "duration":
            yield from (reading.value, reading.value / 60, reading.value / MINUTES_A_DAY)
        case "distance":
            yield from (reading.value, reading.value / 1000)
        case "money":
            yield from (reading.value, 100 * reading.value)
        case "time":
            yield from (reading.value, reading.value / 60)
        case _:
            yield reading.value


def table_counts(rows: Iterable[Row], table: Table) -> Iterator[int]:
    """Yield counts that a query may state: the number of rows, and the number of different values in each column."""
    listed = list(rows)
    yield len(listed)
    if len(listed) > MOST_COUNTED:
        return
    for column in table.columns.values():
        if isinstance(column.type, RowType | EnumType) or column.type in (ScalarType.TEXT, ScalarType.DATE):
            groups: dict[Any, int] = {}
            for row in listed:
                groups[getattr(row, column.name)] = groups.get(getattr(row, column.name), 0) + 1
            yield len(groups)
