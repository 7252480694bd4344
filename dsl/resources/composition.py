"""Unicode normalisation of strings, so that names that look equal are equal."""

from __future__ import annotations

import re
import unicodedata

UNSEEN = re.compile("[\u00a0\u00ad\u2007\u200b\u202f\u2060\ufeff]")
"""Pattern of non-breaking blanks and zero-width characters, which make different names look equal."""


def normalize_text(text: str) -> str:
    """Return the string in Unicode's normal form NFC, which combines a letter and its accent to one character."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)
