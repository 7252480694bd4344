"""Shards: files that contain many tasks. They are split into documents without parsing.

A shard is a YAML stream of tasks with `---` lines between them. Its name ends in `.tasks.yaml`, or in
`.tasks.yaml.gz` if it is compressed. No line in a YAML document begins with `---`, even inside quotes or blocks.
A search for such lines therefore splits the stream exactly as YAML does. A shard of JSON lines, whose name ends in
`.tasks.jsonl` or `.tasks.jsonl.gz`, has a task on each line. The path of a task in a shard, or in a suite's table of
tasks, is the path of the file followed by `#` and the task's id.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import overload

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import SHARD_BYTES, TABLE_LINES
from planspec.dsl.resources.reading import read_bytes, read_gzip
from planspec.dsl.yaml.source_files import report_unread, source_from_bytes

SHARD = ".tasks.yaml"
PACKED = ".gz"
JSON_SHARD = ".tasks.jsonl"
YAML_ENDINGS = (SHARD, f"{SHARD}{PACKED}")
JSON_ENDINGS = (JSON_SHARD, f"{JSON_SHARD}{PACKED}")
BASE = ".base.yaml"
"""The suffix of files with sections that all tasks of a suite's table have in common."""
ENDINGS = (*YAML_ENDINGS, *JSON_ENDINGS)
"""The endings of the names of shards."""
BREAK = re.compile(rb"\n---[ \t]*(?:#[^\n]*)?\r?(?=\n)")
"""A line between two documents."""
ONLY_COMMENTS = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t\r]*(?:#[^\n]*)?(?:\n|\Z))*")
ID = re.compile(
    rb"^id:[ \t]*(?P<mark>[\"'])?(?P<id>(?(mark)[^\"'\n]+|[^\s#\"']+))(?(mark)(?P=mark))[ \t]*(?:#[^\n]*)?\r?$",
    re.MULTILINE,
)
"""The line with a document's id."""


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """The location of a document in its shard.

    Attributes:
        start: offset of its first byte, after the separator line.
        end: offset after its last byte.
        line: number of its first line, from 1.
    """

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Shard:
    """A shard whose documents are not parsed yet.

    Attributes:
        path: path of the file.
        data: its bytes, decompressed.
        entries: locations of the documents by name, as `documents_by_name` returns them.
    """

    path: Path
    data: bytes = field(repr=False)
    entries: Mapping[str, ShardEntry] = field(repr=False)

    def source(self, name: str, display_name: str, report: Report) -> Source | None:
        """Return the text of a document; None if a mistake was reported.

        Args:
            name: key of the document in `entries`.
            display_name: name of the shard's file in diagnostics, which give line numbers of that file.
            report: receives mistakes: invalid UTF-8, or no such document.
        """
        entry = self.entries.get(name)
        if entry is None:
            nowhere = Span(Source(display_name, ""), 0, 0)
            report.error("PS012", f"there is no task `{name}` in `{display_name}`", nowhere, "no document has this id")
            return None
        return source_from_bytes(self.data[entry.start : entry.end], display_name, report=report, first_line=entry.line)


def is_shard(path: Path) -> bool:
    """Return whether a path has an ending of shards, such as `.tasks.yaml`."""
    return path.name.endswith(ENDINGS)


def task_path(shard: Path, name: str) -> Path:
    """Return the path of a task in a shard, such as `part.tasks.yaml.gz#trip-1`."""
    return shard.with_name(f"{shard.name}#{name}")


def split_task_path(path: Path) -> tuple[Path, str] | None:
    """Split the path of a task in a shard or suite into the file's path and the task's name; None for other paths."""
    file, mark, name = path.name.partition("#")
    return (path.with_name(file), name) if mark and name and file.endswith((*ENDINGS, ".yaml")) else None


def read_shard(path: Path, display_name: str, report: Report) -> Shard | None:
    """Return the documents of a shard, or None if a mistake was reported.

    Args:
        path: path of the file.
        display_name: its name in diagnostics.
        report: receives mistakes: not a regular file, too large, truncated or empty.
    """
    try:
        data = (read_gzip if path.name.endswith(PACKED) else read_bytes)(path, SHARD_BYTES)
    except (OSError, ValueError) as error:
        report_unread(error, display_name, SHARD_BYTES, "spread the tasks over several shards", report)
        return None
    nowhere = Span(Source(display_name, ""), 0, 0)
    if data.count(b"\n") > TABLE_LINES:
        report.error("PS005", f"`{display_name}` is too large", nowhere, f"more than {TABLE_LINES:,} lines")
        return None
    if ONLY_COMMENTS.fullmatch(data):
        report.error("PS002", f"`{display_name}` is empty", nowhere, "a shard has one task at least")
        return None
    if not data.endswith(b"\n"):
        report.error(
            "PS002",
            f"`{display_name}` is cut off",
            nowhere,
            "its last line does not end",
            help="end the file with a newline if its last task is whole",
        )
        return None
    return Shard(path, data, documents_by_name(data))


def shard_bytes(path: Path, text: str) -> bytes:
    """Return the contents of a shard's file, compressed if its name ends in `.gz`. Equal texts give equal bytes."""
    data = text.encode("utf-8")
    if not path.name.endswith(PACKED):
        return data
    import gzip  # few shards are compressed

    return gzip.compress(data, mtime=0)


def documents_by_name(data: bytes) -> Mapping[str, ShardEntry]:
    """Return the documents of a shard keyed by task id, in the order of the file.

    A document without an id, or with the id of an earlier one, is keyed by its position, such as `@3`.
    """
    documents = list(_documents(data))
    if len(documents) > 1 and ONLY_COMMENTS.fullmatch(data, documents[0].start, documents[0].end):
        del documents[0]  # comments before the first `---` are a heading
    entries: dict[str, ShardEntry] = {}
    for number, entry in enumerate(documents, 1):
        match = ID.search(data, entry.start, entry.end)
        name = match["id"].decode("utf-8", "replace") if match is not None else ""
        entries[name if name and name not in entries else f"@{number}"] = entry
    return entries


def _documents(data: bytes) -> Iterator[ShardEntry]:
    start, line = 0, 1
    # a leading newline lets a separator on the first line match, and increases every offset by one
    for mark in BREAK.finditer(b"\n" + data):
        if mark.start():
            yield ShardEntry(start, mark.start(), line)
        line += data.count(b"\n", start, mark.end())
        start = mark.end()
    yield ShardEntry(start, len(data), line)


class TaskPaths(Sequence[Path]):
    """The paths of a suite's tasks in order. For tasks in shards, only their names are stored.

    Args:
        parts: pairs of a file and None for a single task, or of a shard and the names of its tasks.
    """

    def __init__(self, parts: Iterable[tuple[Path, tuple[str, ...] | None]]) -> None:
        self._parts = tuple(parts)
        self._ends = tuple(accumulate(1 if names is None else len(names) for _, names in self._parts))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Path]:
        for path, names in self._parts:
            if names is None:
                yield path
            else:
                yield from (task_path(path, name) for name in names)

    @overload
    def __getitem__(self, at: int) -> Path: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Path]: ...
    def __getitem__(self, at: int | slice) -> Path | Sequence[Path]:
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        index = at + len(self) if at < 0 else at
        if not 0 <= index < len(self):
            raise IndexError(at)
        part = bisect_right(self._ends, index)
        path, names = self._parts[part]
        return path if names is None else task_path(path, names[index - self._ends[part]])
