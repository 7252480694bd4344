"""A model as the planner of one day, in a conversation of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planspec.agents.models import System, Talk, ToolCall, User
from planspec.agents.tools import JsonResult, RefusedCallError, read_arguments
from planspec.agents.view import TaskView
from planspec.families.travelplanner.himap.conversation import (
    MOST_CALLS,
    USED_UP,
    Conversation,
    End,
    as_object,
    as_text,
)
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
from planspec.families.travelplanner.himap.keeping import KeptDays
from planspec.families.travelplanner.himap.pricing import Price, Pricing
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.recording import summary
from planspec.families.travelplanner.himap.state import Deferred
from planspec.families.travelplanner.himap.wishes import (
    ENQUIRE,
    FINISH,
    REJECT,
    DayPlan,
    Rejection,
    drafted,
    feedback_of,
    task_of,
)
from planspec.monitor import Accepted, Refusal
from planspec.monitor.replies import BUDGET_EXCEEDED, UNKNOWN_NAME
from planspec.traces.record import Stage

COST_MISMATCH = "COST_MISMATCH"
"""A day's planner says another cost than the tables."""


@dataclass(frozen=True, slots=True)
class ChatExecutor:
    """A model as the planner of a day.

    Attributes:
        talk: with the model.
        view: of the task.
        price: what a day costs.
        watched: a day with a price that nobody knows, or that is not the one that is claimed, is refused, as what breaks the
            shared rules is.
        budget: what is left of the budget.
        kept: days of an earlier turn.
    """

    talk: Talk
    view: TaskView
    price: Pricing
    watched: bool
    budget: Deferred
    kept: KeptDays

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        stage = Stage(name="executor", id=f"day {goal.day}")
        standing = self.kept.standing(goal, state)
        if standing is not None:
            standing.tally.stage = self.talk.desk.stage(stage.model_copy(update={"extra": summary(standing)}))
            return standing
        begun, tally = time.monotonic(), ExecutorCounts()
        work = Conversation(
            self.talk,
            stage,
            self.view.tools.tools(),
            (ENQUIRE, FINISH, REJECT),
            (FINISH.name, REJECT.name),
            tally,
            MOST_CALLS,
        )
        try:
            outcome = self._planned(goal, state, cancelled, work)
        except CancelledError:
            outcome = Cancelled(goal, tally)
        tally.seconds = time.monotonic() - begun
        if isinstance(outcome, Rejected):
            work.violated()
        if work.place >= 0:
            self.talk.desk.stage(stage.model_copy(update={"extra": summary(outcome)}), work.place)
        return outcome

    def _planned(self, goal: Goal, state: State, cancelled: threading.Event, work: Conversation) -> Outcome:
        proposed: DayDraft | None = None
        refused = Refusals()

        def act(call: ToolCall) -> End[Outcome] | JsonResult:
            nonlocal proposed
            try:
                if call.name == REJECT.name:
                    said = feedback_of(goal.day, read_arguments(Rejection, as_object(call.arguments)))
                    return End(
                        Rejected(goal, refused.corrected(goal, said, work.tally), proposed, work.tally)
                    )
                if call.name == ENQUIRE.name and work.used_up:
                    return USED_UP
                plan = read_arguments(DayPlan, as_object(call.arguments))
            except RefusedCallError as wrong:
                return wrong.result()
            price = self.price(goal, plan)
            draft = drafted(goal, plan, price.cost)
            if call.name == ENQUIRE.name:
                work.tally.call(ENQUIRE.name)
                return self._enquired(draft, price)
            proposed = draft
            work.tally.call("commit")
            reply = self._unfit(draft, price) or state.commit(draft.action)
            if isinstance(reply, Accepted):
                over = None if goal.hint is None else draft.cost - goal.hint
                return End(Committed(goal, Feedback(goal.day, "feasible", over), draft, work.tally))
            work.tally.refused(reply.code)
            refused.add(reply, price.cost)
            if reply.code == BUDGET_EXCEEDED:
                work.violated()
            if work.tally.calls["commit"] >= MOST_COMMITS:
                return End(Rejected(goal, refused.feedback(goal, work.tally), draft, work.tally))
            return _told(reply) | {"cost": _money(price.cost)}

        def check() -> None:
            if cancelled.is_set():
                raise CancelledError

        check()
        work.tell(System(prompt(f"{goal.role}.md") + "\n\n" + prompt("day.md")))
        work.tell(User(as_text(self._opening(goal))))
        for title, text in self.view.materials.items():
            work.tell(User(f"# {title}\n\n{text}"))
        ended = work.until(act, check)
        if ended is not None:
            return ended
        return Rejected(goal, refused.feedback(goal, work.tally), proposed, work.tally)

    def _opening(self, goal: Goal) -> dict[str, Any]:
        """What the planner is told first."""
        made: dict[str, Any] = {"task": task_of(goal), "remaining_budget": _money(self.budget.left)}
        before = self.kept.before.get(goal.day)
        return made if before is None else made | {"planned_before": before[1].model_dump(mode="json")}

    def _enquired(self, draft: DayDraft, price: Price) -> JsonResult:
        """The answer to `cost_enquiry`: nothing is committed."""
        left = self.budget.left
        after = None if left is None or price.cost is None else left - price.cost
        reply = self._unfit(draft, price) or self.budget.check(draft.action)
        return {
            "cost": _money(price.cost),
            **{part: money(cost) for part, cost in price.parts.items()},
            "remaining_budget": _money(after),
            "check": {"status": "accepted"} if isinstance(reply, Accepted) else _told(reply),
        }

    def _unfit(self, draft: DayDraft, price: Price) -> Refusal | None:
        """The refusal of a plan whose price nobody knows, or is not the one that is claimed."""
        if not self.watched:
            return None
        if price.cost is None:
            why = (
                "; ".join(price.faults)
                or "a price is not known: only flights, taxis and one's own car have one"
            )
            return Refusal(UNKNOWN_NAME, None, why)
        if draft.claimed is not None and draft.claimed != price.cost:
            said = f"you say that it costs {money(draft.claimed)}, and by the tables it costs {money(price.cost)}"
            return Refusal(COST_MISMATCH, None, said, draft.claimed - price.cost, unit="1/100 USD")
        return None


def _told(reply: Refusal) -> dict[str, Any]:
    """A refusal as its planner hears it."""
    return {
        "status": "refused",
        "code": reply.code,
        "message": reply.message,
        "margin": reply.margin,
        "unit": reply.unit,
    }


def _money(cents: int | None) -> str | None:
    return None if cents is None else money(cents)


@dataclass(slots=True)
class Refusals:
    """Why the shared state refused the plans of a day.

    Attributes:
        last: the last refusal that is not about what a plan was said to cost.
        least: the least that a plan with a known price costs, in cents.
        money: the least that one refused for money costs.
        left: of the budget, when a plan was last refused for money.
    """

    last: Refusal | None = None
    least: int | None = None
    money: int | None = None
    left: int | None = None

    def add(self, refusal: Refusal, cost: int | None) -> None:
        """One more, of a plan with this cost in cents."""
        if refusal.code != COST_MISMATCH:
            self.last = refusal
        if cost is None:
            return
        self.least = cost if self.least is None else min(self.least, cost)
        if refusal.code == BUDGET_EXCEEDED and isinstance(refusal.margin, int):
            self.money = cost if self.money is None else min(self.money, cost)
            self.left = cost + refusal.margin

    def feedback(self, goal: Goal, tally: ExecutorCounts) -> Feedback:
        """The feedback to the coordinator about a day that has no accepted plan.

        What fails on money says `budget`, and how much is missing. What else fails says so with a deficit of 0 where its cheapest
        plan would have been paid for, and without one where no price is known.
        """
        counts: Mapping[str, int] = dict(tally.refusals)
        bounds = [bound for bound in (self.left, goal.hint) if bound is not None]
        short = self.money if self._money else self.least
        deficit = short - min(bounds) if short is not None and bounds else None
        if self._money:
            return Feedback(goal.day, "infeasible", deficit, "budget", counts)
        if short is not None:
            deficit = max(0, deficit or 0)
        return Feedback(goal.day, "infeasible", deficit, "availability", counts)

    def corrected(self, goal: Goal, said: Feedback, tally: ExecutorCounts) -> Feedback:
        """The feedback that a planner gives, held to what was refused: a day that failed on money lacks money, and as much as the tables say."""
        if self._money:
            return self.feedback(goal, tally)
        return Feedback(goal.day, said.status, said.deficit, said.violation_type, dict(tally.refusals))

    @property
    def _money(self) -> bool:
        return self.last is not None and self.last.code == BUDGET_EXCEEDED
