"""The plugin for pytest: each case of a task is a test.

pytest loads this module wherever planspec is installed, so it loads nothing of planspec before there is a task with cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from planspec.api.cases.testing import CaseResult, CaseTester
    from planspec.dsl.workspace.document import Document

OPTION = "planspec_cases"
HEAD = 2000
"""The bytes of a file that say whether it is a task."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option by which a project leaves all tasks out."""
    parser.addini(OPTION, "Collect the cases of planspec's tasks.", type="bool", default=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The cases of a file, if it has any."""
    if file_path.suffix != ".yaml" or not parent.config.getini(OPTION) or not has_cases(file_path):
        return None
    made: pytest.Collector = TaskFile.from_parent(parent, path=file_path)
    return made


def has_cases(path: Path) -> bool:
    """The file begins as a task, or as a shard of tasks, and has a line that begins with `cases:`."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            if not _is_task(head):
                return False
            return b"\ncases:" in head + file.read()
    except OSError:
        return False


def _is_task(head: bytes) -> bool:
    """The first line that says anything begins with `planspec: task/`."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    said = (line for line in lines if line.strip() and not line.startswith((b"#", b"---")))
    return next(said, b"").startswith(b"planspec: task/")


class CaseFailedError(Exception):
    """The verdict is another than its case says, or the case could not be judged."""


class TaskFile(pytest.File):
    """A task, or a shard of tasks."""

    def collect(self) -> Iterator[pytest.Item]:
        """The cases, by name alone: the tasks are read when one is run."""
        from planspec.api.catalog import Catalog
        from planspec.dsl.workspace.shards import is_shard, shard_of

        catalog = Catalog(self.tester.workspace)
        for place in catalog.documents([self.path]) if is_shard(self.path) else [self.path]:
            inside = shard_of(place)
            prefix = "" if inside is None else f"{inside[1]}:"
            for name, line in _cases(self.tester.opened(place)):
                yield CaseItem.from_parent(self, name=f"{prefix}{name}", place=place, case=name, line=line)

    @cached_property
    def tester(self) -> CaseTester:
        """Judges the cases of the file, and reads what they share once."""
        from planspec.api.cases.testing import CaseQuestions, CaseTester

        return CaseTester(CaseQuestions())

    @cached_property
    def _results(self) -> dict[Path, dict[str, CaseResult]]:
        return {}

    def result(self, place: Path, case: str) -> CaseResult:
        """The result of a case; all of one task are judged together.

        Raises:
            DiagnosticError: the task, or one of its cases, has errors.
        """
        from planspec.api.catalog import TaskReference

        if place not in self._results:
            tested = self.tester(TaskReference(place))
            self._results[place] = {} if tested is None else {result.name: result for result in tested.cases}
        return self._results[place][case]


def _cases(document: Document | None) -> Iterable[tuple[str, int]]:
    """The names of a document's cases, with their lines from 1; of one with mistakes, one name for all."""
    from planspec.dsl.yaml.nodes import Mapping

    if document is None:
        return [("document", 1)]
    section = document.sections.get("cases")
    if isinstance(section, Mapping):
        return [(name.text, name.span.line) for name, _ in section.entries]
    return [] if section is None else [("cases", section.span.line)]


class CaseItem(pytest.Item):
    """A case of a task."""

    def __init__(self, *, place: Path, case: str, line: int, **rest: Any) -> None:
        super().__init__(**rest)
        self._place, self._case, self._line = place, case, line

    def runtest(self) -> None:
        """Judge the answer.

        Raises:
            CaseFailedError: the verdict is another than the case says, or the task has errors.
        """
        from planspec.api.cases.testing_text import failure_lines
        from planspec.dsl.diagnostics.rendering import render_text
        from planspec.errors import DiagnosticError, PlanspecError

        assert isinstance(self.parent, TaskFile)
        try:
            found = self.parent.result(self._place, self._case)
        except DiagnosticError as error:
            raise CaseFailedError(render_text(error.diagnostics)) from None
        except PlanspecError as error:
            raise CaseFailedError(str(error)) from None
        if found.differences:
            raise CaseFailedError("\n".join(failure_lines(found.differences)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What differs, without the lines of code that found it."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case stands; lines count from 0 here."""
        return self.path, self._line - 1, f"case {self.name}"
