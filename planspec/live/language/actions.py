"""Code actions of the language server: quick fixes, removal of a row, and commands that a worker process runs."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.api.overlay import without_rows
from planspec.dsl.model.value_text import json_value
from planspec.dsl.workspace.shards import is_shard
from planspec.errors import UnremovableRowsError
from planspec.live.language.analysis import Analysis
from planspec.live.language.diagnostics import SUGGESTION
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.formatting import line_edits
from planspec.live.language.hover import find_row
from planspec.live.language.positions import span_of
from planspec.live.language.shapes import Json, Range, TextEdit

COMMANDS = {
    "planspec.tighten": "tighten",
    "planspec.repairReference": "repair",
    "planspec.addCase": "case",
}
"""Key in `PANEL_ACTIONS` of the function that the worker runs, by command."""


def actions(editor: EditorState, document: OpenDocument, range_: Range, diagnostics: list[Json]) -> list[Json]:
    """Return the code actions for a range of a document.

    Args:
        editor: state of the editor.
        document: the document.
        range_: selected range.
        diagnostics: diagnostics in the range, in the protocol's shape.
    """
    result = [action for diagnostic in diagnostics for action in _quick_fixes(document, diagnostic)]
    analysis = editor.analysis(document)
    if analysis is not None and not is_shard(document.path):
        span = span_of(analysis.source, range_)
        result += _row_removal_actions(analysis, document, span.start)
        result += _command_actions(analysis, document, span.start)
    return result


def _quick_fixes(document: OpenDocument, diagnostic: Json) -> Iterator[Json]:
    """Yield the quick fixes of a diagnostic."""
    if diagnostic.get("source") != "planspec":
        return
    match = SUGGESTION.search(diagnostic.get("message", ""))
    suggestion = (diagnostic.get("data") or {}).get("suggestion") or (match[1] if match is not None else None)
    edit: TextEdit = {"range": diagnostic["range"], "newText": ""}
    written = span_of(document.source, diagnostic["range"]).text
    if suggestion is not None and "\n" not in written:
        quote = written[:1] if written[:1] in ("'", '"') and written[:1] == written[-1:] else ""
        yield _quick_fix(
            f"write `{suggestion}`", document, diagnostic, {**edit, "newText": f"{quote}{suggestion}{quote}"}
        )
    match diagnostic.get("code"):
        case "PS103" if written == "=":
            yield _quick_fix("write `==`", document, diagnostic, {**edit, "newText": "=="})
        case "PS104" if len(written) > 2 and ": " not in written and " #" not in written:
            yield _quick_fix("remove the quotes", document, diagnostic, {**edit, "newText": written[1:-1]})


def _quick_fix(title: str, document: OpenDocument, diagnostic: Json, edit: TextEdit) -> Json:
    return {
        "title": title,
        "kind": "quickfix",
        "diagnostics": [diagnostic],
        "isPreferred": True,
        "edit": {"changes": {document.uri: [edit]}},
    }


def _row_removal_actions(analysis: Analysis, document: OpenDocument, offset: int) -> Iterator[Json]:
    """Yield an action that removes the table row at an offset, if there is one."""
    occurrence = analysis.occurrence_at(offset)
    if analysis.task is None or occurrence is None or occurrence.symbol.kind != "row" or occurrence.declares:
        return
    table = analysis.task.tables.get(occurrence.symbol.owner)
    row = None if table is None else find_row(analysis, table, occurrence.symbol.name)
    if table is None or row is None or table.name in analysis.task.own_tables:
        return
    cells = [
        (name, json_value(getattr(row, name), table.columns[name].type, analysis.names.currency)) for name in table.key
    ]
    try:
        text = without_rows(analysis.source, {table.name: [cells]})
    except UnremovableRowsError:
        return
    yield {
        "title": f"sell out: leave `{occurrence.symbol.name}` of `{table.name}` out of this task",
        "kind": "refactor.rewrite",
        "edit": {"changes": {document.uri: line_edits(analysis.source.text, text)}},
    }


def _command_actions(analysis: Analysis, document: OpenDocument, offset: int) -> Iterator[Json]:
    task = analysis.task
    if task is None or task.turns:
        return
    occurrence = analysis.occurrence_at(offset)
    if task.reference is not None:
        if task.removable:
            yield _command_action(
                "tighten: leave rows out until the reference is the only plan",
                "planspec.tighten",
                document,
                {},
            )
        yield _command_action("repair the reference with the smallest change", "planspec.repairReference", document, {})
        if occurrence is not None and occurrence.symbol.kind == "constraint":
            name = occurrence.symbol.name
            yield _command_action(
                f"add a case that violates `{name}` alone", "planspec.addCase", document, {"constraint": name}
            )


def _command_action(title: str, command: str, document: OpenDocument, params: Json) -> Json:
    argument = {"uri": document.uri, **params}
    return {
        "title": title,
        "kind": "refactor.rewrite",
        "command": {"title": title, "command": command, "arguments": [argument]},
    }
