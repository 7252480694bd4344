"""What an editor offers to do at a place: mend what is misspelt, leave a row out, and what a worker can find."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.api.overlay import without_rows
from planspec.dsl.model.value_text import json_value
from planspec.dsl.workspace.shards import is_shard
from planspec.errors import UnremovableRowsError
from planspec.live.language.analysis import Analysis
from planspec.live.language.desk import Desk, OpenDocument
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
"""The commands that a worker does, each with its piece of work."""


def actions(desk: Desk, document: OpenDocument, range_: Range, found: list[Json]) -> list[Json]:
    """The actions on a range.

    Args:
        desk: has the document.
        document: it.
        range_: what is selected.
        found: the diagnostics there, as the editor has them.
    """
    made = [action for diagnostic in found for action in _fixes(document, diagnostic)]
    analysis = desk.analysis(document)
    if analysis is not None and not is_shard(document.path):
        span = span_of(analysis.source, range_)
        made += _sold_out(analysis, document, span.start)
        made += _commands(analysis, document, span.start)
    return made


def _fixes(document: OpenDocument, diagnostic: Json) -> Iterator[Json]:
    """What a diagnostic suggests."""
    if diagnostic.get("source") != "planspec":
        return
    said = SUGGESTED.search(diagnostic.get("message", ""))
    suggestion = (diagnostic.get("data") or {}).get("suggestion") or (said[1] if said is not None else None)
    here: TextEdit = {"range": diagnostic["range"], "newText": ""}
    written = span_of(document.source, diagnostic["range"]).text
    if suggestion is not None and "\n" not in written:
        quote = written[:1] if written[:1] in ("'", '"') and written[:1] == written[-1:] else ""
        yield _fix(
            f"write `{suggestion}`", document, diagnostic, {**here, "newText": f"{quote}{suggestion}{quote}"}
        )
    match diagnostic.get("code"):
        case "PS103" if written == "=":
            yield _fix("write `==`", document, diagnostic, {**here, "newText": "=="})
        case "PS104" if len(written) > 2 and ": " not in written and " #" not in written:
            yield _fix("take the quotes away", document, diagnostic, {**here, "newText": written[1:-1]})


def _fix(title: str, document: OpenDocument, diagnostic: Json, edit: TextEdit) -> Json:
    return {
        "title": title,
        "kind": "quickfix",
        "diagnostics": [diagnostic],
        "isPreferred": True,
        "edit": {"changes": {document.uri: [edit]}},
    }


def _sold_out(analysis: Analysis, document: OpenDocument, offset: int) -> Iterator[Json]:
    """Leave a row of the world out of the task."""
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
