"""Workers that are processes of this machine, each on a line of its own: whose process ends is known at once."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from planspec.parallel.pool import Diligence, Ended, Reply, Started, WorkerSpec

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

READY = b""
"""The frame by which a process says that it is ready."""
LEAVING = 1.0
"""Seconds that a process which has closed its line may take to leave by itself, so that its own status is known."""


class ProcessPool:
    """So many processes.

    Args:
        size: the number of processes.
        spec: of each.
        spawn: they start afresh, without what this one has loaded and locked.
    """

    def __init__(self, size: int, spec: WorkerSpec, *, spawn: bool) -> None:
        from multiprocessing import get_context

        self.size = size
        self._spec = spec
        self._context: Any = get_context("spawn" if spawn else None)
        self._workers: list[ProcessWorker] = []

    def start(self) -> ProcessWorker:
        """A new process."""
        self._workers.append(made := ProcessWorker(self._context, self._spec))
        return made

    def ready(self, workers: Collection[ProcessWorker], seconds: float | None) -> Sequence[ProcessWorker]:
        """Those of which something came, or whose process ended."""
        from multiprocessing.connection import wait

        watched: dict[Any, ProcessWorker] = {}
        for worker in workers:
            watched[worker.line] = watched[worker.process.sentinel] = worker
        return list(dict.fromkeys(watched[one] for one in wait(list(watched), seconds)))

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.end()


class ProcessWorker:
    """A process and the line to it."""

    def __init__(self, context: Any, spec: WorkerSpec) -> None:
        self._spec = spec
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.line, spec), daemon=True)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # until it can ignore it
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def ask(self, chunk: Sequence[Any]) -> None:
        """Send a chunk; a thread over there takes it at once."""
        data = pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL)
        with suppress(OSError):  # it has ended, which its sentinel shows
            self.line.send_bytes(data)

    def answer(self) -> Reply | Started | Ended | None:
        """What came, or how the process ended."""
        try:
            if not self.line.poll():  # only its sentinel is ready; a child of its own may still hold the line
                return self._ended()
            frame = self.line.recv_bytes()
        except (EOFError, OSError):
            return self._ended()
        if frame == READY:
            return Started()
        return self._spec.read(frame) or self._ended()

    def _ended(self) -> Ended:
        self.process.join(LEAVING)
        self.end()
        status = self.process.exitcode
        return Ended(_told(status), status)

    def end(self) -> None:
        """Kill the process and forget the line."""
        if self.line.closed:
            return
        self.process.kill()
        self.process.join()
        self.line.close()


def _told(status: int | None) -> str:
    """How a process ended, for people."""
    if status is None or status >= 0:
        return f"its process ended with status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    memory = ", as where memory runs out" if -status == signal.SIGKILL else ""
    return f"its process was ended by {name}{memory}"


def _serve(line: Connection[bytes, bytes], theirs: Connection[bytes, bytes], spec: WorkerSpec) -> None:
    """The life of a process: chunks until it is ended, or the process that asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asks decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    theirs.close()  # a copy; while any is open, nobody hears that the other side is gone
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_take_in, args=(line, chunks), daemon=True).start()
    if spec.begin is not None:
        spec.begin()
    work = Diligence(spec)
    with suppress(OSError):  # nobody listens any more
        line.send_bytes(READY)
        while True:
            line.send_bytes(work.frame(pickle.loads(chunks.get())))  # noqa: S301 from the process that began this one


def _take_in(line: Connection[bytes, bytes], chunks: SimpleQueue[bytes]) -> None:
    """Take what is sent at once, so that neither side waits for the other to read; leave when nobody sends any more.

    Work costs money, so it ends whatever it is at; and threads that an agent left must not keep the process.
    """
    while True:
        try:
            chunks.put(line.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
