"""A model as the planner of one day, in a separate conversation."""

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
"""Code of a refusal: the model claims a cost that differs from the tables."""


@dataclass(frozen=True, slots=True)
class ChatExecutor:
    """A model as the planner of a day.

    Attributes:
        talk: chat with the model.
        view: view of the task.
        price: cost function of days.
        is_monitored: whether violations of shared rules are refused, as well as days with an unknown price or
            a wrong claim.
        budget: remaining budget.
        kept: days of an earlier turn.
    """

    talk: Talk
    view: TaskView
    price: Pricing
    is_monitored: bool
    budget: Deferred
    kept: KeptDays

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        stage = Stage(name="executor", id=f"day {goal.day}")
        kept_day = self.kept.kept_day(goal, state)
        if kept_day is not None:
            kept_day.tally.stage = self.talk.desk.record_stage(
                stage.model_copy(update={"extra": summary(kept_day)})
            )
            return kept_day
        start, tally = time.monotonic(), ExecutorCounts()
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
        tally.seconds = time.monotonic() - start
        if isinstance(outcome, Rejected):
            work.violated()
        if work.place >= 0:
            self.talk.desk.record_stage(stage.model_copy(update={"extra": summary(outcome)}), work.place)
        return outcome

    def _planned(self, goal: Goal, state: State, cancelled: threading.Event, work: Conversation) -> Outcome:
        proposed: DayDraft | None = None
        refused = Refusals()

        def act(call: ToolCall) -> End[Outcome] | JsonResult:
            nonlocal proposed
            try:
                if call.name == REJECT.name:
                    feedback = feedback_of(goal.day, read_arguments(Rejection, as_object(call.arguments)))
                    return End(
                        Rejected(goal, refused.corrected(goal, feedback, work.tally), proposed, work.tally)
                    )
                if call.name == ENQUIRE.name and work.used_up:
                    return USED_UP
                plan = read_arguments(DayPlan, as_object(call.arguments))
            except RefusedCallError as error:
                return error.result()
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
            return _refusal_message(reply) | {"cost": _money(price.cost)}

        def check() -> None:
            if cancelled.is_set():
                raise CancelledError

        check()
        work.tell(System(prompt(f"{goal.role}.md") + "\n\n" + prompt("day.md")))
        work.tell(User(as_text(self._opening(goal))))
        for title, text in self.view.materials.items():
            work.tell(User(f"# {title}\n\n{text}"))
        outcome = work.until(act, check)
        if outcome is not None:
            return outcome
        return Rejected(goal, refused.feedback(goal, work.tally), proposed, work.tally)

    def _opening(self, goal: Goal) -> dict[str, Any]:
        """Return the first message to the planner."""
        message: dict[str, Any] = {"task": task_of(goal), "remaining_budget": _money(self.budget.left)}
        before = self.kept.before.get(goal.day)
        return message if before is None else message | {"planned_before": before[1].model_dump(mode="json")}

    def _enquired(self, draft: DayDraft, price: Price) -> JsonResult:
        """Return the reply to `cost_enquiry`. Nothing is committed."""
        left = self.budget.left
        left_after = None if left is None or price.cost is None else left - price.cost
        reply = self._unfit(draft, price) or self.budget.check(draft.action)
        return {
            "cost": _money(price.cost),
            **{part: money(cost) for part, cost in price.parts.items()},
            "remaining_budget": _money(left_after),
            "check": {"status": "accepted"} if isinstance(reply, Accepted) else _refusal_message(reply),
        }

    def _unfit(self, draft: DayDraft, price: Price) -> Refusal | None:
        """Return the refusal of a plan whose price is unknown or differs from the claim, or None."""
        if not self.is_monitored:
            return None
        if price.cost is None:
            message = (
                "; ".join(price.faults)
                or "a price is not known: only flights, taxis and one's own car have one"
            )
            return Refusal(UNKNOWN_NAME, None, message)
        if draft.claimed is not None and draft.claimed != price.cost:
            claim_message = f"you say that it costs {money(draft.claimed)}, and by the tables it costs {money(price.cost)}"
            return Refusal(COST_MISMATCH, None, claim_message, draft.claimed - price.cost, unit="1/100 USD")
        return None


def _refusal_message(reply: Refusal) -> dict[str, Any]:
    """Return a refusal as the message to its planner."""
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
    """Refusals of a day's plans by the shared state.

    Attributes:
        last: last refusal for a reason other than a wrongly claimed cost.
        least: cost of the cheapest plan with a known price, in cents.
        money: cost of the cheapest plan refused over budget, in cents.
        left: remaining budget at the last refusal over budget, in cents.
    """

    last: Refusal | None = None
    least: int | None = None
    money: int | None = None
    left: int | None = None

    def add(self, refusal: Refusal, cost: int | None) -> None:
        """Record a refusal of a plan with the given cost in cents."""
        if refusal.code != COST_MISMATCH:
            self.last = refusal
        if cost is None:
            return
        self.least = cost if self.least is None else min(self.least, cost)
        if refusal.code == BUDGET_EXCEEDED and isinstance(refusal.margin, int):
            self.money = cost if self.money is None else min(self.money, cost)
            self.left = cost + refusal.margin

    def feedback(self, goal: Goal, tally: ExecutorCounts) -> Feedback:
        """Return the feedback to the coordinator on a day without an accepted plan.

        A failure over budget is reported as `budget` with the missing amount. Other failures have a deficit
        of 0 if the cheapest plan was affordable, and None if no price is known.
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

    def corrected(self, goal: Goal, feedback: Feedback, tally: ExecutorCounts) -> Feedback:
        """Return a planner's feedback, corrected by the refusals.

        A day refused over budget reports the deficit by the tables.
        """
        if self._money:
            return self.feedback(goal, tally)
        return Feedback(
            goal.day, feedback.status, feedback.deficit, feedback.violation_type, dict(tally.refusals)
        )

    @property
    def _money(self) -> bool:
        return self.last is not None and self.last.code == BUDGET_EXCEEDED
