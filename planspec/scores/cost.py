"""The cost of a run: tokens, money, tool calls, requests to models and seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean, median
from typing import TypeAlias

from planspec.runs import Attempt
from planspec.scores.attempts import spent_calls
from planspec.scores.record import Cost, Spending

Taken: TypeAlias = float | None
DIGITS = 9
"""After the point, of a total."""


def cost(attempts: Sequence[Attempt], wanted: int) -> Cost:
    """The cost of a run; what nobody counted is unknown, not zero.

    Args:
        attempts: those with a record.
        wanted: how many the run is to make.
    """
    measures: Mapping[str, Callable[[Attempt], Taken]] = {
        "tokens_in": lambda attempt: _tokens([part.input for part in attempt.trace.tokens]),
        "tokens_cached": lambda attempt: _tokens([part.cached for part in attempt.trace.tokens]),
        "usd": lambda attempt: attempt.usd,
        "tokens_out": lambda attempt: _tokens([part.output for part in attempt.trace.tokens]),
        "tool_calls": spent_calls,
        "steps": steps,
        "seconds": lambda attempt: attempt.seconds,
    }
    return Cost(**{name: _spending(attempts, measure, wanted) for name, measure in measures.items()})


def _tokens(parts: Sequence[int | None]) -> int | None:
    """The tokens of all parts of an agent; unknown if one part is not counted."""
    known = [part for part in parts if part is not None]
    return sum(known) if parts and len(known) == len(parts) else None


def steps(attempt: Attempt) -> int | None:
    """Requests to a model: as the trace says, else what a model said; None of an attempt without a conversation."""
    said = attempt.trace.extra.get("steps")
    if isinstance(said, int) and not isinstance(said, bool):
        return said
    if attempt.lost or not attempt.trace.messages:
        return None
    return sum(message.role == "assistant" for message in attempt.trace.messages)


def _spending(attempts: Sequence[Attempt], measure: Callable[[Attempt], Taken], wanted: int) -> Spending:
    found = [(attempt.status == "pass", measure(attempt)) for attempt in attempts]
    taken = [(passed, float(value)) for passed, value in found if value is not None]
    values = [value for _, value in taken]
    passes = sum(passed for passed, _ in taken)
    total = round(sum(values), DIGITS) if values else None
    return Spending(
        known=len(values), unknown=wanted - len(values), mean=fmean(values) if values else None,
        median=median(values) if values else None, total=total,
        per_pass=total / passes if total is not None and passes else None,
    )  # fmt: skip
