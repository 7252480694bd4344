"""JSON Schemas of the data that agents send: arguments of tools, and plans as JSON tables."""

from __future__ import annotations

from typing import Any, TypeAlias

from planspec.dsl.model.environment import DeclaredTool, Parameter, RefusalMode
from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import Column, EnumType, ListType, RowType, ScalarType, SetType, Table, Type
from planspec.dsl.model.value_text import json_value
from planspec.verifiers.answers.tables import row_names
from planspec.verifiers.meaning.interpret import Interpreter

Schema: TypeAlias = dict[str, Any]  # a JSON Schema

FORMS: dict[ScalarType, tuple[Schema, str]] = {
    ScalarType.BOOL: ({"type": "boolean"}, ""),
    ScalarType.INT: ({"type": "integer"}, ""),
    ScalarType.DECIMAL: ({"type": ["number", "string"]}, "a number; a text where it has many digits"),
    ScalarType.TEXT: ({"type": "string"}, ""),
    ScalarType.DATE: ({"type": "string", "format": "date"}, "YYYY-MM-DD"),
    ScalarType.TIME: ({"type": "string"}, "HH:MM"),
    ScalarType.MOMENT: ({"type": "string"}, "YYYY-MM-DD HH:MM"),
    ScalarType.DURATION: ({"type": "string"}, "such as 1h30min"),
    ScalarType.MONEY: ({"type": ["number", "string"]}, "an amount"),
    ScalarType.DISTANCE: ({"type": "string"}, "such as 3.2km or 850m"),
}
"""JSON Schema of each scalar type, and an explanation of its notation, such as `HH:MM`; empty if it is obvious."""


def parameters_schema(tool: DeclaredTool, interpreter: Interpreter) -> Schema:
    """Return the schema of a tool's arguments. It lists the names of rows only for parameters with `lists_names`.

    Args:
        tool: the tool.
        interpreter: interpreter of the task, without a plan.
    """
    properties = {param.name: _parameter_schema(param, interpreter) for param in tool.params}
    required = [param.name for param in tool.params if param.required]
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def _parameter_schema(param: Parameter, interpreter: Interpreter) -> Schema:
    schema: Schema = (
        {"enum": list(param.one_of)} if param.one_of else _argument_schema(param, param.binding.type, interpreter)
    )
    doc = param.doc or schema.pop("description", "")
    if doc:
        schema["description"] = doc
    if param.default is not None:
        schema["default"] = json_value(param.default, param.binding.type, interpreter.task.currency)
    return schema


def _argument_schema(param: Parameter, type_: Type, interpreter: Interpreter) -> Schema:
    if isinstance(type_, SetType | ListType):
        return {"type": "array", "items": _argument_schema(param, type_.item, interpreter)}
    if isinstance(type_, RowType) and param.lists_names:
        rows = [
            row
            for row in interpreter.task.facts[type_.table].rows
            if param.where is None or interpreter.holds(param.where, {param.present_binding: row, param.binding: row})
        ]
        return {"enum": [_name_of(row) for row in rows]}
    return _scalar_schema(type_)


def _name_of(row: Row) -> str:
    """Return the name of a row as the schema lists it."""
    *_, last = row_names(row)
    return last


def _scalar_schema(type_: Type) -> Schema:
    match type_:
        case EnumType(members=members):
            return {"enum": list(members)}
        case ScalarType():
            schema, written = FORMS[type_]
            return {**schema, "description": written} if written else dict(schema)
        case _:
            return {"type": "string"}


# ------------------------------------------------------------------ plans


def plan_schema(task: Task) -> Schema:
    """Return the JSON Schema of answers that consist of the plan's tables.

    The schema lists the members of enums. It does not list the rows of static tables to which plan rows can refer.
    """
    tables = {table.name: _table_schema(table, task) for table in task.plan_tables}
    return {
        "type": "object",
        "properties": tables,
        "required": list(tables),
        "additionalProperties": False,
    }


def with_refusal(schema: Schema, refusals: RefusalMode) -> Schema:
    """Return the schema of answers that are a plan or, if `refusals` allows it, a statement that no plan exists."""
    if refusals == "none":
        return schema
    named: Schema = {"const": True}
    if refusals == "conflicts":
        named = {"anyOf": [named, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}
    refusal = {"type": "object", "properties": {REFUSAL: named}, "required": [REFUSAL], "additionalProperties": False}
    return {"anyOf": [schema, refusal]}


def _table_schema(table: Table, task: Task) -> Schema:
    properties = {name: _column_schema(column, task) for name, column in table.columns.items()}
    required = [name for name, column in table.columns.items() if not (column.optional or column.has_default)]
    row: Schema = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return row if table.one else {"type": "array", "items": row}


def _column_schema(column: Column, task: Task) -> Schema:
    schema = _type_schema(column.type, task)
    return {"anyOf": [schema, {"type": "null"}]} if column.optional else schema


def _type_schema(type_: Type, task: Task) -> Schema:
    match type_:
        case SetType(item) | ListType(item):
            return {"type": "array", "items": _type_schema(item, task)}
        case RowType(table):
            return _reference_schema(task.tables[table], task)
        case _:
            return _scalar_schema(type_)


def _reference_schema(table: Table, task: Task) -> Schema:
    """Return the schema of a reference to a row: its key, a list of the key's parts, or its position in the table."""
    if not table.key:
        return {"type": "integer", "description": f"the place of a row of {table.name}, from 0"}
    parts = [_type_schema(table.columns[name].type, task) for name in table.key]
    if len(parts) == 1:
        return {**parts[0], "description": f"the key of a row of {table.name}"}
    return {
        "type": "array",
        "prefixItems": parts,
        "minItems": len(parts),
        "maxItems": len(parts),
        "description": f"the key of a row of {table.name}: {', '.join(table.key)}",
    }
