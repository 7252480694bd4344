"""Selection of start times to mark as sold out, so that a given plan becomes the only one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from random import Random

from planspec.dsl.model.rows import Row
from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.problem import Rooted
from planspec.solvers.lowering.problem import Lowered, lower
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid_plan, has_identity
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.ground import Ground
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True, order=True)
class Start:
    """A possible start time of a visit.

    Attributes:
        place: id of the place.
        day: day as an ordinal.
        at: minutes after midnight.
    """

    place: str
    day: int
    at: int

    @property
    def date(self) -> date:
        """The day as a date."""
        return date.fromordinal(self.day)


@dataclass(slots=True)
class StartRemovalSearch:
    """Search for start times to remove, so that a plan becomes unique.

    The search asks the solver for another plan, removes a start time that only the other plan uses, and asks again.
    When there is no other plan, the solver reports the removals that its proof uses. Each of them is then undone if the
    plan stays unique without it. Every removal in the result is therefore needed, but a smaller set may exist.
    (`planspec tighten` finds a smallest set, but takes much longer.)

    Args:
        ground: task with the original start times.
        plan: plan to make unique.
        random: source of the order in which removals are undone.
        limits: limits of the whole search.
    """

    ground: Ground
    plan: Plan
    random: Random
    limits: Limits
    _lowered: Lowered = field(init=False)
    _seen: Counter[Start] = field(default_factory=Counter)

    def find_starts(self) -> frozenset[Start] | None:
        """Return the start times to remove. Return None if time runs out or another plan has the same start times."""
        clock = TimeBudget(self.limits)
        removed: frozenset[Start] | None = None
        with suppress(LimitReachedError), clock:
            self._lowered = lower(self.ground)
            removed = self._search(clock)
        return removed

    def _search(self, clock: TimeBudget) -> frozenset[Start] | None:
        different = forbid_plan(self._lowered, self.plan)
        if different is None:
            return None
        session = backend("cpsat").open(self._lowered.problem, clock.limits)
        session.add(different, "another plan")
        own_starts = frozenset(_starts(self.plan))
        removed: dict[Start, Rooted] = {}
        while True:
            outcome = clock.ask(session, assumptions=list(removed.values()))
            if outcome.status is Status.INFEASIBLE:
                break
            if not outcome.found:
                return None
            other = set(_starts(witness(self._lowered, outcome.values))) - own_starts
            if not other:
                return None
            self._seen.update(other)
            # Remove late start times first. Other plans can then begin in the morning, but cannot be completed.
            start = max(sorted(other), key=lambda s: (s.day, s.at, self._seen[s]))
            removed[start] = self._condition_without(start)
        needed = {start: cond for start, cond in removed.items() if cond.origin in outcome.core}
        for start in self.random.sample(sorted(needed), len(needed)):
            fewer = {other: cond for other, cond in needed.items() if other != start}
            if clock.ask(session, assumptions=list(fewer.values())).status is Status.INFEASIBLE:
                needed = fewer
        return frozenset(needed)

    def _condition_without(self, start: Start) -> Rooted:
        """Return the constraint that no visit begins at `start`."""
        model, coding = self._lowered.problem.model, self._lowered.coding
        columns = ("place", "day", "start")
        place = self.ground.task.facts["Place"].by_key[(start.place,)]
        codes = [coding.code("visits", c, v) for c, v in zip(columns, (place, start.day, start.at), strict=True)]
        visits = [row for row in self._lowered.problem.rows if row.table == "visits"]
        condition = model.negate(model.disj(has_identity(self._lowered, row, columns, codes) for row in visits))
        return Rooted(condition, f"taken:{start.place}:{start.day}:{start.at}")


def _starts(plan: Plan) -> Iterator[Start]:
    for visit in plan.tables["visits"]:
        yield Start(_id_of(visit.place), visit.day, visit.start)  # type: ignore[attr-defined]


def _id_of(row: Row) -> str:
    return str(row._key[0])
