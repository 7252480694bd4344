"""Texts in one form, so that names which look equal are equal."""

from __future__ import annotations

import re
import unicodedata

UNSEEN = re.compile("[\u00a0\u00ad\u2007\u200b\u202f\u2060\ufeff]")
"""Blanks that do not break, and characters without a width: a name with one looks like another name."""


def composed(text: str) -> str:
    """The text with letters and their accents as one character each (Unicode's NFC), as most programs write them."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", text)
