"""YAML read as text with positions: nodes that keep their place, scalars that stay text.

libyaml's events are composed with a stack of our own: nothing of YAML's typing is used, and tags, anchors,
aliases, directives and further documents are refused. Positions are libyaml's marks, trimmed to the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.source import Source, Span
from planspec.dsl.yaml_decoding import offsets
from planspec.dsl.yaml_hints import explain_yaml_error

Style = Literal["plain", "single", "double", "literal", "folded"]

STYLES: dict[str | None, Style] = {None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}
EXOTIC = re.compile("[\x85\u2028\u2029\r]")
HEADER = re.compile(r"[|>](?P<indicator>[-+]?\d[-+]?|[-+]?)[ \t]*(#[^\n]*)?\n")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A text. `span` is the node as it stands, `content` what an expression in it would be."""

    span: Span
    text: str
    style: Style
    content: Span


@dataclass(frozen=True, slots=True, eq=False)
class Mapping:
    """Keys (scalars, each once) and values, in order."""

    span: Span
    entries: tuple[tuple[Scalar, Node], ...]
    flow: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequence:
    """Items in order."""

    span: Span
    items: tuple[Node, ...]
    flow: bool


Node: TypeAlias = Scalar | Mapping | Sequence


def source_from_text(text: str, name: str) -> Source:
    """A source of a text; the byte-order mark goes, line ends become `\\n`."""
    return Source(name, text.removeprefix("\ufeff").replace("\r\n", "\n"))


def read_source(path: Path, name: str | None = None, *, report: Report, max_bytes: int = 10_000_000) -> Source | None:
    """The text of a file, or None after a report.

    Args:
        path: the file.
        name: how diagnostics call it; the path if left out.
        report: takes what is wrong: no file, a folder, too large, not UTF-8.
        max_bytes: the greatest size.
    """
    name = name or str(path)
    nowhere = Span(Source(name, ""), 0, 0)
    try:
        if path.is_dir():
            report.error("PS007", f"`{name}` is a folder", nowhere, "a file is needed here")
            return None
        size = path.stat().st_size
        if size > max_bytes:
            report.error("PS005", f"`{name}` has {size:,} bytes", nowhere, f"more than {max_bytes:,}")
            return None
        data = path.read_bytes()
    except OSError as error:
        reason = "there is no such file" if isinstance(error, FileNotFoundError) else (error.strerror or str(error))
        report.error("PS007", f"`{name}` cannot be read", nowhere, reason)
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line = before.count("\n") + 1
        place = source_from_text(before, name)
        report.error(
            "PS001", f"`{name}` is not UTF-8", Span(place, len(place.text), len(place.text)),
            f"byte 0x{data[error.start]:02x} in line {line}", help="save the file as UTF-8",
        )  # fmt: skip
        return None
    return source_from_text(text, name)


def compose(source: Source, report: Report, *, max_depth: int = 100) -> Node | None:
    """The document's root node, or None after a report of what YAML could not read."""
    exotic = EXOTIC.search(source.text)
    if exotic:
        report.error(
            "PS004", "an exotic line break", Span(source, exotic.start(), exotic.end()), f"U+{ord(exotic[0]):04X}",
            help="end lines with a plain newline",
        )  # fmt: skip
        return None
    try:
        return _Composer(source, report, max_depth).root()
    except yaml.MarkedYAMLError as error:
        explain_yaml_error(error, source, report)
    except yaml.reader.ReaderError as error:
        at = min(getattr(error, "position", 0) or 0, len(source.text))
        report.error("PS002", "a character that YAML does not allow", Span(source, at, min(at + 1, len(source.text))), str(error.reason))
    return None


class _Stop(Exception):
    """Nothing further can be read; it has been reported."""


@dataclass(slots=True)
class _Open:
    """A collection that is being filled; `key` waits for its value."""

    start: int
    flow: bool
    mapping: bool
    items: list[Node]
    entries: list[tuple[Scalar, Node]]
    seen: dict[str, Span]
    key: Scalar | None = None
    skip: bool = False


class _Composer:
    def __init__(self, source: Source, report: Report, max_depth: int) -> None:
        self.source = source
        self.report = report
        self.max_depth = max_depth
        self.stack: list[_Open] = []
        self.made: Node | None = None

    def root(self) -> Node | None:
        documents = 0
        # The C parser takes text; its marks count characters.
        try:
            for event in yaml.parse(self.source.text, Loader=LOADER):
                if isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        self._refuse(event.start_mark.index, event.start_mark.index + 3, "a second document", "one file holds one document")
                        break
                    if event.version or event.tags:
                        self._refuse(event.start_mark.index, event.end_mark.index, "a directive", "take it out")
                self._event(event)
        except _Stop:
            return None
        if self.made is None:
            end = len(self.source.text)
            self.report.error("PS002", "the document is empty", Span(self.source, end, end), "nothing here")
        return self.made

    def _event(self, event: yaml.Event) -> None:
        match event:
            case yaml.AliasEvent():
                self._refuse(event.start_mark.index, event.end_mark.index, "an alias", "write the value again")
                self._add(self._empty(event.start_mark.index))
            case yaml.ScalarEvent():
                self._properties(event)
                self._add(self._scalar(event))
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._properties(event)
                if len(self.stack) >= self.max_depth:
                    at = event.start_mark.index
                    self.report.error("PS006", "the document nests too deep", Span(self.source, at, at + 1), f"more than {self.max_depth} levels")
                    raise _Stop
                mapping = isinstance(event, yaml.MappingStartEvent)
                self.stack.append(_Open(event.start_mark.index, bool(event.flow_style), mapping, [], [], {}))
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._close(event.end_mark.index)

    def _close(self, end: int) -> None:
        done = self.stack.pop()
        if not done.flow:
            last = done.entries[-1][1] if done.mapping and done.entries else done.items[-1] if done.items else None
            inner = [last.span.end] if last else []
            if done.entries:
                inner.append(done.entries[-1][0].span.end)
            end = max(inner, default=done.start)
        span = Span(self.source, done.start, max(done.start, end))
        node: Node
        node = Mapping(span, tuple(done.entries), done.flow) if done.mapping else Sequence(span, tuple(done.items), done.flow)
        self._add(node)

    def _add(self, node: Node) -> None:
        if not self.stack:
            self.made = node if self.made is None else self.made
            return
        top = self.stack[-1]
        if not top.mapping:
            top.items.append(node)
        elif top.key is None:
            top.skip = False
            if not isinstance(node, Scalar):
                self.report.error("PS004", "a key is a word", node.span, "a collection as a key", help=_key_help(node))
                top.skip = True
                node = self._empty(node.span.start)
            elif node.text in top.seen:
                self.report.error(
                    "PS003", f"the key `{node.text}` stands twice", node.span, "again here",
                    secondary=[Label(top.seen[node.text], "first here")],
                )  # fmt: skip
                top.skip = True
            else:
                top.seen[node.text] = node.span
            assert isinstance(node, Scalar)
            top.key = node
        else:
            if not top.skip:
                top.entries.append((top.key, node))
            top.key = None

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        text = self.source.text
        start, end = event.start_mark.index, event.end_mark.index
        style = STYLES[event.style]
        while end > start and text[end - 1] in " \t\n":
            end -= 1
        span = Span(self.source, start, end)
        content = span
        if style in ("literal", "folded"):
            header = HEADER.match(text, start)
            if header is not None:
                if header["indicator"].strip("+-"):
                    self._refuse(start, header.end(), "an indentation indicator", "take the number out")
                content = Span(self.source, min(header.end(), max(end, start)), max(end, min(header.end(), end)))
        return Scalar(span, event.value, style, content)

    def _empty(self, at: int) -> Scalar:
        span = Span(self.source, at, at)
        return Scalar(span, "", "plain", span)

    def _properties(self, event: yaml.NodeEvent) -> None:
        at = event.start_mark.index
        tag = getattr(event, "tag", None)
        stands = self.source.text[at : at + 1]
        if event.anchor is not None:
            self._refuse(at, at + 1 + len(event.anchor), "an anchor", "write the value where it is needed")
        elif tag is not None or stands == "!":
            word = re.compile(r"!\S*").match(self.source.text, at)
            self._refuse(at, word.end() if word else at + 1, "a tag", "types come from where values stand")

    def _refuse(self, start: int, end: int, what: str, help_text: str) -> None:
        self.report.error("PS004", f"{what} is not read", Span(self.source, start, min(end, len(self.source.text))), what, help=help_text)


def _key_help(node: Node) -> str | None:
    return "an expression that begins with a brace or bracket goes into a block scalar (`>-`)" if node.span.text[:1] in "{[" else None


def expression_span(node: Node) -> Span:
    """The text of a node as an expression: the slice as it stands, a block scalar without its header."""
    return node.content if isinstance(node, Scalar) else node.span


def decoded_position(scalar: Scalar, index: int) -> int:
    """The offset at which a character of the decoded text stands; the node's start if that is not certain."""
    found = offsets(scalar.content.text, scalar.text, scalar.style)
    if found is None or not 0 <= index <= len(found):
        return scalar.content.start
    if index == len(found):
        return scalar.content.start + (found[-1] + 1 if found else 0)
    return scalar.content.start + found[index]
