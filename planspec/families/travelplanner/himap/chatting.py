"""HiMAP-Travel with a language model in both roles, coordinator and executor, each in separate conversations.

The model sees only the texts and tools of the setting. The executors share a ledger of booked venues, modes of
transport and costs. By default, the costs come from the task's tables, not from the model's claims.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from planspec.agents.agent import Answer, UnknownAgentError, agent
from planspec.agents.desk import Desk
from planspec.agents.failures import AttemptFailedError
from planspec.agents.models import System, Talk, ToolCall, User
from planspec.agents.tools import JsonResult, RefusedCallError, read_arguments
from planspec.agents.view import TaskView
from planspec.families.travelplanner.himap.bargaining import Round, bargain
from planspec.families.travelplanner.himap.conversation import Conversation, End, parse_json, to_json
from planspec.families.travelplanner.himap.day_chat import ChatExecutor
from planspec.families.travelplanner.himap.extraction import Extraction
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    ExecutorCounts,
    Feedback,
    Goal,
    LedgerName,
    Outcome,
)
from planspec.families.travelplanner.himap.keeping import PLAN, KeptDays, committed_days, previous_days
from planspec.families.travelplanner.himap.ledger import Ledger
from planspec.families.travelplanner.himap.pricing import Pricing, claimed_price
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.recording import goal_line, record_turn
from planspec.families.travelplanner.himap.role_tools import (
    DISTRIBUTE,
    EXTRACT,
    DayPlan,
    Distribution,
    Request,
    answer_of,
    budget_of,
    goal_json,
    goals_of,
)
from planspec.families.travelplanner.himap.state import DeferredState, UnmonitoredState
from planspec.traces.record import Stage


class ModelWithChat(Protocol):
    """An agent with a chat model that other agents can use."""

    def talk(self, desk: Desk) -> Talk:
        """Return a chat with the model for an attempt. The desk counts its requests."""

    def about(self) -> Mapping[str, Any]:
        """Return the record of the model's settings."""


def model_of(spec: str) -> ModelWithChat:
    """Return the agent that a specification such as `(openai:model=...)` names, for use of its chat model.

    Raises:
        UnknownAgentError: there is no such agent, or it has no chat model.
    """
    candidate: Any = agent(spec)
    if not callable(getattr(candidate, "talk", None)) or not callable(getattr(candidate, "about", None)):
        raise UnknownAgentError(f"`{spec}` has no model that could be asked")
    model: ModelWithChat = candidate
    return model


def plan_with_model(
    model: ModelWithChat,
    view: TaskView,
    desk: Desk,
    price: Pricing,
    compare: Callable[[Request | None], Extraction],
    *,
    rounds: int,
    workers: int,
    is_monitored: bool,
    is_coordinated: bool,
    ledger: LedgerName = "tables",
    ends_early: bool = True,
    coordinator_model: ModelWithChat | None = None,
) -> Answer:
    """Plan a trip with a model in both roles, and return the answer.

    Args:
        model: agent whose chat model plays both roles.
        view: the task as agents see it.
        desk: desk of the attempt, through which tools and models are called.
        price: function that computes the cost of a day.
        compare: function that compares the extracted request with the task.
        rounds: maximum number of bargaining rounds.
        workers: maximum number of days planned in parallel.
        is_monitored: whether there is a shared state.
        is_coordinated: whether the coordinator's hints and modes of transport are passed on to executors.
        ledger: costs that the shared state adds up.
        ends_early: whether executors may reject their days before planning, and whether a rejected day cancels others.
        coordinator_model: agent whose chat model plays the coordinator; None to use `model`.

    Raises:
        AttemptFailedError: the model never splits the trip, the model's service fails, or a limit is exceeded.
    """
    start = time.monotonic()
    talk, state = model.talk(desk), DeferredState()
    booked_price = price if ledger == "tables" else claimed_price
    kept_days = KeptDays(previous_days(desk) if view.turn else {}, booked_price, is_monitored)
    coordinator_talk = talk if coordinator_model is None else coordinator_model.talk(desk)
    coordinator = ChatCoordinator(
        coordinator_talk, view, state if is_monitored else None, kept_days, is_coordinated=is_coordinated
    )
    executor = ChatExecutor(talk, view, price, is_monitored, state, kept_days, ledger, ends_early)
    options: dict[str, Any] = {"ledger": ledger, "early": ends_early}
    try:
        results = bargain(coordinator, executor, state, rounds=rounds, workers=workers, ends_early=ends_early)
        if not results:
            raise AttemptFailedError("decode", "the coordinator never split the trip into days")
    except AttemptFailedError:
        record_turn(
            desk,
            (),
            None,
            time.monotonic() - start,
            writes_stages=False,
            extra={**_coordinator_notes(coordinator, compare), **options},
        )
        raise
    best = max(range(len(results)), key=lambda index: (_round_rank(results[index]), index))
    record_turn(
        desk,
        results,
        best,
        time.monotonic() - start,
        writes_stages=False,
        extra={**_coordinator_notes(coordinator, compare), **options, PLAN: committed_days(results[best])},
    )
    return answer_of([(outcome.goal, _day_plan(outcome)) for outcome in results[best].outcomes])


def _coordinator_notes(coordinator: ChatCoordinator, compare: Callable[[Request | None], Extraction]) -> dict[str, Any]:
    """Return the entries of a turn's note about the coordinator. `compare` checks the request that it extracted."""
    return {
        "extracted": compare(coordinator.request).as_json(),
        "iterations": coordinator.splits,
        "coordinator_stage": coordinator.stage,
    }


def _round_rank(round_: Round) -> tuple[int, int]:
    """Return a sort key for rounds: the numbers of committed and of proposed days. It needs no verdict."""
    committed = sum(isinstance(outcome, Committed) for outcome in round_.outcomes)
    return committed, sum(_day_plan(outcome) is not None for outcome in round_.outcomes)


def _day_plan(outcome: Outcome) -> DayPlan | None:
    draft = None if isinstance(outcome, Cancelled) else outcome.draft
    plan: DayPlan | None = None if draft is None else draft.plan
    return plan


class ChatCoordinator:
    """Coordinator played by a model, in one conversation for all rounds.

    Args:
        talk: chat with the model.
        view: the task as agents see it.
        state: shared state, set to a ledger once a split states the budget; None if the days share no state.
        kept_days: days of the previous turn that may be kept.
        is_coordinated: whether hints and modes of transport are passed on to executors.
    """

    def __init__(
        self,
        talk: Talk,
        view: TaskView,
        state: DeferredState | None,
        kept_days: KeptDays,
        *,
        is_coordinated: bool,
    ) -> None:
        stage = Stage(name="coordinator")
        self._work = Conversation(
            talk, stage, view.tools.tools(), (EXTRACT, DISTRIBUTE), (DISTRIBUTE.name,), ExecutorCounts()
        )
        self._view, self._state, self._kept_days, self._is_coordinated = (
            view,
            state,
            kept_days,
            is_coordinated,
        )
        self.request: Request | None = None
        self.splits = 0

    @property
    def stage(self) -> int | None:
        """Index of the conversation's stage in the trace; None before the first message."""
        return self._work.stage_index if self._work.stage_index >= 0 else None

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        work = self._work
        work.tally = tally
        if work.messages:
            work.send(User(to_json({"feedback": [one.as_json() for one in feedback]})))
        else:
            work.send(System(prompt("coordinator.md")))
            work.send(User(_opening_message(self._view)))
            if self._kept_days.previous:
                days = [goal_json(goal) for _, (goal, _) in sorted(self._kept_days.previous.items())]
                work.send(User(to_json({"planned_before": days})))
        tally.stage = self.stage
        split = work.run(self._handle_call, work.talk.desk.check)
        if split is None:
            return None
        self.splits += 1
        budget = budget_of(split, self.request)
        if self._state is not None:
            inner = self._state.inner
            if isinstance(inner, UnmonitoredState) or (isinstance(inner, Ledger) and inner.budget != budget):
                self._state.inner = Ledger(
                    budget
                )  # nothing is committed yet, because a round without agreement is rolled back
        goals = goals_of(split, self.request)
        if not self._is_coordinated:
            goals = tuple(replace(goal, hint=None, mode=None) for goal in goals)
        self._kept_days.start_round(goals)
        work.stage = work.stage.model_copy(update={"steps": (*work.stage.steps, tuple(map(goal_line, goals)))})
        work.talk.desk.record_stage(work.stage, work.stage_index)
        return goals

    def _handle_call(self, call: ToolCall) -> End[Distribution] | JsonResult:
        try:
            if call.name == EXTRACT.name:
                self.request = read_arguments(Request, parse_json(call.arguments))
                return {"status": "accepted"}
            split = read_arguments(Distribution, parse_json(call.arguments))
            goals_of(split, self.request)
        except RefusedCallError as refused:
            return refused.result()
        return End(split)


def _opening_message(view: TaskView) -> str:
    """Return the first message to the coordinator: all turns of the request, and the materials of the setting."""
    parts = [view.query]
    if view.earlier:
        parts = [f"{query}\n\n(This was answered: {answer})" for query, answer in view.earlier] + parts
    if view.given:
        parts.append(json.dumps(view.given, ensure_ascii=False, default=str))
    parts += [f"# {title}\n\n{text}" for title, text in view.materials.items()]
    return "\n\n".join(parts)
