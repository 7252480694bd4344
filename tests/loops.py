"""A function that runs coroutines in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_coroutine(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a coroutine on a new event loop, and return its result.

    `asyncio.run` is not used, since Inspect replaces it in the whole process by a function that does not
    close the loop.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
