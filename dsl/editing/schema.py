"""JSON Schema of the documents, for editors that complete and check YAML.

A schema sees values after YAML's own guesses, where an expression may be a text, a number, a truth value or, in
braces, an object. It is therefore looser than `check`: where it objects, the document is wrong.
"""

from __future__ import annotations

import json
from typing import Any, TypeAlias

from planspec.dsl.resources.limits import WEIGHT
from planspec.dsl.workspace.document import KEYS

Schema: TypeAlias = dict[str, Any]  # JSON, whose shape is JSON Schema's

DIALECT = "https://json-schema.org/draft/2020-12/schema"

TITLES = {
    "library": "What a family of tasks shares.",
    "world": "The rows of the facts that tasks are about.",
    "task": "One planning task.",
    "suite": "An ordered list of tasks and how runs on them are scored.",
}

NAMED = r"^\w[\w.@-]*$"


def _def(name: str, description: str) -> Schema:
    return {"$ref": f"#/$defs/{name}", "description": description}


def _objectives(description: str) -> Schema:
    one: Schema = {"$ref": "#/$defs/expression"}
    return {"description": description, "anyOf": [one, {"type": "array", "items": one}]}


def _mapping(values: Schema, description: str) -> Schema:
    return {
        "description": description,
        "type": ["object", "null"],
        "additionalProperties": values,
    }


def _entry(description: str, properties: dict[str, Schema], required: list[str] | None = None) -> Schema:
    made: Schema = {"description": description, "type": "object", "properties": properties}
    if required:
        made["required"] = required
    return {**made, "additionalProperties": False}


WORD: Schema = {"type": ["string", "number", "boolean", "null"]}
FLAG: Schema = {"enum": [True, False, "true", "false"]}
CELL: Schema = {
    "description": "A value as data: a word, a list of words, or `none`.",
    "type": [*WORD["type"], "array", "object"],
    "items": {"$ref": "#/$defs/cell"},
    "additionalProperties": {"type": "null"},
}
EXPRESSION: Schema = {
    "description": "An expression of the language.",
    "type": ["string", "number", "boolean", "object"],
    "additionalProperties": {"type": "null"},
}
COLUMNS: Schema = _mapping(
    _def("column", "The column's type, with `key` before it and `= default` behind."), "Columns."
)
ROW: Schema = {
    "description": "One row: its columns and their values.",
    "type": "object",
    "additionalProperties": {"$ref": "#/$defs/cell"},
}
SQLITE = _entry(
    "A query on an SQLite file.",
    {
        "file": {"description": "The SQLite file, beside this document.", "type": "string"},
        "query": {"description": "The SQL query that gives the rows.", "type": "string"},
    },
    ["file", "query"],
)
MAPPED: Schema = {
    "description": "The header in the source of each column whose name differs.",
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"$ref": "#/$defs/word"},
            _entry(
                "A header, and how its cells are read.",
                {
                    "from": {"description": "The header in the source.", **WORD},
                    "split": {"description": "The text between the items of a cell.", **WORD},
                    "unit": {
                        "description": "The unit of numbers without one: `min h d m km` or the currency.",
                        **WORD,
                    },
                    "empty": _def("words", "Texts of this column that mean that nothing is there."),
                },
            ),
        ]
    },
}
SOURCE = _entry(
    "Where a table's rows come from, and its columns if no library declares them.",
    {
        "columns": {**COLUMNS, "description": "The table's columns, each with its type."},
        "rows": {
            "description": "The rows themselves.",
            "type": ["array", "null"],
            "items": {"$ref": "#/$defs/row"},
        },
        "csv": {"description": "A CSV file beside this document, or the CSV text itself.", "type": "string"},
        "jsonl": {"description": "A file with one JSON object on each line.", "type": "string"},
        "sqlite": SQLITE,
        "parquet": {"description": "A Parquet file, which needs the extra `parquet`.", "type": "string"},
        "map": MAPPED,
        "empty": _def("words", "Texts that mean that nothing is there, such as `NaN`."),
        "without": {
            "description": "Rows of other documents that are left out: every row with these cells.",
            "type": "array",
            "items": {"$ref": "#/$defs/row"},
        },
    },
)
ROWS: Schema = {"description": "The rows themselves.", "type": "array", "items": {"$ref": "#/$defs/row"}}
PLAN: Schema = {
    "description": "A table that a plan fills: its columns and their types.",
    "type": "object",
    "properties": {"one": {"description": "The table has exactly one row.", **FLAG}},
    "additionalProperties": {"$ref": "#/$defs/column"},
}
KIND: Schema = {"description": "The kind under which findings are counted.", **WORD}
MESSAGE: Schema = {"description": "What a finding says, with expressions in braces.", **WORD}
LONG = _entry(
    "A predicate that is the template of constraints.",
    {"is": _def("expression", "What the definition stands for."), "kind": KIND, "message": MESSAGE},
    ["is"],
)
CONSTRAINT: Schema = {
    **_entry(
        "A rule: one instance for each binding of `for`.",
        {
            "for": _def("expression", "What there is an instance for, as in `w in Wish if w.open`."),
            "when": _def("expression", "A static condition; where it is false the rule does not apply."),
            "hard": _def("expression", "The condition that every plan must meet."),
            "soft": _def("expression", "The condition that a plan should meet."),
            "weight": {
                "description": "How much a soft constraint counts: a number, or a static expression.",
                "type": ["integer", "string"],
                "minimum": 0,
                "maximum": WEIGHT,
            },
            "kind": KIND,
            "message": MESSAGE,
            "says": {
                "description": "What the rule asks, for explanations, with static expressions in braces.",
                **WORD,
            },
            "margin": _def(
                "expression", "How far the rule is from being violated, in place of what its structure says."
            ),
            "background": {"description": "Explanations never give the rule up.", **FLAG},
        },
    ),
    "oneOf": [{"required": ["hard"]}, {"required": ["soft"]}],
}
SCOPE_ROW: Schema = {
    "description": "Rows that the search may use: a domain for each column.",
    "type": "object",
    "properties": {
        "for": _def("expression", "What there is a row for, as in `d in trip for m in Meal`."),
        "optional": {"description": "The search may leave the row out.", **FLAG},
    },
    "additionalProperties": _def(
        "expression", "The column's domain: a constant, a range, a set or a filtered table."
    ),
}
TURN = _entry(
    "One turn: what it adds to the turns before, and what it changes of them.",
    {
        "query": {"description": "What is asked at this turn.", **WORD},
        "given": _mapping({"$ref": "#/$defs/cell"}, "Values that take the place of earlier ones."),
        "constraints": _mapping({"$ref": "#/$defs/constraint"}, "The rules that hold from this turn on."),
        "drop": _def("words", "The ids of constraints that hold no longer."),
    },
)
DEFS: dict[str, Schema] = {
    "cell": CELL,
    "column": {
        "description": "A column or given: `key date`, `int = 1`, `set of Cuisine`, `money?`.",
        "type": "string",
    },
    "columns": {**COLUMNS, "description": "A table's columns, each with its type."},
    "constraint": CONSTRAINT,
    "definition": {
        "description": "A named value or function.",
        "anyOf": [LONG, {"$ref": "#/$defs/expression"}],
    },
    "expression": EXPRESSION,
    "plan_table": PLAN,
    "row": ROW,
    "scope_row": SCOPE_ROW,
    "source": SOURCE,
    "turn": TURN,
    "word": WORD,
    "words": {
        "description": "A list of words, or one of them.",
        "anyOf": [
            {"type": "null"},
            {"$ref": "#/$defs/word"},
            {"type": "array", "items": {"$ref": "#/$defs/word"}},
        ],
    },
}
TABLES: dict[str, list[Schema]] = {
    "library": [{"$ref": "#/$defs/columns"}],
    "world": [ROWS, {"$ref": "#/$defs/source"}],
    "task": [ROWS, {"$ref": "#/$defs/source"}, {"$ref": "#/$defs/columns"}],
}
ANY: Schema = {"type": ["object", "array", "string", "number", "boolean", "null"]}
PROPERTIES: dict[str, Schema] = {
    "id": {
        "description": "The name by which other documents and commands find this one.",
        "type": "string",
        "pattern": NAMED,
    },
    "title": {"description": "A title for readers.", **WORD},
    "uses": _def("words", "The libraries that this document uses, by id or path."),
    "meta": {"description": "Anything that its author wants to keep with the document.", "type": ["object", "null"]},
    "types": _mapping({"type": ["string", "boolean"]}, "Named enums, as in `Mode: foot | bus | taxi`."),
    "plan": _mapping({"$ref": "#/$defs/plan_table"}, "The tables that a plan fills."),
    "define": _mapping({"$ref": "#/$defs/definition"}, "Named values and functions."),
    "constraints": _mapping({"$ref": "#/$defs/constraint"}, "The rules that plans are judged by, each under its id."),
    "removable": _def("words", "The static tables whose rows `planspec tighten` may leave out."),
    "kinds": _def("words", "The kinds under which findings are counted, in the order of reports."),
    "measures": _def("words", "The named values that verdicts report."),
    "family": {"description": "The format in which answers come.", **WORD},
    "currency": {"description": "The currency of all money, in three capital letters.", "type": "string", "pattern": r"^[^\sa-z]{3}$"},
    "world": {"description": "The world that the task is set in, by id or path.", **WORD},
    "query": {"description": "The request in the words of the one who makes it.", **WORD},
    "scope": _mapping(
        {
            "description": "The rows of a plan's table that the search may use.",
            "anyOf": [
                {"type": "null"},
                {"$ref": "#/$defs/scope_row"},
                {"type": "array", "items": {"$ref": "#/$defs/scope_row"}},
            ],
        },
        "What the search may use, table by table.",
    ),
    "without": _def("words", "The ids of library constraints that do not apply here."),
    "unique": _def("words", "The columns, as `table.column`, that tell plans apart besides keys."),
    "minimize": _objectives("What a solver makes as small as it can after the soft constraints; of several, in order."),
    "maximize": _objectives("What a solver makes as great as it can after the soft constraints; of several, in order."),
    "reference": {"description": "The answer that the author gives, or the JSON file that holds it.", **ANY},
    "turns": {
        "description": "The steps of a conversation, each a task of its own.",
        "type": "array",
        "items": {"$ref": "#/$defs/turn"},
    },
    "closed": {"description": "Plans may only have the rows of the scope.", **FLAG},
    "tasks": _def("words", "The suite's tasks in order: paths, globs or ids."),
    "protocol": {"description": "The protocol by which runs are scored.", **WORD},
}  # fmt: skip
GIVEN: dict[str, Schema] = {
    "library": _mapping(
        {"$ref": "#/$defs/column"}, "Parameters that each task fills, with their types and defaults."
    ),
    "task": _mapping({"$ref": "#/$defs/cell"}, "The values of the parameters, as data."),
}
TABLE_WORDS = {
    "library": "The tables of facts and their columns.",
    "world": "The rows of the tables.",
    "task": "Rows for tables that the task fills itself, with columns if no library declares them.",
}
REQUIRED = {"library": ["id"], "world": ["id"], "task": ["id"], "suite": ["id", "tasks"]}
ASKED: Schema = {"anyOf": [{"required": ["query"]}, {"required": ["turns"]}]}
"""A task asks something: itself, or in its turns."""


def document_schema(kind: str) -> Schema:
    """The JSON Schema (draft 2020-12) of a kind of document.

    Args:
        kind: `library`, `world`, `task` or `suite`.

    Returns:
        A schema whose keys are those that `check` knows, each with a sentence about it.

    Raises:
        KeyError: there is no such kind.
    """
    properties = {key: _property(kind, key) for key in KEYS[kind]}
    schema = {
        "$schema": DIALECT,
        "title": f"planspec {kind}",
        "description": TITLES[kind],
        "type": "object",
        "properties": properties,
        "required": ["planspec", *REQUIRED[kind]],
        "additionalProperties": False,
        **(ASKED if kind == "task" else {}),
    }
    used = _used(properties)
    return {**schema, "$defs": {name: made for name, made in DEFS.items() if name in used}}


def schema_text(kind: str) -> str:
    """The schema as the JSON text that ships in `schemas/`."""
    return json.dumps(document_schema(kind), indent=2, ensure_ascii=False) + "\n"


def _property(kind: str, key: str) -> Schema:
    match key:
        case "planspec":
            return {
                "description": "The kind of document and the version of its language.",
                "const": f"{kind}/1",
            }
        case "tables":
            choices = TABLES[kind]
            values = choices[0] if len(choices) == 1 else {"anyOf": [{"type": "null"}, *choices]}
            return _mapping(values, TABLE_WORDS[kind])
        case "given":
            return GIVEN[kind]
        case _:
            return PROPERTIES[key]


def _used(properties: dict[str, Schema]) -> set[str]:
    """The shared parts that the properties mention, directly or through others."""
    found: set[str] = set()
    todo: list[Any] = [properties]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in DEFS and name not in found:
                found.add(name)
                todo.append(DEFS[name])
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)
    return found
