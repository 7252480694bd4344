"""A problem for a back end: conditions, rewards and an objective, and the rows that an assignment means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from planspec.solvers.ir.builder import NodeBuilder
from planspec.solvers.ir.nodes import Bool, Linear


@dataclass(frozen=True, slots=True, eq=False)
class Rooted:
    """A condition that must hold, or is rewarded, and the author's name for it."""

    condition: Bool
    origin: str  # an instance's id (`slot[pergamon]`), or `scope:TABLE.FIELD`, or `plan:...` for shape rules


@dataclass(frozen=True, slots=True, eq=False)
class Routes:
    """Routes on which some nodes stand: a fact that follows from others, so that a back end may do without it.

    Attributes:
        arcs: from node, to node, and the condition under which the arc is used; None for one that is used where
            nothing else is. Node 0 is the depot, where every route begins and ends. Each other node has one arc that
            comes and one that goes, in a route or to itself.
    """

    arcs: tuple[tuple[int, int, Bool | None], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RowVars:
    """A row of the search: when it is present, and its fields' codes."""

    table: str
    present: Bool
    fields: Mapping[str, Linear]  # a code for each column; see Problem.decode


@dataclass(frozen=True, slots=True, eq=False)
class LinearObjective:
    """The expression to minimise after the soft weight; where `defined` does not hold, `linear` means nothing.

    Attributes:
        linear: the value that the task means times `scale`, or the negative of that.
        scale: the task's value is `linear / scale`.
        maximize: the task maximises, so that `linear` is the negative.
    """

    linear: Linear
    defined: Bool
    scale: int = 1
    maximize: bool = False


class Translation(Protocol):
    """How a problem that stands for another states what is asked of that one.

    Conditions are to be read as what must hold, and what is minimised as what is to be small.
    """

    def condition(self, node: Bool) -> Bool:
        """A condition on the whole problem, stated in this one."""

    def objective(self, linear: Linear) -> Linear:
        """What is minimised, stated in this one."""

    def assignment(self, values: Mapping[int, int]) -> dict[int, int]:
        """The whole problem's assignment that one of this problem stands for: no stated condition fails in it that held."""

    def hint(self, values: Mapping[int, int]) -> dict[int, int]:
        """This problem's assignment for one of the whole problem."""


@dataclass(slots=True, eq=False)
class Problem:
    """A problem for a back end.

    Attributes:
        model: maker of all nodes below.
        hard: all of them hold.
        soft: (condition, weight > 0): solve maximises the weight of those that hold.
        objectives: what ranks the assignments of the greatest soft weight, each those that are the best by the ones
            before it. They forbid none: one without a value comes after all that have one.
        rows: the plan's rows, for decoding and for telling plans apart.
        identity: for each table that tells plans apart, the columns that do (keys and unique fields).
        routes: follow from the hard conditions, all of which must hold where they are used.
        reductions: the names of those that took assignments away (`planspec.solvers.reductions`). Such a problem says
            nothing of how many assignments there are.
        translation: how conditions and objectives are stated, where the problem stands for another; `hard` is stated so
            already, and all else is the whole problem's. Sessions that `planspec.solvers.reductions` opens do it.
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
        """The rows of the tables that tell plans apart."""
        return [row for row in self.rows if row.table in self.identity]
