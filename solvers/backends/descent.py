"""Minimisation by repeated queries for an assignment with a smaller value."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from planspec.errors import LimitReachedError
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import Linear


def descend(
    minimize: Linear,
    values: Mapping[int, int],
    better: Callable[[int], Mapping[int, int] | bool | None],
    on_progress: Callable[[int | None, int], None] | None = None,
) -> tuple[Mapping[int, int], int, int]:
    """Minimise an expression by queries. Return the best assignment found, its value, and a proved lower bound.

    Each query requires a smaller value than the best one so far. The required decrease doubles after each success.
    After a failure, the query requires the middle between the bound and the best value.

    Args:
        minimize: linear expression to minimise.
        values: an assignment to begin with: value of each decision variable by its id.
        better: function that takes a number and returns an assignment for which `minimize` is at most this number. It
            returns False if there is no such assignment, and None if that was not decided in time.
        on_progress: function that is called with the best value and the lower bound before each query.
    """
    best, low, step = evaluate(minimize, values), minimize.low, 1
    while low < best:
        if on_progress is not None:
            on_progress(best, low)
        target = max(low, best - step)
        try:
            answer = better(target)
        except LimitReachedError:
            break
        if answer is None:
            break
        if isinstance(answer, Mapping):
            values = answer
            best = evaluate(minimize, values)
            step *= 2
        else:
            low = target + 1
            step = max(1, (best - low) // 2)
    return values, best, low
