"""Language server that answers from open documents, reports diagnostics, and has a worker prove claims."""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout, suppress
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from traceback import walk_tb
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.io_ import StdinAsyncReader
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, default_converter, lsp_method
from pygls.server import JsonRPCServer

from planspec.dsl.diagnostics.source import NOWHERE
from planspec.errors import PlanspecError
from planspec.live.language.actions import COMMANDS
from planspec.live.language.answers import METHODS, answer
from planspec.live.language.desk import DocumentNotOpenError, EditorDesk, OpenDocument, path_of
from planspec.live.language.diagnostics import by_document
from planspec.live.language.formatting import line_edits
from planspec.live.language.highlighting import MODIFIERS, TYPES
from planspec.live.language.lenses import lenses, place_of_claims
from planspec.live.language.positions import range_of
from planspec.live.language.renaming import RenameRefusedError
from planspec.live.language.shapes import Json
from planspec.live.language.work import SECONDS
from planspec.live.server.worker import Worker

NAME = "planspec"
PAUSE = 0.12
"""Seconds without typing before a document is checked."""
STILL = 0.5
"""Seconds without typing before proofs of a document begin."""
OPTIONS: dict[str, Any] = {
    types.TEXT_DOCUMENT_DIAGNOSTIC: types.DiagnosticOptions(
        identifier=NAME, inter_file_dependencies=True, workspace_diagnostics=False
    ),
    types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(trigger_characters=[".", "["]),
    types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(
        trigger_characters=["(", ","], retrigger_characters=[")"]
    ),
    types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
    types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: types.SemanticTokensLegend(
        token_types=list(TYPES), token_modifiers=list(MODIFIERS)
    ),
    types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
        code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]
    ),
}
"""Server options by method."""
MOST_HEADER = 1_000
"""Largest size of a header line, in bytes."""
MOST_BODY = 64_000_000
"""Largest size of a message body, in bytes; documents are smaller."""
MOST_LINE = 300
"""Largest length of a log line about an unreadable message, in characters."""
_OWN = Path(str(files("planspec")))
SHARED = ("library", "world")
"""Kinds of documents that other documents use."""


class _Protocol(LanguageServerProtocol):
    """Protocol that counts positions in UTF-16 code units, whatever encodings the client offers."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class Server(LanguageServer):
    """Language server of planspec.

    Attributes:
        desk: open documents.
    """

    def __init__(self) -> None:
        super().__init__(
            NAME, version("planspec"), protocol_cls=_Protocol, converter_factory=default_converter
        )
        self.desk = EditorDesk()
        self._published: dict[str, set[str]] = {}
        self._waiting: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._worker = Worker()
        self._claims: dict[str, Json] = {}
        self._proofs: dict[str, asyncio.Task[Json]] = {}
        self._outdated_lenses = False
        self._proves, self._seconds = True, SECONDS
        self._register()

    # -- documents --------------------------------------------------------------------------------

    def _register(self) -> None:
        on = self.feature  # it sets an attribute on handlers, which bound methods do not allow
        on(types.INITIALIZE)(partial(self._initialise))
        on(types.INITIALIZED)(partial(self._initialized))
        on(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._opened))
        on(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._changed))
        on(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._closed))
        on(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._saved))
        on(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(self._files_changed))
        on(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._folders_changed))
        for method in METHODS:
            on(method, OPTIONS.get(method))(self._request_handler(method))
        on(types.SHUTDOWN)(partial(self._leaving))
        on(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))(partial(self._lenses))
        on(types.CODE_LENS_RESOLVE)(self._lens_resolver())
        for command in COMMANDS:
            self.command(command)(self._command_handler(command))

    def _request_handler(self, method: str) -> Callable[[Any], Any]:
        """Return a handler that answers requests of a method."""

        def handler(params: Any) -> Any:
            try:
                return self.shaped(method, answer(self.desk, method, self.plain(params)))
            except (RenameRefusedError, DocumentNotOpenError) as error:
                raise JsonRpcInvalidParams(str(error)) from None

        return handler

    def plain(self, params: Any) -> Json:
        """Return the parameters of a request as JSON."""
        data: Json = self.protocol._converter.unstructure(params)
        return data

    def shaped(self, method: str, result: Any) -> Any:
        """Return an answer as the protocol library's classes."""
        # The library's union would parse an action with a command as that command.
        if method == types.TEXT_DOCUMENT_CODE_ACTION:
            return [self.protocol._converter.structure(action, types.CodeAction) for action in result]
        response = types.METHOD_TO_TYPES[method][1]
        assert response is not None, method
        message = {"id": 0, "jsonrpc": "2.0", "result": result}
        return self.protocol._converter.structure(message, response).result

    def _initialise(self, params: types.InitializeParams) -> None:
        options = self.plain(params).get("initializationOptions")
        if isinstance(options, dict):
            self._proves = options.get("proofs") is not False
            seconds = options.get("seconds")
            self._seconds = float(seconds) if isinstance(seconds, int | float) and seconds > 0 else SECONDS

    def _leaving(self, _: Any) -> None:
        self._forget_claims(list(self._proofs))
        self._worker.stop()

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
        self._forget_claims([uri])
        if not self._pulls:
            for published in self._published.pop(uri, {uri}) | {uri}:
                self._publish(published, [], None)
        self._others_touched(uri)

    def _saved(self, params: types.DidSaveTextDocumentParams) -> None:
        """Reread answers and tables that are open as text, because they are read from their files."""
        document = self.desk.documents.get(params.text_document.uri)
        if document is not None and not document.is_ours:
            self._reread()

    def _files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        open_ = {document.path for document in self.desk.documents.values() if document.is_ours}
        if any(path_of(change.uri) not in open_ for change in params.changes):
            self._reread()

    def _reread(self) -> None:
        self.desk.reread()
        self._forget_claims(list(self.desk.documents))
        self._waiting.update(self.desk.documents)
        self._check_soon()

    # -- diagnostics -------------------------------------------------------------------------------

    @property
    def _pulls(self) -> bool:
        """Whether the client requests diagnostics itself."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    def _touched(self, document: OpenDocument, *, at_once: bool = False) -> None:
        """Schedule a check of a changed document and of those that use it, and drop their claims."""
        self._waiting.add(document.uri)
        self._forget_claims([document.uri])
        self._others_touched(document.uri)
        if at_once and not self._pulls:
            self._check_waiting()
        else:
            self._check_soon()

    def _others_touched(self, uri: str) -> None:
        path = path_of(uri)
        others = {
            other.uri
            for other in self.desk.documents.values()
            if other.uri != uri
            and (other.sound is None or path in {x.path for x in other.sound.documents} or _shared(path))
        }
        self._waiting |= others
        self._outdated_lenses |= not others.isdisjoint(self._claims.keys() | self._proofs.keys())
        self._forget_claims(others)

    def _check_soon(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE, self._check_waiting)

    def _check_waiting(self) -> None:
        waiting, self._waiting = self._waiting, set()
        if self._outdated_lenses and self._refreshes_lenses:  # for documents that have not changed themselves
            self.workspace_code_lens_refresh(None)
        self._outdated_lenses = False
        if self._pulls:
            self._refresh(waiting)
            return
        for uri in sorted(waiting):
            document = self.desk.documents.get(uri)
            if document is not None:
                self._publish_diagnostics(document)

    def _publish_diagnostics(self, document: OpenDocument) -> None:
        """Publish the diagnostics of a document, including those placed in files that are not open."""
        by_uri = by_document(self.desk, document)
        if len(self.desk.documents) > 1:
            self.desk.analysis(document)  # records its imports, so that edits of those are noticed
        before = self._published.get(document.uri, set())
        published = {uri for uri in by_uri if uri == document.uri or uri not in self.desk.documents}
        self._published[document.uri] = published
        for uri in before - published:
            self._publish(uri, [], None)
        for uri in published:
            self._publish(uri, by_uri[uri], document.version if uri == document.uri else None)

    def _publish(self, uri: str, items: list[Json], number: int | None) -> None:
        diagnostics = [self.protocol._converter.structure(item, types.Diagnostic) for item in items]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, number))

    def _refresh(self, touched: Iterable[str]) -> None:
        """Ask a pulling client for new requests if documents other than the edited one are affected."""
        workspace = self.client_capabilities.workspace
        if (
            len(set(touched)) > 1
            and workspace
            and workspace.diagnostics
            and workspace.diagnostics.refresh_support
        ):
            self.workspace_diagnostic_refresh(None)

    # -- claims ------------------------------------------------------------------------------------

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return the lines above a query: the proved claims, or a note that proofs are running."""
        document = self.desk.documents.get(params.text_document.uri)
        at = place_of_claims(self.desk, document) if document is not None and self._proves else None
        if document is None or at is None:
            return []
        claims = self._claims.get(document.uri)
        if claims is None:
            self._prove(document)
            if not self._refreshes_lenses:  # such a client resolves each line later, and waits
                return [types.CodeLens(_range(range_of(at)), data={"uri": document.uri})]
        return [
            self.protocol._converter.structure(lens, types.CodeLens)
            for lens in lenses(at, claims, document.uri)
        ]

    @property
    def _refreshes_lenses(self) -> bool:
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support)

    def _lens_resolver(self) -> Callable[[types.CodeLens], Any]:
        async def resolve(lens: types.CodeLens) -> types.CodeLens:
            data: Json = self.protocol._converter.unstructure(lens.data) or {}
            proof = self._proofs.get(data.get("uri", ""))
            claims = self._claims.get(data.get("uri", ""))
            if claims is None and proof is not None:
                with suppress(asyncio.CancelledError):
                    claims = await asyncio.shield(proof)
            titles = (
                "" if claims is None else " · ".join(x["command"]["title"] for x in lenses(NOWHERE, claims))
            )
            lens.command = types.Command(title=titles, command="")
            return lens

        return resolve

    def _prove(self, document: OpenDocument) -> None:
        """Have the worker prove a task's claims, unless it already does."""
        if document.uri not in self._proofs:
            proof = asyncio.get_running_loop().create_task(self._proved(document))
            self._proofs[document.uri] = proof

    async def _proved(self, document: OpenDocument) -> Json:
        try:
            await asyncio.sleep(STILL)
            claims = await self._worker.ask(
                "claims", document.path, self._texts(), {"seconds": self._seconds}
            )
            self._claims[document.uri] = claims
        finally:
            if self._proofs.get(document.uri) is asyncio.current_task():
                del self._proofs[document.uri]
        if self._refreshes_lenses:
            self.workspace_code_lens_refresh(None)
        return claims

    def _texts(self) -> dict[str, str]:
        return {str(x.path): x.source.text for x in self.desk.documents.values() if x.is_ours}

    def _forget_claims(self, uris: Iterable[str]) -> None:
        """Drop the claims of changed documents and cancel running proofs."""
        for uri in uris:
            self._claims.pop(uri, None)
            proof = self._proofs.pop(uri, None)
            if proof is not None:
                proof.cancel()

    def _command_handler(self, command: str) -> Callable[[Any], Any]:
        """Return a handler that has the worker run a command and then asks the editor to apply the result."""

        async def handler(argument: Any = None) -> Any:
            params: Json = self.protocol._converter.unstructure(argument) or {}
            document = self.desk.documents.get(str(params.get("uri")))
            if document is None:
                raise JsonRpcInvalidParams(f"`{command}` takes the address of an open task")
            params["seconds"] = self._seconds
            result = await self._worker.ask(COMMANDS[command], document.path, self._texts(), params)
            return await self._apply(document, result)

        return handler

    async def _apply(self, document: OpenDocument, result: Json) -> Json:
        """Ask the editor to apply the worker's result, and notify the user."""
        if "error" in result:
            self._show_message(result["error"], types.MessageType.Warning)
            return result
        text = result.get("text")
        if text is not None and self.desk.documents.get(document.uri) is not document:
            self._show_message(
                "the text has changed meanwhile: nothing was written", types.MessageType.Warning
            )
            return {"error": "the text has changed meanwhile"}
        if text is not None:
            uri, before = document.uri, document.source.text
            if "file" in result:
                uri, before = self.desk.uri(result["file"]), _file_text(result["file"])
            edit: Json = {"changes": {uri: line_edits(before, text)}}
            request = types.ApplyWorkspaceEditParams(
                edit=self.protocol._converter.structure(edit, types.WorkspaceEdit), label="planspec"
            )
            await self.workspace_apply_edit_async(request)
        self._show_message(result["said"], types.MessageType.Info)
        return {"said": result["said"]}

    def _show_message(self, text: str, kind: types.MessageType) -> None:
        self.window_show_message(types.ShowMessageParams(kind, text))


def _file_text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _range(range_: Any) -> types.Range:
    start, end = range_["start"], range_["end"]
    return types.Range(
        types.Position(start["line"], start["character"]), types.Position(end["line"], end["character"])
    )


def _shared(path: Path) -> bool:
    """Return whether documents may use the file by its id without a recorded import."""
    return any(path.name.endswith((f"{kind}.yaml", f"{kind}.yml")) for kind in SHARED)


class OversizedMessageError(PlanspecError, ValueError):
    """The client announces a message larger than editors send."""


class _Messages(io.BufferedReader):
    """Reader of client messages with limits on their size."""

    def readline(self, size: int | None = -1, /) -> bytes:  # noqa: ARG002 headers are read by whole lines
        """Read a header line."""
        line = super().readline(MOST_HEADER + 1)
        if len(line) > MOST_HEADER:
            raise OversizedMessageError(f"a header line has more than {MOST_HEADER} bytes")
        return line

    def read(self, size: int | None = -1, /) -> bytes:
        """Read the body of a message."""
        if size is None or not 0 <= size <= MOST_BODY:
            raise OversizedMessageError(
                f"the client announces a message of {size:,} bytes; at most {MOST_BODY:,} are read"
            )
        return super().read(size)


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a record is a fault: of planspec with its traceback, of a client's message in a line.

    Requests that are refused with a reason are no faults, because the client receives the reason.
    """
    error = None if record.exc_info is None else record.exc_info[1]
    if error is None:
        return "\n" not in record.getMessage()  # others are tracebacks of errors that are reported again
    if isinstance(error, JsonRpcInvalidParams):
        return False
    if not any(_OWN in Path(frame.f_code.co_filename).parents for frame, _ in walk_tb(error.__traceback__)):
        reason = next(iter(str(error).splitlines()), "")
        record.msg = f"a message of the client cannot be read: {type(error).__name__}: {reason}"[:MOST_LINE]
        record.args, record.exc_info, record.exc_text = (), None, None
    return True


def serve() -> None:
    """Run the server over standard input and output until the client disconnects.

    Other output goes to standard error. The streams stay open even if the protocol library closes its
    copies.

    Raises:
        OversizedMessageError: a message is larger than the limit.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    into = _Messages(io.FileIO(os.dup(sys.stdin.fileno())))
    for module in (JsonRPCProtocol, LanguageServerProtocol, JsonRPCServer, StdinAsyncReader):
        logging.getLogger(module.__module__).addFilter(_is_news)
    with redirect_stdout(sys.stderr):
        Server().start_io(into, out)
