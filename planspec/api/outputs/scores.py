"""Output models for the scores of many answers."""

from __future__ import annotations

from typing import Any

from pydantic import Field, JsonValue, SerializeAsAny

from planspec.api.outputs.base import Output
from planspec.verifiers.meaning.verdict import Finding, Verdict


class ScoreOutput(Output):
    """The scores of many answers."""

    suite: str
    profile: str
    metrics: dict[str, JsonValue]
    plans: list[SerializeAsAny[Verdict]]
    unread: list[str] = Field(
        default_factory=list,
        description="unreadable lines that do not name their task, and why; their tasks count as undelivered",
    )


class ManyScoresOutput(Output):
    """The scores of many answers to each task, `score --many`.

    Attributes:
        metrics: `n`, the number of expected answers (`tasks` times `samples`); the numbers of `delivered` answers,
            of `missing` answers and of different `plans`; then pass@k, pass^k, and the scores of the best and of the
            majority answer.
        intervals: 95 per cent intervals over tasks, null if unknown.
        unread: messages about unreadable lines whose task is unknown, at most 100.
        unjudged: messages about answers that cannot be judged, at most 100.
    """

    suite: str
    profile: str
    metrics: dict[str, int | float | None]
    intervals: dict[str, tuple[float, float] | None]
    unread: list[str]
    unjudged: list[str]


class ReadingScoreOutput(ScoreOutput):
    """The scores of many answers in one reading of a suite."""

    reading: str


class ReadingManyScoresOutput(ManyScoresOutput):
    """The scores of many answers to each task in one reading of a suite, `score --many`."""

    reading: str


class AnswerDifferenceOutput(Output):
    """An answer that passes in one reading of its task and fails in another.

    Attributes:
        passes: readings in which it passes.
        fails: readings in which it fails.
        plan: the answer.
        refused: violations in the first reading of `fails`.
    """

    task: str
    passes: list[str]
    fails: list[str]
    plan: Any
    refused: list[Finding]


class ReadingScoresOutput(Output):
    """The scores of many answers in the readings of a suite.

    Attributes:
        readings: scores in each requested reading, in order.
        differences: answers that pass in some of these readings and fail in others; empty for `--many`.
    """

    suite: str
    profile: str
    readings: list[ReadingScoreOutput] | list[ReadingManyScoresOutput]
    differences: list[AnswerDifferenceOutput] = []
