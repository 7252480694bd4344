"""Attempts that run in the test's process, for tests that only need records. Starting a worker takes a second."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from planspec.parallel import PerWorker, map_parallel
from planspec.runs import running


@contextmanager
def attempts_in_process() -> Iterator[None]:
    """Run attempts in this process instead of in workers, as a context manager.

    Use it only for shipped agents, which do not harm the process.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "map_parallel", _map_in_process)
        yield


def _map_in_process(
    do: PerWorker[Any, Any], work: Iterable[Any], _jobs: object, *, failed: Any, **_: object
) -> Iterator[Any]:
    """Yield the results that workers would send. Each is converted to JSON and back, as between processes."""
    for result in map_parallel(do, work, 1, failed=failed):
        yield json.loads(json.dumps(result)) if isinstance(result, dict) else result
