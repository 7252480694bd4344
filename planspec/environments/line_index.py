"""The files that a suite keeps beside its tasks: its folder, and single lines of long files in it."""

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
from planspec.dsl.workspace.shards import PACKED, shard_of

_ID = re.compile(rb'\{\s*(?:"episode"\s*:\s*"[^"\\]*"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*")')


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it is now: what is known of it is known until it changes."""

    path: Path
    mtime_ns: int
    size: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """The state of a file.

        Raises:
            OSError: it cannot be looked at.
        """
        found = path.stat()
        return cls(path, found.st_mtime_ns, found.st_size)


def folder_with(file: str, task: str, folder: Path | None) -> Path | None:
    """The folder in which a file stands, as a suite keeps it: the suite's own, or the one that it is in.

    Args:
        file: its name.
        task: the name by which a task was loaded; looked at where the suite's folder is not known.
        folder: folder of the suite.
    """
    near = place_of(task).absolute().parent if folder is None else folder.absolute()
    return next((found for found in (near, near.parent) if (found / file).is_file()), None)


def place_of(task: str) -> Path:
    """The path of the task of a name: the name itself, or where the task of an id stands."""
    path = Path(task)
    return path if path.is_file() or shard_of(path) is not None else Catalog().named(task).path


def line_of(path: Path, name: str) -> bytes | None:
    """The line of a file of JSON lines whose object has this `id`; None if none has.

    The file is read through once, and again if it has changed; then only the line is, of one that is not packed.

    Args:
        path: path of the file.
        name: the id.
    """
    file = FileState.of(path)
    at = _places(file).get(name)
    if at is None:
        return None
    with _opened(file) as opened:
        opened.seek(at)
        return opened.readline()


@lru_cache(maxsize=16)
def _places(file: FileState) -> Mapping[str, int]:
    """At which byte the line of each id begins; of several the first."""
    made: dict[str, int] = {}
    at = 0
    with _opened(file) as opened:
        for line in opened:
            found = _id(line)
            if found is not None:
                made.setdefault(found, at)
            at += len(line)
    return made


def _opened(file: FileState) -> BinaryIO:
    return BytesIO(_unpacked(file)) if file.path.suffix == PACKED else open_regular(file.path, RECORDS_BYTES)


@lru_cache(maxsize=2)
def _unpacked(file: FileState) -> bytes:
    return read_gzip(file.path, RECORDS_BYTES)


def _id(line: bytes) -> str | None:
    """The id of a line's object: as a rule it stands at the beginning, and the rest needs not be read."""
    begun = _ID.match(line)
    said: Any = None
    try:
        if begun is not None:
            said = json.loads(begun[1])
        elif line.strip():
            read = json.loads(line)
            said = read.get("id") if isinstance(read, dict) else None
    except ValueError:
        return None
    return said if isinstance(said, str) else None
