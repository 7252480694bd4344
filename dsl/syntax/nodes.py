"""The syntax tree: an expression's structure before its names are resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any, TypeAlias, TypeVar

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.syntax.node_fields import node_fields, reader


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Base class of all nodes. `span` is the location of the node's text."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    """An unsigned literal with a unit: `kind` is a scalar type's name, `value` its run-time value.

    The value of money is a decimal amount in main units; the currency is in `unit`.
    """

    kind: str
    value: Any
    unit: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Text(Node):
    """A quoted string, decoded."""

    value: str


@dataclass(frozen=True, slots=True, eq=False)
class BooleanLiteral(Node):
    """`true` or `false`."""

    value: bool


@dataclass(frozen=True, slots=True, eq=False)
class Nothing(Node):
    """`none`."""


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    """A bare name."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Attribute(Node):
    """`value.name`; `name_span` is the span of the name."""

    value: Tree
    name: str
    name_span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Subscript(Node):
    """`value[key, ...]`."""

    value: Tree
    keys: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Keyword(Node):
    """`name=value` in a call."""

    name: str
    value: Tree


@dataclass(frozen=True, slots=True, eq=False)
class CallOf(Node):
    """`function(args)`; a single generator may take the place of the arguments."""

    function: Name
    args: tuple[Tree, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True, slots=True, eq=False)
class For(Node):
    """`for targets in source if condition`."""

    targets: tuple[Name, ...]
    source: Tree
    condition: Tree | None


@dataclass(frozen=True, slots=True, eq=False)
class Generator(Node):
    """`body for ... for ... if ...`."""

    body: Tree
    clauses: tuple[For, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Braces(Node):
    """`{a, b}`."""

    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Parens(Node):
    """`( ... )`, stored because a range or a generator in it is a set."""

    inner: Tree


@dataclass(frozen=True, slots=True, eq=False)
class RangeTree(Node):
    """`low..high step s`."""

    low: Tree
    high: Tree
    step: Tree | None


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    """`-x` or `not x`."""

    op: str
    operand: Tree


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    """`left op right` for `+ - * // % ?? implies`; `op_span` is the span of the operator."""

    op: str
    left: Tree
    right: Tree
    op_span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Connective(Node):
    """`a and b and c`, or a chain of `or`."""

    op: str
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ComparisonChain(Node):
    """A chain of `== != < <= > >=`, `in`, `not in`, `is none`, `is not unknown` and so on.

    `ops[i]` is between `operands[i]` and `operands[i + 1]`. The right operand of `is ...` is Nothing (`is
    none`) or Unknown.
    """

    operands: tuple[Tree, ...]
    ops: tuple[str, ...]
    op_spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Node):
    """The word `unknown`, as in `visit.place is unknown`."""


@dataclass(frozen=True, slots=True, eq=False)
class Ternary(Node):
    """`then if condition else otherwise`."""

    then: Tree
    condition: Tree
    otherwise: Tree


Tree: TypeAlias = (
    Number
    | Text
    | BooleanLiteral
    | Nothing
    | Name
    | Attribute
    | Subscript
    | CallOf
    | Generator
    | Braces
    | Parens
    | RangeTree
    | Unary
    | Binary
    | Connective
    | ComparisonChain
    | Unknown
    | Ternary
)


@dataclass(frozen=True, slots=True, eq=False)
class DomainTree(Node):
    """The domain of a field in the scope: an expression, a range or a generator. `or_none` is true if `?` follows."""

    body: Tree
    or_none: bool


@dataclass(frozen=True, slots=True, eq=False)
class TypeTree(Node):
    """A type: `set of Cuisine`, `money?`; `wrapper` is "", "set" or "list"."""

    name: str
    name_span: Span
    wrapper: str
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTree(Node):
    """A column or given: `key date`, `int = 1`, `money?`."""

    type: TypeTree
    key: bool
    default: Tree | None


@dataclass(frozen=True, slots=True, eq=False)
class SignatureTree(Node):
    """A definition's left side: a name, or a name with parameters."""

    name: str
    params: tuple[tuple[Name, TypeTree], ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class BinderTree(Node):
    """A `for:` of a constraint or of a scope row: `w in Wish if w.open` or `d in trip for m in Meal`."""

    clauses: tuple[For, ...]


N = TypeVar("N", bound=Node)

_CHILDREN: dict[type, Callable[[Node], tuple[Node, ...]]] = {}


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct children of a node, in the order of the grammar."""
    kind = type(node)
    read = _CHILDREN.get(kind)
    if read is None:
        read = _CHILDREN[kind] = reader(node_fields(kind, (Node,)))
    return read(node)


def moved_copy(tree: N, source: Source, by: int) -> N:
    """Return a copy of a tree with the spans of another occurrence of the same text.

    Args:
        tree: a node whose depth does not exceed the limit for expressions.
        source: source of the other occurrence.
        by: offset of the other occurrence minus offset of this one, in characters.
    """
    copy: N = _moved_part(tree, source, by)
    return copy


def _moved_part(value: Any, source: Source, by: int) -> Any:
    """Return a copy with moved spans of the value of a node's field."""
    kind: Any = type(value)
    if kind is Span:
        return Span(source, value.start + by, value.end + by)
    if kind is tuple:
        return tuple([_moved_part(item, source, by) for item in value])
    names = _moved_fields(kind)
    return kind(*[_moved_part(getattr(value, name), source, by) for name in names]) if names else value


@cache
def _moved_fields(kind: Any) -> tuple[str, ...]:
    """Return the names of the fields of a node class, which may have spans; empty for other classes."""
    return tuple(field.name for field in fields(kind)) if issubclass(kind, Node) else ()


@lru_cache(maxsize=10_000)
def nesting(root: Node) -> int:
    """Return the depth of a tree, without recursion; cached."""
    deepest = 0
    stack = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack.extend((child, depth + 1) for child in children(node))
    return deepest


@lru_cache(maxsize=10_000)
def mentions(root: Node) -> Mapping[str, Span]:
    """Return the names that a tree mentions but does not bind, each with the span of its first mention."""
    names: dict[str, Span] = {}
    bound: set[str] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Name):
            names.setdefault(node.name, node.span)
        if isinstance(node, For):
            bound.update(target.name for target in node.targets)
        stack.extend(reversed(children(node)))
    return {name: span for name, span in names.items() if name not in bound}
