"""Checking of collections: sets, ranges, generators, tables, `steps`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from planspec.dsl.check.expected_types import check_together, needs_expected_type
from planspec.dsl.check.type_rules import (
    common_type,
    is_open,
    mistake,
    stage_of,
    type_with_article,
    with_definite_type,
    with_type,
    without_factor,
)
from planspec.dsl.diagnostics.diagnostic import Label
from planspec.dsl.diagnostics.suggestions import reversed_range_help
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    INTEGRAL,
    EnumType,
    ListType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Stage,
    Type,
)
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv

STEP_TYPE = {
    ScalarType.TIME: ScalarType.DURATION,
    ScalarType.MOMENT: ScalarType.DURATION,
    ScalarType.DATE: ScalarType.INT,
}
"""The type of a range's step by the type of its ends, for types in which the two differ."""


def check_source(c: Checker, tree: s.For, env: TypeEnv) -> t.Expr:
    """Check the collection over which a `for` ranges, and return it."""
    source = tree.source
    inner = source.inner if isinstance(source, s.Parens) else source
    if isinstance(inner, s.RangeTree):
        collection = check_range(c, inner, env, None)
        if isinstance(collection, t.RangeOf) and (end := scaled_end(collection)) is not None:
            return c.report_inexact(end, "an end of a range that is iterated")
        return c.require_static(collection, "a range that is iterated")
    if isinstance(source, s.CallOf) and source.function.name == "steps":
        return check_steps(c, source, env)
    collection = c.expression(source, env)
    if collection.type is Special.WRONG:
        return collection
    if collection.type is Special.EMPTY:
        c.report.error("PS315", "the type of this empty set cannot be determined", source.span, "always empty")
        return mistake(source.span)
    if not isinstance(collection.type, SetType | ListType):
        help_text = None
        if isinstance(collection, t.OnlyRow):
            help_text = f"`{collection.table.name}` has exactly one row: use its columns as they are"
        elif collection.type is ScalarType.INT:
            help_text = f"for each number write `1..{source.span.text}`"
        c.report.error(
            "PS306",
            f"{type_with_article(collection.type)} cannot be ranged over",
            source.span,
            type_with_article(collection.type),
            help=help_text,
        )
        return mistake(source.span)
    if collection.stage is Stage.PLANNED and _is_computed_set(collection):
        return c.require_static(collection, "a set that is iterated")
    return collection


def _is_computed_set(collection: t.Expr) -> bool:
    """Return whether an expression computes the collection, instead of being a table, column or relation."""
    match collection:
        case t.SetOf() | t.SetLiteral() | t.RangeOf():
            return True
        case t.Apply(definition=definition):
            return _is_computed_set(definition.body)
        case t.Conditional(then=a, otherwise=b) | t.Coalesce(left=a, right=b):
            return _is_computed_set(a) or _is_computed_set(b)
    return False


def check_range(c: Checker, tree: s.RangeTree, env: TypeEnv, expected: Type | None, *, domain: bool = False) -> t.Expr:
    """Check `low..high step s`, a set of values of the type of its ends.

    Args:
        c: checks the parts.
        tree: the range.
        env: the visible variables.
        expected: the type of the ends, if known from the context.
        domain: whether the range is a domain of the scope. An empty domain is reported later.
    """
    low, high = check_together(c, (tree.low, tree.high), env, expected)
    if Special.WRONG in (low.type, high.type):
        return mistake(tree.span)
    both = common_type(low.type, high.type)
    if both is Special.UNIT_ZERO:
        both = expected if expected is not None and expected in INTEGRAL else ScalarType.INT
    if both is None or (without_factor(both) not in INTEGRAL and both is not ScalarType.DECIMAL):
        c.report.error(
            "PS307",
            "the ends of a range are numbers of one unit",
            tree.span,
            "",
            secondary=[Label(low.span, type_with_article(low.type)), Label(high.span, type_with_article(high.type))],
        )
        return mistake(tree.span)
    low, high = with_type(low, without_factor(both)), with_type(high, without_factor(both))
    step = None
    if tree.step is not None:
        needed = STEP_TYPE.get(both, both) if isinstance(both, ScalarType) else without_factor(both)
        step = c.require_static(c.checked_as(tree.step, env, needed, " as a step"), "a step")
        if step.type is Special.WRONG:
            return mistake(tree.span)
        if (isinstance(step, t.Literal) and step.value is not None and step.value <= 0) or isinstance(step, t.Negate):
            c.report.error("PS401", "a step is positive", step.span, "not positive")
            return mistake(tree.span)
    if not domain and isinstance(low, t.Literal) and isinstance(high, t.Literal) and low.value > high.value:
        c.report.warning(
            "PS401",
            "the range is empty",
            tree.span,
            "the wrong way round?",
            help=reversed_range_help(low.span.text, high.span.text, clock=low.type is ScalarType.TIME),
        )
    parts = (low, high) if step is None else (low, high, step)
    return t.RangeOf(SetType(both), tree.span, stage_of(parts), any(p.partial for p in parts), low, high, step)


def scaled_end(range_: t.RangeOf) -> t.Expr | None:
    """Return an end of the range that is an amount multiplied by a decimal; None if there is none."""
    return next((end for end in (range_.low, range_.high) if isinstance(end.type, ScaledType)), None)


def check_set(c: Checker, tree: s.Generator, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `(body for ...)`."""
    clauses, inner = c.clauses(tree.clauses, env)
    item = expected.item if isinstance(expected, SetType | ListType) else None
    body = with_definite_type(c.expression(tree.body, inner, item), item)
    if body.type is Special.WRONG or has_mistake(clauses):
        return mistake(tree.span)
    if isinstance(body.type, ScaledType):
        return c.report_inexact(body, "a member of a set")
    if is_open(body.type) or isinstance(body.type, SetType | ListType):
        c.report.error("PS303", "a set holds plain values or rows", body.span, type_with_article(body.type))
        return mistake(tree.span)
    return t.SetOf(SetType(body.type), tree.span, stage_of([body, *clause_parts(clauses)]), False, body, clauses)


def check_braces(c: Checker, tree: s.Braces, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `{a, b}`. Without an expected type, bare names are members of the only enum that has all of them."""
    item = expected.item if isinstance(expected, SetType | ListType) else None
    if not tree.items:
        type_ = expected if isinstance(expected, SetType | ListType) else Special.EMPTY
        return t.SetLiteral(type_, tree.span, Stage.STATIC, False, ())
    if item is None and all(isinstance(x, s.Name) and needs_expected_type(c, x, env) for x in tree.items):
        guessed = _enum_with_all(c, tree)
        if guessed is Special.WRONG:
            return mistake(tree.span)
        item = guessed
    items = check_together(c, tree.items, env, item)
    if any(x.type is Special.WRONG for x in items):
        return mistake(tree.span)
    both: Type | None = items[0].type
    for previous, x in pairwise(items):
        both = common_type(both, x.type) if both is not None else None
        if both is None:
            c.report.error(
                "PS307",
                "the items of a set are of different types",
                x.span,
                type_with_article(x.type),
                secondary=[Label(previous.span, type_with_article(previous.type))],
            )
            return mistake(tree.span)
    assert both is not None
    if isinstance(both, ScaledType):
        return c.report_inexact(next(x for x in items if isinstance(x.type, ScaledType)), "a member of a set")
    if both is Special.UNIT_ZERO:
        both = item if item is not None and item in INTEGRAL else ScalarType.INT
    nothing = next((x for x in items if isinstance(x, t.Literal) and x.value is None), None)
    if nothing is not None or isinstance(both, SetType | ListType | Special):
        bad = nothing or items[0]
        c.report.error(
            "PS303",
            "a set holds plain values or rows",
            bad.span,
            "none" if nothing else type_with_article(both),
        )
        return mistake(tree.span)
    settled_items = tuple(with_type(x, both) for x in items)
    return t.SetLiteral(SetType(both), tree.span, stage_of(items), any(x.partial for x in items), settled_items)


def _enum_with_all(c: Checker, tree: s.Braces) -> EnumType | Special | None:
    """Return the enum that has all names of the set; otherwise the enum that has most of them.

    Return WRONG if the enum is ambiguous, which is reported, and None if no enum fits.
    """
    words = [x.name for x in tree.items if isinstance(x, s.Name)]
    fitting = [enum for enum in c.names.enums.values() if set(words) <= set(enum.members)]
    if len(fitting) > 1:
        c.report.error(
            "PS211",
            f"`{words[0]}` could be of {' or '.join(e.name for e in fitting)}",
            tree.span,
            "nothing here says which",
            help=f"write `{fitting[0].name}.{words[0]}`",
        )
        return Special.WRONG
    if fitting:
        return fitting[0]
    shared = {enum.name: len(set(words) & set(enum.members)) for enum in c.names.enums.values()}
    best = [enum for enum in c.names.enums.values() if shared[enum.name] == max(shared.values()) > 0]
    return best[0] if len(best) == 1 else None  # the other names are misspelt members of this enum


def check_steps(c: Checker, tree: s.CallOf, env: TypeEnv) -> t.Expr:
    """Check `steps(x for x in rows if ..., by=, per=)`, the set of pairs of consecutive items."""
    keys = check_keywords(c, tree, ("by", "per"))
    if len(tree.args) != 1:
        c.report.error("PS208", "`steps` takes one generator or list", tree.span, f"{len(tree.args)} arguments")
        return mistake(tree.span)
    argument = tree.args[0]
    clauses: tuple[t.Clause, ...]
    if isinstance(argument, s.Generator):
        clauses, inner = c.clauses(argument.clauses, env)
        body = with_definite_type(c.expression(argument.body, inner))
    else:
        collection = c.expression(argument, env)
        if collection.type is Special.WRONG:
            return mistake(tree.span)
        if not isinstance(collection.type, SetType | ListType):
            c.report.error(
                "PS306",
                f"{type_with_article(collection.type)} cannot be ranged over",
                argument.span,
                type_with_article(collection.type),
                help="write `steps(v for v in visits, by=v.start)`",
            )
            return mistake(tree.span)
        body, clauses = body_and_clause(collection)
        inner = dict(env)
    by = c.expression(keys["by"].value, inner) if "by" in keys else None
    per = c.expression(keys["per"].value, inner) if "per" in keys else None
    parts = [body, *clause_parts(clauses), *(x for x in (by, per) if x is not None)]
    if any(part.type is Special.WRONG for part in parts):
        return mistake(tree.span)
    if by is None and not (len(clauses) == 1 and isinstance(clauses[0].source.type, ListType)):
        c.report.error(
            "PS213",
            "`steps` needs `by=`",
            tree.function.span,
            "in which order?",
            help="only a list has an order of its own: `steps(v for v in visits, by=v.start)`",
        )
        return mistake(tree.span)
    if by is not None and not check_key_order(c, by):
        return mistake(tree.span)
    return t.Steps(SetType(body.type), tree.span, stage_of(parts), False, body, clauses, by, per)


def check_keywords(c: Checker, tree: s.CallOf, allowed: tuple[str, ...]) -> dict[str, s.Keyword]:
    """Return the keyword arguments of a call by name; report any that are not allowed."""
    arguments_: dict[str, s.Keyword] = {}
    name = tree.function.name
    for keyword in tree.keywords:
        span = keyword.span
        if keyword.name not in allowed:
            c.report.error(
                "PS213",
                f"`{name}` has no argument `{keyword.name}`",
                span,
                f"not one of {', '.join(allowed)}" if allowed else "its arguments have no names",
                help=f"write `{name}(...) ?? {keyword.value.span.text}`" if keyword.name == "default" else None,
            )
        elif keyword.name in arguments_:
            c.report.error(
                "PS213",
                f"`{keyword.name}` is given twice",
                span,
                "again here",
                secondary=[Label(arguments_[keyword.name].span, "first here")],
            )
        arguments_.setdefault(keyword.name, keyword)
    return arguments_


def check_key_order(c: Checker, key: t.Expr) -> bool:
    """Return whether values of the sort key have an order; report the key if they do not."""
    if key.type in INTEGRAL or key.type in (ScalarType.DECIMAL, Special.UNIT_ZERO) or isinstance(key.type, ScaledType):
        return True
    c.report.error("PS317", f"{type_with_article(key.type)} has no order", key.span, "cannot be sorted by")
    return False


def body_and_clause(collection: t.Expr) -> tuple[t.Expr, tuple[t.Clause, ...]]:
    """Return the body and clause of `x for x in collection`, for an aggregate over a collection."""
    assert isinstance(collection.type, SetType | ListType)
    name = t.Binding("it", collection.type.item, collection.span)
    return t.Var(collection.type.item, collection.span, collection.stage, False, name), (
        t.Clause((name,), collection, None),
    )


def clause_parts(clauses: tuple[t.Clause, ...]) -> list[t.Expr]:
    """Return the sources and conditions of clauses."""
    return [part for clause in clauses for part in (clause.source, clause.condition) if part is not None]


def has_mistake(clauses: tuple[t.Clause, ...]) -> bool:
    """Return whether a source or condition of the clauses has a mistake."""
    return any(part.type is Special.WRONG for part in clause_parts(clauses))
