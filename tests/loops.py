"""Coroutines run to their end, on an event loop that is closed afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine returns.

    Not `asyncio.run`: Inspect has it replaced for the whole process, by a function that leaves the loop open.
    """
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
