"""The user's cache folder."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path


def cache_home() -> Path | None:
    """Return the folder for planspec's caches, or None if the user has no home folder.

    The folder may not exist yet. `XDG_CACHE_HOME` or, on Windows, `LOCALAPPDATA` sets its parent.
    """
    base = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "planspec"
    except RuntimeError:  # there is no home
        return None


def add_checksum(data: bytes) -> bytes:
    """Return a cache entry: a line with the checksum of the data, then the data."""
    return _checksum(data) + b"\n" + data


def strip_checksum(entry: bytes) -> bytes | None:
    """Return the data of a cache entry, or None if the checksum differs."""
    checksum, _, data = entry.partition(b"\n")
    return data if checksum == _checksum(data) else None


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=32).hexdigest().encode()
