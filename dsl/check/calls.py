"""Checking of calls: aggregates, builtins, definitions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planspec.dsl.check.builtins import BUILTINS, Builtin
from planspec.dsl.check.collections import body_and_clause, check_key_order, check_keywords, clause_parts
from planspec.dsl.check.expected_types import check_together, needs_expected_type
from planspec.dsl.check.intervals import check_intervals
from planspec.dsl.check.names import Pending
from planspec.dsl.check.type_rules import (
    mistake,
    stage_of,
    type_with_article,
    with_definite_type,
    with_type,
)
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import ListType, RowType, ScalarType, ScaledType, SetType, Special, Type
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv


def check_call(c: Checker, tree: s.CallOf, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check a call of a builtin function or of a definition, and return it."""
    name = tree.function.name
    generator = len(tree.args) == 1 and isinstance(tree.args[0], s.Generator)
    if name in env:
        return _report_not_callable(c, tree, "a variable")
    if name == "steps":
        c.report.error(
            "PS306",
            "`steps` is a relation to range over",
            tree.span,
            "not a value",
            help="write `all(... for a, b in steps(...))`",
        )
        return mistake(tree.span)
    builtin = BUILTINS.get(name)
    if builtin is not None:
        if builtin.name in ("no_overlap", "peak"):
            return check_intervals(c, tree, builtin, env, expected)
        if builtin.shape == "aggregate" and (generator or builtin.arity is None or len(tree.args) == 1):
            return _check_aggregate(c, tree, builtin, env, expected)
        if generator:
            c.report.error(
                "PS208",
                f"`{name}` takes values, not a generator",
                tree.args[0].span,
                "a generator",
                help=builtin.signature,
            )
            return mistake(tree.span)
        return _check_scalar(c, tree, builtin, env, expected)
    if name in c.names.broken:
        return mistake(tree.span)
    pending = c.names.definitions.get(name)
    if pending is None:
        return _report_not_callable(c, tree, c.names.places[name][0] if name in c.names.places else None)
    if pending.signature.params is None:
        return _report_not_callable(c, tree, "a value")
    return _check_application(c, tree, env, pending)


def _report_not_callable(c: Checker, tree: s.CallOf, what: str | None) -> t.Expr:
    name, span = tree.function.name, tree.function.span
    if what is not None:
        help_text = (
            f"write `{name}`"
            if what == "a value"
            else f"a table is indexed: `{name}[...]`"
            if "table" in what
            else None
        )
        c.report.error("PS212", f"`{name}` is {what}, not a function", span, "cannot be called", help=help_text)
    elif not c.names.unsure:
        python = {
            "disjunctive": "write `no_overlap(x for x in ..., from=x.start, to=x.end)`",
            "cumulative": "write `peak(x.need for x in ..., from=x.start, to=x.end) <= capacity`",
            "len": "write `count(x for x in ...)`",
            "sorted": "write `steps(... by=...)`, `first` or `last`",
            "exists": "write `any(condition for x in ...)`",
            "forall": "write `all(condition for x in ...)`",
            "pairs": "write two generators, `... for x in t for y in t if x.a < y.a`",
        }
        python["size"] = python["length"] = python["len"]
        python["distinct"] = python["unique"] = python["alldifferent"] = python["different"] = (
            "write `all_different(x for ...)`"
        )
        python["avg"] = python["mean"] = python["average"] = (
            "multiply the bound: `sum(x for ...) <= 3 * count(x for ...)`"
        )
        python["combinations"] = python["pairs"]
        help_text = python.get(name) or did_you_mean(name, c.names.functions())
        help_text = help_text or f"the builtin functions are {', '.join(sorted(BUILTINS))}"
        c.report.error("PS201", f"unknown function `{name}`", span, "not a function in reach", help=help_text)
    return mistake(tree.span)


def _check_application(c: Checker, tree: s.CallOf, env: TypeEnv, pending: Pending) -> t.Expr:
    """Check a call of a definition."""
    definition = pending.definition
    check_keywords(c, tree, ())
    if len(tree.args) != len(definition.params) and not tree.keywords:
        expected = ", ".join(f"{p.name} {p.type}{'?' if p.optional else ''}" for p in definition.params) or "none"
        c.report.error(
            "PS208",
            f"`{definition.name}` takes {_argument_count_text(len(definition.params))}, {len(tree.args)} given",
            tree.span,
            f"it takes {expected}",
        )
    if len(tree.args) != len(definition.params) or tree.keywords:
        for arg in tree.args:  # report mistakes that do not depend on the parameter
            if not needs_expected_type(c, arg, env) and not isinstance(arg, s.Generator):
                c.expression(arg, env)
        return mistake(tree.span)
    args = tuple(_checked_argument(c, arg, env, param) for arg, param in zip(tree.args, definition.params, strict=True))
    assert pending.checked, definition.name
    body = definition.body
    if body.type is Special.WRONG or any(a.type is Special.WRONG for a in args):
        return mistake(tree.span)
    strict = any(a.partial for a, p in zip(args, definition.params, strict=True) if not p.optional)
    partial = body.type is not ScalarType.BOOL and (body.partial or strict)
    return t.Apply(body.type, tree.span, stage_of((body, *args)), partial, definition, args)


def _checked_argument(c: Checker, tree: s.Tree, env: TypeEnv, param: t.Binding) -> t.Expr:
    value = c.checked_as(tree, env, param.type, f" for `{param.name}`")
    if isinstance(value, t.Literal) and value.value is None and value.type is not Special.WRONG and not param.optional:
        c.report.error(
            "PS303",
            f"`{param.name}` is never none",
            tree.span,
            "none",
            help=f"declare the parameter as `{param.name} {param.type}?`",
        )
        return mistake(tree.span)
    if param.optional:
        c.absent_rows.expect_missing(value)
    return value


def _argument_count_text(n: int) -> str:
    return f"{n} argument{'' if n == 1 else 's'}"


def _check_aggregate(c: Checker, tree: s.CallOf, builtin: Builtin, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `all(... for ...)` and other aggregates. `sum(xs)` is checked as `sum(x for x in xs)`."""
    keys = check_keywords(c, tree, tuple(key for key, _ in builtin.keywords))
    missing = [key for key, required in builtin.keywords if required and key not in keys]
    if missing and (len(tree.args) != 1 or isinstance(tree.args[0], s.Generator)):
        c.report.error(
            "PS213",
            f"`{builtin.name}` needs `{missing[0]}=`",
            tree.function.span,
            "in which order?",
            help=f"write `{builtin.example}`",
        )
    if len(tree.args) != 1:
        c.report.error(
            "PS208",
            f"`{builtin.name}` takes one generator, {len(tree.args)} arguments given",
            tree.span,
            builtin.signature,
        )
        return mistake(tree.span)
    argument = tree.args[0]
    inner: TypeEnv
    clauses: tuple[t.Clause, ...]
    if isinstance(argument, s.Generator):
        clauses, inner = c.clauses(argument.clauses, env)
        if builtin.body == "condition":
            body = c.condition(argument.body, inner)
        else:
            body = c.expression(argument.body, inner, expected if builtin.own_type else None)
            if builtin.name == "count" and body.type is ScalarType.BOOL and not isinstance(body, t.Literal):
                _refuse_counted_condition(c, argument)
                return mistake(tree.span)
            if builtin.repeats and builtin.name != "count" and _yields_merged(body, clauses, builtin):
                _refuse_merged(c, builtin, argument.clauses[0].source, clauses[0].source)
                return mistake(tree.span)
    else:
        collection = _collection_argument(c, tree, builtin, argument, env)
        if collection is None:
            return mistake(tree.span)
        body, clauses = body_and_clause(collection)
        inner = env
    by = c.expression(keys["by"].value, inner) if "by" in keys and not missing and builtin.keywords else None
    if by is not None and by.type is not Special.WRONG and not check_key_order(c, by):
        return mistake(tree.span)
    parts = [body, *clause_parts(clauses), *((by,) if by is not None else ())]
    if missing or any(part.type is Special.WRONG for part in parts):
        return mistake(tree.span)
    if isinstance(body.type, ScaledType) and builtin.whole:
        c.report_inexact(body, builtin.whole)
        return mistake(tree.span)
    type_ = builtin.type_rule([with_definite_type(body, expected).type])
    if isinstance(type_, int):
        _refuse_body(c, builtin, body)
        return mistake(tree.span)
    if builtin.own_type:
        body = with_type(body, type_)
    partial = type_ is not ScalarType.BOOL and (builtin.none_if_empty or builtin.partial([body]))
    return t.Aggregate(type_, tree.span, stage_of(parts), partial, builtin.name, body, clauses, by)  # type: ignore[arg-type]


def _collection_argument(c: Checker, tree: s.CallOf, builtin: Builtin, argument: s.Tree, env: TypeEnv) -> t.Expr | None:
    """Return the checked set or list `xs` of an aggregate such as `sum(xs)`; None if it has a mistake."""
    outer, c.forgotten = c.forgotten, _missing_generator_help(c, builtin, argument, env)
    collection = c.expression(argument, env)
    c.forgotten = outer
    if collection.type is Special.WRONG:
        return None
    ranged = isinstance(collection.type, SetType | ListType)
    if not ranged and builtin.arity is not None:
        c.report.error(
            "PS208", f"`{builtin.name}` takes a generator, or two values and more", tree.span, builtin.signature
        )
        return None
    if not ranged or not builtin.collection:
        c.report.error(
            "PS306",
            f"`{builtin.name}` takes a generator",
            argument.span,
            type_with_article(collection.type),
            help=_generator_help(builtin, argument),
        )
        return None
    if builtin.repeats and _may_merge(collection, builtin):
        _refuse_merged(c, builtin, argument, collection)
        return None
    return collection


def _yields_merged(body: t.Expr, clauses: Sequence[t.Clause], builtin: Builtin) -> bool:
    """Return whether a generator only repeats a set of distinct values: `x for x in (v.cost for v in visits)`."""
    return (
        len(clauses) == 1
        and isinstance(body, t.Var)
        and not isinstance(body.type, RowType)
        and body.binding in clauses[0].targets
        and isinstance(clauses[0].source, t.SetOf | t.SetLiteral | t.Apply)
        and _may_merge(clauses[0].source, builtin)
    )


def _refuse_merged(c: Checker, builtin: Builtin, argument: s.Tree, collection: t.Expr) -> None:
    c.report.error(
        "PS321",
        f"equal values of a set count once under `{builtin.name}`",
        argument.span,
        "a set holds nothing twice",
        help=_unmerged_help(builtin, argument, collection),
    )


def _missing_generator_help(c: Checker, builtin: Builtin, argument: s.Tree, env: TypeEnv) -> dict[str, str]:
    """Return help for an aggregate without `for`, such as `sum(v.cost)`, in which the name `v` is unbound."""
    free = s.mentions(argument)
    names = (node.value.name for node in _attributes(argument) if isinstance(node.value, s.Name))
    name = next((name for name in names if name in free and not c.is_resolvable(name, env)), None)
    if name is None:
        return {}
    fields = {x.name for x in _attributes(argument) if isinstance(x.value, s.Name) and x.value.name == name}
    fitting = (t_.name for t_ in c.names.tables.values() if t_.plan and not t_.one and fields <= t_.columns.keys())
    source = next(fitting, "...")
    by = f", by={_one_line(argument)}" if builtin.keywords else ""
    body = name if builtin.keywords else _one_line(argument)
    return {name: f"write `{builtin.name}({body} for {name} in {source}{by})`"}


def _attributes(tree: s.Node) -> Iterator[s.Attribute]:
    stack: list[s.Node] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, s.Attribute):
            yield node
        stack.extend(s.children(node))


def _may_merge(expr: t.Expr, builtin: Builtin) -> bool:
    """Return whether an expression may merge equal values into a set although each value should count.

    Rows are compared by identity, so a set of rows loses none. Sets that the author declares are not suspected.
    """
    always = builtin.name == "all_different"  # is true for every set, so any merging hides a mistake
    match expr:
        case t.SetOf(body=t.Var(binding=item), clauses=(t.Clause(targets=(target,), source=source),)) if item is target:
            return always or isinstance(source.type, ListType)
        case t.SetOf():
            return always or not isinstance(expr.body.type, RowType)
        case t.SetLiteral(items=items):
            constants = {item.value for item in items if isinstance(item, t.Literal)}
            rows = isinstance(expr.type, SetType) and isinstance(expr.type.item, RowType)
            return always or (len(constants) < len(items) and not rows)
        case t.RangeOf() | t.AllRows() | t.AllMembers():
            return always
        case t.Apply(definition=definition):
            return _may_merge(definition.body, builtin)
        case t.Conditional(then=a, otherwise=b) | t.Coalesce(left=a, right=b):
            return _may_merge(a, builtin) or _may_merge(b, builtin)
    return False


def _unmerged_help(builtin: Builtin, argument: s.Tree, expr: t.Expr) -> str | None:
    """Return help on rewriting an aggregate over a set so that equal values count separately; None if unknown."""
    name = builtin.name
    while isinstance(argument, s.Parens):
        argument = argument.inner
    if isinstance(argument, s.Generator):
        return f"for each of them write `{name}({_one_line(argument)})`"
    if isinstance(expr, t.Apply) and isinstance(expr.definition.body, t.SetOf) and not expr.args:
        return f"for each of them write `{name}({_one_line(expr.definition.body)})`"
    match argument, name:
        case s.Braces(items=items), "sum":
            return f"for each of them write `{' + '.join(_one_line(item) for item in items)}`"
        case s.Braces(items=(a, b)), "all_different":
            return f"write `{_one_line(a)} != {_one_line(b)}`"
        case s.Braces(), _:
            return None
    return f"for each of them write `{name}(... for x in ...)`"


def _one_line(part: s.Tree | t.Expr) -> str:
    """Return the text of an expression on one line."""
    return " ".join(part.span.text.split())


def _refuse_counted_condition(c: Checker, argument: s.Generator) -> None:
    """Report `count(CONDITION for x in xs)`, because it counts every binding, even if the condition is false."""
    last = argument.clauses[-1]
    end = last.source.span.end
    clauses = " ".join(Span(last.span.source, argument.clauses[0].span.start, end).text.split())
    conditions = [part for part in (last.condition, argument.body) if part is not None]
    shown = [
        f"({_one_line(part)})"
        if len(conditions) > 1 and isinstance(part, s.Connective | s.Ternary | s.Binary)
        else _one_line(part)
        for part in conditions
    ]
    c.report.error(
        "PS322",
        "`count` counts bindings, whatever its term says",
        argument.body.span,
        "a condition",
        help=f"to count what holds write `count({last.targets[0].name} for {clauses} if {' and '.join(shown)})`",
    )


def _generator_help(builtin: Builtin, argument: s.Tree) -> str:
    source = _one_line(argument)
    if builtin.keywords:
        return f"write `{builtin.name}(x for x in {source}, by=...)`"
    return (
        f"write `{builtin.name}(x for x in {source} if ...)`"
        if builtin.own_type and not builtin.collection
        else f"write `{builtin.name}(... for x in {source})`"
    )


def _refuse_body(c: Checker, builtin: Builtin, body: t.Expr) -> None:
    code, headline = builtin.refusal
    counted = builtin.name == "sum" and body.type is ScalarType.BOOL
    c.report.error(
        code,
        headline.format(type=type_with_article(body.type)),
        body.span,
        type_with_article(body.type),
        help="to count what holds write `count(x for x in ... if ...)`" if counted else None,
    )


def _check_scalar(c: Checker, tree: s.CallOf, builtin: Builtin, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check `min(a, b)`, `abs(x)` and other calls with values."""
    check_keywords(c, tree, ())
    assert builtin.arity is not None, builtin.name
    least, most = builtin.arity
    if not least <= len(tree.args) <= most or tree.keywords:
        if not tree.keywords:
            required = _argument_count_text(least) if least == most else f"{least} to {most} arguments"
            c.report.error(
                "PS208", f"`{builtin.name}` takes {required}, {len(tree.args)} given", tree.span, builtin.signature
            )
        return mistake(tree.span)
    if builtin.own_type:
        args = check_together(c, tree.args, env, expected)
    else:
        args = [c.expression(a, env) for a in tree.args]
        args = [with_definite_type(a, args[-1].type) for a in args]
    if any(a.type is Special.WRONG for a in args):
        return mistake(tree.span)
    scaled = next((a for a in args if isinstance(a.type, ScaledType)), None)
    if scaled is not None and builtin.whole:
        return c.report_inexact(scaled, builtin.whole)
    types = [a.type for a in args]
    type_ = builtin.type_rule(types)
    if isinstance(type_, int):
        bad = args[type_]
        shown = " and ".join(type_with_article(x) for x in dict.fromkeys(types))
        c.report.error(
            "PS302",
            f"`{builtin.name}` has no meaning for {shown}",
            bad.span,
            type_with_article(bad.type),
            help=builtin.signature,
        )
        return mistake(tree.span)
    if builtin.own_type:
        args = [with_type(a, type_) for a in args]
    partial = type_ is not ScalarType.BOOL and builtin.partial(args)
    return t.Call(type_, tree.span, stage_of(args), partial, builtin.name, tuple(args))
