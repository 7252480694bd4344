"""The tasks of a suite whose answers are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from planspec.api.catalog import Catalog
from planspec.api.judging import profiles
from planspec.api.loading import given_texts, name_of
from planspec.api.readings import chosen_readings
from planspec.dsl.documents.documents import Suite, task_from_path
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.reading import Reading
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import UnknownProfileError


@dataclass(frozen=True, slots=True)
class Variant:
    """How the tasks of a suite are loaded: with which expectation, values of givens, and reading.

    Attributes:
        expects: expectation of the suite for tasks without one of their own.
        given: new values of givens as YAML text, by the name of the given.
        reading: reading of the suite; None for the tasks as written.
    """

    expects: Expectation | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    reading: Reading | None = None

    def task(self, source: Task | str, workspace: Workspace) -> Task:
        """Load and check a task of the suite.

        Args:
            source: file of the task, or the task itself.
            workspace: workspace that opens documents.

        Raises:
            NotFoundError: the task has no given with the name of one of the values.
            DiagnosticError: the task has errors.
        """
        if not isinstance(source, Task):
            source = task_from_path(Path(source), workspace, given=self.given, reading=self.reading)
        return source.with_default(self.expects)


@dataclass(frozen=True, slots=True)
class SuiteTasks:
    """The unchecked tasks of a suite, and the variant in which they are loaded.

    Attributes:
        id: id of the suite, or of a single task.
        family: family of its tasks; None for tasks without one.
        protocol: protocol that defines the metrics of the suite; None without one.
        sources: file of each task, or the task itself, by id and in order.
        variant: how the tasks are loaded: with which expectation, values of givens, and reading.
    """

    id: str
    family: str | None
    protocol: str | None
    sources: Mapping[str, Task | str]
    variant: Variant = field(default_factory=Variant)

    @property
    def only(self) -> str | None:
        """Id of the suite's only task; None if there are several."""
        return next(iter(self.sources)) if len(self.sources) == 1 else None

    @classmethod
    def of(
        cls,
        suite: Task | str | PathLike[str],
        catalog: Catalog | None = None,
        *,
        given: Mapping[str, object] | None = None,
        reading: str | None = None,
        opened: Suite | None = None,
    ) -> SuiteTasks:
        """Return the tasks of a suite.

        Args:
            suite: suite or task by path, folder or id; or a single checked task.
            catalog: catalog that finds the suite, possibly with cached documents.
            given: new values of givens, by the name of the given. A string is parsed as YAML.
            reading: name of the suite's reading; None for the tasks as written.
            opened: the suite if it has been opened already; else None.

        Raises:
            NotFoundError: there is no such suite or task, or the suite has no such reading.
            DiagnosticError: the suite has errors.
            TypeError: `suite` is neither a task, a path nor an id.
            ValueError: `given` is used with a checked task, `reading` is `all`, or the reading sets a given in
                `given`.
        """
        if isinstance(suite, Task):
            if given or reading is not None:
                raise ValueError("a checked task keeps its values: `load` takes others")
            return cls(suite.id, suite.family, suite.family, {suite.id: suite})
        catalog = catalog or Catalog()
        opened = opened or catalog.suite(name_of(suite))
        sources = {task: str(path) for task, path in catalog.ids(opened.tasks)}
        texts = given_texts(given)
        readings = [] if reading is None else chosen_readings(tuple(opened.readings.values()), [reading], texts)
        if len(readings) > 1:
            raise ValueError("answers are scored by one reading at a time")
        return cls(
            opened.id,
            opened.family,
            opened.protocol or opened.family,
            sources,
            Variant(opened.expects, texts, readings[0] if readings else None),
        )

    def check_profile(self, profile: str) -> None:
        """Check that the family has a profile.

        Raises:
            UnknownProfileError: the family has no such profile.
        """
        check_profiles(self.id, (profile,), profiles(self.family))


def check_profiles(suite: str, requested: Sequence[str], available: Sequence[str]) -> None:
    """Check that a suite has all requested profiles.

    Raises:
        UnknownProfileError: the suite lacks a profile.
    """
    for profile in requested:
        if profile not in available:
            raise UnknownProfileError(
                f"the suite `{suite}` has no profile `{profile}`; there is {' and '.join(available)}"
            )
