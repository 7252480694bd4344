"""Errors of importers and generators."""

from planspec.errors import PlanspecError


class UnsuitableSuiteError(PlanspecError, ValueError):
    """A suite cannot be made from the input, or cannot be written to the folder."""
