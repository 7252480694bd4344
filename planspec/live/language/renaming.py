"""Renaming of a symbol in all documents. It is refused if a mention would change its meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from os.path import realpath
from pathlib import Path

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS, TYPE_WORDS
from planspec.dsl.diagnostics.diagnostic import Severity
from planspec.dsl.documents.declarations import is_name
from planspec.dsl.workspace.shards import is_shard
from planspec.dsl.yaml.reader import Mapping, Scalar
from planspec.errors import PlanspecError
from planspec.live.language.analysis import Analysis
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.navigation import Mention, mention_at, mentions_of
from planspec.live.language.positions import apply_edits, range_of
from planspec.live.language.shapes import Json, Position, TextEdit, WorkspaceEdit
from planspec.live.language.symbols import Occurrence, Symbol

LOOSE_NAME = re.compile(r"[^\s,\[\]{}#:\"'][^\s,\[\]{}#:\"']*")
"""Valid names for symbols of the kinds in `KINDS_OUTSIDE_EXPRESSIONS`."""
KINDS_OUTSIDE_EXPRESSIONS = ("constraint", "case", "show", "tool", "setting", "brief")
"""Kinds of symbols that cannot occur in expressions."""


class RenameRefusedError(PlanspecError):
    """The symbol cannot be renamed, or the new name is not possible."""


def prepare_rename(editor: EditorState, document: OpenDocument, position: Position) -> Json | None:
    """Return the range of the name at a position; None if there is no name.

    Raises:
        RenameRefusedError: the name was not chosen by the author, such as the name of a builtin.
    """
    match = _renamable_mention_at(editor, document, position)
    if match is None:
        return None
    analysis, occurrence = match
    _check_ownership(editor, analysis, occurrence.symbol)
    return {"range": range_of(occurrence.span), "placeholder": occurrence.symbol.name}


def rename(editor: EditorState, document: OpenDocument, position: Position, name: str) -> WorkspaceEdit:
    """Return the edits that rename the symbol at a position.

    Raises:
        RenameRefusedError: the name is invalid or in use, or the meaning of a document would change.
    """
    match = _renamable_mention_at(editor, document, position)
    if match is None:
        raise RenameRefusedError("no name here can be renamed")
    analysis, occurrence = match
    symbol = occurrence.symbol
    _check_ownership(editor, analysis, symbol)
    _check_name(symbol, name)
    if name == symbol.name:
        return {"changes": {}}
    mentions = list(mentions_of(editor, analysis, symbol))
    for mention in mentions:
        _check_answers(mention.analysis, symbol)
    by_file: dict[str, tuple[Analysis, list[Occurrence]]] = {}
    for mention in mentions:
        by_file.setdefault(_file_name(mention), (mention.analysis, []))[1].append(mention.occurrence)
    edits = {
        file: (one, [TextEdit(range=range_of(x.span), newText=name) for x in occurrences])
        for file, (one, occurrences) in by_file.items()
    }
    _check_meaning(editor, edits.values(), symbol, name)
    return {"changes": {editor.uri(one.source.name): edits_ for one, edits_ in edits.values()}}


def _renamable_mention_at(
    editor: EditorState, document: OpenDocument, position: Position
) -> tuple[Analysis, Occurrence] | None:
    if is_shard(document.path):
        raise RenameRefusedError("names in a file of many tasks cannot be renamed")
    return mention_at(editor, document, position)


def _file_name(mention: Mention) -> str:
    return mention.analysis.source.name


def _check_ownership(editor: EditorState, analysis: Analysis, symbol: Symbol) -> None:
    if symbol.kind == "builtin":
        raise RenameRefusedError(f"`{symbol.name}` is a builtin function")
    if symbol.kind == "document":
        raise RenameRefusedError(
            f"`{symbol.name}` is the id of a document, by which commands, suites and records name it"
        )
    declared = editor.declaration(symbol, analysis)
    if declared is None:
        raise RenameRefusedError(f"`{symbol.name}` is not declared in any document")
    if declared.source is analysis.source:
        return
    file = Path(realpath(Path.cwd() / declared.source.name))
    opened = any(Path(realpath(document.path)) == file for document in editor.documents.values())
    if not opened and not any(Path(realpath(folder)) in file.parents for folder in editor.folders):
        raise RenameRefusedError(
            f"`{symbol.name}` is declared in `{declared.source.name}`, which is not a file of this project"
        )


def _check_name(symbol: Symbol, name: str) -> None:
    if symbol.kind in KINDS_OUTSIDE_EXPRESSIONS:
        if LOOSE_NAME.fullmatch(name) is None:
            raise RenameRefusedError(f"`{name}` is not a name: write letters, digits, `-` and `_`")
        return
    if symbol.kind == "row":
        if not re.fullmatch(r"\w[\w-]*", name):
            raise RenameRefusedError(f"`{name}` is not a key that can be written without quotes")
        return
    if not is_name(name) or name in TYPE_WORDS:
        raise RenameRefusedError(
            f"`{name}` is not a name: write letters, digits and `_`, a letter first, and not a word of the language"
        )
    if symbol.kind in ("name", "variable", "shape") and (name in BUILTINS or name in SCALARS):
        kind = "a builtin function" if name in BUILTINS else "a built-in type"
        raise RenameRefusedError(f"`{name}` is {kind}")


def _check_answers(analysis: Analysis, symbol: Symbol) -> None:
    """Raise RenameRefusedError if an answer file may use the name, or if a family's format defines it."""
    table = symbol.owner if symbol.kind in ("column", "row") else symbol.name
    declared_table = analysis.names.tables.get(table)
    of_plan = declared_table is not None and declared_table.plan
    if symbol.kind not in ("name", "column", "row") or (not of_plan and symbol.kind != "row"):
        return
    family = analysis.task.family if analysis.task is not None else None
    if of_plan and family is not None:
        raise RenameRefusedError(
            f"answers in the format `{family}` are read into `{table}`, whose names the format defines"
        )
    file = _answer_file(analysis)
    if file is not None:
        raise RenameRefusedError(f"the answer in the file `{file}` uses the name and would not be changed")


def _answer_file(analysis: Analysis) -> str | None:
    """Return the first answer file that a document names, or None."""
    sections = analysis.document.sections
    reference = sections.get("reference")
    if isinstance(reference, Scalar) and reference.text.endswith(".json"):
        return reference.text
    cases = sections.get("cases")
    for _, case in cases.entries if isinstance(cases, Mapping) else ():
        for key, value in case.entries if isinstance(case, Mapping) else ():
            if key.text in ("answer", "from") and isinstance(value, Scalar) and value.text.endswith(".json"):
                return value.text
    return None


def _check_meaning(
    editor: EditorState, edits: Iterable[tuple[Analysis, list[TextEdit]]], symbol: Symbol, name: str
) -> None:
    """Raise RenameRefusedError if edits cause an error or make a mention refer to another symbol.

    Args:
        editor: open documents.
        edits: analyses of the documents, each with its edits.
        symbol: symbol that is renamed.
        name: new name.
    """
    edits = list(edits)
    new_editor = EditorState(folders=editor.folders)
    for document in editor.documents.values():
        new_editor.open(document.uri, document.source.text)
    for analysis, edits_ in edits:
        new_editor.open(editor.uri(analysis.source.name), apply_edits(analysis.source, edits_))
    for analysis, edits_ in edits:
        uri = editor.uri(analysis.source.name)
        new_document = new_editor.documents[uri]
        old_errors = _error_count(editor, analysis)
        wrong = [x for x in new_editor.check(new_document) if x.severity is Severity.ERROR]
        if len(wrong) > old_errors:
            first = wrong[0]
            other = first.secondary[0] if first.secondary else first.primary
            where = f"{other.span.source.name}:{other.span.line}"
            detail = f"{other.text}, {where}" if first.secondary else where
            raise RenameRefusedError(f"`{name}` cannot be the name: {first.message} ({detail})")
        new_analysis = new_editor.analysis(new_document)
        if new_analysis is None or not _keeps_meaning(
            editor, analysis, new_editor, new_analysis, len(edits_), symbol, name
        ):
            raise RenameRefusedError(
                f"`{name}` cannot be the name: something else in `{analysis.source.name}` has it already"
            )


def _error_count(editor: EditorState, analysis: Analysis) -> int:
    path = analysis.document.path
    assert path is not None
    opened = editor.documents.get(editor.uri(analysis.source.name))
    diagnostics = editor.check(opened) if opened is not None else editor.check_file(path)
    return sum(x.severity is Severity.ERROR for x in diagnostics)


def _keeps_meaning(
    editor: EditorState,
    old_analysis: Analysis,
    new_editor: EditorState,
    new_analysis: Analysis,
    edit_count: int,
    symbol: Symbol,
    name: str,
) -> bool:
    """Return whether all mentions in a document refer to the same symbols before and after `edit_count` edits."""
    renamed = [x for x in new_analysis.occurrences if x.symbol.name == name and x.symbol.kind == symbol.kind]
    if len(old_analysis.occurrences) != len(new_analysis.occurrences) or len(renamed) < edit_count:
        return False
    return all(
        _is_same_mention(editor, old_analysis, old_mention, new_editor, new_analysis, new_mention, symbol, name)
        for old_mention, new_mention in zip(old_analysis.occurrences, new_analysis.occurrences, strict=True)
    )


def _is_same_mention(
    editor: EditorState,
    old_analysis: Analysis,
    old_mention: Occurrence,
    new_editor: EditorState,
    new_analysis: Analysis,
    new_mention: Occurrence,
    symbol: Symbol,
    name: str,
) -> bool:
    if old_mention.symbol.kind != new_mention.symbol.kind or old_mention.declares != new_mention.declares:
        return False
    expected = name if old_mention.symbol == symbol else old_mention.symbol.name
    if new_mention.symbol.name != expected:
        return False
    old_place, new_place = (
        editor.declaration(old_mention.symbol, old_analysis),
        new_editor.declaration(new_mention.symbol, new_analysis),
    )
    if old_place is None or new_place is None:
        return old_place is new_place
    return old_place.source.name == new_place.source.name and old_place.line == new_place.line
