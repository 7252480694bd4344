"""YAML read as text with positions: nodes that keep their place, scalars that stay text.

YAML's events are composed with a stack of our own, so that no depth of nesting hurts and nothing of YAML's typing is
used. Tags, anchors, aliases, directives and further documents are refused. Positions are the reader's marks, trimmed
to the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.source import Source, Span
from planspec.dsl.yaml_decoding import Decoded, decode
from planspec.dsl.yaml_hints import explain_yaml_error, mended, refuse_property
from planspec.dsl.yaml_nodes import Mapping, Node, Scalar, Sequence, Style

__all__ = [
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Style",
    "compose",
    "decoded_position",
    "expression_span",
    "read_source",
    "source_from_text",
]

BLOCKS = ("literal", "folded")
STYLES: dict[str | None, Style] = {
    None: "plain", "": "plain", "'": "single", '"': "double", "|": "literal", ">": "folded",
}  # fmt: skip
FOREIGN = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Line breaks that only some programs know, and characters that YAML forbids."""
BREAKS = "\r\x85\u2028\u2029"
MOST = 10
"""Forbidden characters that are reported in one text; with more of them it is no text."""
DIRECTIVES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(%[^\n]*)")
HEADER = re.compile(r"[|>](?:[-+]?(?P<indicator>\d)[-+]?|[-+]?)[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
PROPERTIES = re.compile(r"(?:[!&][^\s,\[\]{}]*\s*)+")
EXPLICIT = re.compile(r"\?(?=\s)")
FAR_ESCAPE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")
SURROGATE = re.compile("[\ud800-\udfff]")
COMMENT = re.compile(r"#[^\n]*")
# The edge to YAML: which of its readers was built decides the class, and both have the same events.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def source_from_text(text: str, name: str) -> Source:
    """A source of a text, without a byte-order mark and with newlines as its only line ends."""
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
        with path.open("rb") as file:
            # Bounded, since devices and pipes do not say how much they hold.
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        if isinstance(error, FileNotFoundError):
            reason = "there is no such file"
        elif isinstance(error, IsADirectoryError):
            reason = "this is a folder, and a file is needed"
        report.error("PS007", f"`{name}` cannot be read", nowhere, (reason or str(error)).lower())
        return None
    if len(data) > max_bytes:
        report.error(
            "PS005", f"`{name}` is too large", nowhere, f"more than {max_bytes:,} bytes",
            help="large tables go into files of their own: `csv:`, `jsonl:`, `parquet:` or `sqlite:`",
        )  # fmt: skip
        return None
    try:
        return source_from_text(data.decode("utf-8"), name)
    except UnicodeDecodeError as error:
        shown = source_from_text(data.decode("utf-8", "replace"), name)
        at = len(source_from_text(data[: error.start].decode("utf-8"), name).text)
        help_text = "save the file as UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            help_text = "this looks like UTF-16: " + help_text
        label = f"byte 0x{data[error.start]:02x} cannot stand here"
        report.error("PS001", f"`{name}` is not UTF-8", Span(shown, at, at + 1), label, help=help_text)
        return None


def compose(source: Source, report: Report, *, max_depth: int = 100) -> Node | None:
    """The document's root node, or None after a report of why it could not be read to its end.

    What is read but refused (a tag, a key that stands twice) is reported, and the node is made without it.

    Args:
        source: the text.
        report: takes what is wrong.
        max_depth: how many collections may stand in each other.
    """
    text = _readable(source, report)
    if text is None:
        return None
    composer = _Composer(source, report, max_depth)
    try:
        complete = composer.read(text)
    except yaml.MarkedYAMLError as error:
        explain_yaml_error(error, source, report)
        return None
    except (OverflowError, ValueError):
        # The pure reader computes the character of an escape such as `\UFFFFFFFF` unchecked.
        escape = FAR_ESCAPE.search(text)
        assert escape is not None, "no other computation of the reader's can fail"
        report.error("PS002", "an escape of no character", Span(source, escape.start(), escape.end()), "past U+10FFFF")
        return None
    return composer.made if complete and text == source.text else None


def expression_span(node: Node) -> Span:
    """The text of a node as an expression: the slice as it stands, a block scalar without its header."""
    return node.content if isinstance(node, Scalar) else node.span


def decoded_position(scalar: Scalar, index: int) -> int:
    """The offset in the source at which a character of a scalar's text stands.

    Args:
        scalar: the node.
        index: of the character in `scalar.text`; the text's length for the place behind it.

    Returns:
        The offset; the node's beginning if the place is not certain.
    """
    decoded = _decoded(scalar)
    if decoded is None or not 0 <= index <= decoded.length:
        return scalar.content.start
    return scalar.content.start + decoded.offset(index)


@lru_cache(maxsize=8)
def _decoded(scalar: Scalar) -> Decoded | None:
    start, end = scalar.content.start, scalar.content.end
    text = scalar.content.source.text
    if scalar.style in BLOCKS:
        # Spaces and blank lines at the end are no part of the span and may be part of the text.
        behind = end
        while behind < len(text) and text[behind] in " \t\n":
            behind += 1
        end = behind if behind == len(text) else max(end, text.rfind("\n", end, behind) + 1)
    return decode(text[start:end], scalar.text, scalar.style)


def _readable(source: Source, report: Report) -> str | None:
    """The text with whatever stops YAML's reader reported and blanked out; None if it is no text at all."""
    text = source.text
    found = list(zip(range(MOST + 1), FOREIGN.finditer(text), strict=False))
    for _, match in found[:MOST]:
        char = match[0]
        span = Span(source, match.start(), match.end())
        label = f"U+{ord(char):04X}"
        if char in BREAKS:
            report.error("PS004", "an exotic line break", span, label, help="end lines with a plain newline")
        else:
            known = unicodedata.name(char, "")
            help_text = "save the file as UTF-8 text, and take this character out"
            report.error("PS002", "a character that no YAML may hold", span, f"{label} {known}".rstrip(), help=help_text)
    if len(found) > MOST:
        return None
    if found:
        text = FOREIGN.sub(" ", text)
    at = 0
    while (directive := DIRECTIVES.match(text, at)) is not None:
        at = directive.start(1)
        span = Span(source, at, at + len(directive[1].rstrip()))
        report.error("PS004", "a directive is not read", span, "YAML takes a line that begins with `%` for its own", help="take the line out")
        text = f"{text[:at]}#{text[at + 1 :]}"
        at = directive.end()
    return text


@dataclass(slots=True)
class _Open:
    """A collection that is being filled.

    Attributes:
        key: waits for its value.
        lost: the key has been refused, so that its value is dropped.
        keys: where each key stands first, and whether it has a value.
        end: the offset behind what was read last.
        bare: the number of entries that are a key only.
    """

    start: int
    flow: bool
    mapping: bool
    end: int
    items: list[Node] = field(default_factory=list)
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    keys: dict[str, tuple[Span, bool]] = field(default_factory=dict)
    key: Scalar | None = None
    lost: bool = False
    bare: int = 0


class _Composer:
    def __init__(self, source: Source, report: Report, max_depth: int) -> None:
        self.source = source
        self.text = source.text
        self.report = report
        self.max_depth = max_depth
        self.stack: list[_Open] = []
        self.made: Node | None = None

    def read(self, text: str) -> bool:
        """Makes the root node; whether all was read."""
        loader = LOADER(text)
        try:
            return self._events(loader.get_event)
        finally:
            loader.dispose()

    def _events(self, following: Callable[[], Any]) -> bool:
        documents = 0
        while True:
            event = following()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                start = event.start_mark.index
                if event.tag is not None or event.anchor is not None:
                    start = self._properties(start)
                style = STYLES[event.style]
                if style in BLOCKS:
                    self._add(self._block(event, start, style))
                else:
                    span = Span(self.source, start, event.end_mark.index)
                    if style == "double" and SURROGATE.search(event.value):
                        self.report.error("PS002", "an escape of no character", span, "half of a surrogate pair")
                    self._add(Scalar(span, event.value, style, span))
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                start = event.start_mark.index
                if event.tag is not None or event.anchor is not None:
                    start = self._properties(start)
                if len(self.stack) >= self.max_depth:
                    label = f"more than {self.max_depth} levels"
                    span = Span(self.source, start, start + 1)
                    self.report.error("PS006", "the document nests too deep", span, label)
                    return False
                self.stack.append(_Open(start, bool(event.flow_style), kind is yaml.MappingStartEvent, start))
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(event.end_mark.index)
            elif kind is yaml.AliasEvent:
                start, end = event.start_mark.index, event.end_mark.index
                span = Span(self.source, start, end)
                refuse_property(span, self.report)
                self._add(Scalar(span, span.text, "plain", span))
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    start = event.end_mark.index - 3
                    help_text = "one file holds one document: make two files"
                    self.report.error("PS004", "a second document", Span(self.source, start, start + 3), "begins here", help=help_text)
                    return False
            elif kind is yaml.StreamEndEvent:
                break
        if self.made is None or (isinstance(self.made, Scalar) and self.made.span.start == self.made.span.end):
            end = len(self.text.rstrip())
            self.report.error("PS002", "the document is empty", Span(self.source, end, end), "nothing here")
            return False
        return True

    def _close(self, end: int) -> None:
        done = self.stack.pop()
        # Block collections are marked up to the next token, and so is the pair in `[a: b]`.
        if not done.flow or self.text[done.start] not in "{[":
            end = done.end
        span = Span(self.source, done.start, end)
        if not done.mapping:
            self._add(Sequence(span, tuple(done.items), done.flow))
            return
        entries = done.entries
        if done.flow and 0 < done.bare < len(entries):
            entries = mended(entries, self.report)
        self._add(Mapping(span, tuple(entries), done.flow))

    def _add(self, node: Node) -> None:
        if not self.stack:
            self.made = node
            return
        top = self.stack[-1]
        if not top.mapping:
            top.items.append(node)
            top.end = node.span.end
        elif top.key is None:
            top.key, top.lost = self._key(top, node)
            top.end = node.span.end
        else:
            self._entry(top, top.key, node)
            top.key = None

    def _key(self, top: _Open, node: Node) -> tuple[Scalar, bool]:
        span = node.span
        between = self.text[top.end : span.start]
        if "?" in between and (mark := EXPLICIT.search(COMMENT.sub(lambda c: " " * len(c[0]), between))) is not None:
            at = top.end + mark.start()
            self.report.error(
                "PS004", "`?` marks a key that needs none", Span(self.source, at, at + 1), "YAML takes it for its own",
                help="write `key: value`",
            )  # fmt: skip
        if not isinstance(node, Scalar):
            help_text = "an expression that begins with a brace or bracket goes into a block scalar (`>-`)"
            self.report.error("PS004", "a key is a word", span, "a collection as a key", help=help_text)
            return self._empty(span.start), True
        if span.start == span.end:
            self.report.error("PS004", "a key is missing", span, "nothing here", help="write `key: value`")
            return node, True
        return node, False

    def _entry(self, top: _Open, key: Scalar, node: Node) -> None:
        bare = False
        if isinstance(node, Scalar) and node.span.start == node.span.end and node.style == "plain":
            at = node.span.start
            if self.text[at - 1 : at] != ":" or at == key.span.end:
                # There is no colon: YAML puts the value at the next token, or behind this one's comments.
                bare = True
                node = self._empty(key.span.end)
        top.end = node.span.end
        if top.lost:
            return
        first = top.keys.get(key.text)
        if first is None:
            top.keys[key.text] = (key.span, not bare)
        elif first[1] or not bare:
            self.report.error(
                "PS003", f"the key `{key.text}` stands twice", key.span, "again here",
                secondary=[Label(first[0], "first here")], help="take one of them out, or give it another name",
            )  # fmt: skip
            return
        top.bare += bare
        top.entries.append((key, node))

    def _block(self, event: Any, start: int, style: Style) -> Scalar:
        end = event.end_mark.index
        text = self.text
        while text[end - 1] in " \t\n":
            end -= 1
        header = HEADER.match(text, start)
        assert header is not None, "YAML has read it"
        if header["indicator"]:
            at = header.start("indicator")
            help_text = "take the number out, and begin the first line without further spaces"
            self.report.error("PS004", "an indentation indicator is not read", Span(self.source, at, at + 1), "here", help=help_text)
        if end <= header.end():
            end = start + len(text[start : header.end()].split("#")[0].rstrip())
            return Scalar(Span(self.source, start, end), event.value, style, self._empty(end).span)
        return Scalar(Span(self.source, start, end), event.value, style, Span(self.source, header.end(), end))

    def _empty(self, at: int) -> Scalar:
        span = Span(self.source, at, at)
        return Scalar(span, "", "plain", span)

    def _properties(self, start: int) -> int:
        """Refuses the tags and anchors that stand at a place; the offset behind them."""
        found = PROPERTIES.match(self.text, start)
        assert found is not None, "a node with a tag or an anchor begins with it"
        for word in re.finditer(r"[!&]\S*", found[0]):
            refuse_property(Span(self.source, start + word.start(), start + word.end()), self.report)
        return found.end()
