"""Names are compared without regard to case, accents, blanks and punctuation."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.verifiers.answers.names import folded_name


def letters(name: str) -> str:
    """Return the letters and digits of a name after Unicode's compatibility decomposition, in lower case."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return "".join(c for c in bare.casefold() if c.isalnum())


@pytest.mark.slow
@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_ascii_is_folded_like_other_text(name: str) -> None:
    assert folded_name(name) == letters(name)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Café  Le-Nôtre (II)", "cafelenotreii"),
        ("STRASSE 7", "strasse7"),
        ("Straße 7", "strasse7"),
        ("-- !", ""),
    ],
)
def test_a_folded_name_has_only_letters_and_digits(name: str, plain: str) -> None:
    assert folded_name(name) == plain
