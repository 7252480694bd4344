"""A task's tools over the Model Context Protocol, called by the protocol's own client."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from planspec.environments import AgentTask, open_task
from tests.extras import needs
from tests.paths import ROOT
from tests.planspec.environments.talk import TALK as TURNS

pytestmark = [pytest.mark.integration, needs("mcp", "anyio", extra="mcp")]

SERVE = ["-m", "planspec", "serve-tools"]
TALK = """\
planspec: task/1
id: talk
title: Two turns
plan: {answer: {one: true, n: int}}
constraints: {over: {hard: answer.n > 3}}
scope: {answer: [{n: 0..9}]}
turns:
  - {query: Say a number over 3.}
  - {query: And an even one., constraints: {even: {hard: answer.n % 2 == 0}}}
"""
Talk = Callable[[Any], Awaitable[Any]]


@pytest.fixture(scope="module")
def berlin() -> AgentTask:
    """Return a shipped task, opened in its default setting."""
    return open_task("berlin-001")


def talk_to(target: Any, talk: Talk) -> Any:
    """Run a client's session with a server, and return its result.

    The server is in this process, in a process to start, or at an address.
    """
    import anyio
    import mcp

    async def meet() -> Any:
        with anyio.fail_after(60):
            async with mcp.Client(target) as client:
                return await talk(client)

    return anyio.run(meet)


def environment() -> dict[str, str]:
    """Return the environment variables for a server process."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def server_of(opened: AgentTask) -> Any:
    """Return a server of a task's tools."""
    from planspec.serving import tool_server

    return tool_server(opened)


async def tools_and_hotels(client: Any) -> Any:
    """List the tools, call one of them, and return both results."""
    listed = await client.list_tools()
    hotels = await client.call_tool("get_hotel_list", {"city": "Berlin"})
    return {tool.name: tool.input_schema for tool in listed.tools}, hotels.structured_content, hotels.is_error


def test_a_client_sees_the_tools_with_the_schemas_that_agents_see(berlin: AgentTask) -> None:
    async def talk(client: Any) -> Any:
        return (await client.list_tools()).tools

    seen = talk_to(server_of(berlin), talk)
    ours = berlin.tools.tools()
    assert len(ours) == 8
    assert [(t.name, t.description, t.input_schema) for t in seen] == [
        (t.name, t.description, t.parameters) for t in ours
    ]


def test_a_result_is_structured_and_the_same_as_text(berlin: AgentTask) -> None:
    async def talk(client: Any) -> Any:
        return await client.call_tool("get_hotel_list", {"city": "Berlin"})

    got = talk_to(server_of(berlin), talk)
    assert got.structured_content == berlin.tools.call("get_hotel_list", {"city": "Berlin"})
    assert got.structured_content
    assert [json.loads(part.text) for part in got.content] == [got.structured_content]
    assert not got.is_error


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get_guide_details", {"attraction": []}, "invalid-arguments"),
        ("get_hotel_list", {"city": "Berlin", "stars": 5}, "invalid-arguments"),
        ("get_hotels", {}, "unknown-tool"),
        ("get_guide_details", {"attraction": "The Moon"}, "not-found"),
    ],
)
def test_a_failed_call_is_an_error_with_its_code(
    berlin: AgentTask, name: str, arguments: dict[str, Any], code: str
) -> None:
    async def talk(client: Any) -> Any:
        return await client.call_tool(name, arguments)

    got = talk_to(server_of(berlin), talk)
    assert got.is_error
    assert json.loads(got.content[0].text) == berlin.tools.call(name, arguments)
    assert json.loads(got.content[0].text)["error"]["code"] == code


def test_the_request_is_offered_as_an_mcp_prompt(berlin: AgentTask) -> None:
    async def talk(client: Any) -> Any:
        listed = await client.list_prompts()
        return [prompt.name for prompt in listed.prompts], await client.get_prompt("task")

    names, prompt = talk_to(server_of(berlin), talk)
    assert names == ["task"]
    texts = [message.content.text for message in prompt.messages]
    assert texts == [berlin.system_text(), berlin.judge.task.query]


def test_each_turn_is_a_prompt_and_the_first_has_the_answer_format(tmp_path: Path) -> None:
    file = tmp_path / "talk.task.yaml"
    file.write_text(TALK)

    async def talk(client: Any) -> Any:
        return [(await client.get_prompt(name)).messages for name in ("turn-1", "turn-2")]

    first, second = talk_to(server_of(open_task(file)), talk)
    assert [len(first), len(second)] == [2, 1]
    assert "\n\n# How the answer is written\n\nAnswer with one JSON object" in first[0].content.text
    assert (first[1].content.text, second[0].content.text) == ("Say a number over 3.", "And an even one.")


def test_tools_know_the_facts_of_the_latest_fetched_turn(tmp_path: Path) -> None:
    file = tmp_path / "talk.task.yaml"
    file.write_text(TURNS, "utf-8")

    async def talk(client: Any) -> Any:
        results = [(await client.call_tool("purse", {})).structured_content]
        for name in ("turn-2", "turn-1"):
            messages = (await client.get_prompt(name)).messages
            results += [
                [message.content.text for message in messages],
                (await client.call_tool("purse", {})).structured_content,
            ]
        return results

    first, later, second, _, last = talk_to(server_of(open_task(file)), talk)
    assert first == {"amount": 30}
    assert later == ["# spent\n\nThere are 20 left.", "I have spent a third."]
    assert second == {"amount": 20}
    assert last["error"]["code"] == "no-calls-left"


def test_an_unknown_prompt_is_reported_with_the_available_ones(berlin: AgentTask) -> None:
    import mcp

    async def talk(client: Any) -> Any:
        with pytest.raises(mcp.MCPError, match="there is no prompt `turn-9`; there is task"):
            await client.get_prompt("turn-9")

    talk_to(server_of(berlin), talk)


def test_a_client_starts_the_command_and_calls_it_on_its_standard_streams(berlin: AgentTask) -> None:
    import mcp

    command = mcp.StdioServerParameters(
        command=sys.executable,
        args=[*SERVE, "berlin-001", "--setting", "feasibility"],
        env=environment(),
        cwd=ROOT,
    )
    schemas, hotels, is_error = talk_to(command, tools_and_hotels)
    assert schemas == {tool.name: tool.parameters for tool in berlin.tools.tools()}
    assert hotels == berlin.tools.call("get_hotel_list", {"city": "Berlin"})
    assert not is_error


def test_clients_call_the_address_that_the_command_prints(berlin: AgentTask) -> None:
    server = subprocess.Popen(
        [sys.executable, *SERVE, "berlin-001", "--transport", "http", "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
    )
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        assert line.startswith("serving 8 tools at http://127.0.0.1:")
        url = line.split()[-1]
        met = [talk_to(url, tools_and_hotels) for _ in range(2)]
    finally:
        server.terminate()
        out, err = server.communicate(timeout=30)
    assert met[0] == met[1]
    assert met[0][1] == berlin.tools.call("get_hotel_list", {"city": "Berlin"})
    assert (out, err) == ("", "")


@pytest.mark.thorough
def test_ctrl_c_ends_the_server_like_every_command() -> None:
    import signal

    server = subprocess.Popen(
        [sys.executable, *SERVE, "berlin-001", "--transport", "http", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        cwd=ROOT,
    )
    assert server.stderr is not None
    server.stderr.readline()
    server.send_signal(signal.SIGINT)
    _, err = server.communicate(timeout=30)
    assert (server.returncode, err) == (130, "interrupted\n")


def test_the_command_ends_when_its_input_ends() -> None:
    result = subprocess.run(
        [sys.executable, *SERVE, "berlin-001"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(),
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.thorough
def test_an_address_in_use_is_reported_as_wrong_input() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = subprocess.run(
            [sys.executable, *SERVE, "berlin-001", "--transport", "http", "--port", str(port)],
            capture_output=True,
            text=True,
            env=environment(),
            cwd=ROOT,
            timeout=60,
            check=False,
        )
    assert result.returncode == 2
    assert result.stderr == f"error: cannot listen at 127.0.0.1:{port}: Address already in use\n"


IMPATIENT = """
import sys
from planspec.serving import transports, serve_http, tool_server
from planspec.environments import open_task
transports.REQUEST_TIMEOUT_S = 0.3
transports.MOST_SESSIONS = 2
serve_http(tool_server(open_task("berlin-001")), sys.argv[1], 0, lambda url: print(url, flush=True), sys.argv[2:])
"""
INITIALIZE = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
)


@pytest.fixture(scope="module")
def ports() -> Iterator[Callable[[str], tuple[str, int]]]:
    """Yield a function that returns the host and port of a server.

    The server is started at the first call with its listening address.
    """
    started: dict[str, tuple[subprocess.Popen[str], str]] = {}

    def start_server(host: str) -> tuple[str, int]:
        if host not in started:
            server = subprocess.Popen(
                [sys.executable, "-c", IMPATIENT, host, "tools.example"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment(),
                cwd=ROOT,
            )
            assert server.stdout is not None
            started[host] = server, server.stdout.readline()
        port = int(started[host][1].rpartition(":")[2].partition("/")[0])
        return ("127.0.0.1" if host == "0.0.0.0" else host), port

    yield start_server
    for server, _ in started.values():
        server.kill()
        server.communicate()


def status(address: tuple[str, int], **headers: str) -> int:
    """Return the HTTP status of the response to a request with the given headers."""
    connection = http.client.HTTPConnection(*address, timeout=30)
    try:
        connection.putrequest("POST", "/mcp", skip_host=True)
        headers = {
            "Host": f"{address[0]}:{address[1]}",
            "Content-Type": "application/json",
            "Content-Length": str(len(INITIALIZE)),
            "Accept": "application/json, text/event-stream",
        } | headers
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders(INITIALIZE.encode())
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("host", ["127.0.0.2", "0.0.0.0"])
def test_host_and_origin_are_checked_at_every_listening_address(
    ports: Callable[[str], tuple[str, int]], host: str
) -> None:
    address = ports(host)
    authority = f"{address[0]}:{address[1]}"
    assert status(address, Host="evil.example") == 421
    assert status(address, Host=f"evil.example:{address[1]}") == 421
    assert status(address, Host="") == 421
    assert status(address, Host=f"{authority}.evil.example") == 421
    assert status(address, Origin="http://evil.example") == 403
    assert status(address, Origin="null") == 403
    assert status(address, Host=f"localhost:{address[1]}", Origin=f"http://{authority}") == 200
    assert status(address, Host="tools.example", Origin="https://tools.example") == 200


def test_the_number_of_sessions_is_limited(ports: Callable[[str], tuple[str, int]]) -> None:
    address = ports("127.0.0.3")
    assert [status(address) for _ in range(4)] == [200, 200, 503, 503]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /mcp HTTP/1.1\r\nHo", b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{"],
    ids=["nothing", "half a header", "half a body"],
)
def test_a_client_that_does_not_finish_its_request_is_not_waited_for(
    ports: Callable[[str], tuple[str, int]], sent: bytes
) -> None:
    with socket.create_connection(ports("127.0.0.2")) as slow:
        slow.settimeout(20)
        slow.sendall(sent)
        with suppress(ConnectionResetError):
            assert slow.recv(1) == b""
