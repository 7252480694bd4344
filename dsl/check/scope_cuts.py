"""Bounds of the scope that cut off rows which the facts offer.

A rule such as `Slot[v.place, v.day, v.start].left >= 2` lets a visit start only when there is a slot. If the
scope lets visits start until 22:00 and a slot of the same place and day is at 23:00, the search cannot choose
it, and a task may look infeasible. What cannot be worked out without a solver or a verifier is left alone, so
that every warning is true.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.indexes import grouped
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeField, ScopeRow, Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import Table
from planspec.dsl.model.value_text import row_key, show

Values = Mapping[t.Binding, Any]
MOST = 100_000
"""The most combinations of an entry's bindings and of a table's rows that are looked at."""


class Unclear(Exception):
    """The value is not plain enough to be worked out here."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An index into a static table by columns of one row of the plan: table column -> plan column."""

    table: Table
    columns: tuple[tuple[str, str], ...]


def scope_cuts(task: Task, report: Report) -> None:
    """Warn of ranges in the scope that leave out values which an indexed table has."""
    offers = _offers(task)
    for entry in task.scope:
        for name, field in entry.fields.items():
            bounds = _bounds(field)
            if bounds is None:
                continue
            for offer in offers.get(entry.table.name, ()):
                if any(column == name for _, column in offer.columns):
                    _check(task, entry, name, bounds, offer, report)


def _check(
    task: Task, entry: ScopeRow, name: str, bounds: tuple[int, int], offer: Offer, report: Report
) -> None:
    at = next(own for own, column in offer.columns if column == name)
    try:
        cut = next(
            (
                row
                for row in _matching(task, entry, name, offer)
                if not bounds[0] <= getattr(row, at) <= bounds[1]
            ),
            None,
        )
    except Unclear:
        return
    if cut is not None:
        domain = entry.fields[name].domain
        value = show(getattr(cut, at), offer.table.columns[at].type, task.currency)
        report.warning(
            "PS411", f"the scope cuts off rows of `{offer.table.name}`", domain.span,
            f"`{offer.table.name}[{row_key(cut, task.currency)}]` has {value}",
            help=f"let `{name}` reach {value}, or take the row away",
        )  # fmt: skip


def _offers(task: Task) -> dict[str, list[Offer]]:
    """The offers by the plan table whose columns are the keys."""
    made: dict[str, dict[Offer, None]] = {}
    for constraint in task.constraints:
        for node in walk(constraint.body):
            if not isinstance(node, t.Lookup) or node.table.plan:
                continue
            fields = [key for key in node.keys if isinstance(key, t.FieldOf) and isinstance(key.row, t.Var)]
            rows = {key.row.binding for key in fields if isinstance(key.row, t.Var)}
            if len(fields) == len(node.keys) and len(rows) == 1:
                pairs = zip(node.table.key, (key.column.name for key in fields), strict=False)
                made.setdefault(str(rows.pop().type), {})[Offer(node.table, tuple(pairs))] = None
    return {name: list(offers) for name, offers in made.items()}


def _bounds(field: ScopeField) -> tuple[int, int] | None:
    """The ends of a range that is written out."""
    match field.domain:
        case t.RangeOf(low=t.Literal(value=int(low)), high=t.Literal(value=int(high))) if low <= high:
            return low, high
    return None


def _matching(task: Task, entry: ScopeRow, name: str, offer: Offer) -> Iterator[Row]:
    """The rows that fit what the entry says of the other columns."""
    for number, values in enumerate(_bindings(task, entry.clauses, {}), 1):
        if number * len(offer.table.rows) > MOST:
            raise Unclear
        fitting = {
            own: _domain(task, entry, column, values) for own, column in offer.columns if column != name
        }
        first, *rest = fitting or (offer.table.key[0],)
        for row in _with(offer.table, first, fitting.get(first)):
            if all(getattr(row, own) in fitting[own] for own in rest):
                yield row


def _with(table: Table, column: str, domain: Collection[Any] | None) -> Iterable[Row]:
    """The rows whose cell in a column is in the domain; without one, those that have a cell there."""
    if domain is None:
        return (row for row in table.rows if getattr(row, column) is not None)
    index = grouped(table, (table.columns[column],))
    if len(domain) == 1:
        return index.get(next(iter(domain)), ())
    return (row for value, rows in index.items() if value in domain for row in rows)


def _domain(task: Task, entry: ScopeRow, column: str, values: Values) -> Collection[Any]:
    """The values that the entry allows in a column.

    Raises:
        Unclear: it cannot be worked out here.
    """
    field = entry.fields.get(column)
    if field is None:
        return (entry.table.columns[column].default,)
    if isinstance(field.domain, t.RangeOf):
        bounds = _bounds(field)
        if bounds is None or field.domain.step is not None:
            raise Unclear
        return range(bounds[0], bounds[1] + 1)
    found = _value(task, field.domain, values)
    return frozenset(found) if field.many else (found,)


def _bindings(task: Task, clauses: tuple[t.Clause, ...], values: Values) -> Iterator[Values]:
    if not clauses:
        yield values
        return
    clause, *rest = clauses
    if clause.condition is not None or len(clause.targets) != 1:
        raise Unclear
    for item in _value(task, clause.source, values):
        yield from _bindings(task, tuple(rest), {**values, clause.targets[0]: item})


def _value(task: Task, node: t.Expr, values: Values) -> Any:
    """The value of a plain static expression.

    Raises:
        Unclear: it is none, or not plain enough.
    """
    found: Any = None
    match node:
        case t.Literal(value=value):
            found = value
        case t.Var(binding=binding):
            found = values.get(binding)
        case t.GivenRef(given=given):
            found = task.givens[given.name]
        case t.RowNamed(table=table, key=key):
            found = table.by_key.get((key,))
        case t.AllRows(table=table) if not table.plan:
            found = table.rows
        case t.AllMembers(enum=enum):
            found = enum.members
        case t.SetLiteral(items=items):
            found = [_value(task, item, values) for item in items]
        case t.SetOf(body=body, clauses=clauses):
            found = [_value(task, body, inner) for inner in islice(_bindings(task, clauses, values), MOST)]
        case t.Apply(definition=definition, args=()):
            found = _value(task, definition.body, {})
        case t.FieldOf(row=row, column=column) if row.stage is node.stage:
            found = getattr(_value(task, row, values), column.name, None)
    if found is None:
        raise Unclear
    return found
