"""The keys of documents: one table for checking, for editors and for the formatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

DocumentKind: TypeAlias = Literal["library", "world", "task", "suite"]
KINDS: tuple[DocumentKind, ...] = ("library", "world", "task", "suite")

Holds: TypeAlias = Literal[
    "version", "id", "currency", "word", "words", "flag", "text", "data", "answer",
    "expression", "binder", "weight", "objectives",
    "enums", "columns", "cells", "plan tables", "definitions", "constraints", "scope", "turns",
    "table schemas", "table rows", "table rows or schemas",
    "one table's columns", "one table's rows", "sqlite query", "column map", "row patterns",
]  # fmt: skip
"""The value of a key. An editor's schema and the formatter's reading follow from it."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a document or of a part of one.

    Attributes:
        name: as it is written.
        holds: what stands under it.
        doc: one sentence for editors.
        documents: the kinds that have it; none for a key of a part.
    """

    name: str
    holds: Holds
    doc: str
    documents: tuple[DocumentKind, ...] = ()


Keys: TypeAlias = Mapping[str, Key]
"""Keys by name, in the order in which they are listed."""


def _keys(*rows: Key) -> Keys:
    return {row.name: row for row in rows}


_FAMILY = "The format in which answers come."
_ROWS = (
    Key("planspec", "version", "The kind of document and the version of its language.", KINDS),
    Key("id", "id", "The name by which other documents and commands find this one.", KINDS),
    Key("title", "word", "A title for readers.", KINDS),
    Key("uses", "words", "The libraries that this document uses, by id or path.", ("library", "world", "task")),
    Key("family", "word", _FAMILY, ("suite",)),
    Key("tasks", "words", "The suite's tasks in order: paths of tasks or shards, globs or ids.", ("suite",)),
    Key("protocol", "word", "The protocol by which runs are scored.", ("suite",)),
    Key("meta", "data", "Anything that its author wants to keep with the document.", KINDS),
    Key("currency", "currency", "The currency of all money, in three capital letters.", ("world", "task")),
    Key("world", "word", "The world that the task is set in, by id or path.", ("task",)),
    Key("query", "word", "The request in the words of the one who makes it.", ("task",)),
    Key("without", "words", "The ids of library constraints that do not apply here.", ("task",)),
    Key("unique", "words", "The columns, as `table.column`, that tell plans apart besides keys.", ("task",)),
    Key("minimize", "objectives", "What a solver makes as small as it can after the soft constraints; of several, in order.", ("task",)),
    Key("maximize", "objectives", "What a solver makes as great as it can after the soft constraints; of several, in order.", ("task",)),
    Key("reference", "answer", "The answer that the author gives, or the JSON file that holds it.", ("task",)),
    Key("closed", "flag", "Plans may only have the rows of the scope.", ("task",)),
    Key("turns", "turns", "The steps of a conversation, each a task of its own.", ("task",)),
    Key("tables", "table rows", "The rows of the tables.", ("world",)),
    Key("types", "enums", "Named enums, as in `Mode: foot | bus | taxi`.", ("library", "world", "task")),
    Key("tables", "table schemas", "The tables of facts and their columns.", ("library",)),
    Key("tables", "table rows or schemas", "Rows for tables that the task fills itself, with columns if no library declares them.", ("task",)),
    Key("given", "columns", "Parameters that each task fills, with their types and defaults.", ("library",)),
    Key("given", "cells", "The values of the parameters, as data.", ("task",)),
    Key("plan", "plan tables", "The tables that a plan fills.", ("library", "task")),
    Key("define", "definitions", "Named values and functions.", ("library", "task")),
    Key("scope", "scope", "What the search may use, table by table.", ("library", "task")),
    Key("constraints", "constraints", "The rules that plans are judged by, each under its id.", ("library", "task")),
    Key("kinds", "words", "The kinds under which findings are counted, in the order of reports.", ("library", "task")),
    Key("measures", "words", "The named values that verdicts report.", ("library", "task")),
    Key("family", "word", _FAMILY, ("library", "task")),
    Key("removable", "words", "The static tables whose rows `planspec tighten` may leave out.", ("library", "task")),
)  # fmt: skip

DOCUMENT: Mapping[str, Keys] = {
    kind: _keys(*(row for row in _ROWS if kind in row.documents)) for kind in KINDS
}
"""The keys of each kind of document."""
_KIND = Key("kind", "word", "The kind under which findings are counted.")
_MESSAGE = Key("message", "word", "What a finding says, with expressions in braces.")
CONSTRAINT = _keys(
    Key("for", "binder", "What there is an instance for, as in `w in Wish if w.open`."),
    Key("when", "expression", "A static condition; where it is false the rule does not apply."),
    Key("hard", "expression", "The condition that every plan must meet."),
    Key("soft", "expression", "The condition that a plan should meet."),
    Key("weight", "weight", "How much a soft constraint counts: a number, or a static expression."),
    _KIND,
    _MESSAGE,
    Key("says", "word", "What the rule asks, for explanations, with static expressions in braces."),
    Key("margin", "expression", "How far the rule is from being violated, in place of what its structure says."),
    Key("background", "flag", "Explanations never give the rule up."),
)  # fmt: skip
DEFINITION = _keys(Key("is", "expression", "What the definition stands for."), _KIND, _MESSAGE)
PLAN_TABLE = _keys(Key("one", "flag", "The table has exactly one row."))
"""Keys beside a plan table's columns."""
SCOPE_ROW = _keys(
    Key("for", "binder", "What there is a row for, as in `d in trip for m in Meal`."),
    Key("optional", "flag", "The search may leave the row out."),
)
"""Keys beside the columns of a row in scope."""
TURN = _keys(
    Key("query", "word", "What is asked at this turn."),
    Key("given", "cells", "Values that take the place of earlier ones."),
    Key("constraints", "constraints", "The rules that hold from this turn on."),
    Key("drop", "words", "The ids of constraints that hold no longer."),
)
SOURCES = _keys(
    Key("rows", "one table's rows", "The rows themselves."),
    Key("csv", "text", "A CSV file beside this document, or the CSV text itself."),
    Key("jsonl", "text", "A file with one JSON object on each line."),
    Key("sqlite", "sqlite query", "A query on an SQLite file."),
    Key("parquet", "text", "A Parquet file, which needs the extra `parquet`."),
)
"""The sources of rows."""
TABLE = _keys(
    Key("columns", "one table's columns", "The table's columns, each with its type."),
    *SOURCES.values(),
    Key("map", "column map", "The header in the source of each column whose name differs."),
    Key("empty", "words", "Texts that mean that nothing is there, such as `NaN`."),
    Key("without", "row patterns", "Rows of other documents that are left out: every row with these cells."),
)
"""A table's entry: its columns, the source of its rows, and how that is read."""
SQLITE = _keys(
    Key("file", "text", "The SQLite file, beside this document."),
    Key("query", "text", "The SQL query that gives the rows."),
)
MAPPED = _keys(
    Key("from", "word", "The header in the source."),
    Key("split", "word", "The text between the items of a cell."),
    Key("unit", "word", "The unit of numbers without one: `min h d m km` or the currency."),
    Key("empty", "words", "Texts of this column that mean that nothing is there."),
)
"""A mapped column: its header, and how its cells are read."""
