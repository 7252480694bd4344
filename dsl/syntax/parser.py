"""The parser of expressions, domains, columns, types, signatures and binders."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import Any, Literal, TypeAlias, overload

from lark import Lark, TextSlice, Token, Transformer
from lark.exceptions import UnexpectedInput

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.resources.composition import normalize_text
from planspec.dsl.resources.limits import DEPTH, EXPRESSION_CHARACTERS
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.errors import explain
from planspec.dsl.syntax.literals import InvalidLiteralError, number
from planspec.dsl.syntax.parser_table import StartSymbol, parser

SHORT_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


@cache
def _lark() -> Lark:
    return parser(_BUILDER)


MAX_CACHED_TEXTS = 4096
"""The maximum number of texts whose syntax trees are cached."""
_PARSED: dict[tuple[StartSymbol, str], s.Node] = {}
_LOCK = Lock()  # guards the source of the builder, since all threads share one parser


@overload
def parse(kind: Literal["expression"], span: Span, report: Report, hint: str | None = None) -> s.Tree | None: ...
@overload
def parse(kind: Literal["domain"], span: Span, report: Report, hint: str | None = None) -> s.DomainTree | None: ...
@overload
def parse(kind: Literal["column"], span: Span, report: Report, hint: str | None = None) -> s.ColumnTree | None: ...
@overload
def parse(kind: Literal["type"], span: Span, report: Report, hint: str | None = None) -> s.TypeTree | None: ...
@overload
def parse(
    kind: Literal["signature"], span: Span, report: Report, hint: str | None = None
) -> s.SignatureTree | None: ...
@overload
def parse(kind: Literal["binder"], span: Span, report: Report, hint: str | None = None) -> s.BinderTree | None: ...
def parse(kind: StartSymbol, span: Span, report: Report, hint: str | None = None) -> s.Node | None:
    """Return the syntax tree of the text of a span; None if a mistake was reported.

    Args:
        kind: start symbol of the grammar.
        span: location of the text.
        report: receives the mistake.
        hint: specific help that replaces the general one, for example if YAML has cut the text.
    """
    cached = span.source.trees.get((kind, span.start, span.end))
    if cached is not None:
        assert isinstance(cached, s.Node)
        return cached
    text = span.text
    stored = _PARSED.get((kind, text))
    if stored is not None:
        moved_tree = span.source.trees[kind, span.start, span.end] = s.moved_copy(stored, span.source, span.start)
        return moved_tree
    start = span.start + len(text) - len(text.lstrip())
    end = max(start, span.end - (len(text) - len(text.rstrip())))
    if end - start > EXPRESSION_CHARACTERS:
        report.error(
            "PS005",
            "the expression is too long",
            Span(span.source, start, start + 1),
            f"more than {EXPRESSION_CHARACTERS:,} characters",
            help="name parts of it in `define:`",
        )
        return None
    with _LOCK:
        _BUILDER.source = span.source
        try:
            tree = _lark().parse(TextSlice(span.source.text, start, end), start=kind)
        except UnexpectedInput as error:
            explain(error, kind, Span(span.source, start, end), report, hint)
            return None
        except InvalidLiteralError as error:
            report.error(
                error.code,
                str(error),
                error.span,
                "past every limit" if error.code == "PS402" else "no such value",
                help=hint,
            )
            return None
    assert isinstance(tree, s.Node)
    if s.nesting(tree) > DEPTH:
        report.error(
            "PS006",
            "the expression nests too deep",
            Span(span.source, start, start + 1),
            f"more than {DEPTH} levels",
            help="name parts of it in `define:`",
        )
        return None
    span.source.trees[kind, span.start, span.end] = tree
    _cache_tree(kind, text, tree, span.start)
    return tree


def _cache_tree(kind: StartSymbol, text: str, tree: s.Node, start: int) -> None:
    """Cache a tree for other occurrences of the same text, since tasks of a suite are similar."""
    if len(_PARSED) >= MAX_CACHED_TEXTS:
        _PARSED.clear()
    _PARSED[kind, text] = s.moved_copy(tree, Source("", text), -start)


def is_quoted_rule(span: Span, *, texts_allowed: bool) -> bool:
    """Return whether the author put a whole expression in quotes, so that it is a string by mistake.

    Args:
        span: the expression.
        texts_allowed: whether a string is allowed in this position. If so, only a condition in quotes is a mistake.
    """
    inner = _within_quotes(span)
    if inner is None or not texts_allowed:
        return inner is not None
    match parse("expression", inner, Report()):
        case s.ComparisonChain() | s.Connective() | s.Unary(op="not") | s.Binary(op="implies"):
            return True
        case s.CallOf(args=(s.Generator(),)):
            return True
    return False


def quoted_expression(span: Span) -> s.Tree | None:
    """Return the syntax tree of a quoted expression; None if the quotes hold only a name or value."""
    inner = _within_quotes(span)
    tree = None if inner is None else parse("expression", inner, Report())
    single = s.Name | s.Number | s.Text | s.BooleanLiteral | s.Nothing
    return None if tree is None or isinstance(tree, single) else tree


def _within_quotes(span: Span) -> Span | None:
    """Return the span between the quotes if the whole text is one quoted string, otherwise None."""
    text = span.text.strip()
    if len(text) < 2 or text[0] not in "\"'" or text[-1] != text[0] or text[0] in text[1:-1]:
        return None
    start = span.start + span.text.index(text) + 1
    return Span(span.source, start, start + len(text) - 2)


Children: TypeAlias = list[Any]
"""The nodes, tokens and lists of a grammar rule. Their types depend on the grammar."""


def _nodes(items: Children) -> tuple[Any, ...]:
    return tuple(item for item in items if isinstance(item, s.Node))


class _Builder(Transformer[Token, s.Node]):
    """Creates a syntax node for each grammar rule. The span of a node covers the spans of its children."""

    source: Source

    def _span(self, items: Children) -> Span:
        first, last = items[0], items[-1]
        while isinstance(first, list):
            first = first[0]
        while isinstance(last, list):
            last = last[-1]
        start = first.span.start if isinstance(first, s.Node) else first.start_pos
        end = last.span.end if isinstance(last, s.Node) else last.end_pos
        assert start is not None and end is not None
        return Span(self.source, start, end)

    def _token(self, token: Token) -> Span:
        assert token.start_pos is not None and token.end_pos is not None
        return Span(self.source, token.start_pos, token.end_pos)

    def expression(self, c: Children) -> Any:
        return c[0]

    def domain(self, c: Children) -> Any:
        return s.DomainTree(self._span(c), c[0], len(c) > 1)

    def domain_body(self, c: Children) -> Any:
        return c[0]

    def column(self, c: Children) -> Any:
        key = isinstance(c[0], Token)
        type_tree = c[1] if key else c[0]
        default = c[-1] if not isinstance(c[-1], s.TypeTree) else None
        return s.ColumnTree(self._span(c), type_tree, key, default)

    def type(self, c: Children) -> Any:
        name: s.TypeTree = c[0]
        return s.TypeTree(self._span(c), name.name, name.name_span, name.wrapper, len(c) > 1)

    def type_name(self, c: Children) -> Any:
        wrapper = str(c[0]) if len(c) == 3 else ""
        return s.TypeTree(self._span(c), str(c[-1]), self._token(c[-1]), wrapper, False)

    def signature(self, c: Children) -> Any:
        params = tuple(x for x in c if isinstance(x, tuple)) if len(c) > 1 else None
        return s.SignatureTree(Span(self.source, c[0].start_pos, c[-1].end_pos), str(c[0]), params)

    def param(self, c: Children) -> Any:
        return (s.Name(self._token(c[0]), str(c[0])), c[1])

    def binder(self, c: Children) -> Any:
        clauses = tuple(x for x in c if isinstance(x, s.For))
        return s.BinderTree(clauses[0].span.to(clauses[-1].span), clauses)

    def ternary(self, c: Children) -> Any:
        return s.Ternary(self._span(c), c[0], c[2], c[4])

    def _binary(self, c: Children) -> Any:
        return s.Binary(self._span(c), str(c[1]), c[0], c[2], self._token(c[1]))

    implication = coalesce = product = _binary

    def sum(self, c: Children) -> Any:
        binary = self._binary(c)
        if binary.span.end - binary.span.start <= 10 and SHORT_DATE.fullmatch(binary.span.text):
            text = "-".join(part.zfill(2) for part in binary.span.text.split("-"))
            raise InvalidLiteralError("PS105", f"a date has two digits for month and day: `{text}`", binary.span)
        return binary

    def disjunction(self, c: Children) -> Any:
        return s.Connective(self._span(c), "or", tuple(c[::2]))

    def conjunction(self, c: Children) -> Any:
        return s.Connective(self._span(c), "and", tuple(c[::2]))

    def negation(self, c: Children) -> Any:
        return s.Unary(self._span(c), "not", c[1])

    def minus(self, c: Children) -> Any:
        return s.Unary(self._span(c), "-", c[1])

    def compare_op(self, c: Children) -> Any:
        return list(c)

    def is_op(self, c: Children) -> Any:
        return list(c)

    def comparison(self, c: Children) -> Any:
        operands, ops, op_spans = [c[0]], [], []
        for item in c[1:]:
            if not isinstance(item, list):
                operands.append(item)
                continue
            words = [str(token) for token in item]
            if words[0] == "is":
                last = self._token(item[-1])
                operands.append(s.Nothing(last) if words[-1] == "none" else s.Unknown(last))
                words, item = words[:-1], item[:-1]
            ops.append(" ".join(words))
            op_spans.append(self._span(item))
        span = Span(self.source, operands[0].span.start, operands[-1].span.end)
        return s.ComparisonChain(span, tuple(operands), tuple(ops), tuple(op_spans))

    def range(self, c: Children) -> Any:
        return s.RangeTree(self._span(c), c[0], c[2], c[4] if len(c) > 3 else None)

    def attribute(self, c: Children) -> Any:
        return s.Attribute(self._span(c), c[0], str(c[2]), self._token(c[2]))

    def subscript(self, c: Children) -> Any:
        return s.Subscript(self._span(c), c[0], _nodes(c[1:]))

    def call(self, c: Children) -> Any:
        inside = c[2] if isinstance(c[2], list) else []
        args = _nodes([x for x in inside if not isinstance(x, s.Keyword)])
        keywords = tuple(x for x in inside if isinstance(x, s.Keyword))
        return s.CallOf(self._span([c[0], c[-1]]), c[0], args, keywords)

    def generator_args(self, c: Children) -> Any:
        return list(c)

    def arguments(self, c: Children) -> Any:
        return list(c)

    def keyword(self, c: Children) -> Any:
        return s.Keyword(self._span(c), str(c[0]), c[2])

    def generator(self, c: Children) -> Any:
        return s.Generator(self._span(c), c[0], tuple(x for x in c[1:] if isinstance(x, s.For)))

    def for_part(self, c: Children) -> Any:
        at = next(i for i, x in enumerate(c) if isinstance(x, Token) and x.type == "IN")
        targets = tuple(s.Name(self._token(x), str(x)) for x in c[:at] if x.type == "NAME")
        condition = c[at + 3] if len(c) > at + 2 else None
        return s.For(self._span(c), targets, c[at + 1], condition)

    def name(self, c: Children) -> Any:
        return s.Name(self._token(c[0]), str(c[0]))

    def parens(self, c: Children) -> Any:
        return s.Parens(self._span(c), c[1])

    def braces(self, c: Children) -> Any:
        return s.Braces(self._span(c), _nodes(c))

    def truth(self, c: Children) -> Any:
        return s.BooleanLiteral(self._token(c[0]), str(c[0]) == "true")

    def nothing(self, c: Children) -> Any:
        return s.Nothing(self._token(c[0]))

    def text(self, c: Children) -> Any:
        return s.Text(self._token(c[0]), normalize_text(str(c[0])[1:-1]))

    def number(self, c: Children) -> Any:
        return number(c[0], self._token(c[0]))


_BUILDER = _Builder()
