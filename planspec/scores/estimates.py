"""Estimates: metrics over many attempts or answers, with confidence intervals."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from planspec.scores.intervals import Column, Interval, wilson
from planspec.verifiers.metrics.metric import Better, Kind


class ScoreModel(BaseModel):
    """Base class for parts of score documents. Unknown fields are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Estimate(ScoreModel):
    """The value of a metric for a run, with its confidence interval."""

    value: float | None = Field(description="value over all attempts; null if none contributes")
    n: int = Field(description="number of contributing attempts")
    low: float | None = Field(
        default=None,
        description="lower bound of the 95 per cent interval; null if there is none, as for one task or equal tasks",
    )
    high: float | None = None
    method: Literal["wilson", "bootstrap"] | None = None
    better: Better | None = Field(default=None, description="direction of improvement; null if neither is better")
    repeats: tuple[float | None, ...] = Field(
        default=(), description="value of each repeat; empty for a run with one repeat"
    )
    mean: float | None = Field(default=None, description="mean of the repeats with a value")
    deviation: float | None = Field(
        default=None,
        description="sample standard deviation of the repeats (divisor n - 1); null for fewer than two",
    )


def add_interval(
    estimate: Estimate, column: Column, bootstrap: Interval | None, *, kind: Kind, repeats: int
) -> Estimate:
    """Return an estimate with its interval: Wilson's for a rate of single attempts, otherwise the bootstrap interval.

    The bootstrap is degenerate if all tasks contribute the same number. A share that is 0 or 1 for all tasks then gets
    Wilson's interval for the rate of tasks with share 1. Other numbers get no interval.

    Args:
        estimate: estimate without an interval.
        column: contribution of each task.
        bootstrap: bootstrap interval; None if there is none.
        kind: kind of the number: rate, share or quantity.
        repeats: number of attempts at each task; several attempts at one task are correlated.
    """
    shares = [part / weight for part, weight in column if weight]
    alike = len(set(shares)) == 1
    bounds, method = (None if alike else bootstrap), "bootstrap"
    if set(shares) <= {0, 1} and ((kind == "rate" and repeats == 1) or (kind != "quantity" and alike)):
        bounds, method = wilson(int(sum(shares)), len(shares)), "wilson"
    if bounds is None:
        return estimate
    return estimate.model_copy(update={"low": bounds[0], "high": bounds[1], "method": method})
