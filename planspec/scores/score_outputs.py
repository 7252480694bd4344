"""Scores as JSON documents of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.api.outputs.scores import (
    AnswerDifferenceOutput,
    ManyScoresOutput,
    ReadingManyScoresOutput,
    ReadingScoreOutput,
    ReadingScoresOutput,
    ScoreOutput,
)

if TYPE_CHECKING:
    from planspec.scores.answers import Scores
    from planspec.scores.reading_scores import ReadingScores
    from planspec.scores.sampling import SampleScores


def score_output(scores: Scores) -> ScoreOutput:
    """Return scores of answers as JSON output."""
    return ScoreOutput(
        suite=scores.suite,
        profile=scores.profile,
        metrics=dict(scores.metrics),
        plans=list(scores.verdicts),
        unread=list(scores.unread),
    )


def many_scores_output(scores: SampleScores) -> ManyScoresOutput:
    """Return scores of many answers to each task as JSON output."""
    return ManyScoresOutput(
        suite=scores.suite,
        profile=scores.profile,
        metrics=scores.metrics,
        intervals={
            name: None if one.low is None or one.high is None else (one.low, one.high)
            for name, one in scores.estimates.items()
        },
        unread=list(scores.unread),
        unjudged=list(scores.unjudged),
    )


def reading_scores_output(scores: ReadingScores[Scores]) -> ReadingScoresOutput:
    """Return scores in several readings as JSON output."""
    readings = [ReadingScoreOutput(reading=name, **dict(score_output(one))) for name, one in scores.readings.items()]
    return ReadingScoresOutput(
        suite=readings[0].suite,
        profile=readings[0].profile,
        readings=readings,
        differences=[
            AnswerDifferenceOutput(
                task=each.task,
                passes=list(each.passes),
                fails=list(each.fails),
                plan=each.plan,
                refused=list(each.refused),
            )
            for each in scores.differences
        ],
    )


def reading_many_scores_output(scores: ReadingScores[SampleScores]) -> ReadingScoresOutput:
    """Return scores of many answers to each task in several readings as JSON output."""
    readings = [
        ReadingManyScoresOutput(reading=name, **dict(many_scores_output(one))) for name, one in scores.readings.items()
    ]
    return ReadingScoresOutput(suite=readings[0].suite, profile=readings[0].profile, readings=readings)
