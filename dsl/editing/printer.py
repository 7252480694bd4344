"""The printer: the canonical text of syntax trees.

Parentheses are written only if precedence requires them, or if they turn a range or generator into a set. A number
keeps the unit that its author wrote (`90min`), and a string its quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import assert_never

from planspec.dsl.editing.pretty import Align, Concat, Doc, Group, Line, concat, fill, join, render
from planspec.dsl.model.value_text import exact_text
from planspec.dsl.syntax import nodes as s

TERNARY, IMPLIES, OR, AND, NOT, COMPARISON, COALESCE, SUM, PRODUCT, MINUS, POSTFIX, ATOM = range(12)
"""The precedence levels of the grammar, from loosest to tightest."""

BINARY = {
    "implies": (IMPLIES, OR, IMPLIES),
    "??": (COALESCE, SUM, COALESCE),
    "+": (SUM, SUM, PRODUCT),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, MINUS),
    "//": (PRODUCT, PRODUCT, MINUS),
    "%": (PRODUCT, PRODUCT, MINUS),
}
"""The level of each operator, and the minimum levels of its operands."""

WRITTEN = re.compile(r"\d[\w.:-]*(?: *[A-Z]{3})?")
ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")


def print_tree(node: s.Node, *, width: int | None = None) -> str:
    """Return the canonical text of any syntax tree.

    Args:
        node: an expression, domain, column, type, signature or binder, or a part of one.
        width: maximum columns of a line; None for a single line. Lines break before `and`, `or`, `implies`,
            `for`, `if` and `else` and after the commas of a call, outermost first.

    Returns:
        Text that parses to the same tree, except for redundant parentheses.

    Raises:
        ValueError: a string cannot be written, because it has both kinds of quotes or a line end.
    """
    return render(_any(node), width)


def _any(node: s.Node) -> Doc:
    match node:
        case s.DomainTree(body=body, or_none=or_none):
            return concat(_unparenthesized(body), "?" if or_none else "")
        case s.ColumnTree(type=type_, key=key, default=default):
            tail = () if default is None else (" = ", Align(_in_parentheses_if_looser(default, TERNARY)))
            return concat("key " if key else "", _type(type_), *tail)
        case s.TypeTree():
            return _type(node)
        case s.SignatureTree(name=name, params=params):
            return name if params is None else concat(name, "(", ", ".join(map(_param, params)), ")")
        case s.BinderTree(clauses=clauses):
            words = ["", *["for "] * (len(clauses) - 1)]
            return Group(join(Line(), [_clause(c, word) for c, word in zip(clauses, words, strict=True)]))
        case s.For():
            return _clause(node, "for ")
        case s.Keyword(name=name, value=value):
            return concat(name, "=", Align(_in_parentheses_if_looser(value, TERNARY)))
    return _unparenthesized(_tree(node))


def _tree(node: s.Node) -> s.Tree:
    assert isinstance(node, s.Tree)
    return node


def _type(node: s.TypeTree) -> str:
    return (f"{node.wrapper} of " if node.wrapper else "") + node.name + ("?" if node.optional else "")


def _param(param: tuple[s.Name, s.TypeTree]) -> str:
    return f"{param[0].name} {_type(param[1])}"


def _unparenthesized(node: s.Tree) -> Doc:
    """Return the layout of a node, without parentheses around it if it is a range or a generator."""
    if isinstance(node, s.RangeTree):
        return _range(node)
    return _generator(node) if isinstance(node, s.Generator) else _in_parentheses_if_looser(node, TERNARY)


def _in_parentheses_if_looser(node: s.Tree, min_level: int) -> Doc:
    """Return the layout of a node, in parentheses if the node's level is looser than `min_level`."""
    node = without_parentheses(node)
    doc, level = _doc(node)
    return doc if level >= min_level else concat("(", Align(doc), ")")


def without_parentheses(node: s.Tree) -> s.Tree:
    """Return the node without its outer parentheses, unless they turn it into a set."""
    while isinstance(node, s.Parens) and not isinstance(node.inner, s.RangeTree | s.Generator):
        node = node.inner
    return node


def _doc(node: s.Tree) -> tuple[Doc, int]:  # noqa: C901 one case for each kind of expression
    """Return the layout of an expression, and the precedence level of its outermost operator."""
    match node:
        case s.Number():
            return number_text(node), ATOM
        case s.Text():
            return quoted_text(node), ATOM
        case s.BooleanLiteral(value=value):
            return "true" if value else "false", ATOM
        case s.Nothing():
            return "none", ATOM
        case s.Unknown():
            return "unknown", ATOM
        case s.Name(name=name):
            return name, ATOM
        case s.Parens(inner=inner):
            return concat("(", Align(_unparenthesized(inner)), ")"), ATOM
        case s.Braces(items=items):
            return concat("{", _comma_list(items), "}"), ATOM
        case s.Attribute(value=value, name=name):
            return concat(_in_parentheses_if_looser(value, POSTFIX), ".", name), POSTFIX
        case s.Subscript(value=value, keys=keys):
            return concat(_in_parentheses_if_looser(value, POSTFIX), "[", _comma_list(keys), "]"), POSTFIX
        case s.CallOf():
            return _call(node), POSTFIX
        case s.Unary(op="not", operand=operand):
            return concat("not ", Align(_in_parentheses_if_looser(operand, NOT))), NOT
        case s.Unary(operand=operand):
            return concat("-", _in_parentheses_if_looser(operand, MINUS)), MINUS
        case s.Binary(op=op, left=left, right=right):
            level, left_level, right_level = BINARY[op]
            if level == IMPLIES:
                ends = concat(Line(), "implies ", Align(_in_parentheses_if_looser(right, right_level)))
                return Group(concat(Align(_in_parentheses_if_looser(left, left_level)), ends)), level
            return concat(
                _in_parentheses_if_looser(left, left_level), f" {op} ", _in_parentheses_if_looser(right, right_level)
            ), level
        case s.Connective(op=op, items=items):
            level = AND if op == "and" else OR
            operands: list[Doc] = [Align(_in_parentheses_if_looser(item, level + 1)) for item in items]
            return Group(join(concat(Line(), f"{op} "), operands)), level
        case s.ComparisonChain():
            return _comparison(node), COMPARISON
        case s.Ternary():
            return _ternary(node), TERNARY
        case s.RangeTree():
            return _range(node), -1
        case s.Generator():
            return _generator(node), -1
        case _:
            assert_never(node)


def _ternary(node: s.Ternary) -> Doc:
    """Return the layout of a chain of conditionals, with its cases below each other."""
    cases: list[Doc] = []
    rest: s.Tree = node
    while isinstance(rest, s.Ternary):
        condition = concat("if ", Align(_in_parentheses_if_looser(rest.condition, IMPLIES)))
        cases.append(Group(concat(Align(_in_parentheses_if_looser(rest.then, IMPLIES)), Line(), condition)))
        rest = without_parentheses(rest.otherwise)
    return Group(join(concat(Line(), "else "), [*map(Align, cases), Align(_in_parentheses_if_looser(rest, TERNARY))]))


def _comma_list(items: Iterable[s.Tree]) -> Doc:
    return Align(fill(",", [_in_parentheses_if_looser(item, TERNARY) for item in items]))


def _call(node: s.CallOf) -> Doc:
    first = node.args[0] if node.args else None
    if isinstance(first, s.Generator):
        arguments: list[Doc] = [_generator(first), *map(_any, node.keywords)]
    else:
        # In source order, because an author may write keywords before other arguments. Generated trees keep their order.
        inside = sorted((*node.args, *node.keywords), key=lambda item: item.span.start)
        arguments = [_any(x) if isinstance(x, s.Keyword) else _in_parentheses_if_looser(x, TERNARY) for x in inside]
    return concat(node.function.name, "(", Align(fill(",", arguments)), ")")


def _comparison(node: s.ComparisonChain) -> Doc:
    parts: list[Doc] = [_in_parentheses_if_looser(node.operands[0], COALESCE)]
    for op, operand in zip(node.ops, node.operands[1:], strict=True):
        right = _range(operand) if isinstance(operand, s.RangeTree) else _in_parentheses_if_looser(operand, COALESCE)
        parts.extend((f" {op} ", right))
    return Concat(tuple(parts))


def _range(node: s.RangeTree) -> Doc:
    step: tuple[Doc, ...] = () if node.step is None else (" step ", _in_parentheses_if_looser(node.step, COALESCE))
    return concat(
        _in_parentheses_if_looser(node.low, COALESCE),
        "..",
        _in_parentheses_if_looser(node.high, COALESCE),
        *step,
    )


def _generator(node: s.Generator) -> Doc:
    clauses = [_clause(clause, "for ") for clause in node.clauses]
    return Group(join(Line(), [Align(_in_parentheses_if_looser(node.body, TERNARY)), *clauses]))


def _clause(node: s.For, word: str) -> Doc:
    targets = ", ".join(target.name for target in node.targets)
    ranged = isinstance(node.source, s.RangeTree)
    source = (
        _range(node.source) if isinstance(node.source, s.RangeTree) else _in_parentheses_if_looser(node.source, IMPLIES)
    )
    head = concat(f"{word}{targets} in ", source if ranged else Align(source))
    if node.condition is None:
        return head
    return Group(concat(head, Line(), "if ", Align(_in_parentheses_if_looser(node.condition, IMPLIES))))


def number_text(node: s.Number) -> str:
    """Return a number in canonical form, from its source text or, if it has none, from its value."""
    text = node.span.text
    if not WRITTEN.fullmatch(text):
        return _generated_number(node)
    if node.kind == "time":
        hours, minutes = text.split(":")
        return f"{hours.lstrip('0').rjust(2, '0')}:{minutes}"
    if node.kind == "date":
        return text
    if node.kind == "money":
        text = f"{text[:-3].strip()} {text[-3:]}"
    return ZEROS.sub("", text)


def _generated_number(node: s.Number) -> str:
    value = node.value
    match node.kind:
        case "date":
            return date.fromordinal(value).isoformat()
        case "time":
            return f"{value // 60:02d}:{value % 60:02d}"
        case "duration":
            hours, minutes = divmod(value, 60)
            return (f"{hours}h" if hours else "") + (f"{minutes}min" if minutes or not hours else "")
        case "money":
            return f"{Decimal(value):f} {node.unit}"
        case "distance":
            return f"{value // 1000}km" if value and value % 1000 == 0 else f"{value}m"
        case "decimal":
            text = exact_text(Fraction(value))
            return text if "." in text else f"{text}.0"
        case _:
            return str(value)


def quoted_text(node: s.Text) -> str:
    """Return a string in the quotes of its source text.

    A string without a source text gets double quotes, or single quotes if it contains double quotes.

    Raises:
        ValueError: the string cannot be written.
    """
    written = node.span.text
    if written[1:-1] == node.value and written[:1] in {"'", '"'} and written[:1] == written[-1:]:
        return written
    quote = "'" if '"' in node.value else '"'
    if quote in node.value or "\n" in node.value:
        raise ValueError(f"no text can be written as {node.value!r}")
    return f"{quote}{node.value}{quote}"
