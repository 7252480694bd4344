"""The interface of every back end.

A back end solves and optimises problems of the intermediate representation and does not know about tasks. Back ends
share only the definition of its nodes, so that a bug in one back end shows as a disagreement with another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Protocol, TypeAlias

from planspec.solvers.backends.outcome import Limits, Outcome
from planspec.solvers.backends.versions import version_of
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted

Watcher: TypeAlias = Callable[[int | None, int], None]
"""Callback for the progress of a minimisation.

Its arguments are the smallest value of the minimised expression so far (None if there is no assignment yet) and the
proved lower bound of the expression.
"""


class Session(Protocol):
    """A problem, encoded for a solver, that can be solved repeatedly. Conditions can be added, but not removed.

    Attributes:
        limits: limits on each call of `solve` from now on.
        broken: whether the session is unusable, because a limit was reached during encoding or native code did not
            stop. Every later outcome is UNKNOWN.
        watcher: callback that receives better values and bounds during a minimisation, from any thread. Some back ends
            never call it.
    """

    limits: Limits
    broken: bool
    watcher: Watcher | None

    def add(self, condition: Bool, origin: str = "") -> None:
        """Add a condition that must hold in all later calls.

        Args:
            condition: a condition built by the problem's node builder.
            origin: name of the condition in unsat cores and proofs, such as the id of a constraint.

        Raises:
            LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached.
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
            assumptions: conditions that must hold in this call only, with the origins that a core names.
            minimize: linear expression to minimise; None to find any assignment.
            hint: values by variable id with which the search may start; they need not satisfy the conditions.

        Returns:
            The outcome. Its status is one of:
            - FEASIBLE: an assignment was found. With `minimize`, a limit was reached before it was proved
              optimal.
            - OPTIMAL: an assignment with the proved minimum was found. It occurs only with `minimize`.
            - INFEASIBLE: there is no assignment. `core` has the origins of assumptions that suffice for the proof, and
              is empty if none are needed.
            - UNKNOWN: a limit was reached before an assignment or a proof was found.
            With an assignment, `values` has a value for every variable of the problem's model.
        """


class Backend(Protocol):
    """An adapter of a solver, such as CP-SAT or Z3.

    Attributes:
        name: name of the back end in the register.
    """

    name: ClassVar[str]

    @property
    def version(self) -> str:
        """The version of the solver, which is stored with each result; empty if the solver is not installed."""
        return version_of(self.name) or ""

    def open(self, problem: Problem, limits: Limits) -> Session:
        """Open a session in which the problem's hard conditions hold.

        Args:
            problem: the problem to solve. The session contains only its hard conditions. Callers pass objectives to
                `solve`.
            limits: limits on each call of `solve`.

        Raises:
            LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached before the problem
                was encoded.
        """
