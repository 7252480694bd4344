"""Copies of a run's documents in its folder, so that scores and reports do not need the originals.

One tree holds documents that ship with planspec, the other all other documents. Both keep the original layout, so
references by path and by id still resolve.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from planspec.api.catalog import suite_folder
from planspec.dsl.documents.documents import Suite
from planspec.dsl.model.expectation import Expectation
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_bytes
from planspec.dsl.workspace.shards import split_task_path, task_path
from planspec.dsl.workspace.workspace import COPIES, Workspace
from planspec.files import replace_text, scratch_folder
from planspec.runs.record import RecordModel
from planspec.traces.metrics import trace_metrics

FOLDER = "suite"
"""Folder of the copies, within the run's folder."""
OWN, SHIPPED = "own", "shipped"
"""Names of the two trees of copies: documents that do not ship with planspec, and documents that do."""


class CopyIndex(RecordModel):
    """The index of the copies, `suite/planspec-copies.json`; paths are relative to its folder.

    Attributes:
        protocol: protocol that defines the metrics of the suite; null without one.
        expects: expectation of the suite for tasks without one of their own; null if the suite has none.
        folder: folder of the suite.
        tasks: file of each task by id.
        references: original paths of files with references outside the suite's folder.
    """

    suite: Literal["copy/1"] = "copy/1"
    protocol: str | None
    expects: Expectation | None = None
    folder: str
    tasks: dict[str, str]
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteCopy:
    """The copies of a run's documents.

    Attributes:
        root: folder of the copies.
        index: index of the copies.
    """

    root: Path
    index: CopyIndex

    @property
    def folder(self) -> Path:
        """Folder of the suite."""
        return self.root / self.index.folder

    @property
    def shipped(self) -> Path:
        """Folder of the documents that shipped with the version of planspec that made the run."""
        return self.root / SHIPPED

    @property
    def tasks(self) -> dict[str, Path]:
        """Files of the tasks by id."""
        return {name: self.root / path for name, path in self.index.tasks.items()}

    @classmethod
    def of(cls, run: Path) -> SuiteCopy | None:
        """Open the copies in a run's folder; None for a run of an earlier release, which has none."""
        root = run / FOLDER
        try:
            return cls(root, CopyIndex.model_validate_json(read_bytes(root / COPIES, RECORDS_BYTES)))
        except (OSError, ValidationError):
            return None


@dataclass(slots=True)
class UsedFiles:
    """Collects the files from which tasks were read.

    Attributes:
        tasks: file of each task by id.
        files: all files, without duplicates, in order.
        references: files that hold a task's reference.
    """

    tasks: dict[str, Path] = field(default_factory=dict)
    files: dict[Path, None] = field(default_factory=dict)
    references: dict[Path, None] = field(default_factory=dict)

    def add(self, task: Task, path: Path) -> None:
        """Add the files that a task was read from."""
        self.tasks[task.id.partition("@")[0]] = path
        for source in task.sources:
            for used in filter(Path.is_file, source.files):
                self.files[used.resolve()] = None
                if source.base is None and not source.made_from and _is_reference(source.text, task):
                    self.references[used.resolve()] = None

    def references_outside(self, folder: Path) -> Iterator[Path]:
        """Yield the files outside a folder that contain references."""
        return (path for path in self.references if not path.is_relative_to(folder))


def _is_reference(text: str, task: Task) -> bool:
    """Return whether the text of one of a task's files is its reference as JSON."""
    if task.reference is None or not text.lstrip().startswith(("{", "[", '"')):
        return False
    try:
        return bool(json.loads(text, parse_float=Decimal) == task.reference)
    except (ValueError, RecursionError):
        return False


def copy_suite(run: Path, path: Path, suite: Suite, used: UsedFiles) -> None:
    """Copy the files of a run's tasks into its folder, atomically.

    Args:
        run: folder of the run.
        path: path of the suite's file, or of the folder or task that serves as a suite.
        suite: the suite.
        used: files of the tasks. The whole folder of the suite is copied if the family's metrics need further files.

    Raises:
        OSError: a file cannot be read or written.
    """
    folder = suite_folder(path).resolve()
    whole = trace_metrics(suite.family) is not None
    files = {*used.files, *((path.resolve(),) if path.is_file() else ())}
    trees = _CopyLayout.of(Workspace().shipped.resolve(), (*files, folder / COPIES))
    with scratch_folder(run) as part:
        for file in files:
            copy = part / trees.path_in_copy(file)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
        if whole:
            shutil.copytree(folder, part / trees.path_in_copy(folder), dirs_exist_ok=True, ignore=_ignored_names)
        (part / SHIPPED).mkdir(exist_ok=True)
        index = CopyIndex(
            protocol=suite.protocol or suite.family,
            expects=suite.expects,
            folder=trees.path_in_copy(folder).as_posix(),
            tasks={name: trees.path_in_copy(file).as_posix() for name, file in used.tasks.items()},
            references=tuple(map(str, used.references_outside(folder))),
        )
        replace_text(part / COPIES, index.model_dump_json(indent=1) + "\n")
        part.chmod(0o755)
        part.replace(run / FOLDER)


@dataclass(frozen=True, slots=True)
class _CopyLayout:
    """Layout of the copies: one tree for files in planspec's folder, the other for all other files."""

    shipped: Path
    own: Path

    @classmethod
    def of(cls, shipped: Path, files: Iterable[Path]) -> _CopyLayout:
        """Return the layout for the given files."""
        folders = [str(file.parent) for file in files if not file.is_relative_to(shipped)]
        return cls(shipped, Path(os.path.commonpath(folders)) if folders else shipped)

    def path_in_copy(self, path: Path) -> Path:
        """Return the path of a file, folder, or task in a shard within the copies, relative to their folder."""
        inside = split_task_path(path)
        if inside is not None:
            return task_path(self.path_in_copy(inside[0]), inside[1])
        resolved = path.resolve()
        if resolved.is_relative_to(self.shipped):
            return SHIPPED / resolved.relative_to(self.shipped)
        return OWN / resolved.relative_to(self.own)


def _ignored_names(folder: str, names: Sequence[str]) -> list[str]:
    """Return the names in a folder that `shutil.copytree` must not copy: runs and hidden files."""
    return [name for name in names if name.startswith(".") or Path(folder, name, "run.json").is_file()]
