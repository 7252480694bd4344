"""Client of the language server over pipes, made with the protocol library of another project."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TIMEOUT_S = 60
"""Time limit of each response, in seconds. On an idle machine, responses take hundredths of a second."""


class Editor(LanguageClient):
    """Editor that opens documents and records the server's diagnostics, messages and edits."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.capabilities = types.ServerCapabilities()
        self.diagnostics_queue: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.lenses_refreshed = asyncio.Event()
        self.applied_edits: list[types.WorkspaceEdit] = []
        self.messages: list[str] = []
        # Attributes of bound methods cannot be set, therefore the lambdas.
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(
            lambda params: self.diagnostics_queue.put_nowait(params)  # noqa: PLW0108
        )
        self.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: self.lenses_refreshed.set())
        self.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self._apply_edit(params))  # noqa: PLW0108
        self.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.messages.append(params.message))

    def _apply_edit(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        """Record an edit that the server requests, and confirm it."""
        self.applied_edits.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    def enter_text(self, path: Path, text: str, version: int = 1) -> types.TextDocumentIdentifier:
        """Open a document, or replace the text of an open one."""
        uri = path.as_uri()
        if version == 1:
            item = types.TextDocumentItem(uri, "yaml", version, text)
            self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            named = types.VersionedTextDocumentIdentifier(version, uri)
            change = types.TextDocumentContentChangeWholeDocument(text)
            self.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))
        return types.TextDocumentIdentifier(uri)

    async def next_diagnostics(self, path: Path, version: int | None) -> types.PublishDiagnosticsParams:
        """Wait for the diagnostics that the server publishes for a version of a document."""
        while True:
            params = await asyncio.wait_for(self.diagnostics_queue.get(), TIMEOUT_S)
            if (params.uri, params.version) == (path.as_uri(), version):
                return params


@asynccontextmanager
async def connected_editor(folder: Path, capabilities: Any = None) -> AsyncIterator[Editor]:
    """Start a server in a folder and connect an editor.

    After the block, the server must exit without an error.
    """
    client = Editor()
    await client.start_io(sys.executable, "-P", "-m", "planspec", "server", "--stdio", cwd=folder)
    params = types.InitializeParams(capabilities=capabilities or types.ClientCapabilities(), root_uri=folder.as_uri())
    result = await asyncio.wait_for(client.initialize_async(params), TIMEOUT_S)
    client.capabilities = result.capabilities
    client.initialized(types.InitializedParams())
    yield client
    await asyncio.wait_for(client.shutdown_async(None), TIMEOUT_S)
    client.exit(None)
    process = client._server
    assert process is not None and await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
    await client.stop()  # type: ignore[no-untyped-call]
