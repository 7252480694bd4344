"""Completions: keys of the document, names, columns, members, rows, builtins and types."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from planspec.dsl.check.builtins import BUILTINS
from planspec.dsl.check.names import SCALARS, Names
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.expectation import EXPECTATIONS
from planspec.dsl.model.types import (
    EnumType,
    ListType,
    RowType,
    ScalarType,
    SetType,
    Special,
    Table,
    Type,
)
from planspec.dsl.model.wording import PLURALS
from planspec.dsl.structure.document_keys import KINDS, PATH_SOURCES, Key
from planspec.dsl.syntax import nodes as s
from planspec.live.language.analysis import Analysis
from planspec.live.language.cursor import MARKER, SLOTS, Cursor, cursor_at
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.hover import type_text
from planspec.live.language.places import DocumentPart
from planspec.live.language.positions import offset_of, range_of
from planspec.live.language.recording import ExpressionCheck
from planspec.live.language.shapes import Json, Position, markdown

MOST_COMPLETIONS = 300
"""Maximum number of completions. Those that start with the typed word take precedence."""
INLINE_KINDS = (
    "word",
    "id",
    "version",
    "currency",
    "flag",
    "weight",
    "count",
    "expression",
    "binder",
    "type",
    "text",
    "words",
    "objectives",
    "expressions",
    "binders",
    "shown names",
    "answer",
    "domain",
    "cell",
    "phrases",
)
"""Kinds of values that are written on the same line as their key. Others begin on the next line."""
ITEM_KINDS = {
    "method": 2,
    "function": 3,
    "field": 5,
    "variable": 6,
    "class": 7,
    "module": 9,
    "property": 10,
    "value": 12,
    "enum": 13,
    "keyword": 14,
    "file": 17,
    "member": 20,
    "constant": 21,
    "struct": 22,
}
OPERATORS = ("and", "or", "not", "implies", "in", "is", "is not", "if", "else", "for")
FLAGS = ("true", "false")


@dataclass(frozen=True, slots=True)
class CompletionOffer:
    """One completion.

    Attributes:
        kind: key of `ITEM_KINDS`.
        detail: type or kind, shown beside the label.
        rank: sort rank. The lowest comes first.
        text: inserted text if it differs from the label. `$0` marks the position of the cursor afterwards.
    """

    label: str
    kind: str
    detail: str = ""
    doc: str = ""
    rank: int = 5
    text: str = ""


def complete(editor: EditorState, document: OpenDocument, position: Position) -> Json:
    """Return the completions at a position."""
    offset = offset_of(document.source, position)
    if not document.is_planspec and document.source.text.strip():
        return {"isIncomplete": False, "items": []}
    cursor = cursor_at(editor, document, offset)
    if cursor is not None and cursor.path == ("planspec",):
        start, offers = cursor.start, [CompletionOffer(f"{kind}/1", "keyword", f"a {kind}") for kind in KINDS]
    elif cursor is None or cursor.analysis is None:
        start = offset - len(_word_before(document.source.text, offset))
        offers = _invalid_yaml_offers(document, offset)
    else:
        start, offers = cursor.start, list(_offers(editor, cursor, document))
    typed = document.source.text[start:offset]
    span = Span(document.source, start, offset)
    return _completion_list(_best_by_label(offers), typed, span)


def _invalid_yaml_offers(document: OpenDocument, offset: int) -> list[CompletionOffer]:
    """Return completions in invalid YAML: possible first lines of a document, or names from the last valid text."""
    text = document.source.text
    if not text[:offset].strip() or text[:offset].strip() in "planspec:":
        return [CompletionOffer(f"planspec: {kind}/1", "keyword", f"a {kind}") for kind in KINDS]
    analysis = document.last_valid_analysis
    return [] if analysis is None else [*_global_name_offers(analysis.names), *_builtin_offers()]


def _word_before(text: str, offset: int) -> str:
    start = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_:"):
        start -= 1
    return text[start:offset]


def _best_by_label(offers: Iterable[CompletionOffer]) -> list[CompletionOffer]:
    by_label: dict[str, CompletionOffer] = {}
    for offer in offers:
        existing = by_label.get(offer.label)
        if existing is None or offer.rank < existing.rank:
            by_label[offer.label] = offer
    return list(by_label.values())


def _completion_list(offers: list[CompletionOffer], typed: str, span: Span) -> Json:
    matching = [offer for offer in offers if _matches(offer.label, typed) and MARKER not in offer.label]
    matching.sort(key=lambda x: (not x.label.startswith(typed), x.rank))
    is_cut = len(matching) > MOST_COMPLETIONS
    return {
        "isIncomplete": is_cut,
        "items": [_completion_item(offer, span) for offer in matching[:MOST_COMPLETIONS]],
    }


def _matches(label: str, typed: str) -> bool:
    """Return whether the label contains the typed letters in this order, not necessarily adjacent."""
    letters = iter(label.lower())
    return all(letter in letters for letter in typed.lower())


def _completion_item(offer: CompletionOffer, span: Span) -> Json:
    snippet = "$0" in offer.text
    item: Json = {
        "label": offer.label,
        "kind": ITEM_KINDS[offer.kind],
        "sortText": f"{offer.rank}{offer.label}",
        "textEdit": {"range": range_of(span), "newText": offer.text or offer.label},
    }
    if offer.detail:
        item["detail"] = offer.detail
    if offer.doc:
        item["documentation"] = markdown(offer.doc)
    if snippet:
        item["insertTextFormat"] = 2
    return item


# -- by part ----------------------------------------------------------------------------------------------


def _offers(editor: EditorState, cursor: Cursor, document: OpenDocument) -> Iterator[CompletionOffer]:
    part, analysis = cursor.part, cursor.analysis
    assert analysis is not None
    if part is None:
        yield from _answer_offers(cursor, analysis)
        return
    if cursor.is_key:
        yield from _key_offers(cursor, analysis)
    if not cursor.is_value:
        return
    slot = SLOTS.get(part.scalar_kind)
    match slot:
        case None if cursor.check is not None or cursor.dotted is not None:  # in a placeholder of a message
            yield from _expression_offers(cursor, analysis)
        case None:
            yield from _value_offers(editor, cursor, document)
        case "column":
            yield from _type_offers(analysis.names)
        case "signature" | "type":
            return
        case "expression" | "domain" | "binder":
            yield from _expression_offers(cursor, analysis)
            if part.holds == "type":
                yield from _type_offers(analysis.names)


def _key_offers(cursor: Cursor, analysis: Analysis) -> Iterator[CompletionOffer]:
    part = cursor.part
    assert part is not None
    for key in part.keys.values():
        if key.name not in cursor.siblings and key.name != "planspec":
            yield _key_offer(key)
    names = analysis.names
    table = names.tables.get(part.table or "")
    match part.holds:
        case "scope rows" | "one table's rows" | "row patterns" | "column map" if table is not None:
            yield from _cell_key_offers(table, cursor.siblings, 2)
        case "one table" if table is not None and cursor.is_value:
            return
        case "scope":
            yield from (
                CompletionOffer(x.name, "struct", "table of the plan", rank=1, text=f"{x.name}:$0")
                for x in names.tables.values()
                if x.plan and x.name not in cursor.siblings
            )
        case "table rows" | "table rows or schemas":
            yield from (
                CompletionOffer(x.name, "struct", "table of facts", rank=1, text=f"{x.name}:$0")
                for x in names.tables.values()
                if not x.plan and x.name not in cursor.siblings
            )
        case "cells" if cursor.path[-1:] == ("given",):
            for given in names.givens.values():
                if given.name not in cursor.siblings:
                    detail = type_text(given.type, optional=given.optional)
                    yield CompletionOffer(given.name, "variable", detail, rank=1, text=f"{given.name}: $0")
        case "phrases by name" | "phrase groups" | "word forms":
            yield from _worded_name_offers(part, cursor.path[-1:] == ("rules",), analysis)
        case "quotations":
            named = [*names.givens, *(x.name for x in names.tables.values() if not x.plan)]
            yield from (CompletionOffer(name, "variable", rank=1, text=f"{name}: $0") for name in named)
        case _:
            return


def _worded_name_offers(part: DocumentPart, are_rules: bool, analysis: Analysis) -> Iterator[CompletionOffer]:
    """Yield the givens, tables or rules that a section of a wording document can describe."""
    names = analysis.names
    if part.holds == "phrases by name":
        for given in names.givens.values():
            detail = type_text(given.type, optional=given.optional)
            yield CompletionOffer(given.name, "variable", detail, rank=1, text=f"{given.name}: $0")
    elif are_rules:
        yield from (
            CompletionOffer(name, "constant", rank=1, text=f"{name}: $0") for name in dict.fromkeys(analysis.rules)
        )
    else:
        tables = [table.name for table in names.tables.values() if not table.plan]
        named = [*names.enums, *tables] if part.holds == "word forms" else tables
        yield from (CompletionOffer(name, "struct", rank=1, text=f"{name}:$0") for name in named)


def _key_offer(key: Key) -> CompletionOffer:
    text = f"{key.name}: $0" if key.holds in INLINE_KINDS else f"{key.name}:$0"
    return CompletionOffer(key.name, "property", key.holds, key.doc, rank=2, text=text)


def _cell_key_offers(table: Table, siblings: frozenset[str], rank: int) -> Iterator[CompletionOffer]:
    for column in table.columns.values():
        if column.name not in siblings:
            detail = type_text(column.type, optional=column.optional)
            yield CompletionOffer(column.name, "field", detail, rank=rank, text=f"{column.name}: $0")


def _value_offers(editor: EditorState, cursor: Cursor, document: OpenDocument) -> Iterator[CompletionOffer]:  # noqa: C901 one case for each key that takes words
    part, analysis = cursor.part, cursor.analysis
    assert part is not None and analysis is not None
    names = analysis.names
    last = cursor.path[-1] if cursor.path else ""
    folder = document.path.parent
    match last:
        case "uses":
            yield from _document_offers(editor, "library", folder)
        case "world":
            yield from _document_offers(editor, "world", folder)
        case "task" if analysis.document.kind == "wording":
            yield from _document_offers(editor, "task", folder)
        case "language":
            yield from (CompletionOffer(name, "keyword", "a language") for name in PLURALS)
        case "tasks":
            yield from _document_offers(editor, "task", folder)
        case "without" | "drop" | "violates" | "soft":
            yield from _constraint_offers(analysis)
        case "measures":
            yield from (
                CompletionOffer(name, "variable", rank=1)
                for name, x in names.definitions.items()
                if x.signature.params is None
            )
        case "removable":
            yield from (CompletionOffer(x.name, "struct", rank=1) for x in names.tables.values() if not x.plan)
        case "unique" | "unique_best":
            yield from _column_name_offers(x for x in names.tables.values() if x.plan)
        case "hidden":
            yield from _column_name_offers(x for x in names.tables.values() if not x.plan)
        case "kind":
            kinds = {x.kind for x in (analysis.task.constraints if analysis.task is not None else ()) if x.kind}
            yield from (CompletionOffer(kind, "value") for kind in sorted(kinds))
        case "family":
            from planspec.family.registry import names as family_names

            yield from (CompletionOffer(name, "module") for name in family_names())
        case "file":
            yield from _file_offers(folder, "sqlite")
        case _ if last in PATH_SOURCES:
            yield from _file_offers(folder, last)
        case "reference" | "answer" | "from":
            yield (
                CompletionOffer("reference", "keyword") if last != "reference" else CompletionOffer("none", "constant")
            )
            yield from _file_offers(folder, "json")
        case "format":
            yield from (CompletionOffer(word, "keyword") for word in ("json", "csv", "text"))
        case "code":
            yield from (CompletionOffer(word, "keyword") for word in ("not-found", "invalid-arguments", "upstream"))
        case _ if part.holds == "flag":
            yield from (CompletionOffer(word, "constant") for word in FLAGS)
        case _ if part.holds == "expectation":
            yield from (CompletionOffer(word, "keyword") for word in EXPECTATIONS)
        case _ if part.holds == "cell":
            yield from _cell_offers(cursor, analysis)
        case _:
            yield from _answer_offers(cursor, analysis)


def _document_offers(editor: EditorState, kind: str, folder: Path) -> Iterator[CompletionOffer]:
    for id_ in editor.workspace.ids(kind, folder):
        yield CompletionOffer(id_, "module", kind, rank=1)


def _constraint_offers(analysis: Analysis) -> Iterator[CompletionOffer]:
    for document in analysis.documents:
        section = document.sections.get("constraints")
        for key, _ in getattr(section, "entries", ()):
            yield CompletionOffer(key.text, "value", f"of {document.kind} {document.id}", rank=1)


def _column_name_offers(tables: Iterable[Table]) -> Iterator[CompletionOffer]:
    for table in tables:
        for column in table.columns.values():
            yield CompletionOffer(f"{table.name}.{column.name}", "field", type_text(column.type), rank=1)


def _file_offers(folder: Path, extension: str) -> Iterator[CompletionOffer]:
    try:
        paths = sorted(
            path for location in (folder, *_visible_subfolders(folder)) for path in location.glob(f"*.{extension}")
        )
    except OSError:
        return
    for path in paths[:MOST_COMPLETIONS]:
        yield CompletionOffer(path.relative_to(folder).as_posix(), "file", rank=1)


def _visible_subfolders(folder: Path) -> Iterator[Path]:
    yield from (path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))


def _cell_offers(cursor: Cursor, analysis: Analysis) -> Iterator[CompletionOffer]:
    """Yield the possible values of a given, or of a cell in a table row."""
    part, names = cursor.part, analysis.names
    assert part is not None
    given = names.givens.get(part.name) if cursor.path[-2:-1] == ("given",) else None
    table = names.tables.get(part.table or "")
    column = None if table is None else table.columns.get(part.name)
    type_ = given.type if given is not None else None if column is None else column.type
    if type_ is not None:
        yield from _type_value_offers(names, type_)


def _answer_offers(cursor: Cursor, analysis: Analysis) -> Iterator[CompletionOffer]:
    """Yield tables, columns and values for an answer written in the document, such as the reference."""
    path, names = cursor.path, analysis.names
    inside = [at for at, word in enumerate(path) if word in ("reference", "answer", "change")]
    if not inside:
        return
    answer_path = path[inside[0] + 1 :]
    table = names.tables.get(answer_path[0]) if answer_path else None
    if not answer_path:
        yield from (
            CompletionOffer(x.name, "struct", "table of the plan", rank=1, text=f"{x.name}:$0")
            for x in names.tables.values()
            if x.plan and x.name not in cursor.siblings
        )
    elif table is None:
        return
    elif answer_path[-1] in table.columns and cursor.is_value and not cursor.is_key:
        yield from _type_value_offers(names, table.columns[answer_path[-1]].type)
    elif cursor.is_key or len(answer_path) <= 2:
        yield from _cell_key_offers(table, cursor.siblings, 1)


def _type_value_offers(names: Names, type_: Type) -> Iterator[CompletionOffer]:
    """Yield all values of a type if it is an enum, a row type or Boolean."""
    item = type_.item if isinstance(type_, SetType | ListType) else type_
    if isinstance(item, EnumType):
        yield from (CompletionOffer(member, "member", item.name, rank=0) for member in item.members)
    elif isinstance(item, RowType) and item.table in names.tables:
        yield from _row_offers(names, names.tables[item.table], 0)
    elif item is ScalarType.BOOL:
        yield from (CompletionOffer(word, "constant", rank=0) for word in FLAGS)


def _row_offers(names: Names, table: Table, rank: int) -> Iterator[CompletionOffer]:
    for name in names.row_names(table):
        yield CompletionOffer(name, "value", f"row of {table.name}", rank=rank)


def _type_offers(names: Names) -> Iterator[CompletionOffer]:
    yield from (CompletionOffer(name, "keyword", "built-in type", rank=2) for name in SCALARS)
    yield from (CompletionOffer(name, "enum", " | ".join(x.members), rank=1) for name, x in names.enums.items())
    yield from (CompletionOffer(name, "struct", "a row of it", rank=1) for name in names.tables)
    yield from (CompletionOffer(word, "keyword", rank=4) for word in ("key", "set of", "list of"))


# -- expressions ------------------------------------------------------------------------------------------


def _expression_offers(cursor: Cursor, analysis: Analysis) -> Iterator[CompletionOffer]:
    names = analysis.names
    if cursor.dotted is not None:
        yield from _dot_offers(analysis, cursor.dotted, cursor.owner, cursor.check)
        return
    check = cursor.check
    if check is not None:
        if check.expected is not None and check.expected is not ScalarType.BOOL:
            yield from _type_value_offers(names, check.expected)
        for name, binding in check.env.items():
            if "." not in name:
                yield CompletionOffer(name, "variable", type_text(binding.type, optional=binding.optional), rank=1)
        if any(name.startswith("arg.") for name in check.env):
            yield CompletionOffer("arg", "variable", "the call's arguments", rank=1)
    yield from _global_name_offers(names)
    yield from _builtin_offers()
    yield from (CompletionOffer(word, "keyword", rank=8) for word in OPERATORS)
    yield from (CompletionOffer(word, "constant", rank=8) for word in ("none", "true", "false"))


def _dot_offers(
    analysis: Analysis, tree: s.Attribute, owner: ExpressionCheck | None, check: ExpressionCheck | None
) -> Iterator[CompletionOffer]:
    """Yield the names that may follow a dot: columns of a row, members of an enum, rows of a table, or arguments."""
    value, names = tree.value, analysis.names
    if isinstance(value, s.Name):
        env = {} if check is None else check.env
        spaced = [name for name in env if name.startswith(f"{value.name}.")]
        for name in spaced:
            yield CompletionOffer(name.partition(".")[2], "variable", type_text(env[name].type), rank=0)
        if value.name not in env:
            if value.name in names.enums:
                yield from _type_value_offers(names, names.enums[value.name])
            table = names.tables.get(value.name)
            if table is not None and not table.one:
                yield from _row_offers(names, table, 0)
    type_ = None if owner is None else owner.checked.type
    unbound = type_ is Special.WRONG and isinstance(value, s.Name) and value.name not in names.places
    if unbound and isinstance(value, s.Name):  # the `for` clause that binds the variable is not typed yet
        type_ = analysis.variable_type(value.name)
    if isinstance(type_, RowType) and type_.table in names.tables:
        yield from _column_offers(names.tables[type_.table], 0)
    elif unbound:
        for table in names.tables.values():
            yield from _column_offers(table, 1 if table.plan else 2)


def _column_offers(table: Table, rank: int) -> Iterator[CompletionOffer]:
    for column in table.columns.values():
        detail = type_text(column.type, optional=column.optional)
        yield CompletionOffer(column.name, "field", f"{detail}, of {table.name}", rank=rank)


def _global_name_offers(names: Names) -> Iterator[CompletionOffer]:
    for given in names.givens.values():
        yield CompletionOffer(given.name, "variable", type_text(given.type, optional=given.optional), rank=2)
    for name, pending in names.definitions.items():
        body = pending.definition.body if pending.checked else None
        result_type = "" if body is None else type_text(body.type, optional=body.partial)
        if pending.signature.params is None:
            yield CompletionOffer(name, "variable", result_type, rank=2)
        else:
            params = ", ".join(f"{p.name} {p.type}" for p in pending.definition.params)
            yield CompletionOffer(name, "function", f"({params}) -> {result_type}", rank=2, text=f"{name}($0)")
    for table in names.tables.values():
        yield CompletionOffer(table.name, "struct", "table of the plan" if table.plan else "table of facts", rank=3)
    for enum in names.enums.values():
        yield CompletionOffer(enum.name, "enum", " | ".join(enum.members), rank=3)


def _builtin_offers() -> Iterator[CompletionOffer]:
    for row in BUILTINS.values():
        yield CompletionOffer(row.name, "function", row.signature, row.doc, rank=4, text=f"{row.name}($0)")
