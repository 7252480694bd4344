"""`--jobs` and `--ray`: where a command's work runs, and how the messages of other processes are shown."""

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
from planspec.commands.messages import Message, MessageBuffer, print_message
from planspec.commands.terminal import FORCED, NO_COLOR, colored

if TYPE_CHECKING:
    from planspec.parallel import Jobs

Work = TypeVar("Work")
Result = TypeVar("Result")
ADDRESS = re.compile(r"auto|[^\s=/]+:\d+")
"""Address that may follow `--ray`: that of a cluster's head."""
RAY = "--ray"
NumberOfJobs = Annotated[int, typer.Option(help="Number of processes.", min=1)]
RayAddress = Annotated[
    str | None,
    typer.Option(
        RAY,
        help="Work on a Ray cluster at HOST:PORT; without an address, on the one that runs on this machine, or on a new one.",
        metavar="[ADDRESS]",
    ),
]


def place_of_work(jobs: int, ray: str | None) -> Jobs:
    """Return where a call's work runs.

    Raises:
        CallError: the call requests both places.
    """
    from planspec.parallel import RayCluster

    if ray is None:
        return jobs
    if jobs > 1:
        raise CallError(
            "--jobs counts processes of this machine, and --ray uses a cluster: choose one of them"
        )
    return RayCluster(ray)


def with_address(args: Sequence[str]) -> list[str]:
    """Return a call's arguments with an address after each bare `--ray`."""
    completed: list[str] = []
    for place, arg in enumerate(args):
        if arg == "--":
            return [*completed, *args[place:]]
        bare = arg == RAY and not (place + 1 < len(args) and ADDRESS.fullmatch(args[place + 1]))
        completed.append(f"{RAY}=auto" if bare else arg)
    return completed


@dataclass(frozen=True, slots=True)
class _RecordedResult(Generic[Result]):
    """A result, and what its work printed on standard error."""

    result: Result
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Runs work in another process and records its messages, to be shown in the order of the work."""

    make: Callable[[], Callable[[Any], Any]]
    colored: bool

    def __call__(self) -> Callable[[Any], _RecordedResult[Any]]:
        return partial(_record, self.make(), self.colored)


def _record(do: Callable[[Any], Any], in_color: bool, piece: Any) -> _RecordedResult[Any]:
    buffer = MessageBuffer()
    with redirect_stderr(buffer), _color(in_color):
        result = do(piece)
    return _RecordedResult(result, buffer.messages)


@contextmanager
def _color(enabled: bool) -> Iterator[None]:
    """Force colours on or off, as on the stream where the recorded text will be shown."""
    before = {name: os.environ.pop(name, None) for name in (NO_COLOR, *FORCED)}
    os.environ[FORCED[0] if enabled else NO_COLOR] = "1"
    try:
        yield
    finally:
        os.environ.pop(FORCED[0] if enabled else NO_COLOR)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def each(
    make: Callable[[], Callable[[Work], Result]],
    pieces: Collection[Work],
    jobs: Jobs,
    lost: Callable[[Work, Exit], Result],
) -> Iterator[Result]:
    """Yield the results for long pieces of work, such as tasks, in order, each after its messages.

    Args:
        make: see `planspec.parallel.map_workers`; the function that it returns reports errors itself and
            raises none.
        pieces: pieces of work, each sent alone.
        jobs: where they run.
        lost: returns the result of a piece that ended its processes; the loss is reported here.
    """
    from planspec.errors import LostWorkerError
    from planspec.parallel import map_workers

    if jobs == 1 or len(pieces) < 2:
        yield from map(make(), pieces)
        return

    def failed(piece: Work, error: Exception) -> _RecordedResult[Result]:
        if not isinstance(error, LostWorkerError):
            raise error
        return _RecordedResult(lost(piece, Exit(error.exit_code)), [f"{piece}: unknown, {error}\n"])

    recorder = _Recorder(make, colored(sys.stderr))
    for recorded in map_workers(recorder, pieces, jobs, failed=failed):
        for message in recorded.messages:
            print_message(message)
        yield recorded.result
