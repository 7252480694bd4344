"""Problems for back ends: conditions, objectives, and the rows that an assignment describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import Bool, Linear


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A hard or soft condition with its origin, such as the id of the author's rule."""

    condition: Bool
    origin: str  # an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`, or `plan:...` for shape rules


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes through some nodes. They follow from the hard conditions, so a back end may ignore them.

    Attributes:
        arcs: start node, end node, and the condition under which the arc is used. If the condition is None,
            the back end is free to use the arc. Node 0 is the depot, where every route begins and ends. Each
            other node has one incoming and one outgoing arc, in a route or to itself.
    """

    arcs: tuple[tuple[int, int, Bool | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row of the search, with the condition that it is present and the codes of its fields."""

    table: str
    present: Bool
    fields: Mapping[str, Linear]  # a code for each column; see Problem.decode


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """A linear form to minimise once the soft weight is settled.

    Attributes:
        linear: the task's value times `scale`, negated if the task maximises. It has no meaning if `defined`
            does not hold.
        defined: condition that the objective has a value.
        scale: factor between the task's value and `linear`.
        maximize: whether the task maximises.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """Translation between a whole problem and a reduced problem that represents it.

    A translated condition may only be required to hold, and a translated form only be minimised.
    """

    def condition(self, node: Bool) -> Bool:
        """Return a condition on the whole problem as one on this problem."""

    def objective(self, linear: Linear) -> Linear:
        """Return a form to minimise in the whole problem as one of this problem."""

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Return the assignment of the whole problem for one of this problem.

        Every condition whose translation holds in this problem's assignment holds in the result.
        """

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Return the assignment of this problem for one of the whole problem."""


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: builder of all nodes below.
        hard: conditions that all hold.
        soft: conditions with their weights, which are positive. The total weight of those that hold is
            maximised.
        objectives: forms that rank the assignments of greatest soft weight. Each breaks the ties of the
            earlier ones. An assignment for which a form has no value ranks below those for which it has one.
        rows: the plan's rows, for decoding and for distinguishing plans.
        identity: for each table that distinguishes plans, the columns that distinguish them (keys and unique
            fields).
        routes: routes that follow from the hard conditions, all of which must hold where routes are used.
        reductions: names of the reductions that removed assignments (`planspec.solvers.reductions`). The
            number of assignments of such a problem is not that of the whole problem.
        translation: translation of conditions and objectives, if the problem represents another. `hard` is
            translated already, and all other attributes are the whole problem's. Sessions opened by
            `planspec.solvers.reductions` apply it.
    """

    model: NodeBuilder
    hard: list[Rooted]
    soft: list[tuple[Rooted, int]]
    objectives: Sequence[LinearObjective]
    rows: list[RowVars]
    identity: Mapping[str, tuple[str, ...]]
    routes: Sequence[Routes] = ()
    reductions: tuple[str, ...] = ()
    translation: Translation | None = None

    @property
    def compared(self) -> list[RowVars]:
        """The rows of the tables that distinguish plans."""
        return [row for row in self.rows if row.table in self.identity]
