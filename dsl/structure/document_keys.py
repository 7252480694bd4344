"""The table of document keys for the checker, editors and the formatter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

DocumentKind: TypeAlias = Literal["library", "world", "task", "suite", "wording"]
KINDS: tuple[DocumentKind, ...] = ("library", "world", "task", "suite", "wording")

Holds: TypeAlias = Literal[
    "version",
    "id",
    "currency",
    "word",
    "words",
    "suite tasks",
    "record source",
    "record map",
    "record field",
    "record reference",
    "answer form",
    "record fields",
    "record rows",
    "task base",
    "flag",
    "text",
    "data",
    "answer",
    "expression",
    "binder",
    "weight",
    "objectives",
    "expectation",
    "gaps",
    "refusal mode",
    "readings",
    "cases",
    "enums",
    "columns",
    "cells",
    "plan tables",
    "definitions",
    "constraints",
    "scope",
    "turns",
    "table schemas",
    "table rows",
    "table rows or schemas",
    "one table's columns",
    "one table's rows",
    "sqlite query",
    "column map",
    "row patterns",
    "environment",
    "shapes",
    "shows",
    "tools",
    "parameters",
    "settings",
    "tree",
    "refusals",
    "refusal",
    "count",
    "expressions",
    "binders",
    "type",
    "shown names",
    "quotations",
    "word forms",
    "phrases",
    "phrases by name",
    "phrase groups",
]
"""The kind of content under a key. Schemas for editors and the formatter are derived from it."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a document, or a mapping in a document, may have.

    Attributes:
        name: the key itself.
        holds: content of the key.
        doc: one sentence for editors.
        documents: kinds of documents that have the key at the top level; empty for a key of a nested mapping.
    """

    name: str
    holds: Holds
    doc: str
    documents: tuple[DocumentKind, ...] = ()


Keys: TypeAlias = Mapping[str, Key]
"""Keys by name, in the order in which they are listed."""


def _keys(*rows: Key) -> Keys:
    return {row.name: row for row in rows}


_FAMILY = "The format of answers."
_ROWS = (
    Key("planspec", "version", "The kind of document and the version of its language.", KINDS),
    Key("id", "id", "The name by which other documents and commands find this one.", KINDS),
    Key("title", "word", "A title for readers.", KINDS),
    Key("uses", "words", "The libraries that this document uses, by id or path.", ("library", "world", "task")),
    Key(
        "uses",
        "words",
        "The libraries whose givens, tables and rules this document words, by id or path.",
        ("wording",),
    ),
    Key("task", "word", "The task that this document words, by id or path, if it is for one task.", ("wording",)),
    Key("language", "word", "The language of the requests, such as `de` or `pt-BR`.", ("wording",)),
    Key("begin", "phrases", "The beginning of each request.", ("wording",)),
    Key("given", "phrases by name", "The sentence for each given that a task sets.", ("wording",)),
    Key("tables", "phrase groups", "The sentences for the rows of each table.", ("wording",)),
    Key("rules", "phrase groups", "The sentences for constraints and objectives, by id.", ("wording",)),
    Key("end", "phrases", "The end of each request.", ("wording",)),
    Key("words", "word forms", "The words for the members of enums and the rows of tables, by type.", ("wording",)),
    Key("unsaid", "words", "Givens, tables and rules that requests leave out on purpose.", ("wording",)),
    Key("family", "word", _FAMILY, ("suite",)),
    Key(
        "tasks",
        "suite tasks",
        "The suite's tasks in order: paths of tasks or shards, globs, ids, and tables of tasks (`from` and `task`).",
        ("suite",),
    ),
    Key("protocol", "word", "The protocol by which runs are scored.", ("suite",)),
    Key("meta", "data", "Anything that its author wants to keep with the document.", KINDS),
    Key("currency", "currency", "The currency of all money, in three capital letters.", ("world", "task")),
    Key("world", "word", "The world of the task, by id or path.", ("task",)),
    Key("query", "word", "The request in the words of the person who makes it.", ("task",)),
    Key("without", "words", "The ids of library constraints that do not apply here.", ("task",)),
    Key("unique", "words", "The columns, as `table.column`, that distinguish plans besides keys.", ("task",)),
    Key(
        "unique_best",
        "words",
        "Further columns, as `table.column`, that have one value in all plans that also satisfy every soft constraint, or in the best of these by the objectives.",
        ("task",),
    ),
    Key(
        "minimize",
        "objectives",
        "The value that a solver minimises after the soft constraints, with or without a name; a list is minimised in order.",
        ("library", "task"),
    ),
    Key(
        "maximize",
        "objectives",
        "The value that a solver maximises after the soft constraints, with or without a name; a list is maximised in order.",
        ("library", "task"),
    ),
    Key(
        "max_gap",
        "gaps",
        "By how much a passing plan may be worse than the best: an amount such as `10.00 EUR`, or `5 %`; one for each objective.",
        ("library", "task"),
    ),
    Key("expects", "expectation", "What is expected of the task: `unique`, `feasible` or `infeasible`.", ("task",)),
    Key("expects", "expectation", "What is expected of the tasks that do not say it themselves.", ("suite",)),
    Key(
        "readings",
        "readings",
        "Other readings of the tasks, by name: values of givens, and what is expected.",
        ("suite",),
    ),
    Key("reference", "answer", "The author's answer, the JSON file with it, or its text in a block.", ("task",)),
    Key("cases", "cases", "Answers with the verdicts that the author expects, by name.", ("task",)),
    Key("closed", "flag", "Plans may only have the rows of the scope.", ("task",)),
    Key("turns", "turns", "The steps of a conversation, each a task of its own.", ("task",)),
    Key("tables", "table rows", "The rows of the tables.", ("world",)),
    Key("types", "enums", "Named enums, as in `Mode: foot | bus | taxi`.", ("library", "world", "task")),
    Key("tables", "table schemas", "The tables of facts and their columns.", ("library",)),
    Key(
        "tables",
        "table rows or schemas",
        "Rows of tables that the task fills itself, with columns if no library declares them.",
        ("task",),
    ),
    Key("given", "columns", "Parameters that each task fills, with their types and defaults.", ("library",)),
    Key("given", "cells", "The values of the parameters, as data.", ("task",)),
    Key("plan", "plan tables", "The tables that a plan fills.", ("library", "task")),
    Key("define", "definitions", "Named values and functions.", ("library", "task")),
    Key("scope", "scope", "The rows and values that a search may use, by table.", ("library", "task")),
    Key("constraints", "constraints", "The rules that judge plans, by id.", ("library", "task")),
    Key("kinds", "words", "The kinds under which findings are counted, in the order of reports.", ("library", "task")),
    Key("measures", "words", "The named values that verdicts report.", ("library", "task")),
    Key("environment", "environment", "What agents see: shows, tools and settings.", ("library", "world", "task")),
    Key(
        "tells",
        "quotations",
        "The tables, columns and parameters that the query mentions, each with the words that do.",
        ("task",),
    ),
    Key("family", "word", _FAMILY, ("library", "task")),
    Key("removable", "words", "The static tables from which `planspec tighten` may remove rows.", ("library", "task")),
)

DOCUMENT: Mapping[str, Keys] = {kind: _keys(*(row for row in _ROWS if kind in row.documents)) for kind in KINDS}
"""The keys of each kind of document."""
_KIND = Key("kind", "word", "The kind under which findings are counted.")
_MESSAGE = Key("message", "word", "The text of a finding, with expressions in braces.")
CONSTRAINT = _keys(
    Key("for", "binder", "The bindings of the instances, as in `w in Wish if w.open`."),
    Key("when", "expression", "A static condition; the rule does not apply if it is false."),
    Key("hard", "expression", "The condition that every plan must meet."),
    Key("soft", "expression", "The condition that a plan should meet."),
    Key("weight", "weight", "The weight of a soft constraint: a number, or a static expression."),
    _KIND,
    _MESSAGE,
    Key("says", "word", "The requirement in words, for explanations, with static expressions in braces."),
    Key("margin", "expression", "The distance from a violation, in place of the margin that the condition implies."),
    Key("background", "flag", "Explanations never give the rule up."),
)
DEFINITION = _keys(Key("is", "expression", "The value of the definition."), _KIND, _MESSAGE)
PLAN_TABLE = _keys(Key("one", "flag", "The table has exactly one row."))
"""Keys that a table of the plan may have in addition to its columns."""
SCOPE_ROW = _keys(
    Key("for", "binder", "The bindings of the rows, as in `d in trip for m in Meal`."),
    Key("optional", "flag", "The search may leave the row out."),
)
"""Keys that a row in scope may have in addition to its columns."""
TURN = _keys(
    Key("query", "word", "The request of this turn."),
    Key("given", "cells", "Values that replace earlier ones."),
    Key("constraints", "constraints", "The rules that hold from this turn on."),
    Key("drop", "words", "The ids of constraints that are no longer in force."),
    Key("expects", "expectation", "What is expected of this turn alone: `unique`, `feasible` or `infeasible`."),
    Key("shows", "shows", "Texts that agents get from this turn on."),
    Key("tells", "quotations", "The tables, columns and parameters that this turn's query mentions."),
)
PHRASE_GROUP = _keys(
    Key("for", "binder", "The bindings of the rows; `row in TABLE` if left out."),
    Key("each", "phrases", "The phrase for one row, with expressions in braces."),
    Key("text", "phrases", "The sentence for all rows; `{each}` is the list of their phrases, `{count}` their number."),
    Key("join", "word", "How the phrases are joined: `and`, `or`, or the text between them."),
)
"""Keys of a wording's templates for the rows of a table or the instances of a constraint."""
READING = _keys(
    Key("givens", "cells", "Values that replace those of the tasks and of their turns."),
    Key("expects", "expectation", "What is expected of the tasks in this reading, if it differs."),
)
CASE = _keys(
    Key("answer", "answer", "The answer: a file, JSON or tables in place, or `reference`."),
    Key("from", "word", "The answer that is changed: `reference`, or a file."),
    Key("change", "data", "The replacements of cells and rows, by table."),
    Key("passes", "flag", "No hard constraint is violated."),
    Key("violates", "words", "The violated hard instances, exactly; the id of a constraint stands for its instances."),
    Key("soft", "words", "The violated soft instances, exactly."),
    Key("shape", "words", "The kinds of the violated findings on the plan's shape, exactly."),
    Key("undelivered", "flag", "There is no plan to judge."),
    Key("refuses", "flag", "The answer says that there is no plan, and is right."),
    Key("conflict", "cells", "The rules of a refusal: `any`, of which one is in the conflict, or `exactly`."),
    Key("margin", "cells", "The margins of instances, as `planspec verify` shows them."),
    Key("at", "word", "The turn that is answered, from 1; the last if left out."),
)
SOURCES = _keys(
    Key("rows", "one table's rows", "The rows themselves."),
    Key("csv", "text", "A CSV file beside this document, or the CSV text itself."),
    Key("jsonl", "text", "A file with one JSON object on each line."),
    Key("sqlite", "sqlite query", "A query on an SQLite file."),
    Key("parquet", "text", "A Parquet file, which needs the extra `parquet`."),
    Key("xlsx", "text", "An Excel workbook, which needs the extra `sheets`."),
)
"""Keys that name a source of rows, such as `csv`. An entry has one of them."""
RECORD_SOURCES = _keys(
    *SOURCES.values(),
    Key("json", "text", "A JSON file: a list of objects, or an object of objects, whose names are the field `@key`."),
)
"""Keys that name a source of records that become tasks, such as `json`. An entry has one of them."""
PATH_SOURCES = frozenset(name for name, key in RECORD_SOURCES.items() if key.holds == "text")
"""Sources whose value is the path of a file. A CSV may also be the text itself."""
FILE_SOURCES = frozenset(RECORD_SOURCES) - {"rows"}
"""Sources that read a file: by its path, or by a query on it."""
FILE_FORMAT = _keys(
    Key("delimiter", "text", "The character between the cells of the CSV, or `tab`; a comma if left out."),
    Key("encoding", "text", "The encoding of the CSV file as Python names it, such as `cp1252`; UTF-8 if left out."),
    Key("sheet", "word", "The sheet of the workbook; the first if left out."),
)
"""Keys that declare the format of a source's file."""
DIALECT = _keys(
    Key("decimal", "text", "The decimal sign of numbers: `,` or `.`; the other one may group thousands."),
    Key("dates", "text", "The pattern of dates, such as `%d.%m.%Y`."),
    Key("times", "text", "The pattern of times, such as `%I:%M %p`."),
    Key("true", "words", "Words for true, in capital or small letters."),
    Key("false", "words", "Words for false, in capital or small letters."),
    Key("strip", "words", "Texts before or after numbers that are left out, such as a currency sign."),
)
"""Keys that declare how a source writes numbers, dates, times and Booleans."""
TABLE = _keys(
    Key("columns", "one table's columns", "The table's columns, each with its type."),
    *SOURCES.values(),
    *FILE_FORMAT.values(),
    *DIALECT.values(),
    Key("map", "column map", "The header in the source of each column whose name differs."),
    Key("empty", "words", "Texts for a missing value, such as `NaN`."),
    Key(
        "without",
        "row patterns",
        "Patterns of rows of other documents to leave out: every row with these cells.",
    ),
)
"""Keys of a table's entry: its columns, the source of its rows, and how the source is read."""
TABLE_MARKS = frozenset(TABLE) - frozenset(FILE_FORMAT) - frozenset(DIALECT)
"""Keys by which a table's entry is recognised as the long form. Columns may have the names of the other keys."""
TASK_TABLE = _keys(
    Key("from", "record source", "The source of the records, of which each makes a task."),
    Key("task", "task base", "What the tasks share: a file `NAME.base.yaml` beside the suite, or its sections."),
)
"""Keys of an entry in a suite's tasks that turns each record of a table into a task."""
RECORD_SOURCE = _keys(
    *RECORD_SOURCES.values(),
    Key("at", "words", "The field of a JSON file that has the records, or the list of names that leads to it."),
    *FILE_FORMAT.values(),
    Key("map", "record map", "The fields of a record that fill the sections of its task."),
    Key("ignore", "words", "Fields that are left out on purpose; `*` stands for all that nothing maps."),
)
"""Keys under `from` in a suite's table of tasks: a source of records and how it is read."""
RECORD_MAP = _keys(
    Key("id", "record field", "The field with the id of the task; `id` if left out."),
    Key("query", "record field", "The field with the request."),
    Key("title", "record field", "The field with a title for readers."),
    Key("expects", "record field", "The field that says what is expected: `unique`, `feasible` or `infeasible`."),
    Key("given", "record fields", "The field of each given, or a list of givens whose fields have the same names."),
    Key("tables", "record rows", "The rows of tables, from lists and objects of the record."),
    Key("reference", "record reference", "The field with the author's answer, as JSON or as a text with JSON."),
    Key("meta", "record fields", "Fields that are kept with the task, such as its stratum."),
)
"""Keys under `map`: the sections of a task that get values from a record."""
RECORD_FIELD = _keys(
    Key("from", "words", "The name of the field, or the list of names and positions that leads to it."),
    Key("one_of", "cells", "The words that values stand for, by value."),
    Key("split", "word", "The separator of the items of a text."),
    Key("unit", "word", "The unit of numbers without one: `min h d m km` or the currency."),
    Key("empty", "words", "Texts that stand for a missing value."),
    *DIALECT.values(),
)
"""Keys that name a field of a record, and declare how its value is read."""
RECORD_REFERENCE = {
    **RECORD_FIELD,
    **_keys(
        Key("as", "answer form", "Whether it is a `plan`, without an envelope, or an `answer` as an agent returns it."),
    ),
}
"""Keys that name the field of a record with the reference answer."""
ANSWER_FORMS = ("plan", "answer")
RECORD_ROWS = _keys(
    Key("each", "record field", "The field with a list of rows, or with objects in objects if there are `keys`."),
    Key("skip", "count", "The number of leading items that are no rows."),
    Key("map", "record fields", "The field of each column in an item; `[]` is the item itself."),
    Key("keys", "words", "The columns of the names of objects, from outside to inside."),
    Key("value", "word", "The column of the innermost values."),
    Key("zip", "record fields", "Parallel lists, by column."),
)
"""Keys that declare how the rows of a table are made from a record."""
SQLITE = _keys(
    Key("file", "text", "The SQLite file, beside this document."),
    Key("query", "text", "The SQL query that returns the rows."),
)
MAPPED = _keys(
    Key("from", "word", "The header in the source."),
    Key("split", "word", "The separator of the items of a cell."),
    Key("unit", "word", "The unit of numbers without one: `min h d m km` or the currency."),
    Key("empty", "words", "Texts of this column for a missing value."),
    *DIALECT.values(),
)
"""Keys of a column under `map`: its header in the source, and how its cells are read."""

ENVIRONMENT = _keys(
    Key("role", "word", "The role of agents, as a sentence that begins their system prompt."),
    Key(
        "refusals",
        "refusal mode",
        "Whether agents may answer that there is no plan: `none`, `allowed`, or `conflicts` if they may name rules.",
    ),
    Key("hidden", "words", "Tables, columns as `Table.column`, and parameters that are hidden from agents."),
    Key("shapes", "shapes", "Named result trees with parameters."),
    Key("shows", "shows", "Texts that agents get together with the query."),
    Key("tools", "tools", "Tools that agents may call."),
    Key("briefs", "cells", "Texts for agents to which settings refer, by name."),
    Key("settings", "settings", "The ways in which agents meet a task; the first is the default."),
    Key("default", "word", "The setting that is used if none is named."),
)
"""The keys under `environment`."""
RESULT = _keys(
    Key("each", "binders", "The bindings of the items, as in `h in Hotel if h.city == arg.city`."),
    Key("by", "expressions", "The names of the fields under which items stand, instead of a list."),
    Key("sort", "expressions", "The sort keys of the items, with `desc` behind a descending one."),
    Key("limit", "count", "The maximum number of items after sorting."),
    Key("empty", "refusal", "The refusal if there is no item."),
    Key("as", "tree", "The item."),
    Key("text", "word", "A text with expressions in braces."),
    Key("make", "tree", "The result itself, beside a `when`."),
    Key("when", "expression", "A condition; if it is false, the field is left out or is the value of `else`."),
    Key("else", "tree", "The value if `when` is false."),
)
"""The keywords of a result tree."""
REFUSAL = _keys(
    Key("if", "expression", "A condition; the call is refused if it is true."),
    Key("code", "word", "`not-found`, `invalid-arguments` or `upstream`."),
    Key("say", "word", "The text of the refusal, with expressions in braces."),
)
PARAMETER = _keys(
    Key("type", "type", "The type of the value."),
    Key("doc", "word", "A description of the parameter, for agents."),
    Key("optional", "flag", "A call may leave it out; its value is then none."),
    Key("default", "expression", "The value of a call that leaves it out."),
    Key("where", "expression", "A static condition on the value; others are refused."),
    Key("called", "expressions", "Texts that name a row, or rows whose names it shares."),
    Key("noun", "word", "The noun for the row, in refusals."),
    Key("told", "flag", "The schema lists the rows that may be named."),
    Key("one_of", "cells", "The words that a call may use, each with its value."),
)
TOOL = _keys(
    Key("doc", "word", "A description of the tool, for agents."),
    Key("params", "parameters", "The parameters, which expressions read as `arg.NAME`."),
    Key("refuse", "refusals", "The refusals of calls, checked in order."),
    Key("returns", "tree", "The result, an object."),
    Key("replace", "flag", "It replaces a tool of the same name."),
)
SHOW = _keys(
    Key("title", "word", "A title, with expressions in braces."),
    Key("for", "binder", "The bindings of the show, each under its own title."),
    Key("format", "word", "`json`, `csv` or `text`."),
    Key("replace", "flag", "It replaces a show of the same name."),
    *RESULT.values(),
)
SETTING = _keys(
    Key("shows", "shown names", "The names of the shows, `all` or `none`."),
    Key("tools", "shown names", "The names of the tools, `all` or `none`."),
    Key("calls", "count", "The maximum number of calls of one attempt."),
    Key("role", "word", "The role of agents in this setting, in place of that of the environment."),
    Key("refusals", "refusal mode", "What `refusals` says in this setting, in place of the environment."),
    Key("brief", "words", "A text for agents beside the query, or a list of the names of `briefs`."),
    Key("replace", "flag", "It replaces a setting of the same name."),
)
