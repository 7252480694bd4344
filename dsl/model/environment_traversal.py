"""Traversal of result trees and environments: their parts, and the expressions of a part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias, assert_never

from planspec.dsl.model.environment import (
    ConditionalTree,
    CurrencyTree,
    DeclaredTool,
    Elements,
    Environment,
    Leaf,
    ListTree,
    MapTree,
    ObjectTree,
    Refusal,
    ResultField,
    ResultTree,
    ShapeCall,
    Show,
    TextTree,
)
from planspec.dsl.model.tree import Clause, Expr, TextPart

TreePart: TypeAlias = ResultTree | ResultField | Refusal | Show | DeclaredTool


def subtrees(tree: ResultTree) -> Iterator[TreePart]:
    """Yield a tree and everything inside it, except the trees of the shapes that it calls."""
    yield tree
    match tree:
        case ObjectTree(fields=fields):
            for field in fields:
                yield field
                yield from subtrees(field.tree)
        case ListTree(item=item, empty=empty) | MapTree(item=item, empty=empty):
            yield from subtrees(item)
            if empty is not None:
                yield empty
        case ConditionalTree(then=then, otherwise=otherwise):
            yield from subtrees(then)
            yield from subtrees(otherwise)
        case Leaf() | TextTree() | CurrencyTree() | ShapeCall():
            return
        case _:
            assert_never(tree)


def expressions(part: TreePart) -> Iterator[Expr]:  # noqa: C901 one case for each kind of part
    """Yield the expressions of a part, without those of nested parts and of the clauses of an `each`."""
    match part:
        case Leaf(expr=expr):
            yield expr
        case TextTree(parts=parts):
            yield from _placeholders(parts)
        case CurrencyTree() | ObjectTree():
            return
        case ShapeCall(args=args):
            yield from args
        case ResultField(when=when):
            if when is not None:
                yield when
        case ListTree(each=each):
            yield from (key.expr for key in each.sort)
        case MapTree(each=each, by=by):
            yield from (key.expr for key in each.sort)
            yield from by
        case ConditionalTree(when=condition):
            yield condition
        case Refusal(when=when, say=say):
            if when is not None:
                yield when
            yield from _placeholders(say)
        case Show(title=title, clauses=clauses, when=when):
            yield from _placeholders(title)
            yield from _clause_expressions(clauses)
            if when is not None:
                yield when
        case DeclaredTool(params=params):
            for param in params:
                if param.where is not None:
                    yield param.where
                yield from param.name_expressions
        case _:
            assert_never(part)


def each_of(part: TreePart) -> Iterator[Elements]:
    """Yield the `Elements` of a part if it is a list or a map."""
    if isinstance(part, ListTree | MapTree):
        yield part.each


def _placeholders(parts: tuple[TextPart, ...]) -> Iterator[Expr]:
    yield from (part for part in parts if not isinstance(part, str))


def _clause_expressions(clauses: tuple[Clause, ...]) -> Iterator[Expr]:
    for clause in clauses:
        yield clause.source
        if clause.condition is not None:
            yield clause.condition


def environment_parts(environment: Environment) -> Iterator[TreePart]:
    """Yield the shapes, shows and tools of an environment, and all parts of their result trees."""
    for shape in environment.shapes.values():
        if hasattr(shape, "tree"):  # a shape with a mistake has no tree
            yield from subtrees(shape.tree)
    for show in environment.shows.values():
        yield show
        yield from subtrees(show.tree)
    for tool in environment.tools.values():
        yield tool
        yield from tool.refuse
        yield from subtrees(tool.returns)


def tool_parts(tool: DeclaredTool) -> Iterator[TreePart]:
    """Yield a tool and everything inside it, with the trees of the shapes that it calls."""
    yield tool
    yield from tool.refuse
    yield from with_shapes(tool.returns)


def with_shapes(tree: ResultTree) -> Iterator[TreePart]:
    """Yield a tree and everything inside it, with the trees of the shapes that it calls."""
    for part in subtrees(tree):
        yield part
        if isinstance(part, ShapeCall):
            yield from with_shapes(part.shape.tree)


def every_expression(part: TreePart) -> Iterator[Expr]:
    """Yield the expressions of a part, including the clauses of an `each` but not nested parts."""
    yield from expressions(part)
    for each in each_of(part):
        for binder in each.binders:
            yield from _clause_expressions(binder)
