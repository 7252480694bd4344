"""A problem for a back end: conditions, rewards, objectives, and the rows that an assignment describes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import Bool, Linear


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A condition that must hold, or is rewarded, with the author's name for it."""

    condition: Bool
    origin: str  # an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`, or `plan:...` for shape rules


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes that visit some nodes: they follow from the hard conditions, so a back end may ignore them.

    Attributes:
        arcs: start node, end node, and the condition under which the arc is used; None for an arc that is
            used if no other one is. Node 0 is the depot, where every route begins and ends. Each other node
            has one incoming and one outgoing arc, in a route or to itself.
    """

    arcs: tuple[tuple[int, int, Bool | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row of the search: the condition that it is present, and the codes of its fields."""

    table: str
    present: Bool
    fields: Mapping[str, Linear]  # a code for each column; see Problem.decode


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """A form to minimise after the soft weight; `linear` has no meaning if `defined` does not hold.

    Attributes:
        linear: the task's value times `scale`, negated if the task maximises.
        defined: condition that the objective has a value.
        scale: factor between the task's value and `linear`.
        maximize: whether the task maximises.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """The way in which a problem represents another: how conditions and objectives on that one are stated.

    Conditions are translated as requirements, and linear forms as forms to minimise.
    """

    def condition(self, node: Bool) -> Bool:
        """Return a condition on the whole problem as one on this problem."""

    def objective(self, linear: Linear) -> Linear:
        """Return a form that is minimised in the whole problem as one of this problem."""

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """Return the whole problem's assignment that one of this problem represents.

        Every translated condition that holds in the latter holds in the former.
        """

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """Return this problem's assignment for one of the whole problem."""


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: builder of all nodes below.
        hard: conditions that all hold.
        soft: (condition, weight > 0): the weight of those that hold is maximised.
        objectives: forms that rank the assignments of greatest soft weight, in order; each applies to ties of
            the earlier ones. They exclude no assignment: one without a value ranks below all that have one.
        rows: the plan's rows, for decoding and for distinguishing plans.
        identity: for each table that distinguishes plans, the columns that do (keys and unique fields).
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
