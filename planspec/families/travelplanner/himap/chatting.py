"""HiMAP-Travel with a model: one chat in two roles, each conversation by itself, tools of the task and of the role.

The model knows what the setting gives, and nothing else. The executors share a ledger of their venues, means of travel and
costs; the costs are those of the task's tables, whatever the model says.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from planspec.agents.agent import Answer, UnknownAgent, agent
from planspec.agents.desk import Desk
from planspec.agents.failures import Failed
from planspec.agents.models import Message, System, Talk, ToolCall, ToolResult, User
from planspec.agents.tools import JsonResult, Refused, Tool, read_arguments
from planspec.agents.view import TaskView
from planspec.families.travelplanner.himap.bargaining import Round, bargain
from planspec.families.travelplanner.himap.executor import MOST_COMMITS, CancelledError, State
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    DayDraft,
    ExecutorCounts,
    Feedback,
    Goal,
    Outcome,
    Rejected,
    money,
)
from planspec.families.travelplanner.himap.ledger import ledger, said, venues
from planspec.families.travelplanner.himap.pricing import Price, Pricing
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.recording import keep, summary, told
from planspec.families.travelplanner.himap.state import Deferred, Unwatched
from planspec.families.travelplanner.himap.wishes import (
    DISTRIBUTE,
    FINISH,
    REJECT,
    TEXTS,
    DayPlan,
    Distribution,
    Rejection,
    answer_of,
    cents,
    feedback_of,
    goals_of,
    task_of,
)
from planspec.monitor import Accepted, Refusal
from planspec.monitor.replies import BUDGET_EXCEEDED, UNKNOWN_NAME
from planspec.traces.json_text import load
from planspec.traces.record import Stage

MOST_REPLIES = 25
"""Replies of one conversation before it is given up."""
MOST_CALLS = MOST_COMMITS
"""Calls of the task's tools by one executor (section 4.7)."""
_USED_UP: JsonResult = {
    "error": {"code": "used-up", "message": "all calls are used up; go on with what you know"}
}
_OVER: JsonResult = {"error": {"code": "over", "message": "your work had ended before this call"}}
_TAKEN: JsonResult = {"status": "accepted"}

T = TypeVar("T")


class AskableModel(Protocol):
    """An agent whose model can be asked by itself."""

    def talk(self, desk: Desk) -> Talk:
        """The model, asked from a desk."""

    def about(self) -> Mapping[str, Any]:
        """The record of the model's part."""


def model_of(spec: str) -> AskableModel:
    """The model behind an agent.

    Raises:
        UnknownAgent: there is no such agent, or it has no model.
    """
    made: Any = agent(spec)
    if not callable(getattr(made, "talk", None)) or not callable(getattr(made, "about", None)):
        raise UnknownAgent(f"`{spec}` has no model that could be asked")
    model: AskableModel = made
    return model


def planned(
    model: AskableModel,
    view: TaskView,
    desk: Desk,
    price: Pricing,
    *,
    rounds: int,
    workers: int,
    watched: bool,
    coordinated: bool,
) -> Answer:
    """The answer that a model's days make.

    Raises:
        Failed: the model never splits the trip, or the service, time or other limits fail.
    """
    begun = time.monotonic()
    talk, state = model.talk(desk), Deferred()
    coordinator = ChatCoordinator(talk, view, state if watched else None, coordinated=coordinated)
    executor = ChatExecutor(talk, view, price, watched)
    made = bargain(coordinator, executor, state, rounds=rounds, workers=workers)
    if not made:
        raise Failed("decode", "the coordinator never split the trip into days")
    best = max(range(len(made)), key=lambda place: (_worth(made[place]), place))
    keep(desk, made, best, time.monotonic() - begun, staged=False)
    return answer_of([(outcome.goal, _plan(outcome)) for outcome in made[best].outcomes])


def _worth(one: Round) -> tuple[int, int]:
    """The worth of a round without judging its plan: its committed days, and its proposed days."""
    done = sum(isinstance(outcome, Committed) for outcome in one.outcomes)
    return done, sum(_plan(outcome) is not None for outcome in one.outcomes)


def _plan(outcome: Outcome) -> DayPlan | None:
    draft = None if isinstance(outcome, Cancelled) else outcome.draft
    plan: DayPlan | None = None if draft is None else draft.plan
    return plan


@dataclass(frozen=True, slots=True)
class _End(Generic[T]):
    """With what a conversation ends."""

    value: T


@dataclass(slots=True)
class _Conversation:
    """One role at work: what was said so far, and where it is kept.

    Attributes:
        tools: of the task and of the role.
        most: calls of the task's tools.
    """

    talk: Talk
    stage: Stage
    tools: Sequence[Tool]
    tally: ExecutorCounts
    most: int | None = None
    messages: list[Message] = field(default_factory=list)
    place: int = -1

    def tell(self, message: System | User) -> None:
        """Say something to the model."""
        if self.place < 0:
            self.place = self.talk.desk.stage(self.stage)
        self.messages.append(message)
        self.talk.desk.say(type(message).__name__.lower(), message.text, stage=self.place)

    def until(self, act: Callable[[ToolCall], _End[T] | JsonResult], check: Callable[[], None]) -> T | None:
        """Go on until a call ends it.

        Args:
            act: handles a call: it gives an end, or the reply to the model.
            check: before each request.

        Returns:
            The end; None if the model does not come to one.
        """
        for _ in range(MOST_REPLIES):
            check()
            self.tally.call("model")
            reply = self.talk.ask(self.messages, self.tools, stage=self.stage.name)
            self.messages.append(reply.message())
            self.talk.desk.say("assistant", reply.text, stage=self.place)
            end: _End[T] | None = None
            for call in reply.calls:
                came = _OVER if end is not None else act(call)
                if isinstance(came, _End):
                    end = came
                text = _json(_TAKEN if isinstance(came, _End) else came)
                self.messages.append(ToolResult(call.id, call.name, text))
                self.talk.desk.say("tool", text, stage=self.place)
            if end is not None:
                return end.value
            if not reply.calls:
                names = " or ".join(f"`{tool.name}`" for tool in self.tools[-2:])
                self.tell(User(reply.fault or f"Call one of your tools; {names} ends your work."))
        return None

    def look_up(self, call: ToolCall) -> JsonResult:
        """The result of one of the task's own tools."""
        if self.most is not None and self.tally.calls.get("tool", 0) >= self.most:
            return _USED_UP
        self.tally.call("tool")
        try:
            return self.talk.desk.place_call(call.name, call.arguments, id=call.id or None, stage=self.place)[
                1
            ]
        except Failed as failed:
            if failed.boundary != "limit":
                raise
            return _USED_UP


class ChatCoordinator:
    """A model as the coordinator; one conversation goes on through all rounds.

    Args:
        talk: with the model.
        view: of the task.
        state: becomes a ledger when the first split says what the budget is; None if the days share nothing.
        coordinated: hints and means of travel are passed on.
    """

    def __init__(self, talk: Talk, view: TaskView, state: Deferred | None, *, coordinated: bool) -> None:
        tools = [*view.tools.tools(), DISTRIBUTE]
        self._work = _Conversation(talk, Stage(name="coordinator"), tools, ExecutorCounts())
        self._view, self._state, self._coordinated = view, state, coordinated

    def __call__(self, feedback: Sequence[Feedback], tally: ExecutorCounts) -> tuple[Goal, ...] | None:
        """See `Coordinator`."""
        work = self._work
        work.tally = tally
        if work.messages:
            work.tell(User(_json({"feedback": [one.as_json() for one in feedback]})))
        else:
            work.tell(System(prompt("coordinator.md")))
            work.tell(User(_request(self._view)))
        split = work.until(self._act, work.talk.desk.check)
        if split is None:
            return None
        if self._state is not None and isinstance(self._state.inner, Unwatched):
            self._state.inner = ledger(cents(split.budget))
        goals = goals_of(split)
        if not self._coordinated:
            goals = tuple(replace(goal, hint=None, mode=None) for goal in goals)
        work.stage = work.stage.model_copy(update={"steps": (*work.stage.steps, tuple(map(told, goals)))})
        work.talk.desk.stage(work.stage, work.place)
        return goals

    def _act(self, call: ToolCall) -> _End[Distribution] | JsonResult:
        if call.name != DISTRIBUTE.name:
            return self._work.look_up(call)
        try:
            split = read_arguments(Distribution, _object(call.arguments))
            goals_of(split)
        except Refused as refused:
            return refused.result()
        return _End(split)


@dataclass(frozen=True, slots=True)
class ChatExecutor:
    """A model as the planner of one day, in a conversation of its own.

    Attributes:
        talk: with the model.
        view: of the task.
        price: what a day costs.
        watched: a day with a price that nobody knows is refused, as what breaks the shared rules is.
    """

    talk: Talk
    view: TaskView
    price: Pricing
    watched: bool

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        begun, tally = time.monotonic(), ExecutorCounts()
        tools = [*self.view.tools.tools(), FINISH, REJECT]
        stage = Stage(name="executor", id=f"day {goal.day}")
        work = _Conversation(self.talk, stage, tools, tally, MOST_CALLS)
        try:
            outcome = self._planned(goal, state, cancelled, work)
        except CancelledError:
            outcome = Cancelled(goal, tally)
        tally.seconds = time.monotonic() - begun
        if work.place >= 0:
            self.talk.desk.stage(stage.model_copy(update={"extra": summary(outcome)}), work.place)
        return outcome

    def _planned(self, goal: Goal, state: State, cancelled: threading.Event, work: _Conversation) -> Outcome:
        proposed: DayDraft | None = None
        refused = Refusals()

        def act(call: ToolCall) -> _End[Outcome] | JsonResult:
            nonlocal proposed
            try:
                if call.name == REJECT.name:
                    why = feedback_of(goal.day, read_arguments(Rejection, _object(call.arguments)))
                    return _End(Rejected(goal, why, proposed, work.tally))
                if call.name != FINISH.name:
                    return work.look_up(call)
                plan = read_arguments(DayPlan, _object(call.arguments))
            except Refused as wrong:
                return wrong.result()
            price = self.price(goal, plan)
            proposed = drafted(goal, plan, price.cost)
            work.tally.call("commit")
            unknown = self.watched and price.cost is None
            reply = _unpriced(price) if unknown else state.commit(proposed.action)
            if isinstance(reply, Accepted):
                over = None if goal.hint is None else proposed.cost - goal.hint
                return _End(Committed(goal, Feedback(goal.day, "feasible", over), proposed, work.tally))
            work.tally.refused(reply.code)
            refused.add(reply, proposed.cost)
            if work.tally.calls["commit"] >= MOST_COMMITS:
                return _End(Rejected(goal, refused.feedback(goal), proposed, work.tally))
            return {
                "status": "refused",
                "code": reply.code,
                "message": reply.message,
                "margin": reply.margin,
                "unit": reply.unit,
                "cost": None if price.cost is None else money(price.cost),
            }

        def check() -> None:
            if cancelled.is_set():
                raise CancelledError

        check()
        work.tell(System(prompt("day.md")))
        work.tell(User(_json({"task": task_of(goal)})))
        for title, text in self.view.materials.items():
            work.tell(User(f"# {title}\n\n{text}"))
        ended = work.until(act, check)
        if ended is not None:
            return ended
        return Rejected(goal, refused.feedback(goal), proposed, work.tally)


@dataclass(slots=True)
class Refusals:
    """Why the shared state refused the plans of a day.

    Attributes:
        last: the last refusal.
        least: the least that a plan refused for money costs, in cents.
        left: of the budget, when a plan was last refused for money.
    """

    last: Refusal | None = None
    least: int | None = None
    left: int = 0

    def add(self, refusal: Refusal, cost: int) -> None:
        """One more, of a plan with this cost in cents."""
        self.last = refusal
        if refusal.code == BUDGET_EXCEEDED and isinstance(refusal.margin, int):
            self.least = cost if self.least is None else min(self.least, cost)
            self.left = cost + refusal.margin

    def feedback(self, goal: Goal) -> Feedback:
        """The feedback to the coordinator about a day that has no accepted plan."""
        if self.last is None or self.last.code != BUDGET_EXCEEDED:
            return Feedback(goal.day, "infeasible", None, "availability")
        if self.least is None:
            return Feedback(goal.day, "infeasible", None, "budget")
        bound = self.left if goal.hint is None else min(self.left, goal.hint)
        return Feedback(goal.day, "infeasible", self.least - bound, "budget")


def _unpriced(price: Price) -> Refusal:
    """The refusal of a plan with a price that nobody knows."""
    why = "; ".join(price.faults) or "a price is not known: only flights, taxis and one's own car have one"
    return Refusal(UNKNOWN_NAME, None, why)


def drafted(goal: Goal, plan: DayPlan, cost: int | None) -> DayDraft:
    """A model's plan of a day as a draft.

    Args:
        goal: of the day.
        plan: as the model wrote it.
        cost: by the tables, in cents; None where it is not known.
    """
    entry = {name: getattr(plan, name) for name in TEXTS}
    return DayDraft(said(goal.day, entry, cost or 0), cost or 0, tuple(venues(entry)), plan, cents(plan.cost))


def _request(view: TaskView) -> str:
    """The user's request, turn by turn, and the setting's materials."""
    parts = [view.query]
    if view.earlier:
        parts = [f"{query}\n\n(This was answered: {answer})" for query, answer in view.earlier] + parts
    if view.given:
        parts.append(json.dumps(view.given, ensure_ascii=False, default=str))
    parts += [f"# {title}\n\n{text}" for title, text in view.materials.items()]
    return "\n\n".join(parts)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(arguments: str) -> object:
    """Arguments as JSON; what is none is refused as any other wrong call."""
    try:
        return load(arguments)
    except ValueError:
        return None
