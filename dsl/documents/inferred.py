"""Inferred types: the type and stage of each definition, constraint and domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from planspec.dsl.diagnostics.source import Span
from planspec.dsl.documents.elaborator import Elaborator
from planspec.dsl.model.task import ScopeRow, Task
from planspec.dsl.model.tree import Binding, Constraint, Definition, Expr
from planspec.dsl.model.types import ScalarType, Stage

EntryKind: TypeAlias = Literal["definition", "constraint", "condition", "scope", "objective", "weight"]


@dataclass(frozen=True, slots=True)
class InferredType:
    """The inferred type of a definition, a constraint or a domain.

    Attributes:
        name: a definition with its parameters, a constraint's id (with ` when` for its condition),
            `table.column` of a scope row, `minimize` or `maximize`.
        kind: kind of the entry.
        type: the type as an author writes it, without `?`.
        optional: whether the value may be *none*.
        stage: stage of the value; a definition's parameters count as static.
        span: its place.
    """

    name: str
    kind: EntryKind
    type: str
    optional: bool
    stage: Stage
    span: Span

    @property
    def shown_type(self) -> str:
        """The type, with `?` if the value may be *none*."""
        return f"{self.type}?" if self.optional else self.type


def inferred_types(task: Task) -> list[InferredType]:
    """Return the entries of a checked task: definitions, constraints, scope, objectives, each in order."""
    entries = _lines(task.definitions.values(), task.constraints)
    for row in task.scope:
        entries.extend(_scope_lines(row))
    for objective in task.objectives:
        entries.append(_line(objective.word, "objective", objective.expression, objective.expression.span))
    return entries


def inferred_types_of_library(elaborator: Elaborator) -> list[InferredType]:
    """Return the entries of any document's definitions and constraints; call it after `check`.

    If the document has errors, a type that could not be inferred is `a mistake`.
    """
    definitions = [pending.definition for pending in elaborator.names.definitions.values()]
    return _lines(definitions, elaborator.constraints)


def _lines(definitions: Iterable[Definition], constraints: Iterable[Constraint]) -> list[InferredType]:
    entries = [_line(_signature(x), "definition", x.body, x.span) for x in definitions]
    for constraint in constraints:
        if constraint.when is not None:
            entries.append(_line(f"{constraint.id} when", "condition", constraint.when, constraint.when.span))
        if constraint.weight is not None:
            weight = constraint.weight
            entries.append(_line(f"{constraint.id} weight", "weight", weight, weight.span))
        entries.append(_line(constraint.id, "constraint", constraint.body, constraint.span))
    return entries


def _scope_lines(row: ScopeRow) -> Iterable[InferredType]:
    for name, field in row.fields.items():
        domain, column = field.domain, row.table.columns[name]
        optional = field.or_none or (domain.partial and not field.many)
        yield InferredType(
            f"{row.table.name}.{name}", "scope", str(column.type), optional, domain.stage, domain.span
        )


def _line(name: str, kind: EntryKind, expr: Expr, span: Span) -> InferredType:
    optional = expr.partial and expr.type is not ScalarType.BOOL
    return InferredType(name, kind, str(expr.type), optional, expr.stage, span)


def _signature(definition: Definition) -> str:
    if not definition.params:
        return definition.name
    return f"{definition.name}({', '.join(map(_parameter, definition.params))})"


def _parameter(binding: Binding) -> str:
    return f"{binding.name} {binding.type}{'?' if binding.optional else ''}"
