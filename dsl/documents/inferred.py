"""The inferred types of definitions, constraints and domains, and whether they depend on the plan."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.task import ScopeRow, Task
from planspec.dsl.model.tree import Binding, Definition, Expr
from planspec.dsl.model.types import ScalarType, Stage

EntryKind: TypeAlias = Literal["definition", "constraint", "condition", "scope", "objective", "weight"]


@dataclass(frozen=True, slots=True)
class InferredType:
    """The inferred type of a definition, a constraint or a domain.

    Attributes:
        name: a definition with its parameters, a constraint's id (with ` when` for its condition),
            `table.column` of a scope row, `minimize` or `maximize`.
        kind: kind of the entry to which the expression belongs.
        type: the type as an author writes it, without `?`.
        optional: whether the value may be *none*.
        stage: stage of the value. A definition's parameters count as static.
        span: location of the expression.
    """

    name: str
    kind: EntryKind
    type: str
    optional: bool
    stage: Stage
    span: Span


def inferred_types(task: Task) -> list[InferredType]:
    """Return the types in a checked task in this order: definitions, constraints, scope, objectives."""
    entries = [_inferred_type(_signature(x), "definition", x.body, x.span) for x in task.definitions.values()]
    for constraint in task.constraints:
        if constraint.when is not None:
            entries.append(_inferred_type(f"{constraint.id} when", "condition", constraint.when, constraint.when.span))
        if constraint.weight is not None:
            weight = constraint.weight
            entries.append(_inferred_type(f"{constraint.id} weight", "weight", weight, weight.span))
        entries.append(_inferred_type(constraint.id, "constraint", constraint.body, constraint.span))
    for row in task.scope:
        entries.extend(_inferred_scope(row))
    for objective in task.objectives:
        expression = objective.expression
        entries.append(_inferred_type(objective.word, "objective", expression, expression.span))
    return entries


def _inferred_scope(row: ScopeRow) -> Iterable[InferredType]:
    for name, field in row.fields.items():
        domain, column = field.domain, row.table.columns[name]
        optional = field.or_none or (domain.partial and not field.many)
        yield InferredType(f"{row.table.name}.{name}", "scope", str(column.type), optional, domain.stage, domain.span)


def _inferred_type(name: str, kind: EntryKind, expr: Expr, span: Span) -> InferredType:
    optional = expr.partial and expr.type is not ScalarType.BOOL
    return InferredType(name, kind, str(expr.type), optional, expr.stage, span)


def _signature(definition: Definition) -> str:
    if not definition.params:
        return definition.name
    return f"{definition.name}({', '.join(map(_parameter, definition.params))})"


def _parameter(binding: Binding) -> str:
    return f"{binding.name} {binding.type}{'?' if binding.optional else ''}"
