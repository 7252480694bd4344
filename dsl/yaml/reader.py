"""YAML read as text with positions: nodes that keep their place, scalars that stay text."""

from __future__ import annotations

import re
from functools import lru_cache

import yaml

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.yaml.composer import BLOCKS, NO_CHARACTER, Composer, readable
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

TOO_DEEP = "maximum nesting depth"
"""Part of what libyaml says of flow collections beyond the depth that it reads."""
FAR_ESCAPE = re.compile(r"\\U(?!000|0010)[0-9A-Fa-f]{8}")


def compose(source: Source, report: Report, *, max_depth: int = DEPTH) -> Node | None:
    """The document's root node, or None after a report of why it could not be read to its end.

    What is read but refused (a tag, a key that stands twice) is reported, and the node is made without it.

    Args:
        source: the text.
        report: takes what is wrong.
        max_depth: how many collections may stand in each other.
    """
    text = readable(source, report)
    if text is None:
        return None
    composer = Composer(source, text, report, max_depth)
    try:
        complete = composer.read()
    except yaml.MarkedYAMLError as error:
        if TOO_DEEP in (error.problem or ""):
            return _read_deep(source, text, report, max_depth)
        if text == source.text:  # otherwise the error may be of the blanks for what was refused
            explain_yaml_error(error, source, report)
        return None
    except (OverflowError, ValueError):
        # The pure reader computes the character of an escape such as `\UFFFFFFFF` unchecked.
        escape = FAR_ESCAPE.search(text)
        assert escape is not None, "no other computation of the reader's can fail"
        report.error("PS002", NO_CHARACTER, Span(source, *escape.span()), "past U+10FFFF")
        return None
    return composer.made if complete and text == source.text else None


def _read_deep(source: Source, text: str, report: Report, max_depth: int) -> Node | None:
    """The root node of a text that nests deeper than libyaml reads (since 0.2.6), or the report of where it is too deep.

    libyaml looks ahead, and stops before it has told of what stands at our own bound.
    """
    found = Report()
    composer = Composer(source, text, found, max_depth)
    complete = composer.read(PureLoader)
    for diagnostic in found.diagnostics:
        if diagnostic.code == "PS006":  # all else was reported on the way there
            report.add(diagnostic)
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
