"""Attempts in this process: for tests whose subject is what is made of them, since each worker's start costs a second."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from planspec.parallel import PerWorker, map_parallel
from planspec.runs import running


@contextmanager
def attempts_here() -> Iterator[None]:
    """Within it a run has no workers. For agents that come with planspec, which do nothing to the process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "map_parallel", _here)
        yield


def _here(
    do: PerWorker[Any, Any], work: Iterable[Any], _jobs: object, *, failed: Any, **_: object
) -> Iterator[Any]:
    """Return the records that workers would send, as JSON."""
    for made in map_parallel(do, work, 1, failed=failed):
        yield json.loads(json.dumps(made)) if isinstance(made, dict) else made
