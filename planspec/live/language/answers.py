"""Requests of the protocol, by their names, answered from open documents: JSON in, JSON out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from planspec.live.language import diagnostics, hover, navigation
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.shapes import Json

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
        NotOpen: it is about a document that is not open.
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


METHODS: Mapping[str, Answer] = {
    "textDocument/diagnostic": _diagnostic,
    "textDocument/hover": lambda desk, document, params: hover.hover(desk, document, params["position"]),
    "textDocument/definition": lambda desk, document, params: navigation.definition(
        desk, document, params["position"]
    ),
    "textDocument/typeDefinition": lambda desk, document, params: navigation.type_definition(
        desk, document, params["position"]
    ),
    "textDocument/references": _references,
    "textDocument/documentHighlight": lambda desk, document, params: navigation.highlights(
        desk, document, params["position"]
    ),
}
"""The requests about one open document."""
