"""Proofs that drafted queries have a plan, and that near misses (almost feasible queries) have none."""

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
from planspec.families.veritrip.search_candidates import SearchCandidates
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from planspec.suite_writing.options import UnsuitableSuiteError
from planspec.verifiers.meaning.plan_rows import Plan

SECONDS = 60.0
"""Time limit of each call of the solver. A draft without a result in time is dropped."""
SMALL_PERCENTS = (40, 30, 20, 10)
"""Percentages of a plan's cost, tried in turn to find a budget for which no plan exists."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A query without a plan, and the reason.

    Attributes:
        query: query without a plan.
        mus: minimal set of conflicting rules and bounds.
    """

    query: Query
    mus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProvingFolder:
    """The folder in which a country's queries are proved as tasks.

    Attributes:
        names: names in the fact base.
        base: path of the SQLite file, as written in tasks.
        world: reference to the world (file that declares the shared tables), as written in tasks.
        folder: folder of the tasks.
        workspace: cache of the declared tables.
        select_candidates: function that selects the rows from which the search for a query's plan may choose;
            None for all rows.
    """

    names: FactBaseNames
    base: str
    world: str
    folder: Path
    workspace: Workspace
    select_candidates: Callable[[Query], SearchCandidates] | None = None

    def text(self, query: Query) -> str:
        """Return the YAML of a query's task."""
        return task_text(
            query, self.names, self.base, self.world, self.select_candidates and self.select_candidates(query)
        )

    def task(self, query: Query) -> Task:
        """Load the task of a query."""
        path = self.folder / f"{query.id}.yaml"
        return task_from_text(self.text(query), path.name, workspace=self.workspace, path=path)


def prove_draft(
    drafts: Iterator[Query],
    name: str,
    folder: ProvingFolder,
    percents: Sequence[int],
    shipped: Query | None = None,
) -> Query:
    """Return the first draft that has a plan with all preferences.

    The draft gets a budget that still permits such a plan.

    Args:
        drafts: endless source of drafts.
        name: id of the query.
        folder: folder of the task.
        percents: percentages of the cost of a plan, tried in turn as the budget.
        shipped: shipped query of that name; None if there is none. It is returned if it differs from the draft only in
            its budget. The cost depends on the version of the solver, so a new budget might differ from the shipped
            one.
    """
    for draft in drafts:
        query = name_draft(draft, name)
        if shipped is not None and _shipped_budget(query, shipped) is not None:
            return prove_unchanged(shipped, folder)
        judge = Judge(folder.task(query))
        plan = _find_full_plan(judge)
        if plan is None:
            continue
        spent = plan_cost(judge, plan)
        # The tightest budget comes first. 100% of the cost is always enough.
        for share in percents:
            candidate = set_budget(query, spent * Fraction(share, 100))
            if _find_full_plan(Judge(folder.task(candidate))) is not None:
                return candidate
    raise AssertionError("drafts have no end")


def prove_unchanged(query: Query, folder: ProvingFolder) -> Query:
    """Prove that a query has a plan with all preferences, and return the query unchanged.

    Raises:
        UnsuitableSuiteError: No plan was found.
    """
    if _find_full_plan(Judge(folder.task(query))) is None:
        raise UnsuitableSuiteError(f"no plan with all preferences was found for `{query.id}` within {SECONDS:g} s")
    return query


def _find_full_plan(judge: Judge) -> Plan | None:
    """Return a verified plan with all preferences, or None.

    Reductions of the problem are off. With them the solver may find another plan, and budgets would change.
    """
    solution = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    return solution.plan if solution.soft_weight == solution.soft_total else None


def find_near_miss(
    drafts: Iterator[Query],
    name: str,
    folder: ProvingFolder,
    shipped: Query | None = None,
    *,
    must_be_feasible: bool = False,
) -> NearMiss:
    """Return the first draft without a plan, with a minimal set of conflicting rules.

    Either no budget is enough for the draft, or the draft gets a budget below the cost of a plan.

    Args:
        drafts: endless source of drafts.
        name: id of the query.
        folder: folder of the task.
        shipped: shipped near miss of that name; None if there is none. A draft that differs from it only in
            the budget gets the same budget.
        must_be_feasible: whether the query must have a plan with a larger budget. A draft without such a plan
            may be infeasible only because the scope (bounds of the search) leaves out some time of day.
    """
    for draft in drafts:
        query = name_draft(draft, name)
        shipped_budget = None if shipped is None else _shipped_budget(query, shipped, rounds_down=True)
        budgets: Iterable[Fraction] = (
            _small_budgets(Judge(folder.task(query)), query, must_be_feasible=must_be_feasible)
            if shipped_budget is None
            else (shipped_budget,)
        )
        for budget in budgets:
            missed = set_budget(query, budget, rounds_down=True)
            task = folder.task(missed)
            if prove.solve(Judge(task).ground, limits=Limits(seconds=SECONDS)).status is not Status.INFEASIBLE:
                continue
            conflict = why(task, limits=Limits(seconds=SECONDS))
            if conflict.status is Status.INFEASIBLE and conflict.mus_sets:
                return NearMiss(missed, tuple(sorted(member.id for member in conflict.mus_sets[0])))
    raise AssertionError("drafts have no end")


def _shipped_budget(draft: Query, shipped: Query, *, rounds_down: bool = False) -> Fraction | None:
    """Return the budget of the shipped query, or None if the draft differs from it in more than the budget."""
    if shipped.budget is None or set_budget(draft, Fraction(shipped.budget), rounds_down=rounds_down) != shipped:
        return None
    return Fraction(shipped.budget)


def _small_budgets(judge: Judge, query: Query, *, must_be_feasible: bool) -> Iterator[Fraction]:
    """Yield budgets that may be too small, in the main unit of the currency.

    They are fractions of the cost of a plan. If the query is infeasible with any budget, yield one large
    budget unless `must_be_feasible`.
    """
    solution = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    if solution.status is Status.INFEASIBLE and not must_be_feasible:
        yield Fraction(1000 * query.people_number * query.days)
    elif solution.plan is not None:
        spent = plan_cost(judge, solution.plan)
        yield from (spent * Fraction(share, 100) for share in SMALL_PERCENTS)


def name_draft(draft: Query, name: str) -> Query:
    """Return the draft with an id. The file names of its pictures begin with the id."""
    return draft.model_copy(
        update={"id": name, "images": tuple(f"{name}-{n + 1}.jpg" for n in range(len(draft.shown)))}
    )


def plan_cost(judge: Judge, plan: Plan) -> Fraction:
    """Return the cost of a plan, in the main unit of its currency."""
    total = str(judge.plan(plan).metrics["total"])
    return Fraction(total.split(" ", maxsplit=1)[0])


def set_budget(query: Query, amount: Fraction, *, rounds_down: bool = False) -> Query:
    """Return the query with a budget, rounded to a multiple of 50 or 100.

    Args:
        query: query whose text has the placeholder `{budget}`.
        amount: budget before rounding, in the main unit of the currency.
        rounds_down: whether to round down instead of up.
    """
    step = 50 if amount < 5000 else 100
    budget = int(amount // step * step) if rounds_down else int(-(-amount // step) * step)
    text = query.nature_language.replace("{budget}", f"{budget:,}")
    return query.model_copy(update={"budget": budget, "nature_language": text})
