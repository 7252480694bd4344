"""Cost of a run: tokens, money, tool calls, requests to models, and seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import TypeAlias

from planspec.runs import Attempt
from planspec.scores.attempts import tool_call_count
from planspec.scores.record import Cost, Spending

MeasuredValue: TypeAlias = float | None
DIGITS = 9
"""Number of decimals to which totals are rounded."""


def cost_of_run(attempts: Sequence[Attempt], expected: int) -> Cost:
    """Return the cost of a run. Values that were not recorded are unknown, not zero.

    Args:
        attempts: recorded attempts.
        expected: number of attempts of the complete run.
    """
    measures: Mapping[str, Callable[[Attempt], MeasuredValue]] = {
        "tokens_in": lambda attempt: _sum_tokens([part.input for part in attempt.trace.tokens]),
        "tokens_cached": lambda attempt: _sum_tokens([part.cached for part in attempt.trace.tokens]),
        "usd": lambda attempt: attempt.usd,
        "tokens_out": lambda attempt: _sum_tokens([part.output for part in attempt.trace.tokens]),
        "tool_calls": tool_call_count,
        "steps": request_count,
        "seconds": lambda attempt: attempt.seconds,
    }
    return Cost(**{name: _spending(attempts, measure, expected) for name, measure in measures.items()})


def _sum_tokens(parts: Sequence[int | None]) -> int | None:
    """Return the total tokens over an agent's parts; None if there are no parts or a number is unknown."""
    present = [part for part in parts if part is not None]
    return sum(present) if parts and len(present) == len(parts) else None


def request_count(attempt: Attempt) -> int | None:
    """Return the number of requests to models: as reported or, without a report, the number of assistant messages.

    Return None if both are unknown.
    """
    declared = attempt.trace.extra.get("steps")
    if isinstance(declared, int) and not isinstance(declared, bool):
        return declared
    if attempt.lost or not attempt.trace.messages:
        return None
    return sum(message.role == "assistant" for message in attempt.trace.messages)


def _spending(attempts: Sequence[Attempt], measure: Callable[[Attempt], MeasuredValue], expected: int) -> Spending:
    measured = [(attempt.status == "pass", measure(attempt)) for attempt in attempts]
    taken = [(passed, float(value)) for passed, value in measured if value is not None]
    values = [value for _, value in taken]
    passes = sum(passed for passed, _ in taken)
    total = round(sum(values), DIGITS) if values else None
    return Spending(
        known=len(values),
        unknown=expected - len(values),
        mean=fmean(values) if values else None,
        median=median(values) if values else None,
        total=total,
        per_pass=total / passes if total is not None and passes else None,
    )
