"""Proofs that drafted queries have a plan, and that near misses have none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from planspec.api.judging import Judge
from planspec.api.proofs import why
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.model.task import Task
from planspec.dsl.workspace.workspace import Workspace
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.task_reach import TaskReach
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.plan_rows import Plan

SECONDS = 60.0
"""Time limit of each question to the solver; a draft that is not decided by then is dropped."""
SHARES = (40, 30, 20, 10)
"""Percentages of the cost of some plan, one of which is too little."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A query without a plan.

    Attributes:
        mus: rules and bounds that cannot hold together, although every proper subset can.
    """

    query: Query
    mus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProvingFolder:
    """The folder and worlds of the tasks of a country's queries.

    Attributes:
        names: names of the fact base.
        base: path of the SQLite file in tasks.
        world: reference to the world in tasks.
        folder: folder of the tasks.
        reach: choices of a query's task in a large fact base.
    """

    names: FactBaseNames
    base: str
    world: str
    folder: Path
    workspace: Workspace
    reach: Callable[[Query], TaskReach] | None = None

    def text(self, query: Query) -> str:
        """Return the text of a query's task."""
        return task_text(query, self.names, self.base, self.world, self.reach and self.reach(query))

    def task(self, query: Query) -> Task:
        """Return the checked task of a query."""
        path = self.folder / f"{query.id}.yaml"
        return task_from_text(self.text(query), path.name, workspace=self.workspace, path=path)


def proved(
    drafts: Iterator[Query],
    name: str,
    setting: ProvingFolder,
    percents: Sequence[int],
    shipped: Query | None = None,
) -> Query:
    """Return the first draft with a plan for all preferences, with a budget for which there still is one.

    Args:
        drafts: candidates, taken in turn.
        name: id of the query.
        setting: folder of the task.
        percents: percentages of the cost of some plan, tried as the budget in turn.
        shipped: query of that name in the shipped suite. An otherwise equal draft gets its budget: another
            version of the solver finds another plan first, with another cost, and a name must not have two
            budgets.
    """
    for draft in drafts:
        query = named(draft, name)
        if shipped is not None and _shipped_budget(query, shipped) is not None:
            return proved_as_it_is(shipped, setting)
        judge = Judge(setting.task(query))
        plan = _full(judge)
        if plan is None:
            continue
        spent = cost(judge, plan)
        # a tight budget first; the cost of the plan itself is always sufficient
        for share in percents:
            candidate = priced(query, spent * Fraction(share, 100))
            if _full(Judge(setting.task(candidate))) is not None:
                return candidate
    raise AssertionError("drafts have no end")


def proved_as_it_is(query: Query, setting: ProvingFolder) -> Query:
    """Prove that a query with a fixed budget has a plan with all preferences, and return it.

    Raises:
        UnsuitableSuiteError: No plan was found.
    """
    if _full(Judge(setting.task(query))) is None:
        raise UnsuitableSuiteError(
            f"no plan with all preferences was found for `{query.id}` within {SECONDS:g} s"
        )
    return query


def _full(judge: Judge) -> Plan | None:
    """Return a verified plan with all preferences, or None; other versions also price by this plan."""
    solution = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    return solution.plan if solution.soft_weight == solution.soft_total else None


def near_miss(
    drafts: Iterator[Query],
    name: str,
    setting: ProvingFolder,
    shipped: Query | None = None,
    *,
    for_money: bool = False,
) -> NearMiss:
    """Return the first draft without a plan, either in itself or with a part of the cost of some plan.

    Args:
        drafts: candidates, taken in turn.
        name: id of the query.
        setting: folder of the task.
        shipped: near miss of that name in the shipped suite; an otherwise equal draft gets its budget.
        for_money: whether it must have a plan with more money; a draft may be infeasible in itself only
            because the scope leaves out a time.
    """
    for draft in drafts:
        query = named(draft, name)
        shipped_budget = None if shipped is None else _shipped_budget(query, shipped, down=True)
        budgets: Iterable[Fraction] = (
            _too_small(Judge(setting.task(query)), query, for_money=for_money)
            if shipped_budget is None
            else (shipped_budget,)
        )
        for budget in budgets:
            missed = priced(query, budget, down=True)
            task = setting.task(missed)
            if (
                prove.solve(Judge(task).ground, limits=Limits(seconds=SECONDS)).status
                is not Status.INFEASIBLE
            ):
                continue
            conflict = why(task, limits=Limits(seconds=SECONDS))
            if conflict.status is Status.INFEASIBLE and conflict.mus_sets:
                return NearMiss(missed, tuple(sorted(member.id for member in conflict.mus_sets[0])))
    raise AssertionError("drafts have no end")


def _shipped_budget(draft: Query, shipped: Query, *, down: bool = False) -> Fraction | None:
    """Return the budget of the shipped query, or None if the draft differs from it."""
    if shipped.budget is None or priced(draft, Fraction(shipped.budget), down=down) != shipped:
        return None
    return Fraction(shipped.budget)


def _too_small(judge: Judge, query: Query, *, for_money: bool) -> Iterator[Fraction]:
    """Yield budgets that may be too small; empty if the cost of a plan is unknown."""
    solution = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    if solution.status is Status.INFEASIBLE and not for_money:
        yield Fraction(1000 * query.people_number * query.days)
    elif solution.plan is not None:
        spent = cost(judge, solution.plan)
        yield from (spent * Fraction(share, 100) for share in SHARES)


def named(draft: Query, name: str) -> Query:
    """Return the draft under its id, with its pictures named after it."""
    return draft.model_copy(
        update={"id": name, "images": tuple(f"{name}-{n + 1}.jpg" for n in range(len(draft.shown)))}
    )


def cost(judge: Judge, plan: Plan) -> Fraction:
    """Return the cost of a plan, in the main unit of its currency."""
    total = str(judge.plan(plan).metrics["total"])
    return Fraction(total.split(" ", maxsplit=1)[0])


def priced(query: Query, least: Fraction, *, down: bool = False) -> Query:
    """Return the query with a rounded budget."""
    step = 50 if least < 5000 else 100
    budget = int(least // step * step) if down else int(-(-least // step) * step)
    text = query.nature_language.replace("{budget}", f"{budget:,}")
    return query.model_copy(update={"budget": budget, "nature_language": text})
