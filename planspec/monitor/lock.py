"""A fair lock with timeouts. Waiters are served in order of arrival."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field

from planspec.deprecation import former_fields

TIMEOUT_S = 5.0
"""Default waiting time, in seconds."""


@dataclass(slots=True, eq=False)
class _Ticket:
    owner: Hashable
    served: threading.Event = field(default_factory=threading.Event)


@former_fields(held="is_held", waiting="waiter_count")
class TicketLock:
    """A first-come, first-served, reentrant lock.

    `release` hands the lock to the first waiter, so that no thread can overtake another. By default the owner is the
    current thread.

    Args:
        timeout_s: default waiting time of `acquire`, in seconds.
    """

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = timeout_s
        self._mutex = threading.Lock()
        self._queue: deque[_Ticket] = deque()
        self._owner: Hashable = None
        self._depth = 0

    def acquire(self, timeout_s: float | None = None, *, owner: Hashable = None) -> bool:
        """Take the lock. Return False if it was not available in time.

        Args:
            timeout_s: waiting time in seconds; None for the default.
            owner: owner of the lock; None for the current thread.
        """
        owner = threading.get_ident() if owner is None else owner
        with self._mutex:
            if self._owner == owner:
                self._depth += 1
                return True
            if self._owner is None:
                self._owner, self._depth = owner, 1
                return True
            ticket = _Ticket(owner)
            self._queue.append(ticket)
        served = False
        try:
            served = ticket.served.wait(self.timeout_s if timeout_s is None else timeout_s)
        finally:  # an interrupted waiter must leave the queue
            if not served:
                with self._mutex:
                    if ticket.served.is_set():  # the lock may have been handed over just before the timeout
                        served = True
                    else:
                        self._queue.remove(ticket)
        return served

    def release(self, *, owner: Hashable = None) -> None:
        """Release the lock once. It is free after as many releases as acquisitions.

        Raises:
            RuntimeError: the owner does not hold the lock.
        """
        owner = threading.get_ident() if owner is None else owner
        with self._mutex:
            if self._owner is None or self._owner != owner:
                raise RuntimeError("the lock is released by an owner that does not hold it")
            self._depth -= 1
            if not self._depth:
                self._hand_over()

    def drop(self, owner: Hashable) -> bool:
        """Release the lock completely for an owner that no longer exists. Return whether the owner held it."""
        with self._mutex:
            if self._owner is None or self._owner != owner:
                return False
            self._hand_over()
            return True

    @property
    def is_held(self) -> bool:
        """Whether the lock is held."""
        return self._owner is not None

    @property
    def waiter_count(self) -> int:
        """Number of waiting owners."""
        return len(self._queue)

    def _hand_over(self) -> None:
        if not self._queue:
            self._owner, self._depth = None, 0
            return
        ticket = self._queue.popleft()
        self._owner, self._depth = ticket.owner, 1
        ticket.served.set()
