"""Expected types, for example of the bare name `indoor` in `p.kind == indoor`, whose type comes from `p.kind`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planspec.dsl.check.type_rules import is_open, mistake, without_factor
from planspec.dsl.model import tree as t
from planspec.dsl.model.types import Special, Type
from planspec.dsl.syntax import nodes as s

if TYPE_CHECKING:
    from planspec.dsl.check.checker import Checker, TypeEnv


def needs_expected_type(c: Checker, tree: s.Tree, env: TypeEnv) -> bool:
    """Return whether only an expected type can give the expression its type, as for bare names, `0` and `none`."""
    match tree:
        case s.Name():
            return not c.is_resolvable(tree.name, env)
        case s.Nothing():
            return True
        case s.Parens(inner=s.RangeTree() | s.Generator()):
            return False
        case s.Parens():
            return needs_expected_type(c, tree.inner, env)
        case s.Braces():
            return not tree.items or any(needs_expected_type(c, item, env) for item in tree.items)
        case s.Ternary():
            return needs_expected_type(c, tree.then, env) and needs_expected_type(c, tree.otherwise, env)
        case s.Number():
            return tree.kind == "int" and tree.value == 0
        case s.Unary(op="-"):
            return needs_expected_type(c, tree.operand, env)
    return False


def check_together(c: Checker, trees: Sequence[s.Tree], env: TypeEnv, expected: Type | None) -> list[t.Expr]:
    """Check expressions that must have the same type: first those whose type is known, then the others.

    Args:
        c: the checker.
        trees: the expressions in order.
        env: the visible variables.
        expected: the type that the context expects; None if it expects none.

    Returns:
        One expression for each tree. If its type depends on an expression with a mistake, it gets the type
        `Special.WRONG` without a report.
    """
    checked = [None if needs_expected_type(c, tree, env) else c.expression(tree, env, expected) for tree in trees]
    plain = [x.type for x in checked if x is not None]
    type_: Type | None = next((x for x in plain if x is not Special.WRONG and not is_open(x)), None)
    if type_ is None:
        type_ = Special.WRONG if Special.WRONG in plain else expected
    unit = without_factor(type_) if type_ is not None else None
    return [
        x if x is not None else mistake(tree.span) if unit is Special.WRONG else c.expression(tree, env, unit)
        for x, tree in zip(checked, trees, strict=True)
    ]
