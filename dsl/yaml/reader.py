"""The YAML reader: nodes with their positions, and scalars that remain text."""

from __future__ import annotations

import re
from functools import lru_cache

import yaml

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.yaml.composer import BLOCKS, NO_CHARACTER, Composer, readable_text
from planspec.dsl.yaml.events import PureLoader
from planspec.dsl.yaml.hints import explain_yaml_error
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar, Sequence, Style
from planspec.dsl.yaml.offsets import Decoded, decode

__all__ = [
    "Mapping",
    "Node",
    "Scalar",
    "Sequence",
    "Style",
    "compose",
    "decoded_position",
    "expression_span",
]

TOO_DEEP_MESSAGE = "maximum nesting depth"
"""A part of libyaml's message about flow collections that are nested too deeply."""
FAR_ESCAPE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")


def compose(source: Source, report: Report, *, max_depth: int = DEPTH) -> Node | None:
    """Return the document's root node; None if it cannot be read completely.

    Parts that are read but refused (a tag, a repeated key) are reported, and the node is created without
    them.

    Args:
        source: the text.
        report: receives the diagnostics.
        max_depth: maximum depth of nested collections.
    """
    text = readable_text(source, report)
    if text is None:
        return None
    composer = Composer(source, text, report, max_depth)
    try:
        complete = composer.read()
    except yaml.MarkedYAMLError as error:
        if TOO_DEEP_MESSAGE in (error.problem or ""):
            return _read_deep(source, text, report, max_depth)
        if text == source.text:  # otherwise blanks in place of unreadable characters may have caused the error
            explain_yaml_error(error, source, report)
        return None
    except (OverflowError, ValueError):
        # PyYAML's own reader does not check an escape such as `\UFFFFFFFF` before its conversion.
        escape = FAR_ESCAPE.search(text)
        assert escape is not None, "no other conversion can fail"
        report.error("PS002", NO_CHARACTER, Span(source, *escape.span()), "past U+10FFFF")
        return None
    return composer.root if complete and text == source.text else None


def _read_deep(source: Source, text: str, report: Report, max_depth: int) -> Node | None:
    """Read a text that libyaml refused as too deeply nested, with PyYAML's own parser, to locate the mistake.

    Since version 0.2.6, libyaml has its own depth limit. It reads ahead and may fail before it returns the nodes
    down to `max_depth`.

    Returns:
        The root node; None if the text could not be read completely.
    """
    deep_report = Report()
    composer = Composer(source, text, deep_report, max_depth)
    complete = composer.read(PureLoader)
    for diagnostic in deep_report.diagnostics:
        if diagnostic.code == "PS006":  # the first attempt, with libyaml, has reported all others
            report.add(diagnostic)
    return composer.root if complete and text == source.text else None


def expression_span(node: Node) -> Span:
    """Return the span of the expression in a node: the whole node, or a block scalar without its header."""
    return node.content if isinstance(node, Scalar) else node.span


def decoded_position(scalar: Scalar, index: int) -> int:
    """Return the offset in the source of a character of a scalar's text.

    Args:
        scalar: the node.
        index: index of the character in `scalar.text`; the length of the text for the offset after its end.

    Returns:
        The offset, or the node's beginning if it cannot be determined.
    """
    if scalar.content.source is not scalar.span.source:  # decoded JSON string with its own source
        return scalar.span.start
    if scalar.content.text == scalar.text and 0 <= index <= len(scalar.text):
        return scalar.content.start + index
    decoded = _decoded(scalar)
    if decoded is None or not 0 <= index <= decoded.length:
        return scalar.content.start
    return scalar.content.start + decoded.offset(index)


@lru_cache(maxsize=8)
def _decoded(scalar: Scalar) -> Decoded | None:
    start, end = scalar.content.start, scalar.content.end
    text = scalar.content.source.text
    if scalar.style in BLOCKS:
        # Spaces and blank lines at the end are not part of the span but may be part of the text.
        blanks_end = end
        while blanks_end < len(text) and text[blanks_end] in " \t\n":
            blanks_end += 1
        end = blanks_end if blanks_end == len(text) else max(end, text.rfind("\n", end, blanks_end) + 1)
    return decode(text[start:end], scalar.text, scalar.style)
