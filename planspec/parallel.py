"""Work that is the same for many things, in this process or in several."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Work = TypeVar("Work")
Result = TypeVar("Result")


def map_parallel(
    do: Callable[[Work], Result],
    work: Iterable[Work],
    jobs: int,
    *,
    chunk: int = 1,
    ahead: int | None = None,
    begin: Callable[[], None] | None = None,
    spawn: bool = False,
) -> Iterator[Result]:
    """The results for all pieces of work, in their order, each as soon as it and those before it are there.

    With one job, or one piece, everything is done here and when it is asked for.

    Args:
        do: a function of a module, since it is sent to processes by its name.
        work: is taken from as processes have room for it.
        jobs: processes.
        chunk: pieces that are sent to a process at a time.
        ahead: chunks for each process that are begun before the results in front of them are asked for; None for all.
        begin: is called in each new process.
        spawn: processes start afresh, without what this one has loaded and locked.
    """
    coming = iter(work)
    first = list(islice(coming, 2))
    coming = chain(first, coming)
    if jobs == 1 or len(first) < 2:
        yield from map(do, coming)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    chunks = iter(lambda: list(islice(coming, chunk)), [])
    waiting: deque[Future[list[Result]]] = deque()
    with ProcessPoolExecutor(jobs, get_context("spawn") if spawn else None, begin) as pool:
        try:
            most = None if ahead is None else ahead * jobs
            waiting.extend(pool.submit(_do_all, do, some) for some in islice(chunks, most))
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(pool.submit(_do_all, do, some) for some in islice(chunks, 1))
                yield from done
        finally:  # nobody asks for the rest
            for future in waiting:
                future.cancel()


def _do_all(do: Callable[[Work], Result], some: Sequence[Work]) -> list[Result]:
    return [do(one) for one in some]
