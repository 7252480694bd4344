"""Runs as one page that people look at: self-contained, and readable also where its program does not run."""

from planspec.report.output import ReportOutput
from planspec.report.page import Page, Wanted, gather
from planspec.report.rendering import render

__all__ = ["Page", "ReportOutput", "Wanted", "gather", "render"]
