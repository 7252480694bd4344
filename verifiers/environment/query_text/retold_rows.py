"""Warnings about queries that repeat a table's rows with wrong amounts, or without some of the rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Type
from planspec.dsl.model.value_text import show
from planspec.verifiers.environment.query_text.mention import Measure, Reading
from planspec.verifiers.environment.query_text.names import value_names
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.unset_givens import places_of
from planspec.verifiers.environment.query_text.value_readings import MEASURED, value_readings

MEASURES: frozenset[Measure] = frozenset({"time", "weekday", "date", "money", "distance"})
"""Kinds of amounts that are compared. Durations and numbers near a name often belong to something else."""
AMOUNTS = MEASURED - {ScalarType.INT, ScalarType.DECIMAL, ScalarType.DURATION}
MOST_ROWS = 60
"""Maximum number of rows of a table. Larger tables are not compared with the query."""
LEAST = 3
"""Minimum number of amounts that a query must state after the right names to count as repeating a table."""
SHARE = 3
"""Minimum ratio of right amounts to wrong amounts in a query that counts as repeating a table."""
SENTENCE = re.compile(r"(?<=[.?!;])\s+|(?<=[。！？；])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class _Fact:
    """An amount in a row, paired with a name that identifies the row.

    Attributes:
        name: value by which a sentence can name the row: the row itself, or a row or enum member in one of its cells.
        names: all such values of the row.
        value: the amount.
        type: type of the amount.
        span: position of the row in the document.
        is_usual: whether half of the rows have this amount, or it is the first or last time of its column. A query may
            omit such amounts.
    """

    name: Any
    names: frozenset[Any]
    value: Any
    type: Type
    span: Span
    is_usual: bool


@dataclass(frozen=True, slots=True)
class _Statement:
    """An amount in the query, paired with the nearest name before it in the sentence.

    Attributes:
        name: value (a row or an enum member, as in `_Fact`) that is named nearest before the amount.
        names: all such values that are named before the amount in its sentence.
        placed: the amount.
    """

    name: Any
    names: frozenset[Any]
    placed: PlacedMention


class _RepeatedTable:
    """A comparison of a table of the document with the sentences that name its rows."""

    def __init__(
        self, task: Task, queries: Queries, rows: list[tuple[Row, Span]], other_passages: Sequence[QueryPart]
    ) -> None:
        self._task, self._queries, self._rows = task, queries, rows
        self._other_passages = other_passages

    @cached_property
    def facts(self) -> list[_Fact]:
        """The amounts of all rows, each paired with every name of its row."""
        result: list[_Fact] = []
        for column in self._rows[0][0]._table.columns.values():
            values = [getattr(row, column.name) for row, _ in self._rows] if column.type in AMOUNTS else []
            counted = Counter(value for value in values if value is not None)
            usual = {value for value, count in counted.items() if 2 * count >= len(values)}
            if column.type is ScalarType.TIME:
                usual |= {min(counted, default=None), max(counted, default=None)}
            for (row, span), value in zip(self._rows, values, strict=bool(values)):
                if value is not None:
                    names = [name for name, _ in _names(row)]
                    result += (
                        _Fact(name, frozenset(names), value, column.type, span, value in usual) for name in names
                    )
        return result

    @cached_property
    def statements(self) -> list[_Statement]:
        """The amounts in the query that follow the name of a row in the same sentence."""
        names = {name: type_ for row, _ in self._rows for name, type_ in _names(row)}
        places = [
            (part, name)
            for name, type_ in names.items()
            for form in value_names(name, type_)
            for part in places_of(self._queries, form)
        ]
        result: list[_Statement] = []
        for sentence in sentences(self._queries):
            inside = sorted(
                ((part.start, name) for part, name in places if sentence.contains(part)), key=lambda p: p[0]
            )
            for placed in self._queries.mentions if inside else ():
                if any(part.contains(placed.part) for part in self._other_passages):
                    continue
                before = [name for start, name in inside if start < placed.part.start]
                if before and self._is_comparable(before[-1], placed) and sentence.contains(placed.part):
                    result.append(_Statement(before[-1], frozenset(before), placed))
        return result

    def _is_comparable(self, name: Any, placed: PlacedMention) -> bool:
        """Return whether a row with this name has an amount of the same kind (such as a time) as the mention."""
        kinds = {reading.measure for reading in self.readings(name)} & MEASURES
        return any(map(placed.mention.has, kinds))

    def readings(self, name: Any) -> frozenset[Reading]:
        """Return the amounts, as readings, in the rows that have the given name."""
        return self._readings.get(name, frozenset())

    @cached_property
    def _readings(self) -> dict[Any, frozenset[Reading]]:
        result: dict[Any, frozenset[Reading]] = {}
        for fact in self.facts:
            result[fact.name] = result.get(fact.name, frozenset()).union(self._readings_of(fact))
        return result

    def _readings_of(self, fact: _Fact) -> frozenset[Reading]:
        return frozenset(value_readings(fact.value, fact.type, self._task.currency))

    @cached_property
    def wrong(self) -> list[_Statement]:
        """The statements with a name and an amount that occur together in no row."""
        return [s for s in self.statements if not s.placed.mention.readings & self.readings(s.name)]

    @cached_property
    def left_out(self) -> list[_Fact]:
        """The amounts of the table that the query does not state. Usual amounts, which it may omit, are excluded."""
        return [f for f in self.facts if not f.is_usual and not self._has_statement(f)]

    def _has_statement(self, fact: _Fact) -> bool:
        readings = self._readings_of(fact)
        return any(fact.names & s.names and s.placed.mention.readings & readings for s in self.statements)

    @property
    def is_repeated(self) -> bool:
        """Whether the query repeats most of the table, or repeats it with amounts exchanged between names."""
        right = len(self.statements) - len(self.wrong)
        is_mostly_right = right >= LEAST and right >= SHARE * len(self.wrong)
        return is_mostly_right or (len(self.statements) >= LEAST and self._are_exchanged())

    def _are_exchanged(self) -> bool:
        """Return whether the amounts of the wrong statements are right for other names, as if they were exchanged."""
        names = {statement.name for statement in self.wrong}
        statements = [statement for statement in self.statements if statement.name in names]
        facts = [fact for fact in self.facts if fact.name in names]
        if len(names) < 2 or len(statements) != len(facts):
            return False
        for statement in statements:
            fits = [fact for fact in facts if self._readings_of(fact) & statement.placed.mention.readings]
            if not fits:
                return False
            facts.remove(fits[0])
        return True


def report_retold_rows(
    task: Task, queries: Queries, values: RequestValues, quotations: Sequence[Passage], report: Report
) -> None:
    """Warn of wrong amounts and missing rows in queries that repeat a table.

    A query repeats a table if it states at least three amounts correctly after a name of their row. It must also state
    at least three times as many correctly as wrongly. The author's quotations for other tables and parameters are
    skipped.
    """
    for name, rows in sorted(values.own_rows.items()):
        if not 1 < len(rows) <= MOST_ROWS:
            continue
        own = [passage.part for passage in quotations if passage.claim.name.name == name]
        others = [p.part for p in quotations if not any(part.contains(p.part) for part in own)]
        table = _RepeatedTable(task, queries, rows, others)
        if not table.facts or not table.is_repeated:
            continue
        for statement in table.wrong:
            text = queries.text(statement.placed.part)
            report.warning(
                "PS441",
                f"the query says `{text}` of `{_display_name(statement.name)}`, and no row of `{name}` does",
                queries.span(statement.placed.part),
                f"the query repeats the rows of `{name}`",
                help="mend the query or the row",
            )
        if 0 < SHARE * len(table.left_out) <= len(table.statements):
            for fact in table.left_out:
                report.warning(
                    "PS442",
                    f"the query does not state `{show(fact.value, fact.type, task.currency)}` of `{_display_name(fact.name)}`"
                    f", and most rows of `{name}`",
                    fact.span,
                    "set here",
                    help="state it, or mend the row",
                )


def _names(row: Row) -> Iterator[tuple[Any, Type]]:
    """Yield the values that identify a row in a sentence: enum members and rows in its cells, and the row itself."""
    for column in row._table.columns.values():
        if isinstance(column.type, RowType | EnumType) and getattr(row, column.name) is not None:
            yield getattr(row, column.name), column.type
    if len(row._table.key) == 1 and row._table.columns[row._table.key[0]].type is ScalarType.TEXT:
        yield row, RowType(row._table.name)


def _display_name(name: Any) -> str:
    return "-".join(map(str, name._key)) if isinstance(name, Row) else str(name)


def sentences(queries: Queries) -> Iterator[QueryPart]:
    """Yield the position of each sentence in the queries."""
    for number, text in enumerate(queries.texts):
        start = 0
        for match in SENTENCE.finditer(text):
            yield QueryPart(number, start, match.start())
            start = match.end()
        yield QueryPart(number, start, len(text))
