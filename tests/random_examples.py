"""The number of random examples that a test draws."""

from __future__ import annotations

import os

THOROUGH = "PLANSPEC_THOROUGH"
"""Environment variable that `make thorough` and `make deep` set."""


def examples(count: int) -> int:
    """Return a third of `count`, and at least 5, in `make test`, and all in `make thorough` and `make deep`."""
    return count if os.environ.get(THOROUGH) else min(count, max(5, count // 3))
