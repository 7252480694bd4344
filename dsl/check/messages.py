"""Parsing of messages with placeholders, such as `"{p} needs {least}"`, into texts and expressions."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.type_rules import with_definite_type
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.traversal import clauses, walk
from planspec.dsl.model.types import Special
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.reader import Node, Scalar, decoded_position


def message_parts(
    checker: Checker, node: Node, env: TypeEnv | None, body: t.Expr | None = None
) -> tuple[t.TextPart, ...]:
    """Return the parts of a message. A doubled brace stands for a brace.

    Args:
        checker: checks the placeholders.
        node: the message.
        env: variables visible in the placeholders; None if they are not available, so that only syntax is checked.
        body: the condition of the message; variables bound inside it are not visible.
    """
    hidden = {target.name for part in walk(body) for target in _bound_variables(part)} if body is not None else set()
    parts: list[t.TextPart] = []
    for part in split_message(node, checker.report):
        if isinstance(part, str):
            parts.append(part)
            continue
        expr = checked_placeholder(checker, part.node, part.start, part.end, env, hidden)
        if expr is not None:
            parts.append(expr)
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder of a message: the text between its braces.

    Attributes:
        start: index of its first character in the text of the node.
        end: index after its last character.
    """

    node: Scalar
    start: int
    end: int


def split_message(node: Node, report: Report) -> Iterator[str | Placeholder]:
    """Yield the texts and placeholders of a message in order. Report an unclosed brace, and stop there."""
    if not isinstance(node, Scalar):
        report.error(
            "PS011",
            "a message must be a string",
            node.span,
            "not a string",
            help="put a message that begins with a brace in quotes",
        )
        return
    text = node.text
    plain = ""
    at = 0
    while at < len(text):
        char = text[at]
        if text[at : at + 2] in ("{{", "}}"):
            plain += char
            at += 2
        elif char == "{":
            end = _closing_brace(text, at)
            if end is None:
                _report(report, node, at, at + 1, "the brace is not closed", "write `{{` for a brace")
                return
            if plain:
                yield plain
                plain = ""
            yield Placeholder(node, at + 1, end)
            at = end + 1
        elif char == "}":
            _report(report, node, at, at + 1, "the brace closes nothing", "write `}}` for a brace")
            at += 1
        else:
            plain += char
            at += 1
    if plain:
        yield plain


def _closing_brace(text: str, start: int) -> int | None:
    """Return the index of the closing brace of the placeholder at `start`; None without one. Braces can be nested."""
    depth = 0
    quote = ""
    for i in range(start, len(text)):
        char = text[i]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and text.find(char, i + 1) != -1:
            quote = char
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return i
    return None


def _bound_variables(part: t.Expr) -> Iterator[t.Binding]:
    yield from (target for clause in clauses(part) for target in clause.targets)


def checked_placeholder(
    checker: Checker,
    node: Scalar,
    start: int,
    end: int,
    env: TypeEnv | None,
    hidden: AbstractSet[str] = frozenset(),
) -> t.Expr | None:
    """Return the checked expression of a placeholder; None if it has a mistake, or if only its syntax is checked.

    Args:
        checker: checks the expression.
        node: the message.
        start: index of its first character in the text of the node.
        end: index after its last character.
        env: variables that it sees; None if they are not available.
        hidden: names of variables bound inside the message's condition, which the placeholder must not mention.
    """
    if not node.text[start:end].strip():
        _report(
            checker.report,
            node,
            start - 1,
            end + 1,
            "the placeholder is empty",
            "write an expression between the braces",
        )
        return None
    span = Span(node.span.source, decoded_position(node, start), decoded_position(node, end - 1) + 1)
    if span.text.split() != node.text[start:end].split():
        _report(
            checker.report,
            node,
            start,
            end,
            "a placeholder has no escapes",
            "write the message in the other kind of quotes",
        )
        return None
    tree = parse("expression", span, checker.report)
    if tree is None or env is None or not checker.is_shallow(tree):
        return None
    for name, at in s.mentions(tree).items():
        if name in hidden and not checker.is_resolvable(name, env):
            checker.report.error(
                "PS201",
                f"the message does not see `{name}`",
                at,
                "bound further inside",
                help="a message sees the variables of `for:` and those of the outermost `all` or `all_different`",
            )
            return None
    expr = with_definite_type(checker.expression(tree, env))
    return None if expr.type is Special.WRONG else expr


def _report(report: Report, node: Scalar, start: int, end: int, message: str, help_text: str) -> None:
    first = decoded_position(node, start)
    last = max(first + 1, decoded_position(node, end - 1) + 1)
    report.error("PS107", message, Span(node.span.source, first, last), "in this message", help=help_text)
