"""Days planned by models are priced by the task's tables. Days refused over budget report their deficit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

import planspec
from planspec.agents import Desk, Limits, TaskView, UnknownAgentError
from planspec.agents.models import ModelAgent
from planspec.families.travelplanner.himap import HiMAP, chatting
from planspec.families.travelplanner.himap.coordinator import Allocator
from planspec.families.travelplanner.himap.goals import ExecutorCounts, Feedback, Goal
from planspec.families.travelplanner.himap.market import Market
from planspec.families.travelplanner.himap.pricing import pricing_by_request, pricing_by_task
from planspec.families.travelplanner.himap.role_tools import REJECT, DayPlan
from tests.families.travelplanner.himap.test_chatting import ScriptedCall, ScriptedChat

# Marrowby to Brindle by car 21 USD each way, the Riverside Bunk 30 USD a night, a whole house 210 USD; the budget is
# 350 USD
RIDE = "Self-driving, from Marrowby to Brindle, Duration: 4h31min, Distance: 420km"
BACK = "Self-driving, from Brindle to Marrowby, Duration: 4h33min, Distance: 423km"
BUNK, HOUSE = "Riverside Bunk, Brindle", "Mill House (whole house), Brindle"
MEALS = {
    "breakfast": "Nonna's Table, Brindle",
    "lunch": "Olive & Thyme, Brindle",
    "dinner": "Spice Route, Brindle",
    "attraction": "Old Mill Museum, Brindle",
}  # costs 67 USD
DAYS = [
    {
        "date": "2022-03-03",
        "role": "departure",
        "origin": "Marrowby",
        "city": "Brindle",
        "nights": 2,
        "budget_hint": 100,
    },
    {"date": "2022-03-04", "role": "stay", "city": "Brindle", "budget_hint": 80},
    {"date": "2022-03-05", "role": "return", "origin": "Brindle", "city": "Marrowby", "budget_hint": 30},
]


@dataclass(frozen=True)
class Opened:
    name: str
    judges: tuple[planspec.Judge, ...]
    folder: None = None
    resolve: None = None
    declared: None = None


def day_plan(**texts: Any) -> DayPlan:
    """Return a model's plan of a travel day, with changed fields."""
    return DayPlan(**{"current_city": "from Marrowby to Brindle", **texts})


@pytest.mark.parametrize(
    ("number", "nights", "texts", "dollars"),
    [
        (1, 1, {"transportation": RIDE, "accommodation": BUNK}, 21 + 30),
        (1, 2, {"transportation": RIDE, "accommodation": BUNK}, 21 + 2 * 30),
        (1, 2, {"transportation": RIDE, "accommodation": HOUSE}, 21 + 2 * 210),
        (2, 0, {"current_city": "Brindle", **MEALS}, 67),
        (3, 0, {"current_city": "from Brindle to Marrowby", "transportation": BACK}, 21),
    ],
)
def test_a_day_is_priced_by_the_tables(
    judge: planspec.Judge, number: int, nights: int, texts: dict[str, str], dollars: int
) -> None:
    goal = Goal(number, f"2022-03-0{2 + number}", "stay", None, "Brindle", nights)
    price = pricing_by_task(judge)(goal, day_plan(**texts))
    assert (price.cost, price.faults) == (dollars * 100, ())


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        ({"dinner": "Nowhere, Brindle"}, "no restaurant is called `Nowhere, Brindle`"),
        ({"accommodation": "Nowhere, Brindle"}, "Nowhere, Brindle"),
        ({"transportation": "Bus, from Marrowby to Brindle"}, None),
    ],
)
def test_names_missing_in_all_tables_have_no_price(
    judge: planspec.Judge, texts: dict[str, str], fault: str | None
) -> None:
    goal = Goal(1, "2022-03-03", "departure", "Marrowby", "Brindle", 1)
    price = pricing_by_task(judge)(goal, day_plan(**texts))
    assert price.cost is None
    assert fault is None or any(fault in value for value in price.faults)


def run_agent(
    judge: planspec.Judge,
    monkeypatch: pytest.MonkeyPatch,
    respond: Any,
    split: Sequence[Mapping[str, Any]] = DAYS,
    **options: Any,
) -> tuple[Any, Desk, list[Mapping[str, Any]]]:
    """Run HiMAP with scripted executors. Return the answer, the desk (with the recorded calls), and the executors' results."""
    messages: list[Mapping[str, Any]] = []

    def executor(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        messages.extend(results[-1:])
        texts = respond(task, results)
        if isinstance(texts, tuple):
            return [texts]
        origin = task["origin"]
        city = f"from {origin} to {task['city']}" if origin else task["city"]
        return [("finish", {"current_city": city, **texts})]

    model = ModelAgent(
        ScriptedChat(executor, lambda message: [("distribute_task", {"budget": 350, "days": split})]),
        retries=0,
    )
    monkeypatch.setattr(chatting, "model_of", lambda spec: model)
    view = TaskView(
        judge.task.id, "travelplanner", "text", judge.task.query, "", limits=Limits(tool_calls=200, steps=200)
    )
    desk = Desk(view.tools, view.limits)
    agent = HiMAP(policy="model", of="played", workers=1, **options)
    agent.privilege(Opened(judge.task.id, (judge,)))
    return agent.answer(view, desk), desk, messages


def cheap_day(task: Mapping[str, Any], hotel: str = BUNK) -> dict[str, str]:
    """Return an affordable plan of a day, with this hotel on the days that need one."""
    if task["day"] == 2:
        return MEALS
    if task["day"] == 3:
        return {"transportation": BACK}
    return {"transportation": RIDE, "accommodation": hotel}


def test_a_plan_over_budget_is_refused_with_its_price(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two nights in the most expensive accommodation (the whole house) exceed the budget."""

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return cheap_day(task, BUNK if results else HOUSE)

    answer, desk, messages = run_agent(judge, monkeypatch, respond)
    note = desk.notes["himap"][0]
    assert note["agreed"] and note["refusals"] == {"BUDGET_EXCEEDED": 1}
    assert (messages[0]["code"], messages[0]["margin"], messages[0]["cost"]) == (
        "BUDGET_EXCEEDED",
        -9100,
        "441.00",
    )
    assert judge.answer({"plan": answer} if judge.format.lists else answer).metrics["total"] == "169.00 USD"
    executor = next(stage for stage in desk.stages if stage.name == "executor" and stage.id == "day 1")
    assert executor.extra["cost"] == "81.00" and "claimed" not in executor.extra


@pytest.mark.parametrize("hotel", [BUNK, HOUSE])
def test_a_wrong_claim_is_refused_with_the_correct_price(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch, hotel: str
) -> None:
    """The claimed cost is checked before the budget, whether or not the plan is affordable."""

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if task["day"] > 1:
            return cheap_day(task)
        return cheap_day(task, BUNK) | {"cost": 81} if results else cheap_day(task, hotel) | {"cost": 0}

    _, desk, messages = run_agent(judge, monkeypatch, respond)
    note, price = desk.notes["himap"][0], "81.00" if hotel == BUNK else "441.00"
    assert note["agreed"] and note["refusals"] == {"COST_MISMATCH": 1}
    assert (messages[0]["code"], messages[0]["cost"]) == ("COST_MISMATCH", price)
    assert "0.00" in messages[0]["message"] and price in messages[0]["message"]
    assert next(s for s in desk.stages if s.id == "day 1").extra["claimed"] == "81.00"


def test_the_feedback_of_a_day_refused_over_budget_is_corrected(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Any:
        if results:
            return ("reject_task", {"violation_type": "availability"})
        return cheap_day(task, HOUSE)

    _, desk, _ = run_agent(judge, monkeypatch, respond, rounds=1)
    feedback = desk.notes["himap"][0]["rounds"][0]["feedback"][0]
    assert feedback == {
        "day": 1,
        "status": "infeasible",
        "deficit": "341.00",
        "violation_type": "budget",
        "refusals": {"BUDGET_EXCEEDED": 1},
    }


def test_a_day_refused_for_a_venue_reports_no_deficit(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days 1 and 2 request the same restaurant."""

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        return cheap_day(task) | ({"dinner": MEALS["dinner"]} if task["day"] == 1 else {})

    _, desk, _ = run_agent(judge, monkeypatch, respond, rounds=1)
    feedback = desk.notes["himap"][0]["rounds"][0]["feedback"][1]
    assert feedback == {
        "day": 2,
        "status": "infeasible",
        "deficit": "0.00",
        "violation_type": "availability",
        "refusals": {"DUPLICATE_VENUE": 15},
    }


def test_a_day_refused_over_budget_reports_budget_and_the_deficit(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The day costs 441 USD, its hint is 100 USD, and so 341 USD are missing."""
    _, desk, _ = run_agent(judge, monkeypatch, lambda task, results: cheap_day(task, HOUSE), rounds=1)
    note = desk.notes["himap"][0]
    assert not note["agreed"]
    (feedback,) = [f for f in note["rounds"][0]["feedback"] if f["status"] == "infeasible"]
    assert feedback == {
        "day": 1,
        "status": "infeasible",
        "deficit": "341.00",
        "violation_type": "budget",
        "refusals": {"BUDGET_EXCEEDED": 15},
    }


def test_a_name_missing_in_all_tables_is_refused(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return cheap_day(task, BUNK if results else "Grand Palace, Brindle")

    _, desk, messages = run_agent(judge, monkeypatch, respond)
    assert desk.notes["himap"][0]["refusals"] == {"UNKNOWN_NAME": 1}
    assert "Grand Palace, Brindle" in messages[0]["message"] and messages[0]["cost"] is None


def test_without_the_monitor_no_name_is_refused(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    _, desk, messages = run_agent(
        judge, monkeypatch, lambda task, results: cheap_day(task, "Grand Palace, Brindle"), monitor=False
    )
    assert desk.notes["himap"][0]["refusals"] == {} and messages == []


def test_a_day_refused_only_for_its_claimed_cost_has_the_violation_type_price(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The executor claims a cost of 1 USD in every attempt.

    The feedback shows the coordinator that the day itself is acceptable.
    """
    _, desk, _ = run_agent(judge, monkeypatch, lambda task, results: cheap_day(task) | {"cost": 1}, rounds=1)
    feedback = desk.notes["himap"][0]["rounds"][0]["feedback"][0]
    assert feedback["violation_type"] == "price" and set(feedback["refusals"]) == {"COST_MISMATCH"}


def test_the_coordinator_without_a_model_keeps_its_route_after_a_wrong_price() -> None:
    def routes(violation: Any) -> list[list[tuple[str, int]]]:
        allocator, given = Allocator(Market(planspec.load("3")), 3), []
        for feedback in ([], [Feedback(2, "infeasible", None, violation), Feedback(3, "infeasible", None, violation)]):
            goals = allocator(feedback, ExecutorCounts())
            assert goals is not None
            given.append([(goal.city, goal.nights) for goal in goals])
        return given

    first, second = routes("price")
    assert first == second
    first, second = routes("availability")
    assert first != second


def test_with_the_option_ledger_claimed_the_claimed_costs_are_counted(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two nights in the whole house exceed the budget. The executor claims 40 USD, which is accepted."""

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return cheap_day(task, HOUSE) | {"cost": 40}

    answer, desk, _ = run_agent(judge, monkeypatch, respond, ledger="claimed")
    note = desk.notes["himap"][0]
    assert note["agreed"] and note["refusals"] == {} and note["ledger"] == "claimed"
    assert [day["cost"] for day in note["rounds"][0]["days"]] == ["40.00"] * 3
    assert judge.answer(answer).metrics["total"] == "529.00 USD"


def test_claims_over_the_budget_are_refused_and_unknown_names_are_not(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        cost = 10 if results or task["day"] > 1 else 351
        return cheap_day(task) | {"cost": cost} | ({"dinner": "Nowhere, Brindle"} if task["day"] == 1 else {})

    _, desk, _ = run_agent(judge, monkeypatch, respond, ledger="claimed")
    assert desk.notes["himap"][0]["refusals"] == {"BUDGET_EXCEEDED": 1}
    assert desk.notes["himap"][0]["agreed"]


def test_a_plan_without_a_claimed_cost_is_refused_until_it_claims_one(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        return {**cheap_day(task), "cost": 10} if results else cheap_day(task)

    _, desk, messages = run_agent(judge, monkeypatch, respond, ledger="claimed")
    assert messages[0]["code"] == "COST_MISSING" and "`cost`" in messages[0]["message"]
    assert desk.notes["himap"][0]["refusals"] == {"COST_MISSING": 3} and desk.notes["himap"][0]["agreed"]


def test_price_enquiries_use_the_number_of_people_that_the_coordinator_read(judge: planspec.Judge) -> None:
    """The task is for one person. The coordinator has read two in the request, so meals are priced for two."""
    goal = Goal(2, "2022-03-04", "stay", None, "Brindle", 0, request={"people": 2})
    plan = day_plan(current_city="Brindle", **MEALS)
    assert pricing_by_request(judge)(goal, plan).cost == 2 * 67_00
    assert pricing_by_task(judge)(goal, plan).cost == 67_00


def test_without_early_detection_no_rejected_day_cancels_the_others(
    judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Day 1 never fits the budget and uses up its commits.

    Without early detection, the other days are planned anyway.
    """

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        return cheap_day(task, HOUSE)

    _, desk, _ = run_agent(judge, monkeypatch, respond, rounds=2)
    assert desk.notes["himap"][0]["early"] and desk.notes["himap"][0]["rounds"][0]["cancelled"] == [2, 3]
    monkeypatch.setattr(ScriptedChat, "complete", _complete_without_reject(ScriptedChat.complete))
    _, desk, _ = run_agent(judge, monkeypatch, respond, rounds=2, early=False)
    note = desk.notes["himap"][0]
    assert not note["early"] and note["rounds"][0]["cancelled"] == []
    assert note["rounds"][0]["feedback"][0]["refusals"] == {"BUDGET_EXCEEDED": 15}


def _complete_without_reject(complete: Any) -> Any:
    """Return a wrapper of `complete`.

    It checks that executors lack the tool `reject_task`, and adds it for the script.
    """

    def complete_without_reject(self: Any, messages: Any, tools: Any, **options: Any) -> Any:
        names = [tool.name for tool in tools]
        assert "reject_task" not in names and "reject_task" not in str(messages[0].text)
        return complete(self, messages, [*tools, REJECT] if "finish" in names else tools, **options)

    return complete_without_reject


def test_the_coordinator_may_use_another_model(judge: planspec.Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []

    def model_named(name: str) -> ModelAgent:
        def executor(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
            played.append(f"{name} day")
            city = f"from {task['origin']} to {task['city']}" if task["origin"] else task["city"]
            return [("finish", {"current_city": city, **cheap_day(task)})]

        def coordinator(message: Sequence[str]) -> Sequence[ScriptedCall]:
            played.append(f"{name} coordinator")
            return [("distribute_task", {"budget": 350, "days": DAYS})]

        return ModelAgent(ScriptedChat(executor, coordinator), retries=0)

    monkeypatch.setattr(chatting, "model_of", model_named)
    view = TaskView(judge.task.id, "travelplanner", "text", judge.task.query, "", limits=Limits(steps=200))
    agent = HiMAP(policy="model", of="small", coordinator_of="large", workers=1)
    agent.privilege(Opened(judge.task.id, (judge,)))
    agent.answer(view, Desk(view.tools, view.limits))
    assert played == ["large coordinator", "small day", "small day", "small day"]
    assert agent.about()["coordinator_model"]["model"] == "roles"


@pytest.mark.parametrize("options", [{"ledger": "claimed"}, {"coordinator_of": "openai:model=m"}])
def test_options_of_models_need_the_policy_model(options: dict[str, Any]) -> None:
    with pytest.raises(UnknownAgentError, match="policy=model"):
        HiMAP(**options)
