"""Parts of documents as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def mapping(key: str, values: Mapping[str, str], indent: str = "") -> list[str]:
    """A section of `name: value`; nothing without values."""
    return (
        [f"{indent}{key}:", *(f"{indent}  {name}: {value}" for name, value in values.items())]
        if values
        else []
    )


def sql(text: str) -> str:
    """A text of SQL."""
    return "'" + text.replace("'", "''") + "'"


def quoted(text: str) -> str:
    """A text as YAML: JSON's texts are texts of YAML, too, but for what YAML wants escaped."""
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def world_text(
    name: str, title: str, library: str, currency: str, file: str, tables: Mapping[str, str]
) -> str:
    """A world whose tables are those of a SQLite file.

    Args:
        name: its id.
        title: for people.
        library: that it uses.
        currency: of all prices.
        file: the SQLite file, as the world names it.
        tables: their names, each with its column map as YAML, or nothing.
    """
    lines = [
        "planspec: world/1", f"id: {name}", f"title: {title}", f"uses: [{library}]", f"currency: {currency}", "tables:",
    ]  # fmt: skip
    for table, split in tables.items():
        lines += [f"  {table}:", f"    sqlite: {{file: {file}, query: select * from {table}}}"]  # noqa: S608
        lines += [f"    map: {split}"] if split else []
    return "\n".join(lines) + "\n"


def suite_text(name: str, family: str, title: str, tasks: Iterable[str], protocol: str) -> str:
    """A suite.

    Args:
        name: its id.
        family: of its tasks.
        title: for people, as YAML.
        tasks: their files, as the suite names them.
        protocol: by which it is scored.
    """
    listed = [f"  - {task}" for task in tasks]
    lines = ["planspec: suite/1", f"id: {name}", f"family: {family}", f"title: {title}",
             *(["tasks:", *listed] if listed else ["tasks: []"]), f"protocol: {protocol}"]  # fmt: skip
    return "\n".join(lines) + "\n"
