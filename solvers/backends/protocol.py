"""The interface of every back end.

A back end solves and optimises problems, independent of tasks. The back ends share only the nodes and their
meaning, so that a bug in one shows as a disagreement with another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol, TypeAlias

from planspec.solvers.backends.outcome import Limits, Outcome
from planspec.solvers.backends.versions import version_of
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted

Watcher: TypeAlias = Callable[[int | None, int], None]
"""Callback on progress of a minimisation.

It takes the smallest value found so far (None if none was found), and the proved lower bound."""


class Session(Protocol):
    """A problem that is encoded once and solved repeatedly. Conditions can be added, but not removed.

    Attributes:
        limits: limits on each call of `solve` from now on.
        broken: whether a limit was reached during an encoding, or native code did not stop. From then on
            every outcome is UNKNOWN.
        watcher: called during a minimisation, from any thread and until it returns, with better assignments
            and bounds. Some back ends never call it.
    """

    limits: Limits
    broken: bool
    watcher: Watcher | None

    def add(self, condition: Bool, origin: str = "") -> None:
        """Add a condition that must hold in all later calls.

        Args:
            condition: a condition built by the problem's own model.
            origin: the author's name for the condition.

        Raises:
            LimitReachedError: the limit of the surrounding block was reached.
        """

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """Find an assignment, or prove that there is none.

        Args:
            assumptions: conditions that must hold in this call only.
            minimize: linear form to minimise; None to find any assignment.
            hint: values by variable id with which the search may start; they need not satisfy the conditions.

        Returns:
            The outcome. Its status is one of:
            - FEASIBLE: an assignment was found. With `minimize`, a limit was reached before it was proved
              optimal.
            - OPTIMAL: only with `minimize`; the objective equals the bound.
            - INFEASIBLE: `core` has assumptions that suffice for the proof. It is empty if none are needed.
            - UNKNOWN: a limit was reached before an assignment or a proof was found.
            `values` holds every variable of the problem's model.
        """


class Backend(Protocol):
    """A solver.

    Attributes:
        name: name of the back end in the register.
    """

    name: ClassVar[str]

    @property
    def version(self) -> str:
        """The version of the solver, as recorded in claims."""
        return version_of(self.name) or ""

    def open(self, problem: Problem, limits: Limits) -> Session:
        """Open a session in which the problem's hard conditions hold.

        Args:
            problem: the problem to solve. Its soft conditions and objectives are not posted; callers pass them
                to `solve`.
            limits: limits on each call of `solve`.

        Raises:
            LimitReachedError: the limit of the surrounding block was reached before the problem was encoded.
        """
