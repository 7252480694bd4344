"""The scope: the rows from which a search for plans may choose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace

from planspec.dsl.check.checker import Checker, TypeEnv
from planspec.dsl.check.collections import check_range, check_set, scaled_end
from planspec.dsl.check.type_rules import is_assignable, type_with_article, with_type
from planspec.dsl.diagnostics.diagnostic import Label
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.documents.slices import parse_node
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import ScopeField, ScopeRow, Task
from planspec.dsl.model.types import Column, ListType, ScaledType, SetType, Special, Stage, Table
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import flag_of
from planspec.dsl.syntax import nodes as s
from planspec.dsl.yaml.reader import Mapping, Node, Scalar, Sequence


def no_scope_message(task: Task) -> str | None:
    """Return the message that a task has no scope (limits of the search); None if it has one."""
    if task.scope or not task.plan_tables:
        return None
    names = ", ".join(f"`{table.name}`" for table in task.plan_tables)
    return f"the task has no `scope`: a search finds no rows in {names}"


@dataclass(frozen=True, slots=True)
class DeclaredScope:
    """The scope of a table of the plan as a document declares it.

    Attributes:
        rows: the checked entries, without entries that have mistakes; `None` before they are checked.
    """

    key: Scalar
    table: Table
    node: Node
    rows: tuple[ScopeRow, ...] | None = None


def check_scope(
    checker: Checker, documents: Iterable[Document], before: MappingOf[str, DeclaredScope]
) -> dict[str, DeclaredScope]:
    """Return the checked scope of each table of the plan.

    Args:
        checker: the checker of the last document.
        documents: the documents in order. A task's scope for a table replaces a library's.
        before: scopes of earlier documents.
    """
    scopes = dict(before)
    for document in documents:
        for key, table, node in _tables(checker, document):
            first = scopes.get(table.name)
            if first is not None and document.kind != "task":
                checker.report.error(
                    "PS202",
                    f"the scope of `{table.name}` is taken",
                    key.span,
                    "again here",
                    secondary=[Label(first.key.span, "first here")],
                    help="one library says it, or the task",
                )
                continue
            scopes[table.name] = DeclaredScope(key, table, node)
    for name, part in scopes.items():
        if part.rows is None:
            scopes[name] = replace(part, rows=tuple(_checked_rows(checker, part)))
    checker.absent_rows.report(checker)
    return scopes


def _checked_rows(checker: Checker, part: DeclaredScope) -> Iterator[ScopeRow]:
    for entry in _entries(checker, part.table, part.node):
        if not isinstance(entry, Mapping):
            text = "a scope row must be a mapping of columns"
            checker.report.error("PS011", text, entry.span, "not a mapping")
            continue
        row = _checked_row(checker, part.table, entry)
        if row is not None:
            yield row


def _tables(checker: Checker, document: Document) -> Iterator[tuple[Scalar, Table, Node]]:
    """Yield, for each plan table under `scope`, its name, the table, and the node of its scope."""
    report, names = checker.report, checker.names
    section = document.sections.get("scope")
    if section is None or (isinstance(section, Scalar) and not section.text):
        return
    if not isinstance(section, Mapping):
        report.error("PS011", "`scope` must be a mapping of the plan's tables", section.span, "not a mapping")
        return
    for key, node in section.entries:
        table = names.tables.get(key.text)
        if table is not None and table.plan:
            yield key, table, node
        elif not names.unsure and key.text not in names.broken:
            what = "not a table of the plan" if table is None else "a table of facts, not of the plan"
            plan = [name for name, x in names.tables.items() if x.plan]
            report.error(
                "PS201",
                f"the plan has no table `{key.text}`",
                key.span,
                what,
                help=did_you_mean(key.text, plan),
            )


def _entries(checker: Checker, table: Table, node: Node) -> tuple[Node, ...]:
    if isinstance(node, Mapping):
        return (node,)
    if not isinstance(node, Sequence):
        if node.text:
            checker.report.error("PS011", "a table's scope must be a list of rows", node.span, "not a list")
        return ()
    if table.one and len(node.items) > 1:
        checker.report.error("PS404", f"`{table.name}` has exactly one row", node.items[1].span, "a second one")
    return node.items


def _checked_row(checker: Checker, table: Table, entry: Mapping) -> ScopeRow | None:
    report = checker.report
    parts = {key.text: value for key, value in entry.entries}
    clauses: tuple[t.Clause, ...] = ()
    env: TypeEnv = {}
    if "for" in parts:
        binder = parse_node("binder", parts["for"], report)
        if binder is None or not checker.is_shallow(binder):
            for name, node in parts.items():
                if name in table.columns:
                    parse_node("domain", node, report)
            return None
        clauses, env = checker.clauses(binder.clauses, {}, static="the scope")
    optional = parts.get("optional")
    can_miss = flag_of(optional, "`optional`", report)
    if optional is not None and table.one and can_miss:
        report.error("PS404", f"`{table.name}` has exactly one row", optional.span, "cannot be optional")
    fields = _checked_fields(checker, table, entry, env)
    return ScopeRow(table, clauses, fields, can_miss, entry.span)


def _checked_fields(checker: Checker, table: Table, entry: Mapping, env: TypeEnv) -> dict[str, ScopeField]:
    report = checker.report
    fields: dict[str, ScopeField] = {}
    named: set[str] = set()
    for key, node in entry.entries:
        name = key.text
        if name in document_keys.SCOPE_ROW:
            continue
        if name not in table.columns:
            near = did_you_mean(name, [*table.columns, *document_keys.SCOPE_ROW])
            report.error(
                "PS204",
                f"the table `{table.name}` has no column `{name}`",
                key.span,
                "no such column",
                help=near or f"it has {', '.join(table.columns)}",
            )
            named.update(column for column in table.columns if near is not None and f"`{column}`" in near)
            continue
        named.add(name)
        field = _checked_field(checker, table, table.columns[name], node, env)
        if field is not None:
            fields[name] = field
    for name, column in table.columns.items():
        needed = not column.has_default and not column.optional and column.type is not Special.WRONG
        if needed and name not in named:
            report.error(
                "PS407",
                f"the scope has no domain for `{table.name}.{name}`",
                entry.span.first_line,
                f"`{name}` is missing",
                help=f"give `{name}` a domain, or the column a default",
            )
    return fields


def _checked_field(checker: Checker, table: Table, column: Column, node: Node, env: TypeEnv) -> ScopeField | None:
    tree = parse_node("domain", node, checker.report)
    if tree is None or not checker.is_shallow(tree):
        return None
    body = tree.body
    inner = body.inner if isinstance(body, s.Parens) else body
    expected = column.type
    if isinstance(inner, s.RangeTree):
        domain: t.Expr = check_range(checker, inner, env, expected, domain=True)
    elif isinstance(inner, s.Generator):
        domain = check_set(checker, inner, env, expected if isinstance(expected, SetType) else SetType(expected))
    elif isinstance(inner, s.Braces) and not isinstance(expected, SetType):
        domain = checker.expression(inner, env, SetType(expected))
    else:
        domain = checker.expression(body, env, expected)
    if Special.WRONG in (domain.type, expected) or checker.require_static(domain, "the scope").stage is Stage.PLANNED:
        return None
    what = f"`{table.name}.{column.name}`"
    if tree.or_none and not column.optional:
        checker.report.error("PS303", f"{what} is never none", tree.span, "`?` says that it may be")
    if isinstance(domain.type, SetType | ListType) and is_assignable(domain.type.item, expected):
        return ScopeField(domain, True, tree.or_none)
    if domain.type is Special.EMPTY:
        return ScopeField(with_type(domain, SetType(expected)), not isinstance(expected, SetType), tree.or_none)
    if is_assignable(domain.type, expected):
        if isinstance(domain, t.Literal) and domain.value is None and not column.optional:
            checker.report.error("PS303", f"{what} is never none", tree.span, "none")
        return ScopeField(with_type(domain, expected), False, tree.or_none)
    end = scaled_end(domain) if isinstance(domain, t.RangeOf) else None
    if end is not None or isinstance(domain.type, ScaledType):
        checker.report_inexact(end or domain, f"the domain of {what}")
    else:
        checker.report.error(
            "PS303",
            f"{what} is {type_with_article(expected)}, not {type_with_article(domain.type)}",
            tree.span,
            type_with_article(domain.type),
            help=_difference_help(body),
        )
    return None


def _difference_help(tree: s.Tree) -> str | None:
    """Return help for `9:00-17:00`, a difference, in place of the range `9:00..17:00`; otherwise None."""
    if isinstance(tree, s.Binary) and tree.op == "-":
        return f"a range is written `{tree.left.span.text}..{tree.right.span.text}`"
    return None
