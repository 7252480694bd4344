"""Tasks and suites by path, folder or id: what ships with planspec, and what lies in folders.

What reads and checks documents is slow to load, and to find a task takes none of it: it is imported where it is needed.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.resources.limits import TABLE_BYTES
from planspec.dsl.resources.reading import open_regular, unpacked
from planspec.dsl.workspace.shards import PACKED, SHARD, TaskPaths, is_shard, shard_of, task_place
from planspec.dsl.workspace.workspace import Workspace, files_below, kind_and_id, several, shown
from planspec.errors import NotFoundError

if TYPE_CHECKING:
    from planspec.dsl.documents.documents import Suite
    from planspec.dsl.workspace.document import Document


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A task of a suite (or of none), not checked yet."""

    id: str
    path: Path
    title: str
    suite: str | None = None
    family: str | None = None


@dataclass(frozen=True, slots=True)
class TaskReference:
    """A task as a caller names it: a file, and one of its turns if the name says so (`trip@2`)."""

    path: Path
    turn: int | None = None

    def __str__(self) -> str:
        return str(self.path) if self.turn is None else f"{self.path}@{self.turn}"


def documents_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The documents below folders (files named `*.yaml`, and shards, that begin with `planspec:`), and files as they are."""
    for path in paths:
        if path.is_dir():
            yield from filter(_is_document, files_below(path, ("*.yaml", f"*{SHARD}{PACKED}")))
        else:
            yield path


def _is_document(path: Path) -> bool:
    """The first line that says anything begins with `planspec:`; a file that breaks off is taken for a document."""
    with open_regular(path, TABLE_BYTES) as file:
        try:
            head = (unpacked(file) if path.suffix == PACKED else file).read(2000)
        except (EOFError, OSError, zlib.error):
            return True
    lines = head.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    said = (line for line in lines if line.strip() and not line.startswith(("#", "---")))
    return next(said, "").startswith("planspec:")


class Catalog:
    """Finds tasks and suites.

    Args:
        workspace: opens documents; what ships is found through it.
    """

    def __init__(self, workspace: Workspace | None = None) -> None:
        self.workspace = workspace or Workspace()

    def suites(self) -> list[CatalogEntry]:
        """The suites that ship."""
        return [
            e for path in files_below(self.workspace.shipped, ["*.yaml"]) if (e := self._entry(path, "suite"))
        ]

    def documents(self, paths: Iterable[Path]) -> Iterator[Path]:
        """The documents of files and folders, as `documents_in` has them, of shards each task, and of suites their tasks."""
        known: dict[str, None] = {}
        suites: list[Path] = []
        for path in self._documents_alone(paths):
            known[str(path.absolute())] = None
            yield path
            named = None if shard_of(path) is not None else kind_and_id(path)
            if named is None or named[0] == "suite":
                suites.append(path)
        for path in suites:
            for task in self._tasks_in(path):
                if str(task.absolute()) not in known:
                    known[str(task.absolute())] = None
                    yield task

    def _documents_alone(self, paths: Iterable[Path]) -> Iterator[Path]:
        """The same without the tasks that suites name elsewhere."""
        for path in documents_in(paths):
            names = self.workspace.names_in(path, Report()) if is_shard(path) else None
            if names is None:
                yield path
            else:
                yield from (task_place(path, name) for name in names)

    def _tasks_in(self, path: Path) -> Sequence[Path]:
        """The tasks of a suite's document, as far as it can be read; none of another document."""
        from planspec.dsl.documents.documents import suite

        found = self.workspace.open(path, Report())
        return () if found is None or found.kind != "suite" else suite(found, self.workspace, Report()).tasks

    def ids(self, tasks: Iterable[Path]) -> Iterator[tuple[str, Path]]:
        """The id and path of each of some tasks, which are not read as YAML for it. Files that are no tasks are left out."""
        for path in tasks:
            inside = shard_of(path)
            if inside is not None:
                yield inside[1], path
            elif (named := kind_and_id(path)) is not None:
                if named[0] == "task":
                    yield named[1], path
            elif (entry := self._entry(path, "task")) is not None:
                yield entry.id, path

    def tasks(self, places: Iterable[Path] = ()) -> list[CatalogEntry]:
        """Tasks with their suites: those that ship, or those of the given folders and files."""
        from planspec.dsl.documents.documents import suite

        roots = list(places) or [self.workspace.shipped]
        made: dict[Path, CatalogEntry] = {}
        for path in self._documents_alone(roots):
            found = self.workspace.open(path, Report())
            if found is None:
                continue
            if found.kind == "suite":
                inside = suite(found, self.workspace, Report())
                for task in inside.tasks:
                    entry = self._entry(task, "task", found.id, inside.family)
                    if entry:
                        made[task.absolute()] = entry
            elif found.kind == "task" and path.absolute() not in made:
                entry = self._entry(path, "task")
                if entry:
                    made[path.absolute()] = entry
        return sorted(made.values(), key=lambda e: (e.suite or "", e.id))

    def task(self, name: str) -> Path:
        """The file of a task.

        Args:
            name: a file, or an id (of what lies here, else of what ships).

        Raises:
            NotFoundError: there is none, or there are several.
        """
        return self._one(name, "task")

    def named(self, name: str) -> TaskReference:
        """A task, or a turn of one, as `task` finds them: `trip`, `trip@2`, `trips/a.task.yaml@2`.

        Raises:
            NotFoundError: there is none, there are several, or it has no such turn.
        """
        base, at, turn = name.rpartition("@")
        try:
            return TaskReference(self.task(name))
        except NotFoundError:
            if not at or "/" in turn:
                raise
        from planspec.dsl.documents.documents import no_turn
        from planspec.dsl.documents.turns import turn_count

        path = self.task(base)
        found = self.workspace.open(path, Report())
        if found is None:
            return TaskReference(path)  # loading it says what is wrong
        if turn not in map(str, range(1, turn_count(found) + 1)):
            raise NotFoundError(no_turn(found, turn))
        return TaskReference(path, int(turn))

    def turns(self, path: Path) -> int:
        """The number of turns of a task's file; 0 for a task without, or a file that cannot be read."""
        from planspec.dsl.documents.turns import turn_count

        found = self.workspace.open(path, Report())
        return 0 if found is None else turn_count(found)

    def suite_path(self, name: str) -> Path:
        """The path of a suite, by file, folder (with one suite in it) or id.

        A task is a suite of itself alone, and a shard, or a folder of tasks without a suite, is the suite of these.

        Returns:
            The file of the suite or shard, the file of the task or its place in a shard, or the folder of tasks.

        Raises:
            NotFoundError: there is none, or there are several.
        """
        path = Path(name)
        if (is_shard(path) and path.is_file()) or (
            path.is_dir() and not self._suites_in(path) and any(self.ids(self.documents([path])))
        ):
            return path
        if shard_of(path) is not None:
            return self.task(name)
        try:
            return self._one(name, "suite")
        except NotFoundError:
            if path.exists() or not self.workspace.find("task", name, Path.cwd()):
                raise
            return self.task(name)

    def suite(self, name: str) -> Suite:
        """A suite by file, folder or id, as `suite_path` finds it.

        Raises:
            NotFoundError: there is none, or there are several; or a folder has tasks of several families.
            DiagnosticError: it has errors.
        """
        from planspec.dsl.documents.documents import suite

        path = self.suite_path(name)
        if path.is_dir():
            return self._loose(path.resolve().name, [entry.path for entry in self.tasks([path])])
        report = Report()
        if is_shard(path):
            names = self.workspace.names_in(path, report)
            report.stop_if_failed()
            return self._loose(path.name.split(".")[0], TaskPaths([(path, names)]))
        found = self.workspace.open(path, report)
        report.stop_if_failed()
        assert found is not None
        if found.kind == "task":
            return self._loose(found.id, (path,))
        made = suite(found, self.workspace, report)
        report.stop_if_failed()
        return made

    def _loose(self, name: str, paths: Sequence[Path]) -> Suite:
        """The suite of tasks that no document makes one."""
        from planspec.dsl.documents.documents import Suite, task_from_path

        families = {task_from_path(path, self.workspace).family for path in paths}
        if len(families) > 1:
            named = ", ".join(sorted(family or "none" for family in families))
            raise NotFoundError(f"`{name}` has tasks of several families ({named}); make a suite of each")
        return Suite(name, families.pop(), "", paths, None)

    def _suites_in(self, folder: Path) -> list[Path]:
        return [path for path in sorted(folder.glob("*.yaml")) if self._entry(path, "suite")]

    def expand(self, name: str) -> list[TaskReference]:
        """The tasks that a name means: a task or a turn of one, or all tasks of a suite or folder.

        Raises:
            NotFoundError: it means nothing.
            DiagnosticError: a suite has errors.
        """
        path = Path(name)
        if not self.means_several(name):
            return [TaskReference(path) if path.is_file() else self.named(name)]
        if not path.is_dir():
            return [TaskReference(task) for task in self.suite(name).tasks]
        found = [TaskReference(entry.path) for entry in self.tasks([path])]
        if not found:
            raise NotFoundError(f"there is no task in the folder `{name}`")
        return found

    def means_several(self, name: str) -> bool:
        """The name is that of a suite or folder, however many tasks there are in it."""
        path = Path(name)
        if path.is_file() and is_shard(path):
            return True
        if path.is_file():
            opened = self.workspace.open(path, Report())
            return opened is not None and opened.kind == "suite"
        return path.is_dir() or bool(self.workspace.find("suite", name, Path.cwd()))

    def _one(self, name: str, kind: str) -> Path:
        path = Path(name)
        if path.is_dir() and kind == "suite":
            inside = self._suites_in(path)
            if not inside:
                raise NotFoundError(
                    f"the folder `{name}` has no suite: neither a document that begins with `planspec: suite/1` nor tasks"
                )
            if len(inside) > 1:
                raise NotFoundError(
                    f"the folder `{name}` has {len(inside)} suites: {several(inside)}; name one of them"
                )
            return inside[0]
        if path.is_dir():
            raise NotFoundError(f"`{name}` is a folder, not a {kind}")
        if path.is_file():
            return path
        place = shard_of(path)
        if place is not None and kind == "task" and place[0].is_file():
            return self._in_shard(path, *place)
        if name.endswith((".yaml", ".yml")) or "/" in name:
            raise NotFoundError(f"there is no file `{name}`")
        found = self.workspace.find(kind, name, Path.cwd())
        if not found and kind == "task" and self.workspace.find("suite", name, Path.cwd()):
            raise NotFoundError(f"`{name}` is a suite; name one of its tasks")
        if not found:
            close = did_you_mean(name, self.workspace.ids(kind, Path.cwd()))
            raise NotFoundError(
                f"there is no {kind} `{name}`"
                + (f"; {close}" if close else "; `planspec tasks list` shows what ships")
            )
        if len(found) > 1:
            raise NotFoundError(
                f"several files are the {kind} `{name}`: {several(found)}; name one by its path"
            )
        return found[0]

    def _in_shard(self, path: Path, shard: Path, name: str) -> Path:
        """The path of a task that a shard has; or of any if the shard cannot be read, as opening it will say."""
        names = self.workspace.names_in(shard, Report())
        if names is not None and name not in names:
            close = did_you_mean(name, names)
            raise NotFoundError(
                f"the shard `{shown(shard)}` has no task `{name}`" + (f"; {close}" if close else "")
            )
        return path

    def _entry(
        self, path: Path, kind: str, suite_id: str | None = None, family: str | None = None
    ) -> CatalogEntry | None:
        found = self.workspace.open(path, Report())
        if found is None or found.kind != kind:
            return None
        return CatalogEntry(found.id, path, text_of(found, "title"), suite_id, family)


def suite_folder(path: Path) -> Path:
    """The folder of a suite, where it keeps more beside its tasks.

    Args:
        path: as `Catalog.suite_path` gives it.
    """
    return path if path.is_dir() else path.parent


def text_of(found: Document, section: str) -> str:
    """A section that is one text, empty if it is not there."""
    node = found.sections.get(section)
    return getattr(node, "text", "") if node is not None else ""
