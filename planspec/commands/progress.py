"""Progress displays for long work, and the best result so far after Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any, TypeVar

from planspec.commands.console import CommandInterrupt, note
from planspec.dsl.resources.deadline import stoppable
from planspec.suite_writing.options import OnProgress, ignore_progress

T = TypeVar("T")


@contextmanager
def waiting(what: str) -> Iterator[Callable[[str], None]]:
    """Show a line on a terminal's standard error after one second; call the result to add text."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns: tuple[Any, ...] = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    progress = Progress(*columns, console=Console(stderr=True), transient=True)
    task = progress.add_task(what, total=None)
    timer = Timer(1.0, progress.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda text: progress.update(task, description=f"{what}: {text}")
    finally:
        timer.cancel()
        timer.join()
        progress.stop()


@contextmanager
def progress_bar(what: str) -> Iterator[OnProgress]:
    """Show a progress bar on a terminal's standard error."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def show(text: str, share: float | None = None, /) -> None:
            if share is not None:
                bar.update(task, total=1.0, completed=share)
            bar.update(task, description=text)

        yield show


@contextmanager
def best_known(show: Callable[[T], None]) -> Iterator[Callable[[T], None]]:
    """Call `show` with the last value handed over if Ctrl-C ends the block."""
    best: list[T] = []

    def keep(value: T) -> None:
        best[:] = [value]

    try:
        yield keep
    except CommandInterrupt:
        if best:
            show(best[0])
        raise


@contextmanager
def ending_early() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end the block's searches early with their results so far; a second Ctrl-C ends the command.

    Yields:
        Returns whether Ctrl-C was pressed.
    """
    pressed = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: pressed
        return
    with stoppable() as stop:

        def press(*_: object) -> None:
            nonlocal pressed
            if pressed or not stop():
                raise CommandInterrupt
            pressed = True
            note("interrupted: these are the results so far")

        before = signal.signal(signal.SIGINT, press)
        try:
            yield lambda: pressed
        finally:
            signal.signal(signal.SIGINT, before)
