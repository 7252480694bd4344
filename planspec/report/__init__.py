"""A report on runs as one self-contained HTML page, readable without JavaScript."""

from planspec.deprecation import former_names
from planspec.report.output import ReportOutput
from planspec.report.page import ReportOptions, ReportPage, gather
from planspec.report.rendering import render

__all__ = ["ReportOptions", "ReportOutput", "ReportPage", "gather", "render"]

_FORMER_NAMES = {
    "Page": "ReportPage",
}
"""Current names, by names of the previous release. Using a former name warns."""

__getattr__ = former_names(__name__, _FORMER_NAMES)
