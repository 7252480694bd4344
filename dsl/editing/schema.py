"""JSON Schema of the documents, for editors that complete and check YAML.

A schema is applied to values after YAML's conversion: an expression may be a string, a number, a Boolean or, in
braces, an object. The schema is therefore looser than `check`: a document that it rejects is invalid, but it accepts
some invalid ones.
"""

from __future__ import annotations

from typing import Any, TypeAlias, assert_never

from planspec.dsl.model.environment import REFUSAL_MODES
from planspec.dsl.model.expectation import EXPECTATIONS
from planspec.dsl.model.wording import CATEGORIES, OTHER
from planspec.dsl.resources.limits import WEIGHT
from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document import TASK_ID
from planspec.dsl.structure.document_keys import Key, Keys

Schema: TypeAlias = dict[str, Any]  # JSON, whose shape is JSON Schema's

DIALECT = "https://json-schema.org/draft/2020-12/schema"

TITLES = {
    "library": "The common declarations of a family of tasks.",
    "world": "The facts of tasks: rows of tables.",
    "task": "One planning task.",
    "suite": "An ordered list of tasks with the settings for scoring runs on them.",
    "wording": "Templates from which requests of tasks are written in a language.",
}

NAMED = r"^\w[\w.@-]*$"


def _def(name: str, description: str) -> Schema:
    return {"$ref": f"#/$defs/{name}", "description": description}


def _mapping(values: Schema, description: str) -> Schema:
    return {
        "description": description,
        "type": ["object", "null"],
        "additionalProperties": values,
    }


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
ROWS: Schema = {"description": "The rows themselves.", "type": "array", "items": {"$ref": "#/$defs/row"}}


def _content_schema(key: Key, kind: str = "") -> Schema:  # noqa: C901 one case for each kind of content
    """Return the schema of the values that a key of a document can have. `kind` is the kind of the document."""
    doc = key.doc
    match key.holds:
        case "version":
            return {"description": doc, "const": f"{kind}/1"}
        case "id":
            pattern = f"{NAMED}|^{TASK_ID.pattern}$" if kind == "task" else NAMED
            return {"description": doc, "type": "string", "pattern": pattern}
        case "currency":
            return {"description": doc, "type": "string", "pattern": r"^[^\sa-z]{3}$"}
        case "word":
            return {"description": doc, **WORD}
        case "words":
            return _def("words", doc)
        case "suite tasks":
            table = _entry("A table of tasks.", document_keys.TASK_TABLE, ["from", "task"])
            items: Schema = {"anyOf": [{"$ref": "#/$defs/word"}, table]}
            return {"description": doc, "anyOf": [{"$ref": "#/$defs/words"}, {"type": "array", "items": items}]}
        case "record source":
            return _entry(doc, document_keys.RECORD_SOURCE)
        case "record map":
            return _entry(doc, document_keys.RECORD_MAP)
        case "record field":
            return _def("field", doc)
        case "record reference":
            entry = _entry("The author's answer, and how it is read.", document_keys.RECORD_REFERENCE, ["from"])
            return {"description": doc, "anyOf": [{"$ref": "#/$defs/field"}, entry]}
        case "answer form":
            return {"description": doc, "enum": list(document_keys.ANSWER_FORMS)}
        case "record fields":
            return {"description": doc, "anyOf": [_mapping({"$ref": "#/$defs/field"}, doc), {"$ref": "#/$defs/words"}]}
        case "record rows":
            rows = _entry("How the rows are made.", document_keys.RECORD_ROWS)
            return _mapping({"anyOf": [{"$ref": "#/$defs/field"}, rows]}, doc)
        case "task base":
            return {"description": doc, "type": ["string", "object"]}
        case "flag":
            return {"description": doc, **FLAG}
        case "text":
            return {"description": doc, "type": "string"}
        case "data":
            return {"description": doc, "type": ["object", "null"]}
        case "answer":
            return {"description": doc, **ANY}
        case "expression" | "binder":
            return _def("expression", doc)
        case "weight":
            return {"description": doc, "type": ["integer", "string"], "minimum": 0, "maximum": WEIGHT}
        case "objectives":
            expression: Schema = {"$ref": "#/$defs/expression"}
            named = {**_mapping(expression, "Objectives by name."), "type": "object"}
            one: Schema = {"anyOf": [expression, named]}
            return {"description": doc, "anyOf": [*one["anyOf"], {"type": "array", "items": one}]}
        case "gaps":
            return _def("words", doc)
        case "refusal mode":
            return {"description": doc, "enum": list(REFUSAL_MODES)}
        case "expectation":
            return {"description": doc, "enum": list(EXPECTATIONS)}
        case "readings":
            return _mapping({"$ref": "#/$defs/reading"}, doc)
        case "enums":
            return _mapping({"type": ["string", "boolean"]}, doc)
        case "columns":
            return _mapping({"$ref": "#/$defs/column"}, doc)
        case "phrases":
            return _def("phrases", doc)
        case "phrases by name":
            return _mapping({"$ref": "#/$defs/phrases"}, doc)
        case "phrase groups":
            return _mapping({"anyOf": [{"$ref": "#/$defs/phrases"}, {"$ref": "#/$defs/phrase_group"}]}, doc)
        case "word forms":
            forms = {
                "anyOf": [
                    {"$ref": "#/$defs/word"},
                    {"type": "object", "additionalProperties": {"$ref": "#/$defs/word"}},
                ]
            }
            return _mapping(_mapping(forms, "Words by member or key, each with its forms."), doc)
        case "cells":
            return _mapping({"$ref": "#/$defs/cell"}, doc)
        case "plan tables":
            return _mapping({"$ref": "#/$defs/plan_table"}, doc)
        case "definitions":
            return _mapping({"$ref": "#/$defs/definition"}, doc)
        case "constraints":
            return _mapping({"$ref": "#/$defs/constraint"}, doc)
        case "scope":
            return _mapping(SCOPE_ROWS, doc)
        case "cases":
            return _mapping({"$ref": "#/$defs/case"}, doc)
        case "turns":
            return {"description": doc, "type": "array", "items": {"$ref": "#/$defs/turn"}}
        case "table schemas":
            return _mapping({"$ref": "#/$defs/columns"}, doc)
        case "table rows":
            return _mapping({"anyOf": [{"type": "null"}, ROWS, {"$ref": "#/$defs/source"}]}, doc)
        case "table rows or schemas":
            choices = [{"type": "null"}, ROWS, {"$ref": "#/$defs/source"}, {"$ref": "#/$defs/columns"}]
            return _mapping({"anyOf": choices}, doc)
        case "one table's columns":
            return {**COLUMNS, "description": doc}
        case "one table's rows":
            return {"description": doc, "type": ["array", "null"], "items": {"$ref": "#/$defs/row"}}
        case "sqlite query":
            return _entry(doc, document_keys.SQLITE, list(document_keys.SQLITE))
        case "column map":
            mapped = _entry("A header, and how its cells are read.", document_keys.MAPPED)
            other: Schema = {"anyOf": [{"$ref": "#/$defs/word"}, mapped]}
            return {"description": doc, "type": "object", "additionalProperties": other}
        case "row patterns":
            return {"description": doc, "type": "array", "items": {"$ref": "#/$defs/row"}}
        case "environment":
            return {"description": doc, **_entry(doc, document_keys.ENVIRONMENT)}
        case "shapes":
            return _mapping({"$ref": "#/$defs/result"}, doc)
        case "shows":
            return _mapping({"$ref": "#/$defs/show"}, doc)
        case "tools":
            return _mapping({"$ref": "#/$defs/tool"}, doc)
        case "settings":
            return _mapping({"$ref": "#/$defs/setting"}, doc)
        case "parameters":
            return _mapping({"$ref": "#/$defs/parameter"}, doc)
        case "type":
            return _def("column", doc)
        case "tree":
            return _def("result", doc)
        case "refusals":
            one = {"$ref": "#/$defs/refusal"}
            return {"description": doc, "anyOf": [one, {"type": "array", "items": one}]}
        case "refusal":
            return _def("refusal", doc)
        case "expressions" | "binders":
            one = {"$ref": "#/$defs/expression"}
            return {"description": doc, "anyOf": [one, {"type": "array", "items": one}]}
        case "count":
            return {"description": doc, "type": ["integer", "string"]}
        case "shown names":
            return _def("words", doc)
        case "quotations":
            return {"description": doc, "anyOf": [_mapping(WORD, doc), {"$ref": "#/$defs/words"}]}
        case _:
            assert_never(key.holds)


def _properties(keys: Keys, kind: str = "") -> dict[str, Schema]:
    return {name: _content_schema(key, kind) for name, key in keys.items()}


def _entry(description: str, keys: Keys, required: list[str] | None = None) -> Schema:
    schema: Schema = {"description": description, "type": "object", "properties": _properties(keys)}
    if required:
        schema["required"] = required
    return {**schema, "additionalProperties": False}


PLURAL_FORMS: Keys = {name: Key(name, "word", f"The phrase in the plural category {name}.") for name in CATEGORIES}
SCOPE_ROWS: Schema = {
    "description": "The rows of a plan's table that the search may use.",
    "anyOf": [
        {"type": "null"},
        {"$ref": "#/$defs/scope_row"},
        {"type": "array", "items": {"$ref": "#/$defs/scope_row"}},
    ],
}
RESULTS: Schema = {"anyOf": [{"$ref": "#/$defs/result"}, {"type": ["array", "number", "boolean", "null"]}]}
"""Schema of a result tree: any JSON, because the author chooses the field names of objects."""
ANY: Schema = {"type": ["object", "array", "string", "number", "boolean", "null"]}
DEFS: dict[str, Schema] = {
    "case": _entry("An answer with the verdict that the author expects.", document_keys.CASE),
    "cell": CELL,
    "column": {
        "description": "A column or given: `key date`, `int = 1`, `set of Cuisine`, `money?`.",
        "type": "string",
    },
    "columns": {**COLUMNS, "description": "A table's columns, each with its type."},
    "constraint": {
        **_entry("A rule: one instance for each binding of `for`.", document_keys.CONSTRAINT),
        "oneOf": [{"required": ["hard"]}, {"required": ["soft"]}],
    },
    "definition": {
        "description": "A named value or function.",
        "anyOf": [
            _entry("A predicate that is the template of constraints.", document_keys.DEFINITION, ["is"]),
            {"$ref": "#/$defs/expression"},
        ],
    },
    "expression": EXPRESSION,
    "plan_table": {
        "description": "A table of the plan: its columns and their types.",
        "type": "object",
        "properties": _properties(document_keys.PLAN_TABLE),
        "additionalProperties": {"$ref": "#/$defs/column"},
    },
    "field": {
        "description": "A field of a record: its name, the names and positions that lead to it, or how it is read.",
        "anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": ["string", "integer"]}},
            _entry("A field, and how it is read.", document_keys.RECORD_FIELD, ["from"]),
        ],
    },
    "reading": {
        **_entry("Values of givens that stand for one reading of the tasks.", document_keys.READING),
        "anyOf": [{"required": ["givens"]}, {"required": ["expects"]}],
    },
    "phrase": {
        "description": "A text with expressions in braces, or one for each plural category of the language.",
        "anyOf": [{"$ref": "#/$defs/word"}, _entry("A text by plural category.", PLURAL_FORMS, [OTHER])],
    },
    "phrase_group": {
        **_entry("The phrase for each row, and the sentence for all of them.", document_keys.PHRASE_GROUP),
        "anyOf": [{"required": ["each"]}, {"required": ["text"]}],
    },
    "phrases": {
        "description": "A phrase, or a list of alternatives from which a seed chooses.",
        "anyOf": [{"$ref": "#/$defs/phrase"}, {"type": "array", "items": {"$ref": "#/$defs/phrase"}}],
    },
    "parameter": {
        "description": "A parameter of a tool: its type, or a mapping with more details.",
        "anyOf": [{"$ref": "#/$defs/column"}, _entry("A parameter.", document_keys.PARAMETER, ["type"])],
    },
    "refusal": _entry("A call without a result.", document_keys.REFUSAL, ["say"]),
    "result": {
        "description": "A result: an expression, an object of results, or a part made by `each`, `text` or `make`.",
        "anyOf": [{"$ref": "#/$defs/expression"}, {"type": "object", "additionalProperties": RESULTS}],
    },
    "row": ROW,
    "scope_row": {
        "description": "Rows that the search may use: a domain for each column.",
        "type": "object",
        "properties": _properties(document_keys.SCOPE_ROW),
        "additionalProperties": _def(
            "expression", "The column's domain: a constant, a range, a set or a filtered table."
        ),
    },
    "setting": _entry("A way in which agents meet the task.", document_keys.SETTING),
    "show": {
        "description": "A text given to agents together with the query: a tree, `all` of a table, or parameters.",
        "anyOf": [{"$ref": "#/$defs/words"}, _entry("A tree under a title.", document_keys.SHOW)],
    },
    "source": _entry(
        "The source of a table's rows, with its columns if no library declares them.", document_keys.TABLE
    ),
    "tool": _entry("A tool over tables.", document_keys.TOOL, ["returns"]),
    "turn": _entry("One turn: additions to the earlier turns and changes to them.", document_keys.TURN),
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
REQUIRED = {"library": ["id"], "world": ["id"], "task": ["id"], "suite": ["id", "tasks"], "wording": ["id", "language"]}
QUERY_REQUIRED: Schema = {"anyOf": [{"required": ["query"]}, {"required": ["turns"]}]}
"""Schema that requires a query in a task: its own, or one in its turns."""


def document_schema(kind: str) -> Schema:
    """Return the JSON Schema (draft 2020-12) of a kind of document.

    Args:
        kind: `library`, `world`, `task`, `suite` or `wording`.

    Returns:
        A schema of all keys that `check` accepts, with their descriptions.

    Raises:
        KeyError: there is no such kind.
    """
    properties = _properties(document_keys.DOCUMENT[kind], kind)
    schema = {
        "$schema": DIALECT,
        "title": f"planspec {kind}",
        "description": TITLES[kind],
        "type": "object",
        "properties": properties,
        "required": ["planspec", *REQUIRED[kind]],
        "additionalProperties": False,
        **(QUERY_REQUIRED if kind == "task" else {}),
    }
    used = _shared_parts_in(properties)
    return {**schema, "$defs": {name: part for name, part in DEFS.items() if name in used}}


def _shared_parts_in(properties: dict[str, Schema]) -> set[str]:
    """Return the names under `$defs` to which the properties refer, directly or through other definitions."""
    names: set[str] = set()
    todo: list[Any] = [properties]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix("#/$defs/")
            if name in DEFS and name not in names:
                names.add(name)
                todo.append(DEFS[name])
            todo.extend(part.values())
        elif isinstance(part, list):
            todo.extend(part)
    return names
