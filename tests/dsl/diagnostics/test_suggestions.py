"""What a misspelt name or passage is most similar to."""

from __future__ import annotations

import pytest

from planspec.dsl.diagnostics.suggestions import nearest_passage

QUERY = "I leave at half past two\nand have to be done by 15:35. It may cost 37 EUR."


@pytest.mark.parametrize(
    ("words", "passage"),
    [
        ("done by 15.35", "done by 15:35"),
        ("it costs 37 EUR", "It may cost 37 EUR"),
        ("at half past 2", "at half past two"),
        ("two  and has", "two and have"),
        ("elephants", None),
        ("", None),
        (f"{QUERY} {QUERY} {QUERY}", None),
    ],
)
def test_the_nearest_passage_has_whole_words(words: str, passage: str | None) -> None:
    assert nearest_passage(words, QUERY) == passage
