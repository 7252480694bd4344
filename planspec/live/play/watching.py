"""A task followed while its files change: a panel at once after each change, and again once solvers have answered."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Self

from planspec.dsl.workspace.workspace import Workspace
from planspec.errors import PlanspecError
from planspec.live.loopback import BEAT_S
from planspec.live.panel.record import MistakeShown, PanelShown
from planspec.live.panel.telling import judged_panel
from planspec.report.texts import line

LOOK_S = 0.2
"""Seconds between two looks at the files."""
Stamp = tuple[int, int]


def follow(
    task: Path, seconds: float, answer: Path | None = None, *, proofs: bool = True, ended: Callable[[], bool] = lambda: False
) -> Iterator[PanelShown | None]:  # fmt: skip
    """The panels of a task: one for each state of its files, and another when it is proved; None where nothing happens.

    Args:
        task: its file.
        seconds: for each question to a solver.
        answer: the file of an answer that stands in the place of the reference.
        proofs: ask solvers at all.
        ended: nobody listens any more.
    """
    seen: dict[Path, Stamp | None] = {}
    said = time.monotonic()
    with _Prover(seconds) as prover:
        while not ended():
            if not seen or any(_stamp(path) != stamp for path, stamp in seen.items()):
                if proofs:
                    prover.cancel()
                seen = {path: _stamp(path) for path in _files(task, answer)}
                told = _told(task, answer)
                asks = proofs and not any(mistake.severity == "error" for mistake in told.mistakes)
                said = time.monotonic()
                yield told.model_copy(update={"waiting": asks})
                if asks:
                    prover.ask(task, answer)
            elif (proved := prover.result()) is not None:
                said = time.monotonic()
                yield proved
            elif time.monotonic() - said > BEAT_S:
                said = time.monotonic()
                yield None
            time.sleep(LOOK_S)


def _told(task: Path, answer: Path | None) -> PanelShown:
    try:
        return judged_panel(task, answer)
    except (PlanspecError, OSError) as error:  # a file that is being written, or is gone
        return _failed(task, str(error))


def _failed(task: Path, reason: str) -> PanelShown:
    return PanelShown(
        task=line(task.name), mistakes=(MistakeShown(severity="error", code="", message=line(reason, 1000)),)
    )


def _files(task: Path, answer: Path | None) -> set[Path]:
    """The files on which a task depends, as far as its texts can be read."""
    from planspec.dsl.documents.documents import task_from_path

    found = {task} if answer is None else {task, answer}
    with suppress(PlanspecError, OSError):
        for source in task_from_path(task, Workspace()).sources:
            place = source.base or Path(source.name)
            if place.is_file():
                found.add(place)
        return found
    # With a mistake it is not known what the task would have used: all texts beside it may mend it.
    for folder in {task.parent, task.parent.parent}:
        with suppress(OSError):
            found |= {path for pattern in ("*.yaml", "*.csv", "*.json") for path in folder.glob(pattern)}
    return found


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class _Prover:
    """Proves one task at a time in a process of its own, which is ended and begun anew to cancel.

    Args:
        seconds: for each question.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._asked: Path | None = None
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def ask(self, task: Path, answer: Path | None) -> None:
        """Begin with a task."""
        if self._process is None or self._process.poll() is not None:
            self._begin()
        assert self._process is not None and self._process.stdin is not None
        self._asked = task
        request = {
            "task": str(task),
            "seconds": self._seconds,
            "answer": None if answer is None else str(answer),
        }
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()

    def cancel(self) -> None:
        """Forget what was asked last; the next process is loaded meanwhile."""
        if self._asked is not None or self._process is None:
            self._end()
            self._begin()
        self._asked = None

    def result(self) -> PanelShown | None:
        """The panel with what was proved; None as long as it is not there."""
        if self._asked is None:
            return None
        try:
            told = self._lines.get_nowait()
        except Empty:
            return None
        task, self._asked = self._asked, None
        if told is not None:
            return PanelShown.model_validate_json(told)
        return _failed(task, "the process that proves has ended, as where memory runs out")

    def _begin(self) -> None:
        command = [sys.executable, "-P", "-m", "planspec.live.panel"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines = SimpleQueue()
        assert self._process.stdout is not None
        Thread(target=_forward, args=(self._process.stdout, self._lines), daemon=True).start()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process = None


def _forward(stream: IO[str], lines: SimpleQueue[str | None]) -> None:
    """Hand on the lines of a process, and then that there are no more."""
    with stream:
        for line_ in stream:
            lines.put(line_)
    lines.put(None)
