"""The shape of a plan against its tables and its task's scope: keys, `one` tables, `closed`, being in scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from planspec.dsl.rows import Row
from planspec.dsl.show import row_key, show_key
from planspec.dsl.types import Table
from planspec.verifiers.ground import Ground, GroundRow
from planspec.verifiers.plan_rows import Plan
from planspec.verifiers.verdict import Finding, SourcePlace, row_ref


def shape_findings(ground: Ground, plan: Plan) -> Iterator[Finding]:
    """What is wrong with a plan's rows whatever the constraints say; each finding is violated.

    Keys that stand twice, `one` tables without exactly one row, and, where the task is closed, rows that the
    scope does not offer and rows that it demands.
    """
    for table in ground.task.plan_tables:
        rows = plan.tables[table.name]
        if table.one:
            if len(rows) != 1:
                yield _finding(
                    ground,
                    table,
                    "one",
                    f"{table.name} has exactly one row; the plan has {len(rows) or 'none'}",
                    rows,
                )
            continue
        yield from _duplicates(ground, table, rows)
        if ground.task.closed:
            yield from _closed(ground, table, rows)


def in_scope(ground: Ground, plan: Plan) -> bool:
    """A search over the scope could find this plan.

    Its rows can be dealt out to the rows in scope, one to one, each field within its domain, so that none
    that must be there is left over.
    """
    return all(
        _deals_out(ground.rows[table.name], plan.tables[table.name], tuple(table.columns), grid=True)
        for table in ground.task.plan_tables
    )


def _finding(ground: Ground, table: Table, kind: str, message: str, rows: Sequence[Row] = ()) -> Finding:
    refs = tuple(row_ref(row, ground.task.currency) for row in rows)
    place = SourcePlace.of(ground.task.span)
    return Finding(
        constraint=table.name,
        level="shape",
        kind=kind,
        status="violated",
        message=message,
        rows=refs,
        source=place,
    )


def _duplicates(ground: Ground, table: Table, rows: Sequence[Row]) -> Iterator[Finding]:
    seen: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if table.key and None not in row._key:  # a key that could not be read has a finding of its own
            seen.setdefault(row._key, []).append(row)
    for same in seen.values():
        if len(same) > 1:
            key = row_key(same[0], ground.task.currency)
            yield _finding(
                ground, table, "duplicate-key", f"{table.name}[{key}] stands {len(same)} times", same[:1]
            )


def _closed(ground: Ground, table: Table, rows: Sequence[Row]) -> Iterator[Finding]:
    """Rows without a place in the scope, and rows in scope that must be there and are not."""
    offered = ground.rows[table.name]
    currency = ground.task.currency
    fitting = [
        [i for i, ground_row in enumerate(offered) if _fits(row, ground_row, table.key, grid=False)]
        for row in rows
    ]
    placed = matching(fitting)
    for i, row in enumerate(rows):
        if i not in placed:
            message = f"{table.name}[{row_key(row, currency)}] is not among the rows that the task allows"
            yield _finding(ground, table, "closed", message, [row])
    needed = [i for i, ground_row in enumerate(offered) if not ground_row.optional]
    met = matching([[k for k, places in enumerate(fitting) if i in places] for i in needed])
    for place, i in enumerate(needed):
        if place not in met:
            yield _finding(
                ground,
                table,
                "closed",
                f"{table.name} lacks a row that the task demands: {_key_text(offered[i], currency)}",
            )


def _key_text(row: GroundRow, currency: str | None) -> str:
    """What is said of a row in scope: its key, as far as it is settled."""
    parts = []
    for name in row.table.key:
        domain = row.fields[name]
        if domain.values is not None and len(domain.values) == 1 and not domain.or_none:
            parts.append(f"{name} {show_key(domain.values[0], row.table.columns[name].type, currency)}")
        else:
            parts.append(f"{name} of the scope")
    return ", ".join(parts) or "any"


def _fits(row: Row, ground_row: GroundRow, columns: Sequence[str], *, grid: bool) -> bool:
    return not any(name in row._unknown for name in columns) and all(
        ground_row.fields[name].admits(getattr(row, name), grid=grid) for name in columns
    )


def _deals_out(
    offered: Sequence[GroundRow], rows: Sequence[Row], columns: Sequence[str], *, grid: bool
) -> bool:
    """Every row has a place and every place that must be taken has a row.

    Two matchings suffice, one that covers the rows and one that covers the places: by a theorem of Mendelsohn
    and Dulmage (1958) there is then one that covers both.
    """
    if len(rows) > len(offered):
        return False
    fitting = [
        [i for i, place in enumerate(offered) if _fits(row, place, columns, grid=grid)] for row in rows
    ]
    if len(matching(fitting)) < len(rows):
        return False
    needed = [i for i, place in enumerate(offered) if not place.optional]
    return len(matching([[k for k, places in enumerate(fitting) if i in places] for i in needed])) == len(
        needed
    )


def matching(edges: Sequence[Sequence[int]]) -> dict[int, int]:
    """A largest matching of a bipartite graph, by augmenting paths.

    Args:
        edges: for each left node, its right nodes.

    Returns:
        The right node of each left node that has one.
    """
    mate: dict[int, int] = {}
    owner: dict[int, int] = {}
    for start in range(len(edges)):
        reached_from: dict[int, int] = {}
        queue = deque([start])
        free: int | None = None
        while queue and free is None:
            left = queue.popleft()
            for right in edges[left]:
                if right in reached_from:
                    continue
                reached_from[right] = left
                if right not in owner:
                    free = right
                    break
                queue.append(owner[right])
        while free is not None:
            left = reached_from[free]
            owner[free] = left
            previous = mate.get(left)
            mate[left] = free
            free = previous
    return mate
