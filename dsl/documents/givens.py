"""Givens of a task: values for the parameters of its libraries, and its own parameters."""

from __future__ import annotations

from typing import Any

from planspec.dsl.check.names import Names
from planspec.dsl.check.type_rules import type_with_article
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.suggestions import most_similar
from planspec.dsl.documents.declarations import DeclarationCollector
from planspec.dsl.model.types import ListType, ScalarType, Special, Type
from planspec.dsl.model.values import guess_type
from planspec.dsl.structure.document import Document
from planspec.dsl.tables.cells import Cell, Reader, UnreadableCellError, cell_of, is_cell
from planspec.dsl.yaml.reader import Mapping, Node
from planspec.dsl.yaml.reader import Scalar as Word


def read_givens(document: Document, declarations: DeclarationCollector, names: Names, report: Report) -> dict[str, Any]:
    """Return the value of every given (parameter of the task) by name.

    A given that no library declares has the type of its literal.
    """
    section = document.sections.get("given")
    if (
        section is not None
        and not isinstance(section, Mapping)
        and not (isinstance(section, Word) and not section.text)
    ):
        report.error("PS011", "`given` must be a mapping", section.span, "not a mapping")
        names.unsure = True
    entries = section.entries if isinstance(section, Mapping) else ()
    task_names = {key.text for key, _ in entries}
    reader = Reader(names, report)
    values: dict[str, Any] = {}
    suspects: set[str] = set()  # givens with a probably misspelt key, which are not also reported as missing
    for key, node in entries:
        if key.text not in names.givens:
            near = _misspelled_given(key, names, task_names)
            if near is not None:
                report.error(
                    "PS201",
                    f"no library has a given `{key.text}`",
                    key.span,
                    "unknown given",
                    help=f"did you mean `{near}`?",
                )
                suspects.add(near)
                continue
            _declare(key, node, declarations, names, report)
        given = names.givens.get(key.text)
        if given is not None and given.type is not Special.WRONG:
            _read_value(key, node, names, reader, report, values)
    for name, given in names.givens.items():
        if name in task_names or name in values:
            continue
        if given.has_default:
            values[name] = given.default
        elif given.optional or given.type is Special.WRONG:
            values[name] = None
        elif not names.unsure and name not in suspects:
            blanks = {} if document.record is None else document.record.blanks
            place, label = blanks.get(name, (document.key_span("given"), f"`{name}` is missing"))
            report.error(
                "PS409",
                f"the task gives `{name}` no value",
                place,
                label,
                help=f"it is {type_with_article(given.type)}: write `{name}: ...` under `given:`"
                + (" of what the tasks share, for records without one" if document.record is not None else ""),
            )
    return values


def _misspelled_given(key: Word, names: Names, task_names: set[str]) -> str | None:
    """Return the given whose name a key probably misspells; None if there is none.

    Only givens of libraries without a value in the task are considered.
    """
    if key.text in names.places:
        return None
    return most_similar(key.text, [name for name in names.givens if name not in task_names])


def _declare(key: Word, node: Node, declarations: DeclarationCollector, names: Names, report: Report) -> None:
    """Declare a given that no library declares."""
    if names.unsure:
        names.broken.add(key.text)  # an unreadable library may declare the given, so its type is unknown
        return
    type_ = _guess_type(node) if is_cell(node) else Special.WRONG
    if type_ in (Special.NONE, Special.EMPTY):
        report.error("PS315", f"the type of `{key.text}` cannot be determined", node.span, type_with_article(type_))
        type_ = Special.WRONG
    declarations.declare_given(key, type_)
    if type_ is Special.WRONG:
        names.broken.add(key.text)


def _read_value(key: Word, node: Node, names: Names, reader: Reader, report: Report, values: dict[str, Any]) -> None:
    given = names.givens[key.text]
    if not is_cell(node):
        report.error("PS016", f"`{key.text}` is {type_with_article(given.type)}, not a mapping", node.span, "a mapping")
        return
    cell = cell_of(node)
    if cell.value is None or (cell.value == "none" and (given.optional or given.type is not ScalarType.TEXT)):
        if given.optional:
            values[key.text] = None
        else:
            report.error(
                "PS016",
                f"`{key.text}` is never none",
                node.span if cell.value else key.span,
                "a value is needed",
            )
        return
    try:
        values[key.text] = reader.value(given.type, cell, key.text)
    except UnreadableCellError:
        return


def _guess_type(node: Node) -> Type:
    cell = cell_of(node)
    if isinstance(cell.value, tuple):
        items = cell.value
        if not items:
            return Special.EMPTY
        kinds = {guess_type(item.value) if isinstance(item.value, str) else ScalarType.TEXT for item in items}
        return ListType(kinds.pop() if len(kinds) == 1 else ScalarType.TEXT)
    return _guess_word_type(node, cell)


def _guess_word_type(node: Node, cell: Cell) -> Type:
    if not isinstance(cell.value, str) or not isinstance(node, Word):
        return Special.NONE
    if node.style != "plain":
        return ScalarType.TEXT
    return Special.NONE if cell.value == "none" else guess_type(cell.value)
