"""Parameters of which `make test` tries a few, and `make thorough` the others."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import pytest


def few(values: Iterable[Any], chosen: Container[Any] | Callable[[Any], bool]) -> list[Any]:
    """The parameters of one argument: all but those that are kept are marked `thorough`."""
    tried = chosen if callable(chosen) else chosen.__contains__
    return [value if tried(value) else pytest.param(value, marks=pytest.mark.thorough) for value in values]


def one_in(step: int, values: Iterable[Any]) -> list[Any]:
    """The parameters of one argument: all but the first and each `step`th after it are marked `thorough`."""
    return [pytest.param(v, marks=pytest.mark.thorough) if n % step else v for n, v in enumerate(values)]
