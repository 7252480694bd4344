"""Parameters of tests, of which `make test` tries only a few and `make thorough` also the others."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import pytest


def try_few(values: Iterable[Any], chosen: Container[Any] | Callable[[Any], bool]) -> list[Any]:
    """Return the values as parameters of a test. All values but the chosen ones are marked `thorough`."""
    is_chosen = chosen if callable(chosen) else chosen.__contains__
    return [value if is_chosen(value) else pytest.param(value, marks=pytest.mark.thorough) for value in values]


def try_one_in(step: int, values: Iterable[Any]) -> list[Any]:
    """Return the values as parameters of a test. All but every `step`-th one, beginning with the first, are marked
    `thorough`.
    """
    return [pytest.param(v, marks=pytest.mark.thorough) if n % step else v for n, v in enumerate(values)]
