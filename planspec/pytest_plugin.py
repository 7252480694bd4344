"""Plugin for pytest that runs each case of a task as a test.

pytest loads this module in every environment that has planspec. Other modules of planspec are therefore loaded only
when a task with cases is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from planspec.api.cases.report import CaseResult
    from planspec.api.cases.testing import CaseTester
    from planspec.dsl.structure.document import Document

OPTION = "planspec_cases"
HEAD = 2000
"""Number of bytes at the start of a file that are read to recognise a task."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that turns this collection off."""
    parser.addini(OPTION, "Collect the cases of planspec's tasks.", type="bool", default=True)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Return a collector for a file with cases, or None for any other file."""
    if file_path.suffix != ".yaml" or not parent.config.getini(OPTION) or not has_cases(file_path):
        return None
    collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
    return collector


def has_cases(path: Path) -> bool:
    """Return whether a file contains tasks and has a line that begins with `cases:`."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
            if not _is_task(head):
                return False
            return b"\ncases:" in head + file.read()
    except OSError:
        return False


def _is_task(head: bytes) -> bool:
    """Return whether the first line that is neither blank nor a comment begins with `planspec: task/`."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()
    content = (line for line in lines if line.strip() and not line.startswith((b"#", b"---")))
    return next(content, b"").startswith(b"planspec: task/")


class CaseFailedError(Exception):
    """The verdict differs from the expected one, or the case could not be judged."""


class CaseFile(pytest.File):
    """A file with cases of one or several tasks."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield the cases by name. The tasks are read when a case runs."""
        from planspec.api.catalog import Catalog
        from planspec.dsl.workspace.shards import is_shard, split_task_path

        catalog = Catalog(self.tester.workspace)
        for place in catalog.documents([self.path]) if is_shard(self.path) else [self.path]:
            shard_and_task = split_task_path(place)
            prefix = "" if shard_and_task is None else f"{shard_and_task[1]}:"
            for name, line in _cases(self.tester.open_document(place)):
                yield CaseItem.from_parent(self, name=f"{prefix}{name}", place=place, case=name, line=line)

    @cached_property
    def tester(self) -> CaseTester:
        """Judge of the cases. It reads files used by several tasks once."""
        from planspec.api.cases.testing import CaseOptions, CaseTester

        return CaseTester(CaseOptions())

    @cached_property
    def _results(self) -> dict[Path, dict[str, CaseResult]]:
        return {}

    def result(self, place: Path, case: str) -> CaseResult:
        """Return the result of a case. The cases of a task are judged together, when the first result is needed.

        Raises:
            DiagnosticError: the task or one of its cases has errors.
        """
        from planspec.api.catalog import TaskReference

        if place not in self._results:
            tested = self.tester(TaskReference(place))
            self._results[place] = {} if tested is None else {result.name: result for result in tested.cases}
        return self._results[place][case]


def _cases(document: Document | None) -> Iterable[tuple[str, int]]:
    """Return name and line (from 1) of each case in a document; a single entry for an invalid section."""
    from planspec.dsl.yaml.nodes import Mapping

    if document is None:
        return [("document", 1)]
    section = document.sections.get("cases")
    if isinstance(section, Mapping):
        return [(name.text, name.span.line) for name, _ in section.entries]
    return [] if section is None else [("cases", section.span.line)]


class CaseItem(pytest.Item):
    """A pytest item that judges one case of a task."""

    def __init__(self, *, place: Path, case: str, line: int, **rest: Any) -> None:
        super().__init__(**rest)
        self._place, self._case, self._line = place, case, line

    def runtest(self) -> None:
        """Judge the case's answer.

        Raises:
            CaseFailedError: the verdict differs from the expected one, or the task has errors.
        """
        from planspec.api.cases.report import failure_lines
        from planspec.dsl.diagnostics.diagnostic import DiagnosticError
        from planspec.dsl.diagnostics.rendering import render_text
        from planspec.errors import PlanspecError

        assert isinstance(self.parent, CaseFile)
        try:
            result = self.parent.result(self._place, self._case)
        except DiagnosticError as error:
            raise CaseFailedError(render_text(error.diagnostics)) from None
        except PlanspecError as error:
            raise CaseFailedError(str(error)) from None
        if result.differences:
            raise CaseFailedError("\n".join(failure_lines(result.differences)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the differences as text, without a Python traceback."""
        if isinstance(excinfo.value, CaseFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the location of the case, with the line counted from 0."""
        return self.path, self._line - 1, f"case {self.name}"
