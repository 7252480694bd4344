"""Checking of numbers, names, columns and indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS
from planspec.dsl.check.type_rules import NUMBERS, mistake, stage_of, type_with_article
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean, most_similar
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    EnumType,
    ListType,
    RowType,
    ScalarType,
    SetType,
    Special,
    Stage,
    Table,
    Type,
)
from planspec.dsl.model.values import InvalidValueError, minor_amount
from planspec.dsl.resources.limits import NUMBER
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv

PARTS = dict.fromkeys(
    ("hour", "hours", "minute", "minutes"),
    "compare with a time as it is, `x >= 9:00`; the hour of a time is `(x - 00:00) // 1h`",
)
PARTS |= dict.fromkeys(
    ("day", "month", "year", "date"),
    "compare with a date as it is, `d >= 2026-07-01`; a range of dates is `2026-07-01..2026-07-31`",
)
"""Help for attributes that times and dates have in other languages, keyed by attribute."""


def check_number(c: Checker, tree: s.Number, expected: Type | None) -> t.Expr:
    """Check a number with or without a unit."""
    if tree.kind == "money":
        return _check_money(c, tree)
    kind: Type = ScalarType(tree.kind)
    if tree.kind == "int" and tree.value == 0:
        kind = (
            expected
            if expected is not None and expected in NUMBERS and expected is not ScalarType.DECIMAL
            else Special.UNIT_ZERO
        )
    if abs(tree.value) > NUMBER or tree.value.denominator > NUMBER:
        c.report.error("PS402", f"the number {tree.span.text} is too large or too fine", tree.span, "exceeds 2**53")
        return mistake(tree.span)
    return t.Literal(kind, tree.span, Stage.STATIC, False, tree.value)


def _check_money(c: Checker, tree: s.Number) -> t.Expr:
    names = c.names
    unit = tree.unit or ""
    if names.currency_known and unit != names.currency:
        label = f"the world's money is {names.currency}" if names.currency else "the world has no money"
        help_text = None if names.currency else f"say `currency: {unit}` in the world, or in a task without one"
        c.report.error("PS314", f"{tree.span.text} is not in the world's currency", tree.span, label, help=help_text)
        names.currency_known = names.currency is not None  # a missing currency is reported once
        return mistake(tree.span)
    try:
        minor = minor_amount(tree.value, unit)
    except InvalidValueError as error:
        code = "PS402" if "large" in str(error) else "PS105"
        c.report.error(code, f"there is no amount {tree.span.text}", tree.span, str(error))
        return mistake(tree.span)
    return t.Literal(ScalarType.MONEY, tree.span, Stage.STATIC, False, minor)


def check_name(c: Checker, tree: s.Name, env: TypeEnv, expected: Type | None) -> t.Expr:
    """Check a bare name: a variable, a name of the flat namespace, or a member of the expected type."""
    word, span, names = tree.name, tree.span, c.names
    if word in env:
        binding = env[word]
        stage = Stage.PLANNED if c.is_planned(binding.type) else Stage.STATIC
        return t.Var(binding.type, span, stage, binding.optional, binding)
    if word in names.broken:
        return mistake(span)
    if word in names.givens:
        given = names.givens[word]
        return t.GivenRef(given.type, span, Stage.STATIC, given.optional, given)
    if word in names.definitions:
        return _global_value(c, word, span)
    if word in names.tables:
        table = names.tables[word]
        stage = Stage.PLANNED if table.plan else Stage.STATIC
        if table.one:
            return t.OnlyRow(table.type, span, stage, False, table)
        return t.AllRows(SetType(table.type), span, stage, False, table)
    if word in names.enums:
        enum = names.enums[word]
        return t.AllMembers(SetType(enum), span, Stage.STATIC, False, enum)
    member = _enum_member(c, word, span, expected)
    if member is None:
        report_unknown_name(c, tree, env, expected)
    return member if member is not None else mistake(span)


def _global_value(c: Checker, word: str, span: Span) -> t.Expr:
    pending = c.names.definitions[word]
    definition = pending.definition
    if pending.signature.params is not None:
        c.report.error(
            "PS212",
            f"`{word}` is a function",
            span,
            "used without arguments",
            help=f"write `{word}({', '.join(p.name for p in definition.params)})`",
        )
        return mistake(span)
    assert pending.checked, word
    body = definition.body
    if body.type is Special.WRONG:
        return mistake(span)
    return t.Apply(body.type, span, body.stage, body.partial, definition, ())


def _enum_member(c: Checker, word: str, span: Span, expected: Type | None) -> t.Expr | None:
    if isinstance(expected, EnumType) and word in expected.members:
        return t.Literal(expected, span, Stage.STATIC, False, word)
    if isinstance(expected, RowType):
        return _row_named(c, c.names.tables[expected.table], word, span)
    return None


def _row_named(c: Checker, table: Table, word: str, span: Span, *, library: bool = False) -> t.Expr | None:
    """Return the static row with a name; None if there is none. Accept any name if rows could not be read."""
    if table.plan or len(table.key) != 1:
        return None
    key = c.names.row_key(table, word)
    if key is None and (table.name in c.names.incomplete or (library and not c.names.rows_known)):
        key = word
    return t.RowNamed(table.type, span, Stage.STATIC, False, table, key) if key is not None else None


def _member_names(c: Checker, expected: Type | None) -> list[str]:
    if isinstance(expected, EnumType):
        return list(expected.members)
    if isinstance(expected, RowType):
        return c.names.row_names(c.names.tables[expected.table])
    return []


def report_unknown_name(c: Checker, tree: s.Name, env: TypeEnv, expected: Type | None) -> None:
    """Report an unknown name, unless a declaration that could not be read may declare it."""
    word, names = tree.name, c.names
    if names.unsure or expected is Special.WRONG:
        return
    label = "not a row, a given, or a function in reach"
    if isinstance(expected, EnumType):
        label = f"neither a name in reach nor a member of {expected}"
    c.report.error("PS201", f"unknown name `{word}`", tree.span, label, help=_name_help(c, word, env, expected))


def _name_help(c: Checker, word: str, env: TypeEnv, expected: Type | None) -> str | None:
    names = c.names
    if word in c.forgotten:
        return c.forgotten[word]
    python = {
        "none": "none is written `none`",
        "null": "none is written `none`",
        "true": "write `true`",
        "false": "write `false`",
    }
    if word.lower() in python:
        return python[word.lower()]
    if word in ("any", "all") and isinstance(expected, RowType | EnumType):
        return f"for any {expected} write `{expected}`"
    if word in BUILTINS:
        return f"`{word}` is a function: `{BUILTINS[word].signature}`"
    if word in SCALARS:
        return f"`{word}` is a type, not a value"
    owners = [enum.name for enum in names.enums.values() if word in enum.members]
    owners += [table.name for table in names.tables.values() if names.row_key(table, word) is not None]
    if owners and not isinstance(expected, RowType | EnumType):
        return "write " + " or ".join(f"`{owner}.{word}`" for owner in owners[:3])
    near = did_you_mean(word, [*env, *names.values(), *_member_names(c, expected)])
    if near is not None:
        return near
    if isinstance(expected, RowType) and not names.rows_known and not names.tables[expected.table].plan:
        return f"for a row that the world brings write `{expected.table}.{word}`"
    if isinstance(expected, EnumType):
        return f"{expected} has {', '.join(expected.members)}"
    return f"in reach here: {', '.join(env)}" if env else None


def check_attribute(c: Checker, tree: s.Attribute, env: TypeEnv) -> t.Expr:
    """Check `row.column`, `Enum.member` or `Table.row`."""
    value = tree.value
    if isinstance(value, s.Name) and (binding := env.get(f"{value.name}.{tree.name}")) is not None:
        if binding.type is Special.WRONG:
            return mistake(tree.span)
        return t.Var(binding.type, tree.span, Stage.STATIC, binding.optional, binding)
    if isinstance(value, s.Name) and (parameters := _parameters(value.name, env)):
        c.report.error(
            "PS201",
            f"there is no `{value.name}.{tree.name}`",
            tree.name_span,
            "no parameter of this name",
            help=did_you_mean(tree.name, parameters)
            or f"there is {', '.join(f'{value.name}.{name}' for name in parameters)}",
        )
        return mistake(tree.span)
    if isinstance(value, s.Name) and value.name not in env and value.name not in c.names.broken:
        named = _qualified_value(c, value, tree)
        if named is not None:
            return named
    row = c.expression(value, env)
    if row.type is Special.WRONG:
        return mistake(tree.span)
    if not isinstance(row.type, RowType):
        help_text = None
        if row.type in (ScalarType.TIME, ScalarType.MOMENT, ScalarType.DATE):
            help_text = PARTS.get(tree.name)
        elif isinstance(row.type, SetType | ListType) and isinstance(row.type.item, RowType):
            help_text = f"name one of the rows: `... for x in {value.span.text}`"
        c.report.error(
            "PS312",
            f"{type_with_article(row.type)} has no columns",
            tree.name_span,
            f"of {type_with_article(row.type)}",
            help=help_text,
        )
        return mistake(tree.span)
    table = c.names.tables[row.type.table]
    column = table.columns.get(tree.name)
    if column is None:
        c.report.error(
            "PS204",
            f"the table `{table.name}` has no column `{tree.name}`",
            tree.name_span,
            "no such column",
            help=did_you_mean(tree.name, table.columns) or f"it has {', '.join(table.columns) or 'none'}",
        )
        return mistake(tree.span)
    if column.type is Special.WRONG:
        return mistake(tree.span)
    partial = column.type is not ScalarType.BOOL and (row.partial or column.optional)
    stage = Stage.PLANNED if table.plan else row.stage
    return t.FieldOf(column.type, tree.span, stage, partial, row, column)


def _parameters(prefix: str, env: TypeEnv) -> list[str]:
    """Return the names after a prefix and a dot: `city` for the prefix `arg` and the variable `arg.city`."""
    return [name.partition(".")[2] for name in env if name.startswith(f"{prefix}.")]


def _qualified_value(c: Checker, value: s.Name, tree: s.Attribute) -> t.Expr | None:
    names = c.names
    if value.name in names.enums:
        enum = names.enums[value.name]
        if tree.name in enum.members:
            return t.Literal(enum, tree.span, Stage.STATIC, False, tree.name)
        c.report.error(
            "PS207",
            f"{enum} has no member `{tree.name}`",
            tree.name_span,
            "no such member",
            help=did_you_mean(tree.name, enum.members) or f"it has {', '.join(enum.members)}",
        )
        return mistake(tree.span)
    table = names.tables.get(value.name)
    if table is None or table.one:
        return None
    row = _row_named(c, table, tree.name, tree.span, library=True)
    if row is not None:
        return row
    if table.plan or len(table.key) != 1 or tree.name in table.columns:
        keyed = table.plan and len(table.key) == 1 and tree.name not in table.columns
        c.report.error(
            "PS312",
            f"`{table.name}` is a table, not a row",
            tree.span,
            "a table has no columns",
            help=f"for its row of that key write `{table.name}[{tree.name}]`"
            if keyed
            else f"name one of its rows: `... for x in {table.name}`",
        )
        return mistake(tree.span)
    c.report.error(
        "PS207",
        f"the table `{table.name}` has no row `{tree.name}`",
        tree.name_span,
        "no such row",
        help=_row_help(c, table, tree.name, after_dot=True),
    )
    return mistake(tree.span)


def _row_help(c: Checker, table: Table, name: str, *, after_dot: bool = False) -> str | None:
    """Return help that suggests the row with the key most similar to a name; None if no key is similar.

    Args:
        c: the checker.
        table: table of the row, with a key of one column.
        name: name that is not a key of the table.
        after_dot: whether the name follows `Table.`. Then the help suggests only a replacement for the name.
    """
    near = most_similar(name, _member_names(c, table.type))
    if near is None:
        return None
    if not near.isidentifier():
        return f'did you mean `{table.name}["{near}"]`?'
    return f"did you mean `{near}`?" if after_dot else f"did you mean `{table.name}.{near}`?"


def check_subscript(c: Checker, tree: s.Subscript, env: TypeEnv) -> t.Expr:
    """Check `Table[key, ...]`. The keys are values of the first key columns, in order."""
    value = tree.value
    table = c.names.tables.get(value.name) if isinstance(value, s.Name) and value.name not in env else None
    if table is None:
        expr = c.expression(value, env)
        if expr.type is not Special.WRONG:
            help_text = f"filter instead: `the(x for x in {value.span.text} if ...)`"
            c.report.error(
                "PS306",
                "only tables can be indexed",
                value.span,
                type_with_article(expr.type),
                help=help_text if isinstance(expr.type, SetType | ListType) else None,
            )
        return mistake(tree.span)
    if not table.key:
        help_text = f"use `the(x for x in {table.name} if ...)`, or mark a column as `key`"
        if table.one:
            help_text = f"it has exactly one row: write `{table.name}.column`"
        c.report.error("PS313", f"the table `{table.name}` has no key", value.span, "cannot be indexed", help=help_text)
        return mistake(tree.span)
    if len(tree.keys) > len(table.key):
        extra = tree.keys[len(table.key)]
        c.report.error(
            "PS313",
            f"the key of `{table.name}` is {', '.join(table.key)}",
            extra.span,
            f"number {len(table.key) + 1} of {len(tree.keys)}",
        )
        return mistake(tree.span)
    keys = tuple(_checked_key(c, table, column, key, env) for key, column in zip(tree.keys, table.key, strict=False))
    if any(key.type is Special.WRONG for key in keys):
        return mistake(tree.span)
    stage = Stage.PLANNED if table.plan else stage_of(keys)
    expr = t.Lookup(table.type, tree.span, stage, True, table, keys)
    c.absent_rows.record_index(expr)
    return expr


def _key_help(c: Checker, table: Table, name: str) -> str | None:
    """Return help for a bare name where the key of a row must be a quoted string."""
    if len(table.key) == 1 and not table.plan and name not in _member_names(c, table.type):
        return _row_help(c, table, name)
    return f'for the row of that name write `{table.name}.{name}` or `{table.name}["{name}"]`'


def _checked_key(c: Checker, table: Table, column: str, tree: s.Tree, env: TypeEnv) -> t.Expr:
    expected = table.columns[column].type
    if (
        isinstance(tree, s.Name)
        and expected is ScalarType.TEXT
        and not c.is_resolvable(tree.name, env)
        and not c.names.unsure
    ):
        c.report.error(
            "PS201",
            f"unknown name `{tree.name}`",
            tree.span,
            "not a name in reach",
            help=_key_help(c, table, tree.name),
        )
        return mistake(tree.span)
    return c.checked_as(tree, env, expected, f" for `{column}`")
