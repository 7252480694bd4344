"""Values that a task's own document sets, and those that its rules use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import add, mul, sub
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import DeclaredTool, HiddenName, Show, Tell
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Objective, ScopeRow, Task
from planspec.dsl.model.traversal import children, part_expressions
from planspec.dsl.model.types import EnumType, RowType, ScalarType, Table, Type
from planspec.dsl.model.value_text import row_key, show
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.mention import Measure, Reading
from planspec.verifiers.environment.query_text.mentions import mentions
from planspec.verifiers.environment.query_text.value_readings import (
    MEASURED,
    bare_numbers,
    item_type,
    items,
    value_readings,
)
from planspec.verifiers.environment.reads import ReadNames, show_reads, tool_reads

MOST_COUNTED = 500
"""Largest number of rows of a table whose groups are counted."""
Part: TypeAlias = t.Constraint | t.Definition | Objective | ScopeRow
CALCULATE: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}


@dataclass(frozen=True, slots=True)
class PartNodes:
    """Nodes of a part of a task: its literals, and calculations with two literals or givens."""

    literals: tuple[t.Literal, ...]
    calculations: tuple[t.Arith, ...]


VIEWS: Kind[Show | DeclaredTool, ReadNames] = Kind("names that shows and tools read")
NODES: Kind[Part, PartNodes] = Kind("literals and calculations of the parts of a task")


@dataclass(frozen=True, slots=True)
class RequestValue:
    """A value that the task's own document sets and that its query is to state.

    Attributes:
        name: the given or column.
        label: name of the value for people, such as `budget` or `Traveller[2].age`.
        value: the value; an item of a set or list has a request value of its own.
        type: its type.
        span: its place.
        tell: the author's declaration of how the query states it; None without one.
        is_constant: whether it is a literal of a constraint.
        row: position of its row in the table; None for givens and literals.
        is_item: whether it is an item of a set or list.
    """

    name: HiddenName
    label: str
    value: Any
    type: Type
    span: Span
    tell: Tell | None = None
    is_constant: bool = False
    row: int | None = None
    is_item: bool = False

    def text(self, currency: str | None) -> str:
        """Return the value in the language's notation."""
        return show(self.value, self.type, currency)


class RequestValues:
    """The values of a task's request.

    Args:
        task: the task.
        places: the places in its document.
    """

    def __init__(self, task: Task, places: DocumentPlaces) -> None:
        self._task, self._places = task, places

    @cached_property
    def given(self) -> tuple[RequestValue, ...]:
        """Items of the givens that the document sets and that agents do not see otherwise."""
        result: list[RequestValue] = []
        for name, span in self._places.givens.items():
            declared = self._task.given_declarations.get(name)
            fact = HiddenName(name)
            if declared is None or self._is_seen_otherwise(fact):
                continue
            type_ = item_type(declared.type)
            for item in items(self._task.givens.get(name), declared.type):
                several = type_ != declared.type
                result.append(RequestValue(fact, name, item, type_, span, self._tell(fact), is_item=several))
        return tuple(result)

    @cached_property
    def cells(self) -> tuple[RequestValue, ...]:
        """Items of the cells in the rows that the document lists and that agents do not see otherwise."""
        return tuple(cell for name in sorted(self.own_rows) for cell in self._cells(name))

    def _cells(self, table: str) -> Iterator[RequestValue]:
        for (row, span), number in zip(self.own_rows[table], range(len(self.own_rows[table])), strict=True):
            for column in row._table.columns.values():
                fact = HiddenName(table, column.name)
                value = getattr(row, column.name)
                if self._is_seen_otherwise(fact) or (column.has_default and value == column.default):
                    continue
                label = f"{table}[{row_key(row, self._task.currency)}].{column.name}"
                type_ = item_type(column.type)
                for item in items(value, column.type):
                    several = type_ != column.type
                    yield RequestValue(fact, label, item, type_, span, self._tell(fact), row=number, is_item=several)

    @cached_property
    def constants(self) -> tuple[RequestValue, ...]:
        """Literals of the task's own constraints."""
        source = self._places.source
        own = [c for c in self._task.constraints if c.span.source is source]
        return tuple(
            RequestValue(HiddenName(c.id), c.id, literal.value, literal.type, literal.span, is_constant=True)
            for c in own
            for literal in self._nodes_of(c).literals
            if literal.value is not None and literal.span.source is source
        )

    @cached_property
    def own_rows(self) -> dict[str, list[tuple[Row, Span]]]:
        """The rows that the document itself lists, by table, with their places."""
        result: dict[str, list[tuple[Row, Span]]] = {}
        for name in self._task.own_tables:
            spans, rows = self._places.rows(name), self._task.facts[name].rows
            if spans is not None and len(spans) == len(rows):
                result[name] = list(zip(rows, spans, strict=True))
        return result

    @cached_property
    def _views(self) -> tuple[ReadNames, ...]:
        environment = self._task.environment
        return tuple(self._reads_of(view) for view in (*environment.shows.values(), *environment.tools.values()))

    def _reads_of(self, view: Show | DeclaredTool) -> ReadNames:
        memory = self._task.shared.of(VIEWS)
        reads = memory.get(view)
        if reads is None:
            reads = show_reads(view, self._task) if isinstance(view, Show) else tool_reads(view, self._task)
            memory[view] = reads
        return reads

    def _is_seen_otherwise(self, fact: HiddenName) -> bool:
        """Return whether a show or tool reads a fact, or it is hidden, so that the query need not state it."""
        hidden = self._task.environment.hidden
        if fact in hidden or HiddenName(fact.name) in hidden:
            return True
        return any(view.touch(fact) for view in self._views)

    def _tell(self, fact: HiddenName) -> Tell | None:
        claims = self._task.environment.tells
        exact = [claim for claim in claims if claim.name == fact]
        return next(iter(exact or [claim for claim in claims if claim.name == HiddenName(fact.name)]), None)

    # -- values in use ----------------------------------------------------------------------------

    @cached_property
    def are_computed(self) -> bool:
        """Whether the document sets a hidden given, which its author can have computed from the query.

        Then an amount or a name of the query can be in use although no value is equal to it.
        """
        return any(hidden.name in self._places.givens for hidden in self._task.environment.hidden)

    def may_be_computed(self, type_name: str) -> bool:
        """Return whether mentions of a table or a measure can be in use although no value is equal to them.

        They are in use by a value of their kind if the document sets a visible one.
        """
        return self.are_computed and type_name not in self._kinds_of_givens

    @cached_property
    def _kinds_of_givens(self) -> frozenset[str]:
        kinds: set[str] = set()
        for value in self.given:
            kinds |= {value.type.table} if isinstance(value.type, RowType) else set()
            kinds |= {reading.measure for reading in value_readings(value.value, value.type, self._task.currency)}
        return frozenset(kinds)

    @cached_property
    def named(self) -> frozenset[Any]:
        """Rows, enum members and texts that givens, the document's rows and literals use."""
        used = {value for value, type_ in self._request_values() if isinstance(value, str | Row)}
        used |= {row for rows in self.own_rows.values() for row, _ in rows}
        return frozenset(used | {literal.value for literal in self._all_literals() if isinstance(literal.value, str)})

    def _request_values(self) -> Iterator[tuple[Any, Type]]:
        """Yield the items of all givens and of the rows that the document lists."""
        for name, declared in self._task.given_declarations.items():
            for item in items(self._task.givens.get(name), declared.type):
                yield item, item_type(declared.type)
        for rows in self.own_rows.values():
            for row, _ in rows:
                for column in row._table.columns.values():
                    for item in items(getattr(row, column.name), column.type):
                        yield item, item_type(column.type)

    def used(self, *, literals: bool) -> UsedValues:
        """Return the values that the task uses, with or without the literals of its rules."""
        return self._used_by_rules if literals else self._used_by_request

    @cached_property
    def _used_by_request(self) -> UsedValues:
        return used_values(self._request_values(), self._replaced, (), self._task.currency)

    @cached_property
    def _used_by_rules(self) -> UsedValues:
        literals = ((literal.value, literal.type) for literal in self._all_literals())
        values = (*self._request_values(), *literals, *self._computed())
        return used_values(values, self._replaced, self._counts(), self._task.currency)

    def _all_literals(self) -> Iterator[t.Literal]:
        """Yield the literals of constraints, definitions, objectives and the scope."""
        return (literal for part in self._parts() for literal in self._nodes_of(part).literals)

    def _parts(self) -> Iterator[Part]:
        task = self._task
        yield from (*task.constraints, *task.definitions.values(), *task.objectives, *task.scope)

    def _nodes_of(self, part: Part) -> PartNodes:
        memory = self._task.shared.of(NODES)
        nodes = memory.get(part)
        if nodes is None:
            nodes = memory[part] = part_nodes(part)
        return nodes

    def _computed(self) -> Iterator[tuple[Any, Type]]:
        """Yield the results of calculations with literals and givens, such as `2 * rounds`."""
        for part in self._parts():
            for node in self._nodes_of(part).calculations:
                left, right = (_operand(side, self._task) for side in (node.left, node.right))
                if left is not None and right is not None:
                    yield CALCULATE[node.op](left, right), node.type

    def _counts(self) -> Iterator[int]:
        """Yield how many items, rows and members the task has of its kinds, as a query counts them."""
        task = self._task
        for name, declared in task.given_declarations.items():
            count = len(items(task.givens.get(name), declared.type))
            yield from (count, count - 1) if count else ()
        for name in task.own_tables:
            yield from _table_counts(task.facts[name].rows, task.tables[name])
        for enum in task.enums.values():
            yield len(enum.members)

    @cached_property
    def _replaced(self) -> frozenset[Reading]:
        """Readings of the values that earlier turns set."""
        return frozenset(r for text in self._places.replaced for m in mentions(text) for r in m.readings)


@dataclass(frozen=True, slots=True)
class UsedValues:
    """Values that a task's givens, rows and rules use, as readings.

    Attributes:
        exact: readings with their units.
        numbers: numbers, those with a unit without it.
        measures: the measures of the exact readings.
    """

    exact: frozenset[Reading]
    numbers: frozenset[Fraction]
    measures: frozenset[Measure]

    def __contains__(self, readings: frozenset[Reading]) -> bool:
        """Return whether one of some readings is in use."""
        if readings & self.exact:
            return True
        for reading in readings:
            if reading.measure == "number" and reading.value in self.numbers:
                return True
            if reading.measure not in self.measures and any(n in self.numbers for n in _unit_less(reading)):
                return True
        return False


def used_values(
    values: Iterable[tuple[Any, Type]], replaced: frozenset[Reading], counts: Iterable[int], currency: str | None
) -> UsedValues:
    """Return values as readings.

    Args:
        values: values with their types.
        replaced: further readings, of values that later turns replaced.
        counts: further numbers.
        currency: currency of the world.
    """
    exact: set[Reading] = set(replaced)
    bare: set[Fraction] = set(map(Fraction, counts))
    for value, type_ in values:
        if value is not None and type_ in MEASURED:
            exact.update(value_readings(value, type_, currency))
            bare.update(bare_numbers(value, type_, currency))
    bare.update(reading.value for reading in exact if reading.measure == "number")
    return UsedValues(frozenset(exact), frozenset(bare), frozenset(reading.measure for reading in exact))


def _unit_less(reading: Reading) -> Iterator[Fraction]:
    """Yield the numbers that state a reading in a model without units."""
    match reading.measure:
        case "duration":
            yield from (reading.value, reading.value / 60, reading.value / 1440)
        case "distance":
            yield from (reading.value, reading.value / 1000)
        case "money":
            yield from (reading.value, 100 * reading.value)
        case "time":
            yield from (reading.value, reading.value / 60)
        case _:
            yield reading.value


def _table_counts(rows: Iterable[Row], table: Table) -> Iterator[int]:
    listed = list(rows)
    yield len(listed)
    if len(listed) > MOST_COUNTED:
        return
    for column in table.columns.values():
        if isinstance(column.type, RowType | EnumType) or column.type in (ScalarType.TEXT, ScalarType.DATE):
            groups: dict[Any, int] = {}
            for row in listed:
                groups[getattr(row, column.name)] = groups.get(getattr(row, column.name), 0) + 1
            yield from (len(groups), *groups.values())


def part_nodes(part: Part) -> PartNodes:
    """Return the literals and simple calculations in a part of a task."""
    roots = [part.body] if isinstance(part, t.Definition) else list(part_expressions(part))
    nodes = list(_nodes(roots))
    return PartNodes(
        tuple(node for node in nodes if isinstance(node, t.Literal)),
        tuple(node for node in nodes if isinstance(node, t.Arith) and node.op in CALCULATE and _is_simple(node)),
    )


def _is_simple(node: t.Arith) -> bool:
    return all(isinstance(side, t.Literal | t.GivenRef) for side in (node.left, node.right))


def _operand(node: t.Expr, task: Task) -> int | Fraction | None:
    value = node.value if isinstance(node, t.Literal) else task.givens.get(getattr(node, "given").name)
    return value if isinstance(value, int | Fraction) and not isinstance(value, bool) else None


def _nodes(roots: Iterable[t.Expr]) -> Iterator[t.Expr]:
    stack = list(roots)
    while stack:
        node = stack.pop()
        yield node
        stack.extend(children(node))
