"""The checker of expressions, which turns a syntax tree into a checked tree with names, types, units and stages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TypeAlias, TypeVar, assert_never

from planspec.dsl.check import calls, collections, operators
from planspec.dsl.check import primaries as leaves
from planspec.dsl.check.absent_rows import AbsentRowMentions
from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS, WORDS, Names
from planspec.dsl.check.type_mismatches import unit_help
from planspec.dsl.check.type_rules import is_assignable, mistake, stage_of, type_with_article, with_type
from planspec.dsl.diagnostics.diagnostic import Label, Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.diagnostics.suggestions import did_you_mean
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import (
    EnumType,
    ListType,
    RowType,
    ScalarType,
    ScaledType,
    SetType,
    Special,
    Stage,
    Table,
    Type,
)
from planspec.dsl.resources.limits import DEPTH
from planspec.dsl.syntax import nodes as s

TypeEnv: TypeAlias = Mapping[str, t.Binding]
E = TypeVar("E", bound=t.Typed)
WORD = re.compile(r"[^\W\d]\w*")


class Checker:
    """Checks the expressions of one document against its names.

    Invariant: a method that returns an expression has reported every mistake in it. An expression with a
    mistake has the type `Special.WRONG`, which agrees with every type, so that no mistake is reported twice.
    Definitions are checked before their uses.
    """

    def __init__(self, names: Names, report: Report) -> None:
        self.names = names
        self.report = report
        self.absent_rows = AbsentRowMentions(names)
        # help by unbound name, for example for `v` in `sum(v.cost)`, which lacks `for v in visits`
        self.forgotten: dict[str, str] = {}

    # -- entry points -----------------------------------------------------------------------------

    def expression(self, tree: s.Tree, env: TypeEnv, expected: Type | None = None) -> t.Expr:  # noqa: C901 one case for each kind of expression
        """Return a checked expression of any type. `expected` is only a hint for names such as enum members."""
        match tree:
            case s.Number():
                return leaves.check_number(self, tree, expected)
            case s.Text():
                return t.Literal(ScalarType.TEXT, tree.span, Stage.STATIC, False, tree.value)
            case s.BooleanLiteral():
                return t.Literal(ScalarType.BOOL, tree.span, Stage.STATIC, False, tree.value)
            case s.Nothing():
                type_ = expected if expected is not None and expected is not ScalarType.BOOL else Special.NONE
                return t.Literal(type_, tree.span, Stage.STATIC, True, None)
            case s.Name():
                return leaves.check_name(self, tree, env, expected)
            case s.Attribute():
                return leaves.check_attribute(self, tree, env)
            case s.Subscript():
                return leaves.check_subscript(self, tree, env)
            case s.CallOf():
                return calls.check_call(self, tree, env, expected)
            case s.Generator():
                self.report.error(
                    "PS306",
                    "a generator stands in parentheses or in a call",
                    tree.span,
                    "bare generator",
                    help="write `(x for x in ...)` for a set, or `any(... for ...)`",
                )
                return mistake(tree.span)
            case s.Braces():
                return collections.check_braces(self, tree, env, expected)
            case s.Parens(inner=s.RangeTree() as inner):
                item = expected.item if isinstance(expected, SetType | ListType) else None
                return self.require_static(collections.check_range(self, inner, env, item), "a range used as a set")
            case s.Parens(inner=s.Generator() as inner):
                return collections.check_set(self, inner, env, expected)
            case s.Parens():
                return self.expression(tree.inner, env, expected)
            case s.RangeTree():
                self.report.error(
                    "PS311",
                    "a range is not allowed here",
                    tree.span,
                    "a range",
                    help="use it right of `in`, in a `for`, or in parentheses as a set",
                )
                return mistake(tree.span)
            case s.Unary():
                return operators.check_unary(self, tree, env, expected)
            case s.Binary():
                return operators.check_binary(self, tree, env, expected)
            case s.Connective():
                operands = tuple(self.condition(item, env) for item in tree.items)
                return t.Logic(
                    ScalarType.BOOL,
                    tree.span,
                    stage_of(operands),
                    False,
                    "and" if tree.op == "and" else "or",
                    operands,
                )
            case s.ComparisonChain():
                return operators.check_comparison(self, tree, env)
            case s.Ternary():
                return operators.check_ternary(self, tree, env, expected)
            case s.Unknown():
                raise AssertionError("`unknown` stands only behind `is`")
            case _:
                assert_never(tree)

    def checked_as(self, tree: s.Tree, env: TypeEnv, expected: Type, what: str = "") -> t.Expr:
        """Return a checked expression of type `expected`, which a literal `0` or `none` also gets.

        `what` ends the message about a wrong type: ` as a default` gives "a date is needed as a default".
        """
        expr = self.expression(tree, env, expected)
        if is_assignable(expr.type, expected):
            return with_type(expr, expected)
        if isinstance(expr.type, ScaledType):
            return self.report_inexact(expr, type_with_article(expected) + what)
        self.report.error(
            "PS303",
            f"{type_with_article(expected)} is needed{what}, not {type_with_article(expr.type)}",
            tree.span,
            type_with_article(expr.type),
            help=self._conversion_help(expr, expected),
        )
        return mistake(tree.span)

    def condition(self, tree: s.Tree, env: TypeEnv) -> t.Expr:
        """Return a checked Boolean expression."""
        expr = self.expression(tree, env, ScalarType.BOOL)
        if expr.type in (ScalarType.BOOL, Special.WRONG):
            return expr
        help_text = None
        if isinstance(tree, s.CallOf) and tree.function.name == "count":
            help_text = "compare it: `count(...) > 0`"
        elif expr.type is Special.NONE:
            help_text = "a condition is never none: it is false if it meets none"
        elif isinstance(expr.type, SetType | ListType):
            help_text = "is there any? write `any(true for x in ...)`"
        elif expr.type in (ScalarType.TEXT, *self.names.enums.values()):
            help_text = "compare it: `... == ...`"
        elif expr.partial:
            help_text = "is it there? write `... is not none`"
        self.report.error(
            "PS304", "a condition is needed here", tree.span, type_with_article(expr.type), help=help_text
        )
        return mistake(tree.span)

    def require_static(self, expr: E, what: str, help_text: str | None = None) -> E:
        """Return `expr`, and report it if it depends on the plan.

        Args:
            expr: the checked expression.
            what: the subject of the message, such as a key of the document.
            help_text: suggests an alternative to the author.
        """
        if expr.stage is Stage.PLANNED and expr.type is not Special.WRONG:
            self.report.error(
                "PS308", f"{what} cannot depend on the plan", expr.span, "depends on the plan", help=help_text
            )
        return expr

    def report_inexact(self, expr: t.Expr, place: str) -> t.Expr:
        """Report an amount times a decimal, such as `1.5 * price`, which is not allowed as `place`; return a placeholder."""
        self.report.error(
            "PS310",
            f"{type_with_article(expr.type)} is not allowed as {place}",
            expr.span,
            "not a whole number of its unit",
            help="a unit times a decimal is exact under a comparison and in an objective; elsewhere write `x * 11 // 10`",
        )
        return mistake(expr.span)

    def clauses(
        self, trees: Iterable[s.For], env: TypeEnv, *, static: str | None = None
    ) -> tuple[tuple[t.Clause, ...], dict[str, t.Binding]]:
        """Return checked generator clauses, and the variables visible after them.

        If they depend on the plan, report it in a message about `static`, such as "`for:`"; None permits it.
        """
        inner = dict(env)
        checked: list[t.Clause] = []
        for tree in trees:
            source = collections.check_source(self, tree, inner)
            if static:
                self.require_static(source, static)
            targets = self._targets(tree, source, inner)
            inner.update((target.name, target) for target in targets)
            condition = self.condition(tree.condition, inner) if tree.condition is not None else None
            if static and condition is not None:
                help_text = "write it in the condition itself, as in `... implies ...`" if static == "`for:`" else None
                self.require_static(condition, static, help_text)
            checked.append(t.Clause(targets, source, condition))
        return tuple(checked), inner

    def new_variable(self, name: str, span: Span, type_: Type, env: TypeEnv, *, optional: bool = False) -> t.Binding:
        """Return a new variable. Report a name that shadows another variable or hides a global name."""
        if name in env:
            self.report.error(
                "PS203",
                f"the variable `{name}` is bound already",
                span,
                "bound again here",
                secondary=[Label(env[name].span, "bound here")],
                help="choose another name",
            )
        elif name in self.names.places:
            what, where = self.names.places[name]
            self.report.error(
                "PS203",
                f"the variable `{name}` hides {what}",
                span,
                "a variable of the same name",
                secondary=[Label(where, f"{what} of this name")],
                help="choose another name",
            )
        elif name in BUILTINS or name in SCALARS:
            what = "a builtin function" if name in BUILTINS else "a built-in type"
            self.report.error(
                "PS203",
                f"the variable `{name}` hides {what}",
                span,
                "a variable of the same name",
                help="choose another name",
            )
        assert name not in WORDS
        return t.Binding(name, type_, span, optional)

    # -- depth ------------------------------------------------------------------------------------

    def height(self, tree: s.Node) -> int:
        """Return the height of a tree after the expansion of all definitions."""
        return s.nesting(tree) + self._used_height(tree)

    def is_shallow(self, tree: s.Node) -> bool:
        """Return whether a tree, with its definitions, is shallow enough for recursion; report it otherwise.

        A chain of definitions that is too deep is reported once.
        """
        used = self._used_height(tree)
        if s.nesting(tree) + used <= DEPTH:
            return True
        if used <= DEPTH:
            self.report.error(
                "PS006",
                "the expression nests too deep",
                tree.span,
                f"more than {DEPTH} levels with the definitions that it uses",
                help="shorten the chain of definitions",
            )
        return False

    def _used_height(self, tree: s.Node) -> int:
        definitions = self.names.definitions
        return max((definitions[name].height for name in s.mentions(tree) if name in definitions), default=0)

    # -- names and types --------------------------------------------------------------------------

    def is_resolvable(self, name: str, env: TypeEnv) -> bool:
        """Return whether a name can be resolved without an expected type."""
        return name in env or name in self.names.places or name in self.names.broken

    def is_planned(self, type_: Type) -> bool:
        """Return whether values of the type are rows of the plan."""
        return isinstance(type_, RowType) and self.names.tables[type_.table].plan

    def table_of(self, type_: Type) -> Table | None:
        """Return the table whose rows have this type."""
        return self.names.tables[type_.table] if isinstance(type_, RowType) else None

    def _targets(self, tree: s.For, source: t.Expr, env: TypeEnv) -> tuple[t.Binding, ...]:
        item: Type = source.type.item if isinstance(source.type, SetType | ListType) else Special.WRONG
        required = 2 if isinstance(source, t.Steps) else 1
        if source.type is not Special.WRONG and len(tree.targets) != required:
            span = tree.targets[0].span.to(tree.targets[-1].span)
            if required == 2:
                text, label = "`steps` gives pairs", "two variables are needed: `for a, b in steps(...)`"
            else:
                text, label = "only `steps` gives pairs", f"{len(tree.targets)} variables, one is needed"
            self.report.error("PS208", text, span, label)
            item = Special.WRONG
        optional = isinstance(source, t.Steps) and source.body.partial
        targets: list[t.Binding] = []
        inner = dict(env)
        for name in tree.targets:
            targets.append(self.new_variable(name.name, name.span, item, inner, optional=optional))
            inner[name.name] = targets[-1]
        return tuple(targets)

    def _conversion_help(self, expr: t.Expr, expected: Type) -> str | None:
        actual = expr.type
        numbers = (ScalarType.INT, ScalarType.DECIMAL, Special.UNIT_ZERO)
        if actual in numbers and (help_text := unit_help(self, expr, expected)) is not None:
            return help_text
        match expected:
            case ScalarType.TIME if actual in numbers:
                return "a time is written `14:30`"
            case ScalarType.DATE if actual in numbers or actual is ScalarType.TEXT:
                return "a date is written `2026-07-01`, without quotes"
            case ScalarType.DURATION if actual is ScalarType.TIME:
                return "a duration is written `90min`; the time between two times is `b - a`"
            case EnumType(members=members) if isinstance(expr, t.Literal) and expr.value in members:
                return f"a member is written without quotes: `{expr.value}`"
            case RowType(table=name) if isinstance(expr, t.Literal) and actual is ScalarType.TEXT:
                table = self.names.tables[name]
                if self.names.row_key(table, expr.value) is None:
                    return did_you_mean(expr.value, self.names.row_names(table))
                plain = WORD.fullmatch(expr.value) is not None
                return f"write `{expr.value}`, without quotes" if plain else f"write `{name}[{expr.span.text}]`"
            case RowType(table=name) if actual is ScalarType.TEXT:
                return f"a row of `{name}` is named by its key, without quotes where that is a name"
        if isinstance(actual, SetType | ListType) and is_assignable(actual.item, expected):
            return "for the only one of them write `the(x for x in ... if ...)`"
        return None
