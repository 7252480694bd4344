"""Runs as one self-contained page for people, readable even if its program does not run."""

from planspec.deprecation import former_names
from planspec.report.output import ReportOutput
from planspec.report.page import ReportOptions, ReportPage, gather
from planspec.report.rendering import render

__all__ = ["ReportOptions", "ReportOutput", "ReportPage", "gather", "render"]

_FORMER_NAMES = {
    "Page": "ReportPage",
}
"""Names of the release before, which warn."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
