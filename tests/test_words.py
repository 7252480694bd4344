"""Vague names and inverted docstrings in the code become fewer and never more."""

from __future__ import annotations

import ast
import io
import re
import tokenize
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
    "said": 36,
    "stated": 10,
    "asked": 10,
    "wanted": 22,
    "known": 30,
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
    for room in SOURCE_FOLDERS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if not LINKS.intersection(path.parents):
                yield path


def former_name_positions(text: str) -> set[tuple[int, int]]:
    """Return the positions of former names in a module: keywords of `former_fields(...)` and similar calls."""
    return {
        (keyword.lineno, keyword.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("former_")
        for keyword in node.keywords
    }


@cache
def use_counts() -> Counter[str]:
    """Return how often each word is a name, without its leading underscore. Former names are not counted."""
    counts: Counter[str] = Counter()
    for path in source_files():
        text = path.read_text(encoding="utf-8")
        former = former_name_positions(text)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and token.start not in former:
                counts[token.string.removeprefix("_")] += 1
    return counts


@pytest.mark.parametrize("word", MOST)
def test_a_vague_word_is_used_as_a_name_no_more_often_than_before(word: str) -> None:
    assert use_counts()[word] <= MOST[word]


def test_docstrings_begin_with_a_noun_phrase_or_an_imperative() -> None:
    inverted = []
    for path in source_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node)
                if text is not None and BACKWARDS.match(text):
                    inverted.append(f"{path.relative_to(ROOT)}: {text.splitlines()[0]}")
    assert len(inverted) <= MOST_BACKWARDS, "\n".join(inverted)
