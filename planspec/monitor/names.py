"""Names in actions as agents write them -> the keys of the rows that are meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.types import EnumType, ListType, RowType, SetType, Table, Type
from planspec.dsl.resources.similarity import IN_ACTIONS
from planspec.verifiers.answers.names import folded
from planspec.verifiers.answers.tables import row_names

_NUMBERS = re.compile(r"\d+")


class Spellings:
    """The rows of a table by what they are called, without case, accents, blanks and punctuation.

    A text means a row if its folded form is that of one of the row's names, or else if it is similar to just one row's:
    the part before the last comma, and what stands behind it (`Name, City`), each at `IN_ACTIONS`, with the same numbers
    in it. So `Room 1` never stands for `Room 2`, nor a place for its namesake elsewhere.
    """

    def __init__(self, facts: Facts) -> None:
        self._rows: dict[str, dict[Row, None]] = {}
        self._parts: dict[str, tuple[str, str, tuple[str, ...]]] = {}
        for row in facts.rows:
            for name in row_names(row):
                plain = folded(name)
                if plain:
                    self._rows.setdefault(plain, {})[row] = None
                    self._parts[plain] = _parts(name)
        self._found: dict[str, Row | None] = {}

    def find(self, said: str) -> Row | None:
        """The only row that a text can mean."""
        if said not in self._found:
            if len(self._found) >= 10_000:  # of what agents make up there is no end
                self._found.clear()
            self._found[said] = self._look_up(said[:1000])
        return self._found[said]

    def _look_up(self, said: str) -> Row | None:
        plain = folded(said)
        rows = self._rows.get(plain)
        if rows is None and plain:
            rows = {row: None for name in self._similar(said, plain) for row in self._rows[name]}
        return next(iter(rows)) if rows and len(rows) == 1 else None

    def _similar(self, said: str, plain: str) -> list[str]:
        from rapidfuzz import process  # only for names that are not written as they should be
        from rapidfuzz.distance import Indel

        head, tail, numbers = _parts(said)
        similar = Indel.normalized_similarity
        near = process.extract(plain, list(self._rows), scorer=similar, score_cutoff=IN_ACTIONS, limit=None)
        made = []
        for name, _, _ in near:
            other_head, other_tail, other_numbers = self._parts[name]
            alike = min(similar(head, other_head), similar(tail, other_tail))
            if numbers == other_numbers and alike >= IN_ACTIONS:
                made.append(name)
        return made


def _parts(name: str) -> tuple[str, str, tuple[str, ...]]:
    head, comma, tail = name.rpartition(",")
    numbers = tuple(_NUMBERS.findall(name))
    return (folded(head), folded(tail), numbers) if comma else (folded(name), "", numbers)


class Canonical:
    """Puts keys for names in the cells of an action.

    Args:
        task: its tables say which names there are.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._spellings: dict[str, Spellings] = {}

    def row(self, said: str, table: Table) -> Row | None:
        """The row of a table of facts that a text means."""
        facts = self._task.facts[table.name]
        found = facts.by_key.get((said,))
        if found is not None:
            return found
        if table.name not in self._spellings:
            self._spellings[table.name] = Spellings(facts)
        return self._spellings[table.name].find(said)

    def cell(self, said: Any, of: Type) -> Any:
        """The cell with keys for what it names; as it is where it names nothing that is known."""
        match of:
            case RowType(name):
                return self._reference(said, self._task.tables[name])
            case SetType(item) | ListType(item) if isinstance(said, list | tuple):
                return [self.cell(part, item) for part in said]
            case EnumType(members=members) if isinstance(said, str) and said not in members:
                alike = [member for member in members if folded(member) == folded(said)]
                return alike[0] if len(alike) == 1 else said
            case _:
                return said

    def _reference(self, said: Any, table: Table) -> Any:
        columns = [table.columns[name] for name in table.key]
        if isinstance(said, list | tuple) and len(said) == len(columns):
            return [self.cell(part, column.type) for part, column in zip(said, columns, strict=True)]
        if isinstance(said, Mapping):
            return {
                name: self.cell(part, table.columns[name].type) if name in table.columns else part
                for name, part in said.items()
            }
        if len(columns) != 1 or not isinstance(said, str):
            return said
        if isinstance(columns[0].type, RowType):
            return self.cell(said, columns[0].type)
        if table.plan:
            return said
        found = self.row(said, table)
        return said if found is None or not isinstance(found._key[0], str) else found._key[0]
