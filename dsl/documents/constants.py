"""Values that documents write out, such as defaults: syntax tree -> checked expression -> value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.check.type_mismatches import SAMPLES
from planspec.dsl.check.type_rules import article, wrong
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import EnumType, ListType, ScalarType, SetType, Type
from planspec.dsl.model.values import UNITS, with_unit
from planspec.dsl.syntax import nodes as s
from planspec.dsl.yaml.reader import Sequence

S = ScalarType
WRITTEN: dict[Type, str] = {
    S.BOOL: "true", S.INT: "3", S.DECIMAL: "1.5", S.TEXT: '"so"', S.DATE: "2026-07-01", S.TIME: "14:30",
    S.MOMENT: "2026-07-01T14:30",
}  # fmt: skip
"""A value of each type without units, as the language writes it."""


def plain_value(checker: Checker, tree: s.Tree, of: Type, what: str, taken: Collection[str]) -> t.Expr:
    """The checked value that a tree writes; a wrong one after a report.

    Args:
        checker: of the document.
        tree: is to write the value itself.
        of: the type of the value.
        what: it stands as, such as `a default`.
        taken: names that stand for something that is worked out.
    """
    sample = _sample(of, checker.names.currency)
    if not _is_plain(tree, taken):
        checker.report.error(
            "PS303", f"{what} is a plain value", tree.span, "an expression",
            help=_way(sample),
        )  # fmt: skip
        return wrong(tree.span)
    if isinstance(tree, s.Name) and isinstance(of, ScalarType) and not checker.names.unsure:
        checker.report.error(
            "PS303", f"{article(of)} is needed as {what}, not a name", tree.span, "a name", help=_way(sample)
        )
        return wrong(tree.span)
    return checker.typed(tree, {}, of, f" as {what}")


def refuse_list(node: Sequence, of: Type, what: str, currency: str | None, report: Report) -> None:
    """Report a YAML list where a value of a type is written."""
    report.error(
        "PS303", f"{article(of)} is needed as {what}, not a YAML list", node.span, "a list",
        help=_way(_sample(of, currency)),
    )  # fmt: skip


def _way(sample: str | None) -> str:
    return "write the value itself" if sample is None else f"write the value itself, such as `{sample}`"


def _sample(of: Type, currency: str | None) -> str | None:
    """A value of a type as the language writes it; None of a row, whose name is not known here."""
    if isinstance(of, SetType | ListType):
        item = _sample(of.item, currency)
        return "{a, b}" if item is None else f"{{{item}}}"
    if isinstance(of, EnumType):
        return next(iter(of.members), None)
    units = (currency or "EUR",) if of is S.MONEY else UNITS.get(of, ())
    return with_unit(SAMPLES[of], units[0]) if units else WRITTEN.get(of)


def _is_plain(tree: s.Tree, taken: Collection[str]) -> bool:
    """The tree writes a value without computing anything."""
    match tree:
        case s.Number() | s.Text() | s.BooleanLiteral() | s.Nothing():
            return True
        case s.Name(name=name):
            return name not in taken
        case s.Attribute(value=s.Name()):
            return True
        case s.Unary(op="-", operand=s.Number()):
            return True
        case s.Braces(items=items):
            return all(_is_plain(item, taken) for item in items)
    return False


def constant(made: t.Expr, names: Names) -> Any:
    """The value of an expression that was plain; None of a row that is not there."""
    match made:
        case t.Literal(value=value):
            return value
        case t.Negate(operand=operand):
            return -constant(operand, names)
        case t.SetLiteral(items=items):
            return tuple(dict.fromkeys(constant(item, names) for item in items))
        case t.RowNamed(table=table, key=key):
            names.searched.add(table.name)
            return names.row(table, (key,))
        case t.AllMembers(enum=enum):
            return enum.members
    return None
