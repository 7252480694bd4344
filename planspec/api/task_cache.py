"""Checked tasks kept between processes: a command does not check a library again that has not changed.

An entry holds a task and all that it depends on: the texts of its files, the files of its SQLite bases, and what the ids that
it names were found to mean. It is used while all of this, and planspec's own checker, are as they were. What cannot be kept is
checked each time; no command fails for it.
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
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planspec.caches import cache_home, sealed, unsealed
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.resources.limits import DOCUMENT_BYTES
from planspec.dsl.resources.packages import folder_of
from planspec.files import part_of

if TYPE_CHECKING:
    from planspec.dsl.model.task import Task
    from planspec.dsl.workspace.workspace import Workspace

VARIABLE = "PLANSPEC_CACHE"
"""The environment variable that names the folder; empty where nothing is to be kept."""
WORTH_KEEPING = 0.05
"""Seconds of CPU that checking must have taken: keeping takes some, too."""
MOST_ENTRIES = 128
"""The most tasks that are kept; those that were used least lately go first."""
MOST_BYTES = 4_000_000
"""The largest task that is kept, as it is written."""
ROOMS = ("planspec.dsl.diagnostics", "planspec.dsl.model", "planspec.dsl.yaml")
"""Where the classes of a checked task stand; an entry names no others."""
PLAIN = {("fractions", "Fraction"), ("pathlib", "PosixPath"), ("pathlib", "WindowsPath")}
"""Classes from elsewhere that it has."""


def cache_folder() -> Path | None:
    """The folder of checked tasks, by `PLANSPEC_CACHE`, else the user's for caches; None where there is none."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    home = cache_home()
    return None if home is None else home / "tasks"


@dataclass(frozen=True, slots=True)
class TaskCache:
    """Checked tasks in a folder.

    Args:
        folder: is made when the first task is kept.
    """

    folder: Path

    def find(self, path: Path, workspace: Workspace) -> Task | None:
        """The checked task of a file; None where it is not kept, or something it depends on has changed.

        Args:
            path: the task's file.
            workspace: finds what ids mean.
        """
        entry = self._entry(path)
        try:
            with entry.open("rb") as file:
                if not _own(file.fileno()):
                    return None
                said, _, pickled = (unsealed(file.read()) or b"").partition(b"\n")
            if not _unchanged(json.loads(said), workspace):
                return None
            made: Task = _Unpickler(BytesIO(pickled)).load()
            os.utime(entry)
        except FileNotFoundError:
            return None
        except Exception:  # noqa: BLE001 - an entry that was spoilt can raise anything, and is as good as none
            with suppress(OSError):
                entry.unlink()
            return None
        return made

    def keep(self, path: Path, task: Task, workspace: Workspace) -> None:
        """Keep a task that was checked in a workspace of its own, if it can be kept.

        Args:
            path: the task's file.
            task: without turns; others are not kept.
            workspace: has found what the task uses, and nothing else.
        """
        if task.turns or task.before is not None:
            return
        said = _dependencies(task, workspace)
        if said is None:
            return
        with suppress(OSError, pickle.PicklingError, RecursionError, TypeError, AttributeError):
            data = sealed(json.dumps(said).encode() + b"\n" + pickle.dumps(task, 5))
            if len(data) <= MOST_BYTES:
                self._write(self._entry(path), data)
                self._forget()

    def _entry(self, path: Path) -> Path:
        """Where a task is kept: sources are named as they are seen from the current folder, which counts, too."""
        key = json.dumps([str(path.absolute()), str(Path.cwd()), sys.version, _checker()])
        return self.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.task"

    def _write(self, entry: Path, data: bytes) -> None:
        """Write an entry, which others see whole or not at all; it need not outlast a crash of the machine."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = part_of(entry)
        try:
            part.write_bytes(data)
            part.replace(entry)
        finally:
            part.unlink(missing_ok=True)

    def _forget(self) -> None:
        entries = sorted(self.folder.glob("*.task"), key=lambda entry: entry.stat().st_mtime, reverse=True)
        for entry in entries[MOST_ENTRIES:]:
            entry.unlink(missing_ok=True)


class _Unpickler(pickle.Unpickler):
    """Reads a checked task, and nothing else: an entry cannot name a function of its choice."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        if module_name.rpartition(".")[0] in ROOMS or (module_name, global_name) in PLAIN:
            return super().find_class(module_name, global_name)
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no part of a task")


def _own(descriptor: int) -> bool:
    """Nobody else can have written the file."""
    return sys.platform == "win32" or os.fstat(descriptor).st_uid == os.getuid()


def _checker() -> list[str]:
    """What stands for the checker's own code: its files with their sizes and times."""
    root = str(folder_of("planspec.dsl"))
    return [f"{name} {found.st_size} {found.st_mtime_ns}" for name, found in sorted(_code(root))]


def _code(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _code(entry.path)
            else:
                yield entry.path, entry.stat()


def _dependencies(task: Task, workspace: Workspace) -> dict[str, Any] | None:
    """All on which the task depends, as JSON; None where a text of it is not a file's."""
    texts, bases = [], []
    for source in task.sources:
        if source.base is not None:
            bases.append([str(source.base.absolute()), _state(source.base)])
        elif _as_read(source):
            texts.append([source.name, _digest(source.text)])
        else:
            return None
    questions = [
        [kind, name, None if start is None else str(start), [str(path) for path in found]]
        for (kind, name, start), found in workspace.matches.items()
    ]
    return {"texts": texts, "bases": bases, "questions": questions}


def _unchanged(said: dict[str, Any], workspace: Workspace) -> bool:
    return (
        all(_digest(_text(name)) == digest for name, digest in said["texts"])
        and all(_state(Path(base)) == state for base, state in said["bases"])
        and all(
            [str(path) for path in workspace.find(kind, name, None if start is None else Path(start))] == found
            for kind, name, start, found in said["questions"]
        )
    )  # fmt: skip


def _as_read(source: Source) -> bool:
    """The source is the whole of a file, of which it has the name."""
    return source.first_line == 1 and _text(source.name) == source.text


def _text(name: str) -> str | None:
    """The text of a file as a source has it; None of what is no file, is no text or is too large."""
    try:
        data = Path(name).read_bytes() if Path(name).stat().st_size <= DOCUMENT_BYTES else None
        return None if data is None else data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError, ValueError):
        return None


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


def _state(base: Path) -> list[int]:
    found = base.stat()
    return [found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns]
