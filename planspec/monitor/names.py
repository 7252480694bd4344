"""Resolution of names in agents' actions to keys of rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table, Type
from planspec.dsl.resources.similarity import IN_ACTIONS
from planspec.verifiers.answers.names import folded_name
from planspec.verifiers.answers.tables import row_names

_NUMBERS = re.compile(r"\d+")


class Spellings:
    """The rows of a table, by name. Case, accents, spaces and punctuation are ignored.

    A string refers to the row with an equal name. Without one, it refers to the row with a similar name, if there is
    exactly one. Names are similar if the parts before and after the last comma (`Name, City`) each have a similarity of
    at least `IN_ACTIONS`, and all numbers are the same. `Room 1` thus never refers to `Room 2`, nor the name of a place
    to its namesake in another city.
    """

    def __init__(self, facts: Facts) -> None:
        self._rows: dict[str, dict[Row, None]] = {}
        self._name_parts: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        for row in facts.rows:
            for name in row_names(row):
                folded_text = folded_name(name)
                if folded_text:
                    self._rows.setdefault(folded_text, {})[row] = None
                    self._name_parts[folded_text] = _split_name(name)
        self._cache: dict[str, Row | None] = {}

    def find(self, text: str) -> Row | None:
        """Return the row to which a string refers; None if there is no such row or several."""
        if text not in self._cache:
            if len(self._cache) >= 10_000:  # agents can invent any number of names, so the cache is bounded
                self._cache.clear()
            self._cache[text] = self._look_up(text[:1000])
        return self._cache[text]

    def _look_up(self, text: str) -> Row | None:
        folded_text = folded_name(text)
        rows = self._rows.get(folded_text)
        if rows is None and folded_text:
            rows = {row: None for name in self._similar_names(text, folded_text) for row in self._rows[name]}
        return next(iter(rows)) if rows and len(rows) == 1 else None

    def _similar_names(self, text: str, folded_text: str) -> list[str]:
        from rapidfuzz import process  # only misspelt names need this import
        from rapidfuzz.distance import Indel

        head, tail, numbers = _split_name(text)
        similar = Indel.normalized_similarity
        near = process.extract(folded_text, list(self._rows), scorer=similar, score_cutoff=IN_ACTIONS, limit=None)
        names = []
        for name, _, _ in near:
            other_head, other_tail, other_numbers = self._name_parts[name]
            similarity = min(similar(head, other_head), similar(tail, other_tail))
            if numbers == other_numbers and similarity >= IN_ACTIONS:
                names.append(name)
        return names


def _split_name(name: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the folded parts before and after the last comma, and the numbers in a name."""
    head, comma, tail = name.rpartition(",")
    numbers = tuple(_NUMBERS.findall(name))
    return (folded_name(head), folded_name(tail), numbers) if comma else (folded_name(name), "", numbers)


class NameResolver:
    """Replacement of names by keys in the cells of an action.

    Args:
        task: task whose tables define the names.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._spellings: dict[str, Spellings] = {}

    def row(self, text: str, table: Table) -> Row | None:
        """Return the row of a table of facts to which a string refers; None if it is unknown or ambiguous."""
        facts = self._task.facts[table.name]
        exact = facts.by_key.get((text,))
        if exact is not None:
            return exact
        if table.name not in self._spellings:
            self._spellings[table.name] = Spellings(facts)
        return self._spellings[table.name].find(text)

    def cell(self, value: Any, type_: Type) -> Any:
        """Return a cell with keys in place of names. Unknown names stay unchanged."""
        match type_:
            case RowType(name):
                return self._resolve_reference(value, self._task.tables[name])
            case SetType(item) | ListType(item) if isinstance(value, list | tuple):
                return [self.cell(part, item) for part in value]
            case EnumType(members=members) if isinstance(value, str) and value not in members:
                matches = [member for member in members if folded_name(member) == folded_name(value)]
                return matches[0] if len(matches) == 1 else value
            case _:
                return value

    def _resolve_reference(self, value: Any, table: Table) -> Any:
        columns = [table.columns[name] for name in table.key]
        if isinstance(value, list | tuple) and len(value) == len(columns):
            return [self.cell(part, column.type) for part, column in zip(value, columns, strict=True)]
        if isinstance(value, Mapping):
            return {
                name: self.cell(part, table.columns[name].type) if name in table.columns else part
                for name, part in value.items()
            }
        if len(columns) != 1 or not isinstance(value, str):
            return value
        if isinstance(columns[0].type, RowType):
            return self.cell(value, columns[0].type)
        if table.plan:
            return value
        row = self.row(value, table)
        return value if row is None or not isinstance(row._key[0], str) else row._key[0]
