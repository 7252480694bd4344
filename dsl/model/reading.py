"""Readings: interpretations of an ambiguous request, each expressed by values of the tasks' givens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.dsl.model.expectation import Expectation

READING_MARK = "~"
"""Character between the id of a task and the name of the reading in the name of a certificate."""
ALL_READINGS = "all"
"""Word that stands for all readings of a suite. No reading may have this name."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One interpretation of the requests of a suite's tasks.

    Attributes:
        name: name in the suite.
        given: values that replace those of givens, as YAML by the name of the given.
        expects: expectation of the tasks in this reading; None to use the expectation of the tasks or the suite.
    """

    name: str
    given: Mapping[str, str] = field(default_factory=dict, hash=False)
    expects: Expectation | None = None
