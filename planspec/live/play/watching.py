"""Panels of a task, updated when its files change."""

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
from planspec.live.loopback import HEARTBEAT_S
from planspec.live.panel.panels import judged_panel
from planspec.live.panel.record import MistakeShown, PanelShown
from planspec.report.texts import line

POLL_S = 0.2
"""Seconds between two checks of the files for changes."""
Stamp = tuple[int, int]
"""Modification time of a file in nanoseconds, and its size in bytes."""


def follow_task(
    task: Path,
    seconds: float,
    answer: Path | None = None,
    *,
    proofs: bool = True,
    is_ended: Callable[[], bool] = lambda: False,
) -> Iterator[PanelShown | None]:
    """Yield panels of a task: one after each change of its files, and another when the proofs are done.

    None is yielded as a heartbeat while nothing changes.

    Args:
        task: file of the task.
        seconds: time limit of each solver call.
        answer: file with an answer to judge instead of the reference.
        proofs: whether solvers are called.
        is_ended: function that returns whether to stop.
    """
    seen: dict[Path, Stamp | None] = {}
    last_sent = time.monotonic()
    with _Prover(seconds) as prover:
        while not is_ended():
            if not seen or any(_file_stamp(path) != stamp for path, stamp in seen.items()):
                if proofs:
                    prover.cancel()
                seen = {path: _file_stamp(path) for path in _watched_files(task, answer)}
                panel = _current_panel(task, answer)
                is_proving = proofs and not any(mistake.severity == "error" for mistake in panel.mistakes)
                last_sent = time.monotonic()
                yield panel.model_copy(update={"waiting": is_proving})
                if is_proving:
                    prover.request(task, answer)
            elif (proved := prover.result()) is not None:
                last_sent = time.monotonic()
                yield proved
            elif time.monotonic() - last_sent > HEARTBEAT_S:
                last_sent = time.monotonic()
                yield None
            time.sleep(POLL_S)


def _current_panel(task: Path, answer: Path | None) -> PanelShown:
    try:
        return judged_panel(task, answer)
    except (PlanspecError, OSError) as error:  # the file may be in the middle of a write, or removed
        return _error_panel(task, str(error))


def _error_panel(task: Path, reason: str) -> PanelShown:
    return PanelShown(
        task=line(task.name), mistakes=(MistakeShown(severity="error", code="", message=line(reason, 1000)),)
    )


def _watched_files(task: Path, answer: Path | None) -> set[Path]:
    """Return the files on which a task depends. For a task with errors, these are all files on which it may depend."""
    from planspec.dsl.documents.documents import task_from_path

    paths = {task} if answer is None else {task, answer}
    with suppress(PlanspecError, OSError):
        for source in task_from_path(task, Workspace()).sources:
            paths |= {path for path in source.files if path.is_file()}
        return paths
    # If there are errors, the imports are unknown, and a change of any nearby file may fix the errors.
    for folder in {task.parent, task.parent.parent}:
        with suppress(OSError):
            paths |= {path for pattern in ("*.yaml", "*.csv", "*.json") for path in folder.glob(pattern)}
    return paths


def _file_stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class _Prover:
    """Prover of claims about one task at a time. Its process is killed and restarted to cancel work.

    Args:
        seconds: time limit of each solver call.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._requested_task: Path | None = None
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str | None] = SimpleQueue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop_process()

    def request(self, task: Path, answer: Path | None) -> None:
        """Start the proofs of a task."""
        if self._process is None or self._process.poll() is not None:
            self._start_process()
        assert self._process is not None and self._process.stdin is not None
        self._requested_task = task
        request = {
            "task": str(task),
            "seconds": self._seconds,
            "answer": None if answer is None else str(answer),
        }
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()

    def cancel(self) -> None:
        """Cancel the last request, and start a new process."""
        if self._requested_task is not None or self._process is None:
            self._stop_process()
            self._start_process()
        self._requested_task = None

    def result(self) -> PanelShown | None:
        """Return the panel with proofs; None if it is not finished or was not requested."""
        if self._requested_task is None:
            return None
        try:
            text = self._lines.get_nowait()
        except Empty:
            return None
        task, self._requested_task = self._requested_task, None
        if text is not None:
            return PanelShown.model_validate_json(text)
        return _error_panel(task, "the proof process has ended, possibly for lack of memory")

    def _start_process(self) -> None:
        command = [sys.executable, "-P", "-m", "planspec.live.panel"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines = SimpleQueue()
        assert self._process.stdout is not None
        Thread(target=_queue_lines, args=(self._process.stdout, self._lines), daemon=True).start()

    def _stop_process(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdin is not None
            with suppress(BrokenPipeError):
                self._process.stdin.close()
            self._process = None


def _queue_lines(stream: IO[str], lines: SimpleQueue[str | None]) -> None:
    """Put the lines of a stream into a queue, followed by None at the end of the stream."""
    with stream:
        for text in stream:
            lines.put(text)
    lines.put(None)
