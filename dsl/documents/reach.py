"""What an expression of an environment reaches: the plan, or what is hidden from agents, also by way of definitions."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model import tree as t
from planspec.dsl.model.environment import (
    Each,
    Environment,
    HiddenName,
    Parameter,
)
from planspec.dsl.model.environment_traversal import each_of, environment_parts, expressions
from planspec.dsl.model.traversal import free_variables, walk
from planspec.dsl.model.types import ListType, RowType, SetType, Stage

BEFORE = "agents see this before they answer: read tables of facts, givens, and definitions of these alone"


@dataclass(frozen=True, slots=True)
class Reached:
    """A place that an expression reaches.

    Attributes:
        what: is reached there.
        chain: the definitions by way of which, from the outside.
        span: of the place.
    """

    what: str
    chain: tuple[t.Definition, ...]
    span: Span


def planned(expr: t.Expr) -> Reached | None:
    """The first table of the plan that an expression reaches; None of a static one."""
    return next(_planned(expr, ()), None)


def _planned(expr: t.Expr, chain: tuple[t.Definition, ...]) -> Iterator[Reached]:
    for part in walk(expr):
        if part.stage is Stage.STATIC:
            continue
        match part:
            case t.AllRows(table=table) | t.OnlyRow(table=table) | t.Lookup(table=table) if table.plan:
                yield Reached(table.name, chain, part.span)
            case t.Apply(definition=definition) if definition.body.stage is Stage.PLANNED:
                yield from _planned(definition.body, (*chain, definition))


def report_planned(made: t.Expr, report: Report) -> None:
    """Report an expression of an environment that reaches the plan."""
    if made.stage is Stage.STATIC:
        return
    found = planned(made)
    what = "the plan" if found is None else f"the plan's `{found.what}`"
    report.error(
        "PS318", f"what agents see cannot depend on {what}", made.span, "known only when a plan is",
        secondary=[] if found is None else _along(found),
        help=BEFORE if found is None or not found.chain else f"{_way(found)}; {BEFORE}",
    )  # fmt: skip


def _along(found: Reached) -> list[Label]:
    if not found.chain:
        return []
    return [Label(found.span.first_line, f"`{found.what}` is read here")]


def _way(found: Reached) -> str:
    return "by way of " + ", then ".join(f"`{definition.name}`" for definition in found.chain)


class HiddenReads:
    """Finds what expressions of an environment read of hidden names.

    Args:
        hidden: the names.
    """

    def __init__(self, hidden: AbstractSet[HiddenName]) -> None:
        self._tables = {name.name for name in hidden if name.column is None}
        self._columns = {(name.name, name.column) for name in hidden if name.column is not None}
        self._of: dict[t.Definition, Reached | None] = {}

    def first(self, expr: t.Expr) -> Reached | None:
        """The first hidden name that an expression reads, in any position; None if it reads none."""
        for part in walk(expr):
            found = self._read(part)
            if found is not None:
                return found
        return None

    def _read(self, part: t.Expr) -> Reached | None:
        match part:
            case t.GivenRef(given=given) if given.name in self._tables:
                return Reached(given.name, (), part.span)
            case t.FieldOf(row=row, column=column) if isinstance(row.type, RowType):
                table = row.type.table
                if table in self._tables:
                    return Reached(table, (), part.span)
                if (table, column.name) in self._columns:
                    return Reached(f"{table}.{column.name}", (), part.span)
            case t.AllRows(table=table) | t.OnlyRow(table=table) | t.Lookup(table=table) if (
                table.name in self._tables
            ):
                return Reached(table.name, (), part.span)
            case t.RowNamed(table=table) if table.name in self._tables:
                return Reached(table.name, (), part.span)
            case t.Apply(definition=definition):
                return self._by_way_of(definition)
        return None

    def _by_way_of(self, definition: t.Definition) -> Reached | None:
        if definition not in self._of:
            self._of[definition] = None
            found = self.first(definition.body)
            if found is not None:
                self._of[definition] = Reached(found.what, (definition, *found.chain), found.span)
        return self._of[definition]


def report_hidden(environment: Environment, report: Report) -> None:
    """Report every expression of an environment that reads what is hidden.

    A condition of `each` may read hidden cells where it mentions no argument: what it chooses is the same for all calls.
    """
    if not environment.hidden:
        return
    reads = HiddenReads(environment.hidden.keys())
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
    """Report a parameter whose values are rows of a hidden table: a refusal tells which there are."""
    of = param.binding.type.item if isinstance(param.binding.type, SetType | ListType) else param.binding.type
    hidden = environment.hidden.get(HiddenName(of.table)) if isinstance(of, RowType) else None
    if hidden is not None:
        report.error(
            "PS319", f"`{of}` is hidden from agents, and this asks them for its rows", param.binding.span, "tells which there are",
            secondary=[Label(hidden, "hidden here")],
        )  # fmt: skip


def _is_argument(binding: t.Binding, each: Each) -> bool:
    """A variable whose value a caller chooses: every one but those that the `each` itself runs through."""
    return all(
        binding is not target for binder in each.binders for clause in binder for target in clause.targets
    )


def _report(found: Reached | None, expr: t.Expr, environment: Environment, report: Report) -> None:
    if found is None:
        return
    hidden = next(
        (
            span
            for name, span in environment.hidden.items()
            if str(name) in (found.what, found.what.partition(".")[0])
        ),
        expr.span,
    )
    chain = [Label(found.span.first_line, f"`{found.what}` is read here")] if found.chain else []
    report.error(
        "PS319", f"`{found.what}` is hidden from agents, and this tells of it", expr.span, "reads what is hidden",
        secondary=[*chain, Label(hidden, "hidden here")],
        help=_way(found) if found.chain else f"leave it out here, or take `{found.what}` out of `hidden`",
    )  # fmt: skip


def conjuncts(condition: t.Expr) -> Iterator[t.Expr]:
    """The conditions that a condition joins by `and`."""
    if isinstance(condition, t.Logic) and condition.op == "and":
        for operand in condition.operands:
            yield from conjuncts(operand)
    else:
        yield condition
