"""Conditions under which a plan of a lowered task is also a plan of another version of the task."""

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
from planspec.solvers.lowering.problem import Lowered, report_unsupported
from planspec.solvers.lowering.symbolic import NotSupportedError, RowVariables, Tab, Value, is_concrete, tab
from planspec.verifiers.meaning.counterparts import NoCounterpartError, counterpart
from planspec.verifiers.meaning.ground import Ground, GroundRow


class OpenKeysError(Exception):
    """The rows that a task allows cannot be listed, because their keys are not constant in its scope."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherVersion:
    """Another version of a task, such as one with a changed constraint, as conditions on the first version's variables.

    Attributes:
        conditions: conditions that all hold if and only if the other version accepts the solver's plan.
    """

    conditions: tuple[Rooted, ...]

    @property
    def accepts(self) -> Sequence[Bool]:
        """The conditions under which the other version accepts a plan, without the names of their constraints."""
        return [rooted.condition for rooted in self.conditions]


def other_version(lowered: Lowered, other: Ground, *, closed: bool) -> OtherVersion:
    """Return conditions on the variables of a lowered task under which another version of the task accepts the plan.

    The versions may differ in a constraint, for example. Equal conditions over equal static tables become the same
    nodes in both versions.

    Args:
        lowered: the lowered version. Its hard conditions are assumed to hold, including those on the keys and the
            number of each table's rows.
        other: the other version. Its plan tables must have the same columns and types.
        closed: whether to also require that the plan is in the scope of `other` (the rows that its plans may have), if
            `other` declares its scope closed. This is necessary if the scopes of the two versions differ.

    Raises:
        DiagnosticError: a constraint has no encoding (PS501, PS502), or a number in it may exceed 2**53 (PS503).
        OpenKeysError: the scope of `other` is closed, and its rows have keys that are not constant.
    """
    report = Report()
    readable: list[Rooted] = []
    rows = {
        name: [_counterpart(slot, other, lowered, readable) for slot in slots]
        for name, slots in lowered.slots.by_table.items()
    }
    model = lowered.problem.model
    coding = lowered.coding.for_version(other, lambda row: _counterpart_or_none(row, other.task))
    lowering = Lowering(other, model, DecisionRows(rows, {}, {}, [], {}), coding)
    conditions = [rooted for rooted in readable if rooted.condition is not TRUE]
    for instance in other.instances:
        if not (instance.applicable and instance.constraint.hard):
            continue
        try:
            condition = lowering.condition(instance.constraint.body, instance.env)
        except (NotSupportedError, BoundError) as error:
            report_unsupported(error, instance.constraint.body, report)
        else:
            conditions.append(Rooted(condition, instance.id))
    report.stop_if_failed()
    if closed and other.task.closed:
        for table in other.task.plan_tables:
            if not table.one:
                scope_rows = other.rows[table.name]
                conditions.extend(
                    Rooted(condition, f"plan:{table.name}")
                    for condition in _closed_scope(lowering, table, rows[table.name], scope_rows)
                )
    return OtherVersion(tuple(conditions))


def _counterpart(slot: RowVariables, other: Ground, lowered: Lowered, readable: list[Rooted]) -> RowVariables:
    """Translate a slot (a possible plan row) into the other version: its table, and the corresponding values.

    Append to `readable` the conditions that the row, if present, has only values that exist in that version.
    """
    task, model = other.task, lowered.problem.model
    fields: dict[str, Value] = {}
    for name, column in slot.table.columns.items():
        value, unreadable = _counterpart_value(slot.fields[name], column.type, task)
        fields[name] = value
        if unreadable is not None:
            failing = TRUE if unreadable is True else model.in_table(*unreadable)
            condition = model.negate(model.conj((slot.present, failing)))
            readable.append(Rooted(condition, f"plan:{slot.table.name}.{name}"))
    return RowVariables(task.tables[slot.table.name], slot.index, slot.present, fields)


def _counterpart_or_none(row: Row, task: Task) -> Row | None:
    try:
        other_row: Row = counterpart(row, row._table.type, task)
    except NoCounterpartError:
        return None
    return other_row


def _counterpart_value(value: Value, type_: Type, task: Task) -> tuple[Value, Any]:
    """Return a field's value in the other version, and the cases in which it has no counterpart in that version.

    The cases are None if the value always has a counterpart, and True if it never has one. If that depends on the plan,
    they are a pair: the decision variables of the value, and the combinations of codes (integers that encode values) of
    these variables for which the value has no counterpart.
    """
    if isinstance(value, Tab):
        cells, codes_without = {}, []
        for codes, cell in value.values.items():
            try:
                cells[codes] = counterpart(cell, type_, task)
            except NoCounterpartError:
                codes_without.append(codes)
        return tab(value.vars, cells, value.space), (value.vars, codes_without) if codes_without else None
    if is_concrete(value):
        try:
            return counterpart(value, type_, task), None
        except NoCounterpartError:
            return None, True
    return value, None  # a number has the same code in all versions


def _closed_scope(
    lowering: Lowering, table: Table, slots: Sequence[RowVariables], scope_rows: Sequence[GroundRow]
) -> Iterator[Bool]:
    """Yield the conditions that a plan table has only rows that another version allows, and all rows that it requires.

    Args:
        lowering: the lowering of the other version.
        table: plan table of the other version.
        slots: rows that the plan may have in the table.
        scope_rows: rows that the other version allows; those that are not optional are required.

    Raises:
        OpenKeysError: a key in the scope is not constant.
    """
    model, equal = lowering.model, lowering.atoms.equal
    if not table.key:
        count = model.sum(model.indicator(slot.present) for slot in slots)
        required = sum(not row.optional for row in scope_rows)
        yield model.at_most_zero(model.minus(count, model.constant(len(scope_rows))))
        yield model.at_most_zero(model.minus(model.constant(required), count))
        return
    keys: dict[tuple[Any, ...], bool] = {}
    for row in scope_rows:
        key = tuple(_constant_value(row, name) for name in table.key)
        keys[key] = keys.get(key, False) or not row.optional

    def has(slot: RowVariables, key: tuple[Any, ...]) -> Bool:
        parts = (equal(slot.fields[name], part) for name, part in zip(table.key, key, strict=True))
        return model.conj((slot.present, *parts))

    for slot in slots:
        yield model.disj((model.negate(slot.present), *(has(slot, key) for key in keys)))
    for key, is_required in keys.items():
        if is_required:
            yield model.disj(has(slot, key) for slot in slots)


def _constant_value(row: GroundRow, name: str) -> Any:
    domain = row.fields[name]
    if domain.open or not domain.values:
        raise OpenKeysError(f"the closed scope leaves `{row.table.name}.{name}` open")
    return domain.values[0]
