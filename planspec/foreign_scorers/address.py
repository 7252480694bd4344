"""Addresses of scorers, such as `python:checks.py:score` or `command:./score.sh`."""

from __future__ import annotations

import shlex

from planspec.foreign_scorers.loopback import HttpScorer
from planspec.foreign_scorers.programs import CommandScorer, PythonScorer
from planspec.foreign_scorers.scorer import TIMEOUT_S, Scorer, UnknownScorerError

FORMS = (
    "python:MODULE:FUNCTION, python:FILE.py:FUNCTION, inspect:MODULE:SCORER, command:PROGRAM ARGUMENT..., "
    "or http://127.0.0.1:PORT/PATH"
)


def open_scorer(address: str, *, timeout_s: float = TIMEOUT_S) -> Scorer:
    """Open a scorer.

    Args:
        address: `python:MODULE:FUNCTION` or `python:FILE.py:FUNCTION`, which is called as
            `function(task, answer)`; `inspect:MODULE:SCORER` or `inspect:FILE.py:SCORER`;
            `command:PROGRAM ARGUMENT...`, split as a shell splits it; or `http://127.0.0.1:PORT/PATH`.
        timeout_s: time limit for one answer, in seconds.

    Raises:
        UnknownScorerError: the address has none of these forms, or there is no such scorer.
    """
    kind, _, rest = address.partition(":")
    match kind:
        case "python" | "inspect":
            place, colon, attribute = rest.rpartition(":")
            if not (place and colon and attribute.isidentifier()):
                raise UnknownScorerError(f"`{address}` is no scorer: write {kind}:MODULE:NAME or {kind}:FILE.py:NAME")
            return PythonScorer(
                address, "inspect" if kind == "inspect" else "python", place, attribute, timeout_s=timeout_s
            )
        case "command":
            try:
                command = shlex.split(rest)
            except ValueError as error:
                raise UnknownScorerError(f"`{address}` cannot be split into words: {error}") from None
            return CommandScorer(address, command, timeout_s=timeout_s)
        case "http" | "https":
            if kind == "https":
                raise UnknownScorerError("a scorer over HTTP runs on this machine, without encryption: use http://")
            return HttpScorer(address, timeout_s=timeout_s)
    raise UnknownScorerError(f"`{address}` is no scorer: write {FORMS}")
