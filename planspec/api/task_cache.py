"""Disk cache of checked tasks. Commands thus do not check an unchanged library again.

An entry has a task and its dependencies: the texts of its files, the files of its SQLite databases, and the files to
which its ids resolve. An entry is valid as long as the dependencies and planspec's checker are unchanged. A task that
cannot be cached is checked each time. Commands never fail because of the cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.dsl.diagnostics.source import Source
from planspec.dsl.resources.limits import DOCUMENT_BYTES
from planspec.dsl.resources.packages import folder_of
from planspec.files import add_checksum, cache_home, strip_checksum, temporary_path

if TYPE_CHECKING:
    from planspec.dsl.model.task import Task
    from planspec.dsl.workspace.workspace import Workspace

VARIABLE = "PLANSPEC_CACHE"
"""Environment variable with the path of the cache folder. If it is set but empty, nothing is cached."""
WORTH_KEEPING = 0.05
"""Minimum CPU time of a check, in seconds, for the task to be cached."""
MOST_ENTRIES = 128
"""Maximum number of cached tasks. The least recently used are deleted first."""
MOST_BYTES = 4_000_000
"""Maximum size of a cached task, in bytes."""
CHECKED_PACKAGES = ("planspec.dsl.diagnostics", "planspec.dsl.model", "planspec.dsl.yaml")
"""Packages with the classes of checked tasks. Of other packages, an entry may contain only the classes in `PLAIN`."""
PLAIN = {("decimal", "Decimal"), ("fractions", "Fraction"), ("pathlib", "PosixPath"), ("pathlib", "WindowsPath")}
"""Classes from other packages that occur in checked tasks."""


def cache_folder() -> Path | None:
    """Return the cache folder, from `PLANSPEC_CACHE` or the user's cache home; None to disable the cache."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    home = cache_home()
    return None if home is None else home / "tasks"


@dataclass(frozen=True, slots=True)
class TaskCache:
    """A cache of checked tasks in a folder.

    Args:
        folder: folder of the cache, created when the first task is stored.
    """

    folder: Path

    def find(self, path: Path, workspace: Workspace) -> Task | None:
        """Return the cached task of a file; None if there is none or a dependency has changed.

        Args:
            path: the task's file.
            workspace: workspace that resolves ids.
        """
        entry = self._entry_path(path)
        try:
            with entry.open("rb") as file:
                if not _is_owned_by_user(file.fileno()):
                    return None
                dependencies, _, pickled = (strip_checksum(file.read()) or b"").partition(b"\n")
            if not _is_unchanged(json.loads(dependencies), workspace):
                return None
            task: Task = _Unpickler(BytesIO(pickled)).load()
            os.utime(entry)
        except FileNotFoundError:
            return None
        except Exception:  # noqa: BLE001 a corrupt entry can raise anything and is dropped
            with suppress(OSError):
                entry.unlink()
            return None
        return task

    def keep(self, path: Path, task: Task, workspace: Workspace) -> None:
        """Store a checked task if it can be cached.

        Args:
            path: the task's file.
            task: checked task. Tasks with turns are not cached.
            workspace: workspace in which only this task was checked.
        """
        if task.turns or task.before is not None:
            return
        dependencies = _dependencies(task, workspace)
        if dependencies is None:
            return
        with suppress(OSError, pickle.PicklingError, RecursionError, TypeError, AttributeError):
            data = add_checksum(json.dumps(dependencies).encode() + b"\n" + pickle.dumps(task, 5))
            if len(data) <= MOST_BYTES:
                self._write(self._entry_path(path), data)
                self._evict()

    def _entry_path(self, path: Path) -> Path:
        """Return the path of a task's entry. It depends on the current folder, from which ids are resolved."""
        key = json.dumps([str(path.absolute()), str(Path.cwd()), sys.version, _checker_fingerprint()])
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.task"

    def _write(self, entry: Path, data: bytes) -> None:
        """Write an entry atomically, without waiting until it is on the disk."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = temporary_path(entry)
        try:
            part.write_bytes(data)
            part.replace(entry)
        finally:
            part.unlink(missing_ok=True)

    def _evict(self) -> None:
        entries = sorted(self.folder.glob("*.task"), key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in entries[MOST_ENTRIES:]:
            entry.unlink(missing_ok=True)


class _Unpickler(pickle.Unpickler):
    """An unpickler that accepts only the classes of checked tasks, so that an entry cannot call arbitrary functions."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        if (module_name, global_name) == (
            "builtins",
            "getattr",
        ):  # Python 3.11.0 to 3.11.3 pickle enum members with `getattr`
            return _enum_member
        if module_name.rpartition(".")[0] in CHECKED_PACKAGES or (module_name, global_name) in PLAIN:
            return super().find_class(module_name, global_name)
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a task")


def _enum_member(enum: type[Enum], name: str) -> Enum:
    """Return the member of an enum by its name.

    Raises:
        pickle.UnpicklingError: the class is not an enum.
    """
    if not issubclass(enum, Enum):
        raise pickle.UnpicklingError(f"{enum.__qualname__} is not an enum")
    return enum[name]


def _is_owned_by_user(descriptor: int) -> bool:
    """Return whether an open file belongs to this user."""
    return sys.platform == "win32" or os.fstat(descriptor).st_uid == os.getuid()


def _checker_fingerprint() -> list[str]:
    """Return a fingerprint of the checker's code: its files with their sizes and modification times."""
    root = str(folder_of("planspec.dsl"))
    return [f"{name} {stat.st_size} {stat.st_mtime_ns}" for name, stat in sorted(_files_with_stats(root))]


def _files_with_stats(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _files_with_stats(entry.path)
            else:
                yield entry.path, entry.stat()


def _dependencies(task: Task, workspace: Workspace) -> dict[str, Any] | None:
    """Return a task's dependencies as JSON; None if one of its sources is not a whole file."""
    texts, bases = [], []
    for source in task.sources:
        if source.base is not None:
            bases.append([str(source.base.absolute()), _file_state(source.base)])
        elif _is_whole_file(source):
            texts.append([source.name, _digest(source.text)])
        else:
            return None
    questions = [
        [kind, name, None if start is None else str(start), [str(path) for path in paths]]
        for (kind, name, start), paths in workspace.matches.items()
    ]
    return {"texts": texts, "bases": bases, "questions": questions}


def _is_unchanged(dependencies: dict[str, Any], workspace: Workspace) -> bool:
    return (
        all(_digest(_read_source_text(name)) == digest for name, digest in dependencies["texts"])
        and all(_file_state(Path(base)) == state for base, state in dependencies["bases"])
        and all(
            [str(path) for path in workspace.find(kind, name, None if start is None else Path(start))] == paths
            for kind, name, start, paths in dependencies["questions"]
        )
    )


def _is_whole_file(source: Source) -> bool:
    """Return whether a source is the whole text of its file."""
    return source.first_line == 1 and _read_source_text(source.name) == source.text


def _read_source_text(name: str) -> str | None:
    """Return the text of a file as in `Source.text`; None if it is missing, not text, or too large."""
    try:
        data = Path(name).read_bytes() if Path(name).stat().st_size <= DOCUMENT_BYTES else None
        return None if data is None else data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def _file_state(base: Path) -> list[int]:
    stat = base.stat()
    return [stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns]
