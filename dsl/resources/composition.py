"""Unicode normalisation of texts, so that names that look equal are equal."""

from __future__ import annotations

import re
import unicodedata

UNSEEN = re.compile("[\u00a0\u00ad\u2007\u200b\u202f\u2060\ufeff]")
"""Non-breaking blanks and zero-width characters: a name with one looks like another name."""


def normalize_text(text: str) -> str:
    """Return the text with each letter and its accents as one character (Unicode's NFC), the usual form."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)
