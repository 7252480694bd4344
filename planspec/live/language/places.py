"""Parts of a document by their paths of keys: the allowed keys and the kinds of values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from planspec.dsl.workspace import document_keys
from planspec.dsl.workspace.document_keys import Keys

NO_KEYS: Keys = {}
PARTS: Mapping[str, Keys] = {
    "one constraint": document_keys.CONSTRAINT,
    "one definition": document_keys.DEFINITION,
    "one plan table": document_keys.PLAN_TABLE,
    "scope rows": document_keys.SCOPE_ROW,
    "turns": document_keys.TURN,
    "one case": document_keys.CASE,
    "one table": document_keys.TABLE,
    "sqlite query": document_keys.SQLITE,
    "one mapped column": document_keys.MAPPED,
    "environment": document_keys.ENVIRONMENT,
    "one show": document_keys.SHOW,
    "one tool": document_keys.TOOL,
    "one parameter": document_keys.PARAMETER,
    "one setting": document_keys.SETTING,
    "tree": document_keys.RESULT,
    "refusals": document_keys.REFUSAL,
    "refusal": document_keys.REFUSAL,
}
"""Allowed keys of each part."""
ENTRIES: Mapping[str, str] = {
    "constraints": "one constraint",
    "definitions": "one definition",
    "plan tables": "one plan table",
    "scope": "scope rows",
    "cases": "one case",
    "table schemas": "one table's columns",
    "table rows": "one table",
    "table rows or schemas": "one table",
    "one table's columns": "type",
    "columns": "type",
    "column map": "one mapped column",
    "shapes": "tree",
    "shows": "one show",
    "tools": "one tool",
    "parameters": "one parameter",
    "settings": "one setting",
    "one plan table": "type",
    "scope rows": "domain",
    "one table's rows": "cell",
    "row patterns": "cell",
    "cells": "cell",
    "one table": "type",
    "tree": "tree",
}
"""Kind of the value under an author-chosen name, by the enclosing part."""
OF_A_TABLE = ("one table", "one table's columns", "one plan table", "scope rows")
"""Parts that are named after a table."""
SHORT: Mapping[str, str] = {"one definition": "expression", "one parameter": "type", "tree": "expression"}
"""Kind of a part that is not a mapping."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a document.

    Attributes:
        holds: its kind: a `Holds` of the table of keys, or a name of `PARTS` and `ENTRIES`.
        keys: allowed keys.
        table: table whose columns, cells or domains it holds.
        name: last key of its path.
    """

    holds: str
    keys: Keys = field(default_factory=dict)
    table: str | None = None
    name: str = ""

    @property
    def short(self) -> str:
        """Kind of a single word or expression in its place."""
        return SHORT.get(self.holds, self.holds)


def place_of(kind: str, path: Sequence[str]) -> Place | None:
    """Return the part at a path of keys, outermost first, or None if the path leads to no such part.

    List items add nothing to the path.

    Args:
        kind: kind of the document.
        path: the keys.
    """
    place = Place("document", document_keys.DOCUMENT.get(kind, NO_KEYS))
    for word in path:
        below = _below(place, word)
        if below is None:
            return None
        place = below
    return place


def _below(place: Place, word: str) -> Place | None:
    key = place.keys.get(word)
    if key is not None:
        holds = key.holds
        table = place.table
    elif place.holds in ENTRIES:
        holds_below = ENTRIES[place.holds]
        table = word if holds_below in OF_A_TABLE else place.table
        return Place(holds_below, PARTS.get(holds_below, NO_KEYS), table, word)
    else:
        return None
    return Place(holds, PARTS.get(holds, NO_KEYS), table, word)
