"""Imports: a document with all documents that it uses, in order of dependency."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.structure.document import Document
from planspec.dsl.structure.sections import texts
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Scalar


@dataclass(slots=True)
class Imports:
    """A document and all documents that it uses, in the order of their declarations.

    Attributes:
        has_libraries: whether every named library was found.
        has_worlds: whether every named world was found.
    """

    documents: list[Document] = field(default_factory=list)
    has_libraries: bool = True
    has_worlds: bool = True


def resolve_imports(document: Document, workspace: Workspace, report: Report) -> Imports:
    """Return a document and all documents that it uses. A document that cannot be found is reported once."""
    imports = Imports()
    open_: list[tuple[Document, Iterator[tuple[Scalar, str]]]] = [(document, _needs(document, imports, report))]
    seen = {id(document)}
    while open_:
        current, needs = open_[-1]
        word, kind = next(needs, (None, ""))
        if word is None:
            open_.pop()
            imports.documents.append(current)
            continue
        other = workspace.resolve(word, kind, current, report)
        if other is None:
            imports.has_libraries = imports.has_libraries and kind != "library"
            imports.has_worlds = imports.has_worlds and kind != "world"
        elif any(waiting is other for waiting, _ in open_):
            report.error("PS018", f"`{other.id}` uses itself", word.span, "a cycle of documents")
        elif id(other) not in seen:
            seen.add(id(other))
            open_.append((other, _needs(other, imports, report)))
    return imports


def _needs(document: Document, imports: Imports, report: Report) -> Iterator[tuple[Scalar, str]]:
    """Yield the names of the documents that a document uses, with the kind that each must have."""
    before = len(report.diagnostics)
    needed = [(word, "library") for word in texts(document.sections.get("uses"), "`uses`", report)]
    imports.has_libraries = imports.has_libraries and len(report.diagnostics) == before
    world = document.sections.get("world")
    if isinstance(world, Scalar) and world.text:
        needed.append((world, "world"))
    elif world is not None:
        report.error("PS011", "`world` names one world", world.span, "not a name")
        imports.has_worlds = False
    return iter(needed)
