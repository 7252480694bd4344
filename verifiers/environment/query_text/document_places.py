"""Positions of queries, given parameters and rows in a task's own document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.model.task import Task
from planspec.dsl.yaml.reader import Mapping as MappingNode
from planspec.dsl.yaml.reader import Node, Scalar, compose
from planspec.dsl.yaml.reader import Sequence as SequenceNode

BLANK = r"(?:\s|\\[nrt])+"
"""Pattern of blanks between words, including escapes such as `\\n` in JSON."""
MOST_SCOPE = 4000
"""Maximum number of characters of a scope (bounds of the search) that is read."""


@dataclass(frozen=True, slots=True)
class RemovedRows:
    """A pattern under `without:`, which removes matching rows from a table.

    Attributes:
        table: name of the table.
        cells: text of each cell of the pattern, by column.
        span: position of the pattern.
    """

    table: str
    cells: Mapping[str, str]
    span: Span


class DocumentPlaces:
    """Positions of a task's parts in its own document.

    Args:
        task: a task that was parsed from text.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.source: Source = task.document
        self._root: Node | None = compose(self.source, Report()) if task.record is None else task.record.root

    @cached_property
    def turns(self) -> tuple[MappingNode, ...]:
        """The YAML nodes of the turns up to the task's turn; empty for a task without turns."""
        node = child(self._root, "turns")
        turns = node.items if isinstance(node, SequenceNode) else ()
        return tuple(turn for turn in turns[: self._task.turn or 0] if isinstance(turn, MappingNode))

    @cached_property
    def queries(self) -> tuple[Scalar | None, ...]:
        """The YAML node of each query of the conversation; None for a query that is not in the document."""
        nodes = [child(turn, "query") or child(self._root, "query") for turn in self.turns]
        nodes = nodes or [child(self._root, "query")]
        scalars = [node if isinstance(node, Scalar) else None for node in nodes]
        missing = len(self._task.conversation) - len(scalars)
        return (*[None] * missing, *scalars)[-len(self._task.conversation) :]

    @cached_property
    def givens(self) -> Mapping[str, Span]:
        """The positions of the parameters' values in the document, by name; of the last value if there are several."""
        places: dict[str, Span] = {}
        for part in (self._root, *self.turns):
            for key, node in entries(child(part, "given")):
                places[key.text] = _joined(key.span, node.span)
        return places

    @cached_property
    def scope(self) -> str:
        """The text of the scope (bounds of the search) with ranges in words. Empty if it is absent or too long."""
        node = child(self._root, "scope")
        text = "" if node is None else node.span.text
        return "" if len(text) > MOST_SCOPE else text.replace("..", " to ")

    @cached_property
    def replaced(self) -> tuple[str, ...]:
        """Texts of the parameters and constraints that the last turn may have replaced.

        These are the texts at the top of the document and in all turns before the last turn; empty for a task without
        turns.
        """
        parts = (self._root, *self.turns[:-1]) if self.turns else ()
        nodes = [node for part in parts for name in ("given", "constraints") if (node := child(part, name)) is not None]
        return tuple(node.span.text for node in nodes)

    @cached_property
    def changes(self) -> Mapping[str, tuple[str, ...]]:
        """For each parameter that several turns set, the texts of its values in order of the turns."""
        texts: dict[str, list[str]] = {}
        for part in (self._root, *self.turns):
            for key, node in entries(child(part, "given")):
                texts.setdefault(key.text, []).append(node.span.text)
        return {name: tuple(values) for name, values in texts.items() if len(values) > 1}

    def declares(self, table: str) -> bool:
        """Return whether the document itself declares the columns of a table, and not only rows."""
        return child(child(child(self._root, "tables"), table), "columns") is not None

    def declares_type(self, name: str) -> bool:
        """Return whether the document itself declares an enum."""
        return self.type_span(name) is not None

    def type_span(self, name: str) -> Span | None:
        """Return the position of a type that the document itself declares; None if it declares no such type."""
        node = child(child(self._root, "types"), name)
        return None if node is None else node.span

    def rows(self, table: str) -> Sequence[Span] | None:
        """Return the positions of the rows that the document itself lists in a table; None if it lists none."""
        node = child(child(self._root, "tables"), table)
        if isinstance(node, MappingNode):
            rows = child(node, "rows")
            text = child(node, "csv")
            if isinstance(text, Scalar) and text.style in ("literal", "folded"):
                return list(self._lines(text))
            node = rows
        return [item.span.first_line for item in node.items] if isinstance(node, SequenceNode) else None

    def _lines(self, text: Scalar) -> Iterator[Span]:
        """Yield the positions of the rows in a block of CSV. The header is skipped."""
        header = True
        for match in re.finditer(r"[^\n]*\S[^\n]*", text.content.text):
            if not header:
                start = text.content.start + match.start() + len(match[0]) - len(match[0].lstrip())
                yield Span(text.span.source, start, text.content.start + match.end())
            header = False

    @cached_property
    def removed(self) -> tuple[RemovedRows, ...]:
        """The patterns under `without:` of all tables."""
        result: list[RemovedRows] = []
        for key, node in entries(child(self._root, "tables")):
            patterns = child(node, "without")
            for pattern in patterns.items if isinstance(patterns, SequenceNode) else ():
                cells = {k.text: v.text for k, v in entries(pattern) if isinstance(v, Scalar)}
                result.append(RemovedRows(key.text, cells, pattern.span))
        return tuple(result)

    def in_query(self, number: int, start: int, end: int) -> Span:
        """Return the position of a part of a query.

        Args:
            number: position of the query in the conversation, from 0.
            start: offset in its text.
            end: offset after the part.
        """
        node = self.queries[number]
        if node is None:
            return self._task.place
        query = self._task.conversation[number]
        words = re.compile(BLANK.join(map(re.escape, query[start:end].split())))
        occurrence = len(words.findall(query[:start])) if start else 0
        for match in words.finditer(node.span.source.text, node.span.start, node.span.end):
            if not occurrence:
                return Span(node.span.source, *match.span())
            occurrence -= 1
        return node.span.first_line


def _joined(key: Span, value: Span) -> Span:
    """Return the span from a key to the end of its value; only the value's span if the key is in another text."""
    return Span(key.source, key.start, max(key.end, value.end)) if key.source is value.source else value


def child(node: Node | None, name: str) -> Node | None:
    """Return the YAML node under a key of a mapping; None if `node` is not a mapping or lacks the key."""
    return next((value for key, value in entries(node) if key.text == name), None)


def entries(node: Node | None) -> Sequence[tuple[Scalar, Node]]:
    """Return the entries of a mapping; empty for any other node."""
    return node.entries if isinstance(node, MappingNode) else ()
