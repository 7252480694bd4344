"""The changelog lists all former names, and news fragments have the form in which a release collects them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator

from planspec.cli import FORMER
from tests.paths import ROOT

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
CHANGELOG = (ROOT / SETTINGS["filename"]).read_text("utf-8")


def former_names() -> Iterator[tuple[str, str]]:
    """Yield each former name with its present one, as declared by the helpers of `planspec.deprecation`."""
    for folder in ("planspec", "dsl", "verifiers", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if "planspec.deprecation" in text and not any(parent.is_symlink() for parent in path.parents):
                for node in ast.walk(ast.parse(text)):
                    match node:
                        case ast.Call(func=ast.Name(id="former_parameters" | "former_fields")):
                            for keyword in node.keywords:
                                yield str(keyword.arg), ast.literal_eval(keyword.value)
                        case ast.Assign(targets=[ast.Name(id="FORMER_NAMES" | "_FORMER_NAMES")], value=ast.Dict()):
                            yield from ast.literal_eval(node.value).items()


def test_a_news_fragment_has_a_kind_and_one_plain_entry() -> None:
    kinds = "|".join(kind["directory"] for kind in SETTINGS["type"])
    for path in (ROOT / SETTINGS["directory"]).iterdir():
        if path.name != "README.md":
            assert re.fullmatch(rf"[a-z0-9-]+\.({kinds})\.md", path.name), path.name
            text = path.read_text("utf-8")
            assert text.strip() and not text.startswith(("-", "*", "#")), f"{path.name}: the bullet is added later"


def test_the_changelog_has_exactly_one_mark_where_releases_are_inserted() -> None:
    assert CHANGELOG.count(SETTINGS["start_string"]) == 1


def test_the_changelog_lists_every_former_name_that_still_works() -> None:
    news = CHANGELOG + "".join(path.read_text("utf-8") for path in (ROOT / SETTINGS["directory"]).glob("*.md"))
    renamed = {*former_names(), *(pair for options in FORMER.values() for pair in options.items())}
    assert len(renamed) > 50
    missing = {pair for pair in renamed if f"`{pair[0]}` → `{pair[1].rpartition(':')[2]}`" not in news}
    assert missing == set()
    listed = set(re.findall(r"`([\w-]+)` → `([\w-]+)`", CHANGELOG))
    present = {(former, name.rpartition(":")[2]) for former, name in renamed}
    assert listed - present == {("--csv", "--table"), ("muses", "mus_sets")}, "they no longer work"
