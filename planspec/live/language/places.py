"""Allowed keys and kinds of values in each part of a document. A part is identified by its path of keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planspec.dsl.structure import document_keys
from planspec.dsl.structure.document_keys import Keys

NO_KEYS: Keys = {}
PARTS: Mapping[str, Keys] = {
    "one constraint": document_keys.CONSTRAINT,
    "one definition": document_keys.DEFINITION,
    "one plan table": document_keys.PLAN_TABLE,
    "scope rows": document_keys.SCOPE_ROW,
    "turns": document_keys.TURN,
    "one case": document_keys.CASE,
    "one reading": document_keys.READING,
    "one table": document_keys.TABLE,
    "sqlite query": document_keys.SQLITE,
    "suite tasks": document_keys.TASK_TABLE,
    "record source": document_keys.RECORD_SOURCE,
    "record map": document_keys.RECORD_MAP,
    "record field": document_keys.RECORD_FIELD,
    "one record table": document_keys.RECORD_ROWS,
    "one mapped column": document_keys.MAPPED,
    "environment": document_keys.ENVIRONMENT,
    "one show": document_keys.SHOW,
    "one tool": document_keys.TOOL,
    "one phrase group": document_keys.PHRASE_GROUP,
    "one parameter": document_keys.PARAMETER,
    "one setting": document_keys.SETTING,
    "tree": document_keys.RESULT,
    "refusals": document_keys.REFUSAL,
    "refusal": document_keys.REFUSAL,
}
"""Allowed keys of each kind of part. A part is a mapping in a document, such as one constraint."""
ENTRIES: Mapping[str, str] = {
    "constraints": "one constraint",
    "definitions": "one definition",
    "plan tables": "one plan table",
    "scope": "scope rows",
    "cases": "one case",
    "readings": "one reading",
    "table schemas": "one table's columns",
    "table rows": "one table",
    "table rows or schemas": "one table",
    "one table's columns": "type",
    "columns": "type",
    "column map": "one mapped column",
    "record fields": "record field",
    "record rows": "one record table",
    "shapes": "tree",
    "shows": "one show",
    "tools": "one tool",
    "parameters": "one parameter",
    "settings": "one setting",
    "phrase groups": "one phrase group",
    "phrases by name": "phrases",
    "word forms": "cells",
    "one plan table": "type",
    "scope rows": "domain",
    "one table's rows": "cell",
    "row patterns": "cell",
    "cells": "cell",
    "one table": "type",
    "tree": "tree",
}
"""Kind of the entries of a part with keys that authors choose, such as ids of constraints, by kind of the part."""
TABLE_PARTS = ("one table", "one table's columns", "one plan table", "scope rows")
"""Kinds of parts (entries of a document) whose key is the name of a table."""
SCALAR_KINDS: Mapping[str, str] = {
    "one definition": "expression",
    "one parameter": "type",
    "tree": "expression",
}
"""Kind of a part's value if it is written as a scalar, by kind of the part."""


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of a document.

    Attributes:
        holds: kind of the part, a `Holds` in `document_keys` or a key of `PARTS` or `ENTRIES`, such as `one
            constraint`.
        keys: allowed keys.
        table: table to which the part's columns, cells or domains belong, or None.
        name: last key on the path to the part.
    """

    holds: str
    keys: Keys = field(default_factory=dict)
    table: str | None = None
    name: str = ""

    @property
    def scalar_kind(self) -> str:
        """Kind of the part's value if the value is written as a scalar."""
        return SCALAR_KINDS.get(self.holds, self.holds)


def document_part(kind: str, path: Sequence[str]) -> DocumentPart | None:
    """Return the part at a path of keys; None if there is no such part.

    Args:
        kind: kind of the document.
        path: keys, outermost first. List items have no entry.
    """
    part = DocumentPart("document", document_keys.DOCUMENT.get(kind, NO_KEYS))
    for word in path:
        child = _child_part(part, word)
        if child is None:
            return None
        part = child
    return part


def _child_part(part: DocumentPart, word: str) -> DocumentPart | None:
    key = part.keys.get(word)
    if key is not None:
        holds = key.holds
        table = part.table
    elif part.holds in ENTRIES:
        holds_below = ENTRIES[part.holds]
        table = word if holds_below in TABLE_PARTS else part.table
        return DocumentPart(holds_below, PARTS.get(holds_below, NO_KEYS), table, word)
    else:
        return None
    return DocumentPart(holds, PARTS.get(holds, NO_KEYS), table, word)
