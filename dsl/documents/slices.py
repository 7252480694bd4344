"""Parsing of the expressions, domains, columns and binders in a document's nodes into syntax trees."""

from __future__ import annotations

from typing import Literal, overload

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.syntax import nodes as s
from planspec.dsl.syntax.parser import parse
from planspec.dsl.yaml.hints import cut_help
from planspec.dsl.yaml.reader import Node, expression_span


@overload
def parse_node(kind: Literal["expression"], node: Node, report: Report) -> s.Tree | None: ...
@overload
def parse_node(kind: Literal["domain"], node: Node, report: Report) -> s.DomainTree | None: ...
@overload
def parse_node(kind: Literal["column"], node: Node, report: Report) -> s.ColumnTree | None: ...
@overload
def parse_node(kind: Literal["binder"], node: Node, report: Report) -> s.BinderTree | None: ...
def parse_node(kind: Literal["expression", "domain", "column", "binder"], node: Node, report: Report) -> s.Node | None:
    """Return the syntax tree of a node's text; None if a mistake was reported, with help if YAML cut the text short."""
    return parse(kind, expression_span(node), report, cut_help(node.span.source, node))
