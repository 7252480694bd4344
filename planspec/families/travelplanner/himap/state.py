"""The state that day executors share without a monitor, and the repair of days that nobody held together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.travelplanner.himap.ledger import Ledger
from planspec.monitor import OK, Monitor, Refusal, Reply
from planspec.monitor.actions import Actions
from planspec.verifiers.meaning.plan_rows import Plan


class Unwatched:
    """A state that refuses nothing: executors learn nothing of each other."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Accepted, whatever it is."""
        return OK

    def checkpoint(self) -> int | Refusal:
        """There is nothing to remember."""
        return 0

    def rollback(self, token: int | None = None) -> Reply:
        """There is nothing to undo."""
        return OK


class Deferred:
    """A state that is settled later, before anything is committed.

    Attributes:
        inner: what it is.
    """

    def __init__(self) -> None:
        self.inner: Monitor | Unwatched = Unwatched()

    @property
    def left(self) -> int | None:
        """See `Ledger.left`; None where nobody watches."""
        return self.inner.left if isinstance(self.inner, Ledger) else None

    def check(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.check`."""
        return OK if isinstance(self.inner, Unwatched) else self.inner.check(action)

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.commit`."""
        return self.inner.commit(action)

    def checkpoint(self) -> int | Refusal:
        """See `Monitor.checkpoint`."""
        return self.inner.checkpoint()

    def rollback(self, token: int | None = None) -> Reply:
        """See `Monitor.rollback`."""
        return self.inner.rollback(token)


def together(task: Task, actions: Iterable[Mapping[str, Any]]) -> Plan:
    """The plan that the days' actions make, whatever the rules say of it.

    Args:
        task: whose plan it is.
        actions: of the days, in order; one that contradicts those before it is left out.
    """
    grower = Actions(task)
    plan = grower.empty()
    for action in actions:
        grown = grower.grown(plan, action)
        plan = plan if isinstance(grown, Refusal) else grown
    return plan
