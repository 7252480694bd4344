"""Executor played by a model. It plans one day in a separate conversation."""

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
    parse_json,
    to_json,
)
from planspec.families.travelplanner.himap.executor import MOST_COMMITS, CancelledError, State
from planspec.families.travelplanner.himap.goals import (
    Cancelled,
    Committed,
    DayDraft,
    ExecutorCounts,
    Feedback,
    Goal,
    LedgerName,
    Outcome,
    Rejected,
    Violation,
    money,
)
from planspec.families.travelplanner.himap.keeping import KeptDays
from planspec.families.travelplanner.himap.pricing import Price, Pricing
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.recording import summary
from planspec.families.travelplanner.himap.role_tools import (
    ENQUIRE,
    FINISH,
    REJECT,
    DayPlan,
    Rejection,
    draft_from_plan,
    feedback_of,
    goal_json,
    to_cents,
)
from planspec.families.travelplanner.himap.state import DeferredState
from planspec.monitor import Accepted, Refusal
from planspec.monitor.replies import BUDGET_EXCEEDED, UNKNOWN_NAME
from planspec.traces.record import Stage

COST_MISSING = "COST_MISSING"
"""Code of refusal for a plan without a claimed cost, if the shared state adds up claimed costs."""
COST_MISMATCH = "COST_MISMATCH"
"""Code of refusal for a plan with a claimed cost that differs from the cost by the tables."""


@dataclass(frozen=True, slots=True)
class ChatExecutor:
    """Executor played by a model.

    Attributes:
        talk: chat with the model.
        view: the task as agents see it.
        price: function that computes the cost of a day from the task's tables.
        is_monitored: whether to refuse days that violate shared rules, have an unknown price, or claim a wrong cost.
        budget: shared state that tracks the remaining budget.
        kept_days: days of the previous turn that may be kept.
        ledger: costs that the shared state adds up. With `claimed`, unknown prices and wrong claims are accepted.
        can_reject: whether the executor may reject its day before it has planned it.
    """

    talk: Talk
    view: TaskView
    price: Pricing
    is_monitored: bool
    budget: DeferredState
    kept_days: KeptDays
    ledger: LedgerName = "tables"
    can_reject: bool = True

    def __call__(self, goal: Goal, state: State, cancelled: threading.Event) -> Outcome:
        """See `Executor`."""
        stage = Stage(name="executor", id=f"day {goal.day}")
        kept_day = self.kept_days.kept_outcome(goal, state)
        if kept_day is not None:
            kept_day.tally.stage = self.talk.desk.record_stage(stage.model_copy(update={"extra": summary(kept_day)}))
            return kept_day
        start, tally = time.monotonic(), ExecutorCounts()
        work = Conversation(
            self.talk,
            stage,
            self.view.tools.tools(),
            (ENQUIRE, FINISH, REJECT) if self.can_reject else (ENQUIRE, FINISH),
            (FINISH.name, REJECT.name) if self.can_reject else (FINISH.name,),
            tally,
            MOST_CALLS,
        )
        try:
            outcome = self._plan_day(goal, state, cancelled, work)
        except CancelledError:
            outcome = Cancelled(goal, tally)
        tally.seconds = time.monotonic() - start
        if isinstance(outcome, Rejected):
            work.record_violation()
        if work.stage_index >= 0:
            self.talk.desk.record_stage(stage.model_copy(update={"extra": summary(outcome)}), work.stage_index)
        return outcome

    def _plan_day(self, goal: Goal, state: State, cancelled: threading.Event, work: Conversation) -> Outcome:
        proposed: DayDraft | None = None
        refusals = RefusalLog()

        def handle(call: ToolCall) -> End[Outcome] | JsonResult:
            nonlocal proposed
            try:
                if call.name == REJECT.name:
                    feedback = feedback_of(goal.day, read_arguments(Rejection, parse_json(call.arguments)))
                    return End(Rejected(goal, refusals.correct(goal, feedback, work.tally), proposed, work.tally))
                if call.name == ENQUIRE.name and work.is_used_up:
                    return USED_UP
                plan = read_arguments(DayPlan, parse_json(call.arguments))
            except RefusedCallError as error:
                return error.result()
            price = self.price(goal, plan)
            if call.name == ENQUIRE.name:
                work.tally.count_call(ENQUIRE.name)
                return self._enquiry_reply(draft_from_plan(goal, plan, price.cost), price)
            cost = price.cost if self.ledger == "tables" else to_cents(plan.cost)
            draft = draft_from_plan(goal, plan, cost)
            proposed = draft
            work.tally.count_call("commit")
            reply = self._claim_refusal(draft, price) or state.commit(draft.action)
            if isinstance(reply, Accepted):
                over = None if goal.hint is None else draft.cost - goal.hint
                return End(Committed(goal, Feedback(goal.day, "feasible", over), draft, work.tally))
            work.tally.count_refusal(reply.code)
            refusals.add(reply, cost)
            if reply.code == BUDGET_EXCEEDED:
                work.record_violation()
            if work.tally.calls["commit"] >= MOST_COMMITS:
                return End(Rejected(goal, refusals.feedback(goal, work.tally), draft, work.tally))
            return _refusal_message(reply) | {"cost": _money_or_none(cost)}

        def check() -> None:
            if cancelled.is_set():
                raise CancelledError

        check()
        work.send(System("\n\n".join(map(prompt, self._prompt_names(goal)))))
        work.send(User(to_json(self._opening_message(goal))))
        for title, text in self.view.materials.items():
            work.send(User(f"# {title}\n\n{text}"))
        outcome = work.run(handle, check)
        if outcome is not None:
            return outcome
        return Rejected(goal, refusals.feedback(goal, work.tally), proposed, work.tally)

    def _prompt_names(self, goal: Goal) -> list[str]:
        names = [f"{goal.role}.md", "day.md"]
        return [*names, *["claimed.md"] * (self.ledger == "claimed"), *["reject.md"] * self.can_reject]

    def _opening_message(self, goal: Goal) -> dict[str, Any]:
        """Return the first message to the executor."""
        message: dict[str, Any] = {
            "task": goal_json(goal),
            "remaining_budget": _money_or_none(self.budget.remaining),
        }
        before = self.kept_days.previous.get(goal.day)
        return message if before is None else message | {"planned_before": before[1].model_dump(mode="json")}

    def _enquiry_reply(self, draft: DayDraft, price: Price) -> JsonResult:
        """Return the reply to a call of `cost_enquiry`: the cost of a draft, and whether it would be accepted."""
        left = self.budget.remaining
        left_after = None if left is None or price.cost is None else left - price.cost
        reply = self._price_refusal(draft, price) or self.budget.check(draft.action)
        return {
            "cost": _money_or_none(price.cost),
            **{part: money(cost) for part, cost in price.parts.items()},
            "remaining_budget": _money_or_none(left_after),
            "check": {"status": "accepted"} if isinstance(reply, Accepted) else _refusal_message(reply),
        }

    def _claim_refusal(self, draft: DayDraft, price: Price) -> Refusal | None:
        """Return a refusal of the draft because of its cost, or None if the cost is acceptable."""
        if self.ledger == "tables":
            return self._price_refusal(draft, price)
        if self.is_monitored and draft.claimed is None:
            return Refusal(COST_MISSING, None, "say what the day costs for everyone, as `cost`")
        return None

    def _price_refusal(self, draft: DayDraft, price: Price) -> Refusal | None:
        """Return a refusal if the draft has an unknown price or a wrong claimed cost, otherwise None."""
        if not self.is_monitored:
            return None
        if price.cost is None:
            message = "; ".join(price.faults) or "a price is not known: only flights, taxis and one's own car have one"
            return Refusal(UNKNOWN_NAME, None, message)
        if draft.claimed is not None and draft.claimed != price.cost:
            claim_message = (
                f"you say that it costs {money(draft.claimed)}, and by the tables it costs {money(price.cost)}"
            )
            return Refusal(COST_MISMATCH, None, claim_message, draft.claimed - price.cost, unit="1/100 USD")
        return None


def _refusal_message(reply: Refusal) -> dict[str, Any]:
    """Return a refusal as a message to the executor."""
    return {
        "status": "refused",
        "code": reply.code,
        "message": reply.message,
        "margin": reply.margin,
        "unit": reply.unit,
    }


def _money_or_none(cents: int | None) -> str | None:
    return None if cents is None else money(cents)


@dataclass(slots=True)
class RefusalLog:
    """Log of the shared state's refusals of a day's plans.

    Attributes:
        last: last refusal for another reason than a wrong or missing claimed cost; None if there is none.
        lowest_cost: cost in cents of the cheapest refused plan with a known price; None if there is none.
        lowest_over_budget: cost in cents of the cheapest plan refused as over budget; None if there is none.
        remaining: remaining budget in cents at the last refusal as over budget; None if there is none.
    """

    last: Refusal | None = None
    lowest_cost: int | None = None
    lowest_over_budget: int | None = None
    remaining: int | None = None

    def add(self, refusal: Refusal, cost: int | None) -> None:
        """Record the refusal of a plan. `cost` is in cents, or None if a price is unknown."""
        if refusal.code not in (COST_MISMATCH, COST_MISSING):
            self.last = refusal
        if cost is None:
            return
        self.lowest_cost = cost if self.lowest_cost is None else min(self.lowest_cost, cost)
        if refusal.code == BUDGET_EXCEEDED and isinstance(refusal.margin, int):
            lowest = self.lowest_over_budget
            self.lowest_over_budget = cost if lowest is None else min(lowest, cost)
            self.remaining = cost + refusal.margin

    def feedback(self, goal: Goal, tally: ExecutorCounts) -> Feedback:
        """Return the feedback to the coordinator on a day without an accepted plan.

        If the last refusal was over budget, the violation is `budget`, with the missing amount as deficit. Otherwise it
        is `price` if all refusals were for the claimed cost, else `availability`. In these two cases, the deficit is 0
        if the cheapest plan was affordable, and None if no price is known.
        """
        counts: Mapping[str, int] = dict(tally.refusals)
        bounds = [bound for bound in (self.remaining, goal.hint) if bound is not None]
        short = self.lowest_over_budget if self._is_over_budget else self.lowest_cost
        deficit = short - min(bounds) if short is not None and bounds else None
        if self._is_over_budget:
            return Feedback(goal.day, "infeasible", deficit, "budget", counts)
        if short is not None:
            deficit = max(0, deficit or 0)
        violation: Violation = "price" if self.last is None and counts else "availability"
        return Feedback(goal.day, "infeasible", deficit, violation, counts)

    def correct(self, goal: Goal, feedback: Feedback, tally: ExecutorCounts) -> Feedback:
        """Correct the feedback with which the model rejects its day.

        If the last refusal was over budget, the deficit by the task's tables replaces the model's deficit.
        """
        if self._is_over_budget:
            return self.feedback(goal, tally)
        return Feedback(goal.day, feedback.status, feedback.deficit, feedback.violation_type, dict(tally.refusals))

    @property
    def _is_over_budget(self) -> bool:
        return self.last is not None and self.last.code == BUDGET_EXCEEDED
