"""How public toolkits take the answers of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from planspec.api.judging import Judge
from planspec.traces.record import Trace


class Submission(Protocol):
    """The form of a public toolkit.

    Attributes:
        lines: each record is a line of JSON; else all are one JSON list.
    """

    @property
    def lines(self) -> bool: ...

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:
        """What the toolkit takes for a task.

        Args:
            judge: of the task.
            answer: as the agent gave it; None where it gave none.
            trace: of the attempt; None where the task was not attempted.

        Raises:
            InexpressiblePlanError: the toolkit's form cannot say the answer.
        """
