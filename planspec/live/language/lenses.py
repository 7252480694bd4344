"""What is proved of a task, in a line above its query."""

from __future__ import annotations

from collections.abc import Iterator

from planspec.dsl.diagnostics.source import Span
from planspec.live.language.desk import Desk, OpenDocument
from planspec.live.language.positions import range_of
from planspec.live.language.shapes import Json

MOST_NAMED = 3
FEASIBLE = {"feasible": "feasible", "infeasible": "no plan", "unknown": "no plan found in time"}
UNIQUE = {"unique": "unique", "multiple": "several plans", "unknown": "uniqueness undecided"}
BEST = {
    "unique": "best unique",
    "multiple": "several best",
    "infeasible": "none keeps every soft constraint",
}


def place_of_claims(desk: Desk, document: OpenDocument) -> Span | None:
    """Where the claims of a task stand: over its query, or its turns. None of other documents, and of tasks with errors."""
    analysis = desk.analysis(document)
    if analysis is None or analysis.task is None or analysis.document.kind != "task":
        return None
    keys = analysis.document.keys
    return keys["query"].span if "query" in keys else keys["turns"].span if "turns" in keys else None


def lenses(at: Span, found: Json | None, uri: str = "") -> list[Json]:
    """The lines over a query.

    Args:
        at: the place.
        found: what the worker found; None while it works.
        uri: of the task, for commands.
    """
    return [
        {
            "range": range_of(at),
            "command": {"title": title, "command": command, "arguments": [{"uri": uri}] if command else []},
        }
        for title, command in _titles(found)
    ]


def _titles(found: Json | None) -> Iterator[tuple[str, str]]:
    if found is None:
        yield "proving ...", ""
        return
    if "error" in found:
        yield str(found["error"]).partition("\n")[0], ""
        return
    if "feasible" in found:
        words: list[str] = [FEASIBLE.get(str(found["feasible"]), "no plan known")]
        if found["feasible"] == "feasible":
            words.append(UNIQUE.get(str(found["unique"]), "uniqueness undecided"))
        if found.get("best") is not None:
            words.append(BEST.get(str(found["best"]), "the best undecided"))
        yield f"{', '.join(words)} ({found['seconds']:.2f} s)", ""
    match found.get("reference"):
        case None:
            return
        case "pass":
            yield "reference passes", ""
        case "undelivered":
            yield "reference cannot be read", ""
        case _:
            violated = [str(x) for x in found.get("violated", ())]
            more = f" and {len(violated) - MOST_NAMED} more" if len(violated) > MOST_NAMED else ""
            yield f"reference violates {', '.join(violated[:MOST_NAMED])}{more}", "planspec.repairReference"
