"""All plans of a task, one after the other; how many there are; what is equal in all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from planspec.errors import LimitReachedError
from planspec.solvers.backends.outcome import Limits, Outcome, Status
from planspec.solvers.backends.protocol import Session
from planspec.solvers.backends.register import backend
from planspec.solvers.ir.evaluate import evaluate
from planspec.solvers.ir.nodes import TRUE, Bool
from planspec.solvers.lowering.decision_rows import FieldKey
from planspec.solvers.lowering.problem import Lowered
from planspec.solvers.questions.budget import TimeBudget
from planspec.solvers.questions.exclusion import forbid
from planspec.solvers.questions.second_look import Opinion, second_look
from planspec.solvers.questions.witness import witness
from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Count:
    """The number of plans, told apart as uniqueness tells them.

    Attributes:
        count: how many were found.
        exact: there are no others; otherwise `count` is a lower bound.
        by: the back ends that prove it: the one that counted, and a second one if it looked again and agrees.
        disagreement: where a second back end found another plan although the first one proved that there is none, the answer
            of each; then the count is a lower bound.
    """

    count: int
    exact: bool
    by: tuple[str, ...] = field(default=(), compare=False)
    disagreement: tuple[Opinion, ...] = ()


@dataclass(frozen=True, slots=True)
class Backbone:
    """The open fields that are equal in every plan.

    Attributes:
        fixed: (table, place of the row in the scope, column) of fields that have one value in all plans.
        open: how many fields the scope leaves open, of those that tell plans apart.
        complete: every other open field was seen with two values; otherwise `fixed` are those not refuted yet.
    """

    fixed: tuple[tuple[str, int, str], ...]
    open: int
    complete: bool

    def __repr__(self) -> str:
        known = "" if self.complete else ", as far as known"
        return f"<Backbone: {len(self.fixed)} of {self.open} open fields{known}>"

    @property
    def share(self) -> float | None:
        """The part of the open fields that are fixed; None where none is open."""
        return len(self.fixed) / self.open if self.open else None


@dataclass(slots=True)
class Plans:
    """An enumeration: iterate it, then ask `status`.

    Attributes:
        status: INFEASIBLE once there are no other plans; UNKNOWN if a limit was reached first.
        forbidden: for each plan that was found, the condition that another one differs from it.
    """

    lowered: Lowered
    backend: str = "cpsat"
    limits: Limits = field(default_factory=Limits)
    status: Status = Status.FEASIBLE
    forbidden: list[Bool] = field(default_factory=list)

    def __iter__(self) -> Iterator[Plan]:
        """Plans in no order, each different from those before, each accepted by the verifier."""
        clock = TimeBudget(self.limits)
        session: Session | None = None
        before: Outcome | None = None
        while True:
            try:
                with (
                    clock
                ):  # the block is left before a plan is handed out: what is done with it has its own time
                    session = session or _open(self.backend, self.lowered, self.limits)
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


def count(
    lowered: Lowered,
    *,
    most: int = 1000,
    backend: str = "cpsat",
    limits: Limits = Limits(),  # noqa: B008
    second: bool = False,
) -> Count:
    """Count the plans, up to `most`.

    Args:
        lowered: the problem.
        most: the most plans; then the count is a lower bound.
        backend: who searches.
        limits: its seconds hold for the whole enumeration.
        second: as `solve` takes it.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    plans = Plans(lowered, backend, limits)
    found = 0
    for _ in plans:
        found += 1
        if found > most:
            return Count(most, exact=False, by=(backend,))
    if plans.status is not Status.INFEASIBLE:
        return Count(found, exact=False, by=(backend,))
    look = second_look(lowered.problem, plans.forbidden, by=backend, clock=clock, thorough=second)
    if look.other is None or look.values is None:
        return Count(found, exact=True, by=look.by)
    opinions = (
        Opinion(backend, f"{found} plans"),
        Opinion(look.other, "another plan", witness(lowered, look.values)),
    )
    return Count(found + 1, exact=False, by=(), disagreement=opinions)


def backbone(lowered: Lowered, *, backend: str = "cpsat", limits: Limits = Limits()) -> Backbone | None:  # noqa: B008
    """The open fields that tell plans apart and are equal in every plan; None without a plan.

    Each question asks for a plan in which one of the fields that were equal so far differs, so there are no
    more questions than open fields.

    Raises:
        InternalError: a plan does not pass the verifier.
    """
    clock = TimeBudget(limits)
    try:
        with clock:
            session = _open(backend, lowered, limits)
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
                session.add(_differs(lowered, values), "another value")
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


def _differs(lowered: Lowered, values: Mapping[FieldKey, int]) -> Bool:
    """One of the fields has another value, or its row is absent."""
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


def _open(name: str, lowered: Lowered, limits: Limits) -> Session:
    return backend(name).open(lowered.problem, limits)
