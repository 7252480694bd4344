"""Characters such as the no-break space, which look like spaces but separate nothing in YAML or the language."""

from __future__ import annotations

import re
import unicodedata

BLANK = re.compile("[\xa0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000]")
INDENTED = re.compile(rf"(?m)^[ \t]*+({BLANK.pattern}+)[ \t]*+\S")
"""Pattern of a line that is indented with one of the characters of `BLANK`."""
BLANK_AFTER_KEY = re.compile(rf"[\w-]+:({BLANK.pattern}+)")
"""Pattern of a text that would be a key and its value if the blank were a space."""
WAY_OUT = "write a plain space"


def blank_name(char: str) -> str:
    """Return a blank's name with its code point: `a no-break space (U+00A0)`."""
    name = unicodedata.name(char).lower()
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name} (U+{ord(char):04X})"
