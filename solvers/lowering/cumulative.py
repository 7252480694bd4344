"""Capacities that the hard conditions imply: rows that run at the same time need no more than there is.

Authors write, for each row n of a resource, that what runs at its start fits:
`sum(o.units if start(o) <= start(n) and start(n) < END(o) else 0 for o in ...) <= CAPACITY`. What is in use
grows only when a row starts. So if every row of the resource has its condition, the capacity is never exceeded
at any time, and a back end may be told so. For rows without a condition of their own, or with another
capacity, nothing is concluded. The lengths of rows are constant here, and positive.
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
    """Units that one row may use at the start of another.

    Attributes:
        row: variable of the start of the row that may be running.
        at: variable of the other row's start.
        length: length of the running row; None if it does not follow from this term.
        units: what the row uses, at least 1.
    """

    row: IntVar
    at: IntVar
    length: int | None
    units: int


@dataclass(frozen=True, slots=True)
class _Limit:
    """The condition that what runs at the start of a row fits.

    Attributes:
        at: variable of the row's start.
        usages: what other rows use then, by the variables of their starts.
        rest: what is left for the other rows.
        condition: the condition.
    """

    at: IntVar
    usages: Mapping[IntVar, _Usage]
    rest: int
    condition: Bool


def cumulatives(
    encountered: EncounteredRelations, hard: Sequence[Rooted], model: NodeBuilder, atoms: Atoms
) -> list[Cumulative]:
    """Return the capacities that follow from the hard conditions: those of `peak`, and those that authors write."""
    rules = required(encountered.peaks, (root.condition for root in hard))
    covered = {id(part) for rule in rules for part in conjuncts(rule.condition)}
    from_peaks = [each for rule in rules for each in _of_peak(rule, model, atoms)]
    limits_by_constraint: dict[str, list[_Limit]] = {}
    for root in hard:
        for part in conjuncts(root.condition):
            limit = None if id(part) in covered else _limit(part, model)
            if limit is not None:
                limits_by_constraint.setdefault(root.origin.partition("[")[0], []).append(limit)
    return [*from_peaks, *(each for limits in limits_by_constraint.values() for each in _of_constraint(limits, model))]


def _of_peak(rule: PeakRule, model: NodeBuilder, atoms: Atoms) -> Iterator[Cumulative]:
    """Yield the capacity of each group of a `peak`. Rows that may need less than nothing rule it out."""
    if min(rule.demands, default=0) < 0:
        return
    for group, members in intervals_by_group(rule, model, atoms):
        needing = {index: interval for index, interval in group.items() if rule.demands[index] > 0}
        if len(needing) >= LEAST_INTERVALS:
            # a limit of a row that is in this group alone follows, if all of the group's rows are intervals
            is_exact = rule.is_exact and group.keys() == members.keys()
            implied = (id(limit) for index, limit in rule.limits if is_exact and members.get(index) is TRUE)
            demands = tuple(rule.demands[index] for index in needing)
            yield Cumulative(tuple(needing.values()), demands, rule.capacity, frozenset(implied))


def peaks(encountered: EncounteredRelations, model: NodeBuilder, atoms: Atoms) -> list[Peak]:
    """Return the uses of `peak(...)` as a number whose rows are intervals that need at least nothing."""
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
            # a row that is no interval would be counted, too
            is_exact = is_exact and all(index in group and each.intervals[index][0] is TRUE for index in members)
        if any(len(intervals) >= LEAST_INTERVALS for intervals, _ in uses):
            found.append(Peak(each.value, tuple(uses), is_exact))
    return found


def _limit(part: Bool, model: NodeBuilder) -> _Limit | None:
    """Return the limit that a condition states; None if it is another condition."""
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
            case Indicator(condition=condition) if units < 0:  # minus units unless it holds
                usages = list(_usages(model.negate(condition), -units))
                rest -= units
            case Indicator(condition=condition):
                usages = list(_usages(condition, units))
            case Tabled():
                usages = list(_tabled_usages(atom, units))
            case _:
                return None
        starts = {each.at for each in usages}
        possible = starts if possible is None else possible & starts
        found.extend(usages)
    if possible is None or len(possible) != 1:  # with few other rows it may be unclear whose start is meant
        return None
    (at,) = possible
    by_row = {each.row: each for each in found if each.at is at}
    return _Limit(at, by_row, rest, part) if len(by_row) == len(linear.terms) else None


def _usages(condition: Bool, units: int) -> Iterator[_Usage]:
    """Yield the ways to read a condition as that one row runs at the start of another."""
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


def _of_constraint(limits: Sequence[_Limit], model: NodeBuilder) -> Iterator[Cumulative]:
    """Yield the capacities that follow from the limits of one constraint."""
    left = list(limits)
    while left:
        largest = max(left, key=lambda each: len(each.usages))
        left.remove(largest)
        group = _Group(largest, limits)
        if len(group.rows) >= LEAST_INTERVALS:
            left = [each for each in left if not group.contains(each)]
            yield group.capacity(model)


class _Group:
    """The rows of one resource, found from one of their limits.

    Args:
        first: a limit with most of the rows.
        limits: all limits of the constraint.
    """

    def __init__(self, first: _Limit, limits: Sequence[_Limit]) -> None:
        self._units = {row: usage.units for row, usage in first.usages.items()}
        own = next((each.usages[first.at].units for each in limits if first.at in each.usages and self.agrees(each)), 0)
        if own:
            self._units[first.at] = own
        self._lengths: dict[IntVar, int] = {}
        self._limits: dict[IntVar, list[_Limit]] = {}
        for limit in filter(self.contains, limits):
            self._limits.setdefault(limit.at, []).append(limit)
            for row, usage in limit.usages.items():
                if usage.length is not None:
                    self._lengths[row] = min(usage.length, self._lengths.get(row, usage.length))
        self.rows = [row for row in self._units if row in self._lengths]
        while (fitting := [row for row in self.rows if self._total(row) is not None]) != self.rows:
            self.rows = fitting

    def agrees(self, limit: _Limit) -> bool:
        """Return whether each row has the same units in a limit as in the first one, where both have it."""
        return all(self._units.get(row, usage.units) == usage.units for row, usage in limit.usages.items())

    def contains(self, limit: _Limit) -> bool:
        """Return whether the row of a limit, and all rows that it counts, are in the group with the same units."""
        return limit.at in self._units and limit.usages.keys() <= self._units.keys() and self.agrees(limit)

    def _total(self, row: IntVar) -> int | None:
        """Return how much may be in use when a row starts; None if no condition says so."""
        totals = [
            limit.rest + self._units[row]
            for limit in self._limits.get(row, ())
            if all(self._is_counted(each, limit) for each in self.rows)
        ]
        return min(totals, default=None)

    def _is_counted(self, row: IntVar, limit: _Limit) -> bool:
        """Return whether a limit counts a row if it runs: it has the row, or the row cannot run then."""
        at = limit.at
        return (
            row is at
            or row in limit.usages
            or row.domain.low > at.domain.high
            or row.domain.high + self._lengths[row] <= at.domain.low
        )

    def capacity(self, model: NodeBuilder) -> Cumulative:
        """Return the capacity that holds at every time."""
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
        """Return whether a limit with the same capacity counts no row that the group does not count as well."""
        return all(
            row in self.rows
            and (
                limit.at.domain.high < row.domain.low + self._lengths[row]
                if usage.length is None
                else usage.length == self._lengths[row]
            )
            for row, usage in limit.usages.items()
        )
