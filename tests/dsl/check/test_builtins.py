"""A builtin is one row, and its name stands only where the guide says that it must."""

from __future__ import annotations

import ast
import re

import pytest

from planspec.dsl.check.builtins import BUILTINS
from tests.paths import ROOT

GUIDE = (ROOT / ".github/CONTRIBUTING.md").read_text("utf-8")
RECIPE = GUIDE.partition("## Add a builtin")[2].partition("\n## ")[0]
CODE, _, TESTS = RECIPE.partition("of tests and documentation:\n")


def files_with(name: str) -> set[str]:
    """The files of code in which a text constant is exactly this name."""
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("dsl", "verifiers", "solvers", "planspec")
        for path in (ROOT / folder).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
        and f'"{name}"' in (text := path.read_text("utf-8"))
        and any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(ast.parse(text)))
    }


def test_a_scalar_builtin_stands_in_the_files_of_the_guide_and_in_no_other() -> None:
    assert files_with("ceil_div") == set(re.findall(r"`((?:dsl|verifiers|solvers)/\S+\.py)`", CODE))


def test_a_scalar_builtin_stands_in_the_tests_and_pages_of_the_guide() -> None:
    named = re.findall(r"^\d+\. `(\S+)`", TESTS, re.MULTILINE)
    assert len(named) == 8
    assert [path for path in named if "ceil_div" not in (ROOT / path).read_text("utf-8")] == []


@pytest.mark.parametrize("name", [row.name for row in BUILTINS.values() if row.shape == "scalar"])
def test_the_checker_knows_a_scalar_builtin_from_its_row_alone(name: str) -> None:
    in_the_language = {path for path in files_with(name) if path.startswith("dsl/")}
    assert in_the_language == {"dsl/check/builtins.py"}


def test_every_row_says_how_many_arguments_it_takes_or_that_it_ranges() -> None:
    for row in BUILTINS.values():
        assert row.arity is not None if row.shape == "scalar" else row.keywords or row.shape == "aggregate"
