"""The public toolkit's summary over many runs, and the result rows that the toolkit omits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from planspec.families.mobilitybench.metrics.record import NO_TRACE
from planspec.families.mobilitybench.official.evaluator import METRICS, CaseScores, shared_characters
from planspec.families.mobilitybench.official.totals import RunTotals, totals

Json = dict[str, Any]  # JSON of any kind


@dataclass(slots=True)
class OfficialReport:
    """Means of the metrics over the result rows that the public toolkit would write.

    The toolkit writes one row for each metric and case. It writes no rows for an episode without a trace.
    """

    _episodes: int = 0
    _scores: list[CaseScores] = field(default_factory=list)
    _dropped: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in METRICS})

    def add(self, task: str, scores: CaseScores | None) -> None:
        """Count an episode.

        Args:
            task: id of the episode.
            scores: the toolkit's scores; None for an episode without a trace.
        """
        self._episodes += 1
        if scores is not None:
            assert scores.case == task
            self._scores.append(scores)
        for name, reason in reasons_for_missing_rows(scores).items():
            self._dropped[name][reason] += 1

    def as_json(self) -> Json:
        """Return the summary as JSON."""
        sums = totals(self._scores)
        return {
            "n": self._episodes,
            "traced": len(self._scores),
            "similarity": shared_characters.__name__,
            "overall": _totals_json(sums.overall),
            "families": {name: _totals_json(total) for name, total in sums.families.items()},
            "dropped": {name: dict(reasons.most_common()) for name, reasons in self._dropped.items() if reasons},
        }

    @staticmethod
    def scores_json(task: str, scores: CaseScores | None) -> Json:
        """Return the scores of one episode as JSON."""
        rows = {} if scores is None else {name: dict(row) for name, row in scores.rows.items()}
        return {"task": task, "rows": rows, "missing": reasons_for_missing_rows(scores)}

    @staticmethod
    def passes(scores: CaseScores | None) -> bool:
        """Return whether the episode passes according to the public toolkit."""
        return scores is not None and scores.rows.get("answer", {}).get("FPR") == 1


def reasons_for_missing_rows(scores: CaseScores | None) -> dict[str, str]:
    """Return the reasons why the toolkit would write no row for some metrics, by metric."""
    return dict.fromkeys(METRICS, NO_TRACE) if scores is None else dict(scores.missing)


def _totals_json(total: RunTotals) -> Json:
    return {
        "means": dict(total.means),
        "rows": dict(total.rows),
        "runs": total.runs,
        "failed": {name: count for name, count in total.failed.items() if count},
    }
