"""Detection of fields named in the map of a table of tasks but missing from all records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.tables.record_fields import Field, Path, position
from planspec.dsl.tables.record_maps import RecordMap, Rows

MAX_LISTED_FIELDS = 20
"""The maximum number of fields that a message lists."""


@dataclass(slots=True)
class _Expected:
    """Expected fields of one kind of object that no object of this kind has had so far.

    Attributes:
        owner: kind of the objects, such as `record`.
        fields: the fields.
        names: all names of fields that occur in the objects.
        count: number of the objects.
    """

    owner: str
    fields: list[Field]
    names: dict[str, None] = field(default_factory=dict)
    count: int = 0

    def remove_fields_of(self, item: Any) -> None:
        """Count an object or list, and remove its fields from the expected fields."""
        self.count += 1
        if isinstance(item, dict):
            self.names.update(dict.fromkeys(item))
        if self.fields:
            self.fields = [each for each in self.fields if not has_field(item, each.path)]

    def report(self, report: Report) -> None:
        """Report the fields that no object had, unless there were no objects."""
        for each in self.fields if self.count else ():
            names = list(self.names)
            close = did_you_mean(each.path[0], names) if each.path and each.path[0] not in names else None
            help_text = close or f"there are {', '.join(names[:MAX_LISTED_FIELDS])}" if names else None
            message = f"no {self.owner} has the field `{each.name[:60]}`"
            report.error("PS014", message, each.span, f"no {self.owner} has it", help=help_text)


class MissingFields:
    """Finds the fields named in a map but missing from all records and from the items of their lists.

    Args:
        map: the map of a table of tasks.
    """

    def __init__(self, map: RecordMap) -> None:
        self._records = _Expected("record", list(map.fields))
        self._rows = [
            (rows, _Expected(f"row of `{rows.name.text}`", list(rows.columns.values())))
            for rows in map.tables
            if rows.columns
        ]

    @property
    def count(self) -> int:
        """The number of records so far."""
        return self._records.count

    @property
    def names(self) -> list[str]:
        """The names of all fields of the records so far."""
        return list(self._records.names)

    @property
    def paths(self) -> frozenset[Path]:
        """The paths of the fields that no record has had so far."""
        return frozenset(each.path for each in self._records.fields)

    @property
    def tables(self) -> frozenset[str]:
        """The tables for which no record so far had a row with an expected field."""
        return frozenset(rows.name.text for rows, expected in self._rows if expected.count and expected.fields)

    def remove_fields_of(self, record: dict[str, Any]) -> None:
        """Remove the fields of a record from the expected fields."""
        self._records.remove_fields_of(record)
        for rows, expected in self._rows:
            if expected.fields:
                for item in _items(record, rows):
                    expected.remove_fields_of(item)

    def report(self, report: Report) -> None:
        """Report the fields that no record has had."""
        self._records.report(report)
        for _, expected in self._rows:
            expected.report(report)


def has_field(data: Any, path: Path) -> bool:
    """Return whether decoded JSON has a value, possibly null, at a path."""
    return not path or any(True for _ in _values_at(data, path))


def data_at(data: Any, path: Path) -> Any:
    """Return the value of decoded JSON at a path; None if there is none."""
    return next(_values_at(data, path), None)


def _values_at(data: Any, path: Path) -> Iterator[Any]:
    """Yield the value of decoded JSON at a path, or nothing if there is none."""
    for step in path:
        at = position(step) if isinstance(data, list) else None
        if isinstance(data, dict) and step in data:
            data = data[step]
        elif at is not None and at < len(data):
            data = data[at]
        else:
            return
    yield data


def _items(record: dict[str, Any], rows: Rows) -> Iterator[Any]:
    """Yield the items of a record that become rows of a table."""
    found = None if rows.each is None else data_at(record, rows.each.path)
    if not rows.keys:
        yield from found[rows.skip :] if isinstance(found, list) else ()
        return
    level = [found]
    for _ in rows.keys:
        level = [value for item in level if isinstance(item, dict) for value in item.values()]
    yield from level
