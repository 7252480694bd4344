"""Cost of a run: tokens, money, tool calls, requests to models, and seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import TypeAlias

from planspec.runs import Attempt
from planspec.scores.attempts import spent_calls
from planspec.scores.record import Cost, Spending

Taken: TypeAlias = float | None
DIGITS = 9
"""Decimals of a total."""


def cost(attempts: Sequence[Attempt], expected: int) -> Cost:
    """Return the cost of a run; values that were not counted are unknown, not zero.

    Args:
        attempts: recorded attempts.
        expected: number of attempts of the complete run.
    """
    measures: Mapping[str, Callable[[Attempt], Taken]] = {
        "tokens_in": lambda attempt: _sum_tokens([part.input for part in attempt.trace.tokens]),
        "tokens_cached": lambda attempt: _sum_tokens([part.cached for part in attempt.trace.tokens]),
        "usd": lambda attempt: attempt.usd,
        "tokens_out": lambda attempt: _sum_tokens([part.output for part in attempt.trace.tokens]),
        "tool_calls": spent_calls,
        "steps": steps,
        "seconds": lambda attempt: attempt.seconds,
    }
    return Cost(**{name: _spending(attempts, measure, expected) for name, measure in measures.items()})


def _sum_tokens(parts: Sequence[int | None]) -> int | None:
    """Return the tokens of all parts of an agent; None if those of one part are unknown."""
    present = [part for part in parts if part is not None]
    return sum(present) if parts and len(present) == len(parts) else None


def steps(attempt: Attempt) -> int | None:
    """Return the reported number of requests to models, or else that of assistant messages, or None."""
    declared = attempt.trace.extra.get("steps")
    if isinstance(declared, int) and not isinstance(declared, bool):
        return declared
    if attempt.lost or not attempt.trace.messages:
        return None
    return sum(message.role == "assistant" for message in attempt.trace.messages)


def _spending(attempts: Sequence[Attempt], measure: Callable[[Attempt], Taken], expected: int) -> Spending:
    measured = [(attempt.status == "pass", measure(attempt)) for attempt in attempts]
    taken = [(passed, float(value)) for passed, value in measured if value is not None]
    values = [value for _, value in taken]
    passes = sum(passed for passed, _ in taken)
    total = round(sum(values), DIGITS) if values else None
    return Spending(
        known=len(values), unknown=expected - len(values), mean=fmean(values) if values else None,
        median=median(values) if values else None, total=total,
        per_pass=total / passes if total is not None and passes else None,
    )  # fmt: skip
