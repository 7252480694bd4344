"""Warnings about bounds of the search (the scope) that exclude rows of a table which a constraint looks up.

For example, `Slot[v.place, v.day, v.start].left >= 2` requires a slot at the start of a visit. If the scope lets
visits start until 22:00, a search cannot choose a slot at 23:00, and the task may seem infeasible. Only literal
bounds are checked, since authors compute bounds on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Diagnostic, Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import ScopeField, Task
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import SetType, Table
from planspec.dsl.model.value_text import row_key, show
from planspec.verifiers.meaning.ground import FieldDomain, Ground, GroundRow

MAX_PAIRS = 100_000
"""Maximum number of pairs (row in scope, table row) that are checked for one warning. The others are ignored."""


@dataclass(frozen=True, slots=True)
class ColumnLookup:
    """A lookup in a static table by columns of one plan row.

    Attributes:
        table: the static table.
        columns: pairs of a key column of the table and the plan column from which its value comes.
    """

    table: Table
    columns: tuple[tuple[str, str], ...]


def warn_of_scope_cuts(ground: Ground) -> tuple[Diagnostic, ...]:
    """Return a warning for each range in the scope that excludes rows of a table in which a constraint looks up values.

    For example, the range 9:00 to 22:00 for `start` excludes a slot at 23:00.
    """
    task, report = ground.task, Report()
    lookups = _lookups_by_table(task)
    for entry in task.scope:
        bounded = [(name, bounds) for name, field in entry.fields.items() if (bounds := _literal_bounds(field))]
        if not bounded or entry.table.name not in lookups:
            continue
        rows = [row for row in ground.rows[entry.table.name] if row.entry is entry]
        for name, bounds in bounded:
            for lookup in lookups[entry.table.name]:
                at = next((own for own, column in lookup.columns if column == name), None)
                facts = task.facts[lookup.table.name]
                cut = None if at is None else _first_row_beyond(_matching_rows(rows, name, lookup, facts), at, bounds)
                if at is not None and cut is not None:
                    value = show(getattr(cut, at), lookup.table.columns[at].type, task.currency)
                    report.warning(
                        "PS411",
                        f"the scope cuts off rows of `{lookup.table.name}`",
                        entry.fields[name].domain.span,
                        f"`{lookup.table.name}[{row_key(cut, task.currency)}]` has {value}",
                        help=f"let `{name}` reach {value}, or take the row away",
                    )
    return report.ordered()


def _lookups_by_table(task: Task) -> dict[str, list[ColumnLookup]]:
    """Return, for each plan table, the lookups by columns of one row of that table that occur in constraints."""
    lookups: dict[str, dict[ColumnLookup, None]] = {}
    for constraint in task.constraints:
        for node in walk(constraint.body):
            if not isinstance(node, t.Lookup) or node.table.plan:
                continue
            fields = [key for key in node.keys if isinstance(key, t.FieldOf) and isinstance(key.row, t.Var)]
            rows = {key.row.binding for key in fields if isinstance(key.row, t.Var)}
            if len(fields) == len(node.keys) and len(rows) == 1:
                pairs = zip(node.table.key, (key.column.name for key in fields), strict=False)
                lookups.setdefault(str(rows.pop().type), {})[ColumnLookup(node.table, tuple(pairs))] = None
    return {name: list(of_table) for name, of_table in lookups.items()}


def _literal_bounds(field: ScopeField) -> tuple[int, int] | None:
    """Return the ends of a literal range; None for any other domain."""
    match field.domain:
        case t.RangeOf(low=t.Literal(value=int(low)), high=t.Literal(value=int(high))) if low <= high:
            return low, high
    return None


def _first_row_beyond(rows: Iterable[Row], at: str, bounds: tuple[int, int]) -> Row | None:
    low, high = bounds
    beyond = (row for row in rows if (value := getattr(row, at)) is not None and not low <= value <= high)
    return next(beyond, None)


def _matching_rows(rows: Sequence[GroundRow], name: str, lookup: ColumnLookup, facts: Facts) -> Iterator[Row]:
    """Yield the static rows that a lookup could find if the plan column `name` had no bounds.

    All other key columns must have values in the domains of some row in scope.

    Args:
        rows: the rows in scope.
        name: the plan column.
        lookup: the lookup.
        facts: rows of the lookup's table.
    """
    seen: set[tuple[int, ...]] = set()
    others = [(own, column) for own, column in lookup.columns if column != name]
    compared = 0
    for ground_row in rows:
        domains = [(own, ground_row.fields[column]) for own, column in others]
        key = tuple(id(domain) for _, domain in domains)
        if key in seen:
            continue
        seen.add(key)
        compared += len(facts.rows)
        if compared > MAX_PAIRS:
            return
        yield from (
            row
            for row in _candidate_rows(facts, domains)
            if all(domain.admits(getattr(row, own)) for own, domain in domains)
        )


def _candidate_rows(facts: Facts, domains: Sequence[tuple[str, FieldDomain]]) -> Iterable[Row]:
    """Return a superset of the rows with values in all domains, by an index of one column if possible."""
    for own, domain in domains:
        column = facts.table.columns[own]
        if domain.values is not None and not isinstance(column.type, SetType):
            index = facts.grouped((column,))
            return (row for value in domain.values for row in index.get(value, ()))
    return facts.rows
