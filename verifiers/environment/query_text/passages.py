"""Passages of queries that authors quote under `tells:`, to declare which words state a value of the task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Type
from planspec.verifiers.environment.query_text.mention import Measure, Reading, numbers
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues
from planspec.verifiers.environment.query_text.value_readings import bare_numbers, item_type, items, value_readings

MEASURES_WITH_UNIT = frozenset({"time", "duration", "money"})
"""Kinds of amounts in a quotation that must be values of the task even if the quoted value is of another kind."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage that the author quotes as the statement of a given parameter, a column or a table.

    Attributes:
        claim: the entry under `tells:`.
        part: position of the passage.
        values: the items of the parameter, column or table with their types. Items that equal their column's default
            are excluded.
        named: rows, enum members and texts among the items, including defaults.
        readings: the readings of `values`, with and without their units.
        measures: the kinds of `values`, such as `money`.
    """

    claim: Tell
    part: QueryPart
    values: tuple[tuple[Any, Type], ...]
    named: frozenset[Any]
    readings: frozenset[Reading]
    measures: frozenset[Measure]


def passages(task: Task, queries: Queries, values: RequestValues) -> tuple[Passage, ...]:
    """Return the passages that the author quotes under `tells:`."""
    result: list[Passage] = []
    for claim in task.environment.tells:
        part = queries.passage(claim)
        if part is not None:
            everything = list(_values(task, values, claim.name))
            explicit = tuple((value, type_) for value, type_, is_default in everything if not is_default)
            named = frozenset(value for value, *_ in everything if isinstance(value, str | Row))
            exact = {reading for value, type_ in explicit for reading in value_readings(value, type_, task.currency)}
            bare = numbers(number for value, type_ in explicit for number in bare_numbers(value, type_, task.currency))
            measures = frozenset(reading.measure for reading in exact)
            result.append(Passage(claim, part, explicit, named, bare | exact, measures))
    return tuple(result)


def _values(task: Task, values: RequestValues, name: HiddenName) -> Iterator[tuple[Any, Type, bool]]:
    """Yield the items of a parameter, column or table of the document: value, type, and whether it is a default."""
    declared = task.given_declarations.get(name.name)
    if declared is not None:
        for item in items(task.givens.get(name.name), declared.type):
            yield item, item_type(declared.type), False
    for row, _ in values.own_rows.get(name.name, ()):
        for column in row._table.columns.values():
            value = getattr(row, column.name)
            is_default = column.has_default and value == column.default
            if name.column in (None, column.name):
                yield from ((item, item_type(column.type), is_default) for item in items(value, column.type))


def unused_mentions(
    queries: Queries,
    values: RequestValues,
    quotations: Sequence[Passage],
    names: Iterable[QueryPart],
) -> tuple[PlacedMention, ...]:
    """Return the mentions whose values occur nowhere in the task.

    Words that may not state a value, such as `one` or `first`, are skipped (`Mention.is_definite`), and so are numbers
    inside names. In a quotation, mentions of another kind than the quoted value (such as durations) may be part of the
    wording, and are skipped; times, durations and money only if the quotation is for a column, or for a table of the
    document. The result is empty if the author may have computed hidden parameters from the queries
    (`RequestValues.may_be_computed`).

    Args:
        queries: the task's queries.
        values: the task's values.
        quotations: the author's quotations from the queries (`tells:`).
        names: parts of the queries that are names.
    """
    covered = list(names)
    return tuple(
        placed
        for placed in queries.mentions
        if placed.mention.is_definite
        and not values.may_be_computed
        and not any(name.overlaps(placed.part) for name in covered)
        and _is_unused(placed, values, [each for each in quotations if each.part.contains(placed.part)])
    )


def _is_unused(placed: PlacedMention, values: RequestValues, quotations: Sequence[Passage]) -> bool:
    """Return whether the task has no value that a mention may state. `quotations` are those with the mention."""
    mention = placed.mention
    if not quotations:
        return mention.readings not in (values.used_by_days if mention.counts_days else values.used)
    comparable = [passage for passage in quotations if any(map(mention.has, passage.measures))]
    if any(mention.readings & passage.readings for passage in quotations):
        return False
    if not comparable:
        of_rows = any(passage.claim.name.column or passage.claim.name.name in values.own_rows for passage in quotations)
        return not of_rows and mention.measure in MEASURES_WITH_UNIT and mention.readings not in values.used
    return not mention.readings & values.used_by_request
