"""Language server over pipes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.loops import run_coroutine
from tests.planspec.live.language.texts import LIBRARY, SAMPLE, TASK, WORLD
from tests.planspec.live.server.client import PATIENCE, Editor, editor

pytestmark = pytest.mark.integration


def place(text: str, words: str, behind: int = 0) -> types.Position:
    """Return the position a number of characters after the beginning of words."""
    at = text.index(words) + behind
    line = text.count("\n", 0, at)
    return types.Position(line, at - (text.rfind("\n", 0, at) + 1))


async def soon(answer: Any) -> Any:
    """Await an answer with a timeout."""
    return await asyncio.wait_for(answer, PATIENCE)


def test_a_client_without_pull_support_receives_diagnostics_and_answers(tmp_path: Path) -> None:
    """The client cannot request diagnostics, and sends whole texts."""

    async def session() -> None:
        path = tmp_path / "day.task.yaml"
        async with editor(tmp_path) as client:
            client.type(tmp_path / "walks.library.yaml", LIBRARY)
            client.type(tmp_path / "town.world.yaml", WORLD)
            named = client.type(path, TASK)
            assert (await client.published(path, 1)).diagnostics == ()
            client.type(path, TASK.replace("== foot", "== fot"), 2)
            (wrong,) = (await client.published(path, 2)).diagnostics
            assert (wrong.code, wrong.severity) == ("PS201", types.DiagnosticSeverity.Error)
            assert "did you mean `foot`?" in wrong.message
            client.type(path, TASK, 3)
            assert (await client.published(path, 3)).diagnostics == ()
            await asks(client, named)
            # an edit of a library changes the task's diagnostics
            client.type(tmp_path / "walks.library.yaml", LIBRARY.replace("mode: Mode?", "way: Mode?"), 2)
            assert {x.code for x in (await client.published(path, 3)).diagnostics} >= {"PS204"}
            client.text_document_did_close(types.DidCloseTextDocumentParams(named))
            assert (await client.published(path, None)).diagnostics == ()

    async def asks(client: Editor, named: types.TextDocumentIdentifier) -> None:
        hover = await soon(
            client.text_document_hover_async(types.HoverParams(named, place(TASK, "budget: 15")))
        )
        assert "budget: money" in hover.contents.value and "`15.00 EUR`" in hover.contents.value
        location = await soon(
            client.text_document_definition_async(types.DefinitionParams(named, place(TASK, "museum] is")))
        )
        assert location.uri.endswith("town.world.yaml") and location.range.start == place(
            WORLD, "museum, label"
        )
        offered = await soon(
            client.text_document_completion_async(types.CompletionParams(named, place(TASK, "v.mode", 2)))
        )
        assert {"place", "mode", "cost"} == {item.label for item in offered.items}
        edit = await soon(
            client.text_document_rename_async(
                types.RenameParams(named, place(TASK, "budget: 15"), new_name="limit")
            )
        )
        assert len(edit.changes) == 2
        with pytest.raises(Exception, match="is taken"):
            await soon(
                client.text_document_rename_async(
                    types.RenameParams(named, place(TASK, "budget: 15"), new_name="total")
                )
            )
        colours = await soon(
            client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(named))
        )
        assert len(colours.data) % 5 == 0 and len(colours.data) > 100

    run_coroutine(session())


def test_a_pulling_client_receives_diagnostics_lenses_and_edits(tmp_path: Path) -> None:
    """The client pulls diagnostics, renews lenses when notified, and applies the results of commands."""
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
        workspace=types.WorkspaceClientCapabilities(
            code_lens=types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        ),
        general=types.GeneralClientCapabilities(position_encodings=["utf-8"]),
    )

    async def session() -> None:
        path = tmp_path / "sample.task.yaml"
        async with editor(tmp_path, capabilities) as client:
            assert client.capabilities.position_encoding == types.PositionEncodingKind.Utf16
            named = client.type(path, SAMPLE.replace("<= budget", "<= budgt"))
            report = await soon(client.text_document_diagnostic_async(types.DocumentDiagnosticParams(named)))
            assert [item.code for item in report.items] == ["PS201"] and client.pushed.empty()
            client.type(path, SAMPLE, 2)
            assert await titles(client, named) == ["proving ..."]
            client.type(path, f"{SAMPLE}# typed\n", 3)  # an edit cancels running proofs
            assert await titles(client, named) == ["proving ..."]
            await soon(client.refreshed.wait())
            proved = await titles(client, named)
            assert proved[0].startswith("feasible, several plans (") and proved[1] == "reference passes"
            client.refreshed.clear()
            client.type(
                path, SAMPLE.replace("start: 10:00", "start: 10:30"), 4
            )  # an edit drops finished proofs
            assert await titles(client, named) == ["proving ..."]
            await soon(client.refreshed.wait())
            assert (await titles(client, named))[1].startswith("reference violates ")
            client.type(path, f"{SAMPLE}# typed\n", 5)
            argument = {"uri": named.uri, "constraint": "unhurried"}
            await soon(
                client.workspace_execute_command_async(
                    types.ExecuteCommandParams("planspec.addCase", [argument])
                )
            )
            (edits,) = (client.written[0].changes or {}).values()
            assert "violates: [unhurried]" in edits[0].new_text and client.messages == [
                "case `breaks-unhurried` violates unhurried"
            ]

    async def titles(client: Editor, named: types.TextDocumentIdentifier) -> list[str]:
        lenses = await soon(client.text_document_code_lens_async(types.CodeLensParams(named)))
        return [lens.command.title for lens in lenses]

    run_coroutine(session())


def test_without_the_extra_the_command_names_it(tmp_path: Path) -> None:
    (tmp_path / "pygls.py").write_text("raise ModuleNotFoundError('no', name='pygls')\n")
    result = subprocess.run(
        [sys.executable, "-m", "planspec", "server"], cwd=tmp_path, input=b"", capture_output=True, check=False,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
    )  # fmt: skip
    assert result.returncode == 2 and b"pip install 'planspec[lsp]'" in result.stderr, result.stderr


def framed(message: object) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def served(sent: bytes) -> subprocess.CompletedProcess[bytes]:
    """Run a server on everything that a client sends."""
    return subprocess.run(
        [sys.executable, "-m", "planspec", "server"],
        input=sent,
        capture_output=True,
        check=False,
        timeout=120,
    )


def request(number: int, method: str, params: object = None) -> bytes:
    return framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def test_unreadable_messages_are_reported_in_a_line_each() -> None:
    hover = {"textDocument": {"uri": "file:///a.task.yaml"}, "position": {"line": -1, "character": 0}}
    wrong = (
        framed(b"no JSON"), framed(b"\xff\xfe"), framed([]), framed({}), framed(7), framed({"jsonrpc": "2.0", "id": []}),
        request(2, "no/method"), request(3, "textDocument/hover", hover), request(4, "textDocument/hover", 5),
        framed({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"x": "\n"}}), b"Nothing: x\r\n\r\n",
    )  # fmt: skip
    initialize = request(1, "initialize", {"processId": None, "capabilities": {}, "rootUri": None})
    shutdown = request(9, "shutdown") + framed({"jsonrpc": "2.0", "method": "exit"})
    result = served(initialize + b"".join(wrong) + shutdown)
    lines = result.stderr.decode().splitlines()
    assert "Traceback" not in result.stderr.decode(), result.stderr.decode()
    assert len(lines) <= len(wrong)
    assert b'"id": 9' in result.stdout
    assert result.returncode == 0


@pytest.mark.parametrize(
    "head", [b"Content-Length: 99999999999\r\n\r\n", b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n"]
)
def test_a_message_that_is_too_large_is_refused_with_one_line(head: bytes) -> None:
    result = served(head + b"{}")
    assert result.returncode == 2
    [line] = result.stderr.decode().splitlines()
    assert line.startswith("error: ")
    assert "bytes" in line
