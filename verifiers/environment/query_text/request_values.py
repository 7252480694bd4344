"""Values of a task for comparison with its query: those that its document sets, and those that its constraints use."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Any

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.environment import HiddenName, Tell
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, RowType, ScalarType, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.dsl.resources.units import MINUTES_A_DAY
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.mention import Measure, Reading
from planspec.verifiers.environment.query_text.mentions import mentions
from planspec.verifiers.environment.query_text.names import named_tables
from planspec.verifiers.environment.query_text.part_nodes import (
    PartNodes,
    named_rows,
    part_nodes,
    results,
    task_nodes,
)
from planspec.verifiers.environment.query_text.shown_facts import ShownFacts, shown_facts
from planspec.verifiers.environment.query_text.used_values import UsedValues, table_counts, used_values
from planspec.verifiers.environment.query_text.value_readings import MEASURED, is_of_time, item_type, items

LEAST_NUMBERED = 3
"""A column can count as a numbering of the rows only if there are at least this many rows."""
COMMON: Kind[tuple[PartNodes, str | None], UsedValues] = Kind("values of literals in shared documents")


@dataclass(frozen=True, slots=True)
class RequestValue:
    """A value that the task's own document sets and that its query should state.

    Attributes:
        name: the parameter or column, or the id of the constraint with the literal.
        label: name of the value for people, such as `budget` or `Traveller[2].age`.
        value: the value, or one item of a set or list.
        type: its type.
        span: its position in the document.
        claim: entry under `tells:` about how the query states it; None if there is no entry.
        is_constant: whether it is a literal in a constraint.
        row: position of its row in the table; None for parameters and literals.
        is_item: whether it is an item of a set or list.
    """

    name: HiddenName
    label: str
    value: Any
    type: Type
    span: Span
    claim: Tell | None = None
    is_constant: bool = False
    row: int | None = None
    is_item: bool = False

    def text(self, currency: str | None) -> str:
        """Return the value as text in the notation of task documents, such as `08:30`."""
        return show(self.value, self.type, currency)


class RequestValues:
    """The values of a task that are compared with its queries.

    Args:
        task: the task.
        places: positions of the task's parts in its document.
        reported: parameters, tables and columns that are skipped, because they were already reported.
    """

    def __init__(self, task: Task, places: DocumentPlaces, reported: Collection[HiddenName]) -> None:
        self._task, self._places, self._reported = task, places, reported

    @cached_property
    def given(self) -> tuple[RequestValue, ...]:
        """Values of the document's parameters that the query should state, since agents learn them only from it.

        Each item of a set or list is a value of its own.
        """
        result: list[RequestValue] = []
        for name, span in self._places.givens.items():
            declared = self._task.given_declarations.get(name)
            fact = HiddenName(name)
            if declared is None or self._is_seen_otherwise(fact):
                continue
            type_ = item_type(declared.type)
            for item in items(self._task.givens.get(name), declared.type):
                several = type_ != declared.type
                result.append(RequestValue(fact, name, item, type_, span, self._claim(fact), is_item=several))
        return tuple(result)

    @cached_property
    def cells(self) -> tuple[RequestValue, ...]:
        """Values in the document's rows that the query should state, since agents learn them only from it.

        Each item of a set or list is a value of its own. Defaults of columns are skipped. If the task is one record of
        a file of tasks, rows that all its tasks share are skipped, too.
        """
        return tuple(cell for name in sorted(self.own_rows) if not self._is_shared(name) for cell in self._cells(name))

    def _is_shared(self, table: str) -> bool:
        """Return whether the task is one record of a file of tasks, and all records share the rows of a table."""
        source = self._task.span.source
        return self._task.record is not None and any(span.source is source for _, span in self.own_rows[table])

    def _cells(self, table: str) -> Iterator[RequestValue]:
        columns = [
            (column, fact, self._claim(fact))
            for column in self._task.tables[table].columns.values()
            if not self._is_seen_otherwise(fact := HiddenName(table, column.name))
            and not self._is_row_number(table, column)
        ]
        for number, (row, span) in enumerate(self.own_rows[table] if columns else ()):
            key = row_key(row, self._task.currency)
            for column, fact, claim in columns:
                value = getattr(row, column.name)
                if column.has_default and value == column.default:
                    continue
                label, type_ = f"{table}[{key}].{column.name}", item_type(column.type)
                for item in items(value, column.type):
                    several = type_ != column.type
                    yield RequestValue(fact, label, item, type_, span, claim, row=number, is_item=several)

    def _is_row_number(self, table: str, column: Column) -> bool:
        """Return whether a column numbers the rows from 0 or 1. Queries do not repeat such numbers."""
        if column.type is not ScalarType.INT:
            return False
        values = [getattr(row, column.name) for row, _ in self.own_rows[table]]
        return len(values) >= LEAST_NUMBERED and values in (
            [*range(len(values))],
            [*range(1, len(values) + 1)],
        )

    @cached_property
    def vocabularies(self) -> frozenset[str]:
        """Names of the document's tables whose rows are values of a parameter or of a column that is not part of a key.

        Tables whose rows are values in the key of a plan table are excluded.
        """
        task, own = self._task, self.own_rows.keys()
        types = [declared.type for declared in task.given_declarations.values()]
        types += [c.type for table in task.tables.values() for n, c in table.columns.items() if n not in table.key]
        keys = [table.columns[key].type for table in task.plan_tables for key in table.key]
        return (named_tables(types, task.tables) & own) - named_tables(keys, task.tables)

    def are_declared(self, table: str) -> bool:
        """Return whether the document itself declares the columns of a table, and not only rows of it."""
        return self._places.declares(table)

    @cached_property
    def constants(self) -> tuple[RequestValue, ...]:
        """Literals in the constraints of the task's own document, which the query may have to state.

        Constraints of other documents, such as libraries, are excluded.
        """
        source = self._places.source
        own = [c for c in self._task.constraints if c.span.source is source]
        return tuple(
            RequestValue(HiddenName(c.id), c.id, literal.value, literal.type, literal.span, is_constant=True)
            for c in own
            for literal in part_nodes([c]).literals
            if literal.value is not None and literal.span.source is source
        )

    @cached_property
    def own_rows(self) -> dict[str, list[tuple[Row, Span]]]:
        """The rows that the document itself lists, by table, with their positions."""
        result: dict[str, list[tuple[Row, Span]]] = {}
        for name in self._task.own_tables:
            spans, rows = self._places.rows(name), self._task.facts[name].rows
            if spans is not None and len(spans) == len(rows):
                result[name] = list(zip(rows, spans, strict=True))
        return result

    @cached_property
    def _shown(self) -> tuple[ShownFacts, ...]:
        return shown_facts(self._task)

    def is_hidden(self, given: str) -> bool:
        """Return whether a parameter is hidden from agents."""
        return HiddenName(given) in self._task.environment.hidden

    def _is_seen_otherwise(self, fact: HiddenName) -> bool:
        """Return whether a query need not state a fact, since it is shown, hidden from agents, or already reported."""
        for left_out in (self._task.environment.hidden, self._reported):
            if fact in left_out or HiddenName(fact.name) in left_out:
                return True
        return any(view.reveals(fact) for view in self._shown)

    def _claim(self, fact: HiddenName) -> Tell | None:
        claims = self._task.environment.tells
        exact = [claim for claim in claims if claim.name == fact]
        return next(iter(exact or [claim for claim in claims if claim.name == HiddenName(fact.name)]), None)

    # -- values in use ----------------------------------------------------------------------------

    @cached_property
    def are_computed(self) -> bool:
        """Whether the document sets a parameter hidden from agents, which the author may have computed from the query.

        In this case, a name or amount of the query need not equal a value of the task.
        """
        return any(hidden.name in self._places.givens for hidden in self._task.environment.hidden)

    @cached_property
    def may_be_computed(self) -> bool:
        """Whether the author may have computed hidden parameters from all values of the query.

        In this case, a value of the query need not occur in the task. This is assumed if the document sets a parameter
        hidden from agents, and sets no parameter that refers to rows and that the query should state.
        """
        return self.are_computed and not any(isinstance(value.type, RowType) for value in self.given)

    @cached_property
    def requested(self) -> frozenset[Any]:
        """Rows and strings, such as enum members, that the document sets in its parameters and in cells of its rows."""
        return frozenset(value for value, _ in self._request_values() if isinstance(value, str | Row))

    @cached_property
    def named(self) -> frozenset[Any]:
        """Rows and strings (such as enum members) in given parameters, in the document's rows and in constraints."""
        own = {row for rows in self.own_rows.values() for row, _ in rows}
        texts = {literal.value for each in self._nodes for literal in each.literals if isinstance(literal.value, str)}
        return self.requested.union(own, texts, *(named_rows(self._task, nodes) for nodes in self._nodes))

    @cached_property
    def _nodes(self) -> tuple[PartNodes, PartNodes]:
        return task_nodes(self._task)

    def _request_values(self) -> Iterator[tuple[Any, Type]]:
        """Yield the items of all given parameters and of the rows that the document lists, with their types."""
        return ((value, type_) for value, type_, _ in self._named_values())

    def _named_values(self) -> Iterator[tuple[Any, Type, str]]:
        """Yield the same items and types as `_request_values`, each with the name of its parameter or column."""
        for name, declared in self._task.given_declarations.items():
            for item in items(self._task.givens.get(name), declared.type):
                yield item, item_type(declared.type), name
        for rows in self.own_rows.values():
            for row, _ in rows:
                for column in row._table.columns.values():
                    for item in items(getattr(row, column.name), column.type):
                        yield item, item_type(column.type), column.name

    @cached_property
    def steps(self) -> Mapping[str, frozenset[Reading]]:
        """For each parameter that several turns set, the differences between the parameter's values in any two turns.

        A query may state such a difference, for example `20 minutes more`.
        """
        return {name: frozenset(_differences(texts)) for name, texts in self._places.changes.items()}

    @cached_property
    def used_by_request(self) -> frozenset[Reading]:
        """Values with their units that a query may state, as readings (possible meanings of words).

        These are the values of parameters and of rows that the document lists. Values that earlier turns set are
        included.
        """
        return self._request.exact | self._replaced

    @cached_property
    def _request(self) -> UsedValues:
        return used_values(self._request_values(), self._task.currency)

    @cached_property
    def used(self) -> UsedValues:
        """The values in given parameters, in the document's rows and in constraints."""
        own, common = self._nodes
        constants = [(literal.value, literal.type) for literal in own.literals]
        computed = [result for nodes in self._nodes for result in results(self._task, nodes)]
        of_rules = used_values([*constants, *computed], self._task.currency)
        return self._request.with_others(
            of_rules,
            self._common(common),
            readings=self._replaced.union(self.scope, self.numbers_of_days),
            numbers=self._counts(),
        )

    @cached_property
    def used_by_rules(self) -> UsedValues:
        """The values in given parameters and constraints."""
        return self.used_by_rules_without(frozenset())

    def used_by_rules_without(self, types: frozenset[Type]) -> UsedValues:
        """Return the values in given parameters and constraints, except values of some types."""
        constants = [(literal.value, literal.type) for nodes in self._nodes for literal in nodes.literals]
        computed = [result for nodes in self._nodes for result in results(self._task, nodes)]
        given = [
            (item, item_type(declared.type))
            for name, declared in self._task.given_declarations.items()
            for item in items(self._task.givens.get(name), declared.type)
        ]
        values = (each for each in (*constants, *computed, *given) if each[1] not in types)
        return used_values(values, self._task.currency)

    @cached_property
    def exact_numbers(self) -> frozenset[Fraction]:
        """Numbers without a unit in given parameters, the document's rows and constraints, but not counts of rows."""
        exact = self.used_by_rules.exact | self.used_by_request
        return frozenset(reading.value for reading in exact if reading.measure == "number")

    @cached_property
    def hidden_measures(self) -> tuple[frozenset[Measure] | None, ...]:
        """The kinds of values of each hidden parameter that the document sets: `number`, `money` and so on.

        The entry of a parameter is None if its values are rows.
        Parameters with strings, Booleans or enum members are skipped, because authors hardly ever compute such values
        from a bound in the query, such as `up to six`.
        """
        result: list[frozenset[Measure] | None] = []
        for name in sorted(self._places.givens):
            declared = self._task.given_declarations.get(name)
            if declared is not None and self.is_hidden(name):
                type_ = item_type(declared.type)
                values = [(item, type_) for item in items(self._task.givens.get(name), declared.type)]
                if type_ in MEASURED or isinstance(type_, RowType):
                    result.append(used_values(values, self._task.currency).measures or None)
        return tuple(result)

    @cached_property
    def used_by_days(self) -> UsedValues:
        """The values that a number of days in the query, such as `four days`, may state.

        If no parameter contains a date, these are all values of the task (`used`). Otherwise, values in parameters and
        rows are included only if they are durations, or whole numbers with a name such as `nights`. Counts of rows, and
        the day, month and year of dates, are then excluded.
        """
        if not self.numbers_of_days:
            return self.used
        own, _ = self._nodes
        constants = [(literal.value, literal.type) for literal in own.literals]
        computed = [result for nodes in self._nodes for result in results(self._task, nodes)]
        values = [(value, type_) for value, type_, name in self._named_values() if is_of_time(type_, name)]
        in_use = used_values([*values, *constants, *computed], self._task.currency)
        return in_use.with_others(readings=self._replaced.union(self.scope, self.numbers_of_days))

    @cached_property
    def scope(self) -> frozenset[Reading]:
        """The amounts in the scope (bounds of the search), as readings (possible meanings of words).

        Authors often repeat bounds of the query in the scope.
        """
        return frozenset(reading for mention in mentions(self._places.scope) for reading in mention.readings)

    def _common(self, nodes: PartNodes) -> UsedValues:
        """Return the values of literals with a unit in nodes of shared documents. They are cached for all tasks."""
        memory, key = self._task.shared.of(COMMON), (nodes, self._task.currency)
        values = memory.get(key)
        if values is None:
            literals = ((literal.value, literal.type) for literal in nodes.literals)
            united = ((v, type_) for v, type_ in literals if type_ not in (ScalarType.INT, ScalarType.DECIMAL))
            values = memory[key] = used_values(united, self._task.currency).without_numbers()
        return values

    def _counts(self) -> Iterator[int]:
        """Yield counts that a query may state: numbers of items of parameters, rows of tables, and members of enums."""
        task = self._task
        for name, declared in task.given_declarations.items():
            count = len(items(task.givens.get(name), declared.type))
            if item_type(declared.type) is not ScalarType.DATE and count:
                yield from (count, count - 1)
        keys = [table.columns[key].type for table in task.plan_tables for key in table.key]
        yield from (len(task.facts[name].rows) for name in named_tables(keys, task.tables))
        for name in task.own_tables:
            yield from table_counts(task.facts[name].rows, task.tables[name])
        for enum in task.enums.values():
            yield len(enum.members)

    @cached_property
    def numbers_of_days(self) -> frozenset[Reading]:
        """The numbers of days between any two dates of the parameters, both included, as durations in minutes."""
        return frozenset(self._numbers_of_days())

    def _numbers_of_days(self) -> Iterator[Reading]:
        task = self._task
        ends: set[int] = set()
        for name, declared in task.given_declarations.items():
            if item_type(declared.type) is ScalarType.DATE:
                days = sorted(items(task.givens.get(name), declared.type))
                in_a_row = len(days) > 1 and days[-1] - days[0] == len(days) - 1
                ends.update((days[0], days[-1]) if in_a_row else days)
        for one, other in combinations(sorted(ends), 2):
            yield Reading("duration", Fraction((other - one + 1) * MINUTES_A_DAY))
        if ends:
            yield Reading("duration", Fraction(MINUTES_A_DAY))

    @cached_property
    def _replaced(self) -> frozenset[Reading]:
        """Values that the last turn may have replaced, as readings (possible meanings of words).

        These are the amounts in parameters and constraints of earlier turns, and the differences between a parameter's
        values in any two turns. The queries of the conversation may still state them.
        """
        earlier = frozenset(r for text in self._places.replaced for m in mentions(text) for r in m.readings)
        return earlier.union(*self.steps.values())


def _differences(texts: Iterable[str]) -> Iterator[Reading]:
    """Yield the differences between the first amounts of any two texts, if both are of the same kind.

    Kinds are, for example, durations and money. The difference of two times is a duration.
    """
    amounts = [reading for text in texts for mention in mentions(text)[:1] for reading in mention.readings]
    for one, other in combinations(amounts, 2):
        if (one.measure, one.detail) == (other.measure, other.detail) and one.measure not in ("date", "weekday"):
            measure = "duration" if one.measure == "time" else one.measure
            yield Reading(measure, abs(one.value - other.value), one.detail)
