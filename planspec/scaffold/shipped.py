"""Shipped tasks as the start of a new benchmark. The task is copied with all files that it uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from planspec.api.catalog import Catalog, suite_folder
from planspec.api.certificates import certificate_path, read
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import word_of
from planspec.dsl.workspace.imports import resolve_imports
from planspec.dsl.workspace.workspace import FOLDERS
from planspec.dsl.yaml.reader import Node, Scalar, Sequence
from planspec.errors import PlanspecError

MAX_PATH_CHARS = 200
"""Maximum length, in characters, of a string that is tried as the path of a file."""
FIRST_CASE = b"cases:\n  reference: {passes: true}\n"
"""Case added to a shipped task that has a reference and no cases."""


class UnsuitableStartError(PlanspecError, LookupError):
    """No such task ships with planspec, or it needs files besides its documents."""


@dataclass(frozen=True, slots=True)
class ShippedStart:
    """A shipped task with all files that it uses.

    Attributes:
        path: path of the task's file in the new folder.
        files: contents of the files, by path in the new folder.
        family: family of its suite.
        protocol: protocol of its suite.
        unique: whether its certificate proves that it has exactly one plan.
    """

    path: PurePosixPath
    files: Mapping[PurePosixPath, bytes]
    family: str | None
    protocol: str | None
    unique: bool


def shipped_start(name: str) -> ShippedStart:
    """Return a shipped task with the files that it uses.

    Args:
        name: id of the task.

    Raises:
        UnsuitableStartError: no such task ships with planspec.
    """
    catalog = Catalog()
    workspace = catalog.workspace
    matches = workspace.find("task", name)
    if len(matches) != 1:
        raise UnsuitableStartError(f"`{name}` is not a shipped task; `planspec tasks list` lists them")
    report = Report()
    document = workspace.open(matches[0], report)
    report.stop_if_failed()
    assert document is not None
    documents = resolve_imports(document, workspace, report).documents
    report.stop_if_failed()
    suites = [entry for entry in catalog.suites() if matches[0].is_relative_to(suite_folder(entry.path))]
    folder = suite_folder(suites[0].path) if suites else matches[0].parent
    paths = dict.fromkeys(path for each in documents for path in _files_of(each))
    targets = {
        path: _target_path(path, folder, workspace.shipped, is_top_level=matches[0].parent == folder) for path in paths
    }
    header = workspace.open(suites[0].path, report) if suites else None
    files = {target: path.read_bytes() for path, target in targets.items()}
    task = targets[matches[0].resolve()]
    if "reference" in document.sections and "cases" not in document.sections:
        files[task] += FIRST_CASE
    sections = header.sections if header is not None else {}
    return ShippedStart(
        task,
        files,
        word_of(sections.get("family"), "`family`", report),
        word_of(sections.get("protocol"), "`protocol`", report),
        _is_proved_unique(matches[0], document.id),
    )


def _is_proved_unique(task: Path, id: str) -> bool:
    path = certificate_path(task, id)
    return path.exists() and read(path).unique.status == "unique"


def _files_of(document: Document) -> Iterator[Path]:
    """Yield the file of a document and the files that its texts name."""
    assert document.path is not None
    yield document.path.resolve()
    for node in document.sections.values():
        for text in _texts(node):
            path = document.path.parent / text if 0 < len(text) < MAX_PATH_CHARS and "\0" not in text else None
            if path is not None and path.is_file():
                yield path.resolve()


def _texts(node: Node) -> Iterator[str]:
    if isinstance(node, Scalar):
        yield node.text
        return
    for part in node.items if isinstance(node, Sequence) else (value for _, value in node.entries):
        yield from _texts(part)


def _target_path(path: Path, suite: Path, shipped: Path, *, is_top_level: bool) -> PurePosixPath:
    """Return the path of a file in the new folder, such that paths in documents stay valid.

    Args:
        path: the file.
        suite: folder of the task's suite.
        shipped: folder of the shipped documents.
        is_top_level: whether the task is directly in the suite's folder. Its copy is then in the folder `tasks`.
    """
    if path.is_relative_to(suite.resolve()):
        inside = PurePosixPath(path.relative_to(suite.resolve()).as_posix())
        return FOLDERS[-1] / inside if is_top_level else inside
    return PurePosixPath(path.relative_to(shipped.resolve()).as_posix())
