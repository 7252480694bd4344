"""A limit or a unit that several modules need is defined once."""

from __future__ import annotations

import ast

import pytest

from tests.paths import ROOT

HOMES = {2**53: "dsl/resources/limits.py", 1440: "dsl/resources/units.py"}


def modules_with(number: int) -> set[str]:
    """Return the modules that contain a number as a literal or as a power of literals."""

    def value(node: ast.AST) -> object:
        match node:
            case ast.Constant(value=int(plain)):
                return plain
            case ast.BinOp(left=ast.Constant(value=int(a)), op=ast.Pow(), right=ast.Constant(value=int(b))) if b < 64:
                return a**b
        return None

    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("dsl", "verifiers", "solvers", "planspec")
        for path in (ROOT / folder).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
        if any(digits in (text := path.read_text("utf-8")) for digits in (str(number), "53"))
        and any(value(node) == number for node in ast.walk(ast.parse(text)))
    }


@pytest.mark.parametrize("number", HOMES)
def test_a_shared_number_is_defined_in_one_module(number: int) -> None:
    assert modules_with(number) == {HOMES[number]}
