"""Checks of a plan's shape: unique keys, tables with exactly one row, and whether the plan is in scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import SetType, Table
from planspec.dsl.model.value_text import row_key, show_key
from planspec.dsl.resources.limits import JUDGING_STEPS
from planspec.verifiers.meaning.ground import Ground, GroundRow, rows_in_scope
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, SourcePlace, row_ref


def shape_findings(ground: Ground, plan: Plan, meter: Meter | None = None) -> Iterator[Finding]:
    """Yield a finding with status `violated` for each fault of a plan's shape. Constraints are not checked.

    Faults are duplicate keys, and several rows or no row in a `one` table, which must have exactly one row. If the task
    is declared `closed`, rows outside the scope and missing required rows are faults, too.

    Args:
        ground: the task.
        plan: rows of the plan.
        meter: counts the steps.

    Raises:
        StepLimitError: the limit of steps is exceeded.
    """
    meter = meter or Meter(JUDGING_STEPS)
    for table in ground.task.plan_tables:
        rows = plan.tables[table.name]
        if table.one:
            if len(rows) != 1:
                yield _shape_finding(
                    ground,
                    table,
                    "one",
                    f"{table.name} has exactly one row; the plan has {len(rows) or 'none'}",
                    rows,
                )
            continue
        yield from _duplicate_findings(ground, table, rows)
        if ground.task.closed:
            yield from _closed_findings(ground, table, rows, meter)


def is_in_scope(ground: Ground, plan: Plan, meter: Meter | None = None) -> bool:
    """Return whether a search over the scope could find this plan.

    The plan's rows must match distinct rows in scope: each cell is in the domain of its column. Every required row in
    scope must be matched.

    Args:
        ground: the task.
        plan: rows of the plan.
        meter: counts the steps.

    Raises:
        StepLimitError: the limit of steps is exceeded.
    """
    meter = meter or Meter(JUDGING_STEPS)
    offered = rows_in_scope(ground)
    return all(
        _places_of_table(ground, table, offered[table.name]).can_assign(plan.tables[table.name], meter)
        for table in ground.task.plan_tables
    )


def assign_to_scope(ground: Ground, table: str, rows: Sequence[Row]) -> list[GroundRow | None]:
    """Match the rows of a plan's table with distinct rows in scope. Return the match of each row, or None.

    As many rows as possible are matched.
    """
    places = _places_of_table(ground, ground.task.tables[table], ground.rows[table])
    meter = Meter(JUDGING_STEPS)
    mate = maximum_matching([places.fitting(row, meter) for row in rows], meter)
    return [places.offered[mate[i]] if i in mate else None for i in range(len(rows))]


_PLACES: Kind[tuple[Table, bool], _ScopePlaces] = Kind("rows in scope, indexed to be matched with rows of plans")


def _places_of_table(
    ground: Ground, table: Table, offered: Sequence[GroundRow], *, only_keys: bool = False
) -> _ScopePlaces:
    cache = ground.interpreter.static.of(_PLACES)
    places = cache.get((table, only_keys))
    if places is None or places.offered is not offered:
        places = _ScopePlaces.of(table.key if only_keys else table.columns, table, offered)
        cache[table, only_keys] = places
    return places


def _shape_finding(ground: Ground, table: Table, kind: str, message: str, rows: Sequence[Row] = ()) -> Finding:
    refs = tuple(row_ref(row, ground.task.currency) for row in rows)
    place = SourcePlace.of(ground.task.place)
    return Finding(
        constraint=table.name,
        level="shape",
        kind=kind,
        status="violated",
        message=message,
        rows=refs,
        source=place,
    )


def _duplicate_findings(ground: Ground, table: Table, rows: Sequence[Row]) -> Iterator[Finding]:
    if not table.key:
        return
    keys = [row._key_of(row) for row in rows]
    if len(set(keys)) == len(keys):
        return
    seen: dict[tuple[object, ...], list[Row]] = {}
    for key, row in zip(keys, rows, strict=True):
        if None not in key:  # a key that could not be read was reported before
            seen.setdefault(key, []).append(row)
    for same_rows in seen.values():
        if len(same_rows) > 1:
            name = row_key(same_rows[0], ground.task.currency)
            yield _shape_finding(
                ground,
                table,
                "duplicate-key",
                f"{table.name}[{name}] stands {len(same_rows)} times",
                same_rows[:1],
            )


def _closed_findings(ground: Ground, table: Table, rows: Sequence[Row], meter: Meter) -> Iterator[Finding]:
    """Yield findings for rows outside the scope and for missing required rows."""
    offered = rows_in_scope(ground)[table.name]
    currency = ground.task.currency
    places = _places_of_table(ground, table, offered, only_keys=True)
    fitting = [places.fitting(row, meter, grid=False) for row in rows]
    placed = maximum_matching(fitting, meter)
    for i, row in enumerate(rows):
        if i not in placed:
            message = f"{table.name}[{row_key(row, currency)}] is not among the rows that the task allows"
            yield _shape_finding(ground, table, "closed", message, [row])
    met = maximum_matching(places.rows_per_required_place(fitting), meter)
    for place, i in enumerate(places.needed):
        if place not in met:
            yield _shape_finding(
                ground,
                table,
                "closed",
                f"{table.name} lacks a row that the task demands: {_key_text(offered[i], currency)}",
            )


def _key_text(row: GroundRow, currency: str | None) -> str:
    """Return the key of a row in scope for messages, for example `place inn, day of the scope`.

    A column with several choices is shown without a value.
    """
    parts = []
    for name in row.table.key:
        domain = row.fields[name]
        if domain.values is not None and len(domain.values) == 1 and not domain.or_none:
            parts.append(f"{name} {show_key(domain.values[0], row.table.columns[name].type, currency)}")
        else:
            parts.append(f"{name} of the scope")
    return ", ".join(parts) or "any"


@dataclass(frozen=True, slots=True, eq=False)
class _ScopePlaces:
    """The places of a table: the rows in its scope, with which the rows of a plan can be matched.

    A place allows one or several values in each column. Places are indexed by the columns in which every place allows
    exactly one value.

    Attributes:
        columns: columns in which a plan's row must match a place.
        offered: all places, required and optional ones.
        needed: positions in `offered` of the required places, which a plan must match.
        fixed: columns in which every place allows exactly one value. Columns with sets are left out.
        open: the other columns.
        by_fixed: positions in `offered`, by values in the fixed columns.
    """

    columns: Sequence[str]
    offered: Sequence[GroundRow]
    needed: Sequence[int]
    fixed: Sequence[str]
    open: Sequence[str]
    by_fixed: Mapping[tuple[object, ...], Sequence[int]]

    @classmethod
    def of(cls, columns: Iterable[str], table: Table, offered: Sequence[GroundRow]) -> _ScopePlaces:
        columns = tuple(columns)
        fixed = [
            name
            for name in columns
            if not isinstance(table.columns[name].type, SetType) and not any(row.fields[name].open for row in offered)
        ]
        by_fixed: dict[tuple[object, ...], list[int]] = {}
        for i, row in enumerate(offered):
            values = tuple(next(iter(row.fields[name].values or ()), None) for name in fixed)
            by_fixed.setdefault(values, []).append(i)
        return cls(
            columns=columns,
            offered=offered,
            needed=[i for i, row in enumerate(offered) if not row.optional],
            fixed=fixed,
            open=[name for name in columns if name not in fixed],
            by_fixed=by_fixed,
        )

    def can_assign(self, rows: Sequence[Row], meter: Meter) -> bool:
        """Return whether all rows can be matched with distinct places (rows in scope), including all required ones.

        It suffices that one matching covers all rows and another one covers all required places: by a theorem of
        Mendelsohn and Dulmage (1958), some matching then covers both.
        """
        if not len(self.needed) <= len(rows) <= len(self.offered):
            return False
        fitting = []
        for row in rows:
            places = self.fitting(row, meter)
            if not places:
                return False
            fitting.append(places)
        if len(maximum_matching(fitting, meter)) < len(rows):
            return False
        return len(maximum_matching(self.rows_per_required_place(fitting), meter)) == len(self.needed)

    def rows_per_required_place(self, fitting: Iterable[Iterable[int]]) -> list[list[int]]:
        """Return for each required place (row in scope) the positions of the rows that can match it.

        Args:
            fitting: for each row, the positions of the places that it can match.
        """
        by_place: dict[int, list[int]] = {i: [] for i in self.needed}
        for k, places in enumerate(fitting):
            for i in places:
                if i in by_place:
                    by_place[i].append(k)
        return list(by_place.values())

    def fitting(self, row: Row, meter: Meter, *, grid: bool = True) -> list[int]:
        """Return the positions of the places (rows in scope) that a row can match.

        If `grid` is False, values between the steps of an interval match, too.

        Raises:
            StepLimitError: the limit of steps is exceeded.
        """
        if row._unknown and any(name in row._unknown for name in self.columns):  # an unknown name fits nowhere
            return []
        candidates = self.by_fixed.get(tuple([getattr(row, name) for name in self.fixed]), ())
        if candidates:
            meter.spend(len(candidates), self.offered[candidates[0]].entry.span)
        if not self.open:
            return [*candidates]
        values = [(name, getattr(row, name)) for name in self.open]
        places = []
        for i in candidates:
            fields = self.offered[i].fields
            for name, value in values:
                if not fields[name].admits(value, grid=grid):
                    break
            else:
                places.append(i)
        return places


def maximum_matching(edges: Sequence[Sequence[int]], meter: Meter | None = None) -> dict[int, int]:
    """Return a maximum matching of a bipartite graph, found by augmenting paths.

    Args:
        edges: for each left node, the right nodes to which it has edges.
        meter: counts the visited edges.

    Returns:
        The right node of each matched left node.
    """
    mate: dict[int, int] = {}
    owner: dict[int, int] = {}
    for start, reachable in enumerate(edges):
        nearest = next((right for right in reachable if right not in owner), None)
        if nearest is not None:
            owner[nearest], mate[start] = start, nearest
            continue
        reached_from: dict[int, int] = {}
        queue = deque([start])
        free: int | None = None
        while queue and free is None:
            left = queue.popleft()
            if meter is not None and queue:  # a node that is alone in the queue is not counted
                meter.spend(len(edges[left]))
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
