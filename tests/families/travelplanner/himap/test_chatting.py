from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from planspec.agents import Desk, Limits, TaskView, UnknownAgentError
from planspec.agents.failures import AttemptFailedError
from planspec.agents.models import (
    Assistant,
    Chat,
    ChatRequestError,
    Message,
    ModelAgent,
    Reply,
    System,
    ToolCall,
    ToolResult,
    User,
)
from planspec.agents.tools import Arguments, ModelTool, Tool, Toolset
from planspec.families.travelplanner.himap import HiMAP, chatting
from planspec.families.travelplanner.himap.chatting import model_of
from planspec.families.travelplanner.himap.conversation import MOST_CALLS, MOST_REPLIES
from planspec.families.travelplanner.himap.extraction import Extraction
from planspec.families.travelplanner.himap.goals import Goal
from planspec.families.travelplanner.himap.pricing import Price
from planspec.families.travelplanner.himap.prompts import prompt
from planspec.families.travelplanner.himap.role_tools import DayPlan, to_cents
from planspec.traces.record import Call

ScriptedCall = tuple[str, Any]
"""Name of a tool, and the arguments of a call."""


class CityArguments(Arguments):
    city: str


TOOLS = Toolset(
    [
        ModelTool(
            "hotels",
            "Lists the hotels of a city.",
            CityArguments,
            lambda query: {"hotels": [f"Inn, {query.city}"]},
        )
    ]
)
DAYS = [
    {
        "date": "2022-03-03",
        "role": "departure",
        "origin": "A",
        "city": "B",
        "nights": 2,
        "budget_hint": 60,
        "mode": "public",
    },
    {"date": "2022-03-04", "role": "stay", "city": "B", "budget_hint": 25, "mode": "public", "note": "vegetarian"},
    {"date": "2022-03-05", "role": "return", "origin": "B", "city": "A", "budget_hint": 15, "mode": "public"},
]
SPLIT: ScriptedCall = ("distribute_task", {"budget": 100, "days": DAYS})


class ScriptedChat(Chat):
    """A chat that plays both roles by scripts.

    A reply depends only on its own conversation, because days run concurrently.
    """

    def __init__(
        self,
        day: Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]]], Sequence[ScriptedCall] | str],
        coordinator: Callable[[Sequence[str]], Sequence[ScriptedCall] | str] = lambda message: [SPLIT],
    ) -> None:
        self._day, self._coordinator = day, coordinator
        self.requests: list[tuple[Message, ...]] = []
        self._lock = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        *,
        seed: int | None,
        seconds: float,
        schema: Mapping[str, Any] | None = None,
    ) -> Reply:
        unanswered = {c.id for m in messages if isinstance(m, Assistant) for c in m.calls} - {
            m.id for m in messages if isinstance(m, ToolResult)
        }
        assert not unanswered, "a call was not answered"
        assert isinstance(messages[0], System)
        with self._lock:
            self.requests.append(tuple(messages))
        results = [json.loads(m.text) for m in messages if isinstance(m, ToolResult)]
        message = [m.text for m in messages if isinstance(m, User)]
        if messages[0].text == prompt("coordinator.md"):
            assert [tool.name for tool in tools[-2:]] == ["information_extractor", "distribute_task"]
            output = self._coordinator(message)
        else:
            assert [tool.name for tool in tools[-3:]] == ["cost_enquiry", "finish", "reject_task"]
            output = self._day(json.loads(message[0])["task"], results)
        if isinstance(output, str):
            return Reply(output, input=10, output=5)
        number = len(messages)
        calls = tuple(
            ToolCall(f"c{number}-{place}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
            for place, (name, arguments) in enumerate(output)
        )
        return Reply(None, calls, input=10, output=5, stopped="calls")

    def about(self) -> Mapping[str, Any]:
        return {"model": "roles"}


def finish_call(task: Mapping[str, Any], cost: float = 10, **texts: str) -> ScriptedCall:
    """Return the call with which a scripted model ends the planning of its day."""
    origin = task["origin"]
    entry = {
        "current_city": f"from {origin} to {task['city']}" if origin else task["city"],
        "transportation": f"Taxi, from {origin} to {task['city']}" if origin else "-",
        "accommodation": "Inn, B" if task["nights"] else "-",
    }
    return "finish", {**entry, **texts, "cost": cost}


def claimed_price(goal: Goal, plan: DayPlan) -> Price:
    """Return the cost that the model claims for its day."""
    return Price(to_cents(plan.cost))


def run_agent(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, limits: Limits | None = None, **options: Any
) -> tuple[Any, Desk]:
    """Run HiMAP with a chat as its model. Return the answer, and the desk, which records the calls."""
    model = ModelAgent(chat, retries=0)
    monkeypatch.setattr(chatting, "model_of", lambda spec: model)
    monkeypatch.setattr(HiMAP, "pricing", lambda self, view: claimed_price)
    monkeypatch.setattr(HiMAP, "extraction_check", lambda self, view: lambda value: Extraction(1, {}))
    view = TaskView(
        "t",
        "travelplanner",
        "tools",
        "Three days from A to B for 100.",
        "",
        tools=TOOLS,
        limits=limits or Limits(),
    )
    desk = Desk(view.tools, view.limits)
    agent = HiMAP(policy="model", of="played", **options)
    assert not agent.info.privileged and agent.info.referees
    return agent.answer(view, desk), desk


def tool_calls(desk: Desk) -> list[Call]:
    """Return the calls of the task's tools, without the calls of the agent's own tools."""
    return [call for call in desk.calls if not call.own]


def test_three_planned_days_form_an_answer_of_the_family(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, desk = run_agent(ScriptedChat(lambda task, results: [finish_call(task)]), monkeypatch)
    assert [day["days"] for day in answer] == [1, 2, 3]
    assert [day["current_city"] for day in answer] == ["from A to B", "B", "from B to A"]
    assert [day["accommodation"] for day in answer] == ["Inn, B", "Inn, B", "-"]
    assert answer[1]["lunch"] == "-"
    note = desk.notes["himap"][0]
    assert note["agreed"] and note["calls"] == {"model": 4, "commit": 3}
    assert note["rounds"][0]["hints"] == ["60.00", "25.00", "15.00"]
    assert [f["deficit"] for f in note["rounds"][0]["feedback"]] == ["-50.00", "-15.00", "-5.00"]


def test_the_executor_of_a_day_sees_only_its_own_day(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat(lambda task, results: [finish_call(task)])
    run_agent(chat, monkeypatch)
    days = [messages for messages in chat.requests if prompt("day.md") in str(messages[0].text)]
    assert len(days) == 3
    for messages in days:
        text = " ".join(str(message) for message in messages[1:])
        assert sum(day["date"] in text for day in DAYS) == 1  # type: ignore[operator]
        assert ("vegetarian" in text) == ("2022-03-04" in text)


def test_calls_of_the_tasks_tools_are_recorded_with_their_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        if task["nights"] and not results:
            return [("hotels", {"city": "B"})]
        return [finish_call(task, accommodation=results[0]["hotels"][0] if results else "-")]

    answer, desk = run_agent(ScriptedChat(respond), monkeypatch)
    assert answer[0]["accommodation"] == "Inn, B"
    (call,) = tool_calls(desk)
    assert call.name == "hotels"
    stage = call.stage
    assert stage is not None and desk.stages[stage].id == "day 1"
    assert desk.stages[stage].extra["feedback"] == {
        "day": 1,
        "status": "feasible",
        "deficit": "-50.00",
        "violation_type": None,
    }
    assert any(message.stage == stage and message.role == "tool" for message in desk.messages)


def test_a_repeated_venue_is_refused_and_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        return [finish_call(task, lunch=f"Cafe {task['day']}, B" if results else "CAFÉ one, B")]

    answer, desk = run_agent(ScriptedChat(respond), monkeypatch)
    lunches = [day["lunch"] for day in answer]
    assert lunches.count("CAFÉ one, B") == 1 and len(set(lunches)) == 3
    assert desk.notes["himap"][0]["refusals"] == {"DUPLICATE_VENUE": 2}


def test_without_the_monitor_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat(lambda task, results: [finish_call(task, 1000, lunch="Cafe, B")])
    answer, desk = run_agent(chat, monkeypatch, monitor=False)
    assert [day["lunch"] for day in answer] == ["Cafe, B"] * 3
    assert desk.notes["himap"][0]["refusals"] == {}


def test_a_refusal_over_budget_gives_the_excess(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Mapping[str, Any]] = []

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        seen.extend(results)
        return [finish_call(task, 20 if results else 150.5)]

    _, desk = run_agent(ScriptedChat(respond), monkeypatch)
    assert desk.notes["himap"][0]["refusals"] == {"BUDGET_EXCEEDED": 3}
    assert {(r["status"], r["code"]) for r in seen} == {("refused", "BUDGET_EXCEEDED")}
    assert min(r["margin"] for r in seen) <= -5050


def test_a_rejection_reaches_the_coordinator_and_the_trip_is_split_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    feedback: list[Any] = []

    def coordinator(message: Sequence[str]) -> Sequence[ScriptedCall]:
        if len(message) == 1:
            return [SPLIT]
        feedback.append(json.loads(message[-1])["feedback"])
        more = [{**day, "budget_hint": hint} for day, hint in zip(DAYS, (40, 45, 15), strict=True)]
        return [("distribute_task", {"budget": 100, "days": more})]

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        if task["day"] == 2 and task["budget_hint"] == "25.00":
            return [("reject_task", {"violation_type": "budget", "deficit": 19.995})]
        return [finish_call(task)]

    answer, desk = run_agent(ScriptedChat(respond, coordinator), monkeypatch, workers=1)
    assert {"day": 2, "status": "infeasible", "deficit": "20.00", "violation_type": "budget"} in feedback[0]
    note = desk.notes["himap"][0]
    assert note["iterations"] == 2 and note["agreed"] and note["rounds"][0]["cancelled"] == [3]
    assert [day["current_city"] for day in answer] == ["from A to B", "B", "from B to A"]
    coordinators = [stage for stage in desk.stages if stage.name == "coordinator"]
    assert len(coordinators) == 1 and len(coordinators[0].steps) == 2


def test_without_bargaining_the_last_proposals_form_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        if task["day"] == 2:
            rejected: ScriptedCall = ("reject_task", {"violation_type": "availability"})
            return [rejected] if results else [finish_call(task, 500, lunch="Grand, B")]
        return [finish_call(task)]

    answer, desk = run_agent(ScriptedChat(respond), monkeypatch, bargaining=False)
    assert answer[1]["lunch"] == "Grand, B"
    assert not desk.notes["himap"][0]["agreed"] and desk.notes["himap"][0]["iterations"] == 1


def test_without_the_coordinator_days_have_neither_hints_nor_modes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tasks: list[Mapping[str, Any]] = []

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        tasks.append(task)
        return [finish_call(task)]

    run_agent(ScriptedChat(respond), monkeypatch, coordinator=False)
    assert {(task["budget_hint"], task["mode"]) for task in tasks} == {(None, None)}


def test_hints_beyond_the_budget_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat(
        lambda task, results: [finish_call(task)],
        lambda output: [("distribute_task", {"budget": 99, "days": DAYS}), SPLIT],
    )
    _, desk = run_agent(chat, monkeypatch)
    assert any("more than the budget" in (message.text or "") for message in desk.messages)
    assert desk.notes["himap"][0]["agreed"]


def test_invalid_calls_and_replies_without_calls_do_not_end_a_day(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns: dict[int, int] = {}

    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall] | str:
        turns[task["day"]] = turns.get(task["day"], 0) + 1
        match turns[task["day"]]:
            case 1:
                return "Let me think."
            case 2:
                return [("finish", "{no json"), ("finish", {"cost": -1}), ("nothing", {})]
            case _:
                return [finish_call(task), ("hotels", {"city": "B"})]

    answer, desk = run_agent(ScriptedChat(respond), monkeypatch)
    assert len(answer) == 3 and desk.notes["himap"][0]["agreed"]
    texts = [message.text or "" for message in desk.messages if message.role == "tool"]
    assert sum("invalid-arguments" in text for text in texts) == 6
    assert sum("unknown-tool" in text for text in texts) == 3
    assert sum("had ended before" in text for text in texts) == 3


def test_a_day_whose_conversation_never_ends_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    chat = ScriptedChat(lambda task, results: [finish_call(task)] if task["day"] == 1 else "Hm.")
    limits = Limits(steps=None)
    answer, desk = run_agent(chat, monkeypatch, limits, bargaining=False)
    note = desk.notes["himap"][0]
    kinds = {f["violation_type"] for f in note["rounds"][0]["feedback"]}
    assert kinds == {None, "availability"} and note["calls"]["model"] == 2 + 2 * MOST_REPLIES
    assert answer[0]["accommodation"] == answer[1]["accommodation"] == "Inn, B"
    assert answer[2]["current_city"] == "-"


def test_tool_calls_of_a_day_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        if task["day"] == 1 and not any("error" in result for result in results):
            return [("hotels", {"city": "B"})]
        return [finish_call(task)]

    _, desk = run_agent(ScriptedChat(respond), monkeypatch)
    assert len(tool_calls(desk)) == MOST_CALLS and desk.notes["himap"][0]["agreed"]


def test_the_limit_on_tool_calls_holds_for_all_days_together(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        return [finish_call(task)] if len(results) == 3 else [("hotels", {"city": "B"})]

    _, desk = run_agent(ScriptedChat(respond), monkeypatch, Limits(tool_calls=4))
    assert len(tool_calls(desk)) == 4 and desk.notes["himap"][0]["agreed"]


def test_a_coordinator_that_never_splits_the_trip_fails_at_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttemptFailedError) as caught:
        run_agent(ScriptedChat(lambda task, results: "", lambda message: "I wonder."), monkeypatch)
    assert caught.value.boundary == "decode"


def test_a_reply_without_calls_is_answered_with_the_tools_that_end_the_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played = ScriptedChat(lambda task, results: "Hm.", lambda output: [SPLIT] if len(output) > 1 else "I wonder.")
    _, desk = run_agent(played, monkeypatch, Limits(steps=200), rounds=1)
    output = {text for message in desk.messages if "ends your work" in (text := message.text or "")}
    assert output == {
        "Call one of your tools; `distribute_task` ends your work.",
        "Call one of your tools; `finish` or `reject_task` ends your work.",
    }


def test_a_service_that_fails_in_one_day_fails_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    def respond(task: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> Sequence[ScriptedCall]:
        raise ChatRequestError("the service is gone", transient=False)

    with pytest.raises(AttemptFailedError) as caught:
        run_agent(ScriptedChat(respond), monkeypatch)
    assert caught.value.boundary == "provider"


def test_the_limit_on_steps_ends_the_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AttemptFailedError) as caught:
        run_agent(ScriptedChat(lambda task, results: "Hm."), monkeypatch, Limits(steps=5))
    assert caught.value.boundary == "limit"


def test_the_record_has_the_model_and_the_prompts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chatting, "model_of", lambda spec: ModelAgent(ScriptedChat(lambda task, results: "")))
    about = HiMAP(policy="model", of="played").about()
    assert about["model"]["model"] == "roles" and set(about["prompts"]) == {
        f"himap/{name}.md"
        for name in ("coordinator", "departure", "stay", "transit", "return", "day", "reject", "claimed")
    }


def test_an_agent_without_a_model_is_refused() -> None:
    with pytest.raises(UnknownAgentError, match="has no model"):
        model_of("empty")
