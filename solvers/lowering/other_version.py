"""Another version of a task over the rows of a search: the conditions under which it accepts the plan, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table, Type
from planspec.solvers.ir.builder import BoundError
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.decision_rows import DecisionRows
from planspec.solvers.lowering.lower import Lowering
from planspec.solvers.lowering.problem import Lowered, report_unstated
from planspec.solvers.lowering.symbolic import NotSupportedError, RowVariables, Tab, Value, is_concrete, tab
from planspec.verifiers.meaning.counterparts import NoCounterpartError, counterpart
from planspec.verifiers.meaning.ground import Ground, GroundRow


class OpenKeysError(Exception):
    """A closed scope leaves keys open: which rows it allows together is not said of each row alone."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherVersion:
    """What another version of a task says of a plan in the search.

    Attributes:
        conditions: all hold of exactly the plans that it accepts.
    """

    conditions: tuple[Rooted, ...]

    @property
    def accepts(self) -> Sequence[Bool]:
        """The conditions without their names."""
        return [rooted.condition for rooted in self.conditions]


def other_version(lowered: Lowered, other: Ground, *, closed: bool) -> OtherVersion:
    """The conditions of another version of a task over the rows of this one's search.

    The rows stay variables of the one search: where both versions look up the same in their facts, their conditions
    are the same nodes.

    Args:
        lowered: the search; its hard conditions are taken to hold, those on the shape of plans among them.
        other: the other version, whose plan tables have the same form.
        closed: the scope that is searched may offer rows that `other` does not, so that it matters whether that is closed.

    Raises:
        DiagnosticError: something has no encoding (PS501, PS502) or passes 2**53 (PS503).
        OpenKeysError: `other` is closed, and which rows it allows cannot be said.
    """
    report = Report()
    readable: list[Rooted] = []
    rows = {
        name: [_counterpart(slot, other, lowered, readable) for slot in slots]
        for name, slots in lowered.slots.by_table.items()
    }
    model = lowered.problem.model
    coding = lowered.coding.of_version(other, lambda row: _counterpart_row(row, other.task))
    lowering = Lowering(other, model, DecisionRows(rows, {}, {}, [], {}), coding)
    made = [rooted for rooted in readable if rooted.condition is not TRUE]
    for instance in other.instances:
        if not (instance.applicable and instance.constraint.hard):
            continue
        try:
            condition = lowering.condition(instance.constraint.body, instance.env)
        except (NotSupportedError, BoundError) as error:
            report_unstated(error, instance.constraint.body, report)
        else:
            made.append(Rooted(condition, instance.id))
    report.stop_if_failed()
    if closed and other.task.closed:
        for table in other.task.plan_tables:
            if not table.one:
                offered = other.rows[table.name]
                made.extend(
                    Rooted(condition, f"plan:{table.name}")
                    for condition in _law(lowering, table, rows[table.name], offered)
                )
    return OtherVersion(tuple(made))


def _counterpart(slot: RowVariables, other: Ground, lowered: Lowered, readable: list[Rooted]) -> RowVariables:
    """A row of the search as the other version has it; notes when that can read it."""
    task, model = other.task, lowered.problem.model
    fields: dict[str, Value] = {}
    for name, column in slot.table.columns.items():
        value, bad = _value(slot.fields[name], column.type, task)
        fields[name] = value
        if bad is not None:
            lost = TRUE if bad is True else model.in_table(*bad)
            condition = model.negate(model.conj((slot.present, lost)))
            readable.append(Rooted(condition, f"plan:{slot.table.name}.{name}"))
    return RowVariables(task.tables[slot.table.name], slot.index, slot.present, fields)


def _counterpart_row(row: Row, task: Task) -> Row | None:
    try:
        found: Row = counterpart(row, row._table.type, task)
    except NoCounterpartError:
        return None
    return found


def _value(value: Value, of: Type, task: Task) -> tuple[Value, Any]:
    """A field's value in the other version, and where that has none: always, for some codes, or never (None)."""
    if isinstance(value, Tab):
        cells, lost = {}, []
        for codes, cell in value.values.items():
            try:
                cells[codes] = counterpart(cell, of, task)
            except NoCounterpartError:
                lost.append(codes)
        return tab(value.vars, cells, value.space), (value.vars, lost) if lost else None
    if is_concrete(value):
        try:
            return counterpart(value, of, task), None
        except NoCounterpartError:
            return None, True
    return value, None  # a number is itself


def _law(
    lowering: Lowering, table: Table, slots: Sequence[RowVariables], offered: Sequence[GroundRow]
) -> Iterator[Bool]:
    """The conditions of a closed table: every row is one that is offered, and those that must be there are.

    Raises:
        OpenKeysError: the scope leaves keys open.
    """
    model, equal = lowering.model, lowering.atoms.equal
    if not table.key:
        count = model.sum(model.indicator(slot.present) for slot in slots)
        needed = sum(not row.optional for row in offered)
        yield model.at_most_zero(model.minus(count, model.constant(len(offered))))
        yield model.at_most_zero(model.minus(model.constant(needed), count))
        return
    keys: dict[tuple[Any, ...], bool] = {}
    for row in offered:
        key = tuple(_settled(row, name) for name in table.key)
        keys[key] = keys.get(key, False) or not row.optional

    def has(slot: RowVariables, key: tuple[Any, ...]) -> Bool:
        parts = (equal(slot.fields[name], part) for name, part in zip(table.key, key, strict=True))
        return model.conj((slot.present, *parts))

    for slot in slots:
        yield model.disj((model.negate(slot.present), *(has(slot, key) for key in keys)))
    for key, needed_here in keys.items():
        if needed_here:
            yield model.disj(has(slot, key) for slot in slots)


def _settled(row: GroundRow, name: str) -> Any:
    domain = row.fields[name]
    if domain.open or not domain.values:
        raise OpenKeysError(f"the closed scope leaves `{row.table.name}.{name}` open")
    return domain.values[0]
