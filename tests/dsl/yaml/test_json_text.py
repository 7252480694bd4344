"""JSON is parsed strictly by one function, so that tables, answers and traces refuse the same texts."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.yaml.json_text import (
    DuplicateNameError,
    InvalidJsonError,
    decoder,
    object_with_unique_names,
)
from planspec.traces.json_text import load
from planspec.verifiers.answers.envelope import Undelivered, read_answer

TASK = (
    "planspec: task/1\nid: x\nquery: q\nplan: {v: {n: key int}}\ntables:\n  T: {columns: {n: int?}, jsonl: t.jsonl}\n"
)


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_words_that_only_python_accepts_are_refused_everywhere(word: str, tmp_path: Path) -> None:
    text = f'{{"n": {word}}}'
    with pytest.raises(InvalidJsonError, match=word):
        decoder(exact=True).decode(text)
    with pytest.raises(ValueError, match="is no JSON"):
        load(text)
    refused = read_answer(text)
    assert isinstance(refused, Undelivered) and f"has {word}, which is not JSON" in refused.reason
    (tmp_path / "t.jsonl").write_text(text, "utf-8")
    with pytest.raises(DiagnosticError) as caught:
        task_from_text(TASK, "task.yaml", path=tmp_path / "task.yaml")
    assert caught.value.diagnostics[0].primary.text == f"{word} is no JSON"


def test_a_repeated_name_is_reported() -> None:
    with pytest.raises(DuplicateNameError, match="`a` is said twice"):
        decoder(exact=True, pairs=object_with_unique_names).decode('{"b": 1, "a": 1, "a": 2}')


def test_a_number_with_a_point_is_read_exactly_or_as_a_finite_float() -> None:
    assert decoder(exact=True).decode("0.10") == Decimal("0.10")
    assert decoder(exact=False).decode("0.5") == 0.5
    with pytest.raises(ValueError, match="too large"):
        decoder(exact=False).decode("1e999")
