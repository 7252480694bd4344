"""The shared state of day executors without a monitor, and the assembly of their days into a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from planspec.dsl.model.task import Task
from planspec.families.travelplanner.himap.ledger import Ledger
from planspec.monitor import OK, Monitor, Refusal, Reply
from planspec.monitor.actions import Actions
from planspec.verifiers.meaning.plan_rows import Plan


class UnmonitoredState:
    """A state that refuses nothing: executors learn nothing of each other."""

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Accept any action."""
        return OK

    def checkpoint(self) -> int | Refusal:
        """Return a token; there is nothing to save."""
        return 0

    def rollback(self, token: int | None = None) -> Reply:
        """Accept; there is nothing to undo."""
        return OK


class Deferred:
    """A state that is set later, before anything is committed.

    Attributes:
        inner: the state.
    """

    def __init__(self) -> None:
        self.inner: Monitor | UnmonitoredState = UnmonitoredState()

    @property
    def left(self) -> int | None:
        """See `Ledger.left`; None without a monitor."""
        return self.inner.left if isinstance(self.inner, Ledger) else None

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


def together(task: Task, actions: Iterable[Mapping[str, Any]]) -> Plan:
    """Return the plan made by the days' actions, without checking constraints.

    Args:
        task: task of the plan.
        actions: actions of the days, in order; one that contradicts earlier ones is skipped.
    """
    grower = Actions(task)
    plan = grower.empty_plan()
    for action in actions:
        grown = grower.apply(plan, action)
        plan = plan if isinstance(grown, Refusal) else grown
    return plan
