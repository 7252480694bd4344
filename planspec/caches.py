"""Where planspec keeps what it can make again: the user's folder for caches."""

from __future__ import annotations

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
