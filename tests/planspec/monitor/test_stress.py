"""Eight concurrent writers with random rollbacks never violate a guard or wait forever."""

from __future__ import annotations

import multiprocessing
import threading
from collections import Counter
from pathlib import Path

import pytest

from planspec.monitor import Monitor, connect, serve
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan
from planspec.verifiers.monotone.watch import watches
from tests.paths import ROOT
from tests.planspec.monitor.small_trip import lasting_violations, small_trip
from tests.planspec.monitor.writers import act_at_random, act_over_a_connection, hold_lock_for_ever
from tests.verifiers.growing_plans import broken

WRITERS = 8
LONGEST_S = 120
CODES = {"ACCEPTED", "BUDGET_EXCEEDED", "DUPLICATE_VENUE", "DUPLICATE_KEY", "MODES"}


@pytest.mark.slow
def test_eight_threads_never_violate_a_guard() -> None:
    """The interpreter and an independent check judge each snapshot."""
    task = small_trip()
    monitor = Monitor(task, timeout_s=60.0)
    seen: Counter[str] = Counter()
    failures: list[BaseException] = []

    def writer(seed: int) -> None:
        ground_ = ground(task)
        watches_of_task = watches(ground_)

        def find_violations() -> list[str]:
            plan = Plan(monitor.plan().tables)
            return [*map(str, broken(ground_, watches_of_task, plan)), *lasting_violations(monitor.tables())]

        try:
            seen.update(act_at_random(monitor, seed, 150, find_violations))
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
    assert not monitor.lock.held and monitor.lock.waiting == 0
    assert set(seen) >= CODES, "too few ways to be refused were met"


@pytest.fixture
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let new processes import this package, whatever folder the tests were started in."""
    monkeypatch.syspath_prepend(str(ROOT))


@pytest.mark.slow
def test_eight_processes_never_violate_a_guard(tmp_path: Path, importable: None) -> None:
    monitor = Monitor(small_trip(), timeout_s=60.0)
    spawn = multiprocessing.get_context("spawn")
    results = spawn.Queue()
    with serve(monitor, tmp_path / "monitor") as server:
        writers = [
            spawn.Process(
                target=act_over_a_connection, args=(str(server.address), seed, 60, results), daemon=True
            )
            for seed in range(WRITERS)
        ]
        for writer in writers:
            writer.start()
        counts = dict(results.get(timeout=LONGEST_S) for _ in writers)
        for writer in writers:
            writer.join(LONGEST_S)
        assert [writer.exitcode for writer in writers] == [0] * WRITERS, counts
        with connect(server.address) as last:
            assert not lasting_violations(last.tables())
            assert last.tables() == monitor.tables()
    assert sum(count for seen in counts.values() for count in seen.values()) > 100
    assert not monitor.lock.held


@pytest.mark.slow
def test_a_writer_killed_while_it_holds_the_lock_does_not_block_others(
    tmp_path: Path, importable: None
) -> None:
    monitor = Monitor(small_trip(), timeout_s=60.0)
    spawn = multiprocessing.get_context("spawn")
    with serve(monitor, tmp_path / "monitor") as server:
        ready = spawn.Event()
        victim = spawn.Process(target=hold_lock_for_ever, args=(str(server.address), ready), daemon=True)
        victim.start()
        assert ready.wait(LONGEST_S)
        assert monitor.lock.held
        victim.kill()
        with connect(server.address) as other:
            assert isinstance(other.checkpoint(), int)
            assert other.rollback() == monitor.check({})
        victim.join(LONGEST_S)
