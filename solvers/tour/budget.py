"""The remaining budget of a tour search: seconds and units of deterministic work."""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import inf

KICKS_PER_UNIT = 2_000
"""Number of kicks (random changes in the local search) in one unit of effort. A unit takes about a second."""
PIVOTS_PER_UNIT = 250_000
"""One unit of effort is this number of simplex pivots, divided by the number of nodes. It takes about a second."""


@dataclass(slots=True)
class SearchBudget:
    """The remaining time and effort of a tour search.

    Attributes:
        deadline: value of `time.perf_counter()` at which time runs out; infinite if time is not limited.
        effort: units of deterministic work left; infinite if effort is not limited.
    """

    deadline: float
    effort: float = inf

    @classmethod
    def of(cls, seconds: float | None, effort: float | None) -> SearchBudget:
        """Return a budget whose time starts now.

        Args:
            seconds: time limit in seconds; None for no limit.
            effort: limit in units of deterministic work, each about a second; None for no limit.
        """
        return cls(inf if seconds is None else time.perf_counter() + seconds, inf if effort is None else effort)

    @property
    def seconds(self) -> float:
        """Seconds left: infinite if time is not limited, and negative after the deadline."""
        return self.deadline - time.perf_counter()

    @property
    def is_exhausted(self) -> bool:
        """Whether time or effort has run out."""
        return self.effort <= 0 or self.seconds < 0

    def spend(self, effort: float) -> None:
        """Subtract units of deterministic work from the remaining effort."""
        self.effort -= effort

    def part(self, share: float) -> SearchBudget:
        """Return a new budget with a share (0 to 1) of the remaining time and effort."""
        return SearchBudget(time.perf_counter() + self.seconds * share, self.effort * share)
