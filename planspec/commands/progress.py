"""Progress displays for long work, and context managers that print the best result so far after Ctrl-C."""

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
def show_spinner(what: str) -> Iterator[Callable[[str], None]]:
    """Show a spinner within a `with` block, on a terminal's standard error, after one second.

    Args:
        what: text beside the spinner.

    Yields:
        A function that sets the text after `what`.
    """
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
    """Show a progress bar within a `with` block, on standard error if it is a terminal.

    Yields:
        A callback that updates the bar.
    """
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def show(text: str, completed: float | None = None, /) -> None:
            if completed is not None:
                bar.update(task, total=1.0, completed=completed)
            bar.update(task, description=text)

        yield show


@contextmanager
def show_best_on_interrupt(show: Callable[[T], None]) -> Iterator[Callable[[T], None]]:
    """Call `show` with the best value so far if Ctrl-C ends a `with` block.

    Yields:
        A function that stores the best value so far.
    """
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
def end_early_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C end searches in a `with` block early, with their results so far.

    A second Ctrl-C ends the command.

    Yields:
        A function that returns whether Ctrl-C was pressed.
    """
    pressed = False
    if threading.current_thread() is not threading.main_thread():
        yield lambda: pressed
        return
    with stoppable() as stop:

        def handle_interrupt(*_: object) -> None:
            nonlocal pressed
            if pressed or not stop():
                raise CommandInterrupt
            pressed = True
            note("interrupted: these are the results so far")

        previous_handler = signal.signal(signal.SIGINT, handle_interrupt)
        try:
            yield lambda: pressed
        finally:
            signal.signal(signal.SIGINT, previous_handler)
