"""Tasks with turns: claims about each turn, and the smallest change from the plan of the turn before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Literal

from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import name_of
from planspec.dsl.documents.documents import task_from_path
from planspec.dsl.workspace.workspace import Workspace
from planspec.solvers.backends.register import PROVERS
from planspec.verifiers.answers.format import TABLES
from planspec.verifiers.meaning.retention import kept_share

if TYPE_CHECKING:
    from planspec.dsl.model.expectation import Expectation
    from planspec.dsl.model.reading import Reading
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.lowering.problem import Lowered
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.differences import PlanDifference
    from planspec.verifiers.meaning.ground import Ground
    from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Change:
    """The smallest change from an earlier turn's plan to a plan that satisfies this turn.

    Attributes:
        before: id of the earlier turn, which is the last one with a plan.
        previous: plan of the earlier turn, expressed in rows of this turn's task.
        status: `changed`; `unchanged` if the previous plan satisfies this turn; `infeasible` if no plan does;
            `unknown` if time ran out.
        edits: edits that turn the previous plan into the new one.
        proved_smallest: whether it is proved that no plan is nearer to the previous plan.
    """

    before: str
    previous: Plan
    status: Literal["changed", "unchanged", "infeasible", "unknown"]
    edits: tuple[PlanDifference, ...] = ()
    proved_smallest: bool = False


@dataclass(frozen=True, eq=False)
class TurnOutcome:
    """Outcome of one turn.

    Attributes:
        judge: judge of the turn's task.
        validation: claims on whether the turn has a plan, and whether it has only one.
        change: change from the previous plan; None if no earlier turn has a plan.
        plan: the plan: in the first turn with a plan a found one, in later turns the result of the change; None if
            there is none.
        conflict: ids of a minimal conflict of an infeasible turn; empty if none was proved in time.
    """

    judge: Judge
    validation: Validation
    change: Change | None
    plan: Plan | None
    conflict: tuple[str, ...] = ()

    def __repr__(self) -> str:
        claims = self.validation
        return f"<TurnOutcome of {self.judge.task.id}: {claims.feasible.status}, {claims.unique.status}>"

    @cached_property
    def kept(self) -> Fraction | None:
        """Share of the previous plan's cells that the new plan keeps; None if one of the plans is missing."""
        if self.change is None or self.plan is None:
            return None
        return kept_share(self.judge.task, self.change.previous, self.plan)


def follow(
    name: str | PathLike[str],
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits | None = None,
    workspace: Workspace | None = None,
) -> tuple[TurnOutcome, ...]:
    """Validate a task turn by turn, and find the smallest change from each turn's plan to the next.

    After a turn without a plan, the next turn starts from the last plan that was found.

    Args:
        name: file or id of a task. There is one outcome if the task has no turns or a turn is named.
        backends: back ends that prove the claims. The first also searches for the smallest changes.
        limits: limits per turn.
        workspace: opens the task.

    Raises:
        TypeError: `name` is neither a path nor an id. A checked task is refused because it is only one turn.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: a turn has errors, or cannot be encoded for solvers.
        InternalError: a plan does not pass the verifier.
    """
    return tuple(turn_outcomes(judges(name, workspace=workspace), backends=backends, limits=limits))


def judges(
    name: str | PathLike[str],
    *,
    workspace: Workspace | None = None,
    expects: Expectation | None = None,
    given: Mapping[str, str] | None = None,
    reading: Reading | None = None,
) -> Iterator[Judge]:
    """Yield the judge of each turn in order. There is only one if the task has no turns or a turn is named.

    Args:
        name: file or id of a task.
        workspace: opens the task.
        expects: expectation for turns without their own.
        given: new values of givens as YAML text, by the name of the given.
        reading: reading (interpretation) of its suite in which the task is read; None for the task as written.

    Raises:
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: a turn has errors.
    """
    catalog = Catalog(workspace)
    reference = catalog.named(name_of(name))
    count = catalog.turns(reference.path) if reference.turn is None else 0
    for turn in range(1, count + 1) if count else (reference.turn,):
        task = task_from_path(reference.path, catalog.workspace, turn=turn, given=given, reading=reading)
        yield Judge(task.with_default(expects))


def turn_outcomes(
    turns: Iterator[Judge],
    *,
    backends: Sequence[str] = PROVERS,
    limits: Limits | None = None,
    lowering: Callable[[Ground], Lowered] | None = None,
) -> Iterator[TurnOutcome]:
    """Yield the outcome of each turn (see `follow`) as soon as it is decided.

    `lowering` translates the tasks for the solvers. Pass one to share the translation with other questions.
    """
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.budget import TimeBudget
    from planspec.solvers.questions.claims import validate_claims

    limits = limits or Limits()
    last: tuple[Judge, Plan] | None = None
    for judge in turns:
        clock = TimeBudget(limits)
        with clock:
            ground = judge.ground
        validation = validate_claims(ground, backends=backends, limits=clock.rest, lowering=lowering)
        if last is None:
            change, plan = None, validation.witness
        else:
            change, plan = _change(judge, validation, last, backends[0], clock.rest)
        blocked = judge.task.turns > 0 and validation.feasible.status == "infeasible"
        conflict = _conflict(judge, backends[0], clock.rest) if blocked else ()
        yield TurnOutcome(judge, validation, change, plan, conflict)
        last = last if plan is None else (judge, plan)


def _change(
    judge: Judge, validation: Validation, last: tuple[Judge, Plan], backend: str, limits: Limits
) -> tuple[Change, Plan | None]:
    """Return the change from the last plan, and the resulting plan."""
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions import repair

    earlier, plan = last
    before = earlier.task.id
    # Rows are compared by identity, so the plan is rebuilt from rows of this turn's task.
    previous, _ = TABLES.decode(judge.task, TABLES.encode(earlier.task, plan))
    if validation.feasible.status == "infeasible":
        return Change(before, previous, "infeasible"), None
    if judge.plan(previous, details="none").status == "pass":
        return Change(before, previous, "unchanged", proved_smallest=True), previous
    repaired = repair.repair(judge.ground, previous, backend=backend, limits=limits)
    if repaired.plan is None:
        status: Literal["infeasible", "unknown"] = "infeasible" if repaired.status is Status.INFEASIBLE else "unknown"
        return Change(before, previous, status), None
    return Change(before, previous, "changed", repaired.edits, repaired.status is Status.OPTIMAL), repaired.plan


def _conflict(judge: Judge, backend: str, limits: Limits) -> tuple[str, ...]:
    from planspec.solvers.questions import conflicts as why

    conflict = why.why(judge.ground, backend=backend, limits=limits)
    return tuple(member.id for member in conflict.mus_sets[0]) if conflict.mus_sets else ()
