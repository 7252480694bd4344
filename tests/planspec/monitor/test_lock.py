"""The lock serves waiting threads in order, is reentrant, and gives up after its timeout."""

from __future__ import annotations

import threading
import time

import pytest

from planspec.monitor import OK, Monitor, Refusal, TicketLock
from tests.planspec.monitor.small_trip import small_trip


def wait_for_waiters(lock: TicketLock, waiting: int) -> None:
    """Wait until this number of threads wait for the lock."""
    while lock.waiter_count != waiting:
        time.sleep(0.001)


def test_waiters_are_served_in_the_order_of_arrival() -> None:
    lock, served = TicketLock(30.0), []

    def wait(name: int) -> None:
        assert lock.acquire()
        served.append(name)
        lock.release()

    assert lock.acquire()
    threads = []
    for name in range(6):
        threads.append(threading.Thread(target=wait, args=(name,)))
        threads[-1].start()
        wait_for_waiters(lock, name + 1)
    lock.release()
    for thread in threads:
        thread.join(30)
    assert served == list(range(6))
    assert not lock.is_held


def test_the_owner_may_acquire_the_lock_again_and_must_release_it_as_often() -> None:
    lock = TicketLock()
    assert lock.acquire() and lock.acquire()
    lock.release()
    assert not lock.acquire(0.0, owner="another")
    lock.release()
    assert lock.acquire(0.0, owner="another")


def test_a_waiter_that_gives_up_does_not_block_later_ones() -> None:
    lock = TicketLock()
    assert lock.acquire(owner="a")
    assert not lock.acquire(0.01, owner="b")
    assert lock.waiter_count == 0
    lock.release(owner="a")
    assert not lock.is_held


def test_only_the_owner_of_the_lock_may_release_it() -> None:
    lock = TicketLock()
    with pytest.raises(RuntimeError):
        lock.release()
    lock.acquire(owner="a")
    with pytest.raises(RuntimeError):
        lock.release(owner="b")


def test_the_lock_of_a_vanished_owner_goes_to_the_next() -> None:
    lock = TicketLock(30.0)
    lock.acquire(owner="gone")
    lock.acquire(owner="gone")
    served = threading.Event()

    def wait() -> None:
        assert lock.acquire()
        served.set()

    thread = threading.Thread(target=wait)
    thread.start()
    wait_for_waiters(lock, 1)
    assert not lock.drop("another")
    assert lock.drop("gone")
    assert served.wait(30)
    thread.join(30)


def test_an_operation_that_cannot_get_the_lock_is_refused_and_changes_nothing() -> None:
    monitor = Monitor(small_trip(), timeout_s=0.02)
    monitor.lock.acquire(owner="another")
    for reply in (
        monitor.check({}),
        monitor.commit({"days": [{"day": "2026-07-01"}]}),
        monitor.rollback(),
        monitor.checkpoint(),
    ):
        assert isinstance(reply, Refusal)
        assert (reply.code, reply.message) == ("LOCK_TIMEOUT", "the lock was not available within 0.02 s")
    with pytest.raises(TimeoutError), monitor.hold():
        pass
    assert monitor.tables()["days"] == []
    monitor.lock.drop("another")
    with monitor.hold(), monitor.hold():
        assert monitor.commit({}) == OK
    assert not monitor.lock.is_held


def test_the_lock_waits_five_seconds_by_default() -> None:
    assert Monitor(small_trip()).lock.timeout_s == 5.0
