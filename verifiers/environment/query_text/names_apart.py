"""Warnings about constraints if no sentence of the query names all enum members and rows that the constraint uses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import clause_expressions, walk
from planspec.dsl.model.types import EnumType
from planspec.verifiers.environment.query_text.names import folded, occurs, row_names
from planspec.verifiers.environment.query_text.queries import Queries

MOST = 100
"""Number of rows of a table, from the first, that are tried in the test whether the queries name any of its rows."""
SENTENCE = re.compile(r"(?<=[.?!;])\s+|(?<=[。！？；])")


def report_names_apart(task: Task, queries: Queries, report: Report) -> None:
    """Warn of a constraint if no sentence of the queries names all enum members and rows that the constraint uses.

    For example, a condition on `ada` and `roses` needs a sentence such as `Ada grows roses`. Only constraints of the
    task's own document are checked. If the queries name no member of the same enums and no row of the same tables, they
    may use other words, so the constraint is skipped.
    """
    own = [constraint for constraint in task.constraints if constraint.span.source is task.span.source]
    texts = [s for text in queries.texts for s in SENTENCE.split(text) if s.strip()] if own else []
    sentences = [folded(text) for text in texts]
    for constraint in own:
        nodes = [node for node in walk(constraint.body, *clause_expressions(constraint.clauses)) if _is_name(node)]
        nodes.sort(key=lambda node: node.span.sort_key)
        names = list(dict.fromkeys(_forms(task, node) for node in nodes))
        counts = [sum(any(occurs(form, sentence) for form in forms) for forms in names) for sentence in sentences]
        if max(counts, default=0) < len(names) and (any(counts) or _names_any_member(task, nodes, sentences)):
            every = ", ".join(f"`{forms[0]}`" for forms in names)
            report.warning(
                "PS442",
                f"no sentence of the query names {every}, as `{constraint.id}` does",
                constraint.span,
                "named here",
                help="mend the names on one side, or name them in one sentence",
            )


def _is_name(node: t.Expr) -> bool:
    if isinstance(node, t.Literal):
        return isinstance(node.type, EnumType) and node.value is not None
    return isinstance(node, t.RowNamed)


def _forms(task: Task, node: t.Expr) -> tuple[str, ...]:
    """Return the names of the enum member or row to which a node refers."""
    if isinstance(node, t.RowNamed):
        row = task.facts[node.table.name].by_key.get((node.key,)) if node.table.name in task.facts else None
        return (str(node.key), *(row_names(row) if row is not None else ()))
    return (str(node.value),) if isinstance(node, t.Literal) else ()


def _names_any_member(task: Task, nodes: Iterable[t.Expr], sentences: Sequence[str]) -> bool:
    """Return whether a sentence names any member or row of the enums and tables to which the nodes refer."""
    for node in nodes:
        if isinstance(node, t.RowNamed) and node.table.name in task.facts:
            names = [name for row in task.facts[node.table.name].rows[:MOST] for name in row_names(row)]
        else:
            names = list(node.type.members) if isinstance(node.type, EnumType) else []
        if any(occurs(name, sentence) for name in names for sentence in sentences):
            return True
    return False
