"""The language server runs as a process, and answers a client over pipes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.loops import run_coroutine
from tests.planspec.live.language.texts import LIBRARY, SAMPLE, TASK, WORLD

if TYPE_CHECKING:
    from lsprotocol import types

    from tests.planspec.live.server.client import Editor

pytestmark = pytest.mark.integration


def position_in(text: str, words: str, shift: int = 0) -> types.Position:
    """Return the position `shift` characters after the first occurrence of `words`."""
    from lsprotocol import types

    at = text.index(words) + shift
    line = text.count("\n", 0, at)
    return types.Position(line, at - (text.rfind("\n", 0, at) + 1))


async def with_timeout(answer: Any) -> Any:
    """Await a response with a time limit."""
    from tests.planspec.live.server.client import TIMEOUT_S

    return await asyncio.wait_for(answer, TIMEOUT_S)


@pytest.mark.thorough
def test_a_client_without_pull_support_receives_diagnostics_and_answers(tmp_path: Path) -> None:
    """The client cannot request diagnostics, and sends whole texts."""
    from lsprotocol import types

    from tests.planspec.live.server.client import connected_editor

    async def session() -> None:
        path = tmp_path / "day.task.yaml"
        async with connected_editor(tmp_path) as client:
            client.enter_text(tmp_path / "walks.library.yaml", LIBRARY)
            client.enter_text(tmp_path / "town.world.yaml", WORLD)
            identifier = client.enter_text(path, TASK)
            assert (await client.next_diagnostics(path, 1)).diagnostics == ()
            client.enter_text(path, TASK.replace("== foot", "== fot"), 2)
            (wrong,) = (await client.next_diagnostics(path, 2)).diagnostics
            assert (wrong.code, wrong.severity) == ("PS201", types.DiagnosticSeverity.Error)
            assert "did you mean `foot`?" in wrong.message
            client.enter_text(path, TASK, 3)
            assert (await client.next_diagnostics(path, 3)).diagnostics == ()
            await check_requests(client, identifier)
            # an edit of a library changes the task's diagnostics
            client.enter_text(tmp_path / "walks.library.yaml", LIBRARY.replace("mode: Mode?", "way: Mode?"), 2)
            assert {x.code for x in (await client.next_diagnostics(path, 3)).diagnostics} >= {"PS204"}
            client.text_document_did_close(types.DidCloseTextDocumentParams(identifier))
            assert (await client.next_diagnostics(path, None)).diagnostics == ()

    async def check_requests(client: Editor, identifier: types.TextDocumentIdentifier) -> None:
        hover = await with_timeout(
            client.text_document_hover_async(types.HoverParams(identifier, position_in(TASK, "budget: 15")))
        )
        assert "budget: money" in hover.contents.value and "`15.00 EUR`" in hover.contents.value
        location = await with_timeout(
            client.text_document_definition_async(types.DefinitionParams(identifier, position_in(TASK, "museum] is")))
        )
        assert location.uri.endswith("town.world.yaml") and location.range.start == position_in(WORLD, "museum, label")
        offered = await with_timeout(
            client.text_document_completion_async(types.CompletionParams(identifier, position_in(TASK, "v.mode", 2)))
        )
        assert {"place", "mode", "cost"} == {item.label for item in offered.items}
        edit = await with_timeout(
            client.text_document_rename_async(
                types.RenameParams(identifier, position_in(TASK, "budget: 15"), new_name="limit")
            )
        )
        assert len(edit.changes) == 2
        with pytest.raises(Exception, match="is taken"):
            await with_timeout(
                client.text_document_rename_async(
                    types.RenameParams(identifier, position_in(TASK, "budget: 15"), new_name="total")
                )
            )
        colours = await with_timeout(
            client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(identifier))
        )
        assert len(colours.data) % 5 == 0 and len(colours.data) > 100

    run_coroutine(session())


def test_a_pulling_client_receives_diagnostics_lenses_and_edits(tmp_path: Path) -> None:
    """The client requests diagnostics, refreshes lenses when notified, and applies the results of commands."""
    from lsprotocol import types

    from tests.planspec.live.server.client import connected_editor

    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
        workspace=types.WorkspaceClientCapabilities(
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        ),
        general=types.GeneralClientCapabilities(position_encodings=["utf-8"]),
    )

    async def session() -> None:
        path = tmp_path / "sample.task.yaml"
        async with connected_editor(tmp_path, capabilities) as client:
            assert client.capabilities.position_encoding == types.PositionEncodingKind.Utf16
            identifier = client.enter_text(path, SAMPLE.replace("<= budget", "<= budgt"))
            report = await with_timeout(
                client.text_document_diagnostic_async(types.DocumentDiagnosticParams(identifier))
            )
            assert [item.code for item in report.items] == ["PS201"] and client.diagnostics_queue.empty()
            client.enter_text(path, SAMPLE, 2)
            assert await titles(client, identifier) == ["proving ..."]
            client.enter_text(path, f"{SAMPLE}# typed\n", 3)  # an edit cancels running proofs
            assert await titles(client, identifier) == ["proving ..."]
            await with_timeout(client.lenses_refreshed.wait())
            proved = await titles(client, identifier)
            assert proved[0].startswith("feasible, several plans (") and proved[1] == "reference passes"
            client.lenses_refreshed.clear()
            client.enter_text(path, SAMPLE.replace("start: 10:00", "start: 10:30"), 4)  # an edit drops finished proofs
            assert await titles(client, identifier) == ["proving ..."]
            await with_timeout(client.lenses_refreshed.wait())
            assert (await titles(client, identifier))[1].startswith("reference violates ")
            client.enter_text(path, f"{SAMPLE}# typed\n", 5)
            argument = {"uri": identifier.uri, "constraint": "unhurried"}
            await with_timeout(
                client.workspace_execute_command_async(types.ExecuteCommandParams("planspec.addCase", [argument]))
            )
            (edits,) = (client.applied_edits[0].changes or {}).values()
            assert "violates: [unhurried]" in edits[0].new_text and client.messages == [
                "case `breaks-unhurried` violates unhurried"
            ]

    async def titles(client: Editor, identifier: types.TextDocumentIdentifier) -> list[str]:
        lenses = await with_timeout(client.text_document_code_lens_async(types.CodeLensParams(identifier)))
        return [lens.command.title for lens in lenses]

    run_coroutine(session())


def test_the_command_names_the_missing_extra(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('no', name='pygls')\n")
    result = subprocess.run(
        [sys.executable, "-m", "planspec", "server"],
        cwd=tmp_path,
        input=b"",
        capture_output=True,
        check=False,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )
    assert result.returncode == 2 and b"pip install 'planspec[lsp]'" in result.stderr, result.stderr


def frame(message: object) -> bytes:
    """Return a message of the language server protocol, with its header."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def run_server(messages: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a server with a client's messages as its input."""
    return subprocess.run(
        [sys.executable, "-m", "planspec", "server"],
        input=messages,
        capture_output=True,
        check=False,
        timeout=120,
    )


def request_message(number: int, method: str, params: object = None) -> bytes:
    """Return a request with this number."""
    return frame({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


@pytest.mark.thorough
def test_each_unreadable_message_is_reported_in_one_line() -> None:
    hover = {"textDocument": {"uri": "file:///a.task.yaml"}, "position": {"line": -1, "character": 0}}
    wrong = (
        frame(b"no JSON"),
        frame(b"\xff\xfe"),
        frame([]),
        frame({}),
        frame(7),
        frame({"jsonrpc": "2.0", "id": []}),
        request_message(2, "no/method"),
        request_message(3, "textDocument/hover", hover),
        request_message(4, "textDocument/hover", 5),
        frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"x": "\n"}}),
        b"Nothing: x\r\n\r\n",
    )
    initialize = request_message(1, "initialize", {"processId": None, "capabilities": {}, "rootUri": None})
    shutdown = request_message(9, "shutdown") + frame({"jsonrpc": "2.0", "method": "exit"})
    result = run_server(initialize + b"".join(wrong) + shutdown)
    lines = result.stderr.decode().splitlines()
    assert "Traceback" not in result.stderr.decode(), result.stderr.decode()
    assert len(lines) <= len(wrong)
    assert b'"id": 9' in result.stdout
    assert result.returncode == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "head", [b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n"]
)
def test_a_message_that_is_too_large_is_refused_with_one_line(head: bytes) -> None:
    result = run_server(head + b"{}")
    assert result.returncode == 2
    [line] = result.stderr.decode().splitlines()
    assert line.startswith("error: ")
    assert "bytes" in line
