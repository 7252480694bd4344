"""The engine: it distributes pieces of work to workers, repeats lost pieces, and orders results."""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, Generic, NoReturn, TypeAlias, TypeVar

from planspec.errors import LostWorkerError
from planspec.parallel.pool import (
    DeadlineExceededError,
    Done,
    Ended,
    Outcome,
    Pool,
    PoolWorker,
    Raised,
    RayCluster,
    Started,
    WorkerReply,
    WorkerSpec,
)

Work = TypeVar("Work")
Result = TypeVar("Result")
Jobs: TypeAlias = int | RayCluster
"""Number of processes on this machine (1 for only this process), or a Ray cluster."""
LOSSES = 2
"""Number of workers that may die on a piece of work before the piece fails."""
NODE_LOSSES = 5
"""Number of nodes that may be lost with a chunk before further losses count as the chunk's fault."""
FAILED_STARTS = 3
"""Number of workers in a row that may die before they are ready."""
CHUNK_SECONDS = 0.5
"""Target duration of growing chunks in seconds: much longer than sending a chunk, and too short to be noticed."""


@dataclass(frozen=True, slots=True)
class PieceDeadline:
    """Time limit of a piece of work. After it, the worker is killed.

    Attributes:
        seconds: wall-clock time in seconds.
        starting: additional seconds for a worker's first piece, during which it loads modules.
    """

    seconds: float
    starting: float = 0.0


@dataclass(frozen=True, slots=True)
class PerWorker(Generic[Work, Result]):
    """A function that each worker creates once and reuses.

    Attributes:
        make: module-level function or class, or a `partial` of one. Each worker calls it once, before the first piece.
            It returns the function to apply, which may have caches.
    """

    make: Callable[[], Callable[[Work], Result]]


def map_parallel(
    do: Callable[[Work], Result] | PerWorker[Work, Result],
    work: Iterable[Work],
    jobs: Jobs,
    *,
    chunk: int = 1,
    light: bool = False,
    ahead: int | None = None,
    begin: Callable[[], None] | None = None,
    spawn: bool = False,
    failed: Callable[[Work, Exception], Result] | None = None,
    apart: bool = False,
    ordered: bool = True,
    plain: bool = False,
    losses: int = LOSSES,
    deadline: PieceDeadline | None = None,
) -> Iterator[Result]:
    """Yield the results of all pieces of work in order, each as soon as it and all earlier ones are available.

    With one job or one piece, all work is done lazily in this process. The results do not depend on where the work is
    done.

    An exception of a piece ends the iteration, after the earlier results; with `failed`, a result replaces the
    exception. A worker that dies (killed, out of memory, crashed) is replaced, and its chunk is repeated in halves. A
    single piece on which two workers have died fails with `LostWorkerError`. No result is lost or duplicated. If the
    iteration is abandoned, for example by Ctrl-C, all workers are killed at once.

    Args:
        do: function to apply, or a `PerWorker`. A function must be at module level, because it is sent to processes by
            name.
        work: pieces of work, consumed as workers have capacity.
        jobs: number of processes, or a cluster.
        chunk: number of pieces sent to a worker at a time.
        light: whether pieces take milliseconds. They are then sent in chunks that grow while they take less than half a
            second: from 16 to 500 pieces for a process, from 100 to 1,000 for a cluster.
        ahead: maximum number of chunks per worker that are started before earlier results are consumed; None for no
            limit.
        begin: called in each new worker.
        spawn: whether processes start without inherited modules and locks.
        failed: returns a result for a piece that raised an exception or was lost with its worker.
        apart: whether to do no work in this process, even for one job or one piece.
        ordered: whether results are yielded in the order of the work; otherwise in the order in which they end.
        plain: whether results are sent as JSON instead of pickles, because the work runs untrusted programs. Exceptions
            are then raised as a `LostWorkerError` with their text.
        losses: number of workers that may die on a piece before the piece fails.
        deadline: time limit of each piece. Pieces are then sent one at a time.

    Raises:
        LostWorkerError: workers died on a piece and `failed` is None, or workers die before they are ready.
        UnsuitableClusterError: the cluster does not answer, or has another version of planspec.
    """
    make = do.make if isinstance(do, PerWorker) else partial(_return_function, do)
    pieces = iter(work)
    if not apart and jobs == 1:
        return _map_locally(make, pieces, failed)
    return _map_on_workers(
        WorkerSpec(make, begin, failed is None, plain),
        pieces,
        jobs,
        apart,
        spawn,
        _Schedule(*_chunk_sizes(jobs, chunk, light=light), ahead, ordered, losses, deadline),
        failed,
    )


def _return_function(do: Callable[[Work], Result]) -> Callable[[Work], Result]:
    return do


def map_workers(
    make: Callable[[], Callable[[Work], Result]], work: Iterable[Work], jobs: Jobs, **options: Any
) -> Iterator[Result]:
    """Deprecated: use `map_parallel` with `PerWorker(make)`."""
    warnings.warn(
        "`map_workers(make, ...)` is now `map_parallel(PerWorker(make), ...)`",
        DeprecationWarning,
        stacklevel=2,
    )
    return map_parallel(PerWorker(make), work, jobs, **options)


def naming(name: Callable[[Work], str]) -> Callable[[Work, Exception], NoReturn]:
    """Return a callback `failed` that raises the error. If a piece was lost with its worker, the message names it.

    Args:
        name: returns the name of a piece.
    """

    def failed(piece: Work, error: Exception) -> NoReturn:
        if isinstance(error, LostWorkerError):
            raise LostWorkerError(f"{name(piece)} cannot be worked on: {error}", error.status, error.seconds)
        raise error

    return failed


def _chunk_sizes(jobs: Jobs, chunk: int, *, light: bool) -> tuple[int, int | None]:
    """Return the size of the first chunk, and the maximum size of growing chunks."""
    if not light:
        return chunk, None
    return (100, 1000) if isinstance(jobs, RayCluster) else (16, 500)


def _map_locally(
    make: Callable[[], Callable[[Work], Result]],
    work: Iterator[Work],
    failed: Callable[[Work, Exception], Result] | None,
) -> Iterator[Result]:
    do = make()
    if failed is None:
        yield from map(do, work)
        return
    for piece in work:
        try:
            result = do(piece)
        except Exception as error:  # noqa: BLE001 any exception of a piece is its outcome
            result = failed(piece, error)
        yield result


def _map_on_workers(
    spec: WorkerSpec,
    work: Iterator[Work],
    jobs: Jobs,
    apart: bool,
    spawn: bool,
    schedule: _Schedule,
    failed: Callable[[Work, Exception], Result] | None,
) -> Iterator[Result]:
    first = list(islice(work, 2))
    work = chain(first, work)
    if not apart and len(first) < 2:
        yield from _map_locally(spec.make, work, failed)
        return
    pool = _make_pool(spec, jobs, spawn)
    try:
        for piece, outcome in _Engine(pool, work, schedule).outcomes():
            if isinstance(outcome, Done):
                yield outcome.value
            elif failed is not None:
                yield failed(piece, outcome.error)
            else:
                raise outcome.error
    finally:  # kills workers with unfinished work
        pool.close()


def _make_pool(spec: WorkerSpec, jobs: Jobs, spawn: bool) -> Pool:
    if isinstance(jobs, RayCluster):
        from planspec.parallel.ray_pool import RayPool

        return RayPool(jobs, spec)
    from planspec.parallel.processes import ProcessPool

    return ProcessPool(jobs, spec, spawn=spawn)


@dataclass(frozen=True, slots=True)
class _Schedule:
    """Options for distributing work, as in `map_parallel`."""

    chunk: int
    max_chunk: int | None
    ahead: int | None
    ordered: bool
    losses: int
    deadline: PieceDeadline | None


@dataclass(slots=True)
class _Chunk(Generic[Work]):
    """Pieces of work that are sent together.

    Attributes:
        start: index of the first piece, counted from 0.
        pieces: pieces of the chunk.
        losses: number of workers that died on the chunk.
        node_losses: number of nodes lost with the chunk. They do not count in `losses`.
    """

    start: int
    pieces: Sequence[Work]
    losses: int = 0
    node_losses: int = 0

    def halves(self) -> Iterator[_Chunk[Work]]:
        """Yield the two halves of the chunk, or the chunk itself if it has one piece."""
        middle = (len(self.pieces) + 1) // 2
        for at, half in ((0, self.pieces[:middle]), (middle, self.pieces[middle:])):
            if half:
                yield _Chunk(self.start + at, half, self.losses)


@dataclass(slots=True, eq=False)
class _WorkerState(Generic[Work]):
    """A worker, and the chunks sent to it. It works on the first of them.

    Attributes:
        worker: the worker.
        chunks: chunks that were sent and not yet answered.
        begun: start time of the first chunk on the monotonic clock, in seconds.
        started: whether the worker is ready for work.
        answered: whether the worker has replied to a chunk.
    """

    worker: PoolWorker
    chunks: deque[_Chunk[Work]] = field(default_factory=deque)
    begun: float = 0.0
    started: bool = False
    answered: bool = False


class _Engine(Generic[Work]):
    """Distributes work and collects outcomes."""

    def __init__(self, pool: Pool, work: Iterator[Work], schedule: _Schedule) -> None:
        self._pool, self._work, self._schedule = pool, work, schedule
        self._states: dict[PoolWorker, _WorkerState[Work]] = {}
        self._stock: deque[_Chunk[Work]] = deque()  # chunks to send next
        self._done: dict[int, tuple[Work, Outcome]] = {}
        self._taken = self._next = 0
        self._ends: deque[int] = deque()  # index after the last piece of each chunk whose results are not consumed yet
        self._size = schedule.chunk
        self._failed_starts = 0
        self._queue = (
            2 if schedule.chunk > 1 or schedule.max_chunk else 1
        )  # a single piece takes long, so it waits for a free worker

    def outcomes(self) -> Iterator[tuple[Work, Outcome]]:
        """Yield each piece of work with its outcome."""
        while True:
            yield from self._available_outcomes()  # finished work is delivered before new work starts
            if self._next == self._taken and not self._has_chunks_ready(1):
                return
            self._send_chunks()
            for worker in self._pool.ready(self._states, self._seconds_to_deadline()):
                self._receive(self._states[worker])
            self._end_overdue_workers()

    def _available_outcomes(self) -> Iterator[tuple[Work, Outcome]]:
        """Yield the available outcomes, and send further chunks in between."""
        while self._done:
            number = self._next if self._schedule.ordered else next(iter(self._done))
            if number not in self._done:
                return
            yield self._done.pop(number)
            self._next += 1
            if self._ends and self._next >= self._ends[0]:
                self._ends.popleft()
                self._send_chunks()

    def _send_chunks(self) -> None:
        """Send chunks to all workers with capacity."""
        for load in range(self._queue):
            for state in list(self._states.values()):
                if not self._has_chunks_ready(1):
                    return
                if state.started and len(state.chunks) == load and (not load or self._may_queue(state)):
                    self._send(state)
        idle = sum(not state.chunks for state in self._states.values())
        while len(self._states) < self._pool.size and self._has_chunks_ready(idle + 1):
            worker = self._pool.start()
            self._states[worker] = _WorkerState(worker)
            idle += 1

    def _has_chunks_ready(self, count: int) -> bool:
        """Return whether `count` chunks are ready to be sent, after cutting them from the work if needed."""
        while len(self._stock) < count and (chunk := self._next_chunk()) is not None:
            self._stock.append(chunk)
        return len(self._stock) >= count

    def _may_queue(self, state: _WorkerState[Work]) -> bool:
        """Return whether the next chunk may wait behind a worker's current chunk: no worker has died on either."""
        return not state.chunks[0].losses and not self._stock[0].losses

    def _send(self, state: _WorkerState[Work]) -> None:
        """Send the next chunk to a worker."""
        chunk = self._stock.popleft()
        if not state.chunks:
            state.begun = time.monotonic()
        state.chunks.append(chunk)
        state.worker.send(chunk.pieces)

    def _next_chunk(self) -> _Chunk[Work] | None:
        """Return the next chunk of work; None if there is none, or if none may start yet."""
        ahead = self._schedule.ahead
        if ahead is not None and len(self._ends) >= ahead * max(1, self._pool.size):
            return None
        pieces = list(islice(self._work, self._size))
        if not pieces:
            return None
        chunk = _Chunk(self._taken, pieces)
        self._taken += len(pieces)
        self._ends.append(self._taken)
        return chunk

    def _receive(self, state: _WorkerState[Work]) -> None:
        match state.worker.receive():
            case Started():
                state.started, self._failed_starts = True, 0
            case WorkerReply() as reply:
                self._on_reply(state, reply)
            case Ended() as ended:
                self._on_end(state, ended)

    def _on_reply(self, state: _WorkerState[Work], reply: WorkerReply) -> None:
        chunk = state.chunks.popleft()
        state.answered, state.begun = True, time.monotonic()
        for number, (piece, outcome) in enumerate(zip(chunk.pieces, reply.outcomes, strict=False), chunk.start):
            self._done[number] = (piece, outcome)
        if (
            self._schedule.max_chunk is not None
            and reply.seconds < CHUNK_SECONDS / 2
            and len(chunk.pieces) == self._size
        ):
            self._size = min(self._schedule.max_chunk, 2 * self._size)
        elif self._schedule.max_chunk is not None and reply.seconds > 2 * CHUNK_SECONDS:
            self._size = max(self._schedule.chunk, self._size // 2)

    def _on_end(self, state: _WorkerState[Work], ended: Ended) -> None:
        """Handle the end of a worker. Its current chunk is repeated in halves, its queued chunks unchanged."""
        self._dismiss(state)
        if not state.started:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS:
                raise LostWorkerError(f"no worker begins: {ended.reason}", ended.status)
            return
        waiting = list(state.chunks)
        if waiting and ended.blameless and waiting[0].node_losses < NODE_LOSSES:
            waiting[0].node_losses += 1
        elif waiting:
            chunk = waiting.pop(0)
            chunk.losses += 1
            if len(chunk.pieces) == 1 and chunk.losses >= self._schedule.losses:
                lost = LostWorkerError(ended.reason, ended.status, time.monotonic() - state.begun)
                self._done[chunk.start] = (chunk.pieces[0], Raised(lost))
            else:
                waiting[:0] = chunk.halves()
        self._stock.extendleft(reversed(waiting))

    def _dismiss(self, state: _WorkerState[Work]) -> None:
        del self._states[state.worker]
        state.worker.end()

    def _seconds_to_deadline(self) -> float | None:
        """Return the seconds until the first piece is overdue; None without a deadline."""
        if self._schedule.deadline is None:
            return None
        due = [self._deadline_of(state) for state in self._states.values() if state.chunks]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _deadline_of(self, state: _WorkerState[Work]) -> float:
        assert self._schedule.deadline is not None
        return state.begun + self._schedule.deadline.seconds + self._schedule.deadline.starting * (not state.answered)

    def _end_overdue_workers(self) -> None:
        if self._schedule.deadline is None:
            return
        now = time.monotonic()
        for state in [state for state in self._states.values() if state.chunks and self._deadline_of(state) <= now]:
            self._dismiss(state)
            (chunk,) = state.chunks
            self._done[chunk.start] = (chunk.pieces[0], Raised(DeadlineExceededError(now - state.begun)))
