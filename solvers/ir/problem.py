"""Problems for back ends: conditions, objectives, and the rows that assignments are decoded into."""

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
    origin: str  # an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`, or `plan:...` for shape rules


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """An arc of routes.

    Attributes:
        start: node in which it begins.
        end: node in which it ends.
        condition: condition that holds if and only if the arc is used; None if a back end may choose.
        implies: condition that holds if the arc is used.
    """

    start: int
    end: int
    condition: Bool | None
    implies: Bool = TRUE


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A load along routes.

    Attributes:
        amounts: amount of each node other than the depot, from node 1. None is negative.
        capacity: maximum sum of the amounts of a route.
        fewest: minimum number of routes.
    """

    amounts: tuple[int, ...]
    capacity: int
    fewest: int


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes through nodes. They follow from the hard conditions, so a back end may ignore them.

    Attributes:
        arcs: the arcs. Node 0 is the depot, where every route begins and ends. Each other node has one incoming
            and one outgoing arc, in a route or to itself.
        exclusive: sets of arcs. At most one arc of each set is used.
        defines: ids of conditions of arcs (of the negated item, if a condition is a negation) that the routes
            determine. A back end that posts the other hard conditions, the circuit, `implies` of the arcs and
            `exclusive` may replace these conditions with free Booleans.
        apart: conditions on pairs of nodes, and non-overlapping intervals, that also follow from the hard
            conditions.
        implies: ids of parts of the hard conditions that follow from `apart`. A back end that posts `apart` may
            omit them.
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
    """A no-overlap constraint over the present intervals. An interval of length 0 must not lie inside another one.

    This follows from the hard conditions, so a back end may ignore it.
    """

    intervals: tuple[Interval, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Cumulative:
    """A cumulative constraint: the intervals that run at any time use at most a capacity.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        intervals: the intervals. Each uses its demand from its start to its end, excluding the end.
        demands: units that each interval uses, in the same order.
        capacity: maximum number of units in use.
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that posts the
            constraint may omit them.
    """

    intervals: tuple[Interval, ...]
    demands: tuple[int, ...]
    capacity: int
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """A variable for the maximum use at any time. The hard conditions define it, so a back end may ignore this.

    Attributes:
        value: the maximum, as an atom.
        uses: for each group, the intervals and the units that each uses. No group ever uses more than `value`.
        is_exact: whether `value` is the smallest such number.
    """

    value: Extreme
    uses: tuple[tuple[tuple[Interval, ...], tuple[int, ...]], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Rectangles that do not overlap. All are present, and all sides are constant and at least 1.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        across: the intervals of the rectangles in one direction.
        along: the intervals in the other direction, in the same order.
        reaches: for each direction, a form that is at least the end of every rectangle; None if there is none.
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that posts the
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
        implies: ids of parts of the hard conditions that follow from this constraint. A back end that posts the
            constraint may omit them.
    """

    forms: tuple[Linear, ...]
    ranges: tuple[tuple[int, int], ...]
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row in the problem.

    Attributes:
        table: name of its table.
        present: condition that the plan has the row.
        fields: the code of each column.
        numbers: key columns of whole numbers, which may serve only to distinguish rows.
    """

    table: str
    present: Bool
    fields: Mapping[str, Linear]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """A linear form that is minimised after the soft weight.

    Attributes:
        linear: the task's value times `scale`, negated if the task maximises. It is arbitrary if `defined` does
            not hold.
        defined: condition under which the objective has a value.
        scale: factor between the task's value and `linear`.
        maximize: whether the task maximises.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """Translation between a whole problem and a reduced problem that represents it.

    A translated condition may only be required to hold, and a translated form may only be minimised.
    """

    def condition(self, node: Bool) -> Bool:
        """Translate a condition on the whole problem into a condition on the reduced problem."""

    def objective(self, linear: Linear) -> Linear:
        """Translate a form that is minimised in the whole problem into a form of the reduced problem."""

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate an assignment of the reduced problem into an assignment of the whole problem.

        Every condition whose translation holds in `values` holds in the result.
        """

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Translate an assignment of the whole problem into an assignment of the reduced problem."""


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: builder of all nodes below.
        hard: conditions that all hold.
        soft: conditions with their weights, which are positive. The total weight of the conditions that hold
            is maximised.
        objectives: forms that rank assignments of equal soft weight. Each form breaks ties of the forms before
            it. Assignments for which a form is undefined rank below those for which it is defined.
        rows: the plan's rows, for decoding and for distinguishing plans.
        identity: for each table in which plans can differ, the columns that are compared (keys and unique
            fields).
        routes: routes that follow from the hard conditions. Questions that drop a hard condition must not use
            them.
        no_overlaps: intervals that do not overlap because of the hard conditions; restricted like `routes`.
        different: sums that differ because of the hard conditions; restricted like `routes`.
        cumulatives: capacities that follow from the hard conditions; restricted like `routes`.
        boxes: rectangles that do not overlap because of the hard conditions; restricted like `routes`.
        peaks: maxima of the use at any time.
        reductions: names of the reductions that removed assignments (`planspec.solvers.reductions`). A reduced
            problem may have fewer assignments than the whole problem.
        translation: translation from the whole problem if this problem is reduced; else None. `hard` is already
            translated; all other attributes still refer to the whole problem. Sessions that
            `planspec.solvers.reductions` opens apply the translation.
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
        """The rows of the tables in which plans are compared."""
        return [row for row in self.rows if row.table in self.identity]
