from __future__ import annotations

from typing import Any

import pytest

from planspec.agents import AttemptFailedError, Desk, Limits
from planspec.agents.models import (
    Assistant,
    ChatRequestError,
    Image,
    ModelAgent,
    Reply,
    System,
    ToolResult,
    User,
)
from planspec.agents.tools import Toolset
from tests.planspec.agents.models.small_office import PNG, ScriptedChat, call_reply, desk, text_reply, view


def react_agent(*replies: Reply | ChatRequestError, **options: Any) -> tuple[ModelAgent, ScriptedChat]:
    """Return an agent that alternates between replies and tool calls, and its scripted chat."""
    chat = ScriptedChat(*replies)
    return ModelAgent(chat, **options), chat


def messages_at(at: Desk) -> list[tuple[str, tuple[int, ...], int | None]]:
    """Return, for each recorded message, its role, the indices of its calls, and the index of the call it answers."""
    return [(message.role, message.calls, message.answers) for message in at.messages]


def test_calls_and_results_alternate_until_the_model_answers() -> None:
    agent, chat = react_agent(
        call_reply(("sights", '{"city": "Rome"}'), text="Let me look."),
        call_reply(("today", "{}")),
        text_reply("x"),
    )
    at = desk()
    assert agent.answer(view(), at) == "x"
    assert chat.tools == [("sights", "today")] * 3
    assert chat.requests[2][-2:] == (
        call_reply(("today", "{}")).message(),
        ToolResult("c0", "today", '{"day": "Monday"}'),
    )
    assert messages_at(at) == [
        ("system", (), None),
        ("user", (), None),
        ("assistant", (0,), None),
        ("tool", (), 0),
        ("assistant", (1,), None),
        ("tool", (), 1),
        ("assistant", (), None),
    ]
    tokens = at.trace("small", "a", "x", None).tokens_of(None)
    assert tokens is not None and (tokens.input, tokens.output) == (30, 15)


def test_the_seed_is_that_of_the_attempt_or_of_the_agent_or_omitted() -> None:
    for options, seed in (({}, 5), ({"seed": 9}, 9), ({"seeded": False}, None)):
        agent, chat = react_agent(text_reply("x"), **options)
        agent.answer(view(), desk(seed=5))
        assert chat.seeds == [seed]


def test_the_prompt_has_all_texts_of_the_setting() -> None:
    agent, chat = react_agent(text_reply("x"))
    agent.answer(
        view(
            materials={"Guide": "The Forum opens at 9."},
            images={"map": PNG},
            given={"budget": 50},
            schema={"type": "object"},
            limits=Limits(tool_calls=30),
        ),
        desk(),
    )
    system, user = chat.requests[0]
    assert isinstance(system, System) and isinstance(user, User)
    for part in ("Answer with one JSON object", '{"type": "object"}', "30 times", "60 times"):
        assert part in system.text
    for part in ("What is there to see in Rome?", "# Guide", "The Forum opens at 9.", '"budget": 50', "map"):
        assert part in user.text
    assert user.images == (Image("map", PNG),)


def test_a_tasks_text_is_never_a_template() -> None:
    agent, chat = react_agent(text_reply("x"))
    agent.answer(view(query="{{ 7 * 7 }} {% for %}", brief="{{ brief }}"), desk())
    system, user = chat.requests[0]
    assert isinstance(system, System) and isinstance(user, User)
    assert "{{ 7 * 7 }} {% for %}" in user.text and "{{ brief }}" in system.text


def test_absent_limits_are_not_mentioned() -> None:
    agent, chat = react_agent(text_reply("x"))
    at = desk(tool_calls=None, steps=None)
    agent.answer(view(limits=at.limits), at)
    assert isinstance(chat.requests[0][0], System) and "times in all" not in chat.requests[0][0].text


def test_earlier_turns_become_earlier_messages() -> None:
    agent, chat = react_agent(text_reply("x"))
    agent.answer(view(query="And in Ur?", earlier=(("In Rome?", "the Forum"), ("Sure?", None))), desk())
    first, answer, *rest = chat.requests[0][1:]
    assert isinstance(first, User) and first.text == "In Rome?"
    assert [answer, *rest] == [Assistant("the Forum"), User("Sure?"), User("And in Ur?")]


def test_a_later_turn_adds_only_new_messages_to_the_trace() -> None:
    agent, _ = react_agent(text_reply("the Forum"), text_reply("nothing"))
    at = desk()
    agent.answer(view(query="In Rome?"), at)
    agent.answer(view(query="And in Ur?", earlier=(("In Rome?", "the Forum"),)), at)
    assert [message.text for message in at.messages[1:]] == ["In Rome?", "the Forum", "And in Ur?", "nothing"]


def test_a_call_beyond_the_limit_ends_the_attempt_and_the_earlier_ones_are_recorded() -> None:
    agent, _ = react_agent(call_reply(("today", "{}"), ("today", "{}"), ("today", "{}")))
    at = desk(tool_calls=2)
    with pytest.raises(AttemptFailedError, match="2 tool calls are used up") as failed:
        agent.answer(view(limits=at.limits), at)
    assert failed.value.boundary == "limit"
    assert messages_at(at)[2:] == [("assistant", (0, 1), None), ("tool", (), 0), ("tool", (), 1)]


def test_a_model_learns_when_its_calls_are_used_up() -> None:
    agent, chat = react_agent(call_reply(("today", "{}")), text_reply("x"))
    at = desk(tool_calls=1)
    assert agent.answer(view(limits=at.limits), at) == "x"
    last = chat.requests[1][-1]
    assert isinstance(last, User) and "calls of tools are used up" in last.text


def test_a_model_learns_when_one_reply_is_left() -> None:
    agent, chat = react_agent(call_reply(("today", "{}")), text_reply("x"))
    at = desk(steps=2)
    agent.answer(view(limits=at.limits), at)
    last = chat.requests[1][-1]
    assert isinstance(last, User) and "your last reply" in last.text


def test_a_model_that_only_calls_reaches_the_limit_of_steps() -> None:
    agent, _ = react_agent(*[call_reply(("today", "{}"))] * 9)
    with pytest.raises(AttemptFailedError, match="3 steps are used up") as failed:
        agent.answer(view(), desk(steps=3))
    assert failed.value.boundary == "limit"


@pytest.mark.parametrize("empty", [None, "", "  \n"])
def test_an_empty_message_is_not_an_answer(empty: str | None) -> None:
    agent, chat = react_agent(text_reply(empty), text_reply("x"))
    at = desk()
    assert agent.answer(view(), at) == "x"
    last = chat.requests[1][-1]
    assert isinstance(last, User) and "it is empty" in last.text
    assert at.notes["unread_replies"] == 1


def test_an_attempt_with_only_empty_replies_fails() -> None:
    agent, _ = react_agent(*[Reply(None, stopped="length")] * 9)
    with pytest.raises(AttemptFailedError, match="cut off before its first word") as failed:
        agent.answer(view(), desk())
    assert failed.value.boundary == "decode"


def test_an_answer_that_was_cut_off_is_marked() -> None:
    agent, _ = react_agent(Reply("The Forum and", stopped="length"))
    at = desk()
    assert agent.answer(view(), at) == "The Forum and"
    assert at.notes["stopped"] == "length"


def test_a_call_of_an_unknown_tool_is_reported() -> None:
    agent, chat = react_agent(call_reply(("book", "{}")), text_reply("x"))
    at = desk()
    agent.answer(view(), at)
    last = chat.requests[1][-1]
    assert isinstance(last, ToolResult) and "unknown-tool" in last.text


def test_a_permanent_failure_of_the_provider_ends_the_attempt() -> None:
    agent, _ = react_agent(call_reply(("today", "{}")), ChatRequestError("gone", transient=False))
    at = desk()
    with pytest.raises(AttemptFailedError, match="gone") as failed:
        agent.answer(view(), at)
    assert failed.value.boundary == "provider"
    assert len(at.calls) == 1


def test_no_tools_are_offered_if_there_are_none() -> None:
    agent, chat = react_agent(text_reply("x"))
    agent.answer(view(tools=Toolset(())), desk(tools=Toolset(())))
    assert chat.tools == [()]
    assert isinstance(chat.requests[0][0], System) and "tool" not in chat.requests[0][0].text
