"""Workers that are processes on this machine."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from planspec.parallel.pool import ChunkRunner, Ended, Started, WorkerReply, WorkerSpec

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

READY = b""
"""Bytes by which a process reports that it is ready."""
LEAVING = 1.0
"""Seconds that a process has to exit after closing its pipe. Then it is killed, and its exit status is lost."""


class ProcessPool:
    """A pool of processes.

    Args:
        size: number of processes.
        spec: specification of the workers.
        spawn: whether processes start without inherited modules and locks.
    """

    def __init__(self, size: int, spec: WorkerSpec, *, spawn: bool) -> None:
        from multiprocessing import get_context

        self.size = size
        self._spec = spec
        self._context: Any = get_context("spawn" if spawn else None)
        self._workers: list[ProcessWorker] = []

    def start(self) -> ProcessWorker:
        """Start a process."""
        self._workers.append(worker := ProcessWorker(self._context, self._spec))
        return worker

    def ready(self, workers: Collection[ProcessWorker], seconds: float | None) -> Sequence[ProcessWorker]:
        """Return the workers that have a message or that ended."""
        from multiprocessing.connection import wait

        watched: dict[Any, ProcessWorker] = {}
        for worker in workers:
            watched[worker.line] = watched[worker.process.sentinel] = worker
        return list(dict.fromkeys(watched[source] for source in wait(list(watched), seconds)))

    def close(self) -> None:
        """Kill all processes."""
        for worker in self._workers:
            worker.end()


class ProcessWorker:
    """A process, and the pipe to it."""

    def __init__(self, context: Any, spec: WorkerSpec) -> None:
        self._spec = spec
        self.line, theirs = context.Pipe()
        self.process = context.Process(target=_serve_chunks, args=(theirs, self.line, spec), daemon=True)
        # Ctrl-C is blocked until the new process ignores it
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self.process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        theirs.close()

    def send(self, chunk: Sequence[Any]) -> None:
        """Send a chunk. A thread of the process receives it immediately."""
        data = pickle.dumps(chunk, pickle.HIGHEST_PROTOCOL)
        with suppress(OSError):  # if the process has ended, its sentinel reports it
            self.line.send_bytes(data)

    def receive(self) -> WorkerReply | Started | Ended | None:
        """Return the next message, which is an `Ended` if the process has ended."""
        try:
            if not self.line.poll():  # only the sentinel is ready; a child process may still hold the pipe open
                return self._describe_end()
            frame = self.line.recv_bytes()
        except (EOFError, OSError):
            return self._describe_end()
        if frame == READY:
            return Started()
        return self._spec.read(frame) or self._describe_end()

    def _describe_end(self) -> Ended:
        self.process.join(LEAVING)
        self.end()
        status = self.process.exitcode
        return Ended(_describe_exit(status), status)

    def end(self) -> None:
        """Kill the process and close the pipe."""
        if self.line.closed:
            return
        self.process.kill()
        self.process.join()
        self.line.close()


def _describe_exit(status: int | None) -> str:
    """Return a sentence about the exit of a process."""
    if status is None or status >= 0:
        return f"its process ended with status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    memory = ", as where memory runs out" if -status == signal.SIGKILL else ""
    return f"its process was ended by {name}{memory}"


def _serve_chunks(line: Connection[bytes, bytes], theirs: Connection[bytes, bytes], spec: WorkerSpec) -> None:
    """Run a worker process: process chunks until it is killed or the parent process ends.

    Args:
        line: this process's end of the pipe.
        theirs: the parent process's end.
        spec: specification of the workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process stops its workers itself
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    theirs.close()  # closes an inherited copy of the other end, which would hide that the parent has closed its own
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive_chunks, args=(line, chunks), daemon=True).start()
    if spec.begin is not None:
        spec.begin()
    work = ChunkRunner(spec)
    with suppress(OSError):  # the parent process may have ended
        line.send_bytes(READY)
        while True:
            line.send_bytes(work.frame(pickle.loads(chunks.get())))  # noqa: S301 from the parent process


def _receive_chunks(line: Connection[bytes, bytes], chunks: SimpleQueue[bytes]) -> None:
    """Receive chunks as they arrive, so that neither side blocks on writing. Exit when the parent process has ended.

    The exit waits for nothing, because the work may cost money, and threads of an agent could keep the process alive.
    """
    while True:
        try:
            chunks.put(line.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
