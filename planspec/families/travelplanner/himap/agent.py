"""HiMAP-Travel as an agent: it selects coordinator, executors, shared state, and the plan to answer with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from planspec.agents.agent import Answer, UnknownAgentError
from planspec.agents.baselines import PrivilegedAgent, encode_plan
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
from planspec.families.travelplanner.himap.state import UnmonitoredState, together
from planspec.monitor import Monitor
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.families.travelplanner.himap.chatting import AskableModel
    from planspec.families.travelplanner.himap.wishes import Request

PolicyName = Literal["solver", "greedy", "model"]
WORKERS, ROUNDS = 3, 3
"""Numbers of days planned at once and of bargaining rounds (sections 4.2 and A.3)."""


class HiMAP(PrivilegedAgent):
    """Plans TravelPlanner's trips with a coordinator, an executor for each day, and a shared state.

    With a policy without a model the agent knows the task and is privileged; each executor still sees only
    its own day, its hint, and the monitor's replies. With a model only the shared state knows the task's
    tables, to price the days. The four switches are the paper's ablations.

    Args:
        policy: `solver` (CP-SAT for each day), `greedy`, or `model`.
        of: agent whose chat model is used, with the policy `model`: `(openai:model=...)`.
        monitor: whether a monitor refuses violations of rules shared by the days; without it no day knows of
            the others.
        coordinator: whether a coordinator settles route, mode of transport, hints and tastes; without it all
            executors assume the same plain route.
        bargaining: whether rejected sub-goals lead to another round.
        parallel: whether days are planned at once, or one after the other.
        workers: number of days planned at once.
        rounds: largest number of bargaining rounds.
        latency: seconds added to each call of a policy without a model, to simulate a remote service.
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
        # bargaining needs a coordinator
        self._rounds = rounds if bargaining and coordinator else 1
        self._workers = workers if parallel else 1
        self._latency = latency
        self._model: AskableModel | None = None
        if policy == "model":
            from planspec.families.travelplanner.himap.chatting import model_of

            self._model = model_of(of)

    def about(self) -> Mapping[str, Any]:
        """Return the record of policy, ablations, limits, and, with a model, its chat and prompt hashes."""
        record: dict[str, Any] = {
            "policy": self._policy, "monitor": self._monitor, "coordinator": self._coordinator,
            "rounds": self._rounds, "workers": self._workers, "latency": self._latency,
        }  # fmt: skip
        if self._model is not None:
            record.update(model=dict(self._model.about()), prompts=hashes())
        return record

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the plan that all days agreed on, or the best plan of the rounds if there is no agreement.

        Raises:
            AttemptFailedError: the task is no TravelPlanner trip, or time or calls are used up.
        """
        if self._model is not None:
            from planspec.families.travelplanner.himap.chatting import planned

            return planned(
                self._model, view, desk, self.pricing(view), self.extracting(view), rounds=self._rounds, workers=self._workers,
                is_monitored=self._monitor, is_coordinated=self._coordinator,
            )  # fmt: skip
        start = time.monotonic()
        judge = self._trip(view)
        market = _market(judge)
        state: State = Monitor(judge.task, timeout_s=60.0) if self._monitor else UnmonitoredState()
        coordinator: Coordinator = Allocator(market, self._rounds) if self._coordinator else Flat(market)
        executor = LocalExecutor(market, self._day_policy(view.seed), self._latency, desk.check)
        rounds = bargain(coordinator, executor, state, rounds=self._rounds, workers=self._workers)
        plans = [_proposed(judge, item) for item in rounds]
        best = max(
            range(len(rounds)), key=lambda n: (rounds[n].agreed, reward(judge, plans[n]), n), default=None
        )
        keep(desk, rounds, best, time.monotonic() - start)
        return encode_plan(judge, plans[best]) if best is not None else []

    def pricing(self, view: TaskView) -> Pricing:
        """Return the cost function of days, which uses the task's tables.

        The shared state has it; the model does not.
        """
        judge = self._trip(view)
        _market(judge)  # checks for the family's tables and givens
        return pricing(judge)

    def extracting(self, view: TaskView) -> Callable[[Request | None], Extraction]:
        """Return a function that compares the model's reading of the request with the task.

        The model never sees the result.
        """
        task = self._trip(view).task
        return lambda request: extraction(task, request)

    def _trip(self, view: TaskView) -> Judge:
        judge = self.judge(view)
        if judge.task.family != "travelplanner":
            raise AttemptFailedError("adapter", "himap plans tasks of the family `travelplanner`")
        return judge

    def _day_policy(self, seed: int) -> DayPolicy:
        preference = appeal(seed)
        return (
            GreedyPolicy(preference, seed)
            if self._policy == "greedy"
            else SolverPolicy(preference, seed=seed)
        )


def _market(judge: Judge) -> Market:
    try:
        return Market(judge.task)
    except UnsuitableTaskError as error:
        raise AttemptFailedError("adapter", str(error)) from None


def _proposed(judge: Judge, round_: Round) -> Plan:
    """Return the plan of a round: the committed days, and the last proposals of rejected days."""
    finished = [outcome for outcome in round_.outcomes if not isinstance(outcome, Cancelled)]
    finished.sort(key=lambda outcome: not isinstance(outcome, Committed))  # committed days take precedence
    return together(judge.task, [outcome.draft.action for outcome in finished if outcome.draft is not None])


def reward(judge: Judge, plan: Plan) -> Fraction:
    """Return the global reward of a plan. Its only score is the share of satisfied hard constraints.

    Overspending is measured in budgets.
    """
    verdict = judge.plan(plan, details="none")
    budget = judge.task.givens.get("budget")
    cost = cents(judge, plan, "spent")
    share = Fraction(verdict.hard.satisfied, verdict.hard.total or 1)
    return global_reward(
        verdict, Fraction(cost, budget) if budget else 0, 1 if budget else None, soft=[share]
    )


def cents(judge: Judge, plan: Plan, name: str) -> int:
    """Return the value of a definition on a plan, in cents; 0 if it has none."""
    interpreter = judge.ground.interpreter.on(plan)
    value = interpreter.defined(judge.task.definitions[name])
    return value if isinstance(value, int) else 0
