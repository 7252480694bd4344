"""Means as MobilityBench's public toolkit computes them: over the existing result rows, not over all runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.mobilitybench.official.evaluator import METRICS, CaseScores


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Means over a set of runs.

    Attributes:
        means: mean of each number over its result rows, rounded to four digits.
        rows: number of result rows of each metric.
        runs: number of runs.
        failed: number of runs in which each metric stopped with an exception.
    """

    means: Mapping[str, float]
    rows: Mapping[str, int]
    runs: int
    failed: Mapping[str, int]

    def coverage(self, metric: str) -> tuple[int, int]:
        """Return the number of runs with a result row of the metric, and the number of all runs."""
        return self.rows[metric], self.runs


@dataclass(frozen=True, slots=True)
class ToolkitSummary:
    """Means over all runs, and over the runs of each family in the table."""

    overall: RunTotals
    families: Mapping[str, RunTotals]


def totals(scores: Iterable[CaseScores]) -> ToolkitSummary:
    """Compute the toolkit's summary.

    Args:
        scores: scores of all runs of one agent.
    """
    all_scores = list(scores)
    by_family: dict[str, list[CaseScores]] = {}
    for one in all_scores:
        by_family.setdefault(one.family, []).append(one)
    return ToolkitSummary(
        _run_totals(all_scores),
        {family: _run_totals(family_scores) for family, family_scores in sorted(by_family.items())},
    )


def _run_totals(scores: Sequence[CaseScores]) -> RunTotals:
    means: dict[str, float] = {}
    rows: dict[str, int] = {}
    failed: dict[str, int] = {}
    for metric, names in METRICS.items():
        metric_rows = [one.rows[metric] for one in scores if metric in one.rows]
        rows[metric] = len(metric_rows)
        failed[metric] = sum(metric in one.failed for one in scores)
        if metric_rows:
            means |= {name: round(sum(row[name] for row in metric_rows) / len(metric_rows), 4) for name in names}
    return RunTotals(means, rows, len(scores), failed)
