"""The JSON document of `planspec report --format json`."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from planspec.report.page import ReportPage
from planspec.scores import Comparison, RunScores


class ReportOutput(BaseModel):
    """`report`: where the page lies, and all that is counted on it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    page: str
    runs: list[RunScores]
    comparisons: list[Comparison]

    @classmethod
    def of(cls, page: ReportPage, file: str) -> ReportOutput:
        """Return the numbers of a page."""
        return cls(
            page=file,
            runs=[run.scores for run in page.runs],
            comparisons=[pair for chapter in page.chapters for pair in chapter.comparisons],
        )
