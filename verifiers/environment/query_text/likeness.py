"""Warnings about descriptions in the query that fit another row of a table better than the rows that the task uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import RowType, ScalarType
from planspec.dsl.model.value_text import show
from planspec.verifiers.environment.query_text.names import row_names
from planspec.verifiers.environment.query_text.passages import Passage
from planspec.verifiers.environment.query_text.queries import Queries, QueryPart
from planspec.verifiers.environment.query_text.request_values import RequestValues

WORD = re.compile(r"[^\W\d_]{4,}|\d{2,}")
PROPER = re.compile(r"(?<=[^\W\d_] )[A-Z][^\W\d_]{3,4}\b")
"""Pattern of capitalised words of four or five letters within a sentence."""
STEM = 6
"""Number of first characters by which words are compared, so that `museum` and `museums` are equal."""
NAME_WEIGHT = 3
"""Weight of a word of a row's key or name. Other words of the row have weight 1."""
LEAST, RATIO = 4.0, 1.5
"""Bounds for a clause that describes a row: minimum likeness, and minimum ratio to its likeness to expected rows.

On 150 trips with described places, these values give no false alarm and find 94 % of exchanged places.
"""
LEAST_WORDS = 12
"""Minimum mean number of words in a table's rows. Rows with fewer words describe too little to be compared."""
MOST_ROWS = 1000
"""Maximum number of rows of a table. Larger tables are not compared with descriptions."""
COMMON = frozenset(
    [
        "with",
        "that",
        "from",
        "have",
        "which",
        "their",
        "this",
        "when",
        "where",
        "whose",
        "about",
        "after",
        "before",
        "other",
        "visit",
        "menu",
        "lunch",
        "dinner",
    ]
)
"""Words that are ignored because they occur in most descriptions."""


@dataclass(frozen=True, slots=True)
class RowTexts:
    """The words of the rows of a table. The first characters of a word are its stem.

    Attributes:
        weights: for each row, the weight of each stem among its words.
        rarity: for each stem, minus the logarithm of the share of rows that have it (inverse document frequency).
    """

    weights: Mapping[Row, Mapping[str, int]]
    rarity: Mapping[str, float]

    @property
    def are_descriptions(self) -> bool:
        """Whether the rows have so many words that they are descriptions rather than names."""
        return sum(map(len, self.weights.values())) >= LEAST_WORDS * len(self.weights)

    def is_unique_to_one_row(self, word: str) -> bool:
        """Return whether exactly one row contains a word."""
        return sum(word in weights for weights in self.weights.values()) == 1

    def likeness(self, words: frozenset[str], row: Row) -> float:
        """Return the similarity of words to a row.

        For each stem that the words and the row share, the stem's weight in the row is multiplied by its rarity. The
        similarity is the sum of these products.

        Args:
            words: stems of the words.
            row: a row of the table.
        """
        weights = self.weights[row]
        return sum(weights[word] * self.rarity[word] for word in words if word in weights)


TEXTS: Kind[Facts, RowTexts] = Kind("words of the rows of tables")


def report_other_rows(
    task: Task, queries: Queries, values: RequestValues, quotations: Sequence[Passage], report: Report
) -> None:
    """Warn of clauses in the author's quotations that describe a row which the task does not use.

    A clause is reported only if some row that the task uses is not described. If a quotation has fewer clauses than
    the task's table has rows, the rows that no clause describes are reported, too.
    """
    for passage in quotations:
        _report_undescribed(task, queries, values, passage, report)
        for clause, other, unfit in _misfits(task, queries, passage):
            name = show(other, RowType(other._table.name), task.currency)
            report.warning(
                "PS441",
                f"the query describes `{name}`, and nothing uses it",
                queries.span(clause),
                f"reads like this row of `{other._table.name}`",
                help=f"no words of the passage fit `{show(unfit, RowType(unfit._table.name), task.currency)}`, which the task has: mend one of them",
            )


def _report_undescribed(task: Task, queries: Queries, values: RequestValues, passage: Passage, report: Report) -> None:
    """Warn of rows that no clause of their quotation describes, if the quotation has fewer clauses than rows."""
    listed = values.own_rows.get(passage.claim.name.name, ())
    clauses = [queries.text(clause) for clause in _clauses(queries, passage.part)]
    if passage.claim.name.column is not None or len(clauses) >= len(listed):
        return
    for row, span in listed:
        described = [cell for name in row._table.columns if isinstance(cell := getattr(row, name), Row)]
        if len(described) == 1 and _is_unlike(
            _row_texts(task, task.facts[described[0]._table.name]), described[0], clauses
        ):
            name = show(described[0], RowType(described[0]._table.name), task.currency)
            report.warning(
                "PS442",
                f"the query does not describe `{name}`, a row of `{passage.claim.name}`",
                span,
                "set here",
                help=f"its passage has {len(clauses)} parts for {len(listed)} rows: describe it there",
            )


def _is_unlike(texts: RowTexts, row: Row, clauses: Sequence[str]) -> bool:
    """Return whether no clause resembles a row's description or contains a word that only this row has."""
    if not texts.are_descriptions or row not in texts.weights:
        return False
    names = {word.casefold() for clause in clauses for word in PROPER.findall(clause)}
    if any(word in texts.weights[row] and texts.is_unique_to_one_row(word) for word in names):
        return False
    return all(texts.likeness(_stems(clause), row) < LEAST for clause in clauses)


def _misfits(task: Task, queries: Queries, passage: Passage) -> Iterator[tuple[QueryPart, Row, Row]]:
    """Yield (clause, described row, expected row) for each clause of a quotation that fits an unexpected row best.

    The clauses are expected to describe the rows among `passage.values`, the values for which the author quotes the
    passage. The expected row in the result is the first of these rows that no clause describes. If the clauses describe
    all of them, nothing is yielded.
    """
    own_rows = [value for value, type_ in passage.values if isinstance(type_, RowType) and isinstance(value, Row)]
    for table in sorted({row._table.name for row in own_rows}):
        facts = task.facts.get(table)
        if facts is None or table in task.own_tables or not 1 < len(facts.rows) <= MOST_ROWS:
            continue
        texts = _row_texts(task, facts)
        if not texts.are_descriptions:
            continue
        rows = [row for row in own_rows if row._table.name == table and row in texts.weights]
        best = {clause: _best_match(texts, queries.text(clause), rows) for clause in _clauses(queries, passage.part)}
        missing = [row for row in rows if not any(row is fit for fit, _ in best.values())]
        for clause, (fit, clearly) in best.items():
            if missing and fit is not None and clearly and fit not in rows:
                yield clause, fit, missing[0]


def _best_match(texts: RowTexts, clause: str, listed: list[Row]) -> tuple[Row | None, bool]:
    """Return the row that a clause describes best, and whether it fits clearly better than the rows in `listed`.

    The row is None if no row fits well enough.
    """
    words = _stems(clause)
    scores = {row: texts.likeness(words, row) for row in texts.weights}
    best = max(scores, key=scores.__getitem__)
    if scores[best] < LEAST:
        return None, False
    return best, scores[best] >= RATIO * max((scores[row] for row in listed), default=0.0)


def _clauses(queries: Queries, passage: QueryPart) -> Iterator[QueryPart]:
    """Yield the parts of a passage between semicolons."""
    text = queries.texts[passage.query]
    start = passage.start
    for match in re.finditer(r";|$", text[passage.start : passage.end]):
        end = passage.start + match.start()
        lead = len(text[start:end]) - len(text[start:end].lstrip())
        if text[start:end].strip():
            yield QueryPart(passage.query, start + lead, end)
        start = end + 1


def _row_texts(task: Task, facts: Facts) -> RowTexts:
    cache = task.shared.of(TEXTS)
    texts = cache.get(facts)
    if texts is None:
        texts = cache[facts] = row_texts(facts)
    return texts


def row_texts(facts: Facts) -> RowTexts:
    """Return the words in the names and text columns of a table's rows.

    Args:
        facts: the rows of the table.
    """
    columns = [column.name for column in facts.table.columns.values() if column.type is ScalarType.TEXT]
    weights: dict[Row, dict[str, int]] = {}
    count: Counter[str] = Counter()
    for row in facts.rows:
        words = {stem: 1 for name in columns for stem in _stems(getattr(row, name) or "")}
        words |= {stem: NAME_WEIGHT for name in row_names(row) for stem in _stems(name.replace("_", " "))}
        weights[row] = words
        count.update(words.keys())
    return RowTexts(weights, {stem: log(len(weights) / number) for stem, number in count.items()})


def _stems(text: str) -> frozenset[str]:
    words = {word.casefold() for word in WORD.findall(text)} - COMMON
    return frozenset(word[:STEM] for word in words)
