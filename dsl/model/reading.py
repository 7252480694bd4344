"""A reading of tasks: values of givens that stand for one way to understand their text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planspec.dsl.model.expectation import Expectation

READING_MARK = "~"
"""Character between the id of a task and its reading in the name of its certificate."""
ALL_READINGS = "all"
"""Word for all readings of a suite, which no reading may have as its name."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A reading of the tasks of a suite.

    Attributes:
        name: name in the suite.
        given: YAML text of each value that replaces that of a given, by the name of the given.
        expects: what is expected of the tasks in this reading; None if the tasks and the suite say it.
    """

    name: str
    given: Mapping[str, str] = field(default_factory=dict, hash=False)
    expects: Expectation | None = None
