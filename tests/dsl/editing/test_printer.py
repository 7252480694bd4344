"""The printer writes equal trees as the same text, and the parser reads an equal tree from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import NOWHERE, Source, Span
from planspec.dsl.editing.printer import print_tree
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.syntax.parser_table import STARTS, StartSymbol


def read(text: str, kind: StartSymbol = "expression") -> s.Node:
    """Parse a text, which must have no mistakes."""
    report = Report()
    tree = parse(kind, Span(Source("x", text), 0, len(text)), report)
    assert tree is not None, (text, [d.message for d in report.diagnostics])
    assert isinstance(tree, s.Node)
    return tree


def shape(node: Any) -> Any:
    """Convert a tree to tuples, without positions and without parentheses that only group."""
    while isinstance(node, s.Parens) and not isinstance(node.inner, s.RangeTree | s.Generator):
        node = node.inner
    if isinstance(node, tuple):
        return tuple(shape(item) for item in node)
    if not isinstance(node, s.Node):
        return node
    parts = [f.name for f in fields(node) if not f.name.endswith(("span", "spans"))]
    return (type(node).__name__, *(shape(getattr(node, part)) for part in parts))


# -- generated trees ----------------------------------------------------------------------------------

NAMES = ("a", "b", "visits", "_p1", "Straße", "key", "set", "of", "step")
names = st.sampled_from(NAMES).map(lambda name: s.Name(NOWHERE, name))
spaces = st.sampled_from(["", " ", "  ", "\n  ", "\t"])


def number(kind: str, values: st.SearchStrategy[Any], unit: str | None = None) -> st.SearchStrategy[s.Number]:
    """Return a strategy for numbers of a kind, with a unit."""
    return values.map(lambda value: s.Number(NOWHERE, kind, value, unit))


numbers = st.one_of(
    number("int", st.integers(0, 10**12)),
    number("decimal", st.decimals(0, 1000, places=3).map(lambda d: Fraction(str(d)))),
    number("date", st.integers(1, 3_652_059)),
    number("time", st.integers(0, 99 * 60 + 59)),
    number("duration", st.integers(0, 10_000)),
    number("distance", st.integers(0, 100_000)),
    number("money", st.decimals(0, 10_000, places=2), "EUR"),
)
texts = st.one_of(
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters='"'), max_size=4),
    st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="'"), max_size=4),
).map(lambda value: s.Text(NOWHERE, value))
leaves = st.one_of(
    names, numbers, texts, st.booleans().map(lambda b: s.BooleanLiteral(NOWHERE, b)), st.just(s.Nothing(NOWHERE))
)


def ranges(inner: st.SearchStrategy[s.Tree]) -> st.SearchStrategy[s.RangeTree]:
    """Return a strategy for ranges."""
    return st.builds(s.RangeTree, st.just(NOWHERE), inner, inner, st.none() | inner)


def clauses(inner: st.SearchStrategy[s.Tree]) -> st.SearchStrategy[s.For]:
    """Return a strategy for clauses `for ... in ... if`."""
    targets = st.lists(names, min_size=1, max_size=2).map(tuple)
    return st.builds(s.For, st.just(NOWHERE), targets, inner | ranges(inner), st.none() | inner)


def generators(inner: st.SearchStrategy[s.Tree]) -> st.SearchStrategy[s.Generator]:
    """Return a strategy for generators."""
    each = st.lists(clauses(inner), min_size=1, max_size=2).map(tuple)
    return st.builds(s.Generator, st.just(NOWHERE), inner, each)


def keywords(inner: st.SearchStrategy[s.Tree]) -> st.SearchStrategy[tuple[s.Keyword, ...]]:
    """Return a strategy for keyword arguments."""
    one = st.builds(lambda name, value: s.Keyword(NOWHERE, name.name, value), names, inner)
    return st.lists(one, max_size=2).map(tuple)


@st.composite
def comparisons(draw: st.DrawFn, inner: st.SearchStrategy[s.Tree]) -> s.ComparisonChain:
    """Draw a chain of comparisons."""
    operands: list[s.Tree] = [draw(inner)]
    ops = []
    for _ in range(draw(st.integers(1, 2))):
        op = draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"]))
        last: st.SearchStrategy[s.Tree] = st.sampled_from([s.Nothing(NOWHERE), s.Unknown(NOWHERE)])
        operands.append(draw(last if op.startswith("is") else inner | ranges(inner)))
        ops.append(op)
    return s.ComparisonChain(NOWHERE, tuple(operands), tuple(ops), (NOWHERE,) * len(ops))


def branches(inner: st.SearchStrategy[s.Tree]) -> st.SearchStrategy[s.Tree]:
    """Return a strategy for trees whose children are trees of `inner`."""
    nowhere = st.just(NOWHERE)
    many = st.lists(inner, min_size=1, max_size=3).map(tuple)
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    alone = generators(inner).map(lambda g: (g,))
    operators = st.sampled_from(["+", "-", "*", "//", "%", "??", "implies"])
    return st.one_of(
        st.builds(s.Attribute, nowhere, inner, st.sampled_from(NAMES), nowhere),
        st.builds(s.Subscript, nowhere, inner, many),
        st.builds(s.CallOf, nowhere, names, alone | many | st.just(()), keywords(inner)),
        st.builds(s.Braces, nowhere, many | st.just(())),
        st.builds(s.Parens, nowhere, ranges(inner) | generators(inner)),
        st.builds(s.Unary, nowhere, st.sampled_from(["-", "not"]), inner),
        st.builds(s.Binary, nowhere, operators, inner, inner, nowhere),
        st.builds(s.Connective, nowhere, st.sampled_from(["and", "or"]), several),
        comparisons(inner),
        st.builds(s.Ternary, nowhere, inner, inner, inner),
    )


trees: st.SearchStrategy[s.Tree] = st.recursive(leaves, branches, max_leaves=12)
types = st.builds(
    s.TypeTree,
    st.just(NOWHERE),
    st.sampled_from(["a", "int", "Place"]),
    st.just(NOWHERE),
    st.sampled_from(["", "set", "list"]),
    st.booleans(),
)
slices: dict[StartSymbol, st.SearchStrategy[s.Node]] = {
    "expression": trees,
    "domain": st.builds(s.DomainTree, st.just(NOWHERE), trees | ranges(trees) | generators(trees), st.booleans()),
    "column": st.builds(s.ColumnTree, st.just(NOWHERE), types, st.booleans(), st.none() | trees),
    "type": types,
    "signature": st.builds(
        s.SignatureTree,
        st.just(NOWHERE),
        st.sampled_from(NAMES),
        st.none() | st.lists(st.tuples(names, types), max_size=3).map(tuple),
    ),
    "binder": st.builds(s.BinderTree, st.just(NOWHERE), st.lists(clauses(trees), min_size=1, max_size=2).map(tuple)),
}


@pytest.mark.parametrize("kind", STARTS)
@given(data=st.data())
def test_a_printed_tree_parses_to_itself(kind: StartSymbol, data: st.DataObject) -> None:
    tree = data.draw(slices[kind])
    text = print_tree(tree)
    again = read(text, kind)
    assert shape(again) == shape(tree)
    assert print_tree(again) == text


@pytest.mark.parametrize("kind", STARTS)
@given(data=st.data(), width=st.integers(1, 60))
def test_line_ends_do_not_change_the_tree(kind: StartSymbol, data: st.DataObject, width: int) -> None:
    tree = data.draw(slices[kind])
    text = print_tree(tree, width=width)
    assert shape(read(text, kind)) == shape(tree)
    assert print_tree(read(text, kind), width=width) == text
    if len(print_tree(tree)) <= width:
        assert text == print_tree(tree)


# -- written texts ------------------------------------------------------------------------------------


def loosely_written_text(tree: s.Tree, space: Callable[[], str]) -> str:  # noqa: C901 one case for each kind of tree
    """Return a text of a tree with parentheses around every part and arbitrary whitespace between tokens."""

    def inner(node: s.Tree) -> str:
        if isinstance(node, s.RangeTree):
            return range_text(node)
        return f"({space()}{loosely_written_text(node, space)}{space()})"

    def range_text(node: s.RangeTree) -> str:
        step = f" step {inner(node.step)}" if node.step is not None else ""
        return f"{inner(node.low)}{space()}..{space()}{inner(node.high)}{step}"

    def clause(node: s.For) -> str:
        condition = f" if {inner(node.condition)}" if node.condition is not None else ""
        return f" for {f'{space()},'.join(t.name for t in node.targets)} in {inner(node.source)}{condition}"

    def generator_text(node: s.Generator) -> str:
        return inner(node.body) + "".join(map(clause, node.clauses))

    def list_text(nodes: tuple[s.Tree, ...]) -> str:
        return f"{space()},{space()}".join(map(inner, nodes))

    match tree:
        case s.Attribute(value=value, name=name):
            return f"{inner(value)}{space()}.{space()}{name}"
        case s.Subscript(value=value, keys=keys):
            return f"{inner(value)}{space()}[{list_text(keys)}]"
        case s.CallOf(function=function, args=args, keywords=named):
            first = args[0] if args else None
            written = [generator_text(first)] if isinstance(first, s.Generator) else [inner(arg) for arg in args]
            written += [f"{k.name}{space()}={space()}{inner(k.value)}" for k in named]
            return f"{function.name}{space()}({space()}{','.join(written)})"
        case s.Braces(items=items):
            return f"{{{space()}{list_text(items)}{',' if items else ''}{space()}}}"
        case s.Parens(inner=s.RangeTree() as made):
            return f"({range_text(made)})"
        case s.Parens(inner=s.Generator() as made):
            return f"({generator_text(made)})"
        case s.Unary(op=op, operand=operand):
            return f"{op}{space()}{inner(operand)}"
        case s.Binary(op=op, left=left, right=right):
            return f"{inner(left)}{space()}{op}{space()}{inner(right)}"
        case s.Connective(op=op, items=items):
            return f"{space()}{op}{space()}".join(map(inner, items))
        case s.ComparisonChain(operands=operands, ops=ops):
            links = inner(operands[0])
            for op, operand in zip(ops, operands[1:], strict=True):
                bare = op.startswith("is")
                links += f" {op.replace(' ', '  ')} " + (print_tree(operand) if bare else inner(operand))
            return links
        case s.Ternary(then=then, condition=condition, otherwise=otherwise):
            return f"{inner(then)} if {inner(condition)} else {inner(otherwise)}"
        case _:
            return print_tree(tree)


@given(tree=trees, data=st.data())
def test_superfluous_parentheses_and_whitespace_are_not_printed(tree: s.Tree, data: st.DataObject) -> None:
    written = loosely_written_text(tree, lambda: data.draw(spaces))
    printed = print_tree(read(written))
    assert shape(read(written)) == shape(tree)
    assert shape(read(printed)) == shape(tree)
    assert printed == print_tree(tree)
    assert "\n" not in printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("(a and b) or ((c))", "a and b or c"),
        ("(a or b) and c", "(a or b) and c"),
        ("(a and b) and c", "(a and b) and c"),
        ("not(a==b)", "not a == b"),
        ("(not a) == b", "(not a) == b"),
        ("a-(b-c)-d", "a - (b - c) - d"),
        ("(a*b)+(c//d)%e", "a * b + c // d % e"),
        ("-(-x . y)", "--x.y"),
        ("(-x).y", "(-x).y"),
        ("a implies (b implies c)", "a implies b implies c"),
        ("(a implies b) implies c", "(a implies b) implies c"),
        ("(a ?? b) ?? (c ?? d)", "(a ?? b) ?? c ?? d"),
        ("x if a else (y if b else z)", "x if a else y if b else z"),
        ("(x if a else y) if b else z", "(x if a else y) if b else z"),
        ("a  is  not   none and b is unknown", "a is not none and b is unknown"),
        ("v.start in(09:00..12:00 step 5min)", "v.start in (09:00..12:00 step 5min)"),
        ("v.start in 09:00 .. 12:00", "v.start in 09:00..12:00"),
        ("count( ( r for r in R ) )", "count((r for r in R))"),
        ("any(true for v in (a if b else c) if(p))", "any(true for v in (a if b else c) if p)"),
        ("steps( v for v in visits , by = v.start )", "steps(v for v in visits, by=v.start)"),
        ("f( by=1 , b , )", "f(by=1, b)"),
        ("f( )", "f()"),
        ("{a,b , }", "{a, b}"),
        ("Leg[a,b ,taxi] . time", "Leg[a, b, taxi].time"),
    ],
)
def test_only_necessary_parentheses_and_spaces_are_written(written: str, printed: str) -> None:
    assert print_tree(read(written)) == printed


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("12EUR", "12 EUR"),
        ("012.50   EUR", "12.50 EUR"),
        ("9:05", "09:05"),
        ("025:30", "25:30"),
        ("90min", "90min"),
        ("01h05min", "1h5min"),
        ("2d", "2d"),
        ("0850m", "850m"),
        ("3.20km", "3.20km"),
        ("0.350", "0.350"),
        ("007", "7"),
        ("0", "0"),
        ("2026-07-01", "2026-07-01"),
        ("2026 - 07 - 01", "2026 - 7 - 1"),
        ("'it'", "'it'"),
        ('"it"', '"it"'),
    ],
)
def test_a_literal_keeps_its_unit_and_its_quotes(written: str, printed: str) -> None:
    assert print_tree(read(written)) == printed


@pytest.mark.parametrize(
    ("kind", "written", "printed"),
    [
        ("domain", "( r for r in R if r.x ) ?", "(r for r in R if r.x)?"),
        ("domain", "a for a in A", "a for a in A"),
        ("domain", "08:00 .. 24:00 step 5min", "08:00..24:00 step 5min"),
        ("column", "key   set  of Cuisine={ }", "key set of Cuisine = {}"),
        ("column", "int=(1)", "int = 1"),
        ("type", "list of Place ?", "list of Place?"),
        ("signature", "f( v visits ,x set of City? )", "f(v visits, x set of City?)"),
        ("signature", "f( )", "f()"),
        ("binder", "w  in Wish if (w.open) for d in trip", "w in Wish if w.open for d in trip"),
        ("binder", "a , b in steps(p for p in via)", "a, b in steps(p for p in via)"),
    ],
)
def test_every_kind_of_expression_and_declaration_is_printed_in_its_canonical_form(
    kind: StartSymbol, written: str, printed: str
) -> None:
    assert print_tree(read(written, kind)) == printed


def lines(text: str, width: int) -> list[str]:
    """Return the lines of an expression printed to this width."""
    return print_tree(read(text), width=width).split("\n")


def test_lines_are_broken_at_the_outermost_connective_first() -> None:
    assert lines("a.long and b.long and (c.long or d.long)", 30) == [
        "a.long",
        "and b.long",
        "and (c.long or d.long)",
    ]


def test_a_generator_breaks_before_its_for_and_aligns_with_its_body() -> None:
    text = "all(any(x.open <= v.start for x in Window if x.place == v.place) for v in visits if v.place == p)"
    assert lines(text, 50) == [
        "all(any(x.open <= v.start",
        "        for x in Window if x.place == v.place)",
        "    for v in visits if v.place == p)",
    ]


def test_each_case_of_a_chain_of_conditionals_begins_a_line() -> None:
    assert lines("first if one.condition else second if other.condition else third", 40) == [
        "first if one.condition",
        "else second if other.condition",
        "else third",
    ]


def test_an_implication_is_broken_before_implies() -> None:
    assert lines("first.condition is none implies second.condition", 30) == [
        "first.condition is none",
        "implies second.condition",
    ]


def test_a_text_with_both_kinds_of_quotes_is_refused() -> None:
    with pytest.raises(ValueError, match="no text can be written"):
        print_tree(s.Text(NOWHERE, "'\""))


def test_a_generated_number_is_printed_from_its_value() -> None:
    literals = [("money", Decimal("12.50"), "EUR"), ("duration", 90, None), ("decimal", Fraction(3), None)]
    assert [print_tree(s.Number(NOWHERE, *part)) for part in literals] == ["12.50 EUR", "1h30min", "3.0"]
