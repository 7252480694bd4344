"""Warnings about lists in the queries that name all members of an enum, or all rows of a table, except one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.query_text.document_places import DocumentPlaces
from planspec.verifiers.environment.query_text.names import folded, occurs, row_names
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.request_values import RequestValues

WORDS, AT_START, AT_END = 4, 2, 3
"""Maximum numbers of words of a list: in an item, from the end of the first item, from the start of the last."""
LEAST, MOST = 3, 40
"""An enum or table is compared with lists in the queries if its number of members or rows is within these bounds."""
SENTENCE = re.compile(r"(?<=[.?!;:])\s+|(?<=[。！？；：])")
ITEMS = re.compile(r", (?:and |or |und |oder )?| and | or | und | oder |、|和|与")


def report_listed_names(
    task: Task, queries: Queries, values: RequestValues, places: DocumentPlaces, report: Report
) -> None:
    """Warn of lists, such as `red, green and blue`, in which one item differs from an enum or table of the document.

    A list is compared if it has as many consecutive items in one sentence as the enum has members or the table has
    rows. It is reported if all items but one name different members (or rows), and the queries nowhere name the member
    (or row) that is left over.
    """
    text = queries.folded
    for name, forms, span in _vocabularies(task, values, places):
        missing = [each for each in forms if not any(occurs(form, text) for form in each)]
        if len(missing) == 1 and LEAST <= len(forms) <= MOST and _has_list(queries, forms):
            report.warning(
                "PS442",
                f"the query does not name `{missing[0][0]}`, and all others of `{name}` in one list",
                span,
                f"`{missing[0][0]}` is one of them",
                help="mend the list in the query, or the names",
            )


def _vocabularies(
    task: Task, values: RequestValues, places: DocumentPlaces
) -> Iterator[tuple[str, list[tuple[str, ...]], Span]]:
    """Yield for each enum and table of the document its name, the names of each member or row, and its position."""
    for name, enum in task.enums.items():
        span = places.type_span(name)
        if span is not None:
            yield name, [(member,) for member in enum.members], span
    for name, rows in values.own_rows.items():
        if rows and len(rows) <= MOST:
            forms = [tuple(row_names(row)) for row, _ in rows]
            if all(forms):
                yield name, forms, rows[0][1]


def _has_list(queries: Queries, forms: Sequence[tuple[str, ...]]) -> bool:
    for text in queries.texts:
        for sentence in SENTENCE.split(text):
            items = ITEMS.split(folded(sentence))
            for at in range(len(items) - len(forms) + 1):
                if _names_all_but_one(_list_items(items[at : at + len(forms)]), forms):
                    return True
    return False


def _list_items(items: Sequence[str]) -> list[str]:
    """Return the items without the rest of the sentence; items that are too long become empty.

    Of the first item only the last words are used, and of the last item only the first words.
    """
    words = [item.split() for item in items]
    words[0], words[-1] = words[0][-AT_START:], words[-1][:AT_END]
    return [" ".join(each) if len(each) <= WORDS else "" for each in words]


def _names_all_but_one(items: Sequence[str], forms: Sequence[tuple[str, ...]]) -> bool:
    """Return whether the items contain all names but one, each once and no two in the same item.

    `forms` has for each name its variants, such as key and title.
    """
    named = [[n for n, each in enumerate(forms) if any(occurs(form, item) for form in each)] for item in items]
    named_once = {each[0] for each in named if len(each) == 1}
    return len(named_once) == len(forms) - 1 and sum(map(len, named)) == len(named_once)
