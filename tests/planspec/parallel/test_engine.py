"""Work in several processes gives the results of one process, even if single calls or processes fail."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from planspec.dsl.diagnostics.diagnostic import DiagnosticError
from planspec.errors import LimitReachedError, LostWorkerError
from planspec.parallel import DeadlineExceededError, PerWorker, PieceDeadline, map_parallel, naming
from tests.planspec.parallel import pieces
from tests.planspec.parallel.pieces import square


@pytest.mark.parametrize("options", [{}, {"chunk": 3}, {"ahead": 1}, {"chunk": 2, "ahead": 2}, {"light": True}])
@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_work(jobs: int, options: dict[str, Any]) -> None:
    assert list(map_parallel(square, range(7), jobs, **options)) == [n * n for n in range(7)]
    assert list(map_parallel(square, [], jobs, **options)) == []


def test_a_result_waits_for_the_results_of_earlier_pieces() -> None:
    assert list(map_parallel(pieces.finish_in_reverse, range(5), 2)) == list(range(5))


def test_unordered_results_come_as_soon_as_they_are_ready() -> None:
    order = list(map_parallel(PerWorker(make_sleep), [0.3, 0.0, 0.01], 2, ordered=False))
    assert order == [0.0, 0.01, 0.3]


def make_sleep() -> Any:
    """Return the function `sleep`, as a worker's function."""
    return pieces.sleep


def test_pieces_of_work_are_taken_from_the_iterator_only_as_far_ahead_as_allowed() -> None:
    taken: list[int] = []

    def work() -> Iterator[int]:
        for n in range(100):
            taken.append(n)
            yield n

    results = map_parallel(square, work(), 2, ahead=2)
    assert list(islice(results, 3)) == [0, 1, 4]
    assert len(taken) <= 2 * 2 + 3
    results.close()  # type: ignore[attr-defined]


def test_large_pieces_of_work_and_large_results_cause_no_deadlock() -> None:
    sizes = [5_000_000] * 6
    assert [len(received) for received in map_parallel(pieces.large_result, sizes, 2, chunk=2)] == sizes
    work = [bytes(5_000_000)] * 6
    assert list(map_parallel(len, work, 2, chunk=2)) == sizes


def test_an_error_in_a_piece_of_work_is_raised_after_the_results_of_earlier_pieces() -> None:
    for jobs, chunk in ((1, 1), (2, 1), (2, 3)):
        results = map_parallel(square, [1, 2, -1, 3, -2], jobs, chunk=chunk)
        assert list(islice(results, 2)) == [1, 4]
        with pytest.raises(ValueError, match="-1 is negative"):
            next(results)


def test_a_fallback_replaces_the_result_of_a_piece_of_work_that_raises_an_error() -> None:
    for jobs, chunk in ((1, 1), (2, 1), (2, 3)):
        received = list(map_parallel(square, [1, -1, 2, -2, 3], jobs, chunk=chunk, failed=negative_hundredfold))
        assert received == [1, -100, 4, -200, 9]


def negative_hundredfold(n: int, error: Exception) -> int:
    """Return the result that replaces the square of a negative number."""
    assert str(error) == f"{n} is negative"
    return 100 * n


def test_exceptions_of_a_worker_arrive_unchanged() -> None:
    with pytest.raises(LimitReachedError, match="memory ran out") as limit:
        list(map_parallel(pieces.raise_limit_error, "ab", 2))
    assert (limit.value.reason, limit.value.exit_code) == ("memory", 3)
    with pytest.raises(DiagnosticError) as wrong:
        list(map_parallel(pieces.raise_diagnostic_error, "ab", 2))
    assert wrong.value.diagnostics == ()


def test_a_result_that_cannot_be_sent_is_an_error_of_its_piece_of_work() -> None:
    with pytest.raises(RuntimeError, match=r"lambda|pickle"):
        list(map_parallel(pieces.unpicklable_result, "ab", 2))


@pytest.mark.parametrize("chunk", [1, 5, 40])
def test_a_piece_of_work_that_always_ends_its_process_is_identified_and_does_not_affect_others(chunk: int) -> None:
    received = list(map_parallel(pieces.kill_at_13, range(40), 2, chunk=chunk, failed=describe_lost_piece))
    assert received == [n * n if n != 13 else "13: LostWorkerError -9" for n in range(40)]


def describe_lost_piece(n: int, error: Exception) -> str:
    """Return the text that replaces the result of a piece of work whose process ended."""
    return pieces.describe_failure(n, error)


def test_without_a_fallback_a_piece_of_work_that_ends_its_process_ends_all_work() -> None:
    results = map_parallel(pieces.kill_at_13, range(40), 2, chunk=8)
    assert list(islice(results, 13)) == [n * n for n in range(13)]
    with pytest.raises(LostWorkerError, match="ended by SIGKILL, as where memory runs out"):
        next(results)


def test_a_lost_piece_of_work_can_be_named_in_the_error() -> None:
    results = map_parallel(pieces.kill_at_13, range(40), 2, chunk=8, failed=naming(lambda n: f"number {n}"))
    with pytest.raises(LostWorkerError, match=r"^number 13 cannot be worked on: .*ended by SIGKILL"):
        list(results)
    with pytest.raises(ValueError, match="-1 is negative"):
        list(map_parallel(pieces.square, [1, -1], 1, failed=naming(str)))


def test_a_piece_of_work_is_tried_again_after_its_process_ends_once(tmp_path: Path) -> None:
    make = partial(pieces.MarkingWorker, tmp_path, 5)
    assert list(map_parallel(PerWorker(make), range(12), 2, chunk=4)) == list(range(12))


def test_the_loss_of_a_process_does_not_count_against_queued_pieces(tmp_path: Path) -> None:
    make = partial(pieces.MarkingWorker, tmp_path, 0, each_time=True)
    received = list(map_parallel(PerWorker(make), range(12), 2, chunk=2, losses=1, failed=pieces.describe_failure))
    assert received == ["0: LostWorkerError 7", *range(1, 12)]


def test_an_exit_in_a_piece_of_work_ends_only_this_piece() -> None:
    received = list(map_parallel(pieces.exit_program, [1, 2], 2, failed=pieces.describe_failure))
    assert received == ["1: LostWorkerError None", "2: LostWorkerError None"]


def test_each_worker_reuses_its_function() -> None:
    received = list(map_parallel(PerWorker(pieces.CountingWorker), range(20), 2, chunk=2))
    by_process: dict[int, list[int]] = {}
    for process, count in received:
        by_process.setdefault(process, []).append(count)
    assert os.getpid() not in by_process
    assert all(counts == list(range(1, len(counts) + 1)) for counts in by_process.values())
    assert {process for process, _ in map_parallel(PerWorker(pieces.CountingWorker), range(3), 1)} == {os.getpid()}


def test_an_error_on_creating_a_worker_is_reported_as_one_of_the_first_piece_of_work() -> None:
    for jobs in (1, 2):
        with pytest.raises(FileNotFoundError, match=r"library\.yaml"):
            list(map_parallel(PerWorker(pieces.fail_on_creation), range(3), jobs))


def test_the_work_ends_with_an_error_if_no_worker_process_survives_its_start() -> None:
    with pytest.raises(LostWorkerError, match="no worker begins: its process ended with status 9"):
        list(map_parallel(square, range(3), 2, begin=pieces.die_on_start))


def test_a_piece_of_work_beyond_its_deadline_is_killed_and_reported() -> None:
    begun = time.monotonic()
    received = list(
        map_parallel(
            PerWorker(make_sleep),
            [0.0, 60.0, 0.01],
            1,
            apart=True,
            plain=True,
            deadline=PieceDeadline(0.3),
            failed=negated_seconds,
        )
    )
    assert received == [0.0, -60.0, 0.01]
    assert time.monotonic() - begun < 30


def negated_seconds(seconds: float, error: Exception) -> float:
    """Return the negated number of seconds, as the result of a piece of work beyond its deadline."""
    assert isinstance(error, DeadlineExceededError)
    assert error.seconds >= 0.3
    return -seconds


def test_processes_can_be_spawned() -> None:
    assert list(map_parallel(math.isqrt, [4, 9, 17], 2, spawn=True)) == [2, 3, 4]


def test_abandoning_the_iteration_kills_all_processes() -> None:
    before = child_processes()
    results = map_parallel(PerWorker(make_sleep), [0.0, *[60.0] * 8], 2)
    assert next(results) == 0.0
    begun = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - begun < 30
    assert child_processes() == before


def child_processes() -> list[str]:
    """Return the ids of the child processes of this process."""
    file = Path(f"/proc/self/task/{os.getpid()}/children")
    return file.read_text().split() if file.exists() else []


ENDLESS = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored if the tests run in the background
from planspec.parallel import PerWorker, map_parallel
from tests.planspec.parallel import pieces

def make():
    return pieces.sleep

if __name__ == "__main__":
    for done in map_parallel(PerWorker(make), [0.0, 0.0, 60.0, 60.0, 60.0], 2):
        print(done, flush=True)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_processes_do_not_outlive_their_parent(how: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd())}
    parent = subprocess.Popen(
        [sys.executable, str(tmp_path / "endless.py")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )
    assert parent.stdout is not None
    assert [parent.stdout.readline() for _ in range(2)] == [b"0.0\n", b"0.0\n"]
    children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    assert len(children) == 2
    parent.send_signal(how)
    parent.wait(30)
    parent.stdout.close()
    until = time.monotonic() + 30
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert not [child for child in children if is_running(child)]


def is_running(process: str) -> bool:
    """Return whether the process runs and is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
