"""JSON as nodes: the same nodes as YAML's, each with its place in the text."""

from __future__ import annotations

import json
import re

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, TypedScalar

TOKEN = re.compile(r'[ \t\r\n]*("(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+)')


def json_node(source: Source, start: int = 0) -> Node:
    """Return the node of a JSON value in a text.

    Texts become scalars in double quotes, numbers and Booleans plain ones, and null an empty one. A text with
    escapes has a source of its own, with the text as it reads and the number of its line.

    Args:
        source: a text in which `json.loads` accepts the value, without repeated names.
        start: offset at which the value begins.
    """
    return _NodeReader(source, start).node()


class _NodeReader:
    """Reads nodes from a text that is valid JSON."""

    def __init__(self, source: Source, start: int) -> None:
        self.source = source
        self.at = start
        self.token = Span(source, start, start)
        self._next()

    def _next(self) -> None:
        """Read the next token; keep the last one at the end of the text."""
        match = TOKEN.match(self.source.text, self.at)
        if match is not None:
            self.at = match.end()
            self.token = Span(self.source, match.start(1), match.end(1))

    def node(self) -> Node:
        first = self.token
        mark = self.source.text[first.start]
        if mark == "{":
            return self._mapping(first)
        if mark == "[":
            return self._sequence(first)
        self._next()
        return self._scalar(first)

    def _mapping(self, first: Span) -> Mapping:
        entries = []
        self._next()
        while self.token.text != "}":
            key = self._scalar(self.token)
            self._next()  # the colon
            self._next()
            entries.append((key, self.node()))
            if self.token.text == ",":
                self._next()
        last = self.token
        self._next()
        return Mapping(first.to(last), tuple(entries), flow=True)

    def _sequence(self, first: Span) -> Sequence:
        items = []
        self._next()
        while self.token.text != "]":
            items.append(self.node())
            if self.token.text == ",":
                self._next()
        last = self.token
        self._next()
        return Sequence(first.to(last), tuple(items), flow=True)

    def _scalar(self, span: Span) -> Scalar:
        raw = span.text
        if raw == "null":
            return Scalar(span, "", "plain", span)
        if not raw.startswith('"'):
            return TypedScalar(span, raw, "plain", span)
        text = json.loads(raw)
        inside = Span(span.source, span.start + 1, span.end - 1)
        if inside.text != text:  # an expression is parsed as it reads, without escapes
            line, _ = span.source.position(span.start)
            inside = Span(Source(span.source.name, text, first_line=line), 0, len(text))
        return Scalar(inside if "\n" not in text else span, text, "double", inside)
