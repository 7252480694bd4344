"""Each builtin function is one entry of a table. Its name appears only in the files that the guide lists."""

from __future__ import annotations

import ast
import re

import pytest

from planspec.dsl.check.builtins import BUILTINS
from tests.paths import ROOT
from tests.scalar_builtins import SCALAR_BUILTINS

GUIDE = (ROOT / ".github/CONTRIBUTING.md").read_text("utf-8")
RECIPE = GUIDE.partition("## Add a builtin")[2].partition("\n## ")[0]
CODE, _, TESTS = RECIPE.partition("two files of tests:\n")


def files_with(name: str) -> set[str]:
    """Return the source files with a text constant that is exactly this name."""
    return {
        path.relative_to(ROOT).as_posix()
        for folder in ("dsl", "verifiers", "solvers", "planspec")
        for path in (ROOT / folder).rglob("*.py")
        if not any(parent.is_symlink() for parent in path.parents)
        and f'"{name}"' in (text := path.read_text("utf-8"))
        and any(isinstance(node, ast.Constant) and node.value == name for node in ast.walk(ast.parse(text)))
    }


def test_a_scalar_builtin_appears_only_in_the_files_that_the_guide_lists() -> None:
    assert files_with("ceil_div") == set(re.findall(r"`((?:dsl|verifiers|solvers)/\S+\.py)`", CODE))


def test_a_scalar_builtin_appears_in_the_tests_that_the_guide_lists() -> None:
    named = re.findall(r"^\d+\. `(\S+)`", TESTS, re.MULTILINE)
    assert len(named) == 2
    assert [path for path in named if "ceil_div" not in (ROOT / path).read_text("utf-8")] == []


@pytest.mark.parametrize("name", [row.name for row in BUILTINS.values() if row.shape == "scalar"])
def test_the_checker_needs_only_the_table_entry_of_a_scalar_builtin(name: str) -> None:
    in_the_language = {path for path in files_with(name) if path.startswith("dsl/")}
    assert in_the_language == {"dsl/check/builtins.py"}


def test_every_scalar_builtin_has_examples_of_each_kind() -> None:
    assert set(SCALAR_BUILTINS) == {row.name for row in BUILTINS.values() if row.shape == "scalar"}
    for name, row in SCALAR_BUILTINS.items():
        assert row.values, name
        assert row.refused, name
        for call in (*row.conditions, *(each for templates in row.templates.values() for each in templates)):
            assert f"{name}(" in call
        assert row.conditions, name
        assert row.templates, name


def test_every_entry_declares_its_number_of_arguments_or_a_generator() -> None:
    for row in BUILTINS.values():
        assert row.arity is not None if row.shape == "scalar" else row.keywords or row.shape == "aggregate"
