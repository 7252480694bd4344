"""Prices of models, and the costs of traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import PlanspecError
from planspec.runs.record import ModelPrice
from planspec.traces.json_text import load
from planspec.traces.record import Generation, Tokens, Trace

PER = 1_000_000
"""Number of tokens to which a price applies."""
_PRICES: TypeAdapter[dict[str, ModelPrice]] = TypeAdapter(dict[str, ModelPrice])


class InvalidPricesError(PlanspecError, ValueError):
    """The file is not a table of prices."""


def read_prices(path: Path) -> dict[str, ModelPrice]:
    """Read the prices of models from a JSON object, such as `{"m": {"input": 1.25, "output": 10}}`.

    Raises:
        InvalidPricesError: the file is not such an object.
        OSError: the file cannot be read.
    """
    try:
        return _PRICES.validate_python(load(read_text(path, RECORDS_BYTES), twice=False))
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidPricesError(f"`{path}`: {'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}") from None
    except ValueError as error:
        raise InvalidPricesError(f"`{path}`: {error}") from None


def usd(trace: Trace, prices: Mapping[str, ModelPrice]) -> float | None:
    """Return the cost of an attempt in USD; None if a price or a number of tokens is unknown."""
    if not trace.generations or _token_sums(trace.tokens) != _token_sums(trace.generations):
        return None
    parts = [usd_of(each, prices) for each in trace.generations]
    present = [part for part in parts if part is not None]
    return round(sum(present), 9) if len(present) == len(parts) else None


def _token_sums(parts: Sequence[Generation] | Sequence[Tokens]) -> tuple[int, int]:
    """Return the sum of input tokens and the sum of output tokens. Unknown numbers count as 0."""
    return sum(part.input or 0 for part in parts), sum(part.output or 0 for part in parts)


def usd_of(generation: Generation, prices: Mapping[str, ModelPrice]) -> float | None:
    """Return the cost of one request in USD; None if a price or a number of tokens is unknown.

    If cached tokens are not reported, they count as 0.
    """
    if generation.hit:
        return 0.0
    names = [name for name in (generation.model, generation.served) if name is not None]
    price = next((prices[name] for name in names if name in prices), None)
    if price is None or generation.input is None or generation.output is None:
        return None
    cached = min(generation.cached or 0, generation.input)
    cached_price = price.input if price.cached_input is None else price.cached_input
    return ((generation.input - cached) * price.input + cached * cached_price + generation.output * price.output) / PER
