"""Writers that commit, check and roll back at random, and look for violations after every step."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from planspec.monitor import Client, Monitor, Refusal, connect
from planspec.monitor.replies import reply_json
from tests.planspec.monitor.small_trip import lasting_violations, random_action


def act_at_random(
    monitor: Monitor | Client, seed: int, steps: int, find_violations: Callable[[], list[str]]
) -> dict[str, int]:
    """Commit, check and roll back at random, and return the number of replies by code.

    Args:
        monitor: the monitor or a client of one.
        seed: seed of the random actions.
        steps: number of steps.
        find_violations: returns the violations in the current plan, as texts.

    Raises:
        AssertionError: a guarded part of a rule is violated after some step.
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
            with monitor.hold():  # a transaction: either all of it or nothing
                token = monitor.checkpoint()
                before = monitor.tables()
                replies = [monitor.commit(random_action(random)) for _ in range(3)]
                if any(isinstance(reply, Refusal) for reply in replies):
                    assert not isinstance(
                        monitor.rollback(token if isinstance(token, int) else None), Refusal
                    )
                    assert monitor.tables() == before
        for reply in replies:
            code = reply_json(reply).get("code", "ACCEPTED")
            seen[code] = seen.get(code, 0) + 1
        violations = find_violations()
        assert not violations, violations
    return seen


def act_over_a_connection(address: str, seed: int, steps: int, results: Any) -> None:
    """Act at random over a connection, and put the seed with the counts of replies or an error's text in `results`."""
    try:
        with connect(address) as client:
            results.put(
                (seed, act_at_random(client, seed, steps, lambda: lasting_violations(client.tables())))
            )
    except BaseException as error:
        results.put((seed, repr(error)))
        raise


def hold_lock_for_ever(address: str, ready: Any) -> None:
    client = connect(address)
    with client.hold():
        ready.set()
        import time

        time.sleep(600)
