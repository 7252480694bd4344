"""Dependencies of an environment's expressions on the plan and on hidden data, directly or through definitions."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    Elements,
    Environment,
    HiddenName,
    Parameter,
)
from planspec.dsl.model.environment_traversal import each_of, environment_parts, expressions
from planspec.dsl.model.traversal import free_variables, walk
from planspec.dsl.model.types import ListType, RowType, SetType, Stage

BEFORE = "agents see this before they answer: read tables of facts, givens, and definitions of these alone"


@dataclass(frozen=True, slots=True)
class Dependency:
    """A table, column or given on which an expression depends.

    Attributes:
        what: name of the table, column or given.
        chain: definitions through which the expression depends on it, outermost first.
        span: span of the expression that depends on it.
    """

    what: str
    chain: tuple[t.Definition, ...]
    span: Span


def first_planned_read(expr: t.Expr) -> Dependency | None:
    """Return the first dependency of an expression on a plan table; None if the expression is static."""
    return next(_planned_reads(expr, ()), None)


def _planned_reads(expr: t.Expr, chain: tuple[t.Definition, ...]) -> Iterator[Dependency]:
    for part in walk(expr):
        if part.stage is Stage.STATIC:
            continue
        match part:
            case t.AllRows(table=table) | t.OnlyRow(table=table) | t.Lookup(table=table) if table.plan:
                yield Dependency(table.name, chain, part.span)
            case t.Apply(definition=definition) if definition.body.stage is Stage.PLANNED:
                yield from _planned_reads(definition.body, (*chain, definition))


def report_planned(expr: t.Expr, report: Report) -> None:
    """Report an expression of an environment that depends on the plan."""
    if expr.stage is Stage.STATIC:
        return
    reached = first_planned_read(expr)
    what = "the plan" if reached is None else f"the plan's `{reached.what}`"
    report.error(
        "PS318",
        f"what agents see cannot depend on {what}",
        expr.span,
        "depends on the plan",
        secondary=[] if reached is None else _chain_labels(reached),
        help=BEFORE if reached is None or not reached.chain else f"{_chain_text(reached)}; {BEFORE}",
    )


def _chain_labels(reached: Dependency) -> list[Label]:
    if not reached.chain:
        return []
    return [Label(reached.span.first_line, f"`{reached.what}` is read here")]


def _chain_text(reached: Dependency) -> str:
    return "by way of " + ", then ".join(f"`{definition.name}`" for definition in reached.chain)


class HiddenReadFinder:
    """Finds reads of hidden names in the expressions of an environment.

    Args:
        hidden: the hidden names.
    """

    def __init__(self, hidden: AbstractSet[HiddenName]) -> None:
        self._tables = {name.name for name in hidden if name.column is None}
        self._columns = {(name.name, name.column) for name in hidden if name.column is not None}
        self._by_definition: dict[t.Definition, Dependency | None] = {}

    def first(self, expr: t.Expr) -> Dependency | None:
        """Return the first read of a hidden name in an expression; None if there is none."""
        for part in walk(expr):
            reached = self._read(part)
            if reached is not None:
                return reached
        return None

    def _read(self, part: t.Expr) -> Dependency | None:
        match part:
            case t.GivenRef(given=given) if given.name in self._tables:
                return Dependency(given.name, (), part.span)
            case t.FieldOf(row=row, column=column) if isinstance(row.type, RowType):
                table = row.type.table
                if table in self._tables:
                    return Dependency(table, (), part.span)
                if (table, column.name) in self._columns:
                    return Dependency(f"{table}.{column.name}", (), part.span)
            case t.AllRows(table=table) | t.OnlyRow(table=table) | t.Lookup(table=table) if table.name in self._tables:
                return Dependency(table.name, (), part.span)
            case t.RowNamed(table=table) if table.name in self._tables:
                return Dependency(table.name, (), part.span)
            case t.Apply(definition=definition):
                return self._read_by_definition(definition)
        return None

    def _read_by_definition(self, definition: t.Definition) -> Dependency | None:
        if definition not in self._by_definition:
            self._by_definition[definition] = None
            reached = self.first(definition.body)
            if reached is not None:
                self._by_definition[definition] = Dependency(reached.what, (definition, *reached.chain), reached.span)
        return self._by_definition[definition]


def report_hidden(environment: Environment, report: Report) -> None:
    """Report every expression of an environment that reads hidden data.

    A condition of an `each` without arguments may read hidden cells, because it selects the same rows in all calls.
    """
    if not environment.hidden:
        return
    reads = HiddenReadFinder(environment.hidden.keys())
    for tool in environment.tools.values():
        for param in tool.params:
            _report_parameter(param, environment, report)
    for part in environment_parts(environment):
        for expr in expressions(part):
            _report(reads.first(expr), expr, environment, report)
        for each in each_of(part):
            for clause in (clause for binder in each.binders for clause in binder):
                _report(reads.first(clause.source), clause.source, environment, report)
                for conjunct in () if clause.condition is None else conjuncts(clause.condition):
                    if any(_is_argument(binding, each) for binding in free_variables(conjunct)):
                        _report(reads.first(conjunct), conjunct, environment, report)


def _report_parameter(param: Parameter, environment: Environment, report: Report) -> None:
    """Report a parameter whose values are rows of a hidden table, since refused calls would reveal these rows."""
    type_ = param.binding.type.item if isinstance(param.binding.type, SetType | ListType) else param.binding.type
    hidden = environment.hidden.get(HiddenName(type_.table)) if isinstance(type_, RowType) else None
    if hidden is not None:
        report.error(
            "PS319",
            f"`{type_}` is hidden from agents, and this asks them for its rows",
            param.binding.span,
            "reveals its rows",
            secondary=[Label(hidden, "hidden here")],
        )


def _is_argument(binding: t.Binding, each: Elements) -> bool:
    """Return whether a variable is an argument that the caller passes, not a variable that `each` binds."""
    return all(binding is not target for binder in each.binders for clause in binder for target in clause.targets)


def _report(reached: Dependency | None, expr: t.Expr, environment: Environment, report: Report) -> None:
    if reached is None:
        return
    hidden = next(
        (
            span
            for name, span in environment.hidden.items()
            if str(name) in (reached.what, reached.what.partition(".")[0])
        ),
        expr.span,
    )
    chain = [Label(reached.span.first_line, f"`{reached.what}` is read here")] if reached.chain else []
    report.error(
        "PS319",
        f"`{reached.what}` is hidden from agents, and this reveals it",
        expr.span,
        "reads what is hidden",
        secondary=[*chain, Label(hidden, "hidden here")],
        help=_chain_text(reached) if reached.chain else f"leave it out here, or take `{reached.what}` out of `hidden`",
    )


def conjuncts(condition: t.Expr) -> Iterator[t.Expr]:
    """Yield the operands of a conjunction."""
    if isinstance(condition, t.Logic) and condition.op == "and":
        for operand in condition.operands:
            yield from conjuncts(operand)
    else:
        yield condition
