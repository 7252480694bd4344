"""Verdicts as JSON: how they are read again, and what their schema says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from pydantic import TypeAdapter

from planspec.families.registry import families
from planspec.verifiers.meaning.verdict import Verdict

V = TypeVar("V", bound=Verdict)


def read_verdict(document: Mapping[str, Any], of: type[V]) -> V:
    """A verdict that was written as JSON.

    Args:
        document: its fields; one that the type does not have may be null, since no check of another family was made.
        of: the type of the family's verdicts.

    Raises:
        ValidationError: it is no such verdict.
    """
    known = {field.name for field in fields(of)}
    told = {name: value for name, value in document.items() if name in known or value is not None}
    read: V = _adapter(of).validate_python(told)
    return read


def read_common(document: Mapping[str, Any]) -> Verdict:
    """The fields that verdicts of all families have, in a verdict that was written as JSON.

    Raises:
        ValidationError: it is no verdict.
    """
    known = {field.name for field in fields(Verdict)}
    return read_verdict({name: value for name, value in document.items() if name in known}, Verdict)


_ADAPTERS: dict[type[Verdict], TypeAdapter[Any]] = {}
"""Made once for each type: that takes longer than reading a verdict."""


def _adapter(of: type[Verdict]) -> TypeAdapter[Any]:
    if of not in _ADAPTERS:
        _ADAPTERS[of] = TypeAdapter(of)
    return _ADAPTERS[of]


def with_checks(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A JSON Schema whose verdicts may have what families add to theirs."""
    made = dict(schema)
    for family in families():
        own = _adapter(family.verdict.load()).json_schema()
        for verdict in _verdicts(made):
            added = {
                name: what for name, what in own["properties"].items() if name not in verdict["properties"]
            }
            if added:
                verdict["properties"] |= added
                made["$defs"] = {**own["$defs"], **made.get("$defs", {})}
    return made


def _verdicts(schema: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The definitions of verdicts in a schema."""
    common = {field.name for field in fields(Verdict)}
    for definition in (schema, *schema.get("$defs", {}).values()):
        if isinstance(definition, dict) and common <= definition.get("properties", {}).keys():
            yield definition
