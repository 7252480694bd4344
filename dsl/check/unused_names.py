"""Warnings about names that a task declares but never uses."""

from __future__ import annotations

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Source
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment_traversal import environment_parts, every_expression
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import task_expressions, walk


def warn_of_unused_names(task: Task, source: Source, report: Report, *, everywhere: bool) -> None:
    """Warn about the task's own definitions and givens that nothing uses.

    Args:
        task: the task.
        source: the task's text.
        report: receives the warnings.
        everywhere: whether names also count as used if documents that the task uses mention them.
    """
    own = [("definition", d.name, d.span) for d in task.definitions.values() if d.span.source is source]
    own += [("given", g.name, g.span) for g in task.given_declarations.values() if g.span.source is source]
    if not own:
        return
    used = set(task.measures)
    environment_expressions = (expr for part in environment_parts(task.environment) for expr in every_expression(part))
    roots = (
        *task_expressions(task),
        *environment_expressions,
        *(task.definitions[name].body for name in task.measures),
    )
    for node in walk(*(root for root in roots if everywhere or root.span.source is source)):
        if isinstance(node, t.GivenRef):
            used.add(node.given.name)
        elif isinstance(node, t.Apply):
            used.add(node.definition.name)
    for what, name, span in own:
        if name not in used:
            report.warning("PS210", f"the {what} `{name}` is never used", span, f"unused {what}")
