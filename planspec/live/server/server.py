"""A language server that answers from open documents, tells what is wrong with them, and lets a worker prove the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import partial
from importlib.metadata import version
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from planspec.live.language.answers import METHODS, answer
from planspec.live.language.desk import Desk, OpenDocument, path_of
from planspec.live.language.diagnostics import by_document
from planspec.live.language.shapes import Json

NAME = "planspec"
PAUSE = 0.12
"""Seconds without typing after which a document is checked."""
OPTIONS: dict[str, Any] = {
    "textDocument/diagnostic": types.DiagnosticOptions(
        identifier=NAME, inter_file_dependencies=True, workspace_diagnostics=False
    ),
}
"""What the server says of a method besides having it."""
SHARED = ("library", "world")
"""The kinds of documents that others use."""


class _Protocol(LanguageServerProtocol):
    """Places are counted in UTF-16 code units, whatever else a client can count."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class Server(LanguageServer):
    """The language server.

    Attributes:
        desk: the open documents.
    """

    def __init__(self) -> None:
        super().__init__(NAME, version("planspec"), protocol_cls=_Protocol, converter_factory=_converter())
        self.desk = Desk()
        self._told: dict[str, set[str]] = {}
        self._waiting: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._register()

    # -- documents --------------------------------------------------------------------------------

    def _register(self) -> None:
        on = self.feature  # it marks what it takes, and no bound method can be marked
        on(types.INITIALIZED)(partial(self._initialized))
        on(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._opened))
        on(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._changed))
        on(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._closed))
        on(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._saved))
        on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(self._files_changed))
        on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._folders_changed))
        for method in METHODS:
            on(method, OPTIONS.get(method))(self._answering(method))

    def _answering(self, method: str) -> Callable[[Any], Any]:
        """A handler that answers a request by the function of its name."""

        def handler(params: Any) -> Any:
            return self.shaped(method, answer(self.desk, method, self.plain(params)))

        return handler

    def plain(self, params: Any) -> Json:
        """The parameters of a request as JSON."""
        made: Json = self.protocol._converter.unstructure(params)
        return made

    def shaped(self, method: str, found: Any) -> Any:
        """An answer as the protocol library wants it."""
        response = types.METHOD_TO_TYPES[method][1]
        assert response is not None, method
        message = {"id": 0, "jsonrpc": "2.0", "result": found}
        return self.protocol._converter.structure(message, response).result

    def _initialized(self, _: types.InitializedParams) -> None:
        self._folders()
        watching = (
            self.client_capabilities.workspace and self.client_capabilities.workspace.did_change_watched_files
        )
        if watching and watching.dynamic_registration:
            patterns = ("**/*.yaml", "**/*.yml", "**/*.csv", "**/*.jsonl", "**/*.json", "**/*.sqlite")
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in patterns]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(types.RegistrationParams([registration]))

    def _folders(self) -> None:
        folders = [folder.uri for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_uri:
            folders = [self.workspace.root_uri]
        self.desk.folders = [path_of(uri) for uri in folders]

    def _folders_changed(self, _: types.DidChangeWorkspaceFoldersParams) -> None:
        self._folders()

    def _opened(self, params: types.DidOpenTextDocumentParams) -> None:
        document = self.desk.open(
            params.text_document.uri, params.text_document.text, params.text_document.version
        )
        self._touched(document, at_once=True)

    def _changed(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = self.workspace.get_text_document(uri).source
        self._touched(self.desk.open(uri, text, params.text_document.version))

    def _closed(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.desk.close(uri)
        self._waiting.discard(uri)
        if not self._pulls:
            for told in self._told.pop(uri, {uri}) | {uri}:
                self._publish(told, [], None)
        self._others_touched(uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Answers and tables that are open as text are read from their files."""
        found = self.desk.documents.get(params.text_document.uri)
        if found is not None and not found.is_ours:
            self._reread()

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        open_ = {document.path for document in self.desk.documents.values() if document.is_ours}
        if any(path_of(change.uri) not in open_ for change in params.changes):
            self._reread()

    def _reread(self) -> None:
        self.desk.reread()
        self._waiting.update(self.desk.documents)
        self._check_soon()

    # -- what is wrong ----------------------------------------------------------------------------

    @property
    def _pulls(self) -> bool:
        """The client asks for diagnostics itself."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    def _touched(self, document: OpenDocument, *, at_once: bool = False) -> None:
        """A document has another text: it is checked soon, and so are those that use it."""
        self._waiting.add(document.uri)
        self._others_touched(document.uri)
        if at_once and not self._pulls:
            self._check_waiting()
        else:
            self._check_soon()

    def _others_touched(self, uri: str) -> None:
        path = path_of(uri)
        self._waiting.update(
            other.uri
            for other in self.desk.documents.values()
            if other.uri != uri
            and (other.sound is None or path in {x.path for x in other.sound.documents} or _shared(path))
        )

    def _check_soon(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self._check_waiting)

    def _check_waiting(self) -> None:
        waiting, self._waiting = self._waiting, set()
        if self._pulls:
            self._refresh(waiting)
            return
        for uri in sorted(waiting):
            document = self.desk.documents.get(uri)
            if document is not None:
                self._tell(document)

    def _tell(self, document: OpenDocument) -> None:
        """Push what is wrong with a document, also where that stands in a file that is not open."""
        found = by_document(self.desk, document)
        before = self._told.get(document.uri, set())
        told = {uri for uri in found if uri == document.uri or uri not in self.desk.documents}
        self._told[document.uri] = told
        for uri in before - told:
            self._publish(uri, [], None)
        for uri in told:
            self._publish(uri, found[uri], document.version if uri == document.uri else None)

    def _publish(self, uri: str, items: list[Json], number: int | None) -> None:
        made = [self.protocol._converter.structure(item, types.Diagnostic) for item in items]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, made, number))

    def _refresh(self, touched: Iterable[str]) -> None:
        """Let a client that asks itself ask anew, if what changed concerns documents that it has not typed in."""
        workspace = self.client_capabilities.workspace
        if (
            len(set(touched)) > 1
            and workspace
            and workspace.diagnostics
            and workspace.diagnostics.refresh_support
        ):
            self.workspace_diagnostic_refresh(None)


def _shared(path: Any) -> bool:
    """Documents that nobody was seen to use so far may use the file by its id."""
    return any(path.name.endswith((f"{kind}.yaml", f"{kind}.yml")) for kind in SHARED)


def _converter() -> Callable[[], Any]:
    from pygls.protocol import default_converter

    return partial(default_converter)


def serve() -> None:
    """Speak the protocol over standard input and output until the client leaves."""
    Server().start_io()
