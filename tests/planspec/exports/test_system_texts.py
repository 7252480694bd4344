"""A model gets the same system prompt for a task through every channel:

environments, exports, services, Inspect, MCP.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import planspec
from planspec.agents import AgentSpec, Limits, agent
from planspec.environments import open_task
from planspec.exports.conversations import conversation_rows
from planspec.exports.harbor import ANSWER, export_harbor
from planspec.exports.ors import export_ors
from planspec.exports.rows import task_rows
from planspec.runs import RunFolder, RunOptions, begin
from planspec.runs.attempting import AttemptSpec, attempt
from tests.extras import needs
from tests.planspec.agents.models.loopback import Service, anthropic_reply, openai_reply
from tests.planspec.environments.talk import TALK

pytestmark = pytest.mark.xdist_group("inspect")  # the import takes seconds

ROLE = "You keep a purse."
UNLIMITED = Limits(seconds=60, steps=None)
DELIVERY = "When you are done, give the answer alone, and call no tool any more."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a task with a role for agents, in a folder of its own."""
    file = tmp_path / "suite" / "talk.task.yaml"
    file.parent.mkdir()
    file.write_text(TALK.replace("environment:\n", f"environment:\n  role: {ROLE}\n"), "utf-8")
    return file


def system_prompt_in_environment(file: Path) -> str:
    """Return the system prompt in the messages of `planspec.environment`."""
    return planspec.environment(file).messages[0]["content"]


def system_prompt_in_rows(file: Path) -> str:
    """Return the system prompt in the rows that an export of the suite writes."""
    (row,) = task_rows(file.parent)
    return row.messages[0]["content"]


def system_prompt_in_conversations(file: Path) -> str:
    """Return the system prompt in an exported conversation of an attempt."""
    run = RunFolder(file.parent.parent / "run")
    begin(RunOptions(str(file.parent), AgentSpec.read("oracle"), limits=UNLIMITED), run)
    with run.writing() as records:
        records.add(attempt(AttemptSpec("talk", 0, 0), agent("oracle"), "oracle", open_task(file), UNLIMITED))
    (row,) = conversation_rows(run.path)
    text: str = row.messages[0]["content"]
    return text


def system_prompt_in_service(file: Path, *, name: str) -> str:
    """Return the system prompt in a request to a model service, `openai` or `anthropic`."""
    reply = openai_reply("{}") if name == "openai" else anthropic_reply({"type": "text", "text": "{}"})
    with pytest.MonkeyPatch.context() as patch, Service(reply) as service:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            patch.delenv(variable, raising=False)
        address = f"{service.url}/v1" if name == "openai" else service.url
        model = agent(f"{name}:model=m,base_url={address}")
        attempt(AttemptSpec("talk", 0, 0), model, name, open_task(file), UNLIMITED)
        body = service.requests[0].body
    if name == "anthropic":
        return str(body["system"])
    assert body["messages"][0]["role"] == "system"
    return str(body["messages"][0]["content"])


def system_prompt_in_inspect(file: Path) -> str:
    """Return the system prompt in a sample of the Inspect task."""
    from planspec.inspecting import suite

    system: Any = suite(str(file.parent)).dataset[0].input[0]
    assert system.role == "system"
    return str(system.content)


def system_prompt_in_mcp(file: Path) -> str:
    """Return the first prompt that an MCP server offers."""
    import anyio
    import mcp

    from planspec.serving.server import tool_server

    async def first_prompt() -> Any:
        async with mcp.Client(tool_server(open_task(file))) as client:
            return await client.get_prompt("turn-1")

    return str(anyio.run(first_prompt).messages[0].content.text)


def system_prompt_in_ors(file: Path) -> str:
    """Return the system prompt in an export for the Open Reward Standard."""
    export = export_ors(file, file.parent.parent / "ors")
    (task,) = json.loads((export.folder / "tasks.json").read_text("utf-8"))
    return str(task["system"])


CHANNELS: tuple[Any, ...] = (
    system_prompt_in_environment,
    system_prompt_in_rows,
    system_prompt_in_conversations,
    pytest.param(
        partial(system_prompt_in_service, name="openai"),
        marks=[pytest.mark.integration, needs("openai", extra="openai")],
        id="openai",
    ),
    pytest.param(
        partial(system_prompt_in_service, name="anthropic"),
        marks=[pytest.mark.integration, needs("anthropic", extra="anthropic")],
        id="anthropic",
    ),
    pytest.param(
        system_prompt_in_inspect,
        marks=[
            pytest.mark.integration,
            needs("inspect_ai", extra="inspect"),
            pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
        ],
    ),
    pytest.param(system_prompt_in_mcp, marks=[pytest.mark.integration, needs("mcp", "anyio", extra="mcp")]),
    pytest.param(system_prompt_in_ors, marks=[pytest.mark.slow, pytest.mark.xdist_group("ors")]),
)


@pytest.mark.parametrize("channel", CHANNELS)
def test_every_channel_has_the_system_prompt_of_the_task(channel: Callable[[Path], str], file: Path) -> None:
    text = channel(file)
    assert text == open_task(file).system_text()
    assert text.startswith(f"{ROLE}\n\n")
    assert "You may call tools 2 times in all." in text
    assert DELIVERY in text
    assert "Ask for the purse." in text


@pytest.mark.slow
@pytest.mark.xdist_group("harbor")
def test_a_harbor_task_differs_only_in_where_the_answer_is_written(file: Path) -> None:
    export = export_harbor(file, file.parent.parent / "harbor")
    instruction = (export.folder / "talk" / "instruction.md").read_text("utf-8")
    delivery = f"When you are done, write the answer, and nothing else, as JSON into the file `{ANSWER}`."
    assert open_task(file).system_text().replace(DELIVERY, delivery) in instruction


@pytest.mark.parametrize(
    ("suite", "setting", "role"),
    [
        ("travelplanner-small", "tools", "You plan trips, "),
        ("travelplanner-small", "sole-planning", "You plan trips, "),
        ("worldtravel-berlin", "text", "You plan trips, "),
        ("worldtravel-berlin", "gold", "You plan trips, "),
        ("veritrip", "facts", "You plan trips, "),
        ("mobilitybench", "sandbox", "You plan ways through cities, "),
        ("scheduling", None, "You solve planning tasks, "),
        ("examples", None, "You solve planning tasks, "),
    ],
)
def test_the_shipped_suites_have_their_roles(suite: str, setting: str | None, role: str) -> None:
    row = next(task_rows(suite, setting))
    sentence = f"{role}and you answer exactly what the user asks for.\n\n"
    assert row.messages[0]["content"].startswith(sentence)
