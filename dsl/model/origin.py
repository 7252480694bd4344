"""The record in a table from which a task was made."""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, field
from pathlib import Path

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.nodes import Mapping, Node, Sequence


@dataclass(frozen=True, slots=True)
class RecordOrigin:
    """A task's origin: a record in a table of tasks.

    Attributes:
        path: file of the suite with the table, followed by `#` and the task's id.
        number: number of the record in its source, counted from 1.
        span: first line of the record.
        document: text of the task as a separate document.
        root: root node of that document. The spans of its nodes are in the record, in the base or in the map.
        fields: the record.
        blanks: by given that the record leaves blank, the span to report and a label that names the field.
    """

    path: Path
    number: int
    span: Span
    document: Source
    root: Mapping = field(repr=False)
    fields: Mapping = field(repr=False)
    blanks: MappingOf[str, tuple[Span, str]] = field(default_factory=dict, repr=False)

    def field_at(self, span: Span) -> tuple[str | int, ...] | None:
        """Return the path to the innermost field that contains a span: names, and positions in lists; otherwise None."""
        way: list[str | int] = []
        node: Node | None = self.fields
        while node is not None:
            inner = next((each for each in _children(node) if _contains(each[1], span)), None)
            if inner is None:
                break
            way.append(inner[0])
            node = inner[1]
        return tuple(way) or None


def _children(node: Node) -> list[tuple[str | int, Node]]:
    if isinstance(node, Mapping):
        return [(key.text, value) for key, value in node.entries]
    return list(enumerate(node.items)) if isinstance(node, Sequence) else []


def _contains(node: Node, span: Span) -> bool:
    own = node.span
    return own.source is span.source and own.start <= span.start < own.end
