"""Slots: the rows that a plan may have, as decision variables. The values of their fields are encoded as integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from planspec.dsl.model.facts import hashable
from planspec.dsl.model.rows import Row, make_row
from planspec.dsl.model.types import INTEGRAL, EnumType, RowType, ScalarType, Table
from planspec.dsl.resources.deadline import tick
from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.domain import Domain
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import FALSE, TRUE, Bool, IntVar, Linear
from planspec.solvers.ir.problem import Problem, Rooted, RowVars
from planspec.solvers.lowering.symbolic import Num, RowVariables, Tab, Value, is_concrete, tab
from planspec.solvers.lowering.tabulated import Tabulated
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan

FieldKey = tuple[str, int, str]
"""The key of a field: name of its table, index of its slot (row that the plan may have), name of its column."""

MAX_STEPS = 10_000
"""Maximum number of steps of a grid, such as 0, 5, 10, ..., whose numbers are all listed as a variable's domain.

On larger grids, the field's variable counts the steps.
"""


@dataclass(frozen=True, slots=True)
class Grid:
    """The possible numbers `start`, `start + step`, ... of a field whose decision variable counts steps.

    A value v of the variable means the number `start + step * v`. For *none*, the variable has the value `none`.
    """

    start: int = 0
    step: int = 1
    none: int = -1

    def value(self, code: int) -> int:
        """Return the value of the decision variable, which is the number of steps, for a number on the grid."""
        return (code - self.start) // self.step


@dataclass(frozen=True, slots=True)
class PresolveFacts:
    """Results of presolve: what the conditions imply about fields.

    Attributes:
        domains: narrowed domain of each field whose domain presolve has changed.
        aliases: for each field that equals another field plus a constant, the other field and the constant.
    """

    domains: Mapping[FieldKey, Domain] = field(default_factory=dict)
    aliases: Mapping[FieldKey, tuple[FieldKey, int]] = field(default_factory=dict)


class ValueEncoding:
    """The encoding of the values of plan columns as integers (codes). All rows of a table share it.

    The code of a number, time or Boolean is its value. The code of an enum member is its index in the enum. Rows of
    static tables that plan fields may have as values are numbered in the order of their table, so that their codes have
    few gaps. All other rows and values are numbered in the order in which they are encountered. *none* has a separate
    code, below all others.

    Attributes:
        tabulated: cache of tables, over the codes, of functions that read only static data.
    """

    def __init__(self, ground: Ground) -> None:
        self.tabulated = Tabulated()
        self._enums = ground.task.enums
        self._none: dict[tuple[str, str], int] = {}
        self._pools: dict[tuple[str, str], dict[Any, int]] = {}
        self._types = {(t.name, c.name): c.type for t in ground.task.plan_tables for c in t.columns.values()}
        self._rows: dict[Table, dict[Row, int]] = {}
        for fact in _facts_in_scope(ground):
            codes = self._rows.setdefault(fact._table, {})
            codes[fact] = len(codes)
        for rows in ground.rows.values():
            for row in rows:
                for name, domain in row.fields.items():
                    if self.is_number(row.table.name, name):
                        low = domain.interval[0] if domain.interval else min(domain.values or (0,))
                        key = (row.table.name, name)
                        self._none[key] = min(self._none.get(key, -1), low - 1)

    def for_version(self, other: Ground, counterpart: Callable[[Row], Row | None]) -> ValueEncoding:
        """Return the encoding for another version of the task. Corresponding rows of static tables have equal codes.

        Args:
            other: the other version.
            counterpart: function that takes a row of a static table of this version and returns the corresponding row
                of the other version, or None if there is no such row.
        """
        encoding = ValueEncoding(other)
        encoding._rows = {  # codes of rows without a counterpart are not reused
            other.task.tables[table.name]: {counterpart(row) or row: code for row, code in codes.items()}
            for table, codes in self._rows.items()
            if table.name in other.task.tables
        }
        return encoding

    def is_number(self, table: str, column: str) -> bool:
        """Return whether the code of each value in the column is the value itself."""
        return self._types[table, column] in INTEGRAL

    def none(self, table: str, column: str) -> int:
        """Return the integer that encodes *none* in a column of a plan table."""
        return self._none.get((table, column), -1)

    def code(self, table: str, column: str, value: Any) -> int:
        """Return the integer that encodes a value of a column."""
        if value is None:
            return self.none(table, column)
        type_ = self._types[table, column]
        if type_ in INTEGRAL:
            return int(value)
        if type_ is ScalarType.BOOL:
            return int(value)
        if isinstance(type_, EnumType):
            return self._enums[type_.name].members.index(value)
        if isinstance(type_, RowType) and isinstance(value, Row):
            return self.row(value)
        pool = self._pools.setdefault((table, column), {})
        return pool.setdefault(hashable(value), len(pool))

    def row(self, row: Row) -> int:
        """Return the integer that encodes a row of a static table."""
        codes = self._rows.setdefault(row._table, {})
        return codes.setdefault(row, len(codes))

    def space(self, table: str, column: str) -> str | None:
        """Return the name of the code space of a column of a plan table; None if it has its own codes.

        In columns with the same code space, such as columns of one enum, equal values have equal codes.
        """
        type_ = self._types[table, column]
        if isinstance(type_, EnumType | RowType):
            return str(type_)
        return None


def _facts_in_scope(ground: Ground) -> list[Row]:
    """Return the rows of static tables that plan fields may have as values, in the order of the tables."""
    rows: dict[Row, None] = {}
    for domain in {id(d): d for rows in ground.rows.values() for row in rows for d in row.fields.values()}.values():
        rows.update((value, None) for value in domain.values or () if isinstance(value, Row))
    return sorted(rows, key=lambda row: (row._table.name, row._index))


@dataclass(slots=True)
class DecisionRows:
    """The slots (rows that the plan may have) of all plan tables, as decision variables.

    Attributes:
        by_table: slots of every plan table, by the name of the table.
        variables: decision variables of fields that are not constant and, under the column `?`, of the presence of
            optional rows. The values of a field's variable are codes (integers that encode values), or numbers of steps
            if the field is in `grids`.
        codes: linear expression of each field's code.
        hard: conditions that fix the fields of absent rows.
        values: symbolic value of each field.
        grids: grid of each field whose variable counts steps.
    """

    by_table: dict[str, list[RowVariables]]
    variables: dict[FieldKey, IntVar]
    codes: dict[FieldKey, Linear]
    hard: list[Rooted]
    values: dict[FieldKey, Value]
    grids: dict[FieldKey, Grid] = field(default_factory=dict)


def make_slots(ground: Ground, model: NodeBuilder, coding: ValueEncoding, facts: PresolveFacts) -> DecisionRows:
    """Return a slot with new decision variables for each row that the task's scope allows the plan to have."""
    slots = DecisionRows({}, {}, {}, [], {})
    for table, rows in ground.rows.items():
        slots.by_table[table] = [_make_slot(row, i, model, coding, facts, slots) for i, row in enumerate(rows)]
    return slots


def _make_slot(
    row: GroundRow,
    index: int,
    model: NodeBuilder,
    coding: ValueEncoding,
    facts: PresolveFacts,
    slots: DecisionRows,
) -> RowVariables:
    tick()
    name = row.table.name
    present: Bool = TRUE
    if row.optional:
        var = _make_variable(model, (name, index, "?"), Domain.interval(0, 1), facts, slots)
        present = model.member(var, Domain.of([1])) if isinstance(var, IntVar) else (TRUE if var.constant else FALSE)
    fields: dict[str, Value] = {}
    for column, domain in row.fields.items():
        field_key = (name, index, column)
        value, code = _encode_field(domain, field_key, model, coding, facts, slots)
        fields[column] = value
        slots.codes[field_key] = code
        slots.values[field_key] = value
        if row.optional and field_key in slots.variables:
            pinned = model.is_zero(model.minus(code, model.constant(_first_code(domain, field_key, coding))))
            slots.hard.append(Rooted(model.disj((present, pinned)), f"plan:{name}"))
    return RowVariables(row.table, index, present, fields)


def _first_code(domain: FieldDomain, field_key: FieldKey, coding: ValueEncoding) -> int:
    """Return the code of a domain's first value. An absent row's field is fixed to it."""
    if domain.interval:
        return domain.interval[0]
    return coding.code(field_key[0], field_key[2], domain.values[0] if domain.values else None)


def _make_variable(
    model: NodeBuilder, field_key: FieldKey, domain: Domain, facts: PresolveFacts, slots: DecisionRows
) -> IntVar | Linear:
    narrowed = facts.domains.get(field_key)
    domain = domain if narrowed is None else domain & narrowed
    if domain.size == 1:
        return model.constant(domain.low)
    slots.variables[field_key] = var = model.var(f"{field_key[0]}[{field_key[1]}].{field_key[2]}", domain)
    return var


def _encode_field(
    domain: FieldDomain,
    field_key: FieldKey,
    model: NodeBuilder,
    coding: ValueEncoding,
    facts: PresolveFacts,
    slots: DecisionRows,
) -> tuple[Value, Linear]:
    table, _, column = field_key
    values = domain.values
    if not domain.open:
        value = values[0] if values else None
        return value, model.constant(coding.code(table, column, value))
    alias = _alias_form(field_key, model, facts, slots)
    if alias is not None and coding.is_number(table, column):
        return Num(alias), alias
    if domain.interval is not None:
        low, high, step = domain.interval
        if step > 1 and (high - low) // step > MAX_STEPS:
            return _encode_by_step(domain.interval, field_key, model, coding, facts, slots, or_none=domain.or_none)
        codes = Domain.grid(low, high, step)
        by_code: dict[int, Any] = {}
    else:
        by_code = {coding.code(table, column, value): value for value in values or ()}
        codes = Domain.of(by_code)
    none = coding.none(table, column)
    if domain.or_none:
        codes = codes | Domain.of([none])
    var = _single_variable(alias) or _make_variable(model, field_key, codes, facts, slots)
    if not isinstance(var, IntVar):
        code = var.constant
        if domain.or_none and code == none:
            return None, var
        return (code if domain.interval is not None else by_code[code]), var
    linear = model.of(var)
    if coding.is_number(table, column):
        defined = model.negate(model.member(var, Domain.of([none]))) if domain.or_none else TRUE
        return Num(linear, defined), linear
    cells = coding.tabulated.cells(
        (table, column, id(values), var.domain),
        lambda: {(code,): by_code[code] for code in var.domain if code in by_code},
    )
    return tab((var,), cells, coding.space(table, column)), linear


def _encode_by_step(
    interval: tuple[int, int, int],
    field_key: FieldKey,
    model: NodeBuilder,
    coding: ValueEncoding,
    facts: PresolveFacts,
    slots: DecisionRows,
    *,
    or_none: bool,
) -> tuple[Value, Linear]:
    """Return the symbolic value and the code of a field whose variable counts the steps of a grid.

    `interval` is the grid: its minimum, maximum and step.
    """
    low, high, step = interval
    grid = slots.grids[field_key] = Grid(low, step)
    numbers = Domain.interval(grid.none if or_none else 0, grid.value(high))
    var = _make_variable(model, field_key, numbers, facts, slots)
    if not isinstance(var, IntVar):
        if or_none and var.constant == grid.none:
            return None, model.constant(coding.none(field_key[0], field_key[2]))
        return low + step * var.constant, model.constant(low + step * var.constant)
    number = model.of(var)
    linear = model.plus(model.scale(number, step), model.constant(low))
    if not or_none:
        return Num(linear), linear
    none = model.is_zero(model.minus(number, model.constant(grid.none)))
    gap = coding.none(field_key[0], field_key[2]) - (low + step * grid.none)
    code = model.plus(linear, model.scale(model.indicator(none), gap))
    return Num(linear, model.negate(none)), code


def is_in_domain(
    field_key: FieldKey, domain: FieldDomain, slots: DecisionRows, model: NodeBuilder, coding: ValueEncoding
) -> Bool:
    """Return the condition that a field of a possible row has a value in `domain`.

    The field must have a decision variable. `domain` may differ from the variable's domain.
    """
    code = slots.codes[field_key]
    none = coding.none(field_key[0], field_key[2])
    if domain.interval is not None and (domain.interval[1] - domain.interval[0]) // domain.interval[2] > MAX_STEPS:
        low, high, step = domain.interval
        offset = model.minus(code, model.constant(low))
        multiple = model.scale(model.quotient(offset, step), step)
        inside = model.conj(
            (
                model.at_most_zero(model.scale(offset, -1)),
                model.at_most_zero(model.minus(code, model.constant(high))),
                model.is_zero(model.minus(offset, multiple)),
            )
        )
        if not domain.or_none:
            return inside
        return model.disj((inside, model.is_zero(model.minus(code, model.constant(none)))))
    if domain.interval is not None:
        codes = Domain.grid(*domain.interval)
    else:
        codes = Domain.of(coding.code(field_key[0], field_key[2], value) for value in domain.values or ())
    if domain.or_none:
        codes = codes | Domain.of([none])
    var, grid = slots.variables[field_key], slots.grids.get(field_key)
    if grid is None:
        return model.member(var, codes)
    return model.disj(model.is_zero(model.minus(code, model.constant(each))) for each in codes)


def _alias_form(field_key: FieldKey, model: NodeBuilder, facts: PresolveFacts, slots: DecisionRows) -> Linear | None:
    """Return the expression `other field + constant` that a field always equals according to presolve (its alias).

    Return None if there is no such expression, or if the other field is not encoded yet.
    """
    root, offset = facts.aliases.get(field_key, (field_key, 0))
    if root not in slots.codes:
        return None
    return model.plus(slots.codes[root], model.constant(offset))


def _single_variable(alias: Linear | None) -> IntVar | None:
    """Return the variable x of an expression `1 * x`; None for other expressions."""
    if alias is None or alias.constant or len(alias.terms) != 1:
        return None
    atom, factor = alias.terms[0]
    return atom if isinstance(atom, IntVar) and factor == 1 else None


def key_rules(slots: DecisionRows, model: NodeBuilder, equal: Any) -> list[Rooted]:
    """Return the conditions that no two present rows of a plan table have equal values in all key columns.

    Args:
        slots: the slots of all plan tables.
        model: builder of the conditions.
        equal: function that returns the condition that two values are equal.
    """
    rules = []
    for table, rows in slots.by_table.items():
        key = rows[0].table.key if rows else ()
        if not key:
            continue
        fixed = [k for k in key if all(is_concrete(row.fields[k]) for row in rows)]
        groups: dict[Any, list[RowVariables]] = {}
        for row in rows:  # rows that differ in a constant key column have different keys
            groups.setdefault(tuple(hashable(row.fields[k]) for k in fixed), []).append(row)
        for a in rows:
            group = groups[tuple(hashable(a.fields[k]) for k in fixed)]
            del group[0]  # the row itself, so that the rest are later rows
            for b in group:
                tick()
                same = model.conj([a.present, b.present, *(equal(a.fields[k], b.fields[k]) for k in key)])
                if same is not FALSE:
                    rules.append(Rooted(model.negate(same), f"plan:{table}"))
    return rules


def row_vars(slots: DecisionRows) -> list[RowVars]:
    """Return, for each slot (a row that the plan may have), the condition that it is present and its fields' codes."""
    return [
        RowVars(
            table,
            slot.present,
            {c: slots.codes[table, slot.index, c] for c in slot.table.columns},
            frozenset(c for c in slot.table.key if slot.table.columns[c].type is ScalarType.INT),
        )
        for table, rows in slots.by_table.items()
        for slot in rows
    ]


def decode(slots: DecisionRows, values: Mapping[int, int], ground: Ground) -> Plan:
    """Return the plan that an assignment, the value of each variable by id, describes."""
    tables: dict[str, tuple[Row, ...]] = {}
    for name, rows in slots.by_table.items():
        present: list[Row] = []
        for slot in rows:
            if not evaluate(slot.present, values):
                continue
            fields = {column: _decode_value(value, values) for column, value in slot.fields.items()}
            present.append(make_row(slot.table, fields, len(present)))
        tables[name] = tuple(present)
    for table in ground.task.plan_tables:
        tables.setdefault(table.name, ())
    return Plan(tables)


def _decode_value(value: Value, values: Mapping[int, int]) -> Any:
    if isinstance(value, Num):
        return evaluate(value.linear, values) if evaluate(value.defined, values) else None
    if isinstance(value, Tab):
        return value.values.get(tuple(values[var.id] for var in value.vars))
    return value


__all__ = [
    "DecisionRows",
    "FieldKey",
    "PresolveFacts",
    "Problem",
    "ValueEncoding",
    "decode",
    "key_rules",
    "make_slots",
    "row_vars",
]
