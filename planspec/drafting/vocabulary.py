"""Names that a model may use, as text for prompts: types, tables, givens, rules and rows."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.drafting.bases import Base
from planspec.drafting.extraction import section_texts
from planspec.dsl.check.checker import Checker
from planspec.dsl.check.names import Names
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.checking import check_leniently
from planspec.dsl.documents.documents import check_document
from planspec.dsl.model.types import ListType, RowType, SetType, Type
from planspec.dsl.structure.document import Document, document
from planspec.dsl.workspace.imports import resolve_imports
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.source_files import source_from_text

SHOWN = ("types", "tables", "given", "plan", "scope", "define", "constraints")
"""Sections of libraries that prompts show."""
HIDDEN = ("uses", "world", "environment")
"""Fixed sections that prompts leave out.

If the model writes only values of givens, prompts also leave out tables and scope, which may depend on these values.
"""
MOST_ROWS = 80
"""Maximum number of rows listed by name for each table."""
MOST_CHARACTERS = 60_000
"""Maximum total number of characters of a library's sections in prompts."""


def vocabulary(base: Base, workspace: Workspace) -> str:
    """Return the libraries and fixed tables of a draft, the names of rows, and the givens to set.

    Raises:
        DiagnosticError: a library or the world cannot be read.
    """
    report = Report()
    opened = document(source_from_text(base.text({}), base.path.name), base.path, report)
    report.stop_if_failed()
    assert opened is not None
    _require_imports(opened, workspace)
    checked = check_leniently(opened, workspace, Checker)
    libraries = [used for used in checked.documents if used.kind == "library"]
    parts = [text for used in libraries for text in _sections_shown(used)]
    hidden = {*HIDDEN, *(("tables", "scope") if base.part == "values" else ())}
    parts += [text for name, text in base.quoted.items() if name not in hidden]
    parts += list(_row_names(checked.names, base))
    if base.givens:
        parts.append(f"# set these givens, by these names and types: {base.givens}\n")
    return "".join(parts)


def has_scope(base: Base, workspace: Workspace) -> bool:
    """Return whether a library or a fixed section has a scope."""
    opened = document(source_from_text(base.text({}), base.path.name), base.path, Report())
    used = () if opened is None else check_leniently(opened, workspace, Checker).documents
    return any("scope" in each.sections for each in used)


def _require_imports(opened: Document, workspace: Workspace) -> None:
    """Check the libraries and the world of a draft.

    Raises:
        DiagnosticError: one of them does not exist, or has errors.
    """
    report = Report()
    for used in resolve_imports(opened, workspace, report).documents:
        if used is not opened:
            check_document(used, workspace, report)
    report.stop_if_failed()


def _sections_shown(used: Document) -> Iterator[str]:
    room = MOST_CHARACTERS
    for name, text in section_texts(used.root):
        if name in SHOWN:
            yield text if len(text) <= room else f"{text[:room]}\n# ... and more\n"
            room = max(0, room - len(text))


def _row_names(names: Names, base: Base) -> Iterator[str]:
    """Yield a line for each table that is the type of a given, with the names of its rows."""
    referred = {row.table for given in names.givens.values() for row in _row_types(given.type)}
    for name, facts in names.facts.items():
        if name in referred and base.part == "values":
            keys = [", ".join(map(str, key)) for key in list(facts.by_key)[: MOST_ROWS + 1]]
            more = ", ..." if len(keys) > MOST_ROWS else ""
            yield f"# rows of {name}: {'; '.join(keys[:MOST_ROWS])}{more}\n"


def _row_types(type_: Type) -> Iterator[RowType]:
    match type_:
        case RowType():
            yield type_
        case SetType() | ListType():
            yield from _row_types(type_.item)
        case _:
            pass
