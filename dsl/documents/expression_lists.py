"""Lists of expressions under one key of a document, such as sort keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.hints import cut_help
from planspec.dsl.yaml.reader import Node, Scalar, Sequence, expression_span

_DESC = re.compile(r"\s+desc\s*\Z")
_OPEN, _CLOSED, _QUOTES = "([{", ")]}", "\"'"


@dataclass(frozen=True, slots=True)
class ListedExpression:
    """An expression of a list.

    Attributes:
        tree: the syntax tree; None if it has a mistake.
        descending: whether the word `desc` follows the expression.
    """

    tree: s.Tree | None
    span: Span
    descending: bool


def listed_expressions(node: Node, report: Report) -> list[ListedExpression]:
    """Return the expressions of a node: `a, b desc`, or a YAML list of them.

    Args:
        node: a string or a list of strings.
        report: receives the diagnostics.
    """
    parts = node.items if isinstance(node, Sequence) else (node,)
    expressions = []
    for part in parts:
        hint = cut_help(part.span.source, part)
        for span in _comma_slices(expression_span(part)) if isinstance(part, Scalar) else (part.span,):
            descends = _DESC.search(span.text)
            slice_ = span if descends is None else Span(span.source, span.start, span.start + descends.start())
            expressions.append(
                ListedExpression(parse("expression", slice_, report, hint), slice_, descends is not None)
            )
    return expressions


def _comma_slices(span: Span) -> Iterator[Span]:
    """Yield the parts between the commas that are outside brackets and quotes."""
    text, start, depth, quote = span.text, 0, 0, ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in _QUOTES:
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSED:
            depth -= 1
        elif char == "," and depth == 0:
            yield Span(span.source, span.start + start, span.start + at)
            start = at + 1
    yield Span(span.source, span.start + start, span.end)
