"""Requests of the protocol by name, answered from open documents: JSON in, JSON out."""

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
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.positions import offset_of, span_of
from planspec.live.language.shapes import Json, Position

Answer: TypeAlias = Callable[[EditorDesk, OpenDocument, Json], Any]
"""Function that answers a request about an open document, given the request's parameters."""


def answer(desk: EditorDesk, method: str, params: Json) -> Any:
    """Return the result of a request.

    Args:
        desk: open documents.
        method: name of the request, such as `textDocument/hover`.
        params: parameters in the protocol's shape.

    Raises:
        KeyError: the method is not supported.
        DocumentNotOpenError: the document is not open.
    """
    return METHODS[method](desk, desk.document(params["textDocument"]["uri"]), params)


def _diagnostic(desk: EditorDesk, document: OpenDocument, _: Json) -> Json:
    by_uri = diagnostics.by_document(desk, document)
    own = by_uri.pop(document.uri)
    report: Json = {"kind": "full", "items": own}
    related = {
        uri: {"kind": "full", "items": items} for uri, items in by_uri.items() if uri not in desk.documents
    }
    if related:
        report["relatedDocuments"] = related
    return report


def _references(desk: EditorDesk, document: OpenDocument, params: Json) -> Any:
    declaration = params.get("context", {}).get("includeDeclaration", True)
    return navigation.references(desk, document, params["position"], declaration=declaration)


def _code_action(desk: EditorDesk, document: OpenDocument, params: Json) -> Any:
    return actions.actions(desk, document, params["range"], params.get("context", {}).get("diagnostics", []))


def _selection(desk: EditorDesk, document: OpenDocument, params: Json) -> Any:
    return outline.selections(desk, document, [offset_of(document.source, x) for x in params["positions"]])


def _at(function: Callable[[EditorDesk, OpenDocument, Position], Any]) -> Answer:
    """Return the handler of a function that takes a position."""
    return lambda desk, document, params: function(desk, document, params["position"])


def _whole(function: Callable[[EditorDesk, OpenDocument], Any]) -> Answer:
    """Return the handler of a function of the whole document."""
    return lambda desk, document, _: function(desk, document)


METHODS: Mapping[str, Answer] = {
    "textDocument/diagnostic": _diagnostic,
    "textDocument/hover": _at(hover.hover),
    "textDocument/completion": _at(completion.complete),
    "textDocument/signatureHelp": _at(signatures.signature),
    "textDocument/definition": _at(navigation.definition),
    "textDocument/typeDefinition": _at(navigation.type_definition),
    "textDocument/references": _references,
    "textDocument/documentHighlight": _at(navigation.highlights),
    "textDocument/prepareRename": _at(renaming.prepare),
    "textDocument/rename": lambda desk, document, params: renaming.rename(
        desk, document, params["position"], params["newName"]
    ),
    "textDocument/documentSymbol": _whole(outline.outline),
    "textDocument/foldingRange": _whole(outline.folds),
    "textDocument/selectionRange": _selection,
    "textDocument/semanticTokens/full": _whole(highlighting.tokens),
    "textDocument/semanticTokens/range": lambda desk, document, params: highlighting.tokens(
        desk, document, span_of(document.source, params["range"])
    ),
    "textDocument/inlayHint": lambda desk, document, params: hints.hints(desk, document, params["range"]),
    "textDocument/codeAction": _code_action,
    "textDocument/formatting": _whole(formatting.formatting),
}
"""Handlers of the requests about one open document."""
