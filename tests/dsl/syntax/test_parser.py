"""The grammar is unambiguous, and every node has its position."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files

import lark
import pytest
from lark import Lark, Transformer, logger
from lark.exceptions import UnexpectedInput

from planspec.dsl.check.names import WORDS
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.syntax.parser_table import STARTS, StartSymbol, build_parser, grammar_stamp, parser


def tree(text: str, kind: StartSymbol = "expression") -> s.Node:
    """Parse a text, which must have no mistakes."""
    report = Report()
    root = parse(kind, Span(Source("x", text), 0, len(text)), report)
    assert root is not None, report.diagnostics
    return root


def shape(node: s.Node) -> object:
    """Convert a tree to nested lists of operators and texts of leaves."""
    match node:
        case s.Binary(op=op, left=a, right=b):
            return [shape(a), op, shape(b)]
        case s.Unary(op=op, operand=x):
            return [op, shape(x)]
        case s.Connective(op=op, items=items):
            return [op, *map(shape, items)]
        case s.ComparisonChain(operands=operands, ops=ops):
            return [
                shape(operands[0]),
                *(part for op, x in zip(ops, operands[1:], strict=True) for part in (op, shape(x))),
            ]
        case s.Ternary(then=a, condition=c, otherwise=b):
            return [shape(a), "if", shape(c), "else", shape(b)]
        case s.RangeTree(low=a, high=b, step=step):
            return [shape(a), "..", shape(b), *([] if step is None else ["step", shape(step)])]
        case s.Parens(inner=inner):
            return ["(", shape(inner), ")"]
    return node.span.text


@pytest.mark.slow
def test_the_grammar_has_no_conflict(caplog: pytest.LogCaptureFixture) -> None:
    grammar = files("planspec.dsl.syntax").joinpath("grammar.lark").read_text("utf-8")
    with caplog.at_level(logging.DEBUG, logger=logger.name):
        Lark(grammar, start=list(STARTS), parser="lalr", lexer="contextual", debug=True, strict=True)
    assert not [record.message for record in caplog.records if "onflict" in record.message]


def test_the_stored_table_is_that_of_the_grammar() -> None:
    """If this test fails, run `make grammar`. Other versions of Lark build their own table."""
    grammar = files("planspec.dsl.syntax").joinpath("grammar.lark").read_text("utf-8")
    stored = json.loads(files("planspec.dsl.syntax").joinpath("grammar.json").read_text("utf-8"))["stamp"]
    assert stored.partition(", ")[2] == grammar_stamp(grammar).partition(", ")[2]


@pytest.mark.thorough
@pytest.mark.slow
def test_the_table_does_not_depend_on_the_hashes_of_the_process() -> None:
    """Lark keeps states in sets of strings, whose order depends on the hashes.

    With the same version of Lark, the table is the stored one.
    """
    texts = {
        subprocess.run(
            [sys.executable, "-P", "-c", "import planspec.dsl.syntax.parser_table as p; print(p.table_text(), end='')"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(texts) == 1
    stored = files("planspec.dsl.syntax").joinpath("grammar.json").read_text("utf-8")
    if f"lark {lark.__version__}," in stored:
        longest = re.compile(
            r"\b(18446744073709551616|4294967295)\b"
        )  # the maximum width of a regular expression differs between versions of Python
        assert longest.sub("longest", texts.pop()) == longest.sub("longest", stored)


@pytest.mark.slow
@pytest.mark.parametrize("kind", STARTS)
def test_the_stored_table_parses_as_the_grammar_does(kind: StartSymbol) -> None:
    """The trees agree, and also the positions of syntax errors."""
    grammar = files("planspec.dsl.syntax").joinpath("grammar.lark").read_text("utf-8")
    fresh, stored = build_parser(grammar), parser(Transformer())
    for text in (
        "a.b[1]",
        "sum(x.y for x in t if x is none) <= 3",
        "{a, b}?",
        "key text = 3",
        "f(v t)",
        "x in y if z",
    ):
        results: list[object] = []
        for each in (fresh, stored):
            try:
                results.append(each.parse(text, start=kind))
            except UnexpectedInput as error:
                results.append(f"{type(error).__name__} at {error.pos_in_stream}")
        assert results[0] == results[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a if b else c if d else e", ["a", "if", "b", "else", ["c", "if", "d", "else", "e"]]),
        ("a implies b implies c", ["a", "implies", ["b", "implies", "c"]]),
        ("a or b and not c == d", ["or", "a", ["and", "b", ["not", ["c", "==", "d"]]]]),
        ("a or b or c", ["or", "a", "b", "c"]),
        ("a and b implies c or d", [["and", "a", "b"], "implies", ["or", "c", "d"]]),
        ("a < b <= c != d", ["a", "<", "b", "<=", "c", "!=", "d"]),
        ("a not in b and c in d", ["and", ["a", "not in", "b"], ["c", "in", "d"]]),
        ("a is none and b is not unknown", ["and", ["a", "is", "none"], ["b", "is not", "unknown"]]),
        ("a ?? b ?? c + d", ["a", "??", ["b", "??", ["c", "+", "d"]]]),
        ("a - b - c * d // e", [["a", "-", "b"], "-", [["c", "*", "d"], "//", "e"]]),
        ("-a.b % -c", [["-", "a.b"], "%", ["-", "c"]]),
        ("a == b ?? c", ["a", "==", ["b", "??", "c"]]),
        ("x in a + b..c step d", ["x", "in", [["a", "+", "b"], "..", "c", "step", "d"]]),
        ("not a in b", ["not", ["a", "in", "b"]]),
        ("(a..b) == (c)", [["(", ["a", "..", "b"], ")"], "==", ["(", "c", ")"]]),
        ("2026-07-01 - 2026-06-01", ["2026-07-01", "-", "2026-06-01"]),
        ("a-1", ["a", "-", "1"]),
        ("1-1-1", [["1", "-", "1"], "-", "1"]),
    ],
)
def test_operators_bind_as_the_language_defines(text: str, expected: object) -> None:
    assert shape(tree(text)) == expected


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0", "int", 0),
        ("17", "int", 17),
        ("0.350", "decimal", "7/20"),
        ("14:30", "time", 870),
        ("25:30", "time", 1530),
        ("2026-07-01", "date", 739798),
        ("90min", "duration", 90),
        ("1h30min", "duration", 90),
        ("3d", "duration", 4320),
        ("1d2h3min", "duration", 1563),
        ("2h", "duration", 120),
        ("12.50 EUR", "money", "12.50"),
        ("12EUR", "money", "12"),
        ("850m", "distance", 850),
        ("3.2km", "distance", 3200),
    ],
)
def test_a_literal_has_its_run_time_value(text: str, kind: str, value: object) -> None:
    literal = tree(text)
    assert isinstance(literal, s.Number)
    assert (literal.kind, literal.value if isinstance(value, int) else str(literal.value)) == (kind, value)


def test_every_span_is_the_text_of_its_node() -> None:
    text = "all(first(w for w in T, by=w.n).x[a, 2] >= -f(3, k) for v, u in s if v.y in {1, b} or not c)"
    root = tree(text)
    stack, seen = [root], []
    while stack:
        node = stack.pop()
        seen.append(node.span.text)
        stack.extend(s.children(node))
    assert root.span.text == text
    assert {
        "first(w for w in T, by=w.n).x[a, 2]",
        "-f(3, k)",
        "by=w.n",
        "{1, b}",
        "v.y in {1, b}",
        "w for w in T",
    } <= set(seen)
    assert "v, u in s if v.y in {1, b} or not c" in seen


def test_a_slice_of_a_longer_text_keeps_its_place() -> None:
    source = Source("x", "hard: a +  b # more")
    report = Report()
    root = parse("expression", Span(source, 5, 13), report)
    assert root is not None
    assert (root.span.start, root.span.text) == (6, "a +  b")


@pytest.mark.parametrize("word", sorted(WORDS))
def test_a_keyword_of_the_language_is_not_a_name(word: str) -> None:
    for text in (f"x.{word}", f"any(true for {word} in xs)"):
        report = Report()
        assert parse("expression", Span(Source("x", text), 0, len(text)), report) is None
        assert [diagnostic.span.text for diagnostic in report.diagnostics] == [word]


@pytest.mark.parametrize(
    "word", ["step", "key", "set", "list", "of", "unknown", "notable", "order", "is_it", "information"]
)
def test_keywords_of_types_and_ranges_are_names_elsewhere(word: str) -> None:
    assert shape(tree(f"{word} + x.{word} in 1..{word} step {word}"))


def test_mentions_of_a_tree_do_not_include_names_that_it_binds() -> None:
    mentioned = s.mentions(tree("any(v.a > f(w) for v in visits for u in g if u == v) and h"))
    assert set(mentioned) == {"any", "f", "w", "visits", "g", "h"}
    assert s.nesting(tree("a")) == 1
    assert s.nesting(tree("((a))")) == 3


def test_the_same_text_at_another_place_has_the_same_tree() -> None:
    text = "all(v.start >= 09:00 and f(v, {a, 2}) for v in visits if v.n in 1..3 step 1)"
    first = Source("one", f"{text}\n")
    second = Source("two", f"x: |\n  {text}")
    trees = [
        parse("expression", Span(src, src.text.index(text), src.text.index(text) + len(text)), Report())
        for src in (first, second)
    ]
    one, two = (list(_all_nodes(node)) for node in trees if node is not None)
    assert [type(node) for node in one] == [type(node) for node in two]
    assert [node.span.text for node in one] == [node.span.text for node in two]
    assert {node.span.source.name for node in two} == {"two"}
    calls = [node for node in two if isinstance(node, s.CallOf)]
    assert [call.function.span.text for call in calls] == ["all", "f"]


def _all_nodes(node: s.Node) -> Iterator[s.Node]:
    """Yield a node and all nodes below it."""
    yield node
    for child in s.children(node):
        yield from _all_nodes(child)
