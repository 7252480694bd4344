"""The shape of a plan against its tables and its task's scope: keys, `one` tables, `closed`, being in scope."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.types import SetType, Table
from planspec.dsl.model.value_text import row_key, show_key
from planspec.dsl.resources.limits import JUDGING_STEPS
from planspec.verifiers.meaning.ground import Ground, GroundRow
from planspec.verifiers.meaning.meter import Meter
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.meaning.verdict import Finding, SourcePlace, row_ref


def shape_findings(ground: Ground, plan: Plan, meter: Meter | None = None) -> Iterator[Finding]:
    """The faults of a plan's rows whatever the constraints say; each finding is violated.

    Keys that stand twice, `one` tables without exactly one row, and, where the task is closed, rows that the
    scope does not offer and rows that it demands.

    Args:
        ground: the task.
        plan: its rows.
        meter: counts the steps that it takes.

    Raises:
        StepLimitError: there are too many.
    """
    meter = meter or Meter(JUDGING_STEPS)
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
            yield from _closed(ground, table, rows, meter)


def in_scope(ground: Ground, plan: Plan, meter: Meter | None = None) -> bool:
    """A search over the scope could find this plan.

    Its rows can be dealt out to the rows in scope, one to one, each field within its domain, so that none
    that must be there is left over.

    Args:
        ground: the task.
        plan: its rows.
        meter: counts the steps that it takes.

    Raises:
        StepLimitError: there are too many.
    """
    meter = meter or Meter(JUDGING_STEPS)
    return all(
        _places(ground, table).take(plan.tables[table.name], meter) for table in ground.task.plan_tables
    )


def places_of(ground: Ground, table: str, rows: Sequence[Row]) -> list[GroundRow | None]:
    """For each row of a plan's table the row in scope that it may be, no two the same; None where none is left."""
    places = _places(ground, ground.task.tables[table])
    meter = Meter(JUDGING_STEPS)
    mate = matching([places.fitting(row, meter) for row in rows], meter)
    return [places.offered[mate[i]] if i in mate else None for i in range(len(rows))]


_PLACES: Kind[Table, _Places] = Kind("rows in scope, to deal a plan's rows out to")


def _places(ground: Ground, table: Table) -> _Places:
    known = ground.interpreter.static.of(_PLACES)
    found = known.get(table)
    if found is None:
        found = known[table] = _Places.of(table.columns, table, ground.rows[table.name])
    return found


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
    if not table.key:
        return
    keys = [row._key_of(row) for row in rows]
    if len(set(keys)) == len(keys):
        return
    seen: dict[tuple[object, ...], list[Row]] = {}
    for key, row in zip(keys, rows, strict=True):
        if None not in key:  # a key that could not be read has a finding of its own
            seen.setdefault(key, []).append(row)
    for same in seen.values():
        if len(same) > 1:
            name = row_key(same[0], ground.task.currency)
            yield _finding(
                ground, table, "duplicate-key", f"{table.name}[{name}] stands {len(same)} times", same[:1]
            )


def _closed(ground: Ground, table: Table, rows: Sequence[Row], meter: Meter) -> Iterator[Finding]:
    """Rows without a place in the scope, and rows in scope that must be there and are not."""
    offered = ground.rows[table.name]
    currency = ground.task.currency
    places = _Places.of(table.key, table, offered)
    fitting = [places.fitting(row, meter, grid=False) for row in rows]
    placed = matching(fitting, meter)
    for i, row in enumerate(rows):
        if i not in placed:
            message = f"{table.name}[{row_key(row, currency)}] is not among the rows that the task allows"
            yield _finding(ground, table, "closed", message, [row])
    met = matching(places.takers(fitting), meter)
    for place, i in enumerate(places.needed):
        if place not in met:
            yield _finding(
                ground,
                table,
                "closed",
                f"{table.name} lacks a row that the task demands: {_key_text(offered[i], currency)}",
            )


def _key_text(row: GroundRow, currency: str | None) -> str:
    """The text for a row in scope: its key, as far as it is settled."""
    parts = []
    for name in row.table.key:
        domain = row.fields[name]
        if domain.values is not None and len(domain.values) == 1 and not domain.or_none:
            parts.append(f"{name} {show_key(domain.values[0], row.table.columns[name].type, currency)}")
        else:
            parts.append(f"{name} of the scope")
    return ", ".join(parts) or "any"


@dataclass(frozen=True, slots=True, eq=False)
class _Places:
    """The rows in scope of a table, by what is settled in all of them.

    Attributes:
        columns: those in which a plan's row has to fit.
        offered: the rows in scope.
        needed: the places of those that must be there.
        settled: the columns in which every row in scope has one choice.
        open: the other columns.
        by_settled: the places of the rows in scope by their values in the settled columns.
    """

    columns: Sequence[str]
    offered: Sequence[GroundRow]
    needed: Sequence[int]
    settled: Sequence[str]
    open: Sequence[str]
    by_settled: Mapping[tuple[object, ...], Sequence[int]]

    @classmethod
    def of(cls, columns: Iterable[str], table: Table, offered: Sequence[GroundRow]) -> _Places:
        columns = tuple(columns)
        settled = [
            name
            for name in columns
            if not isinstance(table.columns[name].type, SetType)
            and not any(row.fields[name].open for row in offered)
        ]
        by_settled: dict[tuple[object, ...], list[int]] = {}
        for i, row in enumerate(offered):
            values = tuple(next(iter(row.fields[name].values or ()), None) for name in settled)
            by_settled.setdefault(values, []).append(i)
        return cls(
            columns=columns,
            offered=offered,
            needed=[i for i, row in enumerate(offered) if not row.optional],
            settled=settled,
            open=[name for name in columns if name not in settled],
            by_settled=by_settled,
        )

    def take(self, rows: Sequence[Row], meter: Meter) -> bool:
        """Every row has a place and every place that must be taken has a row.

        Two matchings suffice, one that covers the rows and one that covers the places: by a theorem of Mendelsohn
        and Dulmage (1958) there is then one that covers both.
        """
        if not len(self.needed) <= len(rows) <= len(self.offered):
            return False
        fitting = []
        for row in rows:
            places = self.fitting(row, meter)
            if not places:
                return False
            fitting.append(places)
        if len(matching(fitting, meter)) < len(rows):
            return False
        return len(matching(self.takers(fitting), meter)) == len(self.needed)

    def takers(self, fitting: Iterable[Iterable[int]]) -> list[list[int]]:
        """For each place that must be taken the rows that fit in it.

        Args:
            fitting: of each row the places in which it fits.
        """
        takers: dict[int, list[int]] = {i: [] for i in self.needed}
        for k, places in enumerate(fitting):
            for i in places:
                if i in takers:
                    takers[i].append(k)
        return list(takers.values())

    def fitting(self, row: Row, meter: Meter, *, grid: bool = True) -> list[int]:
        """The places in which a row fits; with `grid` false also between the steps of their ranges.

        Raises:
            StepLimitError: it takes too many steps.
        """
        if any(name in row._unknown for name in self.columns):  # a name that no row has
            return []
        values = [(name, getattr(row, name)) for name in self.open]
        found = []
        same = self.by_settled.get(tuple([getattr(row, name) for name in self.settled]), ())
        if same:
            meter.spend(len(same), self.offered[same[0]].entry.span)
        for i in same:
            fields = self.offered[i].fields
            for name, value in values:
                if not fields[name].admits(value, grid=grid):
                    break
            else:
                found.append(i)
        return found


def matching(edges: Sequence[Sequence[int]], meter: Meter | None = None) -> dict[int, int]:
    """A largest matching of a bipartite graph, by augmenting paths.

    Args:
        edges: for each left node, its right nodes.
        meter: counts the edges that are looked at.

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
            if meter is not None and queue:  # a path of one edge needs no search
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
