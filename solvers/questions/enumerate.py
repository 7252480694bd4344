"""Enumeration of all plans of a task, their number, and their backbone (fields that are equal in all plans)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.lowering.decision_rows import FieldKey
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid, forbid_plan
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Count:
    """The number of plans of a task. Plans that differ only in fields that the task does not compare count once.

    Attributes:
        count: number of plans found.
        exact: whether there are no other plans; otherwise `count` is a lower bound.
        by: back ends that prove that there are no other plans: the one that counted, and a second one if it was
            consulted and agrees.
        disagreement: contradictory answers if the second back end found another plan although the first proved that
            there is none. The count is then a lower bound.
    """

    count: int
    exact: bool
    by: tuple[str, ...] = field(default=(), compare=False)
    disagreement: tuple[Opinion, ...] = ()


@dataclass(frozen=True, slots=True)
class Backbone:
    """The open fields (with several possible values) that are equal in every plan.

    Attributes:
        fixed: fields with the same value in all plans. Each is given as a table, the index of the row among the
            table's possible rows, and a column.
        open: number of compared fields (those that distinguish plans) for which the task allows several values.
        complete: whether all fields in `fixed` are proved to be equal in all plans. If not, a limit was reached, and
            some of them may differ.
    """

    fixed: tuple[tuple[str, int, str], ...]
    open: int
    complete: bool

    def __repr__(self) -> str:
        note = "" if self.complete else ", as far as known"
        return f"<Backbone: {len(self.fixed)} of {self.open} open fields{note}>"

    @property
    def share(self) -> float | None:
        """The number of `fixed` fields divided by the number of `open` ones, from 0 to 1; None if no field is open."""
        return len(self.fixed) / self.open if self.open else None


@dataclass(slots=True)
class PlanEnumeration:
    """An enumeration of a task's plans. Read `status` after the iteration.

    Attributes:
        lowered: the task, translated into a problem for solvers.
        backend: name of the back end that searches.
        limits: limits on the enumeration.
        status: INFEASIBLE once there are no other plans; UNKNOWN if a limit was reached first.
        forbidden: for each plan that was found or is in `earlier`, the condition that other plans differ from it.
        earlier: plans of the task that are already known. They are excluded from the search and not yielded.
    """

    lowered: Lowered
    backend: str = "cpsat"
    limits: Limits = field(default_factory=Limits)
    status: Status = Status.FEASIBLE
    forbidden: list[Bool] = field(default_factory=list)
    earlier: Sequence[Plan] = ()

    def __iter__(self) -> Iterator[Plan]:
        """Yield the plans in any order.

        All plans differ in fields that the task compares, and the verifier has accepted each of them.
        """
        clock = TimeBudget(self.limits)
        session: Session | None = None
        before: Outcome | None = None
        while True:
            try:
                with clock:  # the block ends before `yield`, so that the caller's time is not counted
                    session = session or self._open()
                    if before is not None:
                        self.forbidden.append(forbid(self.lowered, before.values))
                        session.add(self.forbidden[-1], "another plan")
                    before = clock.ask(session)
            except LimitReachedError:
                self.status = Status.UNKNOWN
                return
            if not before.found:
                self.status = before.status
                return
            yield witness(self.lowered, before.values)

    def _open(self) -> Session:
        """Open a session in which the plans of `earlier` are forbidden."""
        session = _open_session(self.backend, self.lowered, self.limits)
        for plan in self.earlier:
            other = forbid_plan(self.lowered, plan)
            if other is not None:
                self.forbidden.append(other)
                session.add(other, "another plan")
        return session


def count(
    lowered: Lowered,
    *,
    most: int = 1000,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    second: bool = False,
    on_plan: Callable[[Plan], None] = lambda _: None,
    earlier: Sequence[Plan] = (),
) -> Count:
    """Count the plans of a task, up to `most`.

    Args:
        lowered: the task, translated into a problem for solvers.
        most: maximum number of plans to count; if there are more, the count is a lower bound.
        backend: name of the back end that searches.
        limits: limits on the whole enumeration.
        second: whether a second back end may use all remaining time to confirm that there are no other plans.
        on_plan: function that is called with each new plan.
        earlier: different plans in scope that are already known. They are included in the count.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    plans = PlanEnumeration(lowered, backend, limits, earlier=earlier[:most])
    number = 0
    for plan in chain(plans.earlier, plans):
        on_plan(plan)
        number += 1
        if number > most:
            return Count(most, exact=False, by=(backend,))
    if plans.status is not Status.INFEASIBLE:
        return Count(number, exact=False, by=(backend,))
    look = second_look(lowered.problem, plans.forbidden, by=backend, clock=clock, thorough=second)
    if look.other is None or look.values is None:
        return Count(number, exact=True, by=look.by)
    opinions = (
        Opinion(backend, f"{number} plans"),
        Opinion(look.other, "another plan", witness(lowered, look.values)),
    )
    return Count(number + 1, exact=False, by=(), disagreement=opinions)


def backbone(lowered: Lowered, *, backend: str = "cpsat", limits: Limits = Limits()) -> Backbone | None:  # noqa: B008
    """Return the backbone: the open, compared fields that are equal in all plans; None if no plan was found.

    A field is open if the task allows several values for it, and compared if it distinguishes plans.

    Each query searches for a plan that differs in at least one field that has been equal so far. The number of queries
    is at most the number of open fields plus one.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    try:
        with clock:
            session = _open_session(backend, lowered, limits)
            first = clock.ask(session)
    except LimitReachedError:
        return None
    if not first.found:
        return None
    witness(lowered, first.values)
    problem = lowered.problem
    places = [
        (table, i, column)
        for table, rows in lowered.ground.rows.items()
        for i, row in enumerate(rows)
        for column in problem.identity.get(table, ())
        if row.fields[column].open
    ]
    slots = {table: lowered.slots.by_table[table] for table, _, _ in places}
    values = {
        place: evaluate(lowered.slots.codes[place], first.values)
        for place in places
        if evaluate(slots[place[0]][place[1]].present, first.values)
    }
    while values:
        try:
            with clock:
                session.add(_some_field_differs(lowered, values), "another value")
                other = clock.ask(session)
        except LimitReachedError:
            other = Outcome(Status.UNKNOWN)
        if not other.found:
            return Backbone(tuple(values), len(places), complete=other.status is Status.INFEASIBLE)
        witness(lowered, other.values)
        values = {
            place: value
            for place, value in values.items()
            if evaluate(slots[place[0]][place[1]].present, other.values)
            and evaluate(lowered.slots.codes[place], other.values) == value
        }
    return Backbone((), len(places), complete=True)


def _some_field_differs(lowered: Lowered, values: Mapping[FieldKey, int]) -> Bool:
    """Return the condition that at least one field does not have the given value, or belongs to an absent row.

    `values` maps a field (table, index of the row, column) to the integer that stands for its value.
    """
    model, slots = lowered.problem.model, lowered.slots
    condition = model.disj(
        model.negate(
            model.conj(
                (
                    slots.by_table[place[0]][place[1]].present,
                    model.is_zero(model.minus(slots.codes[place], model.constant(value))),
                )
            )
        )
        for place, value in values.items()
    )
    if condition is TRUE:  # pragma: no cover - a field equals its own value
        raise AssertionError("a field differs from itself in every plan")
    return condition


def _open_session(name: str, lowered: Lowered, limits: Limits) -> Session:
    return backend(name).open(lowered.problem, limits)
