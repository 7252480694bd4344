"""Checking of calls: aggregates, builtins, definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.dsl.check.builtins import BUILTINS, Builtin
from planspec.dsl.check.collections import arguments, as_generator, ordered_key, parts_of
from planspec.dsl.check.expected_types import check_together, needs_expected_type
from planspec.dsl.check.names import Pending
from planspec.dsl.check.type_rules import (
    article,
    retyped,
    settled,
    stage_of,
    wrong,
)
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ListType, RowType, ScalarType, ScaledType, SetType, Special, Type
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv


def call(c: Checker, tree: s.CallOf, env: TypeEnv, expected: Type | None) -> t.Expr:
    """`f(...)`."""
    name = tree.function.name
    generator = len(tree.args) == 1 and isinstance(tree.args[0], s.Generator)
    if name in env:
        return _not_callable(c, tree, "a variable")
    if name == "steps":
        c.report.error(
            "PS306", "`steps` is a relation to range over", tree.span, "not a value",
            help="write `all(... for a, b in steps(...))`",
        )  # fmt: skip
        return wrong(tree.span)
    row = BUILTINS.get(name)
    if row is not None:
        if row.shape == "aggregate" and (generator or row.arity is None or len(tree.args) == 1):
            return _aggregate(c, tree, row, env, expected)
        if generator:
            c.report.error(
                "PS208",
                f"`{name}` takes values, not a generator",
                tree.args[0].span,
                "a generator",
                help=row.signature,
            )
            return wrong(tree.span)
        return _scalar(c, tree, row, env, expected)
    if name in c.names.broken:
        return wrong(tree.span)
    pending = c.names.definitions.get(name)
    if pending is None:
        return _not_callable(c, tree, c.names.places[name][0] if name in c.names.places else None)
    if pending.signature.params is None:
        return _not_callable(c, tree, "a value")
    return _apply(c, tree, env, pending)


def _not_callable(c: Checker, tree: s.CallOf, what: str | None) -> t.Expr:
    name, span = tree.function.name, tree.function.span
    if what is not None:
        help_text = (
            f"write `{name}`"
            if what == "a value"
            else f"a table is indexed: `{name}[...]`"
            if "table" in what
            else None
        )
        c.report.error(
            "PS212", f"`{name}` is {what}, not a function", span, "cannot be called", help=help_text
        )
    elif not c.names.unsure:
        python = {
            "len": "write `count(x for x in ...)`",
            "sorted": "write `steps(... by=...)`, `first` or `last`",
            "exists": "write `any(condition for x in ...)`",
            "forall": "write `all(condition for x in ...)`",
            "pairs": "write two generators, `... for x in t for y in t if x.a < y.a`",
        }
        python["size"] = python["length"] = python["len"]
        python["combinations"] = python["pairs"]
        help_text = python.get(name) or did_you_mean(name, c.names.functions())
        help_text = help_text or f"the builtin functions are {', '.join(sorted(BUILTINS))}"
        c.report.error("PS201", f"unknown function `{name}`", span, "not a function in reach", help=help_text)
    return wrong(tree.span)


def _apply(c: Checker, tree: s.CallOf, env: TypeEnv, pending: Pending) -> t.Expr:
    """A call of a definition."""
    definition = pending.definition
    arguments(c, tree, ())
    if len(tree.args) != len(definition.params) and not tree.keywords:
        expected = (
            ", ".join(f"{p.name} {p.type}{'?' if p.optional else ''}" for p in definition.params) or "none"
        )
        c.report.error(
            "PS208", f"`{definition.name}` takes {_arguments(len(definition.params))}, {len(tree.args)} given",
            tree.span, f"it takes {expected}",
        )  # fmt: skip
    if len(tree.args) != len(definition.params) or tree.keywords:
        for arg in tree.args:  # what can be said without knowing which parameter it is for
            if not needs_expected_type(c, arg, env) and not isinstance(arg, s.Generator):
                c.expression(arg, env)
        return wrong(tree.span)
    args = tuple(
        _argument(c, arg, env, param) for arg, param in zip(tree.args, definition.params, strict=True)
    )
    assert pending.checked, definition.name
    body = definition.body
    if body.type is Special.WRONG or any(a.type is Special.WRONG for a in args):
        return wrong(tree.span)
    strict = any(a.partial for a, p in zip(args, definition.params, strict=True) if not p.optional)
    partial = body.type is not ScalarType.BOOL and (body.partial or strict)
    return t.Apply(body.type, tree.span, stage_of((body, *args)), partial, definition, args)


def _argument(c: Checker, tree: s.Tree, env: TypeEnv, param: t.Binding) -> t.Expr:
    made = c.typed(tree, env, param.type, f" for `{param.name}`")
    if (
        isinstance(made, t.Literal)
        and made.value is None
        and made.type is not Special.WRONG
        and not param.optional
    ):
        c.report.error(
            "PS303",
            f"`{param.name}` is never none",
            tree.span,
            "none",
            help=f"declare the parameter as `{param.name} {param.type}?`",
        )
        return wrong(tree.span)
    return made


def _arguments(n: int) -> str:
    return f"{n} argument{'' if n == 1 else 's'}"


def _aggregate(c: Checker, tree: s.CallOf, row: Builtin, env: TypeEnv, expected: Type | None) -> t.Expr:
    """`all(... for ...)` and its like; of a plain collection, the aggregate of its items."""
    keys = arguments(c, tree, tuple(key for key, _ in row.keywords))
    missing = [key for key, required in row.keywords if required and key not in keys]
    if missing and (len(tree.args) != 1 or isinstance(tree.args[0], s.Generator)):
        c.report.error(
            "PS213",
            f"`{row.name}` needs `{missing[0]}=`",
            tree.function.span,
            "in which order?",
            help=f"write `{row.example}`",
        )
    if len(tree.args) != 1:
        c.report.error(
            "PS208",
            f"`{row.name}` takes one generator, {len(tree.args)} arguments given",
            tree.span,
            row.signature,
        )
        return wrong(tree.span)
    argument = tree.args[0]
    inner: TypeEnv
    clauses: tuple[t.Clause, ...]
    if isinstance(argument, s.Generator):
        clauses, inner = c.clauses(argument.clauses, env)
        if row.body == "condition":
            body = c.condition(argument.body, inner)
        else:
            body = c.expression(argument.body, inner, expected if row.own_type else None)
        if row.name == "count" and body.type is ScalarType.BOOL and not isinstance(body, t.Literal):
            _warn_of_counted_condition(c, argument, body)
    else:
        collection = c.expression(argument, env)
        if collection.type is Special.WRONG:
            return wrong(tree.span)
        ranged = isinstance(collection.type, SetType | ListType)
        if not ranged and row.arity is not None:
            c.report.error(
                "PS208", f"`{row.name}` takes a generator, or two values and more", tree.span, row.signature
            )
            return wrong(tree.span)
        if not ranged or not row.collection:
            c.report.error(
                "PS306", f"`{row.name}` takes a generator", argument.span, article(collection.type),
                help=_generator_help(row, argument),
            )  # fmt: skip
            return wrong(tree.span)
        body, clauses = as_generator(collection)
        inner = env
    by = c.expression(keys["by"].value, inner) if "by" in keys and not missing and row.keywords else None
    if by is not None and by.type is not Special.WRONG and not ordered_key(c, by):
        return wrong(tree.span)
    if _counts_once(row, argument, body, clauses):
        _refuse_set(c, row, argument)
        return wrong(tree.span)
    parts = [body, *parts_of(clauses), *((by,) if by is not None else ())]
    if missing or any(part.type is Special.WRONG for part in parts):
        return wrong(tree.span)
    if isinstance(body.type, ScaledType) and row.whole:
        c.inexact(body, row.whole)
        return wrong(tree.span)
    made = row.typed([settled(body, expected).type])
    if isinstance(made, int):
        _refuse_body(c, row, body)
        return wrong(tree.span)
    if row.own_type:
        body = retyped(body, made)
    partial = made is not ScalarType.BOOL and (row.of_nothing or row.partial([body]))
    return t.Aggregate(made, tree.span, stage_of(parts), partial, row.name, body, clauses, by)  # type: ignore[arg-type]


def _warn_of_counted_condition(c: Checker, argument: s.Generator, body: t.Expr) -> None:
    clauses = " ".join(argument.clauses[0].span.to(argument.clauses[-1].span).text.split())
    target = argument.clauses[-1].targets[0].name
    joint = "and" if argument.clauses[-1].condition is not None else "if"
    c.report.warning(
        "PS418", "`count` does not ask this condition", body.span, "counted whether it holds or not",
        help=f"write `count({target} for {clauses} {joint} {' '.join(body.span.text.split())})`",
    )  # fmt: skip


def _counts_once(row: Builtin, argument: s.Tree, body: t.Expr, clauses: tuple[t.Clause, ...]) -> bool:
    """The aggregate goes through a set of values in which equal values have become one, and that was not said.

    A set is said where it is a given, a column, an enum, constants in braces, or the source of a generator whose values are
    worked out from its items. Rows are told apart by their keys, so that no two are equal.
    """
    if row.name not in ("sum", "count", "all_different") or isinstance(body.type, RowType):
        return False
    if isinstance(argument, s.Generator):
        if row.name == "count" or len(clauses) != 1 or not isinstance(body, t.Var):
            return False
        (clause,) = clauses
        return body.binding in clause.targets and _merges(clause.source, row)
    return any(_merges(clause.source, row) for clause in clauses)


def _merges(source: t.Expr, row: Builtin) -> bool:
    """The set may have come from more values than it holds."""
    while isinstance(source, t.Apply) and not source.args:
        source = source.definition.body
    match source:
        case t.SetOf():
            return True
        case t.SetLiteral(items=items):
            values = [item.value for item in items if isinstance(item, t.Literal)]
            if len(values) == len(items):
                return len(set(values)) < len(values)
            return row.name != "count"
    return False


def _refuse_set(c: Checker, row: Builtin, argument: s.Tree) -> None:
    how = "is always true" if row.name == "all_different" else "counts equal values once"
    c.report.error(
        "PS321", f"`{row.name}` of a set of values {how}", argument.span, "a set holds nothing twice",
        help=f"go through every value: `{row.name}(... for x in ...)`, without brackets of its own",
    )  # fmt: skip


def _generator_help(row: Builtin, argument: s.Tree) -> str:
    source = " ".join(argument.span.text.split())
    if row.keywords:
        return f"write `{row.name}(x for x in {source}, by=...)`"
    return (
        f"write `{row.name}(x for x in {source} if ...)`"
        if row.own_type and not row.collection
        else f"write `{row.name}(... for x in {source})`"
    )


def _refuse_body(c: Checker, row: Builtin, body: t.Expr) -> None:
    code, headline = row.refusal
    counted = row.name == "sum" and body.type is ScalarType.BOOL
    c.report.error(
        code, headline.format(type=article(body.type)), body.span, article(body.type),
        help="to count what holds write `count(x for x in ... if ...)`" if counted else None,
    )  # fmt: skip


def _scalar(c: Checker, tree: s.CallOf, row: Builtin, env: TypeEnv, expected: Type | None) -> t.Expr:
    """`min(a, b)`, `abs(x)` and the like."""
    arguments(c, tree, ())
    assert row.arity is not None, row.name
    least, most = row.arity
    if not least <= len(tree.args) <= most or tree.keywords:
        if not tree.keywords:
            wanted = _arguments(least) if least == most else f"{least} to {most} arguments"
            c.report.error(
                "PS208", f"`{row.name}` takes {wanted}, {len(tree.args)} given", tree.span, row.signature
            )
        return wrong(tree.span)
    if row.own_type:
        args = check_together(c, tree.args, env, expected)
    else:
        args = [c.expression(a, env) for a in tree.args]
        args = [settled(a, args[-1].type) for a in args]
    if any(a.type is Special.WRONG for a in args):
        return wrong(tree.span)
    scaled = next((a for a in args if isinstance(a.type, ScaledType)), None)
    if scaled is not None and row.whole:
        return c.inexact(scaled, row.whole)
    types = [a.type for a in args]
    made = row.typed(types)
    if isinstance(made, int):
        bad = args[made]
        shown = " and ".join(article(x) for x in dict.fromkeys(types))
        c.report.error(
            "PS302",
            f"`{row.name}` has no meaning for {shown}",
            bad.span,
            article(bad.type),
            help=row.signature,
        )
        return wrong(tree.span)
    if row.own_type:
        args = [retyped(a, made) for a in args]
    partial = made is not ScalarType.BOOL and row.partial(args)
    return t.Call(made, tree.span, stage_of(args), partial, row.name, tuple(args))
