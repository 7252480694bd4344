"""Drafts -> queries that are proved to have a plan, and near misses that are proved to have none."""

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
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.veritrip.query import Query
from planspec.families.veritrip.task_reach import TaskReach
from planspec.families.veritrip.tasks import FactBaseNames, task_text
from planspec.solvers.backends.outcome import Limits, Status
from planspec.solvers.questions import prove
from planspec.verifiers.meaning.plan_rows import Plan

SECONDS = 60.0
"""For each question to the solver; a draft that is not decided then is dropped."""
SHARES = (40, 30, 20, 10)
"""Percent of what some plan costs, of which one is too little."""


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A query without a plan.

    Attributes:
        mus: the rules and bounds that cannot hold together, though any of them less can.
    """

    query: Query
    mus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ProvingFolder:
    """The folder and worlds in which the tasks of a country's queries will stand.

    Attributes:
        names: what the fact base calls things.
        base: the SQLite file, as tasks name it.
        world: the world, as tasks name it.
        folder: of the tasks.
        reach: of a large fact base, what a query's task may choose from.
    """

    names: FactBaseNames
    base: str
    world: str
    folder: Path
    workspace: Workspace
    reach: Callable[[Query], TaskReach] | None = None

    def text(self, query: Query) -> str:
        """The task of a query."""
        return task_text(query, self.names, self.base, self.world, self.reach and self.reach(query))

    def task(self, query: Query) -> Task:
        """The checked task of a query."""
        path = self.folder / f"{query.id}.yaml"
        return task_from_text(self.text(query), path.name, workspace=self.workspace, path=path)


def proved(
    drafts: Iterator[Query],
    name: str,
    setting: ProvingFolder,
    percents: Sequence[int],
    known: Query | None = None,
) -> Query:
    """The first draft for which there is a plan with all preferences, with a budget for which there is still one.

    Args:
        drafts: are taken until one does.
        name: of the query.
        setting: where its task will stand.
        percents: of what some plan costs, to try as its budget in turn.
        known: the query of that name in the suite that ships. A draft that asks the same has its budget: another version
            of the solver finds another plan first, which costs something else, and one name must not have two budgets.
    """
    for draft in drafts:
        query = named(draft, name)
        if known is not None and _known_budget(query, known) is not None:
            return proved_as_it_is(known, setting)
        judge = Judge(setting.task(query))
        plan = _full(judge)
        if plan is None:
            continue
        spent = cost(judge, plan)
        # a tight budget first; what the plan that is known costs is one for which there is a plan
        for share in percents:
            priced_ = priced(query, spent * Fraction(share, 100))
            if _full(Judge(setting.task(priced_))) is not None:
                return priced_
    raise AssertionError("drafts have no end")


def proved_as_it_is(query: Query, setting: ProvingFolder) -> Query:
    """A query whose budget is known, once there is a plan with all preferences for it.

    Raises:
        UnsuitableSuiteError: none was found.
    """
    if _full(Judge(setting.task(query))) is None:
        raise UnsuitableSuiteError(
            f"no plan with all preferences was found for `{query.id}` within {SECONDS:g} s"
        )
    return query


def _full(judge: Judge) -> Plan | None:
    """A plan with all preferences, which the verifier has accepted: the one that other versions price by, too."""
    found = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    return found.plan if found.soft_weight == found.soft_total else None


def near_miss(
    drafts: Iterator[Query],
    name: str,
    setting: ProvingFolder,
    known: Query | None = None,
    *,
    for_money: bool = False,
) -> NearMiss:
    """The first draft that has no plan by itself, or with a part of what some plan costs.

    Args:
        drafts: are taken until one has none.
        name: of the query.
        setting: where its task will stand.
        known: the near miss of that name in the suite that ships; a draft that asks the same has its budget.
        for_money: it has a plan with more money, since what a draft lacks by itself may be a time that the scope leaves out.
    """
    for draft in drafts:
        query = named(draft, name)
        same = None if known is None else _known_budget(query, known, down=True)
        budgets: Iterable[Fraction] = (
            _too_small(Judge(setting.task(query)), query, for_money=for_money) if same is None else (same,)
        )
        for budget in budgets:
            missed = priced(query, budget, down=True)
            asked = setting.task(missed)
            if (
                prove.solve(Judge(asked).ground, limits=Limits(seconds=SECONDS)).status
                is not Status.INFEASIBLE
            ):
                continue
            conflict = why(asked, limits=Limits(seconds=SECONDS))
            if conflict.status is Status.INFEASIBLE and conflict.mus_sets:
                return NearMiss(missed, tuple(sorted(member.id for member in conflict.mus_sets[0])))
    raise AssertionError("drafts have no end")


def _known_budget(draft: Query, known: Query, *, down: bool = False) -> Fraction | None:
    """The budget of a query that is known; None if the draft asks something else."""
    if known.budget is None or priced(draft, Fraction(known.budget), down=down) != known:
        return None
    return Fraction(known.budget)


def _too_small(judge: Judge, query: Query, *, for_money: bool) -> Iterator[Fraction]:
    """Budgets for which a query may have no plan; none where it is not known what one costs."""
    found = prove.solve(judge.ground, limits=Limits(seconds=SECONDS), reduce=False)
    if found.status is Status.INFEASIBLE and not for_money:
        yield Fraction(1000 * query.people_number * query.days)
    elif found.plan is not None:
        spent = cost(judge, found.plan)
        yield from (spent * Fraction(share, 100) for share in SHARES)


def named(draft: Query, name: str) -> Query:
    """The draft under its id, with its pictures called after it."""
    return draft.model_copy(
        update={"id": name, "images": tuple(f"{name}-{n + 1}.jpg" for n in range(len(draft.shown)))}
    )


def cost(judge: Judge, plan: Plan) -> Fraction:
    """The cost of a plan, in the main unit of its currency."""
    said = str(judge.plan(plan).metrics["total"])
    return Fraction(said.split(" ", maxsplit=1)[0])


def priced(query: Query, least: Fraction, *, down: bool = False) -> Query:
    """The query with a budget, a round number."""
    step = 50 if least < 5000 else 100
    budget = int(least // step * step) if down else int(-(-least // step) * step)
    text = query.nature_language.replace("{budget}", f"{budget:,}")
    return query.model_copy(update={"budget": budget, "nature_language": text})
