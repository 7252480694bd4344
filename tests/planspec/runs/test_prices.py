"""Costs of requests to models are computed from prices, or unknown."""

from __future__ import annotations

from typing import Any

import pytest

from planspec.runs.prices import usd
from planspec.runs.record import ModelPrice
from planspec.traces import Generation, Tokens, Trace

PRICES = {"m": ModelPrice(input=2, cached_input=0.5, output=10), "plain": ModelPrice(input=2, output=10)}


def make_trace(*generation: Generation, **more: Any) -> Trace:
    """Return a trace with these replies of models."""
    tokens = [Tokens(input=one.input, cached=one.cached, output=one.output) for one in generation]
    return Trace(**({"task": "a", "generations": generation, "tokens": tuple(tokens)} | more))


@pytest.mark.parametrize(
    ("generation", "cost"),
    [
        (Generation(model="m", input=1000, output=100), 0.003),
        (Generation(model="m", input=1000, cached=400, output=100), 0.0024),
        (Generation(model="plain", input=1000, cached=400, output=100), 0.003),
        (Generation(model="alias", served="m", input=1000, output=100), 0.003),
        (Generation(model="m", input=1000, output=100, hit=True), 0.0),
        (Generation(model="other", input=1000, output=100, hit=True), 0.0),
        (Generation(model="other", input=1000, output=100), None),
        (Generation(input=1000, output=100), None),
        (Generation(model="m", input=None, output=100), None),
        (Generation(model="m", input=1000, output=None), None),
    ],
)
def test_a_request_costs_the_price_of_its_model(generation: Generation, cost: float | None) -> None:
    assert usd(make_trace(generation), PRICES) == cost


def test_one_request_of_unknown_cost_makes_the_total_unknown() -> None:
    counted = Generation(model="m", input=1000, output=100)
    assert usd(make_trace(counted, counted), PRICES) == 0.006
    assert usd(make_trace(counted, Generation(model="other", input=1, output=1)), PRICES) is None


def test_tokens_of_an_unknown_model_have_an_unknown_cost() -> None:
    counted = Generation(model="m", input=1000, output=100)
    more = (Tokens(input=1000, output=100), Tokens(stage="mine", input=5, output=5))
    assert usd(make_trace(counted, tokens=more), PRICES) is None
    assert usd(Trace(task="a", tokens=more), PRICES) is None
    assert usd(Trace(task="a"), PRICES) is None
