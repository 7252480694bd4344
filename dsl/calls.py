"""Checking of calls: aggregates, builtins, definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.builtins import AGGREGATES, BUILTINS
from planspec.dsl.checker import article, assignable, joined, retyped, stage_of, wrong
from planspec.dsl.collections import as_generator, ordered_key
from planspec.dsl.names import did_you_mean
from planspec.dsl.operators import NUMBERS, arithmetic, needs_want
from planspec.dsl.types import ORDERED, ListType, Scalar, ScaledType, SetType, Special, Stage, Type

if TYPE_CHECKING:
    from planspec.dsl.checker import Checker, Env


def call(c: Checker, tree: s.CallOf, env: Env, want: Type | None) -> t.Expr:
    """`f(...)`."""
    name = tree.function.name
    generator = len(tree.args) == 1 and isinstance(tree.args[0], s.Generator)
    if name == "steps":
        c.report.error(
            "PS306", "`steps` is a relation to range over", tree.span, "not a value",
            help="write `all(... for a, b in steps(...))`",
        )  # fmt: skip
        return wrong(tree.span)
    if name in AGGREGATES and (generator or name not in ("min", "max") or len(tree.args) == 1):
        return aggregate(c, tree, env, want)
    if name in BUILTINS:
        if generator:
            c.report.error("PS208", f"`{name}` takes values, not a generator", tree.args[0].span, "a generator")
            return wrong(tree.span)
        return scalar(c, tree, env, want)
    pending = c.names.definitions.get(name)
    if pending is None or name in env:
        return _not_callable(c, tree, env)
    return apply(c, tree, env)


def _not_callable(c: Checker, tree: s.CallOf, env: Env) -> t.Expr:
    name = tree.function.name
    if c.resolvable(name, env):
        what = "a variable" if name in env else c.names.places[name][0]
        c.report.error("PS212", f"`{name}` is {what}, not a function", tree.function.span, "cannot be called")
    else:
        functions = [*BUILTINS, *(n for n, p in c.names.definitions.items() if p.signature.params is not None)]
        help_text = did_you_mean(name, functions) or {"len": "write `count(x for x in ...)`", "abs_": "write `abs`"}.get(name)
        c.report.error("PS201", f"unknown function `{name}`", tree.function.span, "not a function in reach", help=help_text)
    return wrong(tree.span)


def apply(c: Checker, tree: s.CallOf, env: Env) -> t.Expr:
    """A call of a definition."""
    pending = c.names.definitions[tree.function.name]
    definition = pending.definition
    if pending.signature.params is None:
        c.report.error("PS212", f"`{definition.name}` is a value, not a function", tree.function.span, "cannot be called", help=f"write `{definition.name}`")
        return wrong(tree.span)
    for keyword in tree.keywords:
        c.report.error("PS213", "arguments are given in order", keyword.span, "a keyword argument")
    if len(tree.args) != len(definition.params) or tree.keywords:
        if not tree.keywords:
            expected = f"{len(definition.params)}: {', '.join(p.name for p in definition.params)}" if definition.params else "none"
            c.report.error(
                "PS208", f"`{definition.name}` takes {len(definition.params)} arguments, {len(tree.args)} are given",
                tree.span, f"it takes {expected}",
            )  # fmt: skip
        return wrong(tree.span)
    args = tuple(
        c.typed(arg, env, param.type, f" for `{param.name}`") for arg, param in zip(tree.args, definition.params, strict=True)
    )
    if not c.ensure(pending, tree.function.span) or any(a.type is Special.WRONG for a in args):
        return wrong(tree.span)
    body = definition.body
    strict = any(a.partial for a, p in zip(args, definition.params, strict=True) if not p.optional)
    partial = body.type is not Scalar.BOOL and (body.partial or strict)
    return t.Apply(body.type, tree.span, stage_of((body, *args)), partial, definition, args)


def aggregate(c: Checker, tree: s.CallOf, env: Env, want: Type | None) -> t.Expr:
    """`all(... for ...)` and its like; of a plain collection, the aggregate of its items."""
    name = tree.function.name
    row = BUILTINS[name]
    allowed = dict(row.keywords)
    keys = {k.name: k for k in tree.keywords}
    for keyword in tree.keywords:
        if keyword.name not in allowed:
            c.report.error("PS213", f"`{name}` has no argument `{keyword.name}`", keyword.span, "not an argument of it")
    for key, required in row.keywords:
        if required and key not in keys:
            c.report.error("PS213", f"`{name}` needs `{key}=`", tree.function.span, "in which order?", help=f"write `{row.example}`")
            return wrong(tree.span)
    if len(tree.args) != 1:
        c.report.error("PS208", f"`{name}` takes one generator", tree.span, f"{len(tree.args)} arguments", help=row.signature)
        return wrong(tree.span)
    argument = tree.args[0]
    inner: Env
    clauses: tuple[t.Clause, ...]
    if isinstance(argument, s.Generator):
        clauses, inner = c.clauses(argument.clauses, env)
        if name in ("all", "any"):
            body = c.condition(argument.body, inner)
        else:
            body = c.expression(argument.body, inner, want if name in ("sum", "min", "max", "the", "first", "last") else None)
    else:
        collection = c.expression(argument, env)
        if collection.type is Special.WRONG:
            return wrong(tree.span)
        if not isinstance(collection.type, SetType | ListType) or name in ("all", "any", "the", "first", "last"):
            c.report.error(
                "PS306", f"`{name}` takes a generator", argument.span, article(collection.type),
                help=f"write `{row.example}`",
            )  # fmt: skip
            return wrong(tree.span)
        body, clauses = as_generator(c, collection)
        inner = env
    by = c.expression(keys["by"].value, inner) if "by" in keys and "by" in allowed else None
    if by is not None and by.type is not Special.WRONG and not ordered_key(c, by):
        return wrong(tree.span)
    parts = [body, *(x.source for x in clauses), *(x.condition for x in clauses if x.condition), *((by,) if by else ())]
    if any(part.type is Special.WRONG for part in parts):
        return wrong(tree.span)
    made = _aggregate_type(c, name, body, want)
    if made is None:
        return wrong(tree.span)
    partial = {"sum": body.partial, "all": False, "any": False, "count": False, "all_different": False}.get(name, True)
    if made is Scalar.BOOL:
        partial = False
    return t.Aggregate(made, tree.span, stage_of(parts), partial, name, body, clauses, by)  # type: ignore[arg-type]


def _aggregate_type(c: Checker, name: str, body: t.Expr, want: Type | None) -> Type | None:
    match name:
        case "all" | "any" | "all_different":
            return Scalar.BOOL
        case "count":
            return Scalar.INT
        case "sum":
            if body.type in NUMBERS or isinstance(body.type, ScaledType):
                return body.type
            if body.type is Special.UNIT_ZERO:
                return want if want in NUMBERS else Scalar.INT
            help_text = "to count what holds write `count(... if ...)`" if body.type is Scalar.BOOL else None
            c.report.error("PS302", f"{article(body.type)} cannot be summed", body.span, article(body.type), help=help_text)
            return None
        case "min" | "max":
            if body.type in ORDERED:
                return body.type
            if body.type is Special.UNIT_ZERO:
                return Scalar.INT
            c.report.error("PS317", f"{article(body.type)} has no order", body.span, article(body.type))
            return None
        case _:
            return body.type


def scalar(c: Checker, tree: s.CallOf, env: Env, want: Type | None) -> t.Expr:
    """`min(a, b)`, `abs(x)`, `ceil_div(a, b)`, `contains(text, part)`."""
    name = tree.function.name
    for keyword in tree.keywords:
        c.report.error("PS213", f"`{name}` has no argument `{keyword.name}`", keyword.span, "not an argument of it")
    least, most = {"min": (2, 64), "max": (2, 64), "abs": (1, 1), "ceil_div": (2, 2), "contains": (2, 2)}[name]
    if not least <= len(tree.args) <= most or tree.keywords:
        if not tree.keywords:
            wanted = str(least) if least == most else f"{least} or more"
            c.report.error("PS208", f"`{name}` takes {wanted} arguments, {len(tree.args)} are given", tree.span, BUILTINS[name].signature)
        return wrong(tree.span)
    if name in ("min", "max"):
        direct = next((c.expression(a, env, want).type for a in tree.args if not needs_want(c, a, env)), want)
        direct = direct if direct is not Special.WRONG else None
        args = tuple(c.expression(a, env, direct) for a in tree.args)
    else:
        args = tuple(c.expression(a, env) for a in tree.args)
    if any(a.type is Special.WRONG for a in args):
        return wrong(tree.span)
    made = _scalar_type(c, name, tree, args)
    if made is None:
        return wrong(tree.span)
    partial = made is not Scalar.BOOL and any(a.partial for a in args)
    if name == "ceil_div":
        partial = partial or not (isinstance(args[1], t.Literal) and args[1].value > 0)
    args = tuple(retyped(a, made) if a.type is Special.UNIT_ZERO else a for a in args)
    return t.Call(made, tree.span, stage_of(args), partial, name, args)


def _scalar_type(c: Checker, name: str, tree: s.CallOf, args: tuple[t.Expr, ...]) -> Type | None:
    bad = args[0]
    match name:
        case "min" | "max":
            both: Type | None = args[0].type
            for arg in args[1:]:
                both = joined(both, arg.type) if both is not None else None
                if both is None:
                    bad = arg
                    break
            if both is Special.UNIT_ZERO:
                return Scalar.INT
            if both is not None and both in ORDERED:
                return both
        case "abs":
            if args[0].type in NUMBERS:
                return args[0].type
            if args[0].type is Special.UNIT_ZERO:
                return Scalar.INT
        case "ceil_div":
            made = arithmetic("//", args[0].type, args[1].type)
            if made is not None:
                return made
        case _:
            bad = next((a for a in args if a.type is not Scalar.TEXT), bad)
            if all(assignable(a.type, Scalar.TEXT) for a in args):
                return Scalar.BOOL
    c.report.error(
        "PS302", f"`{name}` has no meaning for {', '.join(article(a.type) for a in args)}", bad.span, article(bad.type),
        help=BUILTINS[name].signature,
    )  # fmt: skip
    return None


__all__ = ["Stage", "call"]
