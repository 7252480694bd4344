"""Warnings about counts in queries that differ from the number of a table's rows or an enum's members."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.marked_text import plain
from planspec.verifiers.environment.query_text.queries import PlacedMention, Queries
from planspec.verifiers.environment.query_text.request_values import RequestValues

LEAST = 3
"""Tables with fewer rows, and enums with fewer members, are not compared with the counts in the queries."""
PARTS = re.compile(r"[A-Z]?[a-z]+")
LIMIT = re.compile(
    r"\b(?:at most|at least|most|least|more than|fewer than|less than|up to|only|every|any|no|other|each|per|of"
    r"|in|on|within|for|after|before|between|first|last|next|following|these|those|their|all|with) $"
)
"""Pattern of words, such as `at most`, before a number that does not count all rows."""
SHARE = re.compile(r" (?:a|an|per|each|or|that|which|who|must|may|can|cannot)\b")
"""Pattern of words after a noun that show a count per unit (`two days per city`) or a part (`two cities that ...`)."""


def report_row_counts(
    task: Task, queries: Queries, values: RequestValues, places: DocumentPlaces, report: Report
) -> None:
    """Warn of counts, such as `six cities`, that differ from the number of a table's rows or an enum's members.

    A count is compared if it is more than half and less than twice the number of rows or members. It is skipped if

    - a parameter or literal has this value,
    - a word beside the count makes it a limit or a count per unit, or
    - the queries also mention the number of rows or members.
    """
    mentioned = {r.value for placed in queries.mentions for r in placed.mention.readings if r.measure == "number"}
    own = {value.value for value in (*values.given, *values.constants) if isinstance(value.value, int | Fraction)}
    for name, count in _counts(task, values, places):
        if count < LEAST or count in mentioned:
            continue
        noun = _noun(name)
        for placed in queries.mentions:
            numbers = {r.value for r in placed.mention.readings if r.measure == "number"}
            others = [n for n in numbers - own if count < 2 * n < 4 * count]
            if others and placed.mention.is_definite and _counts_all(queries, placed, noun):
                report.warning(
                    "PS441",
                    f"the query says `{queries.text(placed.part)}` beside the name of `{name}`, which has {count}",
                    queries.span(placed.part),
                    f"`{name}` has {count}",
                    help="mend the number, or what it counts",
                )
                break


def _counts(task: Task, values: RequestValues, places: DocumentPlaces) -> Iterator[tuple[str, int]]:
    """Yield each table and enum of the document by name, with its number of rows or members."""
    yield from ((name, len(rows)) for name, rows in values.own_rows.items())
    yield from ((name, len(enum.members)) for name, enum in task.enums.items() if places.declares_type(name))


def _noun(name: str) -> re.Pattern[str]:
    """Return a pattern of a name's last word in the plural, such as `cities`, after at most two other words."""
    word = PARTS.findall(name)[-1].lower() if PARTS.findall(name) else name.lower()
    stem = f"{word[:-1]}(?:y|ie)" if word.endswith("y") else word
    return re.compile(rf"(?: [a-z-]+){{0,2}} {stem}(?:e?s)\b")


def _counts_all(queries: Queries, placed: PlacedMention, noun: re.Pattern[str]) -> bool:
    """Return whether the noun follows a number that counts all such things: `two cities`, not `at most two cities`.

    Args:
        queries: the task's queries.
        placed: the number.
        noun: pattern of the noun, as returned by `_noun`.
    """
    if placed.mention.is_ordinal:
        return False
    text = plain(queries.texts[placed.part.query])
    match = noun.match(text, placed.part.end)
    if match is None or LIMIT.search(text, max(0, placed.part.start - 20), placed.part.start):
        return False
    return SHARE.match(text, match.end()) is None
