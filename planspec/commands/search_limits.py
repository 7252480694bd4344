"""Options of a search: the back end and the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from planspec.api.search import BACKENDS
from planspec.commands.completion import complete_backends
from planspec.commands.console import reject_nan

if TYPE_CHECKING:
    from planspec.api.search import Limits

SECONDS = 60.0
"""Default time limit of a search, in seconds."""


def timeout_option(what: str, seconds: float = SECONDS) -> Any:
    """Return the option `--timeout`.

    Args:
        what: the limited work, for the help text, such as `each task`.
        seconds: default limit, used if neither time nor effort is given.
    """
    return typer.Option(
        "--timeout",
        help=f"Time limit of {what}, in seconds; {seconds:g} unless --effort is given.",
        metavar="SECONDS",
        min=0.001,
        callback=reject_nan,
    )


EffortLimit: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--effort",
        help="Limit of deterministic work in units of about a second; the result does not depend on the machine's load.",
        metavar="UNITS",
        min=1e-6,
        callback=reject_nan,
    ),
]
BackendOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--backend",
        help=f"{', '.join(BACKENDS[:-1])} or {BACKENDS[-1]}.",
        autocompletion=complete_backends,
    ),
]
Workers: TypeAlias = Annotated[
    int,
    typer.Option(
        "--workers",
        help="Threads of CP-SAT. With several, the plan may differ between searches, but not its quality.",
        min=1,
        max=64,
    ),
]
SecondBackend: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--second",
        help="Let a second back end confirm the result in the remaining time.",
    ),
]


def search_limits(timeout: float | None, effort: float | None, seconds: float = SECONDS, workers: int = 1) -> Limits:
    """Return the limits of a search. If only effort is given, there is no time limit.

    Args:
        timeout: requested time in seconds, or None.
        effort: requested effort in units, or None.
        seconds: time limit if both are None.
        workers: number of threads of CP-SAT.
    """
    from planspec.api.search import Limits

    if timeout is None and effort is None:
        timeout = seconds
    return Limits(seconds=timeout, effort=effort, workers=workers)
