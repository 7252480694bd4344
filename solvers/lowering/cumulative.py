"""Detection of capacities that the hard conditions imply: rows that run at the same time use at most a capacity.

A row of the plan stands for an activity with a start and an end. Authors write, for each row n of a resource, that the
rows running at its start do not exceed the capacity: `sum(o.units if start(o) <= start(n) and start(n) < END(o) else 0
for o in ...) <= CAPACITY`. The use grows only when a row starts.
If every row of the resource has such a condition, the capacity is never exceeded, and the rows form a cumulative
constraint. Rows without such a condition are left out. If capacities differ, the largest is used. Only rows with
constant, positive lengths are considered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import TRUE, AtMostZero, Bool, Indicator, IntVar, Negation, Tabled, conjuncts
from planspec.solvers.ir.problem import Cumulative, Interval, Peak, Rooted
from planspec.solvers.lowering.atoms import Atoms
from planspec.solvers.lowering.no_overlap import LEAST_INTERVALS, intervals_by_group, precedence
from planspec.solvers.lowering.relations import (
    UNLISTED,
    EncounteredRelations,
    PeakRule,
    possible_groups,
    required,
)


@dataclass(frozen=True, slots=True)
class _Usage:
    """Units of a resource that one row (activity) uses if it is running when another row starts.

    Attributes:
        running_start: start variable of the row that may be running.
        other_start: start variable of the other row.
        length: length of the running row; None if the condition does not determine it.
        units: units that the running row uses, at least 1.
    """

    running_start: IntVar
    other_start: IntVar
    length: int | None
    units: int


@dataclass(frozen=True, slots=True)
class _Limit:
    """A condition that limits the units of a resource that are in use when a row (activity) starts.

    Attributes:
        start: start variable of the row that starts.
        usages: units that each other row may use at that time, by its start variable.
        rest: maximum total of these units: what remains of the capacity besides the units of the row that starts.
        condition: the condition itself.
    """

    start: IntVar
    usages: Mapping[IntVar, _Usage]
    rest: int
    condition: Bool


def cumulatives(
    encountered: EncounteredRelations, hard: Sequence[Rooted], model: NodeBuilder, atoms: Atoms
) -> list[Cumulative]:
    """Return the cumulative constraints that hard conditions imply.

    These hard conditions have the form `peak(...) <= CAPACITY`, or limit a sum of the units that rows use when a row
    starts (see `_Limit`).
    """
    rules = required(encountered.peaks, (root.condition for root in hard))
    covered = {id(part) for rule in rules for part in conjuncts(rule.condition)}
    from_peaks = [each for rule in rules for each in _capacities_of_peak(rule, model, atoms)]
    limits_by_constraint: dict[str, list[_Limit]] = {}
    for root in hard:
        for part in conjuncts(root.condition):
            limit = None if id(part) in covered else _limit(part, model)
            if limit is not None:
                limits_by_constraint.setdefault(root.origin.partition("[")[0], []).append(limit)
    return [
        *from_peaks,
        *(each for limits in limits_by_constraint.values() for each in _capacities_of_constraint(limits, model)),
    ]


def _capacities_of_peak(rule: PeakRule, model: NodeBuilder, atoms: Atoms) -> Iterator[Cumulative]:
    """Yield the cumulative constraint of each group of rows of a rule `peak(..., per=GROUP) <= CAPACITY`.

    Yield nothing if a row's demand may be negative.
    """
    if min(rule.demands, default=0) < 0:
        return
    for group, members in intervals_by_group(rule, model, atoms):
        needing = {index: interval for index, interval in group.items() if rule.demands[index] > 0}
        if len(needing) >= LEAST_INTERVALS:
            # if all rows of the group are intervals, the constraint implies the limits at rows that are always in the
            # group
            is_exact = rule.is_exact and group.keys() == members.keys()
            implied = (id(limit) for index, limit in rule.limits if is_exact and members.get(index) is TRUE)
            demands = tuple(rule.demands[index] for index in needing)
            yield Cumulative(tuple(needing.values()), demands, rule.capacity, frozenset(implied))


def peaks(encountered: EncounteredRelations, model: NodeBuilder, atoms: Atoms) -> list[Peak]:
    """Return a `Peak`, with intervals and their units, for each `peak(...)` that is used as a number.

    Uses of `peak` with demands that may be negative are left out.
    """
    found = []
    for each in {id(each.value): each for each in encountered.peak_values}.values():
        if min(each.demands, default=0) < 0:
            continue
        uses = []
        is_exact = each.is_constant and UNLISTED not in {
            group for element in each.elements for group in possible_groups(element.group)
        }
        for group, members in intervals_by_group(each, model, atoms):
            needing = {index: interval for index, interval in group.items() if each.demands[index] > 0}
            uses.append((tuple(needing.values()), tuple(each.demands[index] for index in needing)))
            # a row without an interval adds to the value, but is missing in `uses`
            is_exact = is_exact and all(index in group and each.intervals[index][0] is TRUE for index in members)
        if any(len(intervals) >= LEAST_INTERVALS for intervals, _ in uses):
            found.append(Peak(each.value, tuple(uses), is_exact))
    return found


def _limit(part: Bool, model: NodeBuilder) -> _Limit | None:
    """Parse a condition as a limit on the units in use when a row starts; None if it has another form."""
    match part:
        case AtMostZero(linear=linear):
            pass
        case Negation(item=AtMostZero(linear=linear)):  # linear >= 1
            linear = model.minus(model.constant(1), linear)
        case _:
            return None
    found: list[_Usage] = []
    possible: set[IntVar] | None = None
    rest = -linear.constant
    for atom, units in linear.terms:
        match atom:
            case Indicator(condition=condition) if units < 0:  # -units * [condition] == units * [not condition] - units
                usages = list(_usages(model.negate(condition), -units))
                rest -= units
            case Indicator(condition=condition):
                usages = list(_usages(condition, units))
            case Tabled():
                usages = list(_tabled_usages(atom, units))
            case _:
                return None
        starts = {each.other_start for each in usages}
        possible = starts if possible is None else possible & starts
        found.extend(usages)
    if possible is None or len(possible) != 1:  # with few other rows, the row whose start is compared may be ambiguous
        return None
    (at,) = possible
    by_row = {each.running_start: each for each in found if each.other_start is at}
    return _Limit(at, by_row, rest, part) if len(by_row) == len(linear.terms) else None


def _usages(condition: Bool, units: int) -> Iterator[_Usage]:
    """Yield the ways to interpret a condition as "a row runs, and uses `units`, when another row starts"."""
    links = [precedence(item) for item in conjuncts(condition)]
    pairs = [link for link in links if link is not None]
    if len(pairs) != len(links) or len(pairs) > 2:
        return
    for row, at in {(a, b) for x, y, _ in pairs for a, b in ((x, y), (y, x))}:
        starts = [length for x, y, length in pairs if (x, y) == (row, at)]
        ends = [length for x, y, length in pairs if (x, y) == (at, row)]
        if len(ends) == 1 and ends[0] <= 0 and (starts == [0] or (not starts and row.domain.high <= at.domain.low)):
            yield _Usage(row, at, 1 - ends[0], units)
        elif starts == [0] and not ends:
            yield _Usage(row, at, None, units)


def _tabled_usages(atom: Tabled, factor: int) -> Iterator[_Usage]:
    """Yield the ways to interpret a table as the units that one row uses if it is running when another row starts.

    The table must be over the starts of the two rows, either of which may be the running row. `factor` is the
    coefficient of the table in the sum of units that a condition limits.
    """
    cells = {codes: value for codes, value in atom.values.items() if value}
    if len(atom.vars) != 2 or atom.default != 0 or len(set(cells.values())) != 1:
        return
    units = factor * next(iter(cells.values()))
    if units < 1:
        return
    for i in (0, 1):
        row, at = atom.vars[i], atom.vars[1 - i]
        gaps = {codes[1 - i] - codes[i] for codes in cells}
        length = max(gaps) + 1
        running = {(x, y) for x in row.domain for y in at.domain if 0 <= y - x < length}
        if min(gaps) >= 0 and running == {(codes[i], codes[1 - i]) for codes in cells}:
            yield _Usage(row, at, length, units)


def _capacities_of_constraint(limits: Sequence[_Limit], model: NodeBuilder) -> Iterator[Cumulative]:
    """Yield the cumulative constraints that follow from the limits of one hard constraint of the task.

    Each limit applies when a row starts; see `_Limit`.
    """
    left = list(limits)
    while left:
        largest = max(left, key=lambda each: len(each.usages))
        left.remove(largest)
        group = _Group(largest, limits)
        if len(group.rows) >= LEAST_INTERVALS:
            left = [each for each in left if not group.contains(each)]
            yield group.capacity(model)


class _Group:
    """The rows that use one resource, and the units of the resource that each row uses.

    Args:
        first: a limit on the units in use when a row starts (see `_Limit`). The group is formed from the rows that
            this limit counts and the row that starts.
        limits: all limits that one hard constraint of the task sets, including `first`.
    """

    def __init__(self, first: _Limit, limits: Sequence[_Limit]) -> None:
        self._units = {row: usage.units for row, usage in first.usages.items()}
        own = next(
            (each.usages[first.start].units for each in limits if first.start in each.usages and self.agrees(each)), 0
        )
        if own:
            self._units[first.start] = own
        self._lengths: dict[IntVar, int] = {}
        self._limits: dict[IntVar, list[_Limit]] = {}
        for limit in filter(self.contains, limits):
            self._limits.setdefault(limit.start, []).append(limit)
            for row, usage in limit.usages.items():
                if usage.length is not None:
                    self._lengths[row] = min(usage.length, self._lengths.get(row, usage.length))
        self.rows = [row for row in self._units if row in self._lengths]
        while (fitting := [row for row in self.rows if self._total(row) is not None]) != self.rows:
            self.rows = fitting

    def agrees(self, limit: _Limit) -> bool:
        """Return whether each row of a limit that is also in the group uses the same number of units in both."""
        return all(self._units.get(row, usage.units) == usage.units for row, usage in limit.usages.items())

    def contains(self, limit: _Limit) -> bool:
        """Return whether a limit is one of the limits of the group.

        The limit must apply when a row of the group starts, it must count only rows of the group, and each of these
        rows must use the same number of units as in the group.
        """
        return limit.start in self._units and limit.usages.keys() <= self._units.keys() and self.agrees(limit)

    def _total(self, row: IntVar) -> int | None:
        """Return the maximum number of units in use when a row starts, including its own.

        Return None if no limit at the start of this row counts all rows of the group that may be running then.
        """
        totals = [
            limit.rest + self._units[row]
            for limit in self._limits.get(row, ())
            if all(self._is_counted(each, limit) for each in self.rows)
        ]
        return min(totals, default=None)

    def _is_counted(self, row: IntVar, limit: _Limit) -> bool:
        """Return whether a limit counts a row, or the row cannot run when the limit applies."""
        at = limit.start
        return (
            row is at
            or row in limit.usages
            or row.domain.low > at.domain.high
            or row.domain.high + self._lengths[row] <= at.domain.low
        )

    def capacity(self, model: NodeBuilder) -> Cumulative:
        """Return the cumulative constraint of the group."""
        intervals = tuple(Interval(TRUE, model.of(row), model.constant(self._lengths[row])) for row in self.rows)
        totals = [total for row in self.rows if (total := self._total(row)) is not None]
        capacity = max(totals)
        implied = (
            id(limit.condition)
            for row in self.rows
            for limit in self._limits.get(row, ())
            if limit.rest + self._units[row] == capacity and self._follows(limit)
        )
        return Cumulative(intervals, tuple(self._units[row] for row in self.rows), capacity, frozenset(implied))

    def _follows(self, limit: _Limit) -> bool:
        """Return whether the group's constraint implies a limit with the same capacity.

        The rows that the limit counts must be rows of the group with the same lengths.
        """
        return all(
            row in self.rows
            and (
                limit.start.domain.high < row.domain.low + self._lengths[row]
                if usage.length is None
                else usage.length == self._lengths[row]
            )
            for row, usage in limit.usages.items()
        )
