"""Help where YAML itself cuts or splits an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from planspec.dsl.diagnostics import Report
from planspec.dsl.source import Source, Span

if TYPE_CHECKING:
    from planspec.dsl.yaml_source import Node

BLOCK = "put it into a block scalar: `>-` and the expression on the next line, indented"


def explain_yaml_error(error: yaml.MarkedYAMLError, source: Source, report: Report) -> None:
    """Report what YAML could not read, with the way out that fits."""
    mark = error.problem_mark or error.context_mark
    at = min(mark.index, len(source.text)) if mark is not None else 0
    problem = (error.problem or "unreadable").strip()
    line, _ = source.position(at)
    text = source.line_text(line)
    help_text = None
    message = "YAML cannot read this"
    if "mapping values are not allowed" in problem:
        message = "a `: ` in the middle of a text"
        help_text = "YAML reads `: ` as the end of a key; " + BLOCK
    elif "could not find expected ':'" in problem or "expected <block end>" in problem:
        value = text.partition(":")[2].strip()
        if value[:1] in ("{", "[", '"', "'"):
            message = "text goes on behind a quote or brace"
            help_text = f"YAML takes the leading `{value[0]}` for its own; " + BLOCK
        else:
            message = "this line does not fit the ones above"
            help_text = "check the indentation, and that each key ends in `:`"
    elif "expected ',' or" in problem:
        message = "a `{` or `[` is not closed, or cut by a comma or bracket"
        help_text = "inside `{...}` a comma or bracket ends a value; write the mapping over several lines"
    elif "cannot start any token" in problem or "found character" in problem:
        char = source.text[at : at + 1]
        message = f"no value begins with `{char}`" if char != "\t" else "a tab in the indentation"
        help_text = BLOCK if char != "\t" else "indent with spaces"
    elif "unexpected end of stream" in problem:
        message = "a quote is not closed"
    elif "alias" in problem or "anchor" in problem:
        message = "YAML takes a leading `*` or `&` for its own"
        help_text = BLOCK
    elif "tag" in problem:
        message = "YAML takes a leading `!` for its own"
        help_text = BLOCK
    report.error("PS002", message, Span(source, at, min(at + 1, len(source.text))), problem, help=help_text)


def cut_hint(source: Source, node: Node) -> str | None:
    """Help for an expression that does not parse, if YAML may have cut it.

    Args:
        source: where it stands.
        node: the value that YAML made of it.
    """
    from planspec.dsl.yaml_source import Scalar

    text = source.text
    end = node.span.end
    rest = text[end : text.find("\n", end) if text.find("\n", end) != -1 else len(text)]
    if isinstance(node, Scalar) and node.style == "plain" and rest.lstrip(" \t").startswith("#") and rest[:1] in (" ", "\t"):
        return "YAML reads ` #` as the start of a comment; " + BLOCK
    raw = node.span.text
    if any(raw.count(a) != raw.count(b) for a, b in ("()", "[]", "{}")) and rest.lstrip()[:1] in (",", "]", "}", ":"):
        return "inside `{...}` YAML cuts an expression at a comma or bracket; write the mapping over several lines"
    if rest.lstrip()[:1] == "," or rest[:1] == "}" and raw.count("{") != raw.count("}"):
        return "inside `{...}` YAML cuts an expression at a comma or bracket; write the mapping over several lines"
    return None
