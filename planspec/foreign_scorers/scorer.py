"""The interface of scorers, which take a task with an answer as JSON and return a Boolean or a number."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Protocol, TypeAlias

from planspec.dsl.model.task import Task
from planspec.dsl.model.value_text import json_value
from planspec.errors import PlanspecError
from planspec.verifiers.answers.format import plain_json

Score: TypeAlias = bool | int | float
"""A scorer's result: a Boolean, or a number that is compared with a threshold."""
TIMEOUT_S = 30.0
"""Default time limit for one answer, in seconds."""
MOST_RESULT = 1 << 20
"""Maximum size of a result, in bytes."""
_EXCERPT = 80


class UnknownScorerError(PlanspecError, LookupError):
    """There is no scorer with the address, or it cannot be loaded."""


class ScorerFailedError(PlanspecError):
    """The scorer crashed, ran out of time, or returned something that is not a score."""


class Scorer(Protocol):
    """A scorer.

    Attributes:
        name: address of the scorer.
    """

    name: str

    def score(self, request: Mapping[str, Any]) -> Score:
        """Return the score of one answer.

        Args:
            request: the result of `task_request`, with the answer under the key `answer`.

        Raises:
            ScorerFailedError: there is no score.
        """

    def close(self) -> None:
        """End the scorer's processes."""


def task_request(task: Task, reference: Any) -> dict[str, Any]:
    """Return the description of a task for requests to scorers, as JSON data.

    The keys are `task` (the id), `query`, `reference` and `givens`.

    Args:
        task: the task.
        reference: the author's answer as JSON; None without one.
    """
    givens = {
        name: json_value(task.givens[name], declared.type, task.currency)
        for name, declared in task.given_declarations.items()
    }
    return {
        "task": task.id,
        "query": task.query,
        "reference": reference,
        "givens": plain_json(givens),
    }


def request_line(request: Mapping[str, Any]) -> bytes:
    """Return a request as one line of JSON in ASCII."""
    return json.dumps(request, ensure_ascii=True, separators=(",", ":"), default=str).encode("ascii") + b"\n"


def parse_score(text: bytes) -> Score:
    """Parse a score from JSON text.

    Raises:
        ScorerFailedError: there is no score.
    """
    try:
        value = json.loads(text.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ScorerFailedError(f"the result is not JSON: {excerpt(text)}") from None
    return read_score(value)


def read_score(value: Any) -> Score:
    """Return the score in a result, which is a Boolean, a number, or an object with `pass` or `score`.

    Raises:
        ScorerFailedError: the result has another form.
    """
    match value:
        case bool() | int():
            return value
        case float() if not math.isnan(value):
            return value
        case {"pass": bool() as passes}:
            return passes
        case {"score": inner} if not isinstance(inner, Mapping):
            return read_score(inner)
        case {"pass": other}:
            shown = excerpt(json.dumps(other, default=str).encode())
            raise ScorerFailedError(f"the result is no score: its `pass` is {shown}, and must be true or false")
    raise ScorerFailedError(
        f"the result is no score: {excerpt(json.dumps(value, default=str).encode())}; "
        'it must be true, false, a number, or an object with "pass" or "score"'
    )


def is_accepted(score: Score, threshold: float) -> bool:
    """Return whether a score accepts the answer: it is True, or a number of at least the threshold."""
    return score if isinstance(score, bool) else score >= threshold


def excerpt(text: bytes) -> str:
    """Return the beginning of a text, for a message."""
    shown = text.decode("utf-8", "backslashreplace").strip()
    return f"`{shown[:_EXCERPT]}`" + (" ..." if len(shown) > _EXCERPT else "")
