"""Conversion of JSON to the same nodes as YAML, each with its span in the text."""

from __future__ import annotations

import json
import re

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, TypedScalar

TOKEN = re.compile(r'[ \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+)')


def json_node(source: Source, start: int = 0) -> Node:
    """Return the node of a JSON value in a text.

    Strings become double-quoted scalars, numbers and Booleans plain scalars, and null an empty scalar. A string with
    escapes gets a separate source, with the decoded string and the number of its line.

    Args:
        source: a text in which `json.loads` accepts the value, without repeated names.
        start: offset at which the value begins.
    """
    return _NodeReader(source, start).node()


class _NodeReader:
    """Reads nodes from a text that is valid JSON.

    Attributes:
        start: offset of the current token.
        end: offset after it.
        mark: its first character, such as `{`.
    """

    __slots__ = ("end", "mark", "source", "start", "text")

    def __init__(self, source: Source, start: int) -> None:
        self.source = source
        self.text = source.text
        self.start = self.end = start
        self.mark = ""
        self._next()

    def _next(self) -> None:
        """Read the next token. At the end of the text, the last token stays current."""
        match = TOKEN.match(self.text, self.end)
        if match is not None:
            self.start, self.end = match.span(1)
            self.mark = self.text[self.start]

    def node(self) -> Node:
        if self.mark == "{":
            return self._mapping()
        if self.mark == "[":
            return self._sequence()
        scalar = self._scalar()
        self._next()
        return scalar

    def _mapping(self) -> Mapping:
        first, entries = self.start, []
        self._next()
        while self.mark != "}":
            key = self._scalar()
            self._next()  # the colon
            self._next()
            entries.append((key, self.node()))
            if self.mark == ",":
                self._next()
        span = Span(self.source, first, self.end)
        self._next()
        return Mapping(span, tuple(entries), flow=True)

    def _sequence(self) -> Sequence:
        first, items = self.start, []
        self._next()
        while self.mark != "]":
            items.append(self.node())
            if self.mark == ",":
                self._next()
        span = Span(self.source, first, self.end)
        self._next()
        return Sequence(span, tuple(items), flow=True)

    def _scalar(self) -> Scalar:
        source, start, end = self.source, self.start, self.end
        span, raw = Span(source, start, end), self.text[start:end]
        if self.mark != '"':
            return Scalar(span, "", "plain", span) if raw == "null" else TypedScalar(span, raw, "plain", span)
        inside = Span(source, start + 1, end - 1)
        if "\\" not in raw:
            return Scalar(inside, raw[1:-1], "double", inside)
        text = json.loads(raw)  # an expression is parsed from the decoded string, without escapes
        line, _ = source.position(start)
        inside = Span(Source(source.name, text, first_line=line), 0, len(text))
        return Scalar(inside if "\n" not in text else span, text, "double", inside)
