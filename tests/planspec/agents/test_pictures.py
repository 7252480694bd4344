"""Pictures in tool results are passed from the tool to models, programs, records and reports."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from planspec.agents import AttemptFailedError
from planspec.agents.command.protocol import result_line, schemas
from planspec.agents.models import Message, ModelAgent, System, ToolCall, ToolResult, User
from planspec.agents.models.anthropic import conversation as for_anthropic
from planspec.agents.models.chat import Assistant
from planspec.agents.models.openai import conversation as for_openai
from planspec.agents.pictures import Image, PicturedResult, images_of, result_text
from planspec.agents.tools import Arguments, ModelTool, Toolset
from planspec.environments import AgentTask, open_task
from planspec.report.traces import shown_trace
from planspec.runs.pictures import FOLDER, find_picture, store_pictures
from tests.extras import needs
from tests.loops import run_coroutine
from tests.planspec.agents.models.small_office import (
    PNG,
    ScriptedChat,
    call_reply,
    desk,
    text_reply,
    view,
)

pytestmark = pytest.mark.xdist_group("inspect")  # the import takes seconds

JPEG = b"\xff\xd8\xff\xe0 a photograph"
MAP, PHOTO = Image("map", PNG), Image("photo", JPEG)


class NoArguments(Arguments):
    pass


def look(_: NoArguments) -> PicturedResult:
    """Return a result with two pictures."""
    return PicturedResult({"page": 1}, [MAP, PHOTO])


LOOK = Toolset([ModelTool("look", "Shows two pictures.", NoArguments, look)])
SAID: list[Message] = [
    System("s"),
    User("u"),
    Assistant(None, (ToolCall("1", "look", "{}"), ToolCall("2", "look", "{}"))),
    ToolResult("1", "look", "one", (MAP,)),
    ToolResult("2", "look", "two", (PHOTO,)),
]


def test_a_result_as_json_names_its_pictures_and_models_get_their_titles() -> None:
    result = look(NoArguments())
    assert json.loads(json.dumps(result)) == {
        "page": 1,
        "pictures": [
            {"title": "map", "media": "image/png", "sha256": MAP.sha256},
            {"title": "photo", "media": "image/jpeg", "sha256": PHOTO.sha256},
        ],
    }
    assert result_text(result) == '{"page": 1, "pictures": ["map", "photo"]}'
    assert images_of(result) == (MAP, PHOTO)
    assert images_of({"pictures": []}) == ()
    assert result_text({"a": "ü"}) == '{"a": "ü"}'


def test_openai_gets_pictures_in_a_user_message_after_the_last_result() -> None:
    messages = for_openai(SAID)
    assert [message["role"] for message in messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]
    assert [part["type"] for part in messages[-1]["content"]] == ["text", "image_url", "text", "image_url"]
    assert messages[-1]["content"][3]["image_url"]["url"].startswith("data:image/jpeg;base64,")


def test_openai_gets_pictures_before_the_next_user_message() -> None:
    messages = for_openai([*SAID, User("go on")])
    assert [message["role"] for message in messages][-2:] == ["tool", "user"]
    assert messages[-1]["content"][-1] == {"type": "text", "text": "go on"}
    again = for_openai([*SAID, Assistant("seen"), User("go on")])
    assert [message["role"] for message in again][-4:] == ["tool", "user", "assistant", "user"]
    assert again[-1]["content"] == "go on"


def test_anthropic_gets_pictures_within_the_result() -> None:
    *_, last = for_anthropic(SAID)
    first, second = last["content"]
    assert first["tool_use_id"] == "1"
    assert [block["type"] for block in first["content"]] == ["text", "text", "image"]
    assert b64decode(second["content"][-1]["source"]["data"]) == JPEG
    *_, plain = for_anthropic([ToolResult("1", "look", "one")])
    assert plain["content"][0]["content"] == "one"


def test_a_loop_gives_pictures_to_its_model_and_stores_each_once() -> None:
    chat = ScriptedChat(call_reply(("look", "{}"), ("look", "{}")), text_reply("done"))
    at = desk(LOOK)
    assert ModelAgent(chat).answer(view(tools=LOOK), at) == "done"
    results = [message for message in chat.requests[1] if isinstance(message, ToolResult)]
    assert [result.images for result in results] == [(MAP, PHOTO)] * 2
    assert at.images == {MAP.sha256: MAP, PHOTO.sha256: PHOTO}
    assert [call.result.value["pictures"][0]["title"] for call in at.calls if call.result] == ["map", "map"]  # type: ignore[index,call-overload]
    assert at.copy().images == at.images


def test_models_that_call_tools_by_text_see_pictures() -> None:
    chat = ScriptedChat(
        text_reply('{"action": "look", "arguments": {}}'),
        text_reply('{"action": "submit", "answer": "done"}'),
    )
    assert ModelAgent(chat, tools="text", images="parts").answer(view(tools=LOOK), desk(LOOK)) == "done"
    last = chat.requests[1][-1]
    assert isinstance(last, User)
    assert last.images == (MAP, PHOTO)


def test_a_model_without_vision_is_refused_with_a_message() -> None:
    chat = ScriptedChat(text_reply('{"action": "look", "arguments": {}}'))
    with pytest.raises(AttemptFailedError) as failed:
        ModelAgent(chat, tools="text").answer(view(tools=LOOK), desk(LOOK))
    assert failed.value.boundary == "adapter"
    assert "returns pictures" in failed.value.message
    assert "images=parts" in failed.value.message


def test_programs_get_pictures_beside_the_result() -> None:
    line = json.loads(result_line(1, look(NoArguments())))
    assert [one["media_type"] for one in line["pictures"]] == ["image/png", "image/jpeg"]
    assert b64decode(line["pictures"][0]["base64"]) == PNG
    assert json.loads(result_line(1, {"a": 1})) == {"type": "result", "id": 1, "result": {"a": 1}}
    assert "pictures" not in schemas()["to"]["$defs"]["ResultLine"]["required"]


def test_a_run_stores_each_picture_once_by_its_hash(tmp_path: Path) -> None:
    store_pictures(tmp_path, [MAP, PHOTO, Image("the same", PNG)])
    store_pictures(tmp_path, [MAP])
    assert sorted(path.name for path in (tmp_path / FOLDER).iterdir()) == sorted(
        [f"{MAP.sha256}.png", f"{PHOTO.sha256}.jpg"]
    )
    picture = find_picture(tmp_path, PHOTO.sha256)
    assert picture is not None
    assert picture.data == JPEG


def test_a_record_names_no_path_and_changed_pictures_are_not_shown(tmp_path: Path) -> None:
    store_pictures(tmp_path, [MAP])
    assert find_picture(tmp_path, "../secret") is None
    assert find_picture(tmp_path, PHOTO.sha256) is None
    (tmp_path / FOLDER / f"{MAP.sha256}.png").write_bytes(b"\x89PNG something else")
    assert find_picture(tmp_path, MAP.sha256) is None


def test_a_report_names_the_pictures_of_a_call() -> None:
    at = desk(LOOK)
    at.call("look")
    (call,) = shown_trace(at.trace("small", "me", None, None)).calls
    assert [(one.title, one.sha256) for one in call.pictures] == [
        ("map", MAP.sha256),
        ("photo", PHOTO.sha256),
    ]


@pytest.fixture
def pictured_task(monkeypatch: pytest.MonkeyPatch) -> AgentTask:
    """Return a task with a tool that shows pictures."""
    from dataclasses import replace

    return replace(open_task("berlin-001"), tools=LOOK, turns=())


@pytest.mark.integration
@needs("mcp", "anyio", extra="mcp")
def test_clients_of_mcp_see_pictures(pictured_task: AgentTask) -> None:
    import anyio
    import mcp

    from planspec.serving import tool_server

    async def meet() -> Any:
        async with mcp.Client(tool_server(pictured_task)) as client:
            return await client.call_tool("look", {})

    result = anyio.run(meet)
    assert [content.type for content in result.content] == ["text", "image", "image"]
    assert b64decode(result.content[1].data) == PNG
    assert result.structured_content["pictures"][1]["sha256"] == PHOTO.sha256


@pytest.mark.integration
@needs("inspect_ai", extra="inspect")
def test_inspect_gets_pictures_as_content() -> None:

    from planspec.inspecting.solving import tool_def

    (tool,) = LOOK
    content: Any = run_coroutine(tool_def(tool).tool())
    assert [part.type for part in content] == ["text", "image", "image"]
    assert content[2].image.startswith("data:image/jpeg;base64,")
