"""Limits of sessions, which all back ends enforce in the same way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Watcher
from planspec.solvers.ir.nodes import Linear
from planspec.solvers.ir.problem import Problem, Rooted


class LimitedSession(ABC):
    """Base class of sessions (see `Session`) that enforces their limits. Subclasses implement `add` and `_solve`.

    Args:
        problem: the problem, whose hard conditions the back end encodes.
        limits: limits on each call of `solve`.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        self._vars = problem.model.vars
        self.limits = limits
        self.broken = False
        self.watcher: Watcher | None = None

    def solve(
        self,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """Solve within the limits; see `Session.solve`. The outcome is UNKNOWN if a limit was reached."""
        if self.broken:
            return Outcome(Status.UNKNOWN)
        started = perf_counter()
        with Deadline(self.limits.seconds, self.limits.memory_mb) as deadline:
            try:
                return self._solve(assumptions, minimize, hint, deadline)
            except LimitReachedError as limit:
                self.broken = True
                return Outcome(Status.UNKNOWN, seconds=perf_counter() - started, reason=limit.reason)

    @abstractmethod
    def _solve(
        self,
        assumptions: Sequence[Rooted],
        minimize: Linear | None,
        hint: Mapping[int, int] | None,
        deadline: Deadline,
    ) -> Outcome:
        """Find an assignment or prove that there is none, before the deadline; see `Session.solve`.

        Raises:
            LimitReachedError: a limit was reached. The caller then marks the session as broken.
        """

    def _grow(self, step: Callable[[], None]) -> None:
        """Run a step that adds to the encoded problem, and mark the session as broken if the step fails.

        Raises:
            LimitReachedError: the limit of an enclosing `with Deadline(...)` block was reached.
        """
        try:
            step()
        except BaseException:
            self.broken = True
            raise
