"""File formats in which public toolkits read the answers of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from planspec.api.judging import Judge
from planspec.family.descriptor import Part
from planspec.traces.record import Trace


class Submission(Protocol):
    """The submission format of a public toolkit.

    Attributes:
        lines: whether the file is JSON Lines, with one record per line; otherwise it is one JSON list.
    """

    @property
    def lines(self) -> bool: ...

    def record(self, judge: Judge, answer: Any, trace: Trace | None) -> Mapping[str, Any]:
        """Return the record of a task's answer in the toolkit's format.

        Args:
            judge: judge of the task.
            answer: the agent's answer; None if it gave none.
            trace: trace of the attempt; None if the task was not attempted.

        Raises:
            InexpressiblePlanError: the toolkit's format cannot express the answer.
        """


SUBMISSION: Part[Submission | None] = Part("submission", None)
"""Submission format of the family's public toolkit."""
