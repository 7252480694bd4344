"""What models cost: tables of prices, and the cost of what a trace has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from planspec.dsl.resources.limits import RECORDS_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.errors import PlanspecError
from planspec.runs.record import Price
from planspec.traces.json_text import load
from planspec.traces.record import Generation, Tokens, Trace

PER = 1_000_000
"""Tokens for which a price is told."""
_PRICES: TypeAdapter[dict[str, Price]] = TypeAdapter(dict[str, Price])


class InvalidPricesError(PlanspecError, ValueError):
    """A file that is no table of prices."""


def read_prices(path: Path) -> dict[str, Price]:
    """The prices of models by their names: a JSON object such as `{"m": {"input": 1.25, "cached_input": 0.125, "output": 10}}`.

    Raises:
        InvalidPricesError: the file is no such object.
        OSError: the file cannot be read.
    """
    try:
        return _PRICES.validate_python(load(read_text(path, RECORDS_BYTES), twice=False))
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidPricesError(
            f"`{path}`: {'.'.join(map(str, first['loc'])) or 'it'}: {first['msg']}"
        ) from None
    except ValueError as error:
        raise InvalidPricesError(f"`{path}`: {error}") from None


def usd(trace: Trace, prices: Mapping[str, Price]) -> float | None:
    """The cost of an attempt in USD; None where a model has no price, or its tokens were not counted, or more than its."""
    if not trace.generations or _counted(trace.tokens) != _counted(trace.generations):
        return None
    parts = [usd_of(one, prices) for one in trace.generations]
    known = [part for part in parts if part is not None]
    return round(sum(known), 9) if len(known) == len(parts) else None


def _counted(parts: Sequence[Generation] | Sequence[Tokens]) -> tuple[int, int]:
    """The tokens that went in and came out, as far as they are known."""
    return sum(part.input or 0 for part in parts), sum(part.output or 0 for part in parts)


def usd_of(one: Generation, prices: Mapping[str, Price]) -> float | None:
    """The cost of one request; a service that does not say what it had from before is taken to have had nothing."""
    if one.hit:
        return 0.0
    names = [name for name in (one.model, one.served) if name is not None]
    price = next((prices[name] for name in names if name in prices), None)
    if price is None or one.input is None or one.output is None:
        return None
    cached = min(one.cached or 0, one.input)
    again = price.input if price.cached_input is None else price.cached_input
    return ((one.input - cached) * price.input + cached * again + one.output * price.output) / PER
