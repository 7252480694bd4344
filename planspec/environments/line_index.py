"""Access to files that a suite stores beside its tasks, and to single lines in long files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from planspec.api.catalog import Catalog
from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import open_regular, read_gzip
from planspec.dsl.workspace.shards import PACKED, split_task_path

_ID = re.compile(rb'\{\s*(?:"episode"\s*:\s*"[^"\\]*"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class FileState:
    """The state of a file (path, size and modification time), used as a cache key."""

    path: Path
    mtime_ns: int
    size: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """Return the state of a file.

        Raises:
            OSError: the file cannot be accessed.
        """
        stat = path.stat()
        return cls(path, stat.st_mtime_ns, stat.st_size)


def folder_with(file: str, task: str, folder: Path | None) -> Path | None:
    """Return the folder that contains a file: the suite's folder or its parent; None if neither does.

    Args:
        file: name of the file.
        task: name by which a task was loaded; the task's folder is used if `folder` is None.
        folder: folder of the suite.
    """
    near = task_path(task).absolute().parent if folder is None else folder.absolute()
    return next((parent for parent in (near, near.parent) if (parent / file).is_file()), None)


def task_path(task: str) -> Path:
    """Return the path of the task with a given path or id."""
    path = Path(task)
    return path if path.is_file() or split_task_path(path) is not None else Catalog().named(task).path


def line_of(path: Path, name: str) -> bytes | None:
    """Return the line of a JSON Lines file whose object has the given `id`; None if there is none.

    The file is scanned on first use and after each change. Later calls read only the line, but decompress a compressed
    file completely.

    Args:
        path: path of the file.
        name: id of the line's object.
    """
    file = FileState.of(path)
    at = _line_offsets(file).get(name)
    if at is None:
        return None
    with _open_file(file) as opened:
        opened.seek(at)
        return opened.readline()


@lru_cache(maxsize=16)
def _line_offsets(file: FileState) -> Mapping[str, int]:
    """Map each id to the byte at which its first line begins."""
    offsets: dict[str, int] = {}
    at = 0
    with _open_file(file) as opened:
        for line in opened:
            id_ = _line_id(line)
            if id_ is not None:
                offsets.setdefault(id_, at)
            at += len(line)
    return offsets


def _open_file(file: FileState) -> BinaryIO:
    return BytesIO(_unpack(file)) if file.path.suffix == PACKED else open_regular(file.path, RECORDS_BYTES)


@lru_cache(maxsize=2)
def _unpack(file: FileState) -> bytes:
    return read_gzip(file.path, RECORDS_BYTES)


def _line_id(line: bytes) -> str | None:
    """Return the id of a line's object. The rest of the line is not parsed if the id comes first."""
    match = _ID.match(line)
    id_: Any = None
    try:
        if match is not None:
            id_ = json.loads(match[1])
        elif line.strip():
            parsed = json.loads(line)
            id_ = parsed.get("id") if isinstance(parsed, dict) else None
    except ValueError:
        return None
    return id_ if isinstance(id_, str) else None
