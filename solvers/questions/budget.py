"""One limit over many questions to back ends, and over what is worked out between them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from planspec.dsl.resources.deadline import Deadline
from planspec.errors import LimitReached
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.ir.nodes import Linear
from planspec.solvers.ir.problem import Rooted


class TimeBudget:
    """Deals the seconds of `limits` out to the questions of one task, in the order in which they are asked.

    `with clock:` puts everything in the block under the limit, such as lowering and encoding; past it
    `LimitReached` is raised there.

    Args:
        limits: `seconds` counts from now on; None is no limit.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.started = time.perf_counter()
        self._deadline = Deadline(limits.seconds, limits.memory_mb)

    def __enter__(self) -> Self:
        """Put what follows under the limit."""
        self._deadline.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Put what follows under the limit that was there before."""
        self._deadline.__exit__(kind, error, trace)

    @property
    def seconds(self) -> float:
        """Wall-clock time spent."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float | None:
        """Seconds that are left, not below 0; None without a limit."""
        return self._deadline.left

    @property
    def rest(self) -> Limits:
        """The limits with the seconds that are left, for what counts its own."""
        return replace(self.limits, seconds=self.left)

    def share(self, count: int) -> TimeBudget:
        """A clock for one of `count` equal parts of the seconds that are left."""
        left = self.left
        return TimeBudget(replace(self.limits, seconds=None if left is None else left / count))

    def at_most(self, seconds: float) -> TimeBudget:
        """A clock for no more than so many seconds of those that are left."""
        left = self.left
        return TimeBudget(replace(self.limits, seconds=seconds if left is None else min(left, seconds)))

    def ask(
        self,
        session: Session,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """`session.solve` within what is left; UNKNOWN where nothing is."""
        if self.left == 0.0:
            return Outcome(Status.UNKNOWN, reason=self._deadline.reached or "time")
        session.limits = self.rest
        return session.solve(assumptions=assumptions, minimize=minimize, hint=hint)


__all__ = ["LimitReached", "TimeBudget"]
