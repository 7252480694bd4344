"""Code actions: quick fixes, leaving out a row, and commands for a worker."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.api.overlay import without_rows
from planspec.dsl.model.value_text import json_value
from planspec.dsl.workspace.shards import is_shard
from planspec.errors import UnremovableRowsError
from planspec.live.language.analysis import Analysis
from planspec.live.language.desk import EditorDesk, OpenDocument
from planspec.live.language.diagnostics import SUGGESTED
from planspec.live.language.formatting import line_edits
from planspec.live.language.hover import row_named
from planspec.live.language.positions import span_of
from planspec.live.language.shapes import Json, Range, TextEdit

COMMANDS = {
    "planspec.tighten": "tighten",
    "planspec.repairReference": "repair",
    "planspec.addCase": "case",
}
"""Commands and the worker's pieces of work that carry them out."""


def actions(desk: EditorDesk, document: OpenDocument, range_: Range, reported: list[Json]) -> list[Json]:
    """Return the actions for a range.

    Args:
        desk: open documents.
        document: the document.
        range_: selected range.
        reported: diagnostics in the range, as the editor has them.
    """
    actions_ = [action for diagnostic in reported for action in _fixes(document, diagnostic)]
    analysis = desk.analysis(document)
    if analysis is not None and not is_shard(document.path):
        span = span_of(analysis.source, range_)
        actions_ += _sold_out(analysis, document, span.start)
        actions_ += _commands(analysis, document, span.start)
    return actions_


def _fixes(document: OpenDocument, diagnostic: Json) -> Iterator[Json]:
    """Yield the quick fixes of a diagnostic."""
    if diagnostic.get("source") != "planspec":
        return
    match = SUGGESTED.search(diagnostic.get("message", ""))
    suggestion = (diagnostic.get("data") or {}).get("suggestion") or (match[1] if match is not None else None)
    edit: TextEdit = {"range": diagnostic["range"], "newText": ""}
    written = span_of(document.source, diagnostic["range"]).text
    if suggestion is not None and "\n" not in written:
        quote = written[:1] if written[:1] in ("'", '"') and written[:1] == written[-1:] else ""
        yield _fix(
            f"write `{suggestion}`", document, diagnostic, {**edit, "newText": f"{quote}{suggestion}{quote}"}
        )
    match diagnostic.get("code"):
        case "PS103" if written == "=":
            yield _fix("write `==`", document, diagnostic, {**edit, "newText": "=="})
        case "PS104" if len(written) > 2 and ": " not in written and " #" not in written:
            yield _fix("remove the quotes", document, diagnostic, {**edit, "newText": written[1:-1]})


def _fix(title: str, document: OpenDocument, diagnostic: Json, edit: TextEdit) -> Json:
    return {
        "title": title,
        "kind": "quickfix",
        "diagnostics": [diagnostic],
        "isPreferred": True,
        "edit": {"changes": {document.uri: [edit]}},
    }


def _sold_out(analysis: Analysis, document: OpenDocument, offset: int) -> Iterator[Json]:
    """Yield the action that leaves a row of the world out of the task."""
    occurrence = analysis.occurrence_at(offset)
    if analysis.task is None or occurrence is None or occurrence.symbol.kind != "row" or occurrence.declares:
        return
    table = analysis.task.tables.get(occurrence.symbol.owner)
    row = None if table is None else row_named(analysis, table, occurrence.symbol.name)
    if table is None or row is None or table.name in analysis.task.own_tables:
        return
    cells = [
        (name, json_value(getattr(row, name), table.columns[name].type, analysis.names.currency))
        for name in table.key
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


def _commands(analysis: Analysis, document: OpenDocument, offset: int) -> Iterator[Json]:
    task = analysis.task
    if task is None or task.turns:
        return
    occurrence = analysis.occurrence_at(offset)
    if task.reference is not None:
        if task.removable:
            yield _command(
                "tighten: leave rows out until the reference is the only plan",
                "planspec.tighten",
                document,
                {},
            )
        yield _command(
            "repair the reference with the smallest change", "planspec.repairReference", document, {}
        )
        if occurrence is not None and occurrence.symbol.kind == "constraint":
            name = occurrence.symbol.name
            yield _command(
                f"add a case that violates `{name}` alone", "planspec.addCase", document, {"constraint": name}
            )


def _command(title: str, command: str, document: OpenDocument, params: Json) -> Json:
    argument = {"uri": document.uri, **params}
    return {
        "title": title,
        "kind": "refactor.rewrite",
        "command": {"title": title, "command": command, "arguments": [argument]},
    }
