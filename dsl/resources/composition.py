"""Unicode normalisation of texts, so that names that look equal are equal."""

from __future__ import annotations

import re
import unicodedata

UNSEEN = re.compile("[\u00a0\u00ad\u2007\u200b\u202f\u2060\ufeff]")
"""Non-breaking blanks and zero-width characters, with which a name looks like another name."""


def normalize_text(text: str) -> str:
    """Return the text in Unicode's form NFC, in which a letter and its accents are one character."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)
