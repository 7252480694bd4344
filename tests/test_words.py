"""Vague names in the code become fewer and never more, and no docstring is inverted."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

SOURCE_FOLDERS = ("dsl", "verifiers", "solvers", "planspec", "tests", "benchmarks", "integrations")
LINKS = {ROOT / "planspec" / name for name in ("dsl", "solvers", "verifiers", "tasks", "docs")}
MOST = {
    "told": 25,
    "tell": 0,
    "said": 45,
    "stated": 11,
    "asked": 12,
    "wanted": 26,
    "known": 25,
    "kept": 28,
    "whose": 0,
    "brought": 0,
    "meant": 0,
    "heard": 2,
}
"""Maximum number of uses of a word as a name. Lower a number whenever the count has fallen."""
MOST_BACKWARDS = 0
"""Maximum number of docstrings whose first line is neither a noun phrase nor an imperative."""
BACKWARDS = re.compile(r"(What|Who|Whose|Of|That|Such|As far|By what|By which|In which|None|Nothing, )\b")


def source_files() -> Iterator[Path]:
    for folder in SOURCE_FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not LINKS.intersection(path.parents):
                yield path


@cache
def texts() -> list[tuple[Path, str]]:
    """Return the texts of all source files."""
    return [(path, path.read_text(encoding="utf-8")) for path in source_files()]


def modules_with(pattern: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the syntax trees of the source files in whose text a regular expression has a match."""
    search = re.compile(pattern, re.MULTILINE).search
    return ((path, ast.parse(text)) for path, text in texts() if search(text))


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node introduces or uses. Former names, the keywords of `former_*(...)`, are left out."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Call(func=ast.Name(id=function), keywords=keywords) if not function.startswith("former_"):
            yield from (keyword.arg for keyword in keywords if keyword.arg is not None)
        case ast.Call(func=ast.Attribute(), keywords=keywords):
            yield from (keyword.arg for keyword in keywords if keyword.arg is not None)


@cache
def use_counts() -> Counter[str]:
    """Return how often each word of `MOST` is a name, without its leading underscore, outside former names."""
    nodes = (node for _, tree in modules_with(rf"\b_?({'|'.join(MOST)})\b") for node in ast.walk(tree))
    return Counter(name.removeprefix("_") for node in nodes for name in names_in(node))


@pytest.mark.parametrize("word", MOST)
def test_a_vague_word_is_used_as_a_name_no_more_often_than_before(word: str) -> None:
    assert use_counts()[word] <= MOST[word]


def test_docstrings_begin_with_a_noun_phrase_or_an_imperative() -> None:
    inverted = []
    for path, tree in modules_with(rf'"""\s*{BACKWARDS.pattern}'):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node)
                if text is not None and BACKWARDS.match(text):
                    inverted.append(f"{path.relative_to(ROOT)}: {text.splitlines()[0]}")
    assert len(inverted) <= MOST_BACKWARDS, "\n".join(inverted)


def test_sections_of_docstrings_are_indented_by_one_level() -> None:
    too_deep = re.compile(r"^( *)(?:Args|Attributes|Raises|Returns|Yields):\n\1 {5,}", re.MULTILINE)
    assert [path.relative_to(ROOT).as_posix() for path, text in texts() if too_deep.search(text)] == []
