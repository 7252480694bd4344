"""Differences between the strict metrics and the public toolkit's, run by run, with their causes.

Two values differ if their distance exceeds the toolkit's rounding error. Each difference has one or more causes, which
may be `Cause.UNEXPLAINED`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from planspec.families.mobilitybench.episode import Episode
from planspec.families.mobilitybench.metrics.causes import Cause
from planspec.families.mobilitybench.metrics.causes_answer import delivery_causes, final_pass_causes
from planspec.families.mobilitybench.metrics.causes_calls import (
    compliance_causes,
    coverage_causes,
    redundancy_causes,
)
from planspec.families.mobilitybench.metrics.causes_plan import extraction_causes, intent_causes
from planspec.families.mobilitybench.metrics.record import JudgedMetric, StrictMetrics
from planspec.families.mobilitybench.official.evaluator import CaseScores, Truth
from planspec.traces.record import Trace

ROUNDING = Fraction(1, 20_000)
"""Maximum rounding error of the toolkit's values."""
PAIRS = (
    ("ID", "instruction", "ID"),
    ("IE", "instruction", "IE"),
    ("TS_coverage", "tool", "TS_P"),
    ("TS_spared", "tool", "TS_R"),
    ("SC", "tool", "SC"),
    ("DR", "answer", "DR"),
    ("FPR", "answer", "FPR"),
    ("IT", "efficiency", "IT"),
    ("OT", "efficiency", "OT"),
)
"""Strict metrics that the toolkit also has, each with the toolkit's name of the metric and of its number."""
Json = dict[str, Any]  # JSON of any kind


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """A metric with different values in the two profiles, on one run.

    Attributes:
        metric: name of the strict metric.
        strict: the strict value; None if the metric does not apply.
        official: the toolkit's value; None if the toolkit has no row for the run.
        causes: causes of the difference, at least one.
    """

    metric: str
    strict: Fraction | None
    official: float | None
    causes: tuple[Cause, ...]

    def as_json(self) -> Json:
        """Return the JSON record."""
        return {
            "metric": self.metric,
            "strict": None if self.strict is None else float(self.strict),
            "official": self.official,
            "causes": [cause.value for cause in self.causes],
        }


@dataclass(frozen=True, slots=True)
class ProfileComparison:
    """Comparison of the strict metrics with the toolkit's (the two profiles) on one run.

    Attributes:
        task: id of the episode.
        agreeing: metrics whose strict and public values agree.
        parts: differences in the metrics whose values disagree.
    """

    task: str
    agreeing: tuple[str, ...]
    parts: tuple[MetricDifference, ...]


def compare_profiles(
    episode: Episode, trace: Trace | None, strict: StrictMetrics, truth: Truth, official: CaseScores | None
) -> ProfileComparison:
    """Compare the profiles on one run.

    Args:
        episode: the run's episode.
        trace: the run; None if there is none.
        strict: the strict metrics of the run.
        truth: the toolkit's input for the episode.
        official: the toolkit's scores of the run; None if there is no trace.
    """
    agreeing: list[str] = []
    parts: list[MetricDifference] = []
    for metric, row, number in PAIRS:
        strict_metric = strict.metrics[metric]
        theirs = None if official is None else official.rows.get(row, {}).get(number)
        if _values_agree(strict_metric.value, theirs):
            agreeing.append(metric)
        elif theirs is None or trace is None:
            parts.append(MetricDifference(metric, strict_metric.value, theirs, (Cause.ROW_DROPPED,)))
        else:
            causes = tuple(dict.fromkeys(_difference_causes(metric, episode, trace, strict, truth, theirs)))
            parts.append(MetricDifference(metric, strict_metric.value, theirs, causes or (Cause.UNEXPLAINED,)))
    return ProfileComparison(episode.id, tuple(agreeing), tuple(parts))


def _values_agree(strict: Fraction | None, official: float | None) -> bool:
    if strict is None or official is None:
        return strict is None and official is None
    return abs(strict - Fraction(official)) <= ROUNDING


def _difference_causes(
    metric: str, episode: Episode, trace: Trace, strict: StrictMetrics, truth: Truth, official: float
) -> Iterator[Cause]:
    strict_metric = strict.metrics[metric]
    match metric:
        case "ID":
            yield from intent_causes(trace, strict_metric, truth)
        case "IE":
            yield from extraction_causes(episode, trace, strict_metric, truth)
        case "TS_coverage":
            yield from coverage_causes(trace, strict_metric)
        case "TS_spared":
            yield from redundancy_causes(trace, strict_metric, strict.metrics["TS_calls"], official)
        case "SC":
            yield from compliance_causes(episode, trace, truth)
        case "DR":
            yield from delivery_causes(strict_metric, truth, official)
        case "FPR":
            yield from final_pass_causes(strict, truth, official)
        case _:
            yield from _token_causes(trace, strict_metric, official)


def _token_causes(trace: Trace, strict_metric: JudgedMetric, official: float) -> Iterator[Cause]:
    if strict_metric.value is None:
        yield Cause.TOTAL_SPLIT if official else Cause.UNSAID_AS_ZERO
        return
    parts = [part for part in trace.tokens if part.stage in ("planner", "worker", "reporter")]
    if len(parts) < len(trace.tokens):
        yield Cause.OTHER_STAGES
    elif not any((part.input or 0) or (part.output or 0) for part in parts):
        yield Cause.TOTAL_SPLIT


@dataclass(slots=True)
class DifferenceCounts:
    """Counts of the differences in many runs, by metric and cause.

    Attributes:
        details: whether each run's differences are stored in addition to the counts.
    """

    details: bool = True
    _runs: int = 0
    _agreeing: Counter[str] = field(default_factory=Counter)
    _causes: dict[str, Counter[str]] = field(default_factory=dict)
    _differing: list[ProfileComparison] = field(default_factory=list)

    def add(self, comparison: ProfileComparison) -> None:
        """Count the differences of a run."""
        self._runs += 1
        self._agreeing.update(comparison.agreeing)
        for part in comparison.parts:
            self._causes.setdefault(part.metric, Counter()).update(cause.value for cause in part.causes)
        if comparison.parts and self.details:
            self._differing.append(comparison)

    def as_json(self) -> Json:
        """Return the counts as JSON. A difference with two causes is counted under both."""
        return {
            "runs": self._runs,
            "metrics": {metric: self._metric_json(metric) for metric, _, _ in PAIRS},
            "unexplained": sum(causes[Cause.UNEXPLAINED.value] for causes in self._causes.values()),
            "traces": [{"task": one.task, "parts": [part.as_json() for part in one.parts]} for one in self._differing],
        }

    def _metric_json(self, metric: str) -> Json:
        causes: Sequence[tuple[str, int]] = self._causes.get(metric, Counter()).most_common()
        return {"agree": self._agreeing[metric], "part": self._runs - self._agreeing[metric], "causes": dict(causes)}
