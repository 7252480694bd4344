"""Texts of YAML documents and of their parts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from planspec.dsl.model.expectation import Expectation

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def mapping_lines(key: str, values: Mapping[str, str], indent: str = "") -> list[str]:
    """Return the lines of a YAML mapping under a key. Return no lines if the mapping has no values."""
    return [f"{indent}{key}:", *(f"{indent}  {name}: {value}" for name, value in values.items())] if values else []


def sql_literal(text: str) -> str:
    """Return a text as a literal in SQL."""
    return "'" + text.replace("'", "''") + "'"


def yaml_scalar(text: str) -> str:
    """Return a text as a YAML scalar.

    The scalar is a JSON string in which the characters that YAML forbids are escaped.
    """
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def world_text(name: str, title: str, library: str, currency: str, file: str, tables: Mapping[str, str]) -> str:
    """Return the text of a world that reads its tables from a SQLite file.

    Args:
        name: id of the world.
        title: title for people.
        library: id of the library with the tables.
        currency: currency of all prices.
        file: path of the SQLite file, relative to the world.
        tables: by table, its column map in YAML; an empty text if it has none.
    """
    lines = [
        "planspec: world/1",
        f"id: {name}",
        f"title: {title}",
        f"uses: [{library}]",
        f"currency: {currency}",
        "tables:",
    ]
    for table, split in tables.items():
        lines += [f"  {table}:", f"    sqlite: {{file: {file}, query: select * from {table}}}"]  # noqa: S608
        lines += [f"    map: {split}"] if split else []
    return "\n".join(lines) + "\n"


def suite_text(name: str, family: str, title: str, tasks: Iterable[str], protocol: str, expects: Expectation) -> str:
    """Return the text of a suite.

    Args:
        name: id of the suite.
        family: name of the family.
        title: title for people, as a YAML scalar.
        tasks: paths of the task files, relative to the suite.
        protocol: scoring protocol.
        expects: what is expected of tasks that do not say it themselves.
    """
    listed = [f"  - {task}" for task in tasks]
    lines = [
        "planspec: suite/1",
        f"id: {name}",
        f"family: {family}",
        f"title: {title}",
        f"expects: {expects}",
        *(["tasks:", *listed] if listed else ["tasks: []"]),
        f"protocol: {protocol}",
    ]
    return "\n".join(lines) + "\n"
