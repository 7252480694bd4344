"""Documents are read by one YAML reader, since PyYAML's own loaders refuse columns such as `text?` in braces."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.paths import ROOT

DIRECT_USERS = {
    "dsl/yaml": "the reader itself",
    "planspec/families/mobilitybench/yaml_text.py": "programs of the family",
    "planspec/families/mobilitybench/steps.py": "programs of the family",
    "planspec/families/mobilitybench/program_schema.py": "programs of the family",
    "planspec/families/worldtravel/generator/city.py": "cities of the generator",
    "planspec/families/worldtravel/webscape/phrasing.py": "phrases of pages",
    "planspec/families/worldtravel/generator/written_requests.py": "cities of the generator",
}
"""Modules that may import PyYAML, and what they read."""


def imports_yaml(path: Path) -> bool:
    """Return whether a module imports PyYAML."""
    text = path.read_text("utf-8")
    if "yaml" not in text:
        return False
    tree = ast.parse(text)
    return any(
        (isinstance(node, ast.Import) and any(alias.name.partition(".")[0] == "yaml" for alias in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "yaml")
        for node in ast.walk(tree)
    )


@pytest.mark.slow
def test_only_the_reader_and_families_own_formats_use_pyyaml() -> None:
    users = {
        path.relative_to(ROOT).as_posix()
        for room in ("dsl", "solvers", "verifiers", "planspec")
        for path in (ROOT / room).rglob("*.py")
        if not any(part.is_symlink() for part in path.parents if part != ROOT) and imports_yaml(path)
    }
    assert users
    assert {path for path in users if not path.startswith(tuple(DIRECT_USERS))} == set()
