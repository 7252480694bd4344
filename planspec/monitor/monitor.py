"""The monitor: one plan that several agents build, whose guarded rules hold at every moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from planspec.dsl.model.task import Task
from planspec.errors import InexpressiblePlanError
from planspec.families.registry import family_of
from planspec.monitor import replies
from planspec.monitor.actions import Actions
from planspec.monitor.guards import Guard, Watcher
from planspec.monitor.lock import TIMEOUT_S, TicketLock
from planspec.monitor.nights import NoNightsError, TripDays
from planspec.monitor.replies import OK, Accepted, Refusal, Reply
from planspec.verifiers.answers.tables import write_tables
from planspec.verifiers.meaning.ground import ground
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.completion import Completion, Completions

MOST_CHECKPOINTS = 1000
"""The most checkpoints that are remembered."""
LONGEST_TRIP = 1000
"""Days of a trip whose task does not say how long it is."""
LOOK_AHEAD_S = 2.0
"""The default time of a look ahead, in seconds."""

T = TypeVar("T")


class Monitor:
    """A plan that grows by actions, none of which breaks what is guarded.

    An action is rows by table as JSON: `{"meals": [{"day": "2022-03-16", "meal": "lunch", "restaurant": "Name, City"}]}`.
    It is done as a whole or not at all. Threads share a monitor; processes reach it through `serve` and `connect`.
    Invariant: on the committed rows every guard holds, and no row, once committed, is changed but by filling what it left
    open, or by a rollback.

    Args:
        task: any checked task.
        look_ahead: refuse an action too after which no completion exists, by asking CP-SAT.
        limits: of each such question; without it two seconds and one worker. The lock is held meanwhile.
        timeout_s: how long to wait for the lock, in seconds.

    Raises:
        DiagnosticError: the task's scope or instances have errors; with `look_ahead`, it has no encoding.
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
        self._plan = self._actions.empty()
        self._checkpoints: dict[int, Plan] = {}
        self._tokens = 0
        self._completions = self._ahead(limits) if look_ahead else None
        self._watcher.refusal(self._plan)  # compiles

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The guards that are enforced."""
        return self._watcher.guards

    # -- transactions -----------------------------------------------------------------------------------

    def check(self, action: Mapping[str, Any]) -> Reply:
        """Check whether an action could be committed now; changes nothing."""
        return self._locked(lambda: self._tried(action)[1])

    def commit(self, action: Mapping[str, Any]) -> Reply:
        """Do an action as a whole, or refuse it and change nothing."""

        def work() -> Reply:
            plan, reply = self._tried(action)
            if isinstance(reply, Accepted):
                self._plan = plan
            return reply

        return self._locked(work)

    def checkpoint(self) -> int | Refusal:
        """Remember the plan as it is; the token names the place. After 1,000 the oldest are forgotten."""

        def work() -> int | Refusal:
            self._tokens += 1
            self._checkpoints[self._tokens] = self._plan
            if len(self._checkpoints) > MOST_CHECKPOINTS:
                del self._checkpoints[next(iter(self._checkpoints))]
            return self._tokens

        return self._locked(work)

    def rollback(self, token: int | None = None) -> Reply:
        """Go back to a checkpoint, the latest without a token; it and those made after it are forgotten."""

        def work() -> Reply:
            place = next(reversed(self._checkpoints), None) if token is None else token
            if place is None or place not in self._checkpoints:
                said = "there is no checkpoint" if token is None else f"checkpoint {token} is gone"
                return Refusal(replies.NO_CHECKPOINT, None, said)
            self._plan = self._checkpoints[place]
            self._checkpoints = {k: plan for k, plan in self._checkpoints.items() if k < place}
            return OK

        return self._locked(work)

    @contextmanager
    def hold(self, timeout_s: float | None = None) -> Iterator[None]:
        """Keep everyone else out for several operations.

        Raises:
            TimeoutError: others held the lock for too long.
        """
        if not self.lock.acquire(timeout_s):
            raise TimeoutError("the monitor's lock was not to be had in time")
        try:
            yield
        finally:
            self.lock.release()

    # -- what there is ----------------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The committed rows, as they are at one moment; the plan never changes."""
        return self._plan

    def tables(self) -> dict[str, Any]:
        """The committed rows as the plan's tables in JSON."""
        return write_tables(self.task, self._plan)

    def answer(self) -> Any:
        """The committed rows as an answer in the family's format; as tables where that cannot say them."""
        plan = self._plan
        try:
            return self._format.encode(self.task, plan)
        except InexpressiblePlanError:
            return write_tables(self.task, plan)

    def day(self, number: int, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The action that a day of the family's own answers says.

        Args:
            number: of the day, from 1.
            entry: such as `{"current_city": "from A to B", "transportation": ..., "breakfast": "-", ...}`.

        Raises:
            ValueError: the task's answers are no lists of days, there is no such day, or it cannot be read.
        """
        if not self._format.lists:
            raise ValueError(f"answers to `{self.task.id}` are no lists of days")
        if not 1 <= number <= self._days():
            raise ValueError(f"days count from 1 to {self._days()}")
        plan, findings = self._format.decode(self.task, [{}] * (number - 1) + [dict(entry)])
        for finding in findings:
            lost = finding.kind == "unknown-column"  # what is said under another name would be lost
            if lost or (finding.fails and finding.kind != "unknown-name"):  # names are for `check` to refuse
                raise ValueError(finding.message)
        return {name: rows for name, rows in write_tables(self.task, plan).items() if rows}

    def _days(self) -> int:
        """The number of days that an answer may have."""
        try:
            return len(TripDays.of(self.task).days)
        except NoNightsError:
            return LONGEST_TRIP

    # -- nights -----------------------------------------------------------------------------------------

    def get_remaining_nights(self, city: str, day: int | str | date | None = None) -> int:
        """The number of nights on end, from a day on, that can still be spent in a city.

        A night belongs to the day before it; the trip's last day has none. A night can still be spent in the city if its
        day is not committed to another city and has no hotel yet. With `look_ahead` the run is shortened as long as
        CP-SAT proves that no plan in scope, with the committed rows, spends all of its nights in the city; what it cannot
        decide counts as possible. A hotel with a longer minimum stay can then not be begun on that day.

        Args:
            city: its name.
            day: where to begin: a number from 1, a date or its text; without one, wherever most nights are left.

        Raises:
            NoNightsError: the task has no trip, or not that day or city.
            TimeoutError: others held the lock for too long.
        """
        trip = TripDays.of(self.task)
        row = self._actions.names.row(city, trip.cities)
        if row is None:
            raise NoNightsError(f"no city is called `{city[:60]}`")
        start = None if day is None else trip.day(day)
        with self.hold():
            runs = sorted(trip.runs(self._plan, row, start), key=len, reverse=True)
            if self._completions is None:
                return len(runs[0]) if runs else 0
            most = 0
            for run in runs:
                for count in range(len(run), most, -1):
                    more = {"days": trip.stay(row, run[:count])}
                    if self._completions.ask(self._plan, more).status.value != "infeasible":
                        most = count
                        break
            return most

    def is_final_accommodation_day(self, day: int | str | date) -> bool:
        """A hotel is slept in on the night of this day, and on none after it.

        It is so of the day before the trip's last, whatever is committed.

        Args:
            day: a number from 1, a date or its text.

        Raises:
            NoNightsError: the task has no trip, or not that day.
        """
        trip = TripDays.of(self.task)
        return bool(trip.nights) and trip.day(day) == trip.nights[-1]

    # -- how --------------------------------------------------------------------------------------------

    def _locked(self, work: Callable[[], T]) -> T | Refusal:
        if not self.lock.acquire():
            waited = f"the lock was not to be had within {self.lock.timeout_s:g} s"
            return Refusal(replies.LOCK_TIMEOUT, None, waited)
        try:
            return work()
        finally:
            self.lock.release()

    def _tried(self, action: Mapping[str, Any]) -> tuple[Plan, Reply]:
        """The plan with the action, and whether it may be so."""
        plan = self._actions.grown(self._plan, action)
        if isinstance(plan, Refusal):
            return self._plan, plan
        refusal = self._watcher.refusal(plan)
        if refusal is not None:
            return self._plan, refusal
        return (
            (plan, OK)
            if self._completions is None
            else (plan, self._looked_ahead(self._completions.ask(plan)))
        )

    def _looked_ahead(self, found: Completion) -> Reply:
        from planspec.solvers.backends.outcome import Status

        match found.status:
            case Status.FEASIBLE | Status.OPTIMAL:
                return Accepted(proved=True)
            case Status.INFEASIBLE:
                rows = ", ".join(dict.fromkeys(found.core))
                why = f"{rows} cannot go together with the rules" if rows else "the rules alone allow none"
                message = f"no plan in the task's scope completes this: {why}"
                return Refusal(replies.DEAD_END, None, message)
            case Status.UNKNOWN:
                return Accepted(
                    proved=False,
                    note="no completion was found in time, nor proved impossible"
                    if found.outside is None
                    else f"{found.outside} is outside of the task's scope, where nothing is searched",
                )

    def _ahead(self, limits: Limits | None) -> Completions:
        from planspec.solvers.backends.outcome import Limits
        from planspec.solvers.questions.completion import Completions

        return Completions(self._ground, limits=limits or Limits(seconds=LOOK_AHEAD_S))


__all__ = ["LOOK_AHEAD_S", "Monitor", "NoNightsError"]
