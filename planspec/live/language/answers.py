"""Requests of the protocol, by their names, answered from open documents: JSON in, JSON out."""

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
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.positions import offset_of, span_of
from planspec.live.language.shapes import Json, Position

Answer: TypeAlias = Callable[[Desk, OpenDocument, Json], Any]
"""Answers a request about an open document; takes the request's parameters."""


def answer(desk: Desk, method: str, params: Json) -> Any:
    """What the request of a method gets.

    Args:
        desk: has the documents.
        method: such as `textDocument/hover`.
        params: as the protocol has them.

    Raises:
        KeyError: there is no such method.
        DocumentNotOpenError: it is about a document that is not open.
    """
    return METHODS[method](desk, desk.document(params["textDocument"]["uri"]), params)


def _diagnostic(desk: Desk, document: OpenDocument, _: Json) -> Json:
    found = diagnostics.by_document(desk, document)
    own = found.pop(document.uri)
    made: Json = {"kind": "full", "items": own}
    related = {
        uri: {"kind": "full", "items": items} for uri, items in found.items() if uri not in desk.documents
    }
    if related:
        made["relatedDocuments"] = related
    return made


def _references(desk: Desk, document: OpenDocument, params: Json) -> Any:
    declaration = params.get("context", {}).get("includeDeclaration", True)
    return navigation.references(desk, document, params["position"], declaration=declaration)


def _code_action(desk: Desk, document: OpenDocument, params: Json) -> Any:
    return actions.actions(desk, document, params["range"], params.get("context", {}).get("diagnostics", []))


def _selection(desk: Desk, document: OpenDocument, params: Json) -> Any:
    return outline.selections(desk, document, [offset_of(document.source, x) for x in params["positions"]])


def _at(function: Callable[[Desk, OpenDocument, Position], Any]) -> Answer:
    """The answer of a function that takes a place."""
    return lambda desk, document, params: function(desk, document, params["position"])


def _whole(function: Callable[[Desk, OpenDocument], Any]) -> Answer:
    """The answer of a function of the whole document."""
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
"""The requests about one open document."""
