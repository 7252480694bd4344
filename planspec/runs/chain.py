"""Lines each sealed with all that stands before them: who changes one has to change every seal that follows."""

from __future__ import annotations

import hashlib
import re

KEY = "chain"
"""The last key of a sealed line."""
_SEAL = re.compile(rb', "chain": "([0-9a-f]{64})"\}\Z')


def first(header: bytes) -> str:
    """The seal that stands before the first line: of the file that says what the lines have in common."""
    return hashlib.sha256(header).hexdigest()


def sealed(body: bytes, before: str) -> bytes:
    """A line with its seal.

    Args:
        body: a JSON object, without a line feed.
        before: the seal of the line before it.
    """
    return body[:-1] + f', "{KEY}": "{_seal(body, before)}"}}'.encode()


def seal_of(line: bytes) -> str | None:
    """The seal that a line has, true or not; None where it has none."""
    found = _SEAL.search(line)
    return None if found is None else found[1].decode()


def holds(line: bytes, before: str) -> bool:
    """Whether a line is as it was sealed, given the seal of the line before."""
    found = _SEAL.search(line)
    return found is not None and _seal(line[: found.start()] + b"}", before) == found[1].decode()


def _seal(body: bytes, before: str) -> str:
    return hashlib.sha256(before.encode() + b"\n" + body).hexdigest()
