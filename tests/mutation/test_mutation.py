"""No mutated document or answer crashes planspec. `make deep` tries a hundred thousand of them."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import settings

from planspec.dsl.workspace.workspace import Workspace
from tests.mutation.judging import (
    all_documents,
    check_answer,
    check_document_text,
    judges_and_answers,
    mutated_cases,
)

pytestmark = pytest.mark.xdist_group("mutation")  # the judges are loaded once

KEY = re.compile(r"^[ ]*(?:- )?(\w+):", re.MULTILINE)
BATCHES = 4
PER_EXAMPLE = {"documents": 7, "answers": 6}
"""Number of mutated cases for each example that Hypothesis draws: 1,300 cases in all at 100 examples."""


def test_unmutated_documents_are_accepted_and_unmutated_answers_pass() -> None:
    workspace = Workspace()
    assert {check_document_text(place, place.text, workspace) for place in all_documents()[:12]} <= {
        "read",
        "pass",
        "undelivered",
    }
    assert {check_answer(judge, right) for judge, right in judges_and_answers()} == {"pass"}


@pytest.mark.thorough
def test_a_misspelt_key_never_crashes() -> None:
    workspace, random = Workspace(), Random(0)
    profile = settings.default
    assert profile is not None
    places = [(place, key) for place in all_documents() for key in KEY.finditer(place.text)]
    for place, key in random.sample(places, min(len(places), profile.max_examples // 5)):
        word = key[1]
        at = random.randrange(len(word))
        for misspelt in (
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word.title(),
            f"{word}s",
            word[::-1],
        ):
            check_document_text(place, place.text[: key.start(1)] + misspelt + place.text[key.end(1) :], workspace)


@pytest.mark.parametrize("batch", [0, *(pytest.param(n, marks=pytest.mark.thorough) for n in range(1, BATCHES))])
@pytest.mark.parametrize("kind", ["documents", "answers"])
def test_mutated_inputs_are_refused_or_judged(kind: str, batch: int) -> None:
    profile = settings.default
    assert profile is not None
    seed = batch if profile.derandomize else Random().randrange(2**32)
    count = profile.max_examples * PER_EXAMPLE[kind] // BATCHES
    for number, (text, check) in zip(range(count), mutated_cases(Random(seed), kind), strict=False):
        try:
            check()
        except Exception as error:
            raise AssertionError(f"seed {seed}, case {number}: {text[:5_000]!r}") from error
