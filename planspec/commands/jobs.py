"""`--jobs` and `--ray`: where a command's work is done, and what is said while it is done elsewhere."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import typer

from planspec.commands.console import CallError, Exit
from planspec.commands.terminal import FORCED, NO_COLOR, colored
from planspec.commands.utterances import Utterance, Utterances, say

if TYPE_CHECKING:
    from planspec.parallel import Jobs

Work = TypeVar("Work")
Result = TypeVar("Result")
ADDRESS = re.compile(r"auto|[^\s=/]+:\d+")
"""What may stand behind `--ray`: the address of a cluster's head."""
RAY = "--ray"
NumberOfJobs = Annotated[int, typer.Option(help="Number of processes.", min=1)]
RayAddress = Annotated[
    str | None,
    typer.Option(
        RAY,
        help="Work on a Ray cluster: its address, HOST:PORT; without one the cluster that runs here, else one begun for this.",
        metavar="[ADDRESS]",
    ),
]


def place_of_work(jobs: int, ray: str | None) -> Jobs:
    """Where the work of a call is done.

    Raises:
        CallError: it asks for both places.
    """
    from planspec.parallel import RayCluster

    if ray is None:
        return jobs
    if jobs > 1:
        raise CallError(
            "--jobs counts processes of this machine, and --ray uses a cluster: take one of the two"
        )
    return RayCluster(ray)


def with_address(args: Sequence[str]) -> list[str]:
    """The arguments of a call with an address behind each bare `--ray`."""
    made: list[str] = []
    for place, arg in enumerate(args):
        if arg == "--":
            return [*made, *args[place:]]
        bare = arg == RAY and not (place + 1 < len(args) and ADDRESS.fullmatch(args[place + 1]))
        made.append(f"{RAY}=auto" if bare else arg)
    return made


@dataclass(frozen=True, slots=True)
class _Heard(Generic[Result]):
    """A result with what was said on standard error on the way."""

    result: Result
    said: Sequence[Utterance]


@dataclass(frozen=True, slots=True)
class _Listening:
    """Does work elsewhere and keeps what it says, so that it is said in the order of the work."""

    make: Callable[[], Callable[[Any], Any]]
    colored: bool

    def __call__(self) -> Callable[[Any], _Heard[Any]]:
        return partial(_heard, self.make(), self.colored)


def _heard(do: Callable[[Any], Any], in_color: bool, piece: Any) -> _Heard[Any]:
    heard = Utterances()
    with redirect_stderr(heard), _color(in_color):
        result = do(piece)
    return _Heard(result, heard.said)


@contextmanager
def _color(wanted: bool) -> Iterator[None]:
    """Colours on a stream that is no terminal, as the one has them on which its text will stand; or none."""
    before = {name: os.environ.pop(name, None) for name in (NO_COLOR, *FORCED)}
    os.environ[FORCED[0] if wanted else NO_COLOR] = "1"
    try:
        yield
    finally:
        os.environ.pop(FORCED[0] if wanted else NO_COLOR)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def each(
    make: Callable[[], Callable[[Work], Result]],
    pieces: Collection[Work],
    jobs: Jobs,
    lost: Callable[[Work, Exit], Result],
) -> Iterator[Result]:
    """The results for tasks or other long pieces of work, in their order, with what is said of each before it.

    Args:
        make: see `planspec.parallel.map_workers`; what it returns tells of errors itself, and raises none.
        pieces: of work, each sent alone.
        jobs: where they are done.
        lost: the result of a piece that ended the processes that were at it, which is told here.
    """
    from planspec.errors import LostWorkerError
    from planspec.parallel import map_workers

    if jobs == 1 or len(pieces) < 2:
        yield from map(make(), pieces)
        return

    def failed(piece: Work, error: Exception) -> _Heard[Result]:
        if not isinstance(error, LostWorkerError):
            raise error
        return _Heard(lost(piece, Exit(error.exit_code)), [f"{piece}: unknown, {error}\n"])

    listening = _Listening(make, colored(sys.stderr))
    for heard in map_workers(listening, pieces, jobs, failed=failed):
        for utterance in heard.said:
            say(utterance)
        yield heard.result
