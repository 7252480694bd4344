"""Budgets of time and effort for several calls of back ends. Time between the calls also counts."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import LimitReachedError, Reason
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.ir.nodes import Linear
from planspec.solvers.ir.problem import Rooted


class TimeBudget:
    """A budget of seconds and of solver effort for consecutive calls of back ends.

    `with clock:` applies the time limit to a block, such as translating a task for solvers. If it is reached,
    `LimitReachedError` is raised in the block.

    Args:
        limits: limits on all calls together. `seconds` count from the creation of the budget; `effort` counts only the
            work of back ends.
        parent: budget that contains this one, or None. Effort spent from this budget also counts in `parent`.
    """

    def __init__(self, limits: Limits, parent: TimeBudget | None = None) -> None:
        self.limits = limits
        self.started = time.perf_counter()
        self.effort = 0.0
        self._parent = parent
        self._deadline = Deadline(limits.seconds, limits.memory_mb)

    def __enter__(self) -> Self:
        """Apply the limits on time and memory to the `with` block."""
        self._deadline.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Restore the limits of the enclosing `with` block, if there is one."""
        self._deadline.__exit__(kind, error, trace)

    @property
    def seconds(self) -> float:
        """Wall-clock time spent."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float | None:
        """Seconds left, at least 0; None if there is no limit."""
        return self._deadline.left

    @property
    def effort_left(self) -> float | None:
        """Units of effort left, at least 0; None if there is no limit."""
        most = self.limits.effort
        return None if most is None else max(0.0, most - self.effort)

    @property
    def limited(self) -> bool:
        """Whether time or effort is limited."""
        return self.left is not None or self.limits.effort is not None

    @property
    def over(self) -> Reason | None:
        """The limit that was reached; None if none was reached."""
        if self.left == 0.0:
            return self._deadline.reached or "time"
        return "effort" if self.effort_left == 0.0 else None

    @property
    def rest(self) -> Limits:
        """Limits with the seconds and the effort left, for a function that creates its own budget."""
        return replace(self.limits, seconds=self.left, effort=self.effort_left)

    def share(self, count: int) -> TimeBudget:
        """Return a budget with the seconds and the effort left, each divided by `count`."""
        return TimeBudget(self.rest.scaled(1 / count), self)

    def at_most(self, seconds: float) -> TimeBudget:
        """Return a budget of `seconds`, or of the seconds left if there are fewer.

        If only effort is limited, return a budget of half the effort left, so that the result does not depend
        on time.
        """
        left = self.left
        if left is None and self.limits.effort is not None:
            return self.share(2)
        part = replace(self.rest, seconds=seconds if left is None else min(left, seconds))
        return TimeBudget(part, self)

    def ask(
        self,
        session: Session,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """Call `session.solve` within the limits left; the outcome is UNKNOWN if nothing is left."""
        over = self.over
        if over is not None:
            return Outcome(Status.UNKNOWN, reason=over)
        session.limits = self.rest
        outcome = session.solve(assumptions=assumptions, minimize=minimize, hint=hint)
        self.spend(outcome.effort)
        return outcome

    def spend(self, effort: float) -> None:
        """Deduct units of effort that other code used, also from the budgets that contain this one."""
        self.effort += effort
        if self._parent is not None:
            self._parent.spend(effort)


__all__ = ["LimitReachedError", "TimeBudget"]
