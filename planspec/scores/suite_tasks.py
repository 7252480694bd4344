"""The tasks of the suite that answers are for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from planspec.api.catalog import Catalog
from planspec.api.judging import profiles
from planspec.api.loading import name_of
from planspec.dsl.model.task import Task
from planspec.errors import UnknownProfileError


@dataclass(frozen=True, slots=True)
class SuiteTasks:
    """The tasks of a suite, not checked yet.

    Attributes:
        id: id of the suite, or of the task that stands for one.
        family: family of its tasks.
        protocol: whose metrics its scores are.
        sources: by the tasks' ids, in order: the file of each, or the task itself.
    """

    id: str
    family: str | None
    protocol: str | None
    sources: Mapping[str, Task | str]

    @property
    def only(self) -> str | None:
        """The id of the suite's only task; None of several."""
        return next(iter(self.sources)) if len(self.sources) == 1 else None

    @classmethod
    def of(cls, suite: Task | str | PathLike[str], catalog: Catalog | None = None) -> SuiteTasks:
        """The tasks of a suite by path, folder or id; or of a checked task.

        Args:
            suite: which one.
            catalog: finds it; what it has checked for others is not checked again.

        Raises:
            NotFoundError: there is no such suite or task.
            DiagnosticError: the suite has errors.
            TypeError: it is none of these.
        """
        if isinstance(suite, Task):
            return cls(suite.id, suite.family, suite.family, {suite.id: suite})
        catalog = catalog or Catalog()
        found = catalog.suite(name_of(suite))
        sources = {task: str(path) for task, path in catalog.ids(found.tasks)}
        return cls(found.id, found.family, found.protocol or found.family, sources)

    def check_profile(self, profile: str) -> None:
        """Refuse a profile that the family has not.

        Raises:
            UnknownProfileError: it has no such one.
        """
        check_profiles(self.id, (profile,), profiles(self.family))


def check_profiles(suite: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Refuse profiles that a suite has not.

    Raises:
        UnknownProfileError: one of them.
    """
    for profile in wanted:
        if profile not in known:
            raise UnknownProfileError(
                f"the suite `{suite}` has no profile `{profile}`; there is {' and '.join(known)}"
            )
