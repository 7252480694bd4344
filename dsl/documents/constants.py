"""Checking and evaluation of constant values in documents, such as defaults."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.check.type_mismatches import SAMPLES
from planspec.dsl.check.type_rules import mistake, type_with_article
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import EnumType, ListType, ScalarType, SetType, Type
from planspec.dsl.model.values import UNITS, with_unit
from planspec.dsl.syntax import nodes as s
from planspec.dsl.yaml.reader import Sequence

S = ScalarType
SAMPLE_VALUES: dict[Type, str] = {
    S.BOOL: "true",
    S.INT: "3",
    S.DECIMAL: "1.5",
    S.TEXT: '"so"',
    S.DATE: "2026-07-01",
    S.TIME: "14:30",
    S.MOMENT: "2026-07-01T14:30",
}
"""A sample value of each type without units, in the language's notation."""


def check_constant(checker: Checker, tree: s.Tree, type_: Type, what: str, computed: Collection[str]) -> t.Expr:
    """Check a constant and return it; return a placeholder if it has a mistake.

    Args:
        checker: the checker of the document.
        tree: the syntax tree, which must be a value and not a computation.
        type_: the required type.
        what: phrase for the value in messages, such as `a default`.
        computed: names of givens and definitions, which are not constants.
    """
    sample = _sample_value(type_, checker.names.currency)
    if not _needs_no_computation(tree, computed):
        checker.report.error(
            "PS303",
            f"{what} is a plain value",
            tree.span,
            "an expression",
            help=_help_for(sample),
        )
        return mistake(tree.span)
    if isinstance(tree, s.Name) and isinstance(type_, ScalarType) and not checker.names.unsure:
        checker.report.error(
            "PS303",
            f"{type_with_article(type_)} is needed as {what}, not a name",
            tree.span,
            "a name",
            help=_help_for(sample),
        )
        return mistake(tree.span)
    return checker.checked_as(tree, {}, type_, f" as {what}")


def refuse_list(node: Sequence, type_: Type, what: str, currency: str | None, report: Report) -> None:
    """Report a YAML list in place of a value of a type."""
    report.error(
        "PS303",
        f"{type_with_article(type_)} is needed as {what}, not a YAML list",
        node.span,
        "a list",
        help=_help_for(_sample_value(type_, currency)),
    )


def _help_for(sample: str | None) -> str:
    return "write the value itself" if sample is None else f"write the value itself, such as `{sample}`"


def _sample_value(type_: Type, currency: str | None) -> str | None:
    """Return a sample value of a type in the language's notation; None for a type of rows."""
    if isinstance(type_, SetType | ListType):
        item = _sample_value(type_.item, currency)
        return "{a, b}" if item is None else f"{{{item}}}"
    if isinstance(type_, EnumType):
        return next(iter(type_.members), None)
    units = (currency or "EUR",) if type_ is S.MONEY else UNITS.get(type_, ())
    return with_unit(SAMPLES[type_], units[0]) if units else SAMPLE_VALUES.get(type_)


def _needs_no_computation(tree: s.Tree, computed: Collection[str]) -> bool:
    """Return whether the tree is a literal, the name of a member or row, or a set of these."""
    match tree:
        case s.Number() | s.Text() | s.BooleanLiteral() | s.Nothing():
            return True
        case s.Name(name=name):
            return name not in computed
        case s.Attribute(value=s.Name()):
            return True
        case s.Unary(op="-", operand=s.Number()):
            return True
        case s.Braces(items=items):
            return all(_needs_no_computation(item, computed) for item in items)
    return False


def constant_value(expr: t.Expr, names: Names) -> Any:
    """Return the value of a constant expression; None for *none*, or for a row that does not exist."""
    match expr:
        case t.Literal(value=value):
            return value
        case t.Negate(operand=operand):
            return -constant_value(operand, names)
        case t.SetLiteral(items=items):
            return tuple(dict.fromkeys(constant_value(item, names) for item in items))
        case t.RowNamed(table=table, key=key):
            names.searched.add(table.name)
            return names.row(table, (key,))
        case t.AllMembers(enum=enum):
            return enum.members
    return None
