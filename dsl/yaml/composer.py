"""Composition of YAML events into nodes, with an explicit stack, so that the depth of nesting is not limited.

Scalars remain text: YAML's conversion to numbers and Booleans is not used. Tags, anchors, aliases, directives and
further documents are refused. Spans come from PyYAML's marks, without blanks at the end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import yaml

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DOCUMENT_NODES
from planspec.dsl.yaml.cut_values import reassembled_entries
from planspec.dsl.yaml.events import LOADER
from planspec.dsl.yaml.exotic_blanks import BLANK, WAY_OUT, blank_name
from planspec.dsl.yaml.hints import refuse_property
from planspec.dsl.yaml.json_text import has_lone_surrogate
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, Style

BLOCKS = ("literal", "folded")
STYLES: dict[str | None, Style] = {
    None: "plain",
    "": "plain",
    "'": "single",
    '"': "double",
    "|": "literal",
    ">": "folded",
}
FOREIGN = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
"""Line breaks that only some programs recognise, and characters that YAML forbids."""
BREAKS = "\r\x85\u2028\u2029"
MAX_FORBIDDEN = 10
"""The maximum number of forbidden characters in a text. A file with more does not count as text."""
DIRECTIVES = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?\n)*+(%[^\n]*)")
HEADER = re.compile(r"[|>](?:[-+]?(?P<indicator>\d)[-+]?|[-+]?)[ \t]*(?:#[^\n]*)?(?:\n|\Z)")
PROPERTY = re.compile(r"(!<[^>\s]*>|[!&][^\s,\[\]{}]*)(?:\s++(?:#[^\n]*+)?)*+")
EXPLICIT = re.compile(r"\?(?=\s)")
COMMENT = re.compile(r"#[^\n]*")
COLON = re.compile(r"(?:\s|#[^\n]*)*+:")
"""Pattern of the colon after a key, with blanks and comments before it."""
NO_CHARACTER = "an escape of no character"


def readable_text(source: Source, report: Report) -> str | None:
    """Report unreadable characters. Return the text with blanks in their place; None if the source is not text."""
    text = source.text
    matches = list(zip(range(MAX_FORBIDDEN + 1), FOREIGN.finditer(text), strict=False))
    for _, match in matches[:MAX_FORBIDDEN]:
        char = match[0]
        span = Span(source, match.start(), match.end())
        label = f"U+{ord(char):04X}"
        if char in BREAKS:
            report.error("PS004", "an exotic line break", span, label, help="end lines with a plain newline")
        else:
            label = f"{label} {unicodedata.name(char, '')}".rstrip()
            help_text = "save the file as UTF-8 text, and take this character out"
            report.error("PS002", "a character that no YAML may hold", span, label, help=help_text)
    if len(matches) > MAX_FORBIDDEN:
        return None
    if matches:
        text = FOREIGN.sub(lambda char: "\n" if char[0] in BREAKS else " ", text)
    at = 0
    for _ in range(MAX_FORBIDDEN):
        directive = DIRECTIVES.match(text, at)
        if directive is None:
            break
        at = directive.start(1)
        span = Span(source, at, at + len(directive[1].rstrip()))
        label = "YAML reserves lines that begin with `%`"
        report.error("PS004", "a directive is not supported", span, label, help="take the line out")
        text = f"{text[:at]}#{text[at + 1 :]}"
        at = directive.end()
    return text


@dataclass(slots=True)
class _Open:
    """A collection that is still incomplete.

    Attributes:
        key: key whose value has not been read yet; `None` if there is none.
        lost: whether `key` was refused, so that its value is ignored.
        keys: span of the first occurrence of each key, and whether it has a value.
        end: offset after the last part that was read.
        bare: number of entries without a value.
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


class Composer:
    """Creates nodes from YAML events; `root` is the root node.

    Args:
        source: source of the spans.
        text: its readable text, of the same length.
        report: receives the refused parts.
        max_depth: maximum depth of nested collections.
    """

    def __init__(self, source: Source, text: str, report: Report, max_depth: int) -> None:
        self.source = source
        self.text = text
        self.report = report
        self.max_depth = max_depth
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.nodes = 0

    def read(self, reader: Callable[[str], Any] | None = None) -> bool:
        """Create the root node; return whether the whole text was read.

        Args:
            reader: returns the events; by default libyaml's reader if it is installed.
        """
        loader = (reader or LOADER)(self.text)
        try:
            return self._compose_events(loader.get_event)
        finally:
            loader.dispose()

    def _compose_events(self, next_event: Callable[[], Any]) -> bool:  # noqa: C901 one case for each kind of event
        """Build the nodes from the events; return whether the whole text was read.

        Return False if an error stopped reading.
        """
        documents = 0
        while True:
            event = next_event()
            kind = type(event)
            if self.nodes > DOCUMENT_NODES:
                span = Span(self.source, event.start_mark.index, event.start_mark.index)
                label = f"more than {DOCUMENT_NODES:,} scalars, lists and mappings"
                self.report.error("PS005", "the document has too many parts", span, label)
                return False
            if kind is yaml.ScalarEvent:
                start = event.start_mark.index
                if event.tag is not None or event.anchor is not None:
                    start = min(self._skip_properties(start), event.end_mark.index)
                style = STYLES[event.style]
                if style in BLOCKS:
                    self._add(self._block_scalar(event, start, style))
                else:
                    span = Span(self.source, start, event.end_mark.index)
                    if style == "double" and has_lone_surrogate(event.value):
                        self.report.error("PS002", NO_CHARACTER, span, "half of a surrogate pair")
                    self._add(Scalar(span, event.value, style, span))
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                start = event.start_mark.index
                if event.tag is not None or event.anchor is not None:
                    start = self._skip_properties(start)
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
                    help_text = "one file holds one document: make two files, or a shard of tasks (`*.tasks.yaml`)"
                    span = Span(self.source, start, start + 3)
                    self.report.error("PS004", "a second document", span, "begins here", help=help_text)
                    return False
            elif kind is yaml.StreamEndEvent:
                break
        if self.root is None or (isinstance(self.root, Scalar) and not self.root.span.text):
            end = len(self.text.rstrip())
            self.report.error("PS002", "the document is empty", Span(self.source, end, end), "nothing here")
            return False
        return True

    def _close(self, end: int) -> None:
        done = self.stack.pop()
        # PyYAML's end marks of block collections, and of the pair in `[a: b]`, are at the next token.
        if not done.flow or self.text[done.start] not in "{[":
            end = done.end
        span = Span(self.source, done.start, end)
        if not done.mapping:
            self._add(Sequence(span, tuple(done.items), done.flow))
            return
        entries = done.entries
        if done.flow and 0 < done.bare < len(entries):
            entries = reassembled_entries(entries, self.report)
        self._add(Mapping(span, tuple(entries), done.flow))

    def _add(self, node: Node) -> None:
        self.nodes += 1
        if not self.stack:
            self.root = node
            return
        top = self.stack[-1]
        if not top.mapping:
            top.items.append(node)
            top.end = node.span.end
        elif top.key is None:
            top.key, top.lost = self._checked_key(top, node)
            top.end = node.span.end
        else:
            self._add_entry(top, top.key, node)
            top.key = None

    def _checked_key(self, top: _Open, node: Node) -> tuple[Scalar, bool]:
        """Return a key, and whether it was refused, so that its value is ignored."""
        span = node.span
        between = self.text[top.end : span.start]
        mark = EXPLICIT.search(COMMENT.sub(lambda c: " " * len(c[0]), between)) if "?" in between else None
        if mark is not None:
            at = top.end + mark.start()
            self.report.error(
                "PS004",
                "a key needs no `?`",
                Span(self.source, at, at + 1),
                "YAML reserves it",
                help="write `key: value`",
            )
        if not isinstance(node, Scalar):
            help_text = "an expression that begins with a brace or bracket goes into a block scalar (`>-`)"
            self.report.error("PS004", "a key is a word", span, "a collection as a key", help=help_text)
            return self._empty_scalar(span.start), True
        if span.start == span.end:
            self.report.error("PS004", "a key is missing", span, "nothing here", help="write `key: value`")
            return node, True
        blank = BLANK.match(node.text) if node.style == "plain" else None
        if blank is not None:
            self.report.error(
                "PS004",
                f"{blank_name(blank[0])} before a key",
                Span(self.source, span.start, span.start + 1),
                "YAML indents with spaces only",
                help=WAY_OUT,
            )
        return node, False

    def _add_entry(self, top: _Open, key: Scalar, node: Node) -> None:
        bare = False
        if isinstance(node, Scalar) and node.span.start == node.span.end and node.style == "plain":
            at = node.span.start
            # PyYAML puts a missing value directly after the colon, or at the next token.
            colon = COLON.match(self.text, key.span.end, at)
            bare = colon is None
            node = self._empty_scalar(key.span.end if colon is None else colon.end())
        top.end = node.span.end
        if top.lost:
            return
        first = top.keys.get(key.text)
        if first is None:
            top.keys[key.text] = (key.span, not bare)
        elif first[1] or not bare:
            self.report.error(
                "PS003",
                f"the key `{key.text}` is repeated",
                key.span,
                "again here",
                secondary=[Label(first[0], "first here")],
                help="take one of them out, or give it another name",
            )
            return
        top.bare += bare
        top.entries.append((key, node))

    def _block_scalar(self, event: Any, start: int, style: Style) -> Scalar:
        end = event.end_mark.index
        text = self.text
        while text[end - 1] in " \t\n":
            end -= 1
        header = HEADER.search(text, start)
        assert header is not None, "YAML has parsed it"
        if header["indicator"]:
            at = header.start("indicator")
            help_text = "take the number out, and begin the first line without further spaces"
            span = Span(self.source, at, at + 1)
            self.report.error("PS004", "an indentation indicator is not supported", span, "here", help=help_text)
        if end <= header.end():
            end = start + len(text[start : header.end()].split("#")[0].rstrip())
            return Scalar(Span(self.source, start, end), event.value, style, self._empty_scalar(end).span)
        return Scalar(Span(self.source, start, end), event.value, style, Span(self.source, header.end(), end))

    def _empty_scalar(self, at: int) -> Scalar:
        span = Span(self.source, at, at)
        return Scalar(span, "", "plain", span)

    def _skip_properties(self, start: int) -> int:
        """Refuse the tags and anchors at an offset; return the offset after them."""
        while (match := PROPERTY.match(self.text, start)) is not None:
            refuse_property(Span(self.source, *match.span(1)), self.report)
            start = match.end()
        return start
