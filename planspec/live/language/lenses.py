"""Code lenses: lines above a task's query with the claims about the task that solvers proved."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.diagnostics.source import Span
from planspec.live.language.editor import EditorState, OpenDocument
from planspec.live.language.positions import range_of
from planspec.live.language.shapes import Json

MOST_VIOLATIONS = 3
FEASIBLE = {"feasible": "feasible", "infeasible": "no plan", "unknown": "no plan found in time"}
UNIQUE = {"unique": "unique", "multiple": "several plans", "unknown": "uniqueness undecided"}
BEST = {
    "unique": "best unique",
    "multiple": "several best",
    "infeasible": "none keeps every soft constraint",
}


def claims_span(editor: EditorState, document: OpenDocument) -> Span | None:
    """Return the span above which a task's claims are shown, at the key `query` or `turns`.

    Return None for other documents and for tasks with errors.
    """
    analysis = editor.analysis(document)
    if analysis is None or analysis.task is None or analysis.document.kind != "task":
        return None
    keys = analysis.document.keys
    return keys["query"].span if "query" in keys else keys["turns"].span if "turns" in keys else None


def lenses(at: Span, result: Json | None, uri: str = "") -> list[Json]:
    """Return the code lenses of a task.

    Args:
        at: span above which the lenses are shown.
        result: claims from the worker process; None while it is running.
        uri: URI of the task, for commands.
    """
    return [
        {
            "range": range_of(at),
            "command": {"title": title, "command": command, "arguments": [{"uri": uri}] if command else []},
        }
        for title, command in _titles(result)
    ]


def _titles(result: Json | None) -> Iterator[tuple[str, str]]:
    """Yield the title of each code lens, and the command that a click runs; the command may be empty."""
    if result is None:
        yield "proving ...", ""
        return
    if "error" in result:
        yield str(result["error"]).partition("\n")[0], ""
        return
    if "feasible" in result:
        words: list[str] = [FEASIBLE.get(str(result["feasible"]), "no plan known")]
        if result["feasible"] == "feasible":
            words.append(UNIQUE.get(str(result["unique"]), "uniqueness undecided"))
        if result.get("best") is not None:
            words.append(BEST.get(str(result["best"]), "the best undecided"))
        yield f"{', '.join(words)} ({result['seconds']:.2f} s)", ""
    match result.get("reference"):
        case None:
            return
        case "pass":
            yield "reference passes", ""
        case "undelivered":
            yield "reference cannot be read", ""
        case _:
            violated = [str(x) for x in result.get("violated", ())]
            more = f" and {len(violated) - MOST_VIOLATIONS} more" if len(violated) > MOST_VIOLATIONS else ""
            yield (
                f"reference violates {', '.join(violated[:MOST_VIOLATIONS])}{more}",
                "planspec.repairReference",
            )
