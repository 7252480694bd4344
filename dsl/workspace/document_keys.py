"""The keys of documents: one table for checking, for editors and for the formatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

DocumentKind: TypeAlias = Literal["library", "world", "task", "suite"]
KINDS: tuple[DocumentKind, ...] = ("library", "world", "task", "suite")

Holds: TypeAlias = Literal[
    "version", "id", "currency", "word", "words", "flag", "text", "data", "answer",
    "expression", "binder", "weight", "objectives", "cases",
    "enums", "columns", "cells", "plan tables", "definitions", "constraints", "scope", "turns",
    "table schemas", "table rows", "table rows or schemas",
    "one table's columns", "one table's rows", "sqlite query", "column map", "row patterns",
    "environment", "shapes", "shows", "tools", "parameters", "settings", "tree", "refusals", "refusal", "count", "expressions",
    "binders", "type", "shown names", "quotations",
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
    Key("unique_best", "words", "The further columns, as `table.column`, that are alike in all plans that keep every soft constraint, too.", ("task",)),
    Key("minimize", "objectives", "What a solver makes as small as it can after the soft constraints; of several, in order.", ("task",)),
    Key("maximize", "objectives", "What a solver makes as great as it can after the soft constraints; of several, in order.", ("task",)),
    Key("reference", "answer", "The answer that the author gives, or the JSON file that holds it.", ("task",)),
    Key("cases", "cases", "Answers with the verdicts that the author knows, each under its name.", ("task",)),
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
    Key("environment", "environment", "What agents see: what is given, what they may call, and in which settings.", ("library", "world", "task")),
    Key("tells", "quotations", "What the query tells of tables, columns and parameters, each with the words that say it.", ("task",)),
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
    Key("shows", "shows", "What is given from this turn on."),
    Key("tells", "quotations", "What this turn's query tells of tables, columns and parameters."),
)
CASE = _keys(
    Key("answer", "answer", "The answer: a file, JSON or tables in place, or `reference`."),
    Key("from", "word", "The answer that is changed: `reference`, or a file."),
    Key("change", "data", "The cells and rows that take the place of others, by table."),
    Key("passes", "flag", "No hard constraint is violated."),
    Key("violates", "words", "The violated hard instances, exactly; the id of a constraint stands for its instances."),
    Key("soft", "words", "The violated soft instances, exactly."),
    Key("shape", "words", "The kinds of what is wrong with the plan's shape, exactly."),
    Key("undelivered", "flag", "There is no plan to judge."),
    Key("margin", "cells", "The margins of instances, as `planspec verify` shows them."),
    Key("at", "word", "The turn that is answered, from 1; the last if left out."),
)  # fmt: skip
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

ENVIRONMENT = _keys(
    Key("hidden", "words", "Tables, columns as `Table.column`, and parameters that agents are never told."),
    Key("shapes", "shapes", "Named trees of results, with parameters."),
    Key("shows", "shows", "What is given together with the query."),
    Key("tools", "tools", "What agents may call."),
    Key("briefs", "cells", "Texts that settings tell agents, by name."),
    Key("settings", "settings", "The ways in which agents meet a task; the first is the default."),
    Key("default", "word", "The setting that is taken where none is named."),
)
"""The parts of an environment."""
RESULT = _keys(
    Key("each", "binders", "What there is an item for, as in `h in Hotel if h.city == arg.city`."),
    Key("by", "expressions", "The names of the fields under which items stand, instead of a list."),
    Key("sort", "expressions", "What items are sorted by, `desc` behind it for descending."),
    Key("limit", "count", "The most items, after sorting."),
    Key("empty", "refusal", "The refusal where there is no item."),
    Key("as", "tree", "The item."),
    Key("text", "word", "A text with expressions in braces."),
    Key("make", "tree", "The result itself, beside a `when`."),
    Key("when", "expression", "Where this is false the field is left out, or `else` stands there."),
    Key("else", "tree", "What stands there otherwise."),
)
"""The words of a tree of results."""
REFUSAL = _keys(
    Key("if", "expression", "The call is refused where this is true."),
    Key("code", "word", "`not-found`, `invalid-arguments` or `upstream`."),
    Key("say", "word", "What is said, with expressions in braces."),
)
PARAMETER = _keys(
    Key("type", "type", "The type of the value."),
    Key("doc", "word", "What the parameter means, for agents."),
    Key("optional", "flag", "A call may leave it out; it is none then."),
    Key("default", "expression", "The value where it is left out."),
    Key("where", "expression", "A static condition on the value; others are refused."),
    Key("called", "expressions", "The texts, or the rows, by whose names a row is called."),
    Key("noun", "word", "What is looked for, in refusals."),
    Key("told", "flag", "The schema lists the rows that may be named."),
    Key("one_of", "cells", "The words that a call may say, each with what it means."),
)
TOOL = _keys(
    Key("doc", "word", "What it does, for agents."),
    Key("params", "parameters", "The parameters, which expressions read as `arg.NAME`."),
    Key("refuse", "refusals", "When a call has no result, in order."),
    Key("returns", "tree", "The result, an object."),
    Key("replace", "flag", "It takes the place of a tool of the same name."),
)
SHOW = _keys(
    Key("title", "word", "A title, with expressions in braces."),
    Key("for", "binder", "What it is given for, each time under a title of its own."),
    Key("format", "word", "`json`, `csv` or `text`."),
    Key("replace", "flag", "It takes the place of a show of the same name."),
    *RESULT.values(),
)
SETTING = _keys(
    Key("shows", "shown names", "The names of what is given, `all` or `none`."),
    Key("tools", "shown names", "The names of what may be called, `all` or `none`."),
    Key("calls", "count", "The most calls of one attempt."),
    Key(
        "brief", "words", "What agents are told beside the query: a text, or a list of the names of `briefs`."
    ),
    Key("replace", "flag", "It takes the place of a setting of the same name."),
)
