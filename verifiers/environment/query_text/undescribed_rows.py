"""Recognition of rows of shared documents, such as `Museum audio guide`, that a quotation fails to describe."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.memory import Kind
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.verifiers.environment.query_text.names import row_names
from planspec.verifiers.environment.query_text.stems import stems

LEAST_ROWS = 2
"""A word such as `guide` counts as common if at least this many rows of the table have it in their names."""
NEGATED = re.compile(r"\b(?:no|not|without|neither|nor)(?: an?| any| the| your| our)? [^\W\d_]+")
"""Pattern of words for things that a text excludes. They do not count as a description of a row."""


@dataclass(frozen=True, slots=True, eq=False)
class _StemCounts:
    """For each stem, the number of a table's rows that have it in their key or names."""

    counts: Counter[str]


STEM_COUNTS: Kind[Facts, _StemCounts] = Kind("numbers of rows by stem of their names")


def is_undescribed(task: Task, row: Row, text: str) -> bool:
    """Return whether an English text that should describe a row contains none of the common words of the row's name.

    Only rows that refer to other rows are considered, and words in the names of those rows are ignored. For `Museum
    audio guide`, which refers to the museum, `audio` and `guide` remain. The result is True only if all remaining words
    are common: each of them is in the names of at least `LEAST_ROWS` rows of the table. A text about the row should
    contain such words, but may paraphrase unusual words.

    Args:
        task: the task.
        row: a row. The result is False for tables with rows in the task's own document.
        text: a quotation from the query that should state the row.
    """
    facts = task.facts.get(row._table.name)
    if facts is None or row._table.name in task.own_tables:
        return False
    owners = [cell for name in row._table.columns if isinstance(cell := getattr(row, name), Row)]
    words = _words(row).difference(*map(_words, owners))
    counts = _counts(task, facts)
    return (
        bool(owners and words)
        and all(counts[word] >= LEAST_ROWS for word in words)
        and not words & stems(NEGATED.sub(" ", text))
    )


def _counts(task: Task, facts: Facts) -> Counter[str]:
    memory = task.shared.of(STEM_COUNTS)
    if facts not in memory:
        memory[facts] = _StemCounts(Counter(word for row in facts.rows for word in _words(row)))
    return memory[facts].counts


def _words(row: Row) -> frozenset[str]:
    keys = [str(key) for key in row._key if isinstance(key, str)]
    return frozenset[str]().union(*map(stems, (*keys, *row_names(row))))
