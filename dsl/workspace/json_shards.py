"""Shards of JSON lines: files with one task as a JSON object on each line, so that any program can write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.structure.document import NAME, TASK_ID, Document, document_of
from planspec.dsl.tables.records import JsonLines
from planspec.dsl.workspace.shards import task_path


@dataclass(frozen=True, slots=True, eq=False)
class JsonShard:
    """A shard (file of many tasks) of JSON lines, read when a task is needed.

    Attributes:
        path: path of the file.
        lines: its lines.
        entries: index of the line of each task, by id, in order. A line without a usable id has the id `@` and its
            number.
    """

    path: Path
    lines: JsonLines
    entries: Mapping[str, int]

    def task(self, name: str, report: Report) -> Document | None:
        """Return the document of a task; None if a mistake was reported."""
        index = self.entries.get(name)
        if index is None:
            nowhere = Span(Source(self.lines.display_name, ""), 0, 0)
            report.error(
                "PS012", f"there is no task `{name}` in `{self.lines.display_name}`", nowhere, "no line has this id"
            )
            return None
        root = self.lines.node(index, report)
        if root is None:
            return None
        document = document_of(root, root.span.source, task_path(self.path, name), report)
        if document is not None and document.id and document.id != name:
            span = document.sections["id"].span
            report.error("PS602", f"two tasks of the shard are `{document.id}`", span, "again here")
            return None
        return document


def read_json_shard(path: Path, display_name: str, report: Report) -> JsonShard | None:
    """Return the tasks of a shard of JSON lines, or None if a mistake was reported.

    Args:
        path: path of the file.
        display_name: its name in diagnostics.
        report: receives mistakes: not a regular file, too large, empty, or a line that is not a JSON object.
    """
    lines = JsonLines(path, display_name)
    own = Report()
    entries: dict[str, int] = {}
    for index, record in lines.scan(own):
        name = record.get("id")
        if not isinstance(name, str) or not (NAME.fullmatch(name) or TASK_ID.fullmatch(name)) or name in entries:
            name = f"@{index + 1}"
        entries[name] = index
    for diagnostic in own.diagnostics:
        report.add(diagnostic)
    if not entries and not own.failed:
        nowhere = Span(Source(display_name, ""), 0, 0)
        report.error("PS002", f"`{display_name}` is empty", nowhere, "a shard has one task at least")
    return None if own.failed or not entries else JsonShard(path, lines, entries)
