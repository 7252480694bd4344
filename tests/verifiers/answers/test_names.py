"""Names as agents write them are compared without case, accents, blanks and punctuation."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.verifiers.answers.names import folded


def letters(name: str) -> str:
    """The letters and digits of a name, by the Unicode standard's compatibility decomposition."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(c for c in bare.casefold() if c.isalnum())


@pytest.mark.slow
@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_ascii_is_folded_as_all_other_text_is(name: str) -> None:
    assert folded(name) == letters(name)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Café  Le-Nôtre (II)", "cafelenotreii"),
        ("STRASSE 7", "strasse7"),
        ("Straße 7", "strasse7"),
        ("-- !", ""),
    ],
)
def test_a_folded_name_has_letters_and_digits_alone(name: str, plain: str) -> None:
    assert folded(name) == plain
