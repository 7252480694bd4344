"""Vague names and inverted docstrings in the code only become fewer."""

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

ROOMS = ("dsl", "verifiers", "solvers", "planspec", "tests", "benchmarks", "integrations")
LINKS = {ROOT / "planspec" / name for name in ("dsl", "solvers", "verifiers", "tasks", "docs")}
MOST = {
    "told": 29, "tell": 14, "said": 36, "stated": 30, "asked": 35, "wanted": 22, "known": 39, "kept": 34, "whose": 0, "brought": 0, "meant": 0, "heard": 2,
}  # fmt: skip
"""Most uses of a word as a name. Lower a number whenever the count has become smaller."""
MOST_BACKWARDS = 0
"""Most docstrings whose first line is neither a noun phrase nor an imperative."""
BACKWARDS = re.compile(r"(What|Who|Whose|Of|That|Such|As far|By what|By which|In which|None|Nothing, )\b")


def sources() -> Iterator[Path]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if not LINKS.intersection(path.parents):
                yield path


def former_names(text: str) -> set[tuple[int, int]]:
    """Return where a module declares former names: the keywords of `former_fields(...)` and its siblings."""
    return {
        (keyword.lineno, keyword.col_offset)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id.startswith("former_")
        for keyword in node.keywords
    }


@cache
def uses() -> Counter[str]:
    """Count each word as a name, with or without a leading underscore; former names are not counted."""
    counts: Counter[str] = Counter()
    for path in sources():
        text = path.read_text(encoding="utf-8")
        former = former_names(text)
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME and token.start not in former:
                counts[token.string.removeprefix("_")] += 1
    return counts


@pytest.mark.parametrize("word", MOST)
def test_a_vague_word_is_a_name_no_more_often_than_before(word: str) -> None:
    assert uses()[word] <= MOST[word]


def test_docstrings_begin_with_a_noun_phrase_or_an_imperative() -> None:
    inverted = []
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node)
                if text is not None and BACKWARDS.match(text):
                    inverted.append(f"{path.relative_to(ROOT)}: {text.splitlines()[0]}")
    assert len(inverted) <= MOST_BACKWARDS, "\n".join(inverted)
