"""Eight concurrent writers with random rollbacks never violate a guard, and none waits forever."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from pathlib import Path

import pytest

from planspec.monitor import Monitor, connect, serve
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import monotone_parts
from tests.paths import ROOT
from tests.planspec.monitor.small_trip import small_trip, violations_in
from tests.planspec.monitor.writers import (
    hold_forever,
    run_writer,
    run_writer_over_the_wire,
)
from tests.verifiers.growing_plans import failed_conditions

WRITERS = 8
LONGEST_S = 120
CODES = {"ACCEPTED", "BUDGET_EXCEEDED", "DUPLICATE_VENUE", "DUPLICATE_KEY", "MODES"}


@pytest.mark.slow
def test_eight_threads_never_violate_a_guard() -> None:
    """Each snapshot is judged by the reference interpreter and by hand-written checks."""
    task = small_trip()
    monitor = Monitor(task, timeout_s=60.0)
    seen: Counter[str] = Counter()
    failures: list[BaseException] = []

    def writer(seed: int) -> None:
        ground_ = ground(task)
        watched = monotone_parts(ground_)

        def find_violations() -> list[str]:
            plan = Plan(monitor.plan().tables)
            return [*map(str, failed_conditions(ground_, watched, plan)), *violations_in(monitor.tables())]

        try:
            seen.update(run_writer(monitor, seed, 150, find_violations))
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=writer, args=(seed,), daemon=True) for seed in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONGEST_S)
    assert not any(thread.is_alive() for thread in threads), "a writer waits for ever"
    assert not failures
    assert not monitor.lock.is_held and monitor.lock.waiter_count == 0
    assert set(seen) >= CODES, "too few ways to be refused were met"


@pytest.fixture
def importable_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this package importable in new processes, from whatever folder the tests were started."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.slow
@pytest.mark.thorough
def test_eight_processes_never_violate_a_guard(tmp_path: Path, importable_tests: None) -> None:
    monitor = Monitor(small_trip(), timeout_s=60.0)
    spawn = multiprocessing.get_context("spawn")
    results = spawn.Queue()
    with serve(monitor, tmp_path / "monitor") as server:
        writers = [
            spawn.Process(target=run_writer_over_the_wire, args=(str(server.address), seed, 60, results), daemon=True)
            for seed in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        counts = dict(results.get(timeout=LONGEST_S) for _ in writers)
        for writer in writers:
            writer.join(LONGEST_S)
        assert [writer.exitcode for writer in writers] == [0] * WRITERS, counts
        with connect(server.address) as last:
            assert not violations_in(last.tables())
            assert last.tables() == monitor.tables()
    assert sum(count for seen in counts.values() for count in seen.values()) > 100
    assert not monitor.lock.is_held


@pytest.mark.slow
def test_a_writer_that_is_killed_while_it_holds_the_lock_stops_nobody(tmp_path: Path, importable_tests: None) -> None:
    monitor = Monitor(small_trip(), timeout_s=60.0)
    spawn = multiprocessing.get_context("spawn")
    with serve(monitor, tmp_path / "monitor") as server:
        ready = spawn.Event()
        victim = spawn.Process(target=hold_forever, args=(str(server.address), ready), daemon=True)
        victim.start()
        assert ready.wait(LONGEST_S)
        assert monitor.lock.is_held
        victim.kill()
        with connect(server.address) as other:
            assert isinstance(other.checkpoint(), int)
            assert other.rollback() == monitor.check({})
        victim.join(LONGEST_S)
