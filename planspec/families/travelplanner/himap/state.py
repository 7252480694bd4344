"""Objects that executors can share instead of a monitor, and a function that combines planned days into a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.travelplanner.himap.ledger import Ledger
from planspec.monitor import OK, Monitor, Refusal, Reply
from planspec.monitor.actions import Actions
from planspec.verifiers.meaning.plan_rows import Plan


class UnmonitoredState:
    """Shared state that accepts every action. Executors therefore learn nothing about each other."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Accept any action."""
        return OK

    def checkpoint(self) -> int | Refusal:
        """Return a token. Nothing is saved."""
        return 0

    def rollback(self, token: int | None = None) -> Reply:
        """Accept the request. Nothing is undone."""
        return OK


class DeferredState:
    """Shared state that delegates to another state, which is set later, before anything is committed.

    Attributes:
        inner: the other state; initially one that accepts everything.
    """

    def __init__(self) -> None:
        self.inner: Monitor | UnmonitoredState = UnmonitoredState()

    @property
    def remaining(self) -> int | None:
        """Remaining budget in cents (see `Ledger.remaining`); None without a monitor."""
        return self.inner.remaining if isinstance(self.inner, Ledger) else None

    def check(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.check`."""
        return OK if isinstance(self.inner, UnmonitoredState) else self.inner.check(action)

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """See `Monitor.commit`."""
        return self.inner.commit(action)

    def checkpoint(self) -> int | Refusal:
        """See `Monitor.checkpoint`."""
        return self.inner.checkpoint()

    def rollback(self, token: int | None = None) -> Reply:
        """See `Monitor.rollback`."""
        return self.inner.rollback(token)


def combine_actions(task: Task, actions: Iterable[Mapping[str, Any]]) -> Plan:
    """Combine the actions of days into one plan, without checking constraints.

    Args:
        task: task of the plan.
        actions: actions of the days, in order. An action that contradicts earlier actions is skipped.
    """
    grower = Actions(task)
    plan = grower.empty_plan()
    for action in actions:
        grown = grower.apply(plan, action)
        plan = plan if isinstance(grown, Refusal) else grown
    return plan
