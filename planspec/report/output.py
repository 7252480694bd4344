"""JSON document of `planspec report --format json`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from planspec.report.page import ReportPage
from planspec.scores import Comparison, RunScores


class ReportOutput(BaseModel):
    """Result of `planspec report`: the file of the page, and the scores and comparisons on it.

    Attributes:
        page: file of the page.
        runs: scores of the runs.
        comparisons: comparisons of pairs of runs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    page: str
    runs: list[RunScores]
    comparisons: list[Comparison]

    @classmethod
    def of(cls, page: ReportPage, file: str) -> ReportOutput:
        """Return the scores and comparisons of a page as JSON output."""
        return cls(
            page=file,
            runs=[run.scores for run in page.runs],
            comparisons=[pair for chapter in page.chapters for pair in chapter.comparisons],
        )
