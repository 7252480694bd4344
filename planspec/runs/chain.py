"""Hash chain of lines. Each line ends with a seal: a hash over the line and the previous seal.

A changed line therefore makes its own seal and all later seals invalid.
"""

from __future__ import annotations

import hashlib
import re

KEY = "chain"
"""Last key of each line. Its value is the seal, a hash over the line and the previous seal."""
_SEAL = re.compile(rb', "chain": "([0-9a-f]{64})"\}\Z')


def first_seal(header: bytes) -> str:
    """Return the seal before the first line: the hash of the header file."""
    return hashlib.sha256(header).hexdigest()


def seal_line(body: bytes, before: str) -> bytes:
    """Return a line with its seal.

    Args:
        body: JSON object, without a line feed.
        before: seal of the previous line.
    """
    return body[:-1] + f', "{KEY}": "{_seal(body, before)}"}}'.encode()


def seal_of(line: bytes) -> str | None:
    """Return the seal of a line, without checking it; None if the line has no seal."""
    match = _SEAL.search(line)
    return None if match is None else match[1].decode()


def is_valid(line: bytes, before: str) -> bool:
    """Return whether a line's seal is valid, given the seal of the previous line."""
    match = _SEAL.search(line)
    return match is not None and _seal(line[: match.start()] + b"}", before) == match[1].decode()


def _seal(body: bytes, before: str) -> str:
    return hashlib.sha256(before.encode() + b"\n" + body).hexdigest()
