"""Errors of importers and generators."""

from planspec.errors import PlanspecError


class UnsuitableSuiteError(PlanspecError, ValueError):
    """No suite can be made from the input, or the suite cannot be written to the folder."""
