"""The scope's rows as slots of the search, and codes for the values that fields take."""

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
from planspec.solvers.lowering.symbolic import Num, RowVariables, Tab, Value, tab
from planspec.solvers.lowering.tabulated import Tabulated
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow
from planspec.verifiers.meaning.plan_rows import Plan

FieldKey = tuple[str, int, str]
"""A field of the search: its table, its slot's number there, its column."""

MOST_STEPS = 10_000
"""On a grid of more steps the variable of a field is the number of its step: as codes, they would be listed one by one."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The grid of a field's codes: the code is `start + step * value` of its variable.

    None has the value `none`, and the code that the column has for it.
    """

    start: int = 0
    step: int = 1
    none: int = -1

    def value(self, code: int) -> int:
        """The value of a code on the grid."""
        return (code - self.start) // self.step


@dataclass(frozen=True, slots=True)
class PresolveFacts:
    """The facts of presolve about fields: narrower domains, and fields that are another one plus a constant."""

    domains: Mapping[FieldKey, Domain] = field(default_factory=dict)
    aliases: Mapping[FieldKey, tuple[FieldKey, int]] = field(default_factory=dict)


class ValueEncoding:
    """Values of a column -> integers; the same for all slots of the table.

    Integer-like values are their own code, enum members their place in the enum. Rows of facts are numbered
    among those of their table that the scope mentions, in the table's order, so that their codes have few
    gaps; all else has its place in a pool that grows, rows that the scope does not mention too. None is a code
    of its own below all others.

    Attributes:
        tabulated: what static functions come to over the codes.
    """

    def __init__(self, ground: Ground) -> None:
        self.tabulated = Tabulated()
        self._enums = ground.task.enums
        self._none: dict[tuple[str, str], int] = {}
        self._pools: dict[tuple[str, str], dict[Any, int]] = {}
        self._types = {(t.name, c.name): c.type for t in ground.task.plan_tables for c in t.columns.values()}
        self._rows: dict[Table, dict[Row, int]] = {}
        for found in _mentioned(ground):
            self._rows.setdefault(found._table, {})[found] = len(self._rows.get(found._table, ()))
        for rows in ground.rows.values():
            for row in rows:
                for name, domain in row.fields.items():
                    if self.is_number(row.table.name, name):
                        low = domain.interval[0] if domain.interval else min(domain.values or (0,))
                        key = (row.table.name, name)
                        self._none[key] = min(self._none.get(key, -1), low - 1)

    def of_version(self, other: Ground, counterpart: Callable[[Row], Row | None]) -> ValueEncoding:
        """The encoding of another version's values, whose rows of facts have the codes of their counterparts here.

        Args:
            other: the other version.
            counterpart: a row of facts there for one here; None where there is none.
        """
        made = ValueEncoding(other)
        made._rows = {  # a row without a counterpart keeps its place, so that no other row gets its code
            other.task.tables[table.name]: {counterpart(row) or row: code for row, code in codes.items()}
            for table, codes in self._rows.items()
            if table.name in other.task.tables
        }
        return made

    def is_number(self, table: str, column: str) -> bool:
        """The column's values are their own codes."""
        return self._types[table, column] in INTEGRAL

    def none(self, table: str, column: str) -> int:
        """The code of none."""
        return self._none.get((table, column), -1)

    def code(self, table: str, column: str, value: Any) -> int:
        """The code of a value."""
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
        """The code of a row of facts."""
        codes = self._rows.setdefault(row._table, {})
        return codes.setdefault(row, len(codes))

    def space(self, table: str, column: str) -> str | None:
        """The meaning of a column's codes: columns with the same one have equal values where codes are equal."""
        type_ = self._types[table, column]
        if isinstance(type_, EnumType | RowType):
            return str(type_)
        return None


def _mentioned(ground: Ground) -> list[Row]:
    """The rows of facts in the scope's domains, by table in their order there."""
    found: dict[Row, None] = {}
    for domain in {
        id(d): d for rows in ground.rows.values() for row in rows for d in row.fields.values()
    }.values():
        found.update((value, None) for value in domain.values or () if isinstance(value, Row))
    return sorted(found, key=lambda row: (row._table.name, row._index))


@dataclass(slots=True)
class DecisionRows:
    """All slots, and what must hold of them whatever the constraints say.

    Attributes:
        by_table: the slots of every plan table.
        places: the variable of every open field; its values are the field's codes unless `grids` has the field.
        grids: fields whose variable is the number of a step.
        codes: each field's code as a linear expression.
        hard: absent rows are pinned; present rows have different keys.
    """

    by_table: dict[str, list[RowVariables]]
    places: dict[FieldKey, IntVar]
    codes: dict[FieldKey, Linear]
    hard: list[Rooted]
    values: dict[FieldKey, Value]
    grids: dict[FieldKey, Grid] = field(default_factory=dict)


def make_slots(
    ground: Ground, model: NodeBuilder, coding: ValueEncoding, facts: PresolveFacts
) -> DecisionRows:
    """The scope's rows as slots over fresh variables."""
    made = DecisionRows({}, {}, {}, [], {})
    for table, rows in ground.rows.items():
        made.by_table[table] = [_slot(row, i, model, coding, facts, made) for i, row in enumerate(rows)]
    return made


def _slot(
    row: GroundRow,
    index: int,
    model: NodeBuilder,
    coding: ValueEncoding,
    facts: PresolveFacts,
    made: DecisionRows,
) -> RowVariables:
    tick()
    name = row.table.name
    present: Bool = TRUE
    if row.optional:
        var = _variable(model, (name, index, "?"), Domain.interval(0, 1), facts, made)
        present = (
            model.member(var, Domain.of([1]))
            if isinstance(var, IntVar)
            else (TRUE if var.constant else FALSE)
        )
    fields: dict[str, Value] = {}
    for column, domain in row.fields.items():
        place = (name, index, column)
        value, code = _field(domain, place, model, coding, facts, made)
        fields[column] = value
        made.codes[place] = code
        made.values[place] = value
        if row.optional and place in made.places:
            pinned = model.is_zero(model.minus(code, model.constant(_first(domain, place, coding))))
            made.hard.append(Rooted(model.disj((present, pinned)), f"plan:{name}"))
    return RowVariables(row.table, index, present, fields)


def _first(domain: FieldDomain, place: FieldKey, coding: ValueEncoding) -> int:
    if domain.interval:
        return domain.interval[0]
    return coding.code(place[0], place[2], domain.values[0] if domain.values else None)


def _variable(
    model: NodeBuilder, place: FieldKey, domain: Domain, facts: PresolveFacts, made: DecisionRows
) -> IntVar | Linear:
    known = facts.domains.get(place)
    domain = domain if known is None else domain & known
    if domain.size == 1:
        return model.constant(domain.low)
    made.places[place] = var = model.var(f"{place[0]}[{place[1]}].{place[2]}", domain)
    return var


def _field(
    domain: FieldDomain,
    place: FieldKey,
    model: NodeBuilder,
    coding: ValueEncoding,
    facts: PresolveFacts,
    made: DecisionRows,
) -> tuple[Value, Linear]:
    table, _, column = place
    values = domain.values
    if not domain.open:
        value = values[0] if values else None
        return value, model.constant(coding.code(table, column, value))
    alias = _alias(place, model, facts, made)
    if alias is not None and coding.is_number(table, column):
        return Num(alias), alias
    if domain.interval is not None:
        low, high, step = domain.interval
        if step > 1 and (high - low) // step > MOST_STEPS:
            return _numbered(domain.interval, place, model, coding, facts, made, or_none=domain.or_none)
        codes = Domain.grid(low, high, step)
        by_code: dict[int, Any] = {}
    else:
        by_code = {coding.code(table, column, value): value for value in values or ()}
        codes = Domain.of(by_code)
    none = coding.none(table, column)
    if domain.or_none:
        codes = codes | Domain.of([none])
    var = _sole(alias) or _variable(model, place, codes, facts, made)
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


def _numbered(
    interval: tuple[int, int, int], place: FieldKey, model: NodeBuilder, coding: ValueEncoding, facts: PresolveFacts, made: DecisionRows,
    *, or_none: bool,
) -> tuple[Value, Linear]:  # fmt: skip
    """A field on a grid of many steps, by the number of its step."""
    low, high, step = interval
    grid = made.grids[place] = Grid(low, step)
    numbers = Domain.interval(grid.none if or_none else 0, grid.value(high))
    var = _variable(model, place, numbers, facts, made)
    if not isinstance(var, IntVar):
        if or_none and var.constant == grid.none:
            return None, model.constant(coding.none(place[0], place[2]))
        return low + step * var.constant, model.constant(low + step * var.constant)
    number = model.of(var)
    linear = model.plus(model.scale(number, step), model.constant(low))
    if not or_none:
        return Num(linear), linear
    none = model.is_zero(model.minus(number, model.constant(grid.none)))
    gap = coding.none(place[0], place[2]) - (low + step * grid.none)
    code = model.plus(linear, model.scale(model.indicator(none), gap))
    return Num(linear, model.negate(none)), code


def among(
    place: FieldKey, domain: FieldDomain, slots: DecisionRows, model: NodeBuilder, coding: ValueEncoding
) -> Bool:
    """The condition that an open field is in a domain, which may be another than the scope's."""
    code = slots.codes[place]
    none = coding.none(place[0], place[2])
    if (
        domain.interval is not None
        and (domain.interval[1] - domain.interval[0]) // domain.interval[2] > MOST_STEPS
    ):
        low, high, step = domain.interval
        above = model.minus(code, model.constant(low))
        whole = model.scale(model.quotient(above, step), step)
        inside = model.conj(
            (
                model.at_most_zero(model.scale(above, -1)),
                model.at_most_zero(model.minus(code, model.constant(high))),
                model.is_zero(model.minus(above, whole)),
            )
        )
        if not domain.or_none:
            return inside
        return model.disj((inside, model.is_zero(model.minus(code, model.constant(none)))))
    if domain.interval is not None:
        codes = Domain.grid(*domain.interval)
    else:
        codes = Domain.of(coding.code(place[0], place[2], value) for value in domain.values or ())
    if domain.or_none:
        codes = codes | Domain.of([none])
    var, grid = slots.places[place], slots.grids.get(place)
    if grid is None:
        return model.member(var, codes)
    return model.disj(model.is_zero(model.minus(code, model.constant(each))) for each in codes)


def _alias(place: FieldKey, model: NodeBuilder, facts: PresolveFacts, made: DecisionRows) -> Linear | None:
    """The field as another one plus a constant, if that one stands already."""
    root, offset = facts.aliases.get(place, (place, 0))
    if root not in made.codes:
        return None
    return model.plus(made.codes[root], model.constant(offset))


def _sole(alias: Linear | None) -> IntVar | None:
    """The variable that an alias is, if it is one."""
    if alias is None or alias.constant or len(alias.terms) != 1:
        return None
    atom, factor = alias.terms[0]
    return atom if isinstance(atom, IntVar) and factor == 1 else None


def key_rules(slots: DecisionRows, model: NodeBuilder, equal: Any) -> list[Rooted]:
    """Present rows of a table have different keys.

    Args:
        slots: all rows of the search.
        model: makes the conditions.
        equal: makes the condition that two values are equal.
    """
    made = []
    for table, rows in slots.by_table.items():
        key = rows[0].table.key if rows else ()
        if not key:
            continue
        for i, a in enumerate(rows):
            for b in rows[i + 1 :]:
                tick()
                same = model.conj([a.present, b.present, *(equal(a.fields[k], b.fields[k]) for k in key)])
                if same is not FALSE:
                    made.append(Rooted(model.negate(same), f"plan:{table}"))
    return made


def row_vars(slots: DecisionRows) -> list[RowVars]:
    """The slots as the back ends and the proofs see them."""
    return [
        RowVars(table, slot.present, {c: slots.codes[table, slot.index, c] for c in slot.table.columns})
        for table, rows in slots.by_table.items()
        for slot in rows
    ]


def decode(slots: DecisionRows, values: Mapping[int, int], ground: Ground) -> Plan:
    """The plan that an assignment of the variables means."""
    tables: dict[str, tuple[Row, ...]] = {}
    for name, rows in slots.by_table.items():
        made: list[Row] = []
        for slot in rows:
            if not evaluate(slot.present, values):
                continue
            fields = {column: _decoded(value, values) for column, value in slot.fields.items()}
            made.append(make_row(slot.table, fields, len(made)))
        tables[name] = tuple(made)
    for table in ground.task.plan_tables:
        tables.setdefault(table.name, ())
    return Plan(tables)


def _decoded(value: Value, values: Mapping[int, int]) -> Any:
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
