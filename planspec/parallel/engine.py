"""The engine: which worker gets which pieces of work, what becomes of those that are lost, results in order."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Generic, NoReturn, TypeAlias, TypeVar

from planspec.errors import LostWorkerError
from planspec.parallel.pool import (
    DeadlineExceededError,
    Done,
    Ended,
    Outcome,
    Pool,
    Raised,
    RayCluster,
    Reply,
    Started,
    Worker,
    WorkerSpec,
)

Work = TypeVar("Work")
Result = TypeVar("Result")
Jobs: TypeAlias = int | RayCluster
"""Where work is done: in so many processes of this machine (1: in this one), or on a cluster."""
LOSSES = 2
"""Workers that a piece may cost before it counts as the piece that ends them."""
SPARED = 5
"""Machines that may be lost with a chunk before it counts as the chunk that ends them."""
STILLBORN = 3
"""Workers in a row that may end before they are ready."""
CHUNK_SECONDS = 0.5
"""The time for which chunks that may grow are made: far more than sending one takes, and far less than anybody waits."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """The time that a piece may take; past it its worker is ended.

    Attributes:
        seconds: of wall-clock time.
        starting: what a worker's first piece gets besides, as it loads what all need.
    """

    seconds: float
    starting: float = 0.0


def map_parallel(
    do: Callable[[Work], Result],
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
) -> Iterator[Result]:
    """The results for all pieces of work, in their order, each as soon as it and those before it are there.

    With one job, or one piece, everything is done here and when it is asked for. The results are the same wherever the
    work is done.

    A piece that raises ends the work with its exception, after the results before it; `failed` makes it a result
    instead. A worker that ends (killed, out of memory, crashed) is replaced, and its chunk is done again in halves,
    until one piece is found to have ended two workers: that one has failed with `LostWorkerError`. No result is lost, and
    none comes twice. Where the iteration is given up, as by Ctrl-C, all workers are ended at once.

    Args:
        do: a function of a module, since it is sent to processes by its name.
        work: is taken from as workers have room for it.
        jobs: processes, or a cluster.
        chunk: pieces that are sent to a worker at a time.
        light: pieces take milliseconds, and are sent in chunks that grow while they take less than half a second: from 16
            to 500 pieces to a process, from 100 to 1,000 to a cluster.
        ahead: chunks for each worker that are begun before the results in front of them are asked for; None for any.
        begin: is called in each new worker.
        spawn: processes start afresh, without what this one has loaded and locked.
        failed: makes a result of a piece that raised, or that was lost with its worker.
        apart: nothing is done in this process, even for one job or one piece.

    Raises:
        LostWorkerError: a piece ended its workers and there is no `failed`; or workers end before they begin.
        UnsuitableClusterError: there is no such cluster, or it has another planspec.
    """
    return map_workers(
        partial(_itself, do), work, jobs, chunk=chunk, light=light, ahead=ahead, begin=begin, spawn=spawn, failed=failed,
        apart=apart,
    )  # fmt: skip


def naming(name: Callable[[Work], str]) -> Callable[[Work, Exception], NoReturn]:
    """A `failed` that ends the work as without one, and says which piece was lost with its worker.

    Args:
        name: name of a piece.
    """

    def failed(piece: Work, error: Exception) -> NoReturn:
        if isinstance(error, LostWorkerError):
            raise LostWorkerError(f"{name(piece)} cannot be worked on: {error}", error.status, error.seconds)
        raise error

    return failed


def _itself(do: Callable[[Work], Result]) -> Callable[[Work], Result]:
    return do


def map_workers(
    make: Callable[[], Callable[[Work], Result]],
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
    deadline: Deadline | None = None,
) -> Iterator[Result]:
    """As `map_parallel`, with work that each worker makes for itself, and keeps.

    Args:
        make: is called once in each worker, before its first piece, and returns what is done with each: a workspace or
            judges that are worked out once live in what it returns. A function or class of a module, or a `partial`.
        work: see `map_parallel`, as for all arguments that are not named here.
        jobs: likewise.
        chunk: likewise.
        light: likewise.
        ahead: likewise.
        begin: likewise.
        spawn: likewise.
        failed: likewise.
        apart: likewise.
        ordered: results come in the order of the work; else as they end.
        plain: results are sent as JSON, since the work runs programs which nobody vouches for; what a piece raises
            comes back as `LostWorkerError` with its text.
        losses: workers that a piece may cost before it has failed.
        deadline: of each piece, which is then sent alone.
    """
    coming = iter(work)
    if not apart and jobs == 1:
        return _here(make, coming, failed)
    return _spread(
        WorkerSpec(make, begin, failed is None, plain), coming, jobs, apart, spawn,
        _Terms(*_sizes(jobs, chunk, light=light), ahead, ordered, losses, deadline), failed,
    )  # fmt: skip


def _sizes(jobs: Jobs, chunk: int, *, light: bool) -> tuple[int, int | None]:
    """The pieces of the first chunk, and to how many chunks may grow."""
    if not light:
        return chunk, None
    return (100, 1000) if isinstance(jobs, RayCluster) else (16, 500)


def _here(
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
            made = do(piece)
        except Exception as error:  # noqa: BLE001 whatever a piece raises is its outcome
            made = failed(piece, error)
        yield made


def _spread(
    spec: WorkerSpec,
    work: Iterator[Work],
    jobs: Jobs,
    apart: bool,
    spawn: bool,
    terms: _Terms,
    failed: Callable[[Work, Exception], Result] | None,
) -> Iterator[Result]:
    first = list(islice(work, 2))
    work = chain(first, work)
    if not apart and len(first) < 2:
        yield from _here(spec.make, work, failed)
        return
    pool = _pool(spec, jobs, spawn)
    try:
        for piece, outcome in _Engine(pool, work, terms).outcomes():
            if isinstance(outcome, Done):
                yield outcome.value
            elif failed is not None:
                yield failed(piece, outcome.error)
            else:
                raise outcome.error
    finally:  # nobody asks for the rest
        pool.close()


def _pool(spec: WorkerSpec, jobs: Jobs, spawn: bool) -> Pool:
    if isinstance(jobs, RayCluster):
        from planspec.parallel.ray_pool import RayPool

        return RayPool(jobs, spec)
    from planspec.parallel.processes import ProcessPool

    return ProcessPool(jobs, spec, spawn=spawn)


@dataclass(frozen=True, slots=True)
class _Terms:
    """How work is handed out: see `map_workers`."""

    chunk: int
    most: int | None
    ahead: int | None
    ordered: bool
    losses: int
    deadline: Deadline | None


@dataclass(slots=True)
class _Chunk(Generic[Work]):
    """Pieces that are sent together.

    Attributes:
        first: the number of the first piece, from 0.
        losses: workers that it has cost.
        spared: machines that were lost while they were at it.
    """

    first: int
    pieces: Sequence[Work]
    losses: int = 0
    spared: int = 0

    def halves(self) -> Iterator[_Chunk[Work]]:
        """Its two halves; itself if it has one piece."""
        middle = (len(self.pieces) + 1) // 2
        for at, some in ((0, self.pieces[:middle]), (middle, self.pieces[middle:])):
            if some:
                yield _Chunk(self.first + at, some, self.losses)


@dataclass(slots=True, eq=False)
class _Post(Generic[Work]):
    """A worker and the chunks that it was sent, of which it is at the first.

    Attributes:
        begun: on the monotonic clock, when it came to that one.
        started: it has said that it is ready.
        answered: it has replied to a chunk.
    """

    worker: Worker
    chunks: deque[_Chunk[Work]] = field(default_factory=deque)
    begun: float = 0.0
    started: bool = False
    answered: bool = False


class _Engine(Generic[Work]):
    """Hands out work and collects what becomes of it."""

    def __init__(self, pool: Pool, work: Iterator[Work], terms: _Terms) -> None:
        self._pool, self._work, self._terms = pool, work, terms
        self._posts: dict[Worker, _Post[Work]] = {}
        self._stock: deque[_Chunk[Work]] = deque()  # to be sent next
        self._done: dict[int, tuple[Work, Outcome]] = {}
        self._taken = self._next = 0
        self._ends: deque[int] = deque()  # of chunks with a result that was not asked for
        self._size = terms.chunk
        self._stillborn = 0
        self._queue = (
            2 if terms.chunk > 1 or terms.most else 1
        )  # what is sent alone is long: it can wait for any worker

    def outcomes(self) -> Iterator[tuple[Work, Outcome]]:
        """Each piece with its outcome."""
        while True:
            yield from self._ready()  # what is done is taken care of before anything else is begun
            if self._next == self._taken and not self._stocked(1):
                return
            self._hand_out()
            for worker in self._pool.ready(self._posts, self._until_deadline()):
                self._hear(self._posts[worker])
            self._end_overdue()

    def _ready(self) -> Iterator[tuple[Work, Outcome]]:
        """The outcomes that can be told by now; those who are asked for more are kept at work meanwhile."""
        while self._done:
            number = self._next if self._terms.ordered else next(iter(self._done))
            if number not in self._done:
                return
            yield self._done.pop(number)
            self._next += 1
            if self._ends and self._next >= self._ends[0]:
                self._ends.popleft()
                self._hand_out()

    def _hand_out(self) -> None:
        """Send chunks to all workers that have room."""
        for load in range(self._queue):
            for post in list(self._posts.values()):
                if not self._stocked(1):
                    return
                if post.started and len(post.chunks) == load and (not load or self._may_queue(post)):
                    self._send(post)
        idle = sum(not post.chunks for post in self._posts.values())
        while len(self._posts) < self._pool.size and self._stocked(idle + 1):
            worker = self._pool.start()
            self._posts[worker] = _Post(worker)
            idle += 1

    def _stocked(self, count: int) -> bool:
        """As many chunks are ready to be sent."""
        while len(self._stock) < count and (made := self._fresh()) is not None:
            self._stock.append(made)
        return len(self._stock) >= count

    def _may_queue(self, post: _Post[Work]) -> bool:
        """The next chunk may be sent behind another: neither has cost a worker, so that it is known which one does."""
        return not post.chunks[0].losses and not self._stock[0].losses

    def _send(self, post: _Post[Work]) -> None:
        """Send a worker the next chunk."""
        chunk = self._stock.popleft()
        if not post.chunks:
            post.begun = time.monotonic()
        post.chunks.append(chunk)
        post.worker.ask(chunk.pieces)

    def _fresh(self) -> _Chunk[Work] | None:
        """The next chunk of the work; None if there is none, or none may be begun yet."""
        ahead = self._terms.ahead
        if ahead is not None and len(self._ends) >= ahead * max(1, self._pool.size):
            return None
        pieces = list(islice(self._work, self._size))
        if not pieces:
            return None
        made = _Chunk(self._taken, pieces)
        self._taken += len(pieces)
        self._ends.append(self._taken)
        return made

    def _hear(self, post: _Post[Work]) -> None:
        match post.worker.answer():
            case Started():
                post.started, self._stillborn = True, 0
            case Reply() as reply:
                self._replied(post, reply)
            case Ended() as ended:
                self._lost(post, ended)

    def _replied(self, post: _Post[Work], reply: Reply) -> None:
        chunk = post.chunks.popleft()
        post.answered, post.begun = True, time.monotonic()
        for number, (piece, outcome) in enumerate(
            zip(chunk.pieces, reply.outcomes, strict=False), chunk.first
        ):
            self._done[number] = (piece, outcome)
        if (
            self._terms.most is not None
            and reply.seconds < CHUNK_SECONDS / 2
            and len(chunk.pieces) == self._size
        ):
            self._size = min(self._terms.most, 2 * self._size)
        elif self._terms.most is not None and reply.seconds > 2 * CHUNK_SECONDS:
            self._size = max(self._terms.chunk, self._size // 2)

    def _lost(self, post: _Post[Work], ended: Ended) -> None:
        """A worker has ended: what it was at is done again in halves, what it was to do next as it is."""
        self._dismiss(post)
        if not post.started:
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                raise LostWorkerError(f"no worker begins: {ended.reason}", ended.status)
            return
        waiting = list(post.chunks)
        if waiting and ended.blameless and waiting[0].spared < SPARED:
            waiting[0].spared += 1
        elif waiting:
            chunk = waiting.pop(0)
            chunk.losses += 1
            if len(chunk.pieces) == 1 and chunk.losses >= self._terms.losses:
                lost = LostWorkerError(ended.reason, ended.status, time.monotonic() - post.begun)
                self._done[chunk.first] = (chunk.pieces[0], Raised(lost))
            else:
                waiting[:0] = chunk.halves()
        self._stock.extendleft(reversed(waiting))

    def _dismiss(self, post: _Post[Work]) -> None:
        del self._posts[post.worker]
        post.worker.end()

    def _until_deadline(self) -> float | None:
        """Seconds until the first piece is overdue."""
        if self._terms.deadline is None:
            return None
        due = [self._due(post) for post in self._posts.values() if post.chunks]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _due(self, post: _Post[Work]) -> float:
        assert self._terms.deadline is not None
        return post.begun + self._terms.deadline.seconds + self._terms.deadline.starting * (not post.answered)

    def _end_overdue(self) -> None:
        if self._terms.deadline is None:
            return
        now = time.monotonic()
        for post in [post for post in self._posts.values() if post.chunks and self._due(post) <= now]:
            self._dismiss(post)
            (chunk,) = post.chunks
            self._done[chunk.first] = (chunk.pieces[0], Raised(DeadlineExceededError(now - post.begun)))
