"""Checking of `no_overlap(...)` and `peak(...)`, which compare the intervals of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from planspec.dsl.check.builtins import Builtin
from planspec.dsl.check.collections import STEP_TYPE, check_keywords, clause_parts
from planspec.dsl.check.expected_types import check_together
from planspec.dsl.check.type_rules import (
    NUMBERS,
    common_type,
    mistake,
    stage_of,
    type_with_article,
    with_definite_type,
    with_type,
    without_factor,
)
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.model import tree as t
from planspec.dsl.model.intervals import is_peak
from planspec.dsl.model.traversal import walk
from planspec.dsl.model.types import ScalarType, Special, Type
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv

ENDS = frozenset({ScalarType.TIME, ScalarType.MOMENT, ScalarType.DATE, ScalarType.DURATION, ScalarType.INT})
"""Allowed types of the ends of intervals."""


def check_intervals(c: Checker, tree: s.CallOf, builtin: Builtin, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `no_overlap(x for ..., from=, to=, gap=, per=)` or `peak(amount for ..., from=, to=, per=)`."""
    keys = check_keywords(c, tree, tuple(key for key, _ in builtin.keywords))
    missing = [key for key, required in builtin.keywords if required and key not in keys]
    if missing:
        c.report.error(
            "PS213",
            f"`{builtin.name}` needs `{missing[0]}=`",
            tree.function.span,
            "when does a row begin and end?",
            help=f"write `{builtin.example}`",
        )
        return mistake(tree.span)
    if len(tree.args) != 1 or not isinstance(tree.args[0], s.Generator):
        c.report.error("PS208", f"`{builtin.name}` takes one generator", tree.span, builtin.signature)
        return mistake(tree.span)
    clauses, inner = c.clauses(tree.args[0].clauses, env)
    body = with_definite_type(c.expression(tree.args[0].body, inner, expected if builtin.own_type else None), expected)
    start, end = check_together(c, (keys["from"].value, keys["to"].value), inner, None)
    per = c.expression(keys["per"].value, inner) if "per" in keys else None
    ends = _type_of_ends(c, start, end)
    gap = None
    if "gap" in keys and ends is not None:
        gap = c.checked_as(keys["gap"].value, inner, STEP_TYPE.get(ends, ends), " as a gap")
    parts = [body, start, end, *clause_parts(clauses), *(x for x in (gap, per) if x is not None)]
    if ends is None or any(part.type is Special.WRONG for part in parts):
        return mistake(tree.span)
    start, end = with_type(start, ends), with_type(end, ends)
    if ends is ScalarType.TIME:
        _warn_of_mixed_days(c, tree, builtin, clauses, per)
    if builtin.name == "no_overlap":
        names = tuple(t.Binding(name, body.type, tree.span, optional=body.partial) for name in ("earlier", "later"))
        return t.Intervals(
            ScalarType.BOOL, tree.span, stage_of(parts), False, "no_overlap", body, clauses, start, end, gap, per, names
        )
    if without_factor(body.type) not in NUMBERS:
        code, headline = builtin.refusal
        c.report.error(
            code, headline.format(type=type_with_article(body.type)), body.span, type_with_article(body.type)
        )
        return mistake(tree.span)
    at = t.Binding("at", ends, tree.span)
    return t.Intervals(body.type, tree.span, stage_of(parts), True, "peak", body, clauses, start, end, None, per, (at,))


def _type_of_ends(c: Checker, start: t.Expr, end: t.Expr) -> ScalarType | None:
    """Return the common type of an interval's ends; None if an end has a mistake or the types differ."""
    if Special.WRONG in (start.type, end.type):
        return None
    both = common_type(start.type, end.type)
    if both is Special.UNIT_ZERO:
        both = ScalarType.INT
    if isinstance(both, ScalarType) and both in ENDS:
        return both
    labels = [Label(start.span, f"`from` is {type_with_article(start.type)}")]
    c.report.error(
        "PS307",
        "`from` and `to` are of one type: time, moment, date, duration or int",
        end.span,
        f"`to` is {type_with_article(end.type)}",
        secondary=labels,
    )
    return None


def _warn_of_mixed_days(
    c: Checker, tree: s.CallOf, builtin: Builtin, clauses: tuple[t.Clause, ...], per: t.Expr | None
) -> None:
    """Warn if intervals on different dates are compared only by their times of day."""
    targets = {target for clause in clauses for target in clause.targets}
    separating = [clause.condition for clause in clauses if clause.condition is not None]
    separating += [] if per is None else [per]
    if any(part.type is ScalarType.DATE for part in walk(*separating)):
        return
    for target in targets:
        table = c.table_of(target.type)
        if table is None:
            continue
        day = next((column.name for column in table.columns.values() if column.type is ScalarType.DATE), None)
        if day is not None:
            c.report.warning(
                "PS433",
                f"`{builtin.name}` compares times of different days",
                tree.span,
                f"`{target.name}` has a date, `{day}`",
                help=f"write `from={target.name}.{day} + ...` and `to={target.name}.{day} + ...`, or `per={target.name}.{day}`",
            )
            return


# -- conditions that are too weak ------------------------------------------------------------------------------


def warn_of_single_moments(constraints: Iterable[t.Constraint], report: Report) -> None:
    """Warn of constraints such as `peak(...) >= 3`, which hold if the amount is large at a single moment."""
    for constraint in constraints:
        for atom in _peaks_of_one_moment(constraint.body, negative=False):
            report.warning(
                "PS434",
                "a peak is reached at one moment; it says nothing about other times",
                atom.span,
                "true if one moment has so much",
                help="for a least amount at all times write `all(sum(... for x in ... if ...) >= n for t in ...)`",
            )


def _peaks_of_one_moment(expr: t.Expr, *, negative: bool) -> Iterator[t.Compare]:
    """Yield the comparisons, such as `peak(...) >= 3`, that hold if the amount is large at a single moment.

    `negative` is true inside a negation.
    """
    match expr:
        case t.Not(operand=operand):
            yield from _peaks_of_one_moment(operand, negative=not negative)
        case t.Logic(op="implies", operands=(left, right)):
            yield from _peaks_of_one_moment(left, negative=not negative)
            yield from _peaks_of_one_moment(right, negative=negative)
        case t.Logic(operands=operands):
            for operand in operands:
                yield from _peaks_of_one_moment(operand, negative=negative)
        case t.Conditional(then=then, otherwise=otherwise):
            yield from _peaks_of_one_moment(then, negative=negative)
            yield from _peaks_of_one_moment(otherwise, negative=negative)
        case t.Aggregate(function="all" | "any", body=body):
            yield from _peaks_of_one_moment(body, negative=negative)
        case t.Compare(operands=operands, ops=ops):
            upper = (">", ">=") if negative else ("<", "<=")
            lower = ("<", "<=") if negative else (">", ">=")
            for (left, right), op in zip(pairwise(operands), ops, strict=True):
                if (is_peak(left) and op in lower) or (is_peak(right) and op in upper):
                    yield expr
                    return
