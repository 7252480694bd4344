"""A client of the language server, as an editor has one: another project's, over pipes."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

PATIENCE = 60
"""Seconds after which nothing more is expected; on an idle machine answers take hundredths."""


class Editor(LanguageClient):
    """Opens documents, and keeps what the server pushes, says and wants to be written."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.capabilities = types.ServerCapabilities()
        self.pushed: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.refreshed = asyncio.Event()
        self.written: list[types.WorkspaceEdit] = []
        self.said: list[str] = []
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.pushed.put_nowait(params))  # noqa: PLW0108 a method of another class cannot be marked
        self.feature(types.WORKSPACE_CODE_LENS_REFRESH)(lambda *_: self.refreshed.set())
        self.feature(types.WORKSPACE_APPLY_EDIT)(lambda params: self._write(params))  # noqa: PLW0108
        self.feature(types.WINDOW_SHOW_MESSAGE)(lambda params: self.said.append(params.message))

    def _write(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        self.written.append(params.edit)
        return types.ApplyWorkspaceEditResult(applied=True)

    def type(self, path: Path, text: str, version: int = 1) -> types.TextDocumentIdentifier:
        """Open a document, or put another text in place of its own."""
        uri = path.as_uri()
        if version == 1:
            item = types.TextDocumentItem(uri, "yaml", version, text)
            self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            named = types.VersionedTextDocumentIdentifier(version, uri)
            change = types.TextDocumentContentChangeWholeDocument(text)
            self.text_document_did_change(types.DidChangeTextDocumentParams(named, [change]))
        return types.TextDocumentIdentifier(uri)

    async def told(self, path: Path, version: int | None) -> types.PublishDiagnosticsParams:
        """What the server pushes of a version of a document."""
        while True:
            found = await asyncio.wait_for(self.pushed.get(), PATIENCE)
            if (found.uri, found.version) == (path.as_uri(), version):
                return found


@asynccontextmanager
async def editor(folder: Path, capabilities: Any = None) -> AsyncIterator[Editor]:
    """A client of a server that was started in a folder, and leaves in the end without a complaint."""
    made = Editor()
    await made.start_io(sys.executable, "-P", "-m", "planspec", "server", "--stdio", cwd=folder)
    params = types.InitializeParams(
        capabilities=capabilities or types.ClientCapabilities(), root_uri=folder.as_uri()
    )
    begun = await asyncio.wait_for(made.initialize_async(params), PATIENCE)
    made.capabilities = begun.capabilities
    made.initialized(types.InitializedParams())
    yield made
    await asyncio.wait_for(made.shutdown_async(None), PATIENCE)
    made.exit(None)
    process = made._server
    assert process is not None and await asyncio.wait_for(process.wait(), PATIENCE) == 0
    await made.stop()  # type: ignore[no-untyped-call]
