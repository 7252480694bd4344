"""Text of YAML documents and of parts of them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from planspec.dsl.model.expectation import Expectation

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
PLAIN_TEXT = re.compile(r"\w(?:[\w .@-]|:(?=\w))*(?<! )")
"""Pattern of strings that need no quotes, because YAML and the planning language read them in the same way."""
NONE = ("none", "null")
"""Strings that mean *none* if they are not quoted."""


def mapping_lines(key: str, values: Mapping[str, str], indent: str = "") -> list[str]:
    """Return the lines of a key with a YAML mapping as its value; no lines for an empty mapping."""
    return [f"{indent}{key}:", *(f"{indent}  {name}: {value}" for name, value in values.items())] if values else []


def sql_literal(text: str) -> str:
    """Return a string as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def yaml_scalar(text: str) -> str:
    """Return a string as a YAML scalar.

    It is a JSON string in which characters that YAML forbids are escaped.
    """
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def wrap_words(text: str, width: int = 116) -> list[str]:
    """Break a text at spaces into lines of at most `width` characters."""
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return [*lines, line]


def query_sections(query: str, tells: Mapping[str, str]) -> str:
    """Return the sections `query` and `tells` of a task. Each line of the query becomes a paragraph."""
    lines = ["query: >-"]
    for number, paragraph in enumerate(query.split("\n")):
        lines += [*([""] if number else []), *(f"  {line}" for line in wrap_words(paragraph) if line)]
    if tells:
        lines += ["tells:", *(f"  {name}: {yaml_scalar(words)}" for name, words in tells.items())]
    return "".join(f"{line}\n" for line in lines)


def yaml_lines(value: Any, indent: int) -> list[str]:
    """Return a JSON value as lines of YAML, with a line for each key, and for each object in a list.

    `indent` is the number of spaces before each line.
    """
    pad = " " * indent
    lines: list[str] = []
    for key, item in value.items() if isinstance(value, Mapping) else ():
        if isinstance(item, list) and item and all(isinstance(x, Mapping) for x in item):
            lines.append(f"{pad}{cell_text(key)}:")
            lines += (f"{pad}  - {flow_text(x)}" for x in item)
        else:
            lines.append(f"{pad}{cell_text(key)}: {flow_text(item)}")
    if isinstance(value, list):
        lines += (f"{pad}- {flow_text(item)}" for item in value)
    return lines


def flow_text(value: Any) -> str:
    """Return a JSON value as YAML on one line."""
    match value:
        case Mapping():
            return "{" + ", ".join(f"{cell_text(key)}: {flow_text(item)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(map(flow_text, value)) + "]"
        case _:
            return cell_text(value)


def cell_text(value: Any) -> str:
    """Return a scalar as text that means the same in YAML and in the planning language."""
    text = "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    is_plain = PLAIN_TEXT.fullmatch(text) and not (isinstance(value, str) and text in NONE)
    return text if is_plain else yaml_scalar(text)


def world_text(name: str, title: str, library: str, currency: str, file: str, tables: Mapping[str, str]) -> str:
    """Return the text of a world that reads its tables from a SQLite file.

    Args:
        name: id of the world.
        title: title for display.
        library: id of the library with the tables.
        currency: currency of all prices.
        file: path of the SQLite file, relative to the world.
        tables: `map:` of each table in YAML, by table; an empty string for a table without one.
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
        title: title for display, as a YAML scalar.
        tasks: paths of the task files, relative to the suite.
        protocol: scoring protocol.
        expects: expectation for tasks without their own.
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
