"""Suggestions for misspelt names and passages."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz import process, utils
from rapidfuzz.distance import Indel

from planspec.dsl.diagnostics.suggestions import nearest_passage, similar_names
from planspec.dsl.resources.similarity import SUGGESTED
from tests.paths import ROOT

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


NAMES = st.text("abcAB_1 -é", max_size=8)


@given(NAMES, st.lists(NAMES, max_size=6))
def test_names_excluded_by_the_quick_check_are_not_similar(name: str, candidates: list[str]) -> None:
    matches = process.extract(
        name,
        candidates,
        scorer=Indel.normalized_similarity,
        processor=utils.default_process,
        score_cutoff=SUGGESTED,
        limit=None,
    )
    assert similar_names(name, candidates) == [candidate for candidate, _, _ in matches]


@pytest.mark.slow
def test_a_correct_document_needs_no_suggestions() -> None:
    script = (
        "import sys; sys.modules['rapidfuzz'] = None; import planspec; "
        "print(planspec.load('berlin-001').id, planspec.check(['tasks/examples']))"
    )
    run = subprocess.run(
        [sys.executable, "-P", "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PLANSPEC_CACHE": ""},
        check=False,
    )
    assert (run.stdout, run.stderr) == ("berlin-001 ()\n", "")
