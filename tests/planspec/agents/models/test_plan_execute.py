from __future__ import annotations

import json
from typing import Any

import pytest

from planspec.agents import AttemptFailedError
from planspec.agents.models import ModelAgent, Reply, System, User
from planspec.traces.record import Trace
from tests.planspec.agents.models.small_office import ScriptedChat, call_reply, desk, text_reply, view

PLAN = {
    "intent": "sights",
    "constraints": {"city": "Rome"},
    "thinking": "first look, then choose",
    "steps": [["List the sights of Rome.", "Find out what day it is."], ["Choose two."]],
}


def make_planning_agent(*replies: Reply, first_reply: Any = PLAN, **options: Any) -> tuple[ModelAgent, ScriptedChat]:
    """Return an agent that first plans steps and then executes them, and its scripted chat."""
    first = text_reply(first_reply if isinstance(first_reply, str) else json.dumps(first_reply))
    chat = ScriptedChat(first, *replies)
    return ModelAgent(chat, loop="plan", **options), chat


WORK = (
    call_reply(("sights", '{"city": "Rome"}')),
    text_reply("Pantheon and Forum"),
    text_reply("Monday"),
    text_reply("both"),
    text_reply("the answer"),
)


def trace_of(*replies: Reply) -> tuple[Trace, ScriptedChat]:
    """Run the planning agent with scripted replies. Return the trace, and the chat."""
    agent, chat = make_planning_agent(*replies)
    at = desk()
    answer = agent.answer(view(), at)
    return at.trace("small", "a", answer, None), chat


def test_each_part_of_an_agent_is_a_stage_of_its_trace() -> None:
    trace, _ = trace_of(*WORK)
    assert trace.answer == "the answer"
    planner, *workers, reporter = trace.stages
    assert (planner.name, planner.intent, planner.thinking) == (
        "planner",
        "sights",
        "first look, then choose",
    )
    assert planner.steps == (("List the sights of Rome.", "Find out what day it is."), ("Choose two.",))
    assert planner.extra == {"constraints": {"city": "Rome"}}
    assert [(worker.id, worker.text) for worker in workers] == [
        ("1.1", "Pantheon and Forum"),
        ("1.2", "Monday"),
        ("2.1", "both"),
    ]
    assert workers[0].extra == {"step": "List the sights of Rome."}
    assert (reporter.name, reporter.text) == ("reporter", "the answer")


def test_tokens_are_counted_for_each_kind_of_part_of_an_agent() -> None:
    trace, _ = trace_of(*WORK)
    assert {count.stage: (count.input, count.output) for count in trace.tokens} == {
        "planner": (10, 5),
        "worker": (40, 20),
        "reporter": (10, 5),
    }


def test_calls_and_messages_name_their_part() -> None:
    trace, _ = trace_of(*WORK)
    assert [call.stage for call in trace.calls] == [1]
    assert [(message.stage, message.role) for message in trace.messages] == [
        (0, "system"),
        (0, "user"),
        (0, "assistant"),
        (1, "system"),
        (1, "user"),
        (1, "assistant"),
        (1, "tool"),
        (1, "assistant"),
        (2, "system"),
        (2, "user"),
        (2, "assistant"),
        (3, "system"),
        (3, "user"),
        (3, "assistant"),
        (4, "system"),
        (4, "user"),
        (4, "assistant"),
    ]


def test_a_worker_gets_the_results_of_earlier_groups() -> None:
    _, chat = trace_of(*WORK)
    prompts = [messages[-1].text for messages in chat.requests if isinstance(messages[-1], User)]
    planner, first, beside, after, reporter = prompts
    assert "Pantheon" not in planner
    assert "Nothing yet." in first and "List the sights of Rome." in first
    assert "Pantheon" not in beside and "Find out what day it is." in beside
    assert "Pantheon and Forum" in after and "Monday" in after
    assert "both" in reporter and "What is there to see in Rome?" in reporter


def test_only_workers_have_tools() -> None:
    _, chat = trace_of(*WORK)
    assert chat.tools == [(), *[("sights", "today")] * 4, ()]
    system = chat.requests[0][0]
    assert isinstance(system, System) and "- `sights`: Lists the sights" in system.text


@pytest.mark.parametrize(
    ("first_reply", "fault"),
    [
        ("First I look.", "neither JSON"),
        ({"steps": []}, "steps"),
        ({"steps": [[], []]}, "the list is empty"),
        ({}, "steps"),
        ([], "dictionary"),
        ({"steps": [["a", 3]]}, "steps"),
        ({"steps": "look"}, "steps"),
        ({"steps": [["a"]], "more": 1}, "more"),
        ({"steps": [["a"]], "constraints": 3}, "constraints"),
        ({"steps": [["a"]] * 41}, "40"),
    ],
)
def test_an_unreadable_plan_is_reported_back(first_reply: Any, fault: str) -> None:
    agent, chat = make_planning_agent(
        text_reply('{"steps": ["look"]}'), text_reply("seen"), text_reply("x"), first_reply=first_reply
    )
    at = desk()
    assert agent.answer(view(), at) == "x"
    last = chat.requests[1][-1]
    assert isinstance(last, User) and fault in last.text
    assert at.notes["unread_replies"] == 1
    assert at.stages[0].steps == (("look",),)


def test_a_planner_that_never_plans_is_stopped_and_its_stage_recorded() -> None:
    agent, _ = make_planning_agent(*[text_reply("no")] * 9, first_reply="no")
    at = desk()
    with pytest.raises(AttemptFailedError, match="5 replies in a row") as failed:
        agent.answer(view(), at)
    assert failed.value.boundary == "decode"
    assert [stage.name for stage in at.stages] == ["planner"]


def test_a_worker_without_a_result_does_not_stop_the_others() -> None:
    agent, chat = make_planning_agent(*[text_reply("")] * 5, text_reply("Monday"), text_reply("both"), text_reply("x"))
    at = desk()
    assert agent.answer(view(), at) == "x"
    assert [stage.text for stage in at.stages[1:]] == [None, "Monday", "both", "x"]
    last = chat.requests[-1][-1]
    assert isinstance(last, User) and "(nothing came of this step)" in last.text


def test_limits_on_calls_apply_to_all_parts_of_an_agent_together() -> None:
    agent, _ = make_planning_agent(
        call_reply(("today", "{}")), text_reply("a"), call_reply(("today", "{}"), ("today", "{}"))
    )
    with pytest.raises(AttemptFailedError, match="2 tool calls are used up") as failed:
        agent.answer(view(), desk(tool_calls=2))
    assert failed.value.boundary == "limit"


def test_a_model_that_calls_tools_by_text_can_plan() -> None:
    agent, _ = make_planning_agent(
        text_reply('{"action": "sights", "arguments": {"city": "Rome"}}'),
        text_reply('{"action": "submit", "answer": "Forum"}'),
        text_reply("the answer"),
        first_reply={"steps": ["look"]},
        tools="text",
    )
    at = desk()
    assert agent.answer(view(), at) == "the answer"
    assert [call.name for call in at.calls] == ["sights"] and at.stages[1].text == "Forum"


def test_every_part_of_an_agent_sees_earlier_turns() -> None:
    agent, chat = make_planning_agent(text_reply("seen"), text_reply("x"), first_reply={"steps": ["look"]})
    agent.answer(view(query="And in Ur?", earlier=(("In Rome?", "the Forum"),)), desk())
    for messages in chat.requests:
        text = "\n".join(str(getattr(message, "text", "")) for message in messages)
        assert "In Rome?" in text and "the Forum" in text and "And in Ur?" in text
