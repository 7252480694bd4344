"""Tasks and suites by path, folder or id: those that ship with planspec, and those in folders.

Finding a task does not need the modules that read and check documents. They are slow to load, so functions import them.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.resources.paths import paths_text, shown_path
from planspec.dsl.resources.reading import decompressed, open_regular
from planspec.dsl.workspace.shards import (
    BASE,
    ENDINGS,
    JSON_ENDINGS,
    PACKED,
    SHARD,
    TaskPaths,
    is_shard,
    split_task_path,
    task_path,
)
from planspec.dsl.workspace.workspace import Workspace, files_below, kind_and_id
from planspec.errors import NotFoundError

if TYPE_CHECKING:
    from planspec.dsl.documents.documents import Suite
    from planspec.dsl.model.expectation import Expectation
    from planspec.dsl.model.reading import Reading
    from planspec.dsl.structure.document import Document


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """An entry of the catalog: an unchecked task or suite.

    An entry for a task of a suite also has the suite, its readings, and what it expects of its tasks.
    """

    id: str
    path: Path
    title: str
    suite: str | None = None
    family: str | None = None
    expects: Expectation | None = None
    readings: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskReference:
    """A reference to a task: its file, and a turn if one is named (`trip@2`).

    Attributes:
        expects: what its suite expects of tasks without an own expectation; None if the suite has no expectation or the
            task was not found through a suite.
        readings: readings of its suite, in order; empty if it has none or the task was not found through a suite.
    """

    path: Path
    turn: int | None = None
    expects: Expectation | None = None
    readings: tuple[Reading, ...] = ()

    def __str__(self) -> str:
        return str(self.path) if self.turn is None else f"{self.path}@{self.turn}"


def documents_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the given files and the documents in the given folders.

    Documents are `*.yaml` files and shards, which are JSON Lines files of tasks.
    """
    for path in paths:
        if path.is_dir():
            yield from filter(
                _is_document, files_below(path, ("*.yaml", *(f"*{ending}" for ending in ENDINGS if ending != SHARD)))
            )
        else:
            yield path


def _is_document(path: Path) -> bool:
    """Return whether a file is a JSON Lines file of tasks, a truncated archive, or begins with `planspec:`.

    The file with the common part of a table's tasks does not count, because it is checked with its suite.
    """
    if path.name.endswith(JSON_ENDINGS) or path.name.endswith(BASE):
        return not path.name.endswith(BASE)
    with open_regular(path, TABLE_BYTES) as file:
        try:
            head = (decompressed(file) if path.suffix == PACKED else file).read(2000)
        except (EOFError, OSError, zlib.error):
            return True
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    content = (line for line in lines if line.strip() and not line.startswith(("#", "---")))
    return next(content, "").startswith("planspec:")


class Catalog:
    """Search for tasks and suites.

    Args:
        workspace: workspace that opens documents and knows the shipped ones.
    """

    def __init__(self, workspace: Workspace | None = None) -> None:
        self.workspace = workspace or Workspace()

    def suites(self) -> list[CatalogEntry]:
        """Return the suites that ship with planspec."""
        return [e for path in files_below(self.workspace.shipped, ["*.yaml"]) if (e := self._entry(path, "suite"))]

    def documents(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the documents of files and folders, including the tasks of shards and suites."""
        seen: dict[str, None] = {}
        suites: list[Path] = []
        for path in self._documents_in(paths):
            seen[str(path.absolute())] = None
            yield path
            named = None if split_task_path(path) is not None else kind_and_id(path)
            if named is None or named[0] == "suite":
                suites.append(path)
        for path in suites:
            for task in self._tasks_in(path):
                own = split_task_path(task)
                if own is not None and not is_shard(own[0]):
                    yield task  # a task in the suite's table, which no other suite can list
                elif str(task.absolute()) not in seen:
                    seen[str(task.absolute())] = None
                    yield task

    def _documents_in(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield the documents in files and folders, without tasks that a suite lists from elsewhere."""
        for path in documents_in(paths):
            names = self.workspace.names_in(path, Report()) if is_shard(path) else None
            if names is None:
                yield path
            else:
                yield from (task_path(path, name) for name in names)

    def _tasks_in(self, path: Path) -> Sequence[Path]:
        """Return the tasks of a suite document; empty for other documents and unreadable files."""
        from planspec.dsl.documents.documents import read_suite

        document = self.workspace.open(path, Report())
        if document is None or document.kind != "suite":
            return ()
        return read_suite(document, self.workspace, Report()).tasks

    def ids(self, tasks: Iterable[Path]) -> Iterator[tuple[str, Path]]:
        """Yield the id and path of each task, without parsing YAML. Files that are not tasks are skipped."""
        for path in tasks:
            inside = split_task_path(path)
            if inside is not None:
                yield inside[1], path
            elif (named := kind_and_id(path)) is not None:
                if named[0] == "task":
                    yield named[1], path
            elif (entry := self._entry(path, "task")) is not None:
                yield entry.id, path

    def tasks(self, places: Iterable[Path] = ()) -> list[CatalogEntry]:
        """Return the tasks that ship with planspec, or those in the given folders and files, with their suites."""
        from planspec.dsl.documents.documents import read_suite

        roots = list(places) or [self.workspace.shipped]
        entries: dict[Path, CatalogEntry] = {}
        for path in self._documents_in(roots):
            document = self.workspace.open(path, Report())
            if document is None:
                continue
            if document.kind == "suite":
                inside = read_suite(document, self.workspace, Report())
                for task in inside.tasks:
                    entry = self._entry(task, "task")
                    if entry:
                        entries[task.absolute()] = replace(
                            entry,
                            suite=document.id,
                            family=inside.family,
                            expects=inside.expects,
                            readings=tuple(inside.readings.values()),
                        )
            elif document.kind == "task" and path.absolute() not in entries:
                entry = self._entry(path, "task")
                if entry:
                    entries[path.absolute()] = entry
        return sorted(entries.values(), key=lambda e: (e.suite or "", e.id))

    def task(self, name: str) -> Path:
        """Return the file of a task.

        Args:
            name: path of the file, or id of a task. Ids are searched from the current folder and among shipped tasks.

        Raises:
            NotFoundError: no task matches, or several do.
        """
        return self._resolve_one(name, "task")

    def named(self, name: str) -> TaskReference:
        """Return a task, or a turn of it, by file or id, such as `trip`, `trip@2` or `trips/a.task.yaml@2`.

        Raises:
            NotFoundError: no task matches, several do, or the task has no such turn.
        """
        base, at, turn = name.rpartition("@")
        try:
            return TaskReference(self.task(name))
        except NotFoundError:
            if not at or "/" in turn:
                raise
        from planspec.dsl.documents.documents import no_turn_message
        from planspec.dsl.documents.turns import turn_count

        path = self.task(base)
        document = self.workspace.open(path, Report())
        if document is None:
            return TaskReference(path)  # loading the task will report the error
        if turn not in map(str, range(1, turn_count(document) + 1)):
            raise NotFoundError(no_turn_message(document, turn))
        return TaskReference(path, int(turn))

    def turns(self, path: Path) -> int:
        """Return the number of turns of a task; 0 for a task without turns or an unreadable file."""
        from planspec.dsl.documents.turns import turn_count

        document = self.workspace.open(path, Report())
        return 0 if document is None else turn_count(document)

    def suite_path(self, name: str) -> Path:
        """Return the path of a suite, by file, folder (with one suite in it) or id.

        A single task, a shard (a file of many tasks), and a folder of tasks without a suite also count as suites.

        Returns:
            The file of the suite or shard, the file of the task or its path in a shard, or the folder of
            tasks.

        Raises:
            NotFoundError: no document matches, or several do.
        """
        path = Path(name)
        if (is_shard(path) and path.is_file()) or (
            path.is_dir() and not self._suites_in(path) and any(self.ids(self.documents([path])))
        ):
            return path
        if split_task_path(path) is not None:
            return self.task(name)
        try:
            return self._resolve_one(name, "suite")
        except NotFoundError:
            if path.exists() or not self.workspace.find("task", name, Path.cwd()):
                raise
            return self.task(name)

    def suite(self, name: str) -> Suite:
        """Return a suite by file, folder or id. The rules are those of `suite_path`.

        Raises:
            NotFoundError: no suite matches, several do, or a folder has tasks of several families.
            DiagnosticError: the suite has errors.
        """
        from planspec.dsl.documents.documents import read_suite

        path = self.suite_path(name)
        if path.is_dir():
            return self._implicit_suite(path.resolve().name, [entry.path for entry in self.tasks([path])])
        report = Report()
        if is_shard(path):
            names = self.workspace.names_in(path, report)
            report.stop_if_failed()
            return self._implicit_suite(path.name.split(".")[0], TaskPaths([(path, names)]))
        document = self.workspace.open(path, report)
        report.stop_if_failed()
        assert document is not None
        if document.kind == "task":
            return self._implicit_suite(document.id, (path,))
        result = read_suite(document, self.workspace, report)
        report.stop_if_failed()
        return result

    def _implicit_suite(self, name: str, paths: Sequence[Path]) -> Suite:
        """Return a suite of tasks that are not in a suite document."""
        from planspec.dsl.documents.documents import Suite, task_from_path

        families = {task_from_path(path, self.workspace).family for path in paths}
        if len(families) > 1:
            named = ", ".join(sorted(family or "none" for family in families))
            raise NotFoundError(f"`{name}` has tasks of several families ({named}); make a suite of each")
        return Suite(name, families.pop(), "", paths, None)

    def _suites_in(self, folder: Path) -> list[Path]:
        return [path for path in sorted(folder.glob("*.yaml")) if self._entry(path, "suite")]

    def expand(self, name: str) -> list[TaskReference]:
        """Return the tasks to which a name refers: a task, one turn of it, or all tasks of a suite or folder.

        Raises:
            NotFoundError: the name refers to nothing.
            DiagnosticError: a suite has errors.
        """
        path = Path(name)
        if not self.means_several(name):
            return [TaskReference(path) if path.is_file() else self.named(name)]
        if not path.is_dir():
            suite = self.suite(name)
            readings = tuple(suite.readings.values())
            return [TaskReference(task, expects=suite.expects, readings=readings) for task in suite.tasks]
        tasks = [
            TaskReference(entry.path, expects=entry.expects, readings=entry.readings) for entry in self.tasks([path])
        ]
        if not tasks:
            raise NotFoundError(f"there is no task in the folder `{name}`")
        return tasks

    def means_several(self, name: str) -> bool:
        """Return whether a name refers to a suite or folder, even one with a single task."""
        path = Path(name)
        if path.is_file() and is_shard(path):
            return True
        if path.is_file():
            document = self.workspace.open(path, Report())
            return document is not None and document.kind == "suite"
        return path.is_dir() or bool(self.workspace.find("suite", name, Path.cwd()))

    def _resolve_one(self, name: str, kind: str) -> Path:
        path = Path(name)
        if path.is_dir() and kind == "suite":
            inside = self._suites_in(path)
            if not inside:
                raise NotFoundError(
                    f"the folder `{name}` has no suite: neither a document that begins with `planspec: suite/1` nor tasks"
                )
            if len(inside) > 1:
                raise NotFoundError(
                    f"the folder `{name}` has {len(inside)} suites: {paths_text(inside)}; name one of them"
                )
            return inside[0]
        if path.is_dir():
            raise NotFoundError(f"`{name}` is a folder, not a {kind}")
        if path.is_file():
            return path
        place = split_task_path(path)
        if place is not None and kind == "task" and place[0].is_file():
            return self._checked_shard_path(path, *place)
        if name.endswith((".yaml", ".yml")) or "/" in name:
            raise NotFoundError(f"there is no file `{name}`")
        matches = self.workspace.find(kind, name, Path.cwd())
        if not matches and kind == "task" and self.workspace.find("suite", name, Path.cwd()):
            raise NotFoundError(f"`{name}` is a suite; name one of its tasks")
        if not matches:
            close = did_you_mean(name, self.workspace.ids(kind, Path.cwd()))
            raise NotFoundError(
                f"there is no {kind} `{name}`" + (f"; {close}" if close else "; `planspec tasks list` shows what ships")
            )
        if len(matches) > 1:
            raise NotFoundError(f"several files are the {kind} `{name}`: {paths_text(matches)}; name one by its path")
        return matches[0]

    def _checked_shard_path(self, path: Path, shard: Path, name: str) -> Path:
        """Return `path`, the path of a task in a shard, if the shard has this task or is unreadable.

        Raises:
            NotFoundError: the shard has no such task.
        """
        if self.workspace.has_task(shard, name) is False:
            close = did_you_mean(name, self.workspace.names_in(shard, Report()) or ())
            raise NotFoundError(f"`{shown_path(shard)}` has no task `{name}`" + (f"; {close}" if close else ""))
        return path

    def _entry(self, path: Path, kind: str) -> CatalogEntry | None:
        document = self.workspace.open(path, Report())
        if document is None or document.kind != kind:
            return None
        return CatalogEntry(document.id, path, text_of(document, "title"))


def suite_folder(path: Path) -> Path:
    """Return the folder of a suite.

    Args:
        path: path of the suite, from `Catalog.suite_path`.
    """
    return path if path.is_dir() else path.parent


def text_of(document: Document, section: str) -> str:
    """Return the text of a document's section, or an empty string if there is no such section."""
    node = document.sections.get(section)
    return getattr(node, "text", "") if node is not None else ""
