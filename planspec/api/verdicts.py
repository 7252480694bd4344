"""Reading of verdicts from JSON, and their JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from pydantic import TypeAdapter

from planspec.family.registry import families
from planspec.verifiers.meaning.verdict import Verdict

V = TypeVar("V", bound=Verdict)


def read_verdict(document: Mapping[str, Any], verdict_type: type[V]) -> V:
    """Read a verdict from JSON.

    Args:
        document: fields of the verdict. Unknown fields must be null, as written for checks of other families.
        verdict_type: type of the family's verdicts.

    Raises:
        ValidationError: the document is not such a verdict.
    """
    names = {field.name for field in fields(verdict_type)}
    present = {name: value for name, value in document.items() if name in names or value is not None}
    verdict: V = _adapter(verdict_type).validate_python(present)
    return verdict


def read_common(document: Mapping[str, Any]) -> Verdict:
    """Read a verdict from JSON, with the fields that the verdicts of all families have.

    Raises:
        ValidationError: the document is not a verdict.
    """
    names = {field.name for field in fields(Verdict)}
    return read_verdict({name: value for name, value in document.items() if name in names}, Verdict)


_ADAPTERS: dict[type[Verdict], TypeAdapter[Any]] = {}
"""Pydantic adapters, by type of verdict. Building one takes longer than reading a verdict."""


def _adapter(verdict_type: type[Verdict]) -> TypeAdapter[Any]:
    if verdict_type not in _ADAPTERS:
        _ADAPTERS[verdict_type] = TypeAdapter(verdict_type)
    return _ADAPTERS[verdict_type]


def with_checks(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema in which verdicts also have the optional fields of all families."""
    extended = dict(schema)
    for family in families():
        own = _adapter(family.verdict.load()).json_schema()
        for verdict in _verdicts(extended):
            added = {name: what for name, what in own["properties"].items() if name not in verdict["properties"]}
            if added:
                verdict["properties"] |= added
                extended["$defs"] = {**own["$defs"], **extended.get("$defs", {})}
    return extended


def _verdicts(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the definitions of verdict types in a JSON Schema."""
    common = {field.name for field in fields(Verdict)}
    for definition in (schema, *schema.get("$defs", {}).values()):
        if isinstance(definition, dict) and common <= definition.get("properties", {}).keys():
            yield definition
