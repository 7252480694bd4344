"""Clients of a monitor that commit, look ahead and roll back at random, and check the plan at every step."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from planspec.monitor import Client, Monitor, Refusal, connect
from planspec.monitor.replies import reply_json
from tests.planspec.monitor.small_trip import random_action, violations_in


def run_writer(
    monitor: Monitor | Client, seed: int, steps: int, find_violations: Callable[[], list[str]]
) -> dict[str, int]:
    """Perform random operations. Return the number of replies of each kind.

    Raises:
        AssertionError: a guard was violated at some moment.
    """
    random, seen = Random(seed), dict[str, int]()
    tokens: list[int] = []
    for _ in range(steps):
        kind = random.random()
        replies: list[Any] = []
        if kind < 0.6:
            replies = [monitor.commit(random_action(random))]
        elif kind < 0.7:
            replies = [monitor.check(random_action(random))]
        elif kind < 0.8:
            token = monitor.checkpoint()
            assert isinstance(token, int), token
            tokens.append(token)
        elif kind < 0.9:
            named = tokens.pop(random.randrange(len(tokens))) if tokens and random.random() < 0.5 else None
            replies = [monitor.rollback(named)]
        else:
            with monitor.hold():  # a transaction, which is committed as a whole or not at all
                token = monitor.checkpoint()
                before = monitor.tables()
                replies = [monitor.commit(random_action(random)) for _ in range(3)]
                if any(isinstance(reply, Refusal) for reply in replies):
                    assert not isinstance(monitor.rollback(token if isinstance(token, int) else None), Refusal)
                    assert monitor.tables() == before
        for reply in replies:
            code = reply_json(reply).get("code", "ACCEPTED")
            seen[code] = seen.get(code, 0) + 1
        wrong = find_violations()
        assert not wrong, wrong
    return seen


def run_writer_over_the_wire(address: str, seed: int, steps: int, results: Any) -> None:
    """Run a random writer in a separate process."""
    try:
        with connect(address) as client:
            results.put((seed, run_writer(client, seed, steps, lambda: violations_in(client.tables()))))
    except BaseException as error:
        results.put((seed, repr(error)))
        raise


def hold_forever(address: str, ready: Any) -> None:
    """Take the lock and never release it."""
    client = connect(address)
    with client.hold():
        ready.set()
        import time

        time.sleep(600)
