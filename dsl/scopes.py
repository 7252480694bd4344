"""The scope: what the search may use."""

from __future__ import annotations

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.checker import Checker, Env, article, assignable, retyped
from planspec.dsl.collections import range_of, set_of
from planspec.dsl.workspace import Document
from planspec.dsl.names import did_you_mean
from planspec.dsl.parsing import parse
from planspec.dsl.task import ScopeField, ScopeRow
from planspec.dsl.types import Column, ListType, SetType, Special, Table
from planspec.dsl.yaml_hints import cut_hint
from planspec.dsl.yaml_source import Mapping, Node, Scalar, Sequence, expression_span


def check_scope(checker: Checker, document: Document) -> tuple[ScopeRow, ...]:
    """The entries of a task's `scope`."""
    section = document.sections.get("scope")
    if section is None or isinstance(section, Scalar) and not section.text:
        return ()
    report, tables = checker.report, checker.names.tables
    if not isinstance(section, Mapping):
        report.error("PS011", "`scope` is a mapping of the plan's tables", section.span, "not a mapping")
        return ()
    made: list[ScopeRow] = []
    plan = [name for name, table in tables.items() if table.plan]
    for key, node in section.entries:
        table = tables.get(key.text)
        if table is None or not table.plan:
            what = "not a table of the plan" if table is None else "a table of facts, not of the plan"
            report.error("PS201", f"the plan has no table `{key.text}`", key.span, what, help=did_you_mean(key.text, plan))
            continue
        if isinstance(node, Mapping):
            entries: tuple[Node, ...] = (node,)
        else:
            entries = node.items if isinstance(node, Sequence) else ()
            if not isinstance(node, Sequence) and node.text:
                report.error("PS011", "a table's scope is a list of rows", node.span, "not a list")
        if table.one and len(entries) > 1:
            report.error("PS404", f"`{table.name}` has exactly one row", entries[1].span, "a second one")
        for entry in entries:
            if not isinstance(entry, Mapping):
                report.error("PS011", "a scope row is a mapping of columns", entry.span, "not a mapping")
                continue
            row = _row(checker, table, entry)
            if row is not None:
                made.append(row)
    return tuple(made)


def _row(checker: Checker, table: Table, entry: Mapping) -> ScopeRow | None:
    report = checker.report
    parts = {key.text: value for key, value in entry.entries}
    clauses: tuple[t.Clause, ...] = ()
    env: Env = {}
    if "for" in parts:
        binder = parse("binder", expression_span(parts["for"]), report, cut_hint(entry.span.source, parts["for"]))
        if binder is None:
            return None
        clauses, env = checker.clauses(binder.clauses, {}, static="the scope")
    optional = parts.get("optional")
    flag = optional.text if isinstance(optional, Scalar) else "false"
    if flag not in ("true", "false"):
        assert optional is not None
        report.error("PS016", "`optional` is true or false", optional.span, "neither")
    if table.one and flag == "true":
        assert optional is not None
        report.error("PS404", f"`{table.name}` has exactly one row", optional.span, "cannot be optional")
    fields: dict[str, ScopeField] = {}
    for key, node in entry.entries:
        if key.text in ("for", "optional"):
            continue
        column = table.columns.get(key.text)
        if column is None:
            report.error(
                "PS204", f"the table `{table.name}` has no column `{key.text}`", key.span, "no such column",
                help=did_you_mean(key.text, [*table.columns, "for", "optional"]) or f"it has {', '.join(table.columns)}",
            )  # fmt: skip
            continue
        made = _field(checker, table, column, node, env)
        if made is not None:
            fields[key.text] = made
    named = {key.text for key, _ in entry.entries}
    for name, column in table.columns.items():
        if name not in named and not column.has_default and not column.optional:
            report.error(
                "PS407", f"the scope says nothing of `{table.name}.{name}`", entry.span, f"`{name}` is missing",
                help=f"give `{name}` a domain, or the column a default",
            )  # fmt: skip
    return ScopeRow(table, clauses, fields, flag == "true", entry.span)


def _field(checker: Checker, table: Table, column: Column, node: Node, env: Env) -> ScopeField | None:
    tree = parse("domain", expression_span(node), checker.report, cut_hint(node.span.source, node))
    if tree is None:
        return None
    body = tree.body
    inner = body.inner if isinstance(body, s.Parens) else body
    want = column.type
    if isinstance(inner, s.RangeTree):
        made: t.Expr = range_of(checker, inner, env, want)
    elif isinstance(inner, s.Generator):
        made = set_of(checker, inner, env, SetType(want))
    elif isinstance(body, s.Braces) and not isinstance(want, SetType):
        made = checker.expression(body, env, SetType(want))
    else:
        made = checker.expression(body, env, want)
    if made.type is Special.WRONG:
        return None
    checker.static(made, "the scope")
    if tree.or_none and not column.optional:
        checker.report.error("PS303", f"`{table.name}.{column.name}` is never none", tree.span, "`?` says that it may be")
    if isinstance(made.type, SetType | ListType) and assignable(made.type.item, want):
        return ScopeField(made, True, tree.or_none)
    if made.type is Special.EMPTY:
        return ScopeField(retyped(made, SetType(want)), not isinstance(want, SetType), tree.or_none)
    if assignable(made.type, want):
        if isinstance(made, t.Literal) and made.value is None and not column.optional:
            checker.report.error("PS303", f"`{table.name}.{column.name}` is never none", tree.span, "none")
        return ScopeField(retyped(made, want), False, tree.or_none)
    checker.report.error(
        "PS303", f"`{table.name}.{column.name}` is {article(want)}, not {article(made.type)}", tree.span, article(made.type)
    )
    return None
