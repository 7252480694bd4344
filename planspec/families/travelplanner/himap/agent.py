"""HiMAP-Travel as an agent: setup of coordinator, executors and shared state, and choice of the final plan."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from planspec.agents.agent import Answer, UnknownAgentError
from planspec.agents.baselines import PrivilegedAgent, encode_plan
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.optional import AgentInfo, FormerAttribute
from planspec.agents.view import TaskView
from planspec.api.judging import Judge
from planspec.errors import UnsuitableTaskError
from planspec.families.travelplanner.himap.bargaining import Round, bargain
from planspec.families.travelplanner.himap.coordinator import Allocator, Coordinator, FixedCoordinator
from planspec.families.travelplanner.himap.executor import LocalExecutor, State
from planspec.families.travelplanner.himap.extraction import Extraction, check_extraction
from planspec.families.travelplanner.himap.goals import Cancelled, Committed, LedgerName
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.policies import (
    DayPolicy,
    GreedyPolicy,
    SolverPolicy,
    random_rating,
)
from planspec.families.travelplanner.himap.pricing import Pricing, pricing_by_request, pricing_by_task
from planspec.families.travelplanner.himap.prompts import prompt_hashes
from planspec.families.travelplanner.himap.recording import record_turn
from planspec.families.travelplanner.himap.rewards import global_reward
from planspec.families.travelplanner.himap.state import UnmonitoredState, combine_actions
from planspec.monitor import Monitor
from planspec.verifiers.meaning.plan_rows import Plan

if TYPE_CHECKING:
    from planspec.families.travelplanner.himap.chatting import ModelWithChat
    from planspec.families.travelplanner.himap.role_tools import Request

PolicyName = Literal["solver", "greedy", "model"]
WORKERS, ROUNDS = 3, 3
"""Default number of days planned in parallel, and of bargaining rounds (sections 4.2 and A.3)."""


class HiMAP(PrivilegedAgent):
    """Agent that plans TravelPlanner's trips with a coordinator, an executor for each day, and a shared state.

    The coordinator splits the trip into days, each with a hint (a suggested budget). Executors plan the days and commit
    them to the shared state, a monitor that refuses violations of rules that days share.

    With the policies `solver` and `greedy`, the agent has access to the task and is privileged. Each executor still
    sees only its own day, its hint, and the monitor's replies. With the policy `model`, only the shared state has
    access to the task's tables, to price the days. `monitor`, `coordinator`, `bargaining` and `parallel` switch off
    parts of the agent for the paper's ablations.

    Args:
        policy: `solver` (CP-SAT for each day), `greedy`, or `model`.
        of: agent whose chat model is used with the policy `model`, such as `(openai:model=...)`.
        monitor: whether a monitor refuses violations of rules that days share. Without it, executors know nothing about
            each other.
        coordinator: whether a coordinator decides route, mode of transport, hints and cuisines. Without it, all
            executors assume the same plain route.
        bargaining: whether the coordinator splits the trip again in another round if executors reject their days.
        parallel: whether days are planned in parallel. Otherwise they are planned one after the other.
        workers: maximum number of days planned in parallel.
        rounds: maximum number of bargaining rounds.
        latency: seconds added to each call of a policy without a model, to simulate a remote service.
        ledger: costs that the shared state adds up with the policy `model`: `tables` for costs by the task's tables,
            `claimed` for costs that executors claim, as in the paper. With `claimed`, claims and names are not checked,
            and `cost_enquiry` prices days for the number of people that the coordinator has extracted.
        early: whether executors may reject their days before they have planned them, and whether a rejected day
            cancels the other days of its round.
        coordinator_of: agent whose chat model plays the coordinator with the policy `model`; empty to use `of`.
    """

    info = AgentInfo(privileged=True, families=frozenset({"travelplanner"}))
    families = FormerAttribute()
    referees = FormerAttribute()

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
        ledger: LedgerName = "tables",
        early: bool = True,
        coordinator_of: str = "",
    ) -> None:
        if (policy == "model") != bool(of):
            raise UnknownAgentError("`of` names the agent whose model is asked, with `policy=model` and with no other")
        if policy != "model" and (coordinator_of or ledger != "tables"):
            raise UnknownAgentError("`coordinator_of` and `ledger=claimed` need `policy=model`")
        self.info = replace(self.info, privileged=policy != "model", referees=policy == "model")
        self._policy, self._monitor, self._coordinator = policy, monitor, coordinator
        # without a coordinator, a second round would repeat the first
        self._rounds = rounds if bargaining and coordinator else 1
        self._workers = workers if parallel else 1
        self._latency = latency
        self._ledger, self._early = ledger, early
        self._model: ModelWithChat | None = None
        self._coordinator_model: ModelWithChat | None = None
        if policy == "model":
            from planspec.families.travelplanner.himap.chatting import model_of

            self._model = model_of(of)
            self._coordinator_model = model_of(coordinator_of) if coordinator_of else None

    def about(self) -> Mapping[str, Any]:
        """Return the options of the agent and, with a model, its chat settings and the hashes of its prompts."""
        record: dict[str, Any] = {
            "policy": self._policy,
            "monitor": self._monitor,
            "coordinator": self._coordinator,
            "rounds": self._rounds,
            "workers": self._workers,
            "latency": self._latency,
            "early": self._early,
        }
        if self._model is not None:
            record.update(ledger=self._ledger, model=dict(self._model.about()), prompts=prompt_hashes())
        if self._coordinator_model is not None:
            record["coordinator_model"] = dict(self._coordinator_model.about())
        return record

    def answer(self, view: TaskView, desk: Desk) -> Answer:
        """Return the plan of the round in which all days were committed, or else the best plan of all rounds.

        Raises:
            AttemptFailedError: the task is not a TravelPlanner trip, or time or calls are used up.
        """
        if self._model is not None:
            from planspec.families.travelplanner.himap.chatting import plan_with_model

            return plan_with_model(
                self._model,
                view,
                desk,
                self.pricing(view),
                self.extraction_check(view),
                rounds=self._rounds,
                workers=self._workers,
                is_monitored=self._monitor,
                is_coordinated=self._coordinator,
                ledger=self._ledger,
                ends_early=self._early,
                coordinator_model=self._coordinator_model,
            )
        start = time.monotonic()
        judge = self._judge_of_trip(view)
        market = _market_of(judge)
        state: State = Monitor(judge.task, timeout_s=60.0) if self._monitor else UnmonitoredState()
        coordinator: Coordinator = Allocator(market, self._rounds) if self._coordinator else FixedCoordinator(market)
        executor = LocalExecutor(market, self._day_policy(view.seed), self._latency, desk.check)
        rounds = bargain(
            coordinator, executor, state, rounds=self._rounds, workers=self._workers, ends_early=self._early
        )
        plans = [_proposed_plan(judge, item) for item in rounds]
        best = max(range(len(rounds)), key=lambda n: (rounds[n].is_agreed, reward(judge, plans[n]), n), default=None)
        record_turn(desk, rounds, best, time.monotonic() - start, extra={"early": self._early})
        return encode_plan(judge, plans[best]) if best is not None else []

    def pricing(self, view: TaskView) -> Pricing:
        """Return the function that computes the cost of a day from the task's tables.

        The shared state calls it, unless it adds up the costs that executors claim. The model has the tool
        `cost_enquiry` instead.
        """
        judge = self._judge_of_trip(view)
        _market_of(judge)  # raises if the family's tables or givens are missing
        return pricing_by_task(judge) if self._ledger == "tables" else pricing_by_request(judge)

    def extraction_check(self, view: TaskView) -> Callable[[Request | None], Extraction]:
        """Return a function that compares a request, as the model has extracted it, with the task.

        The model never sees the result.
        """
        task = self._judge_of_trip(view).task
        return lambda request: check_extraction(task, request)

    def _judge_of_trip(self, view: TaskView) -> Judge:
        judge = self.judge(view)
        if judge.task.family != "travelplanner":
            raise AttemptFailedError("adapter", "himap plans tasks of the family `travelplanner`")
        return judge

    def _day_policy(self, seed: int) -> DayPolicy:
        preference = random_rating(seed)
        return GreedyPolicy(preference, seed) if self._policy == "greedy" else SolverPolicy(preference, seed=seed)


def _market_of(judge: Judge) -> Market:
    try:
        return Market(judge.task)
    except UnsuitableTaskError as error:
        raise AttemptFailedError("adapter", str(error)) from None


def _proposed_plan(judge: Judge, round_: Round) -> Plan:
    """Return the plan of a round: its committed days, and the last proposals for its rejected days."""
    finished = [outcome for outcome in round_.outcomes if not isinstance(outcome, Cancelled)]
    finished.sort(key=lambda outcome: not isinstance(outcome, Committed))  # committed days take precedence
    return combine_actions(judge.task, [outcome.draft.action for outcome in finished if outcome.draft is not None])


def reward(judge: Judge, plan: Plan) -> Fraction:
    """Return the global reward of a plan (see `rewards.global_reward`).

    The only score is the share of satisfied hard constraints. Overspending is measured as a multiple of the budget.
    """
    verdict = judge.plan(plan, details="none")
    budget = judge.task.givens.get("budget")
    cost = definition_cents(judge, plan, "spent")
    share = Fraction(verdict.hard.satisfied, verdict.hard.total or 1)
    return global_reward(verdict, Fraction(cost, budget) if budget else 0, 1 if budget else None, soft=[share])


def definition_cents(judge: Judge, plan: Plan, name: str) -> int:
    """Return the value, in cents, that one of the task's definitions has on a plan; 0 if it is *none*."""
    interpreter = judge.ground.interpreter.on(plan)
    value = interpreter.defined(judge.task.definitions[name])
    return value if isinstance(value, int) else 0
