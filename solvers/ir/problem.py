"""Problems for back ends: conditions, objectives, and the plan rows into which assignments are decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import TRUE, Bool, Extreme, Linear


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A condition with its origin, by which unsat cores and proofs name it.

    Attributes:
        condition: the condition.
        origin: an id such as `slot[pergamon]` (constraint `slot` of the task, with its parameter bound to `pergamon`),
            `scope:visits.start` (values that the scope allows in a column) or `plan:visits` (rules for all rows of a
            table).
    """

    condition: Bool
    origin: str


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """A directed arc between two nodes that a route may use.

    Attributes:
        start: number of the node in which the arc begins.
        end: number of the node in which the arc ends.
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
        fewest: lower bound on the number of routes that the total load and the capacity require.
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
        exclusive: sets of arcs; at most one arc of each set is used.
        defines: Python `id()` of each arc condition whose truth follows from the routes. For an arc with the condition
            `not c`, this is the id of `c`. A back end may replace these conditions with new Boolean variables if it
            adds the other hard conditions, a circuit over the arcs, the conditions that each arc implies, and
            `exclusive`.
        apart: conditions that keep pairs of nodes apart in time, and no-overlap constraints on intervals. They also
            follow from the hard conditions.
        implies: Python `id()` of hard conditions, or of conjuncts of hard conditions. `apart` implies these conditions,
            so a back end that adds `apart` may omit them.
        loads: capacity constraints along routes. They also follow from the hard conditions.
    """

    arcs: tuple[Arc, ...]
    exclusive: tuple[tuple[Arc, ...], ...] = ()
    defines: frozenset[int] = frozenset()
    apart: tuple[Bool | NoOverlap, ...] = ()
    implies: frozenset[int] = frozenset()
    loads: tuple[Load, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """An optional interval from `start` to `start + length`, as in a no-overlap constraint.

    The interval takes part in constraints only if the condition `present` holds. Its length is then at least 0.
    """

    present: Bool
    start: Linear
    length: Linear


@dataclass(frozen=True, slots=True, eq=False)
class NoOverlap:
    """A no-overlap constraint: present intervals do not overlap, and none of length 0 lies inside another.

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
        implies: Python `id()` of conjuncts of hard conditions. This constraint implies these conjuncts, so a back end
            that adds the constraint may omit them.
    """

    intervals: tuple[Interval, ...]
    demands: tuple[int, ...]
    capacity: int
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Peak:
    """The maximum use of a resource by intervals at any time, such as the number of machines that run at once.

    The atom `value` already defines the maximum, so a back end may ignore this object.

    Attributes:
        value: atom that equals the maximum, or is greater.
        uses: pairs of intervals and the units that each of them uses. In no pair do the running intervals ever use more
            than `value` together.
        is_exact: whether `value` is exactly the maximum use; if not, it may be greater.
    """

    value: Extreme
    uses: tuple[tuple[tuple[Interval, ...], tuple[int, ...]], ...]
    is_exact: bool


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """A two-dimensional no-overlap constraint over rectangles. All side lengths are constant and at least 1.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        across: the intervals of the rectangles along one axis. All are always present.
        along: the intervals along the other axis, in the same order.
        reaches: for each axis, an expression that is at least the end of every rectangle; None if there is none.
        implies: Python `id()` of conjuncts of hard conditions. This constraint implies these conjuncts, so a back end
            that adds the constraint may omit them.
    """

    across: tuple[Interval, ...]
    along: tuple[Interval, ...]
    reaches: tuple[Linear | None, Linear | None] = (None, None)
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Different:
    """An all-different constraint over linear expressions, such as `queen[i] + i` for all i.

    This follows from the hard conditions, so a back end may ignore it.

    Attributes:
        forms: the expressions.
        ranges: the minimum and the maximum of each expression.
        implies: Python `id()` of conjuncts of hard conditions. This constraint implies these conjuncts, so a back end
            that adds the constraint may omit them.
    """

    forms: tuple[Linear, ...]
    ranges: tuple[tuple[int, int], ...]
    implies: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row that a plan may have in one of its tables, such as a visit, as expressions over decision variables.

    Attributes:
        table: name of the plan table.
        present: condition that the plan has the row.
        fields: by column name, the linear expression whose value encodes the row's value as an integer.
        numbers: names of key columns that hold whole numbers. Often these are mere row numbers.
    """

    table: str
    present: Bool
    fields: Mapping[str, Linear]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """An objective as a linear expression to minimise. It ranks plans whose satisfied soft constraints weigh the same.

    Attributes:
        linear: value of the task's objective times `scale`, negated if the task maximises. It is arbitrary if `defined`
            does not hold.
        defined: condition that the objective has a value; the minimum over an empty set, for example, has none.
        scale: positive factor that makes the values integers.
        maximize: whether the task maximises the objective.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """Translation between a problem and a smaller problem to which it was reduced.

    A translated condition may only be required to hold; do not negate it or use it inside another condition. A
    translated expression may only be minimised.
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
        hard: conditions that must hold, with their origins.
        soft: pairs of a condition and its positive weight. The total weight of the satisfied conditions is maximised.
        objectives: objectives that rank assignments of equal soft weight. Each objective breaks ties in the earlier
            ones. Assignments for which an objective is undefined rank below those for which it is defined.
        rows: rows that a plan may have in its tables, for decoding assignments and for comparing plans.
        identity: for each table by which plans are told apart, the compared columns (keys and unique fields).
        routes: routing constraints that follow from the hard conditions. A query that drops a hard condition must drop
            them, too.
        no_overlaps: no-overlap constraints that follow from the hard conditions; to be dropped like `routes`.
        different: all-different constraints that follow from the hard conditions; to be dropped like `routes`.
        cumulatives: cumulative constraints that follow from the hard conditions; to be dropped like `routes`.
        boxes: no-overlap constraints on rectangles that follow from the hard conditions; to be dropped like `routes`.
        peaks: atoms that stand for the maximum use of a resource by intervals at any time.
        reductions: names of the reductions that removed assignments (`planspec.solvers.reductions`). A reduced
            problem may have fewer assignments than the whole problem.
        translation: translation between the original problem and this one, if a reduction has replaced variables; else
            None. `hard` is already translated; all other attributes still refer to the original problem. Sessions that
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
        """The possible rows of all tables by which plans are told apart, that is, of the tables in `identity`."""
        return [row for row in self.rows if row.table in self.identity]
