"""The number of random examples that a test draws."""

from __future__ import annotations

import os

THOROUGH = "PLANSPEC_THOROUGH"
"""Environment variable that `make thorough` and `make deep` set."""


def examples(count: int) -> int:
    """Return `count` in `make thorough` and `make deep`. In `make test`, return a quarter of it, but at least 5."""
    return count if os.environ.get(THOROUGH) else min(count, max(5, count // 4))
