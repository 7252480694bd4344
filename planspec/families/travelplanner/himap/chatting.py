"""HiMAP-Travel with a model: one chat in two roles, with separate conversations.

The model knows what the setting gives, and nothing else. The executors share a ledger of their venues, modes
of transport and costs; the costs come from the task's tables, whatever the model claims.
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
from planspec.families.travelplanner.himap.conversation import Conversation, End, as_object, as_text
from planspec.families.travelplanner.himap.day_chat import ChatExecutor
from planspec.families.travelplanner.himap.extraction import Extraction
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    ExecutorCounts,
    Feedback,
    Goal,
    Outcome,
)
from planspec.families.travelplanner.himap.keeping import PLAN, KeptDays, days_before, plan_of
from planspec.families.travelplanner.himap.ledger import Ledger
from planspec.families.travelplanner.himap.pricing import Pricing
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.recording import goal_line, keep
from planspec.families.travelplanner.himap.state import Deferred, UnmonitoredState
from planspec.families.travelplanner.himap.wishes import (
    DISTRIBUTE,
    EXTRACT,
    DayPlan,
    Distribution,
    Request,
    answer_of,
    budget_of,
    goals_of,
    task_of,
)
from planspec.traces.record import Stage


class AskableModel(Protocol):
    """An agent whose model can be queried directly."""

    def talk(self, desk: Desk) -> Talk:
        """Return the model's chat at a desk."""

    def about(self) -> Mapping[str, Any]:
        """Return the record of the model's settings."""


def model_of(spec: str) -> AskableModel:
    """Return the model behind an agent.

    Raises:
        UnknownAgentError: there is no such agent, or it has no model.
    """
    candidate: Any = agent(spec)
    if not callable(getattr(candidate, "talk", None)) or not callable(getattr(candidate, "about", None)):
        raise UnknownAgentError(f"`{spec}` has no model that could be asked")
    model: AskableModel = candidate
    return model


def planned(
    model: AskableModel,
    view: TaskView,
    desk: Desk,
    price: Pricing,
    extracted: Callable[[Request | None], Extraction],
    *,
    rounds: int,
    workers: int,
    is_monitored: bool,
    is_coordinated: bool,
) -> Answer:
    """Return the answer planned by a model's days.

    Args:
        model: model for both roles.
        view: view of the task.
        desk: desk of the attempt.
        price: cost function of days.
        extracted: compares the model's reading of the request with the task.
        rounds: largest number of bargaining rounds.
        workers: number of days planned at once.
        is_monitored: whether there is a shared state.
        is_coordinated: whether hints and modes of transport are passed on.

    Raises:
        AttemptFailedError: the model never splits the trip, or the service, time or other limits fail.
    """
    start = time.monotonic()
    talk, state = model.talk(desk), Deferred()
    kept_days = KeptDays(days_before(desk) if view.turn else {}, price, is_monitored)
    coordinator = ChatCoordinator(
        talk, view, state if is_monitored else None, kept_days, is_coordinated=is_coordinated
    )
    executor = ChatExecutor(talk, view, price, is_monitored, state, kept_days)
    try:
        results = bargain(coordinator, executor, state, rounds=rounds, workers=workers)
        if not results:
            raise AttemptFailedError("decode", "the coordinator never split the trip into days")
    except AttemptFailedError:
        keep(
            desk,
            (),
            None,
            time.monotonic() - start,
            staged=False,
            more=_coordinator_notes(coordinator, extracted),
        )
        raise
    best = max(range(len(results)), key=lambda place: (_worth(results[place]), place))
    keep(
        desk,
        results,
        best,
        time.monotonic() - start,
        staged=False,
        more={**_coordinator_notes(coordinator, extracted), PLAN: plan_of(results[best])},
    )
    return answer_of([(outcome.goal, _plan(outcome)) for outcome in results[best].outcomes])


def _coordinator_notes(
    coordinator: ChatCoordinator, extracted: Callable[[Request | None], Extraction]
) -> dict[str, Any]:
    """Return the notes on the coordinator of a turn."""
    return {
        "extracted": extracted(coordinator.request).as_json(),
        "iterations": coordinator.splits,
        "coordinator_stage": coordinator.stage,
    }


def _worth(round_: Round) -> tuple[int, int]:
    """Return the worth of a round, without judging its plan: its numbers of committed and proposed days."""
    committed = sum(isinstance(outcome, Committed) for outcome in round_.outcomes)
    return committed, sum(_plan(outcome) is not None for outcome in round_.outcomes)


def _plan(outcome: Outcome) -> DayPlan | None:
    draft = None if isinstance(outcome, Cancelled) else outcome.draft
    plan: DayPlan | None = None if draft is None else draft.plan
    return plan


class ChatCoordinator:
    """A model as the coordinator. One conversation spans all rounds.

    Args:
        talk: chat with the model.
        view: view of the task.
        state: becomes a ledger when the first split gives the budget; None if the days share nothing.
        kept_days: days of an earlier turn.
        is_coordinated: whether hints and modes of transport are passed on.
    """

    def __init__(
        self, talk: Talk, view: TaskView, state: Deferred | None, kept_days: KeptDays, *, is_coordinated: bool
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
        """Index of the conversation in the trace, or None."""
        return self._work.place if self._work.place >= 0 else None

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        work = self._work
        work.tally = tally
        if work.messages:
            work.tell(User(as_text({"feedback": [one.as_json() for one in feedback]})))
        else:
            work.tell(System(prompt("coordinator.md")))
            work.tell(User(_request(self._view)))
            if self._kept_days.before:
                days = [task_of(goal) for _, (goal, _) in sorted(self._kept_days.before.items())]
                work.tell(User(as_text({"planned_before": days})))
        tally.stage = self.stage
        split = work.until(self._act, work.talk.desk.check)
        if split is None:
            return None
        self.splits += 1
        budget = budget_of(split, self.request)
        if self._state is not None:
            inner = self._state.inner
            if isinstance(inner, UnmonitoredState) or (isinstance(inner, Ledger) and inner.budget != budget):
                self._state.inner = Ledger(
                    budget
                )  # nothing is committed now: a round without agreement is rolled back
        goals = goals_of(split, self.request)
        if not self._is_coordinated:
            goals = tuple(replace(goal, hint=None, mode=None) for goal in goals)
        self._kept_days.expect(goals)
        work.stage = work.stage.model_copy(
            update={"steps": (*work.stage.steps, tuple(map(goal_line, goals)))}
        )
        work.talk.desk.record_stage(work.stage, work.place)
        return goals

    def _act(self, call: ToolCall) -> End[Distribution] | JsonResult:
        try:
            if call.name == EXTRACT.name:
                self.request = read_arguments(Request, as_object(call.arguments))
                return {"status": "accepted"}
            split = read_arguments(Distribution, as_object(call.arguments))
            goals_of(split, self.request)
        except RefusedCallError as refused:
            return refused.result()
        return End(split)


def _request(view: TaskView) -> str:
    """Return the user's request, turn by turn, and the setting's materials."""
    parts = [view.query]
    if view.earlier:
        parts = [f"{query}\n\n(This was answered: {answer})" for query, answer in view.earlier] + parts
    if view.given:
        parts.append(json.dumps(view.given, ensure_ascii=False, default=str))
    parts += [f"# {title}\n\n{text}" for title, text in view.materials.items()]
    return "\n\n".join(parts)
