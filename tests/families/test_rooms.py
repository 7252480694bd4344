"""The name of a family occurs only in its own folder and in one row of the registry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from planspec.agents.agent import AGENTS
from planspec.family.registry import SHIPPED, family_of
from tests.paths import ROOT

FOLDERS = {value.split(".")[2] for value in SHIPPED.values()}
NAMES = sorted(
    {*FOLDERS, *SHIPPED, *(agent for name in SHIPPED for agent in AGENTS.of(family_of(name)))}
    | {family_of(name).title.casefold() for name in SHIPPED}
)
EXCEPTIONS = {
    "planspec/family/registry.py": "the table itself",
}
"""Files that may name a family, each with the reason."""


def texts() -> Iterator[tuple[str, str]]:
    """Yield path and text of each file that is in the packages but not in a family's folder."""
    for package in ("dsl", "verifiers", "solvers", "planspec"):
        for path in sorted((ROOT / package).rglob("*")):
            inside = path.relative_to(ROOT)
            hidden = "__pycache__" in inside.parts or any(folder.is_symlink() for folder in path.parents)
            own = inside.parts[:2] == ("planspec", "families") and FOLDERS.intersection(inside.parts[2:3])
            if path.is_file() and not hidden and not own:
                yield inside.as_posix(), path.read_text("utf-8", errors="replace")


@pytest.mark.slow
def test_no_module_outside_its_folder_names_a_family() -> None:
    named = re.compile("|".join(map(re.escape, NAMES)), re.IGNORECASE)
    result = {
        f"{name}: {hit[0]}" for name, text in texts() for hit in [named.search(text)] if hit and name not in EXCEPTIONS
    }
    assert result == set()


def test_every_exception_to_this_rule_is_a_file_that_names_a_family() -> None:
    read = dict(texts())
    assert all(any(name in read[path].casefold() for name in NAMES) for path in EXCEPTIONS)


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_every_folder_of_a_family_has_a_descriptor(folder: str) -> None:
    assert (Path(ROOT) / "planspec" / "families" / folder / "descriptor.py").is_file()


def test_every_folder_of_a_family_has_a_row_in_the_registry() -> None:
    present = {path.parent.name for path in (ROOT / "planspec" / "families").glob("*/descriptor.py")}
    assert present == FOLDERS
