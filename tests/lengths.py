"""Parameters of tests: `make test` tries a few of them, and `make thorough` all."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import pytest


def try_few(values: Iterable[Any], chosen: Container[Any] | Callable[[Any], bool]) -> list[Any]:
    """Return values as parameters of a test. Values that are not chosen are marked `thorough`."""
    is_chosen = chosen if callable(chosen) else chosen.__contains__
    return [value if is_chosen(value) else pytest.param(value, marks=pytest.mark.thorough) for value in values]


def try_one_in(step: int, values: Iterable[Any]) -> list[Any]:
    """Return values as parameters of a test, all marked `thorough` except the first and every `step`-th after it."""
    return [pytest.param(v, marks=pytest.mark.thorough) if n % step else v for n, v in enumerate(values)]
