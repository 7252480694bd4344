"""The language server. It handles requests about open documents, and a worker process proves claims."""

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
from planspec.live.language.diagnostics import diagnostics_by_uri
from planspec.live.language.editor import DocumentNotOpenError, EditorState, OpenDocument, path_of
from planspec.live.language.formatting import line_edits
from planspec.live.language.highlighting import MODIFIERS, TYPES
from planspec.live.language.lenses import claims_span, lenses
from planspec.live.language.positions import range_of
from planspec.live.language.renaming import RenameRefusedError
from planspec.live.language.requests import METHODS, handle_request
from planspec.live.language.shapes import Json
from planspec.live.language.work import SECONDS
from planspec.live.server.worker import WorkerProcess

NAME = "planspec"
CHECK_DELAY_S = 0.12
"""Seconds without typing after which a document is checked."""
PROOF_DELAY_S = 0.5
"""Seconds without typing after which claims of a document are proved."""
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
"""Registration options of the server's features, by method."""
MOST_HEADER = 1_000
"""Maximum size of a header line, in bytes."""
MOST_BODY = 64_000_000
"""Maximum size of a message body, in bytes."""
MOST_LINE = 300
"""Maximum number of characters of a log line about an unreadable message."""
_PACKAGE_FOLDER = Path(str(files("planspec")))
SHARED_KINDS = ("library", "world")
"""Kinds of documents that other documents can import."""


class _Utf16Protocol(LanguageServerProtocol):
    """Protocol that counts positions in UTF-16 code units, whatever encodings the client offers."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        if params.capabilities.general is not None:
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))


class PlanspecServer(LanguageServer):
    """Language server of planspec.

    Attributes:
        editor: state of the editor, with the open documents.
    """

    def __init__(self) -> None:
        super().__init__(NAME, version("planspec"), protocol_cls=_Utf16Protocol, converter_factory=default_converter)
        self.editor = EditorState()
        self._published: dict[str, set[str]] = {}
        self._pending_documents: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._worker = WorkerProcess()
        self._claims: dict[str, Json] = {}
        self._proofs: dict[str, asyncio.Task[Json]] = {}
        self._outdated_lenses = False
        self._proofs_enabled, self._seconds = True, SECONDS
        self._register()

    # -- documents --------------------------------------------------------------------------------

    def _register(self) -> None:
        register = self.feature  # pygls sets an attribute on handlers, which bound methods do not allow
        register(types.INITIALIZE)(partial(self._on_initialize))
        register(types.INITIALIZED)(partial(self._on_initialized))
        register(types.TEXT_DOCUMENT_DID_OPEN)(partial(self._on_open))
        register(types.TEXT_DOCUMENT_DID_CHANGE)(partial(self._on_change))
        register(types.TEXT_DOCUMENT_DID_CLOSE)(partial(self._on_close))
        register(types.TEXT_DOCUMENT_DID_SAVE)(partial(self._on_save))
        register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(self._on_files_changed))
        register(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(partial(self._on_folders_changed))
        for method in METHODS:
            register(method, OPTIONS.get(method))(self._request_handler(method))
        register(types.SHUTDOWN)(partial(self._on_shutdown))
        register(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=True))(
            partial(self._on_code_lens)
        )
        register(types.CODE_LENS_RESOLVE)(self._lens_resolver())
        for command in COMMANDS:
            self.command(command)(self._command_handler(command))

    def _request_handler(self, method: str) -> Callable[[Any], Any]:
        """Return a handler for requests of a method."""

        def handler(params: Any) -> Any:
            try:
                return self.to_protocol(method, handle_request(self.editor, method, self.to_json(params)))
            except (RenameRefusedError, DocumentNotOpenError) as error:
                raise JsonRpcInvalidParams(str(error)) from None

        return handler

    def to_json(self, params: Any) -> Json:
        """Return a request's parameters as JSON."""
        data: Json = self.protocol._converter.unstructure(params)
        return data

    def to_protocol(self, method: str, result: Any) -> Any:
        """Return the result of a request as an object of the protocol library."""
        # The library's union type would parse a code action with a command as a bare command.
        if method == types.TEXT_DOCUMENT_CODE_ACTION:
            return [self.protocol._converter.structure(action, types.CodeAction) for action in result]
        response = types.METHOD_TO_TYPES[method][1]
        assert response is not None, method
        message = {"id": 0, "jsonrpc": "2.0", "result": result}
        return self.protocol._converter.structure(message, response).result

    def _on_initialize(self, params: types.InitializeParams) -> None:
        options = self.to_json(params).get("initializationOptions")
        if isinstance(options, dict):
            self._proofs_enabled = options.get("proofs") is not False
            seconds = options.get("seconds")
            self._seconds = float(seconds) if isinstance(seconds, int | float) and seconds > 0 else SECONDS

    def _on_shutdown(self, _: Any) -> None:
        self._forget_claims(list(self._proofs))
        self._worker.stop()

    def _on_initialized(self, _: types.InitializedParams) -> None:
        self._update_folders()
        watching = self.client_capabilities.workspace and self.client_capabilities.workspace.did_change_watched_files
        if watching and watching.dynamic_registration:
            patterns = ("**/*.yaml", "**/*.yml", "**/*.csv", "**/*.jsonl", "**/*.json", "**/*.sqlite")
            watchers = [types.FileSystemWatcher(glob_pattern=pattern) for pattern in patterns]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers=watchers)
            registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self.client_register_capability(types.RegistrationParams([registration]))

    def _update_folders(self) -> None:
        folders = [folder.uri for folder in self.workspace.folders.values()]
        if not folders and self.workspace.root_uri:
            folders = [self.workspace.root_uri]
        self.editor.folders = [path_of(uri) for uri in folders]

    def _on_folders_changed(self, _: types.DidChangeWorkspaceFoldersParams) -> None:
        self._update_folders()

    def _on_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = self.editor.open(params.text_document.uri, params.text_document.text, params.text_document.version)
        self._schedule_check(document, at_once=True)

    def _on_change(self, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        text = self.workspace.get_text_document(uri).source
        self._schedule_check(self.editor.open(uri, text, params.text_document.version))

    def _on_close(self, params: types.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        self.editor.close(uri)
        self._pending_documents.discard(uri)
        self._forget_claims([uri])
        if not self._client_pulls_diagnostics:
            for published in self._published.pop(uri, {uri}) | {uri}:
                self._publish(published, [], None)
        self._schedule_dependents(uri)

    def _on_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Reread all files if an answer or a table was saved. The editor does not send the text of such files."""
        document = self.editor.documents.get(params.text_document.uri)
        if document is not None and not document.is_planspec:
            self._reread_files()

    def _on_files_changed(self, params: types.DidChangeWatchedFilesParams) -> None:
        open_ = {document.path for document in self.editor.documents.values() if document.is_planspec}
        if any(path_of(change.uri) not in open_ for change in params.changes):
            self._reread_files()

    def _reread_files(self) -> None:
        self.editor.reread()
        self._forget_claims(list(self.editor.documents))
        self._pending_documents.update(self.editor.documents)
        self._schedule_pending_checks()

    # -- diagnostics -------------------------------------------------------------------------------

    @property
    def _client_pulls_diagnostics(self) -> bool:
        """Whether the client requests diagnostics on its own (the pull model)."""
        text = self.client_capabilities.text_document
        return text is not None and text.diagnostic is not None

    def _schedule_check(self, document: OpenDocument, *, at_once: bool = False) -> None:
        """Schedule a check of a changed document and of the documents that import it, and drop their claims."""
        self._pending_documents.add(document.uri)
        self._forget_claims([document.uri])
        self._schedule_dependents(document.uri)
        if at_once and not self._client_pulls_diagnostics:
            self._check_pending_documents()
        else:
            self._schedule_pending_checks()

    def _schedule_dependents(self, uri: str) -> None:
        path = path_of(uri)
        others = {
            other.uri
            for other in self.editor.documents.values()
            if other.uri != uri
            and (
                other.last_valid_analysis is None
                or path in {x.path for x in other.last_valid_analysis.documents}
                or _is_shared_document(path)
            )
        }
        self._pending_documents |= others
        self._outdated_lenses |= not others.isdisjoint(self._claims.keys() | self._proofs.keys())
        self._forget_claims(others)

    def _schedule_pending_checks(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(CHECK_DELAY_S, self._check_pending_documents)

    def _check_pending_documents(self) -> None:
        waiting, self._pending_documents = self._pending_documents, set()
        if self._outdated_lenses and self._client_refreshes_lenses:  # also for documents that import a changed one
            self.workspace_code_lens_refresh(None)
        self._outdated_lenses = False
        if self._client_pulls_diagnostics:
            self._request_refresh(waiting)
            return
        for uri in sorted(waiting):
            document = self.editor.documents.get(uri)
            if document is not None:
                self._publish_diagnostics(document)

    def _publish_diagnostics(self, document: OpenDocument) -> None:
        """Publish the diagnostics of a document, including those in files that are not open."""
        by_uri = diagnostics_by_uri(self.editor, document)
        if len(self.editor.documents) > 1:
            self.editor.analysis(document)  # records which documents are imported, to notice changes in them
        before = self._published.get(document.uri, set())
        published = {uri for uri in by_uri if uri == document.uri or uri not in self.editor.documents}
        self._published[document.uri] = published
        for uri in before - published:
            self._publish(uri, [], None)
        for uri in published:
            self._publish(uri, by_uri[uri], document.version if uri == document.uri else None)

    def _publish(self, uri: str, items: list[Json], number: int | None) -> None:
        diagnostics = [self.protocol._converter.structure(item, types.Diagnostic) for item in items]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, number))

    def _request_refresh(self, uris: Iterable[str]) -> None:
        """If several documents are affected, ask the client to request diagnostics again."""
        workspace = self.client_capabilities.workspace
        if len(set(uris)) > 1 and workspace and workspace.diagnostics and workspace.diagnostics.refresh_support:
            self.workspace_diagnostic_refresh(None)

    # -- claims ------------------------------------------------------------------------------------

    def _on_code_lens(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return the code lenses of a task: its claims, or a note that they are being proved."""
        document = self.editor.documents.get(params.text_document.uri)
        at = claims_span(self.editor, document) if document is not None and self._proofs_enabled else None
        if document is None or at is None:
            return []
        claims = self._claims.get(document.uri)
        if claims is None:
            self._prove(document)
            if not self._client_refreshes_lenses:  # the client will resolve each lens later, and wait for it
                return [types.CodeLens(_range(range_of(at)), data={"uri": document.uri})]
        return [self.protocol._converter.structure(lens, types.CodeLens) for lens in lenses(at, claims, document.uri)]

    @property
    def _client_refreshes_lenses(self) -> bool:
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
            titles = "" if claims is None else " · ".join(x["command"]["title"] for x in lenses(NOWHERE, claims))
            lens.command = types.Command(title=titles, command="")
            return lens

        return resolve

    def _prove(self, document: OpenDocument) -> None:
        """Start to prove a task's claims in the worker, if it is not already doing so."""
        if document.uri not in self._proofs:
            proof = asyncio.get_running_loop().create_task(self._prove_after_pause(document))
            self._proofs[document.uri] = proof

    async def _prove_after_pause(self, document: OpenDocument) -> Json:
        try:
            await asyncio.sleep(PROOF_DELAY_S)
            claims = await self._worker.run_action(
                "claims", document.path, self._open_texts(), {"seconds": self._seconds}
            )
            self._claims[document.uri] = claims
        finally:
            if self._proofs.get(document.uri) is asyncio.current_task():
                del self._proofs[document.uri]
        if self._client_refreshes_lenses:
            self.workspace_code_lens_refresh(None)
        return claims

    def _open_texts(self) -> dict[str, str]:
        return {str(x.path): x.source.text for x in self.editor.documents.values() if x.is_planspec}

    def _forget_claims(self, uris: Iterable[str]) -> None:
        """Drop the claims about changed documents, and cancel proofs in progress."""
        for uri in uris:
            self._claims.pop(uri, None)
            proof = self._proofs.pop(uri, None)
            if proof is not None:
                proof.cancel()

    def _command_handler(self, command: str) -> Callable[[Any], Any]:
        """Return a handler that runs a command in the worker and asks the editor to apply the result."""

        async def handler(argument: Any = None) -> Any:
            params: Json = self.protocol._converter.unstructure(argument) or {}
            document = self.editor.documents.get(str(params.get("uri")))
            if document is None:
                raise JsonRpcInvalidParams(f"`{command}` takes the address of an open task")
            params["seconds"] = self._seconds
            result = await self._worker.run_action(COMMANDS[command], document.path, self._open_texts(), params)
            return await self._apply(document, result)

        return handler

    async def _apply(self, document: OpenDocument, result: Json) -> Json:
        """Ask the editor to apply the worker's result, and show a message to the user."""
        if "error" in result:
            self._show_message(result["error"], types.MessageType.Warning)
            return result
        text = result.get("text")
        if text is not None and self.editor.documents.get(document.uri) is not document:
            self._show_message("the text has changed meanwhile: nothing was written", types.MessageType.Warning)
            return {"error": "the text has changed meanwhile"}
        if text is not None:
            uri, before = document.uri, document.source.text
            if "file" in result:
                uri, before = self.editor.uri(result["file"]), _file_text(result["file"])
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
    return types.Range(types.Position(start["line"], start["character"]), types.Position(end["line"], end["character"]))


def _is_shared_document(path: Path) -> bool:
    """Return whether a file is of a kind that other documents can import."""
    return any(path.name.endswith((f"{kind}.yaml", f"{kind}.yml")) for kind in SHARED_KINDS)


class OversizedMessageError(PlanspecError, ValueError):
    """The client announces a message larger than the limit."""


class _MessageReader(io.BufferedReader):
    """Reader of client messages of limited size."""

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


def _is_worth_logging(record: logging.LogRecord) -> bool:
    """Return whether a log record is about a fault of planspec or a malformed message of the client.

    A record about a malformed message is shortened to one line. A request with invalid parameters is not logged,
    because the client receives the reason.
    """
    error = None if record.exc_info is None else record.exc_info[1]
    if error is None:
        # Records with several lines are tracebacks of errors, which another record reports as well.
        return "\n" not in record.getMessage()
    if isinstance(error, JsonRpcInvalidParams):
        return False
    if not any(_PACKAGE_FOLDER in Path(frame.f_code.co_filename).parents for frame, _ in walk_tb(error.__traceback__)):
        reason = next(iter(str(error).splitlines()), "")
        record.msg = f"a message of the client cannot be read: {type(error).__name__}: {reason}"[:MOST_LINE]
        record.args, record.exc_info, record.exc_text = (), None, None
    return True


def serve() -> None:
    """Run the server over standard input and output until the client disconnects.

    Other output goes to standard error.

    Raises:
        OversizedMessageError: a message is larger than the limit.
    """
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    messages = _MessageReader(io.FileIO(os.dup(sys.stdin.fileno())))
    for module in (JsonRPCProtocol, LanguageServerProtocol, JsonRPCServer, StdinAsyncReader):
        logging.getLogger(module.__module__).addFilter(_is_worth_logging)
    with redirect_stdout(sys.stderr):
        PlanspecServer().start_io(messages, out)
