"""Tasks of a suite whose answers are scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from planspec.api.catalog import Catalog
from planspec.api.judging import profiles
from planspec.api.loading import name_of
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.task import Task
from planspec.errors import UnknownProfileError


@dataclass(frozen=True, slots=True)
class SuiteTasks:
    """The tasks of a suite, which have not been checked yet.

    Attributes:
        id: id of the suite, or of the task that serves as one.
        family: family of its tasks; None for tasks without one.
        protocol: protocol that defines the metrics of the suite; None without one.
        sources: file of each task, or the task itself, by id and in order.
        expects: what the suite expects of tasks that do not say it themselves.
    """

    id: str
    family: str | None
    protocol: str | None
    sources: Mapping[str, Task | str]
    expects: Expectation | None = None

    @property
    def only(self) -> str | None:
        """Id of the suite's only task; None if there are several."""
        return next(iter(self.sources)) if len(self.sources) == 1 else None

    @classmethod
    def of(cls, suite: Task | str | PathLike[str], catalog: Catalog | None = None) -> SuiteTasks:
        """Return the tasks of a suite that is given by path, folder or id, or as a single checked task.

        Args:
            suite: suite or task.
            catalog: catalog that finds the suite, and that may already hold documents.

        Raises:
            NotFoundError: there is no such suite or task.
            DiagnosticError: the suite has errors.
            TypeError: `suite` is neither a task, a path nor an id.
        """
        if isinstance(suite, Task):
            return cls(suite.id, suite.family, suite.family, {suite.id: suite})
        catalog = catalog or Catalog()
        opened = catalog.suite(name_of(suite))
        sources = {task: str(path) for task, path in catalog.ids(opened.tasks)}
        return cls(opened.id, opened.family, opened.protocol or opened.family, sources, opened.expects)

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
