"""Handlers of the protocol's requests about open documents, by method. They take and return JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from planspec.live.language import (
    actions,
    completion,
    diagnostics,
    formatting,
    highlighting,
    hints,
    hover,
    navigation,
    outline,
    renaming,
    signatures,
)
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import offset_of, span_of
from planspec.live.language.shapes import Json, Position

RequestHandler: TypeAlias = Callable[[EditorState, OpenDocument, Json], Any]
"""Function of the editor's state, the document and the request's parameters. It returns the result."""


def handle_request(editor: EditorState, method: str, params: Json) -> Any:
    """Return the result of a request.

    Args:
        editor: state of the editor.
        method: method of the request, such as `textDocument/hover`.
        params: parameters in the protocol's shape.

    Raises:
        KeyError: the method is not supported.
        DocumentNotOpenError: the document is not open.
    """
    return METHODS[method](editor, editor.document(params["textDocument"]["uri"]), params)


def _handle_diagnostic(editor: EditorState, document: OpenDocument, _: Json) -> Json:
    by_uri = diagnostics.diagnostics_by_uri(editor, document)
    own = by_uri.pop(document.uri)
    report: Json = {"kind": "full", "items": own}
    related = {uri: {"kind": "full", "items": items} for uri, items in by_uri.items() if uri not in editor.documents}
    if related:
        report["relatedDocuments"] = related
    return report


def _handle_references(editor: EditorState, document: OpenDocument, params: Json) -> Any:
    with_declarations = params.get("context", {}).get("includeDeclaration", True)
    return navigation.references(editor, document, params["position"], with_declarations=with_declarations)


def _handle_code_action(editor: EditorState, document: OpenDocument, params: Json) -> Any:
    return actions.actions(editor, document, params["range"], params.get("context", {}).get("diagnostics", []))


def _handle_selection_range(editor: EditorState, document: OpenDocument, params: Json) -> Any:
    return outline.selection_ranges(editor, document, [offset_of(document.source, x) for x in params["positions"]])


def _position_handler(function: Callable[[EditorState, OpenDocument, Position], Any]) -> RequestHandler:
    """Turn a function of a position into a handler."""
    return lambda editor, document, params: function(editor, document, params["position"])


def _document_handler(function: Callable[[EditorState, OpenDocument], Any]) -> RequestHandler:
    """Turn a function of a document into a handler that ignores the other parameters."""
    return lambda editor, document, _: function(editor, document)


METHODS: Mapping[str, RequestHandler] = {
    "textDocument/diagnostic": _handle_diagnostic,
    "textDocument/hover": _position_handler(hover.hover),
    "textDocument/completion": _position_handler(completion.complete),
    "textDocument/signatureHelp": _position_handler(signatures.signature),
    "textDocument/definition": _position_handler(navigation.definition),
    "textDocument/typeDefinition": _position_handler(navigation.type_definition),
    "textDocument/references": _handle_references,
    "textDocument/documentHighlight": _position_handler(navigation.highlights),
    "textDocument/prepareRename": _position_handler(renaming.prepare_rename),
    "textDocument/rename": lambda editor, document, params: renaming.rename(
        editor, document, params["position"], params["newName"]
    ),
    "textDocument/documentSymbol": _document_handler(outline.outline),
    "textDocument/foldingRange": _document_handler(outline.folding_ranges),
    "textDocument/selectionRange": _handle_selection_range,
    "textDocument/semanticTokens/full": _document_handler(highlighting.semantic_tokens),
    "textDocument/semanticTokens/range": lambda editor, document, params: highlighting.semantic_tokens(
        editor, document, span_of(document.source, params["range"])
    ),
    "textDocument/inlayHint": lambda editor, document, params: hints.hints(editor, document, params["range"]),
    "textDocument/codeAction": _handle_code_action,
    "textDocument/formatting": _document_handler(formatting.formatting),
}
"""Handlers of requests about one open document, by method."""
