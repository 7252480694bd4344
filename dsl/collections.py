"""Checking of what can be ranged over: sets, ranges, generators, tables, `steps`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.checker import article, assignable, joined, retyped, stage_of, wrong
from planspec.dsl.diagnostics import Label
from planspec.dsl.operators import needs_want
from planspec.dsl.types import (
    INTEGRAL,
    EnumType,
    ListType,
    Scalar,
    SetType,
    Special,
    Stage,
    Type,
)

if TYPE_CHECKING:
    from planspec.dsl.checker import Checker, Env

STEP_TYPE = {Scalar.TIME: Scalar.DURATION, Scalar.MOMENT: Scalar.DURATION, Scalar.DATE: Scalar.INT}
"""The type of a range's step where it is not the items' own."""


def source_of(c: Checker, tree: s.For, env: Env) -> t.Expr:
    """What a `for` ranges over."""
    source = tree.source
    inner = source.inner if isinstance(source, s.Parens) else source
    if isinstance(inner, s.RangeTree):
        return c.static(range_of(c, inner, env, None), "a range that is iterated")
    if isinstance(source, s.CallOf) and source.function.name == "steps":
        return steps(c, source, env)
    made = c.expression(source, env)
    if made.type is Special.WRONG:
        return made
    if not isinstance(made.type, SetType | ListType):
        help_text = None
        if isinstance(made, t.OnlyRow):
            help_text = f"`{made.table.name}` has exactly one row: use its columns as they are"
        c.report.error(
            "PS306", f"{article(made.type)} cannot be ranged over", source.span, article(made.type), help=help_text
        )
        return wrong(source.span)
    if isinstance(made, t.SetOf | t.SetLiteral) and made.stage is Stage.PLANNED:
        return c.static(made, "a set that is iterated")
    return made


def range_of(c: Checker, tree: s.RangeTree, env: Env, want: Type | None) -> t.Expr:
    """`low..high step s` as a set of the ends' type."""
    if needs_want(c, tree.low, env) and not needs_want(c, tree.high, env):
        high = c.expression(tree.high, env, want)
        low = c.expression(tree.low, env, high.type)
    else:
        low = c.expression(tree.low, env, want)
        known = want if low.type is Special.UNIT_ZERO else low.type
        high = c.expression(tree.high, env, known)
    if Special.WRONG in (low.type, high.type):
        return wrong(tree.span)
    both = joined(low.type, high.type)
    if both is Special.UNIT_ZERO:
        both = want if want in INTEGRAL else Scalar.INT
    from planspec.dsl.types import ScaledType

    if both is None or both not in INTEGRAL and not isinstance(both, ScaledType) and both is not Scalar.DECIMAL:
        c.report.error(
            "PS307", "the ends of a range are numbers of one unit", tree.span, "",
            secondary=[Label(low.span, article(low.type)), Label(high.span, article(high.type))],
        )  # fmt: skip
        return wrong(tree.span)
    step = None
    if tree.step is not None:
        needed = STEP_TYPE.get(both, both) if isinstance(both, Scalar) else both
        step = c.static(c.typed(tree.step, env, needed, " as a step"), "a step")
        if step.type is Special.WRONG:
            return wrong(tree.span)
        if isinstance(step, t.Literal) and step.value is not None and step.value <= 0:
            c.report.error("PS401", "a step is positive", step.span, "never arrives")
            return wrong(tree.span)
    parts = (low, high) if step is None else (low, high, step)
    return t.RangeOf(SetType(both), tree.span, stage_of(parts), any(p.partial for p in parts), low, high, step)


def set_of(c: Checker, tree: s.Generator, env: Env, want: Type | None) -> t.Expr:
    """`(body for ...)`."""
    clauses, inner = c.clauses(tree.clauses, env)
    body = c.expression(tree.body, inner, want.item if isinstance(want, SetType | ListType) else None)
    if body.type is Special.WRONG or any(clause.source.type is Special.WRONG for clause in clauses):
        return wrong(tree.span)
    stage = stage_of([body, *(clause.source for clause in clauses), *(x.condition for x in clauses if x.condition)])
    return t.SetOf(SetType(body.type), tree.span, stage, False, body, clauses)


def braces(c: Checker, tree: s.Braces, env: Env, want: Type | None) -> t.Expr:
    """`{a, b}`; bare names in it are members of the one enum that has them all, if nothing else says."""
    item = want.item if isinstance(want, SetType | ListType) else None
    if not tree.items:
        made = want if isinstance(want, SetType | ListType) else Special.EMPTY
        return t.SetLiteral(made, tree.span, Stage.STATIC, False, ())
    if item is None:
        item = next((c.expression(x, env).type for x in tree.items if not needs_want(c, x, env)), None)
        item = item if item not in (Special.WRONG, Special.UNIT_ZERO) else None
    if item is None and all(needs_want(c, x, env) for x in tree.items):
        item = _enum_with_all(c, tree)
    items = tuple(c.expression(x, env, item) for x in tree.items)
    if any(x.type is Special.WRONG for x in items):
        return wrong(tree.span)
    both: Type | None = items[0].type
    for previous, x in zip(items, items[1:], strict=False):
        both = joined(both, x.type) if both is not None else None
        if both is None:
            c.report.error(
                "PS307", "the items of a set are of one type", x.span, article(x.type),
                secondary=[Label(previous.span, article(previous.type))],
            )  # fmt: skip
            return wrong(tree.span)
    assert both is not None
    if both is Special.UNIT_ZERO:
        both = item if item is not None else Scalar.INT
    partial = any(x.partial for x in items)
    return t.SetLiteral(SetType(both), tree.span, stage_of(items), partial, tuple(retyped(x, both) if x.type is Special.UNIT_ZERO else x for x in items))


def _enum_with_all(c: Checker, tree: s.Braces) -> EnumType | None:
    names = {x.name for x in tree.items if isinstance(x, s.Name)}
    if len(names) < len(tree.items):
        return None
    fitting = [enum for enum in c.names.enums.values() if names <= set(enum.members)]
    if len(fitting) > 1:
        first = next(iter(names))
        c.report.error(
            "PS211", f"`{first}` could be of {' or '.join(e.name for e in fitting)}", tree.span, "nothing here says which",
            help=f"write `{fitting[0].name}.{first}`",
        )  # fmt: skip
    return fitting[0] if fitting else None


def steps(c: Checker, tree: s.CallOf, env: Env) -> t.Expr:
    """`steps(x for x in rows if ..., by=, per=)`, a set of pairs."""
    for keyword in tree.keywords:
        if keyword.name not in ("by", "per"):
            c.report.error("PS213", f"`steps` has no argument `{keyword.name}`", keyword.span, "not one of by, per")
    if len(tree.args) != 1:
        c.report.error("PS208", "`steps` takes one generator or list", tree.span, f"{len(tree.args)} arguments")
        return wrong(tree.span)
    argument = tree.args[0]
    clauses: tuple[t.Clause, ...]
    if isinstance(argument, s.Generator):
        clauses, inner = c.clauses(argument.clauses, env)
        body = c.expression(argument.body, inner)
    else:
        collection = c.expression(argument, env)
        if collection.type is not Special.WRONG and not isinstance(collection.type, SetType | ListType):
            c.report.error("PS306", f"{article(collection.type)} cannot be ranged over", argument.span, article(collection.type))
            return wrong(tree.span)
        item = collection.type.item if isinstance(collection.type, SetType | ListType) else Special.WRONG
        name = t.Binding("it", item, argument.span)
        clauses, inner = (t.Clause((name,), collection, None),), {**env}
        body = t.Var(item, argument.span, collection.stage, False, name)
    keys = {k.name: k.value for k in tree.keywords}
    by = c.expression(keys["by"], inner) if "by" in keys else None
    per = c.expression(keys["per"], inner) if "per" in keys else None
    parts = [body, *(x.source for x in clauses), *(x.condition for x in clauses if x.condition), *(x for x in (by, per) if x)]
    if any(part.type is Special.WRONG for part in parts):
        return wrong(tree.span)
    if by is None and not (len(clauses) == 1 and isinstance(clauses[0].source.type, ListType)):
        c.report.error(
            "PS213", "`steps` needs `by=`", tree.function.span, "in which order?",
            help="only a list has an order of its own: `steps(v for v in visits, by=v.start)`",
        )  # fmt: skip
        return wrong(tree.span)
    if by is not None and not ordered_key(c, by):
        return wrong(tree.span)
    return t.Steps(SetType(body.type), tree.span, stage_of(parts), False, body, clauses, by, per)


def ordered_key(c: Checker, key: t.Expr) -> bool:
    """The key has an order; reports if it has none."""
    if key.type in INTEGRAL or key.type in (Scalar.DECIMAL, Special.UNIT_ZERO):
        return True
    c.report.error("PS317", f"{article(key.type)} has no order", key.span, "cannot be sorted by")
    return False


def as_generator(c: Checker, collection: t.Expr) -> tuple[t.Expr, tuple[t.Clause, ...]]:
    """`(x, for x in collection)`: what an aggregate of a plain collection means."""
    assert isinstance(collection.type, SetType | ListType)
    name = t.Binding("it", collection.type.item, collection.span)
    stage = collection.stage
    return t.Var(collection.type.item, collection.span, stage, False, name), (t.Clause((name,), collection, None),)


__all__ = ["as_generator", "assignable", "braces", "ordered_key", "range_of", "replace", "set_of", "source_of", "steps"]
