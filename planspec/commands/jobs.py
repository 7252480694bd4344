"""The options `--jobs` and `--ray`, and the printing of messages from worker processes."""

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

from planspec.commands.console import CommandLineError, Exit
from planspec.commands.messages import Message, MessageBuffer, print_message
from planspec.commands.terminal import FORCE_COLOR_VARIABLES, NO_COLOR, is_colored

if TYPE_CHECKING:
    from planspec.parallel import Jobs

Work = TypeVar("Work")
Result = TypeVar("Result")
CLUSTER_ADDRESS = re.compile(r"auto|[^\s=/]+:\d+")
"""Value that may follow `--ray`: the address of a cluster's head node, or `auto`."""
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


def resolve_jobs(jobs: int, ray: str | None) -> Jobs:
    """Return the number of processes or the Ray cluster for a command's work.

    Raises:
        CommandLineError: both options were used.
    """
    from planspec.parallel import RayCluster

    if ray is None:
        return jobs
    if jobs > 1:
        raise CommandLineError("--jobs counts processes of this machine, and --ray uses a cluster: choose one of them")
    return RayCluster(ray)


def add_ray_address(args: Sequence[str]) -> list[str]:
    """Return the arguments with the value `auto` added to each `--ray` without an address."""
    completed: list[str] = []
    for index, arg in enumerate(args):
        if arg == "--":
            return [*completed, *args[index:]]
        bare = arg == RAY and not (index + 1 < len(args) and CLUSTER_ADDRESS.fullmatch(args[index + 1]))
        completed.append(f"{RAY}=auto" if bare else arg)
    return completed


@dataclass(frozen=True, slots=True)
class _RecordedResult(Generic[Result]):
    """A result, and the messages printed on standard error during its computation."""

    result: Result
    messages: Sequence[Message]


@dataclass(frozen=True, slots=True)
class _RecordingFactory:
    """Factory of functions that record their messages instead of printing them, and return them with their results.

    Attributes:
        make: factory of the functions that print messages.
        colored: whether the recorded messages have colours.
    """

    make: Callable[[], Callable[[Any], Any]]
    colored: bool

    def __call__(self) -> Callable[[Any], _RecordedResult[Any]]:
        return partial(_run_recorded, self.make(), self.colored)


def _run_recorded(function: Callable[[Any], Any], in_color: bool, item: Any) -> _RecordedResult[Any]:
    buffer = MessageBuffer()
    with redirect_stderr(buffer), _forced_color(in_color):
        result = function(item)
    return _RecordedResult(result, buffer.messages)


@contextmanager
def _forced_color(enabled: bool) -> Iterator[None]:
    """Force colours on or off within a `with` block, whatever the environment says."""
    before = {name: os.environ.pop(name, None) for name in (NO_COLOR, *FORCE_COLOR_VARIABLES)}
    os.environ[FORCE_COLOR_VARIABLES[0] if enabled else NO_COLOR] = "1"
    try:
        yield
    finally:
        os.environ.pop(FORCE_COLOR_VARIABLES[0] if enabled else NO_COLOR)
        os.environ.update({name: value for name, value in before.items() if value is not None})


def map_with_messages(
    make: Callable[[], Callable[[Work], Result]],
    items: Collection[Work],
    jobs: Jobs,
    on_lost: Callable[[Work, Exit], Result],
) -> Iterator[Result]:
    """Run a function on each item, such as a task, and yield the results in order.

    Messages about an item are printed before its result is yielded.

    Args:
        make: returns the function (see `planspec.parallel.PerWorker`), which prints errors instead of raising them.
        items: the items. They are sent to workers one by one, because each takes long.
        jobs: number of processes, or a Ray cluster.
        on_lost: returns the result for an item whose worker processes died, given the item and the exit status. A
            message is printed first.
    """
    from planspec.errors import LostWorkerError
    from planspec.parallel import PerWorker, map_parallel

    if jobs == 1 or len(items) < 2:
        yield from map(make(), items)
        return

    def lost_result(item: Work, error: Exception) -> _RecordedResult[Result]:
        if not isinstance(error, LostWorkerError):
            raise error
        return _RecordedResult(on_lost(item, Exit(error.exit_code)), [f"{item}: unknown, {error}\n"])

    recording_factory = _RecordingFactory(make, is_colored(sys.stderr))
    for recorded in map_parallel(PerWorker(recording_factory), items, jobs, failed=lost_result):
        for message in recorded.messages:
            print_message(message)
        yield recorded.result
