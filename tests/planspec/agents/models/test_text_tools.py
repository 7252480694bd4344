from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planspec.agents import AttemptFailedError
from planspec.agents.models import Assistant, Image, ModelAgent, Reply, System, ToolResult, User
from planspec.agents.models.reply_json import InvalidReplyError, extract_json
from planspec.agents.models.text_tools import CallAction, SubmitAction, TextTools, read_action
from planspec.agents.prompts import Prompts
from tests.planspec.agents.models.small_office import PNG, TOOLS, ScriptedChat, desk, text_reply, view

SIGHTS = '{"action": "sights", "arguments": {"city": "Rome"}}'


@pytest.mark.parametrize(
    "text",
    [
        SIGHTS,
        f"  {SIGHTS}\n",
        f"```json\n{SIGHTS}\n```",
        f"I look it up.\n```\n{SIGHTS}\n```\nThere.",
        f"<think>```json {{}} ``` or not</think>\n{SIGHTS}",
        '{"thought": "t", "action": "sights", "arguments": {"city": "Rome"}}',
    ],
)
def test_an_action_is_a_whole_reply_or_its_one_fenced_block(text: str) -> None:
    assert read_action(text) == CallAction("sights", '{"city": "Rome"}')


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('{"action": "submit", "answer": "done"}', "done"),
        ('{"action": "submit", "answer": {"sights": []}}', '{"sights": []}'),
        ('{"action": "submit", "answer": "```json\\n{}\\n```"}', "```json\n{}\n```"),
        ('```json\n{"action": "submit", "answer": "a"}\n```', "a"),
    ],
)
def test_an_answer_is_text_or_json(text: str, answer: str) -> None:
    assert read_action(text) == SubmitAction(answer)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "neither JSON"),
        ("Rome is nice.", "neither JSON"),
        (f"I look it up. {SIGHTS}", "neither JSON"),
        (f"```json\n{SIGHTS}\n```\n```json\n{SIGHTS}\n```", "more than one fenced block"),
        ("```json\n{'action': 'today'}\n```", "the fenced block is not JSON"),
        ("[]", "not an object with `action`"),
        ('{"arguments": {}}', "not an object with `action`"),
        ('{"action": ["today"], "arguments": {}}', "not an object with `action`"),
        ('{"action": "today"}', "needs `arguments`"),
        ('{"action": "today", "arguments": []}', "needs `arguments`"),
        ('{"action": "today", "arguments": {}, "answer": "x"}', "`answer` does not belong"),
        ('{"action": "submit", "answer": "x", "sure": true}', "`sure` does not belong"),
        ('{"action": "submit"}', "needs `answer`"),
        ('{"action": "submit", "answer": ""}', "needs `answer`"),
        ('{"action": "today", "action": "sights", "arguments": {}}', "said twice"),
        ('{"action": "today", "arguments": {"x": NaN}}', "NaN"),
        ("[" * 50_000, "nested too deeply"),
    ],
)
def test_an_invalid_action_is_reported(text: str, fault: str) -> None:
    with pytest.raises(InvalidReplyError, match=fault):
        read_action(text)


@given(st.text())
def test_any_text_is_parsed_or_reported(text: str) -> None:
    with suppress(InvalidReplyError):
        assert json.dumps(extract_json(text), allow_nan=False)


def text_agent(*replies: Reply) -> tuple[ModelAgent, ScriptedChat]:
    """Return an agent that calls tools by text, and its scripted chat."""
    chat = ScriptedChat(*replies)
    return ModelAgent(chat, tools="text"), chat


def test_a_model_without_tool_calls_calls_tools_by_text() -> None:
    agent, chat = text_agent(text_reply(SIGHTS), text_reply('{"action": "submit", "answer": {"sights": ["Forum"]}}'))
    at = desk()
    assert agent.answer(view(), at) == '{"sights": ["Forum"]}'
    assert chat.tools == [(), ()]
    system, user = chat.requests[0]
    assert isinstance(system, System) and "- `sights`: Lists the sights" in system.text
    _, _, action, result = chat.requests[1]
    assert action == Assistant(SIGHTS)
    assert result == User('Result of `sights`:\n{"sights": ["Pantheon", "Forum"]}')
    assert [(call.id, call.name) for call in at.calls] == [("call-1", "sights")]
    assert isinstance(user, User)


def test_a_reply_without_an_action_is_reported_back_and_counted() -> None:
    agent, chat = text_agent(text_reply("Rome!"), text_reply('{"action": "submit", "answer": "x"}'))
    at = desk()
    assert agent.answer(view(), at) == "x"
    last = chat.requests[1][-1]
    assert isinstance(last, User) and last.text.startswith("Your last reply could not be used: it is neither JSON")
    assert at.notes["unread_replies"] == 1
    assert [message.role for message in at.messages] == ["system", "user", "assistant", "user", "assistant"]


def test_a_model_that_never_acts_is_stopped() -> None:
    agent, chat = text_agent(*[text_reply("Rome!")] * 9)
    with pytest.raises(AttemptFailedError, match="5 replies in a row") as failed:
        agent.answer(view(), desk())
    assert failed.value.boundary == "decode" and len(chat.requests) == 5


def test_without_tools_a_reply_is_the_answer_unchanged() -> None:
    agent, chat = text_agent(text_reply("See the Forum."))
    at = desk()
    assert agent.answer(view(tools=type(TOOLS)(())), at) == "See the Forum."
    assert isinstance(chat.requests[0][0], System) and "fenced" not in chat.requests[0][0].text


def test_only_the_titles_of_pictures_are_sent_by_default() -> None:
    agent, chat = text_agent(text_reply('{"action": "submit", "answer": "x"}'))
    agent.answer(view(images={"map": PNG}), desk())
    user = chat.requests[0][1]
    assert isinstance(user, User) and user.images == () and "[picture: map]" in user.text


def test_pictures_can_be_sent() -> None:
    chat = ScriptedChat(text_reply('{"action": "submit", "answer": "x"}'))
    ModelAgent(chat, tools="text", images="parts").answer(view(images={"map": PNG}), desk())
    user = chat.requests[0][1]
    assert isinstance(user, User) and user.images == (Image("map", PNG),)


def test_adjacent_messages_of_the_user_become_one() -> None:
    chat = ScriptedChat(text_reply("x"))
    reply = TextTools(chat, Prompts()).complete(
        [User("a"), ToolResult("", "today", "{}"), User("b")], [], seed=None, seconds=9
    )
    assert chat.requests[0] == (User("a\n\nResult of `today`:\n{}\n\nb"),)
    assert reply.text == "x"


def test_native_calls_of_a_service_are_ignored() -> None:
    agent, _ = text_agent(text_reply('{"action": "submit", "answer": "x"}'))
    at = desk()
    agent.answer(view(), at)
    assert at.calls == []


def test_the_prompt_and_the_parser_have_the_same_rules() -> None:
    agent, chat = text_agent(text_reply('{"action": "submit", "answer": "x"}'))
    agent.answer(view(), desk())
    system = chat.requests[0][0]
    assert isinstance(system, System)
    examples = [block.split("```")[0] for block in system.text.split("```json\n")[1:]]
    actions = [read_action(example) for example in examples]
    assert actions == [CallAction("sights", json.dumps({})), SubmitAction("...")]
