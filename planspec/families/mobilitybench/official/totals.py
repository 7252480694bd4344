"""Totals as MobilityBench's public toolkit makes them: means over the rows that there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from planspec.families.mobilitybench.official.evaluator import METRICS, CaseScores

FAILED_FAMILY = "unknown"
"""The family under which the toolkit counts rows that stopped with an exception."""


@dataclass(frozen=True, slots=True)
class RunTotals:
    """The means of some runs.

    Attributes:
        means: by number, rounded to four digits; a number without rows is missing.
        rows: by metric the number of rows over which the means go.
        runs: how many runs there are.
        failed: by metric how many stopped with an exception.
    """

    means: Mapping[str, float]
    rows: Mapping[str, int]
    runs: int
    failed: Mapping[str, int]

    def coverage(self, metric: str) -> tuple[int, int]:
        """Over how many of how many runs the means of a metric go."""
        return self.rows[metric], self.runs


@dataclass(frozen=True, slots=True)
class Totals:
    """The means of all runs, and by the family that the table gives their cases."""

    overall: RunTotals
    families: Mapping[str, RunTotals]


def totals(scores: Iterable[CaseScores]) -> Totals:
    """The toolkit's summary.

    Args:
        scores: of all runs of one agent.
    """
    all_scores = list(scores)
    by_family: dict[str, list[CaseScores]] = {}
    for one in all_scores:
        by_family.setdefault(one.family, []).append(one)
    return Totals(_total(all_scores), {family: _total(of) for family, of in sorted(by_family.items())})


def _total(scores: Sequence[CaseScores]) -> RunTotals:
    means: dict[str, float] = {}
    rows: dict[str, int] = {}
    failed: dict[str, int] = {}
    for metric, names in METRICS.items():
        found = [one.rows[metric] for one in scores if metric in one.rows]
        rows[metric] = len(found)
        failed[metric] = sum(metric in one.failed for one in scores)
        if found:
            means |= {name: round(sum(row[name] for row in found) / len(found), 4) for name in names}
    return RunTotals(means, rows, len(scores), failed)
