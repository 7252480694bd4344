"""HiMAP-Travel as an agent: who coordinates, who executes, what they share, and which plan is the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from planspec.agents.agent import Answer, UnknownAgentError
from planspec.agents.baselines import Privileged, written
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.view import TaskView
from planspec.api.judging import Judge
from planspec.errors import UnsuitableTaskError
from planspec.families.travelplanner.himap.bargaining import Round, bargain
from planspec.families.travelplanner.himap.coordinator import Allocator, Coordinator, Flat
from planspec.families.travelplanner.himap.executor import LocalExecutor, State
from planspec.families.travelplanner.himap.extraction import Extraction, extraction
from planspec.families.travelplanner.himap.goals import Cancelled, Committed
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.policies import DayPolicy, GreedyPolicy, SolverPolicy, appeal
from planspec.families.travelplanner.himap.pricing import Pricing, pricing
from planspec.families.travelplanner.himap.prompts import hashes
from planspec.families.travelplanner.himap.recording import keep
from planspec.families.travelplanner.himap.rewards import global_reward
from planspec.families.travelplanner.himap.state import Unwatched, together
from planspec.monitor import Monitor
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.families.travelplanner.himap.chatting import AskableModel
    from planspec.families.travelplanner.himap.wishes import Request

PolicyName = Literal["solver", "greedy", "model"]
WORKERS, ROUNDS = 3, 3
"""The number of days that are planned at once, and of splits of the trip (sections 4.2 and A.3)."""


class HiMAP(Privileged):
    """Plans TravelPlanner's trips as HiMAP-Travel does: a coordinator, an executor for each day, and what they share.

    With a policy without a model it knows the task, and is privileged; each executor still sees its own day alone, its hint,
    and what the monitor answers. With a model only the shared state knows the task's tables, to price what days book. The four switches are the paper's ablations.

    Args:
        policy: who chooses: `solver` (CP-SAT for each day), `greedy`, or `model`.
        of: the agent whose chat model is asked, where the policy is `model`: `(openai:model=...)`.
        monitor: refuses what breaks the rules that days share; without it nobody knows of the others.
        coordinator: settles route, means of travel, hints and tastes; without it all take the same plain route.
        bargaining: rejected sub-goals lead to another round.
        parallel: days are planned at once; without it one after the other.
        workers: how many at once.
        rounds: of bargaining at most.
        latency: seconds that each call of a policy without a model takes, as if something far away answered it.
    """

    families = frozenset({"travelplanner"})

    def __init__(
        self,
        policy: PolicyName = "solver",
        of: str = "",
        monitor: bool = True,
        coordinator: bool = True,
        bargaining: bool = True,
        parallel: bool = True,
        workers: Annotated[int, Field(ge=1, le=64)] = WORKERS,
        rounds: Annotated[int, Field(ge=1, le=20)] = ROUNDS,
        latency: Annotated[float, Field(ge=0, le=60)] = 0.0,
    ) -> None:
        if (policy == "model") != bool(of):
            raise UnknownAgentError(
                "`of` names the agent whose model is asked, with `policy=model` and with no other"
            )
        self.privileged = policy != "model"
        self.referees = policy == "model"
        self._policy, self._monitor, self._coordinator = policy, monitor, coordinator
        # without a coordinator there is nobody to bargain with
        self._rounds = rounds if bargaining and coordinator else 1
        self._workers = workers if parallel else 1
        self._latency = latency
        self._model: AskableModel | None = None
        if policy == "model":
            from planspec.families.travelplanner.himap.chatting import model_of

            self._model = model_of(of)

    def about(self) -> Mapping[str, Any]:
        """Policy, ablations and limits; with a model, the record of its chat and the prompts' hashes."""
        made: dict[str, Any] = {
            "policy": self._policy, "monitor": self._monitor, "coordinator": self._coordinator,
            "rounds": self._rounds, "workers": self._workers, "latency": self._latency,
        }  # fmt: skip
        if self._model is not None:
            made.update(model=dict(self._model.about()), prompts=hashes())
        return made

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """The plan that all days agreed on; without an agreement the best of the rounds.

        Raises:
            AttemptFailedError: the task is no trip of TravelPlanner's, or time or calls are used up.
        """
        if self._model is not None:
            from planspec.families.travelplanner.himap.chatting import planned

            return planned(
                self._model, view, desk, self.pricing(view), self.extracting(view), rounds=self._rounds, workers=self._workers,
                watched=self._monitor, coordinated=self._coordinator,
            )  # fmt: skip
        begun = time.monotonic()
        judge = self._trip(view)
        market = _market(judge)
        state: State = Monitor(judge.task, timeout_s=60.0) if self._monitor else Unwatched()
        coordinator: Coordinator = Allocator(market, self._rounds) if self._coordinator else Flat(market)
        executor = LocalExecutor(market, self._day_policy(view.seed), self._latency, desk.check)
        made = bargain(coordinator, executor, state, rounds=self._rounds, workers=self._workers)
        plans = [_proposed(judge, one) for one in made]
        best = max(range(len(made)), key=lambda n: (made[n].agreed, reward(judge, plans[n]), n), default=None)
        keep(desk, made, best, time.monotonic() - begun)
        return written(judge, plans[best]) if best is not None else []

    def pricing(self, view: TaskView) -> Pricing:
        """The costs of days by the task's tables: the shared state knows them, the model does not."""
        judge = self._trip(view)
        _market(judge)  # it has the tables and the wishes of the family
        return pricing(judge)

    def extracting(self, view: TaskView) -> Callable[[Request | None], Extraction]:
        """How much of the request was read rightly: the task's author says what it asks for, and the model does not hear of it."""
        task = self._trip(view).task
        return lambda said: extraction(task, said)

    def _trip(self, view: TaskView) -> Judge:
        judge = self.judge(view)
        if judge.task.family != "travelplanner":
            raise AttemptFailedError("adapter", "himap plans tasks of the family `travelplanner`")
        return judge

    def _day_policy(self, seed: int) -> DayPolicy:
        liked = appeal(seed)
        return GreedyPolicy(liked, seed) if self._policy == "greedy" else SolverPolicy(liked, seed=seed)


def _market(judge: Judge) -> Market:
    try:
        return Market(judge.task)
    except UnsuitableTaskError as error:
        raise AttemptFailedError("adapter", str(error)) from None


def _proposed(judge: Judge, one: Round) -> Plan:
    """The plan of a round: the committed days, and the last proposals of rejected days."""
    ended = [outcome for outcome in one.outcomes if not isinstance(outcome, Cancelled)]
    ended.sort(
        key=lambda outcome: not isinstance(outcome, Committed)
    )  # what is committed stands against what is not
    return together(judge.task, [outcome.draft.action for outcome in ended if outcome.draft is not None])


def reward(judge: Judge, plan: Plan) -> Fraction:
    """The global reward of a plan, of which the share of hard rules that it satisfies is the only score.

    What is overspent is measured in budgets.
    """
    verdict = judge.plan(plan, details="none")
    budget = judge.task.givens.get("budget")
    used = cents(judge, plan, "spent")
    share = Fraction(verdict.hard.satisfied, verdict.hard.total or 1)
    return global_reward(
        verdict, Fraction(used, budget) if budget else 0, 1 if budget else None, soft=[share]
    )


def cents(judge: Judge, plan: Plan, name: str) -> int:
    """The value of a definition on a plan, in cents; 0 where it has none."""
    interpreter = judge.ground.interpreter.on(plan)
    value = interpreter.defined(judge.task.definitions[name])
    return value if isinstance(value, int) else 0
