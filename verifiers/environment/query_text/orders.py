"""Warnings about rows that state an order, such as `earlier: museum, later: park`, which the query lacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.diagnostics.source import Span
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, Table
from planspec.dsl.model.value_text import show
from planspec.verifiers.environment.query_text.everyday_words import ENGLISH
from planspec.verifiers.environment.query_text.names import folded, is_edge, value_names
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries
from planspec.verifiers.environment.query_text.request_values import RequestValues

EARLIER = re.compile(r"(?:earlier|before|first|prior)(?:_|$)", re.IGNORECASE)
LATER = re.compile(r"(?:later|after|second|then|next)(?:_|$)", re.IGNORECASE)
"""Patterns of the names of columns for the earlier row (`EARLIER`) and for the later row (`LATER`)."""
ORDER = re.compile(
    r"\b(?:before\w*|after\w*|first|then|later|earlier|once|until|till|over|prior|already|behind|next|last|when|while|since"
    r"|only|sooner|ahead|wait\w*|follow\w*|finish\w*|preced\w*|begin\w*|start\w*|end\w*|done|been|lead\w*|subsequent\w*|order)\b"
)
"""Pattern of words with which an English sentence can state an order."""
BEFORE = re.compile(r"\b(?:before|earlier(?: [a-z]+){0,2} than|prior to|ahead of)\b")
AFTER = re.compile(r"\b(?:after|later(?: [a-z]+){0,2} than|once)\b")
NOT = re.compile(r"\b(?:not|never|no|nor|than)\b[^.;:,]{0,12}$")
OBJECT = 30
"""Maximum number of characters between `before` and the name of the later thing: `before the old park`."""
SUBJECT = 40
"""Maximum number of characters between the name of the earlier thing and `before`: `the museum at noon before`."""
BREAK = re.compile(r"[.,;:!?()]")


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two rows in the order that a row of the document declares. `span` is the position of the declaring row."""

    earlier: Row
    later: Row
    span: Span


def report_orders(
    task: Task, queries: Queries, values: RequestValues, quotations: Sequence[Passage], report: Report
) -> None:
    """Warn of rows that state an order, if the author's quotation for them states no order or the opposite one.

    Such rows have two columns, for example `earlier` and `later`, that refer to the same table.
    """
    for passage in quotations:
        table = task.tables.get(passage.claim.name.name)
        columns = None if table is None or passage.claim.name.column is not None else _order_columns(table)
        if table is None or columns is None:
            continue
        pairs = [
            _Pair(getattr(row, columns[0]), getattr(row, columns[1]), span)
            for row, span in values.own_rows.get(table.name, ())
            if isinstance(getattr(row, columns[0]), Row) and isinstance(getattr(row, columns[1]), Row)
        ]
        text = folded(queries.text(passage.part))
        if pairs and ENGLISH.search(queries.folded) is not None and ORDER.search(text) is None:
            _warn(task, pairs[0], "the query does not say that {} comes before {}", report)
        for pair in _exchanged(pairs, text):
            _warn(task, pair, "the query has {} and {} in the other order", report)


def _order_columns(table: Table) -> tuple[str, str] | None:
    """Return the names of the two columns with which a table's rows state an order.

    The first column refers to the row that must come earlier, and the second column to the row that must come later.
    Return None if the table has no such columns.
    """
    for name, column in table.columns.items():
        for other, second in table.columns.items():
            are_alike = isinstance(column.type, RowType) and column.type == second.type
            if are_alike and EARLIER.match(name) and LATER.match(other):
                return name, other
    return None


def _exchanged(pairs: Sequence[_Pair], text: str) -> Iterator[_Pair]:
    """Yield the pairs that a text contradicts, because it puts their rows in the other order.

    For example, `the park before the museum` contradicts a pair in which the museum is the earlier row and the park is
    the later row. The words `the park before` are no contradiction if the park is also the earlier row of some other
    pair, or if the text also says that the park comes after something. The same holds for `before the museum` if the
    museum is also the later row of some other pair, or if the text also says that the museum comes before something.
    """
    for pair in pairs:
        is_first = any(other.earlier is pair.later for other in pairs)
        is_last = any(other.later is pair.earlier for other in pairs)
        if (not is_first and _comes_first(pair.later, text) and not _comes_last(pair.later, text)) or (
            not is_last and _comes_last(pair.earlier, text) and not _comes_first(pair.earlier, text)
        ):
            yield pair


def _comes_first(row: Row, text: str) -> bool:
    return _is_beside_word(row, text, BEFORE, AFTER)


def _comes_last(row: Row, text: str) -> bool:
    return _is_beside_word(row, text, AFTER, BEFORE)


def _is_beside_word(row: Row, text: str, followed_by: re.Pattern[str], preceded_by: re.Pattern[str]) -> bool:
    """Return whether a text has a match of `followed_by` just after a row's name, or of `preceded_by` just before."""
    return any(
        _has_word_near(text, end, followed_by, forward=True) or _has_word_near(text, start, preceded_by, forward=False)
        for start, end in _places(row, text)
    )


def _has_word_near(text: str, at: int, word: re.Pattern[str], *, forward: bool) -> bool:
    """Return whether a pattern matches near an offset in a text, with no punctuation between and without negation.

    The text after the offset is searched if `forward`, and the text before it otherwise.
    """
    for match in word.finditer(text):
        between = text[at : match.start()] if forward else text[match.end() : at]
        is_near = match.start() >= at if forward else match.end() <= at
        if is_near and len(between) <= (SUBJECT if forward else OBJECT) and BREAK.search(between) is None:
            return NOT.search(text[: match.start()]) is None
    return False


def _places(row: Row, text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each occurrence of a row's names in a text."""
    for name in map(folded, value_names(row, RowType(row._table.name))):
        for match in re.finditer(re.escape(name), text):
            if is_edge(text, match.start(), name[0]) and is_edge(text, match.end(), name[-1], after=True):
                yield match.span()


def _warn(task: Task, pair: _Pair, headline: str, report: Report) -> None:
    names = [f"`{show(row, RowType(row._table.name), task.currency)}`" for row in (pair.earlier, pair.later)]
    report.warning(
        "PS442", headline.format(*names), pair.span, "set here", help="mend the query, or exchange what the row has"
    )
