"""A document and all that it uses, what is used first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.workspace.document import Document
from planspec.dsl.workspace.sections import texts
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Scalar


@dataclass(slots=True)
class Imports:
    """Documents in the order in which their declarations count.

    Attributes:
        libraries: every library that is named was found.
        worlds: every world that is named was found.
    """

    documents: list[Document] = field(default_factory=list)
    libraries: bool = True
    worlds: bool = True


def resolve_imports(document: Document, workspace: Workspace, report: Report) -> Imports:
    """A document and all that it uses; what cannot be found is reported once."""
    made = Imports()
    open_: list[tuple[Document, Iterator[tuple[Scalar, str]]]] = [(document, _needs(document, made, report))]
    seen = {id(document)}
    while open_:
        found, needs = open_[-1]
        word, kind = next(needs, (None, ""))
        if word is None:
            open_.pop()
            made.documents.append(found)
            continue
        other = workspace.resolve(word, kind, found, report)
        if other is None:
            made.libraries = made.libraries and kind != "library"
            made.worlds = made.worlds and kind != "world"
        elif any(waiting is other for waiting, _ in open_):
            report.error("PS018", f"`{other.id}` uses itself", word.span, "a circle of documents")
        elif id(other) not in seen:
            seen.add(id(other))
            open_.append((other, _needs(other, made, report)))
    return made


def _needs(document: Document, made: Imports, report: Report) -> Iterator[tuple[Scalar, str]]:
    """The documents that one names, with the kind that each has to be."""
    before = len(report.diagnostics)
    needed = [(word, "library") for word in texts(document.sections.get("uses"), "`uses`", report)]
    made.libraries = made.libraries and len(report.diagnostics) == before
    world = document.sections.get("world")
    if isinstance(world, Scalar) and world.text:
        needed.append((world, "world"))
    elif world is not None:
        report.error("PS011", "`world` names one world", world.span, "not a name")
        made.worlds = False
    return iter(needed)
