"""Problems for back ends: conditions, objectives, and the plan rows into which assignments are decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import TRUE, Bool, Extreme, Linear


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A condition of a problem with its origin, such as the id of the author's constraint."""

    condition: Bool
    origin: str  # such as `slot[pergamon]`, `scope:visits.start` or `plan:visits`


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """An arc that a route may use.

    Attributes:
        start: node in which it begins.
        end: node in which it ends.
        condition: condition that holds if and only if the arc is used; None if there is no such condition and a back
            end may choose freely.
        implies: condition that holds whenever the arc is used.
    """

    start: int
    end: int
    condition: Bool | None
    implies: Bool = TRUE


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A load that accumulates along routes, such as the demand of customers.

    Attributes:
        amounts: non-negative amount of each node from node 1 on. Node 0 is the depot.
        capacity: maximum sum of the amounts along a route.
        fewest: minimum number of routes.
    """

    amounts: tuple[int, ...]
    capacity: int
    fewest: int


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes from a depot through nodes. The hard conditions imply them, so a back end may ignore them.

    Attributes:
        arcs: the arcs that may be used. Node 0 is the depot, where every route begins and ends. Each other node uses
            one incoming and one outgoing arc; an arc from a node to itself means that the node is in no route.
        exclusive: sets of arcs of which at most one is used.
        defines: ids of arc conditions that the routes determine (for a negation, the id of the negated condition). A
            back end that adds the other hard conditions, a circuit over the arcs, what each arc `implies`, and
            `exclusive` may replace these conditions with new Boolean variables.
        apart: conditions that keep pairs of nodes apart in time, and non-overlapping intervals. They also follow from
            the hard conditions.
        implies: ids of hard conditions, or conjuncts of them, that follow from `apart`. A back end that adds `apart`
            may omit them.
        loads: loads that also follow from the hard conditions.
    """

    arcs: tuple[Arc, ...]
    exclusive: tuple[tuple[Arc, ...], ...] = ()
    defines: frozenset[int] = frozenset()
    apart: tuple[Bool | NoOverlap, ...] = ()
    implies: frozenset[int] = frozenset()
    loads: tuple[Load, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """An interval from `start` to `start + length`. The length is never negative if the interval is present."""

    present: Bool
    start: Linear
    length: Linear


@dataclass(frozen=True, slots=True, eq=False)
class NoOverlap:
    """A no-overlap constraint over the present intervals. No interval of length 0 lies inside another interval.

    This follows from the hard conditions, so a back end may ignore it.
    """

    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cumulative:
    """A cumulative constraint: at any time, the running intervals use at most a capacity.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        intervals: the intervals. Each uses its demand from its start until just before its end.
        demands: units that each interval uses, in the same order.
        capacity: maximum number of units in use.
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that adds the
            constraint may omit them.
    """

    intervals: tuple[Interval, ...]
    demands: tuple[int, ...]
    capacity: int
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """The maximum use by intervals at any time. The atom `value` already defines it, so a back end may ignore a peak.

    Attributes:
        value: atom for the maximum.
        uses: for each group, its intervals and the units that each interval uses. No group ever uses more than `value`.
        is_exact: whether `value` is exactly the maximum use; if not, it may be greater.
    """

    value: Extreme
    uses: tuple[tuple[tuple[Interval, ...], tuple[int, ...]], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Rectangles that do not overlap. All are present, and all side lengths are constant and at least 1.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        across: the intervals of the rectangles in one direction.
        along: the intervals in the other direction, in the same order.
        reaches: for each direction, an expression that is at least the end of every rectangle; None if there is none.
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that adds the
            constraint may omit them.
    """

    across: tuple[Interval, ...]
    along: tuple[Interval, ...]
    reaches: tuple[Linear | None, Linear | None] = (None, None)
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Different:
    """Sums that are pairwise different.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        forms: the sums.
        ranges: the minimum and the maximum of each sum.
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that adds the
            constraint may omit them.
    """

    forms: tuple[Linear, ...]
    ranges: tuple[tuple[int, int], ...]
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row of a plan table, as variables of the problem.

    Attributes:
        table: name of its table.
        present: condition that the plan has the row.
        fields: for each column, the linear expression of its encoded value.
        numbers: names of key columns with whole numbers. Often they only tell rows apart.
    """

    table: str
    present: Bool
    fields: Mapping[str, Linear]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """An objective as a linear expression to minimise, after the soft weight.

    Attributes:
        linear: value of the task's objective times `scale`, negated if the task maximises. It is arbitrary if `defined`
            does not hold.
        defined: condition under which the objective has a value.
        scale: positive factor that makes the values integers.
        maximize: whether the task maximises the objective.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """Translation between a problem and a smaller problem to which it was reduced.

    Use a translated condition only by requiring it, and a translated expression only by minimising it.
    """

    def condition(self, node: Bool) -> Bool:
        """Translate a condition on the whole problem into a condition on the reduced problem."""

    def objective(self, linear: Linear) -> Linear:
        """Translate an expression that is minimised in the whole problem into an expression of the reduced problem."""

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate an assignment of the reduced problem into an assignment of the whole problem.

        If the translation of a condition holds in `values`, the condition holds in the result.
        """

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate an assignment of the whole problem into an assignment of the reduced problem."""


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: builder of all nodes below.
        hard: conditions that must hold.
        soft: conditions with positive weights. The total weight of the satisfied conditions is maximised.
        objectives: objectives that rank assignments of equal soft weight. Each objective breaks ties in the earlier
            ones. Assignments for which an objective is undefined rank below those for which it is defined.
        rows: rows that a plan may have, for decoding and for comparing plans.
        identity: for each table in which plans are compared, the compared columns (keys and unique fields).
        routes: routes that follow from the hard conditions. Questions that drop a hard condition must not use
            them.
        no_overlaps: intervals that the hard conditions forbid to overlap; the restriction of `routes` applies.
        different: sums that differ because of the hard conditions; the restriction of `routes` applies.
        cumulatives: capacities that follow from the hard conditions; the restriction of `routes` applies.
        boxes: rectangles that the hard conditions forbid to overlap; the restriction of `routes` applies.
        peaks: atoms that stand for the maximum use by intervals at any time.
        reductions: names of the reductions that removed assignments (`planspec.solvers.reductions`). A reduced
            problem may have fewer assignments than the whole problem.
        translation: translation from the original problem if this problem was reduced by one that replaces variables;
            else None. `hard` is already translated; all other attributes still refer to the original problem. Sessions
            that `planspec.solvers.reductions` opens apply the translation.
    """

    model: NodeBuilder
    hard: list[Rooted]
    soft: list[tuple[Rooted, int]]
    objectives: Sequence[LinearObjective]
    rows: list[RowVars]
    identity: Mapping[str, tuple[str, ...]]
    routes: Sequence[Routes] = ()
    no_overlaps: Sequence[NoOverlap] = ()
    cumulatives: Sequence[Cumulative] = ()
    different: Sequence[Different] = ()
    boxes: Sequence[Boxes] = ()
    peaks: Sequence[Peak] = ()
    reductions: tuple[str, ...] = ()
    translation: Translation | None = None

    @property
    def compared(self) -> list[RowVars]:
        """The rows of all tables in which plans are compared."""
        return [row for row in self.rows if row.table in self.identity]
