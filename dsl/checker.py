"""Names, types, units and stages of expressions: syntax tree -> checked tree, all mistakes reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from planspec.dsl import syntax as s
from planspec.dsl import tree as t
from planspec.dsl.diagnostics import Label, Report
from planspec.dsl.names import Names, Pending, did_you_mean
from planspec.dsl.source import Span
from planspec.dsl.types import (
    EnumType,
    ListType,
    RowType,
    Scalar,
    ScaledType,
    SetType,
    Special,
    Stage,
    Table,
    Type,
)

Env = Mapping[str, t.Binding]
E = TypeVar("E", bound=t.Typed)

DEPTH = 100
"""How deep an expression may nest."""
LIMIT = 2**53


class Checker:
    """Checks the expressions of one document against its names.

    Invariant: a method that returns an expression has reported whatever is wrong with it; such an
    expression has the type `Special.WRONG`, which agrees with everything, so nothing is reported twice.
    """

    def __init__(self, names: Names, report: Report, bodies: Callable[[Checker, Pending], None]) -> None:
        self.names = names
        self.report = report
        self._bodies = bodies
        self._depth = 0

    # -- entry points -----------------------------------------------------------------------------

    def expression(self, tree: s.Tree, env: Env, want: Type | None = None) -> t.Expr:
        """Any expression; `want` directs bare names, and the caller checks the type."""
        self._depth += 1
        try:
            if self._depth > DEPTH:
                self.report.error("PS006", "the expression nests too deep", tree.span, f"more than {DEPTH} levels")
                return wrong(tree.span)
            return self._dispatch(tree, env, want)
        finally:
            self._depth -= 1

    def typed(self, tree: s.Tree, env: Env, want: Type, what: str = "") -> t.Expr:
        """An expression of the type `want` (a literal `0` or `none` takes it)."""
        made = self.expression(tree, env, want)
        if assignable(made.type, want):
            return retyped(made, want)
        self.report.error(
            "PS303", f"{article(want)} is needed{what}, not {article(made.type)}", tree.span, f"{article(made.type)}",
            help=self._conversion(made.type, want),
        )  # fmt: skip
        return wrong(tree.span)

    def condition(self, tree: s.Tree, env: Env) -> t.Expr:
        """A Boolean expression."""
        made = self.expression(tree, env, Scalar.BOOL)
        if made.type not in (Scalar.BOOL, Special.WRONG):
            help_text = None
            if isinstance(tree, s.CallOf) and tree.function.name == "count":
                help_text = "compare it: `count(...) > 0`"
            self.report.error("PS304", "a condition is needed here", tree.span, f"{article(made.type)}", help=help_text)
            return wrong(tree.span)
        return made

    def static(self, made: E, what: str) -> E:
        """`made`, reported if it depends on the plan."""
        if made.stage is Stage.PLANNED and made.type is not Special.WRONG:
            self.report.error("PS308", f"{what} cannot depend on the plan", made.span, "known only when a plan is")
        return made

    def clauses(
        self, trees: Iterable[s.For], env: Env, *, static: str | None = None
    ) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]]:
        """Generator clauses and the environment behind them; `static` names what must not be planned."""
        from planspec.dsl.collections import source_of

        inner = dict(env)
        made: list[t.Clause] = []
        for tree in trees:
            source = source_of(self, tree, inner)
            if static:
                self.static(source, static)
            targets = self._targets(tree, source, inner)
            for target in targets:
                inner[target.name] = target
            condition = self.condition(tree.condition, inner) if tree.condition is not None else None
            if static and condition is not None:
                self.static(condition, static)
            made.append(t.Clause(targets, source, condition))
        return tuple(made), inner

    def binding(self, name: s.Name, type_: Type, env: Env, *, optional: bool = False) -> t.Binding:
        """A new variable; reports if it shadows one or hides a name of the flat space."""
        if name.name in env:
            self.report.error(
                "PS203", f"the variable `{name.name}` is bound already", name.span, "bound again here",
                secondary=[Label(env[name.name].span, "bound here")],
            )  # fmt: skip
        elif name.name in self.names.places:
            what, where = self.names.places[name.name]
            self.report.error(
                "PS203", f"the variable `{name.name}` hides {what}", name.span, "choose another name",
                secondary=[Label(where, f"{what} of this name")],
            )  # fmt: skip
        return t.Binding(name.name, type_, name.span, optional)

    # -- dispatch ---------------------------------------------------------------------------------

    def _dispatch(self, tree: s.Tree, env: Env, want: Type | None) -> t.Expr:
        from planspec.dsl import calls, collections, operators

        match tree:
            case s.Number():
                return self._number(tree, want)
            case s.Text():
                return t.Literal(Scalar.TEXT, tree.span, Stage.STATIC, False, tree.value)
            case s.Truth():
                return t.Literal(Scalar.BOOL, tree.span, Stage.STATIC, False, tree.value)
            case s.Nothing():
                return t.Literal(want or Special.NONE, tree.span, Stage.STATIC, True, None)
            case s.Name():
                return self._name(tree, env, want)
            case s.Attribute():
                return self._attribute(tree, env)
            case s.Subscript():
                return self._subscript(tree, env)
            case s.CallOf():
                return calls.call(self, tree, env, want)
            case s.Generator():
                self.report.error(
                    "PS306", "a generator stands in parentheses or in a call", tree.span, "bare generator",
                    help="write `(x for x in ...)` for a set, or `any(... for ...)`",
                )  # fmt: skip
                return wrong(tree.span)
            case s.Braces():
                return collections.braces(self, tree, env, want)
            case s.Parens(inner=s.RangeTree() as inner):
                item = want.item if isinstance(want, SetType | ListType) else None
                return self.static(collections.range_of(self, inner, env, item), "a range used as a set")
            case s.Parens(inner=s.Generator() as inner):
                return collections.set_of(self, inner, env, want)
            case s.Parens():
                return self.expression(tree.inner, env, want)
            case s.RangeTree():
                self.report.error(
                    "PS311", "a range cannot stand here", tree.span, "a range",
                    help="use it right of `in`, in a `for`, or in parentheses as a set",
                )  # fmt: skip
                return wrong(tree.span)
            case s.Unary():
                return operators.unary(self, tree, env, want)
            case s.Binary():
                return operators.binary(self, tree, env, want)
            case s.Junction():
                operands = tuple(self.condition(item, env) for item in tree.items)
                op = "and" if tree.op == "and" else "or"
                return t.Logic(Scalar.BOOL, tree.span, stage_of(operands), False, op, operands)  # type: ignore[arg-type]
            case s.Comparison():
                return operators.comparison(self, tree, env)
            case s.Ternary():
                return operators.ternary(self, tree, env, want)
            case s.Unknown():
                raise AssertionError("`unknown` stands only behind `is`")

    # -- leaves -----------------------------------------------------------------------------------

    def _number(self, tree: s.Number, want: Type | None) -> t.Expr:
        value: Any = tree.value
        kind: Type = Scalar(tree.kind)
        if tree.kind == "money":
            return self._money(tree)
        if tree.kind == "int" and value == 0:
            kind = want if want in ZEROED else Special.UNIT_ZERO
        if isinstance(value, int) and abs(value) > LIMIT or tree.kind == "decimal" and value.denominator > LIMIT:
            self.report.error("PS402", f"the number {tree.span.text} is too large", tree.span, "past 2**53")
            return wrong(tree.span)
        return t.Literal(kind, tree.span, Stage.STATIC, False, value)

    def _money(self, tree: s.Number) -> t.Expr:
        from planspec.dsl.values import minor_digits

        names = self.names
        unit = tree.unit or ""
        if names.currency_known and unit != names.currency:
            there = f"the world's money is {names.currency}" if names.currency else "the world has no currency"
            self.report.error("PS314", f"{tree.span.text} is not in the world's currency", tree.span, there)
            return wrong(tree.span)
        minor = tree.value.scaleb(minor_digits(unit))
        if minor != int(minor):
            self.report.error("PS105", f"{unit} has no parts as small as {tree.span.text}", tree.span, "no such amount")
            return wrong(tree.span)
        if abs(minor) > LIMIT:
            self.report.error("PS402", f"the amount {tree.span.text} is too large", tree.span, "past 2**53")
            return wrong(tree.span)
        return t.Literal(Scalar.MONEY, tree.span, Stage.STATIC, False, int(minor))

    def resolvable(self, name: str, env: Env) -> bool:
        """The name means something without help from an expected type."""
        return name in env or name in self.names.places

    def _name(self, tree: s.Name, env: Env, want: Type | None) -> t.Expr:
        name, span, names = tree.name, tree.span, self.names
        if name in env:
            binding = env[name]
            stage = Stage.PLANNED if self._is_planned(binding.type) else Stage.STATIC
            return t.Var(binding.type, span, stage, binding.optional, binding)
        if name in names.givens:
            names.used.add(name)
            given = names.givens[name]
            return t.GivenRef(given.type, span, Stage.STATIC, given.optional, given)
        if name in names.definitions:
            return self._defined(names.definitions[name], span)
        if name in names.tables:
            names.used.add(name)
            table = names.tables[name]
            stage = Stage.PLANNED if table.plan else Stage.STATIC
            if table.one:
                return t.OnlyRow(table.type, span, stage, False, table)
            return t.AllRows(SetType(table.type), span, stage, False, table)
        if name in names.enums:
            names.used.add(name)
            enum = names.enums[name]
            return t.AllMembers(SetType(enum), span, Stage.STATIC, False, enum)
        member = self._member(name, span, want)
        if member is not None:
            return member
        self.unknown_name(tree, env, want)
        return wrong(span)

    def _defined(self, pending: Pending, span: Span) -> t.Expr:
        definition = pending.definition
        if definition.params or pending.signature.params is not None:
            self.report.error(
                "PS212", f"`{definition.name}` is a function", span, "called without arguments",
                help=f"write `{definition.name}({', '.join(p.name for p in definition.params)})`",
            )  # fmt: skip
            return wrong(span)
        if not self.ensure(pending, span):
            return wrong(span)
        body = definition.body
        return t.Apply(body.type, span, body.stage, body.partial, definition, ())

    def _member(self, name: str, span: Span, want: Type | None) -> t.Expr | None:
        if isinstance(want, EnumType) and name in want.members:
            return t.Literal(want, span, Stage.STATIC, False, name)
        if isinstance(want, RowType):
            table = self.names.tables[want.table]
            if not table.plan and len(table.key) == 1 and (name,) in table.by_key:
                return t.RowNamed(want, span, Stage.STATIC, False, table, name)
        return None

    def _member_names(self, want: Type | None) -> list[str]:
        if isinstance(want, EnumType):
            return list(want.members)
        if isinstance(want, RowType):
            return [str(key[0]) for key in self.names.tables[want.table].by_key if len(key) == 1]
        return []

    def unknown_name(self, tree: s.Name, env: Env, want: Type | None) -> None:
        """Report a name that means nothing here."""
        members = self._member_names(want)
        label = "not a row, a given, or a function in reach"
        help_text = did_you_mean(tree.name, [*env, *self.names.values(), *members])
        if isinstance(want, EnumType):
            label = f"neither a name in reach nor a member of {want}"
            help_text = help_text or f"{want} has {', '.join(want.members)}"
        elif isinstance(want, RowType) and not self.names.rows_known:
            help_text = help_text or f"for a row that the world brings write `{want.table}.{tree.name}`"
        elif help_text is None:
            help_text = {"None": "none is written `none`", "True": "write `true`", "False": "write `false`"}.get(tree.name)
        self.report.error("PS201", f"unknown name `{tree.name}`", tree.span, label, help=help_text)

    def _attribute(self, tree: s.Attribute, env: Env) -> t.Expr:
        value = tree.value
        if isinstance(value, s.Name) and value.name not in env:
            named = self._dotted(value, tree)
            if named is not None:
                return named
        row = self.expression(value, env)
        if row.type is Special.WRONG:
            return wrong(tree.span)
        if not isinstance(row.type, RowType):
            help_text = None
            if isinstance(row.type, SetType) and isinstance(row.type.item, RowType):
                help_text = f"name one of the rows: `... for x in {value.span.text}`"
            self.report.error("PS312", f"{article(row.type)} has no columns", tree.name_span, f"of {article(row.type)}", help=help_text)
            return wrong(tree.span)
        table = self.names.tables[row.type.table]
        column = table.columns.get(tree.name)
        if column is None:
            self.report.error(
                "PS204", f"the table `{table.name}` has no column `{tree.name}`", tree.name_span, "no such column",
                help=did_you_mean(tree.name, table.columns) or f"it has {', '.join(table.columns) or 'none'}",
            )  # fmt: skip
            return wrong(tree.span)
        partial = column.type is not Scalar.BOOL and (row.partial or column.optional)
        stage = Stage.PLANNED if table.plan else row.stage
        return t.FieldOf(column.type, tree.span, stage, partial, row, column)

    def _dotted(self, value: s.Name, tree: s.Attribute) -> t.Expr | None:
        names = self.names
        if value.name in names.enums:
            names.used.add(value.name)
            enum = names.enums[value.name]
            if tree.name in enum.members:
                return t.Literal(enum, tree.span, Stage.STATIC, False, tree.name)
            self.report.error(
                "PS207", f"{enum} has no member `{tree.name}`", tree.name_span, "no such member",
                help=did_you_mean(tree.name, enum.members) or f"it has {', '.join(enum.members)}",
            )  # fmt: skip
            return wrong(tree.span)
        table = names.tables.get(value.name)
        if table is None or table.one:
            return None
        names.used.add(value.name)
        if table.plan or len(table.key) != 1:
            self.report.error(
                "PS312", f"`{table.name}` is a table, not a row", tree.span, "a table has no columns",
                help=f"name one of its rows: `... for x in {table.name}`",
            )  # fmt: skip
            return wrong(tree.span)
        if names.rows_known and (tree.name,) not in table.by_key:
            self.report.error(
                "PS207", f"the table `{table.name}` has no row `{tree.name}`", tree.name_span, "no such row",
                help=did_you_mean(tree.name, self._member_names(table.type)),
            )  # fmt: skip
            return wrong(tree.span)
        return t.RowNamed(table.type, tree.span, Stage.STATIC, False, table, tree.name)

    def _subscript(self, tree: s.Subscript, env: Env) -> t.Expr:
        value = tree.value
        table = self.names.tables.get(value.name) if isinstance(value, s.Name) and value.name not in env else None
        if table is None:
            made = self.expression(value, env)
            if made.type is not Special.WRONG:
                self.report.error("PS306", "only tables can be indexed", value.span, f"{article(made.type)}")
            return wrong(tree.span)
        self.names.used.add(table.name)
        if not table.key:
            self.report.error(
                "PS313", f"the table `{table.name}` has no key", value.span, "cannot be indexed",
                help=f"use `the(x for x in {table.name} if ...)`, or mark a column as `key`",
            )  # fmt: skip
            return wrong(tree.span)
        if len(tree.keys) > len(table.key):
            extra = tree.keys[len(table.key)]
            self.report.error(
                "PS313", f"the key of `{table.name}` has {len(table.key)} columns", extra.span,
                f"one more than {', '.join(table.key)}",
            )  # fmt: skip
            return wrong(tree.span)
        keys = tuple(
            self.typed(key, env, table.columns[name].type, f" for `{name}`")
            for key, name in zip(tree.keys, table.key, strict=False)
        )
        if any(key.type is Special.WRONG for key in keys):
            return wrong(tree.span)
        stage = Stage.PLANNED if table.plan else stage_of(keys)
        return t.Lookup(table.type, tree.span, stage, True, table, keys)

    # -- definitions ------------------------------------------------------------------------------

    def ensure(self, pending: Pending, use: Span) -> bool:
        """Check a definition's body before its first use; False if it is in a circle or has mistakes."""
        definition = pending.definition
        self.names.used.add(definition.name)
        if pending.state == "open":
            self.report.error(
                "PS206", f"`{definition.name}` needs itself", use, "used here while it is being worked out",
                secondary=[Label(definition.span, "defined here")],
            )  # fmt: skip
            return False
        if pending.state == "new":
            pending.state = "open"
            depth, self._depth = self._depth, 0
            self._bodies(self, pending)
            self._depth = depth
            pending.state = "done"
        return definition.body.type is not Special.WRONG

    # -- inside -----------------------------------------------------------------------------------

    def _targets(self, tree: s.For, source: t.Expr, env: Env) -> tuple[t.Binding, ...]:
        item: Type = Special.WRONG
        if isinstance(source.type, SetType | ListType):
            item = source.type.item
        wanted = 2 if isinstance(source, t.Steps) else 1
        if source.type is not Special.WRONG and len(tree.targets) != wanted:
            span = tree.targets[0].span.to(tree.targets[-1].span)
            text = "`steps` gives pairs: `for a, b in steps(...)`" if wanted == 2 else "only `steps` gives pairs"
            self.report.error("PS208", text, span, f"{len(tree.targets)} here")
        made: list[t.Binding] = []
        inner = dict(env)
        for name in tree.targets:
            made.append(self.binding(name, item, inner))
            inner[name.name] = made[-1]
        return tuple(made)

    def _is_planned(self, type_: Type) -> bool:
        return isinstance(type_, RowType) and self.names.tables[type_.table].plan

    def table_of(self, type_: Type) -> Table | None:
        """The table whose rows have this type."""
        return self.names.tables[type_.table] if isinstance(type_, RowType) else None

    def _conversion(self, have: Type, want: Type) -> str | None:
        if want is Scalar.TIME and have is Scalar.INT:
            return "a time is written `14:30`"
        if want is Scalar.DURATION and have is Scalar.INT:
            return "a duration is written `90min`"
        if want is Scalar.MONEY and have in (Scalar.INT, Scalar.DECIMAL) and self.names.currency:
            return f"an amount is written `12.50 {self.names.currency}`"
        if isinstance(have, ScaledType):
            return "a unit times a decimal is exact only under a comparison or in an objective"
        return None


ZEROED = frozenset({Scalar.INT, Scalar.DURATION, Scalar.MONEY, Scalar.DISTANCE, Scalar.DECIMAL})


def wrong(span: Span) -> t.Literal:
    """What stands for an expression with a mistake in it."""
    return t.Literal(Special.WRONG, span, Stage.STATIC, False, None)


def stage_of(items: Iterable[t.Typed]) -> Stage:
    """PLANNED if any part is."""
    return Stage.PLANNED if any(item.stage is Stage.PLANNED for item in items) else Stage.STATIC


def retyped(made: t.Expr, type_: Type) -> t.Expr:
    """The same expression with the type that its place gives it (`0`, `none`, `{}`)."""
    return made if made.type == type_ or made.type is Special.WRONG else replace(made, type=type_)


def assignable(have: Type, want: Type) -> bool:
    """A value of type `have` may stand where `want` is needed."""
    if have == want or Special.WRONG in (have, want):
        return True
    match have, want:
        case Special.NONE, _:
            return True
        case Special.UNIT_ZERO, _:
            return want in ZEROED
        case Special.EMPTY, (SetType() | ListType()):
            return True
        case Scalar.INT, Scalar.DECIMAL:
            return True
        case (SetType() | ListType()), (SetType() | ListType()):
            return assignable(have.item, want.item)
    return False


def joined(a: Type, b: Type) -> Type | None:
    """The type of something that is an `a` or a `b`; None if there is none."""
    if assignable(a, b):
        return a if b is Special.WRONG else b
    if assignable(b, a):
        return a
    if isinstance(a, ScaledType) and b is a.unit:
        return a
    if isinstance(b, ScaledType) and a is b.unit:
        return b
    return None


def article(type_: Type) -> str:
    """The type with its article, for people."""
    text = str(type_)
    if type_ in (Special.NONE, Special.EMPTY, Special.UNIT_ZERO) or text in ("money", "text"):
        return text if text != "text" else "a text"
    if isinstance(type_, RowType | EnumType):
        return f"a {text}"
    if text == "bool":
        return "a condition"
    if text == "int":
        return "a number"
    if text == "decimal":
        return "a decimal"
    return f"an {text}" if text[0] in "aeiou" else f"a {text}"
