"""The interface of every back end.

A back end decides problems and optimises; it knows nothing of tasks. The back ends share the nodes and their
meaning and nothing else, so that a fault of one shows as a disagreement with another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import Protocol, TypeAlias

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.ir.nodes import Bool, Linear
from planspec.solvers.ir.problem import Problem, Rooted

Watcher: TypeAlias = Callable[[int | None, int], None]
"""Takes the least value found so far of what is minimised (None before there is one), and a proved lower bound of it."""


class Session(Protocol):
    """A problem that is solved again and again: it is encoded once and only grows.

    Attributes:
        limits: hold for each call of `solve` from now on.
        broken: a limit was reached in the middle of an encoding or of native code that does not stop. From then
            on every answer is UNKNOWN.
        watcher: told, while something is minimised, of better assignments and bounds as they are found; from any thread,
            until the answer is there. Back ends that know nothing before the end tell nothing.
    """

    limits: Limits
    broken: bool
    watcher: Watcher | None

    def add(self, condition: Bool, origin: str = "") -> None:
        """One more condition that must hold from now on.

        Args:
            condition: made by the problem's own model.
            origin: the author's name for it.

        Raises:
            LimitReachedError: the limit of the block around is.
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
            minimize: what to minimise; without it, any assignment will do.
            hint: values by variable id with which the search may start; they need not fit.

        Returns:
            Without `minimize` FEASIBLE, with it OPTIMAL (the objective equals the bound), or FEASIBLE with the
            bound reached when time is up; INFEASIBLE, with origins of assumptions that suffice for that (none
            if the session's own conditions do); UNKNOWN if a limit came first. `values` holds every variable
            of the problem's model.
        """


def within(session: Session, question: Callable[[Deadline], Outcome]) -> Outcome:
    """The answer to a question under a session's own limits; UNKNOWN where it is broken off."""
    if session.broken:
        return Outcome(Status.UNKNOWN)
    started = perf_counter()
    with Deadline(session.limits.seconds, session.limits.memory_mb) as deadline:
        try:
            return question(deadline)
        except LimitReachedError as limit:
            session.broken = True
            return Outcome(Status.UNKNOWN, seconds=perf_counter() - started, reason=limit.reason)


def grow(session: Session, step: Callable[[], None]) -> None:
    """Do to a session what must be done as a whole, or the session is broken.

    Raises:
        LimitReachedError: the limit of the block around is.
    """
    try:
        step()
    except BaseException:
        session.broken = True
        raise


class Backend(Protocol):
    """A solver."""

    @property
    def name(self) -> str:
        """Its name in the register."""

    @property
    def version(self) -> str:
        """The version of what solves, for claims."""

    def open(self, problem: Problem, limits: Limits) -> Session:
        """A session in which the problem's hard conditions hold.

        Args:
            problem: what to solve; its soft conditions and objective are the caller's to pass on.
            limits: hold for each call of `solve`.

        Raises:
            LimitReachedError: the limit of the block around is reached before the problem is encoded.
        """
