"""One limit over many questions to back ends."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from planspec.solvers.backend import Session
from planspec.solvers.ir import Linear, Rooted
from planspec.solvers.outcome import Limits, Outcome, Status


class Clock:
    """Deals the seconds of `limits` out to the questions of one task, in the order in which they are asked.

    Args:
        limits: `seconds` counts from now on; None is no limit.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Wall-clock time spent."""
        return time.perf_counter() - self.started

    @property
    def left(self) -> float | None:
        """Seconds that are left, not below 0; None without a limit."""
        return None if self.limits.seconds is None else max(0.0, self.limits.seconds - self.seconds)

    def ask(
        self,
        session: Session,
        *,
        assumptions: Sequence[Rooted] = (),
        minimize: Linear | None = None,
        hint: Mapping[int, int] | None = None,
    ) -> Outcome:
        """`session.solve` within what is left; UNKNOWN where nothing is."""
        left = self.left
        if left == 0.0:
            return Outcome(Status.UNKNOWN)
        session.limits = replace(self.limits, seconds=left)
        return session.solve(assumptions=assumptions, minimize=minimize, hint=hint)
