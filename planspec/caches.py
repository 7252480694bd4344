"""Where planspec keeps what it can make again: the user's folder for caches."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path


def cache_home() -> Path | None:
    """The folder of planspec's caches, by `XDG_CACHE_HOME` or the system's custom; None where there is no home.

    It may not be there yet; whoever keeps something makes it.
    """
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        return (Path(named) if named else Path.home() / ".cache") / "planspec"
    except RuntimeError:  # there is no home
        return None


def sealed(data: bytes) -> bytes:
    """Return an entry of a cache: a checksum of the data on a line of its own, then the data."""
    return _checksum(data) + b"\n" + data


def unsealed(entry: bytes) -> bytes | None:
    """Return the data of an entry of a cache, or None if they are not as they were written."""
    checksum, _, data = entry.partition(b"\n")
    return data if checksum == _checksum(data) else None


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).hexdigest().encode()
