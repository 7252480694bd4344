"""Totals as in MobilityBench's public toolkit: means over the existing rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.mobilitybench.official.evaluator import METRICS, CaseScores

FAILED_FAMILY = "unknown"
"""Family under which the toolkit counts rows that stopped with an exception."""


@dataclass(frozen=True, slots=True)
class RunTotals:
    """Means of some runs.

    Attributes:
        means: means by number, rounded to four digits; a number without rows is missing.
        rows: number of rows by metric.
        runs: number of runs.
        failed: number of runs by metric that stopped with an exception.
    """

    means: Mapping[str, float]
    rows: Mapping[str, int]
    runs: int
    failed: Mapping[str, int]

    def coverage(self, metric: str) -> tuple[int, int]:
        """Return the number of runs in the means of a metric, and of all runs."""
        return self.rows[metric], self.runs


@dataclass(frozen=True, slots=True)
class Totals:
    """Means of all runs, and by the table's family of their cases."""

    overall: RunTotals
    families: Mapping[str, RunTotals]


def totals(scores: Iterable[CaseScores]) -> Totals:
    """Compute the toolkit's summary.

    Args:
        scores: scores of all runs of one agent.
    """
    all_scores = list(scores)
    by_family: dict[str, list[CaseScores]] = {}
    for one in all_scores:
        by_family.setdefault(one.family, []).append(one)
    return Totals(
        _total(all_scores),
        {family: _total(family_scores) for family, family_scores in sorted(by_family.items())},
    )


def _total(scores: Sequence[CaseScores]) -> RunTotals:
    means: dict[str, float] = {}
    rows: dict[str, int] = {}
    failed: dict[str, int] = {}
    for metric, names in METRICS.items():
        metric_rows = [one.rows[metric] for one in scores if metric in one.rows]
        rows[metric] = len(metric_rows)
        failed[metric] = sum(metric in one.failed for one in scores)
        if metric_rows:
            means |= {
                name: round(sum(row[name] for row in metric_rows) / len(metric_rows), 4) for name in names
            }
    return RunTotals(means, rows, len(scores), failed)
