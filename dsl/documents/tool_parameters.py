"""Checking of tools' parameters, which are available in expressions as `arg.NAME`."""

from __future__ import annotations

import re
from collections.abc import Mapping as MappingOf
from typing import Any

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.type_rules import type_with_article
from planspec.dsl.documents.constants import check_constant, constant_value, refuse_list
from planspec.dsl.documents.declarations import DeclarationCollector
from planspec.dsl.documents.expression_lists import listed_expressions
from planspec.dsl.documents.reach import report_planned
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import Parameter
from planspec.dsl.model.types import ListType, RowType, ScalarType, SetType, Special, Table, Type
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.sections import flag_of, known_keys, word_of
from planspec.dsl.syntax import nodes as s
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence

NAME = re.compile(r"[^\W\d]\w*")
PREFIX = "arg"
"""The name before the dot in expressions that mention a parameter."""


class ToolParameterChecker:
    """Checks the parameters that tools declare.

    Args:
        checker: the checker of the document.
        declarations: resolves types.
    """

    def __init__(self, checker: Checker, declarations: DeclarationCollector) -> None:
        self._checker = checker
        self._report = checker.report
        self._declarations = declarations

    def parameters(self, node: Node | None) -> tuple[tuple[Parameter, ...], TypeEnv]:
        """Check the parameters of a tool. Return them, and the variables visible in its expressions."""
        if node is None or (isinstance(node, Scalar) and not node.text):
            return (), {}
        if not isinstance(node, Mapping):
            self._report.error("PS011", "`params` must be a mapping", node.span, "not a mapping")
            return (), {}
        checked: list[Parameter] = []
        env: dict[str, t.Binding] = {}
        for key, value in node.entries:
            if NAME.fullmatch(key.text) is None:
                self._report.error(
                    "PS011",
                    f"`{key.text}` is no name of a parameter",
                    key.span,
                    "letters, digits and underscores",
                )
                continue
            parameter = self._parameter(key, value)
            if parameter is None:  # has a mistake; uses of its name are not reported as unknown
                env[f"{PREFIX}.{key.text}"] = t.Binding(f"{PREFIX}.{key.text}", Special.WRONG, key.span)
            else:
                env[parameter.binding.name] = parameter.binding
                checked.append(parameter)
        return tuple(checked), env

    def _parameter(self, key: Scalar, node: Node) -> Parameter | None:
        if isinstance(node, Mapping):
            parts = known_keys(node, document_keys.PARAMETER, f"the parameter `{key.text}`", self._report)
        else:
            parts = {"type": node}
        declared = self._declared_type(key, parts)
        if declared is None:
            return None
        column, type_ = declared
        binding_name = f"{PREFIX}.{key.text}"
        default = parts.get("default")
        if isinstance(default, Sequence):
            refuse_list(default, type_, "a default", self._checker.names.currency, self._report)
            return None
        optional = flag_of(parts.get("optional"), "`optional`", self._report) or column.type.optional
        tree = parse_node("expression", default, self._report) if default is not None else column.default
        if default is not None and tree is None:
            return None
        value = self._constant(tree, type_) if tree is not None else None
        required = not optional and tree is None
        binding = t.Binding(binding_name, type_, key.span, optional=not required and value is None)
        env = {binding_name: t.Binding(binding_name, type_, key.span)} if binding.optional else {binding_name: binding}
        seen = env[binding_name]
        return Parameter(
            name=key.text,
            binding=binding,
            present_binding=seen,
            doc=word_of(parts.get("doc"), "`doc`", self._report) or "",
            required=required,
            default=value,
            where=self._condition_on_value(parts.get("where"), env),
            name_expressions=tuple(self._name_expressions(parts.get("called"), type_, env)),
            noun=word_of(parts.get("noun"), "`noun`", self._report) or key.text.replace("_", " "),
            lists_names=flag_of(parts.get("told"), "`told`", self._report),
            one_of=self._external_words(parts.get("one_of"), type_),
        )

    def _declared_type(self, key: Scalar, parts: MappingOf[str, Node]) -> tuple[s.ColumnTree, Type] | None:
        """Return the syntax tree of a parameter's declaration, and its type; None if a mistake was reported."""
        if "type" not in parts:
            self._report.error("PS010", f"the parameter `{key.text}` has no type", key.span, "no `type`")
            return None
        tree = parse_node("column", parts["type"], self._report)
        if tree is None:
            return None
        if tree.key:
            self._report.error("PS303", "a parameter is no key", tree.span, "`key` marks columns")
        type_ = self._declarations.type_of(tree.type, lists=True, optional_bool=True)
        if type_ is Special.WRONG:
            return None
        item = type_.item if isinstance(type_, SetType | ListType) else type_
        table = self._checker.table_of(item)
        if table is not None and not self._is_nameable(table, tree):
            return None
        return tree, type_

    def _is_nameable(self, table: Table, tree: s.ColumnTree) -> bool:
        """Return whether agents can name the rows of a table; report it otherwise."""
        if table.plan:
            what, label = f"`{table.name}` is a table of the plan", "it has no rows yet"
        elif len(table.key) > 1:
            what, label = f"a row of `{table.name}` has a key of several columns", "no text names it"
        else:
            return True
        self._report.error("PS303", f"{what}: a parameter cannot be one", tree.type.name_span, label)
        return False

    def _constant(self, tree: s.Tree, type_: Type) -> Any:
        """Return the value of a default."""
        expr = check_constant(self._checker, tree, type_, "a default", self._checker.names.places.keys())
        return None if expr.type is Special.WRONG else constant_value(expr, self._checker.names)

    def _condition_on_value(self, node: Node | None, env: TypeEnv) -> t.Expr | None:
        tree = parse_node("expression", node, self._report) if node is not None else None
        if tree is None or not self._checker.is_shallow(tree):
            return None
        condition = self._checker.condition(tree, env)
        if condition.type is Special.WRONG:
            return None
        report_planned(condition, self._report)
        return condition

    def _name_expressions(self, node: Node | None, type_: Type, env: TypeEnv) -> list[t.Expr]:
        if node is None:
            return []
        if not isinstance(type_, RowType):
            self._report.error(
                "PS303", "only rows are called by other names", node.span, f"of {type_with_article(type_)}"
            )
            return []
        names = []
        for listed in listed_expressions(node, self._report):
            if listed.tree is None or not self._checker.is_shallow(listed.tree):
                continue
            expr = self._checker.expression(listed.tree, env)
            report_planned(expr, self._report)
            if expr.type is ScalarType.TEXT or isinstance(expr.type, RowType):
                names.append(expr)
            elif expr.type is not Special.WRONG:
                self._report.error(
                    "PS303",
                    "a row is called by a text, or as another row is",
                    listed.span,
                    type_with_article(expr.type),
                )
        return names

    def _external_words(self, node: Node | None, type_: Type) -> dict[str, Any]:
        if node is None:
            return {}
        if not isinstance(node, Mapping) or isinstance(type_, SetType | ListType):
            self._report.error(
                "PS011",
                "`one_of` is a mapping from words to values",
                node.span,
                "not such a mapping",
                help="write `one_of: {self-driving: self_driving, taxi: taxi}`",
            )
            return {}
        values: dict[str, Any] = {}
        for key, value in node.entries:
            tree = parse_node("expression", value, self._report)
            if tree is not None:
                values[key.text] = self._constant(tree, type_)
        return values
