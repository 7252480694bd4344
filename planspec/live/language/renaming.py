"""A symbol gets another name everywhere, or nowhere: what would mean something else afterwards is refused."""

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
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.navigation import Mention, mentions_of, symbol_at
from planspec.live.language.positions import edited, range_of
from planspec.live.language.shapes import Json, Position, TextEdit, WorkspaceEdit
from planspec.live.language.symbols import Occurrence, Symbol

WORDS = re.compile(r"[^\s,\[\]{}#:\"'][^\s,\[\]{}#:\"']*")
"""Names of constraints and cases, which no expression mentions."""
FREE = ("constraint", "case", "show", "tool", "setting", "brief")
"""Kinds of symbols whose names are no names of expressions."""


class RenameRefusedError(PlanspecError):
    """A symbol cannot get another name, or not this one."""


def prepare(desk: Desk, document: OpenDocument, position: Position) -> Json | None:
    """The range of the name at a place that can be another; None where there is none.

    Raises:
        RenameRefusedError: the name is none of the author's.
    """
    found = _symbol_at(desk, document, position)
    if found is None:
        return None
    analysis, occurrence = found
    _check_ownership(desk, analysis, occurrence.symbol)
    return {"range": range_of(occurrence.span), "placeholder": occurrence.symbol.name}


def rename(desk: Desk, document: OpenDocument, position: Position, name: str) -> WorkspaceEdit:
    """The edits that give the symbol at a place another name.

    Raises:
        RenameRefusedError: the name is none, or is taken; what the documents say would be something else.
    """
    found = _symbol_at(desk, document, position)
    if found is None:
        raise RenameRefusedError("here is no name that an author chose")
    analysis, occurrence = found
    symbol = occurrence.symbol
    _check_ownership(desk, analysis, symbol)
    _check_name(symbol, name)
    if name == symbol.name:
        return {"changes": {}}
    mentions = list(mentions_of(desk, analysis, symbol))
    for mention in mentions:
        _check_answers(mention.analysis, symbol)
    by_file: dict[str, tuple[Analysis, list[Occurrence]]] = {}
    for mention in mentions:
        by_file.setdefault(_file(mention), (mention.analysis, []))[1].append(mention.occurrence)
    edits = {
        file: (one, [TextEdit(range=range_of(x.span), newText=name) for x in occurrences])
        for file, (one, occurrences) in by_file.items()
    }
    _check_meaning(desk, edits.values(), symbol, name)
    return {"changes": {desk.uri(one.source.name): made for one, made in edits.values()}}


def _symbol_at(desk: Desk, document: OpenDocument, position: Position) -> tuple[Analysis, Occurrence] | None:
    if is_shard(document.path):
        raise RenameRefusedError("in a file of many tasks nothing is renamed")
    return symbol_at(desk, document, position)


def _file(mention: Mention) -> str:
    return mention.analysis.source.name


def _check_ownership(desk: Desk, analysis: Analysis, symbol: Symbol) -> None:
    if symbol.kind == "builtin":
        raise RenameRefusedError(f"`{symbol.name}` is a builtin function")
    if symbol.kind == "document":
        raise RenameRefusedError(
            f"`{symbol.name}` is the id of a document, by which commands, suites and records name it"
        )
    declared = desk.declaration(symbol, analysis)
    if declared is None:
        raise RenameRefusedError(f"`{symbol.name}` is declared in no document that is written here")
    if declared.source is analysis.source:
        return
    file = Path(realpath(Path.cwd() / declared.source.name))
    opened = any(Path(realpath(document.path)) == file for document in desk.documents.values())
    if not opened and not any(Path(realpath(folder)) in file.parents for folder in desk.folders):
        raise RenameRefusedError(
            f"`{symbol.name}` is declared in `{declared.source.name}`, which is none of this project's files"
        )


def _check_name(symbol: Symbol, name: str) -> None:
    if symbol.kind in FREE:
        if WORDS.fullmatch(name) is None:
            raise RenameRefusedError(f"`{name}` is no name: write letters, digits, `-` and `_`")
        return
    if symbol.kind == "row":
        if not re.fullmatch(r"\w[\w-]*", name):
            raise RenameRefusedError(f"`{name}` is no key that stands without quotes")
        return
    if not is_name(name) or name in TYPE_WORDS:
        raise RenameRefusedError(
            f"`{name}` is no name: write letters, digits and `_`, a letter first, and no word of the language"
        )
    if symbol.kind in ("name", "variable", "shape") and (name in BUILTINS or name in SCALARS):
        what = "a builtin function" if name in BUILTINS else "a built-in type"
        raise RenameRefusedError(f"`{name}` is {what}")


def _check_answers(analysis: Analysis, symbol: Symbol) -> None:
    """Refuse to rename what answers in files name, or what a family's format reads answers into."""
    table = symbol.owner if symbol.kind in ("column", "row") else symbol.name
    found = analysis.names.tables.get(table)
    of_plan = found is not None and found.plan
    if symbol.kind not in ("name", "column", "row") or (not of_plan and symbol.kind != "row"):
        return
    family = analysis.task.family if analysis.task is not None else None
    if of_plan and family is not None:
        raise RenameRefusedError(
            f"answers in the format `{family}` are read into `{table}`, whose names are the format's"
        )
    named = _answer_file(analysis)
    if named is not None:
        raise RenameRefusedError(
            f"the answer `{named}` says it in a file of its own, which would not be changed"
        )


def _answer_file(analysis: Analysis) -> str | None:
    """The file of an answer that a document names."""
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
    desk: Desk, edits: Iterable[tuple[Analysis, list[TextEdit]]], symbol: Symbol, name: str
) -> None:
    """Refuse edits after which a mention means something else, or something is wrong that was right."""
    edits = list(edits)
    after = Desk(folders=desk.folders)
    for document in desk.documents.values():
        after.open(document.uri, document.source.text)
    for analysis, made in edits:
        after.open(desk.uri(analysis.source.name), edited(analysis.source, made))
    for analysis, made in edits:
        uri = desk.uri(analysis.source.name)
        new = after.documents[uri]
        old_errors = _errors(desk, analysis)
        wrong = [x for x in after.check(new) if x.severity is Severity.ERROR]
        if len(wrong) > old_errors:
            first = wrong[0]
            other = first.secondary[0] if first.secondary else first.primary
            where = f"{other.span.source.name}:{other.span.line}"
            said = f"{other.text}, {where}" if first.secondary else where
            raise RenameRefusedError(f"`{name}` cannot be the name: {first.message} ({said})")
        found = after.analysis(new)
        if found is None or not _same_meaning(desk, analysis, after, found, len(made), symbol, name):
            raise RenameRefusedError(
                f"`{name}` cannot be the name: something else in `{analysis.source.name}` has it already"
            )


def _errors(desk: Desk, analysis: Analysis) -> int:
    path = analysis.document.path
    assert path is not None
    opened = desk.documents.get(desk.uri(analysis.source.name))
    found = desk.check(opened) if opened is not None else desk.check_file(path)
    return sum(x.severity is Severity.ERROR for x in found)


def _same_meaning(
    desk: Desk, old: Analysis, after: Desk, new: Analysis, count: int, symbol: Symbol, name: str
) -> bool:
    """Each mention means after the edits what it meant before, and as many mean the renamed symbol as were edited."""
    renamed = [x for x in new.occurrences if x.symbol.name == name and x.symbol.kind == symbol.kind]
    if len(old.occurrences) != len(new.occurrences) or len(renamed) < count:
        return False
    return all(
        _alike(desk, old, before, after, new, now, symbol, name)
        for before, now in zip(old.occurrences, new.occurrences, strict=True)
    )


def _alike(
    desk: Desk,
    old: Analysis,
    before: Occurrence,
    after: Desk,
    new: Analysis,
    now: Occurrence,
    symbol: Symbol,
    name: str,
) -> bool:
    if before.symbol.kind != now.symbol.kind or before.declares != now.declares:
        return False
    expected = name if before.symbol == symbol else before.symbol.name
    if now.symbol.name != expected:
        return False
    there, here = desk.declaration(before.symbol, old), after.declaration(now.symbol, new)
    if there is None or here is None:
        return there is here
    return there.source.name == here.source.name and there.line == here.line
