"""Runs as one page that people look at: self-contained, and readable also where its program does not run."""

from planspec.report.output import ReportOutput
from planspec.report.page import Page, ReportOptions, gather
from planspec.report.rendering import render

__all__ = ["Page", "ReportOptions", "ReportOutput", "gather", "render"]
