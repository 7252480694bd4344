"""The monitor: a plan built by several agents, on which the guarded rules hold at every moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Table
from planspec.errors import InexpressiblePlanError
from planspec.family.registry import family_of
from planspec.monitor import replies
from planspec.monitor.actions import Actions
from planspec.monitor.guards import Guard, Watcher
from planspec.monitor.lock import TIMEOUT_S, TicketLock
from planspec.monitor.replies import OK, Accepted, Refusal, Reply
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.completion import Completion, CompletionSearch

MOST_CHECKPOINTS = 1000
"""Maximum number of stored checkpoints."""
LONGEST_ANSWER = 1000
"""Maximum number of days in an answer that is a list of days."""
LOOK_AHEAD_S = 2.0
"""Default time limit of a search for a completion, in seconds."""

T = TypeVar("T")


class Monitor:
    """A plan that grows by actions. Actions that would violate a guard are refused.

    An action is a JSON object with rows by table: `{"meals": [{"day": "2022-03-16", "meal": "lunch", "restaurant":
    "Name, City"}]}`. It is committed as a whole or not at all. Several threads may use one monitor. Other processes
    reach it through `serve` and `connect`.

    Invariant: every guard holds on the committed rows. A committed row changes only if its open cells are filled, or by
    a rollback.

    Args:
        task: any checked task.
        look_ahead: whether to also refuse actions after which CP-SAT proves that the plan cannot be completed.
        limits: limits of each search for a completion, by default two seconds and one worker. The lock is held
            during the search.
        timeout_s: waiting time for the lock, in seconds.

    Raises:
        DiagnosticError: the task's scope or constraint instances have errors; with `look_ahead`, also if the task
            cannot be encoded for CP-SAT.
    """

    def __init__(
        self,
        task: Task,
        *,
        look_ahead: bool = False,
        limits: Limits | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.task = task
        self.lock = TicketLock(timeout_s)
        self._ground = ground(task)
        self._watcher = Watcher(self._ground)
        self._actions = Actions(task)
        self._format = family_of(task.family).format.load()
        self._plan = self._actions.empty_plan()
        self._checkpoints: dict[int, Plan] = {}
        self._tokens = 0
        self._completions = self._make_completions(limits) if look_ahead else None
        self._watcher.refusal(self._plan)  # compiles the guards now

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that the monitor enforces."""
        return self._watcher.guards

    # -- transactions -----------------------------------------------------------------------------------

    def check(self, action: Mapping[str, Any]) -> Reply:
        """Return the reply that `commit` would give now. The plan is unchanged."""
        return self._run_locked(lambda: self._try_action(action)[1])

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Commit an action as a whole, or refuse it."""

        def work() -> Reply:
            plan, reply = self._try_action(action)
            if isinstance(reply, Accepted):
                self._plan = plan
            return reply

        return self._run_locked(work)

    def checkpoint(self) -> int | Refusal:
        """Store the plan, and return a token for it. Of more than 1,000 checkpoints, the oldest are dropped."""

        def work() -> int | Refusal:
            self._tokens += 1
            self._checkpoints[self._tokens] = self._plan
            if len(self._checkpoints) > MOST_CHECKPOINTS:
                del self._checkpoints[next(iter(self._checkpoints))]
            return self._tokens

        return self._run_locked(work)

    def rollback(self, token: int | None = None) -> Reply:
        """Restore the plan of a checkpoint, by default the latest. This checkpoint and later ones are dropped."""

        def work() -> Reply:
            target = next(reversed(self._checkpoints), None) if token is None else token
            if target is None or target not in self._checkpoints:
                message = "there is no checkpoint" if token is None else f"checkpoint {token} is gone"
                return Refusal(replies.NO_CHECKPOINT, None, message)
            self._plan = self._checkpoints[target]
            self._checkpoints = {k: plan for k, plan in self._checkpoints.items() if k < target}
            return OK

        return self._run_locked(work)

    @contextmanager
    def hold(self, timeout_s: float | None = None) -> Iterator[None]:
        """Hold the lock within a `with` block, for several operations.

        Raises:
            TimeoutError: the lock was not available in time.
        """
        if not self.lock.acquire(timeout_s):
            raise TimeoutError("the monitor's lock was not available in time")
        try:
            yield
        finally:
            self.lock.release()

    # -- state ------------------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """Return a snapshot of the committed rows."""
        return self._plan

    def tables(self) -> dict[str, Any]:
        """Return the committed rows as JSON, by table."""
        return write_tables(self.task, self._plan)

    def answer(self) -> Any:
        """Return the committed rows in the family's answer format, or by table if the format cannot express them."""
        plan = self._plan
        try:
            return self._format.encode(self.task, plan)
        except InexpressiblePlanError:
            return write_tables(self.task, plan)

    def day(self, number: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Convert a day of the family's answer format into an action.

        Args:
            number: number of the day, counted from 1.
            entry: the day, such as `{"current_city": "from A to B", "transportation": ..., "breakfast": "-",
                ...}`.

        Raises:
            ValueError: answers to the task are not lists of days, there is no such day, or the entry cannot be read.
        """
        if not self._format.lists:
            raise ValueError(f"answers to `{self.task.id}` are not lists of days")
        if not 1 <= number <= LONGEST_ANSWER:
            raise ValueError(f"days count from 1 to {LONGEST_ANSWER}")
        plan, findings = self._format.decode(self.task, [{}] * (number - 1) + [dict(entry)])
        for finding in findings:
            is_lost = finding.kind == "unknown-column"  # an action would not have the content of the entry
            if is_lost or (finding.fails and finding.kind != "unknown-name"):  # `check` refuses unknown names later
                raise ValueError(finding.message)
        return {name: rows for name, rows in write_tables(self.task, plan).items() if rows}

    def find_row(self, table: Table, name: str) -> Row | None:
        """Return the row to which a name in an action would refer; None if there is no such row."""
        return self._actions.names.row(name, table)

    def can_extend(self, rows: Mapping[str, tuple[Row, ...]]) -> bool:
        """Return whether some plan in scope may contain the committed rows and the given rows.

        The result is False only if `look_ahead` is on and CP-SAT proves that there is no such plan.

        Args:
            rows: further rows by table.

        Raises:
            TimeoutError: the lock was not available in time.
        """
        if self._completions is None:
            return True
        with self.hold():
            return self._completions.ask(self._plan, rows).status.value != "infeasible"

    # -- implementation ---------------------------------------------------------------------------------

    def _run_locked(self, work: Callable[[], T]) -> T | Refusal:
        if not self.lock.acquire():
            message = f"the lock was not available within {self.lock.timeout_s:g} s"
            return Refusal(replies.LOCK_TIMEOUT, None, message)
        try:
            return work()
        finally:
            self.lock.release()

    def _try_action(self, action: Mapping[str, Any]) -> tuple[Plan, Reply]:
        """Return the resulting plan, unchanged if the action is refused, and the reply."""
        plan = self._actions.apply(self._plan, action)
        if isinstance(plan, Refusal):
            return self._plan, plan
        refusal = self._watcher.refusal(plan)
        if refusal is not None:
            return self._plan, refusal
        return (plan, OK) if self._completions is None else (plan, self._look_ahead_reply(self._completions.ask(plan)))

    def _look_ahead_reply(self, completion: Completion) -> Reply:
        from planspec.solvers.backends.outcome import Status

        match completion.status:
            case Status.FEASIBLE | Status.OPTIMAL:
                return Accepted(proved=True)
            case Status.INFEASIBLE:
                rows = ", ".join(dict.fromkeys(completion.core))
                why = f"{rows} are incompatible with the rules" if rows else "the rules alone allow none"
                message = f"no plan in the task's scope completes this: {why}"
                return Refusal(replies.DEAD_END, None, message)
            case Status.UNKNOWN:
                return Accepted(
                    proved=False,
                    note="no completion was found in time, nor was it proved impossible"
                    if completion.outside is None
                    else f"{completion.outside} is outside the task's scope, where nothing is searched",
                )

    def _make_completions(self, limits: Limits | None) -> CompletionSearch:
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions.completion import CompletionSearch

        return CompletionSearch(self._ground, limits=limits or Limits(seconds=LOOK_AHEAD_S))


__all__ = ["LOOK_AHEAD_S", "Monitor"]
