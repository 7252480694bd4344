"""Tasks with turns, turn by turn: the claims about each, and the least change of the plan before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.validation import Validation
    from planspec.verifiers.meaning.differences import PlanDifference
    from planspec.verifiers.meaning.plan_rows import Plan


@dataclass(frozen=True, slots=True)
class Change:
    """The least change that leads from the plan of an earlier turn to one that satisfies this turn.

    Attributes:
        before: the id of the turn whose plan is changed: the last one that had a plan.
        previous: that plan, with the rows of this turn's task.
        status: `unchanged`: that plan does; `infeasible`: none does; `unknown`: time ran out.
        edits: what turns that plan into the new one.
        proved_smallest: no other plan is nearer.
    """

    before: str
    previous: Plan
    status: Literal["changed", "unchanged", "infeasible", "unknown"]
    edits: tuple[PlanDifference, ...] = ()
    proved_smallest: bool = False


@dataclass(frozen=True, eq=False)
class TurnOutcome:
    """The outcome of one turn.

    Attributes:
        judge: of the turn's task.
        validation: whether there is a plan and only one, as for any task.
        change: None for the first turn that has a plan, and as long as there is none.
        plan: of the first turn with a plan the witness, of the others what the change leads to; None without.
        conflict: the ids of a minimal conflict of an infeasible turn, if one was proved in time.
    """

    judge: Judge
    validation: Validation
    change: Change | None
    plan: Plan | None
    conflict: tuple[str, ...] = ()

    def __repr__(self) -> str:
        found = self.validation
        return f"<TurnOutcome of {self.judge.task.id}: {found.feasible.status}, {found.unique.status}>"

    @cached_property
    def kept(self) -> Fraction | None:
        """The share of the previous plan's cells that the plan keeps; None without a change to a plan."""
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
    """Validate a task turn by turn, and find the least change from each turn's plan to the next.

    A turn without a plan is a fact like others: the next turn then begins with the last plan there was.

    Args:
        name: a task's file or id; of a task without turns, or where a turn is named, there is one outcome.
        backends: who proves; the first of them searches for the least changes.
        limits: time for each turn, workers, seed.
        workspace: opens the task.

    Raises:
        TypeError: it is neither a path nor an id: the turns of a task are read from its file.
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: a turn has errors, or no encoding.
        InternalError: a plan does not pass the verifier.
    """
    return tuple(followed(judges(name, workspace=workspace), backends=backends, limits=limits))


def judges(name: str | PathLike[str], *, workspace: Workspace | None = None) -> Iterator[Judge]:
    """The judge of each turn in order; the only one for a task without turns, or if a turn is named.

    Raises:
        NotFoundError: there is no such task, or no such turn.
        DiagnosticError: a turn has errors.
    """
    catalog = Catalog(workspace)
    found = catalog.named(name_of(name))
    count = catalog.turns(found.path) if found.turn is None else 0
    for turn in range(1, count + 1) if count else (found.turn,):
        yield Judge(task_from_path(found.path, catalog.workspace, turn=turn))


def followed(
    turns: Iterator[Judge], *, backends: Sequence[str] = PROVERS, limits: Limits | None = None
) -> Iterator[TurnOutcome]:
    """The outcome of each turn as soon as it is known; `follow` has the rest."""
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.budget import TimeBudget
    from planspec.solvers.questions.claims import validate_claims

    limits = limits or Limits()
    last: tuple[Judge, Plan] | None = None
    for judge in turns:
        clock = TimeBudget(limits)
        with clock:
            ground = judge.ground
        validation = validate_claims(ground, backends=backends, limits=clock.rest)
        if last is None:
            change, plan = None, validation.witness
        else:
            change, plan = _changed(judge, validation, last, backends[0], clock.rest)
        blocked = judge.task.turns > 0 and validation.feasible.status == "infeasible"
        conflict = _conflict(judge, backends[0], clock.rest) if blocked else ()
        yield TurnOutcome(judge, validation, change, plan, conflict)
        last = last if plan is None else (judge, plan)


def _changed(
    judge: Judge, validation: Validation, last: tuple[Judge, Plan], backend: str, limits: Limits
) -> tuple[Change, Plan | None]:
    """The change from the last plan, and the plan it leads to."""
    from planspec.solvers.backends.outcome import Status
    from planspec.solvers.questions import repair

    earlier, plan = last
    before = earlier.task.id
    # The same cells over the rows of this turn's task: rows are told apart by identity.
    previous, _ = TABLES.decode(judge.task, TABLES.encode(earlier.task, plan))
    if validation.feasible.status == "infeasible":
        return Change(before, previous, "infeasible"), None
    if judge.plan(previous, details="none").status == "pass":
        return Change(before, previous, "unchanged", proved_smallest=True), previous
    found = repair.repair(judge.ground, previous, backend=backend, limits=limits)
    if found.plan is None:
        status: Literal["infeasible", "unknown"] = (
            "infeasible" if found.status is Status.INFEASIBLE else "unknown"
        )
        return Change(before, previous, status), None
    return Change(before, previous, "changed", found.edits, found.status is Status.OPTIMAL), found.plan


def _conflict(judge: Judge, backend: str, limits: Limits) -> tuple[str, ...]:
    from planspec.solvers.questions import conflicts as why

    found = why.why(judge.ground, backend=backend, limits=limits)
    return tuple(member.id for member in found.mus_sets[0]) if found.mus_sets else ()
