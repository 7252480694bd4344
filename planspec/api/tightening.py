"""Tightening of a task: rows of facts are removed until only one plan is left, and the result is a new task."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from planspec.api.overlay import with_entry, with_givens, without_rows
from planspec.dsl.diagnostics.diagnostic import Report
from planspec.dsl.documents.documents import task_from_path, task_from_text
from planspec.dsl.model import tree as t
from planspec.dsl.model.facts import Facts
from planspec.dsl.model.rows import Row
from planspec.dsl.model.task import Task
from planspec.dsl.model.traversal import every_node
from planspec.dsl.model.value_text import json_value
from planspec.dsl.resources.paths import shown_path
from planspec.dsl.structure.document import NAME, TASK_ID, Document
from planspec.dsl.workspace.workspace import Workspace
from planspec.dsl.yaml.reader import Scalar as Word
from planspec.dsl.yaml.reader import Sequence as List
from planspec.errors import NotFoundError, NothingToRemoveError, UnsuitableTaskError
from planspec.family.registry import family_of
from planspec.files import id_as_file_name, replace_text
from planspec.verifiers.meaning.ground import Ground, ground

if TYPE_CHECKING:
    from planspec.solvers.backends.outcome import Limits
    from planspec.solvers.questions.tighten import Removable, Rows, Tightening

PLAIN_PATH = re.compile(r"[\w.][\w./-]*")
"""Paths that need no quotes in YAML."""
ROWS = re.compile(r"(?P<table>[^\W\d]\w*)(?:\[(?P<key>[^\]]*)\])?")


class TightenableTask:
    """A task in a file that can be written anew without some rows of its facts.

    Args:
        path: file of the task.
        keep: answer to keep, in the family's format.
        workspace: workspace that opens the task, possibly with an unsaved text.
        given: new values of givens as YAML text, by the name of the given; the new task has them.

    Raises:
        DiagnosticError: the task has errors.
        NotFoundError: the task has no such given.
        UnsuitableTaskError: `given` is used for a task with turns, which may set other values.
    """

    def __init__(
        self,
        path: Path,
        keep: Mapping[str, Any],
        workspace: Workspace | None = None,
        given: Mapping[str, str] | None = None,
    ) -> None:
        self._path = path
        self._workspace = workspace or Workspace()
        self._given = given or {}
        self.task: Task = task_from_path(path, self._workspace, given=given)
        if self._given and self.task.turns:
            raise UnsuitableTaskError(f"the task `{self.task.id}` has turns: write the values into a copy of it")
        self.keep = keep
        self._rows: dict[Removable, list[Row]] = {}
        self._removables: dict[Row, Removable] = {}
        self._format = family_of(self.task.family).format.load()
        self.plan, _ = self._format.decode(self.task, keep)

    def removable(self, tables: Sequence[str] = (), spare: Iterable[str] = ()) -> list[Removable]:
        """Return the rows of facts that may be removed because nothing in the task refers to them by name.

        Args:
            tables: tables from which rows may be removed; by default those marked `removable:`.
            spare: rows to keep, such as `Slot`, `Slot[tv_tower]` or `Slot[tv_tower, 2026-07-01]`.

        Raises:
            NotFoundError: the task has no such table of facts, or a row to keep is not removable anyway.
            NothingToRemoveError: no row may be removed.
        """
        from planspec.solvers.questions.tighten import Removable

        spared = [self._parse_rows(text) for text in spare]
        needed = self._referenced_rows()
        removable = []
        used: set[int] = set()
        for facts in [self._facts(name) for name in tables or self.task.removable]:
            table = facts.table
            columns = [table.columns[name] for name in table.key or table.columns]
            for row in facts.rows:
                cells = tuple((c.name, json_value(getattr(row, c.name), c.type, self.task.currency)) for c in columns)
                shown = [str(value) for _, value in cells]
                matches = [i for i, (name, key) in enumerate(spared) if name == table.name and shown[: len(key)] == key]
                used.update(matches)
                if not matches and row not in needed:
                    removable.append(Removable(table.name, _hashable_cells(cells)))
                    self._rows.setdefault(removable[-1], []).append(row)
                    self._removables[row] = removable[-1]
        for i, (name, key) in enumerate(spared):
            if i not in used:
                raise NotFoundError(f"`{name}[{', '.join(key)}]` is not among the rows that may be removed")
        if not removable:
            raise NothingToRemoveError(
                "no row may be removed: name tables with --remove, or mark them under `removable:`"
            )
        return removable

    def _referenced_rows(self) -> set[Row]:
        """Return the rows that must stay because other rows, givens, defaults or expressions name them."""
        values: list[Any] = list(self.task.givens.values())
        for table in self.task.tables.values():
            values += [column.default for column in table.columns.values()]
        for facts in self.task.facts.values():
            values += [getattr(row, name) for row in facts.rows for name in facts.table.columns]
        for node in every_node(self.task):
            if isinstance(node, t.RowNamed):
                values.append(self._row_named(node))
            elif isinstance(node, t.Lookup) and not node.table.plan:
                values.append(self._row_looked_up(node))
            elif isinstance(node, t.Literal):
                values.append(node.value)
        parts = (part for value in values for part in (value if isinstance(value, tuple) else (value,)))
        return {part for part in parts if isinstance(part, Row)}

    def _row_named(self, node: t.RowNamed) -> Row | None:
        return self.task.facts[node.table.name].by_key.get((node.key,))

    def _row_looked_up(self, node: t.Lookup) -> Row | None:
        """Return the row that a lookup `T["key"]` names.

        Return None for a lookup by several keys, which may find nothing and so names no row.
        """
        match node.keys:
            case (t.Literal(value=value),) if len(node.table.key) == 1:
                return self.task.facts[node.table.name].by_key.get((value,))
        return None

    def _facts(self, name: str) -> Facts:
        facts = self.task.facts.get(name)
        if facts is None:
            raise NotFoundError(f"the task has no table of facts `{name}`")
        return facts

    def _parse_rows(self, text: str) -> tuple[str, list[str]]:
        """Return the table and the parts of the key in a text such as `Slot[tv_tower]`; no parts for `Slot`."""
        match = ROWS.fullmatch(text.strip())
        if match is None:
            raise NotFoundError(f"`{text}` names no rows; write `Slot`, or `Slot[tv_tower]`")
        return self._facts(match["table"]).table.name, [
            part.strip() for part in (match["key"] or "").split(",") if part.strip()
        ]

    def text(self, removed: Iterable[Removable]) -> str:
        """Return the task's text without the given rows."""
        by_table: dict[str, list[Sequence[tuple[str, Any]]]] = {}
        for row in removed:
            by_table.setdefault(row.table, []).append([(name, _as_json_value(value)) for name, value in row.cells])
        source = self.task.document
        text = without_rows(source, by_table) if by_table else source.text
        return with_givens(text, self._given) if self._given else text

    def variant(self, removed: Rows) -> Ground:
        """Return the grounded task without the given rows."""
        dropped = {row for removable in removed for row in self._rows[removable]}
        facts = dict(self.task.facts)
        for name in {row._table.name for row in dropped}:
            rows = [row for row in facts[name].rows if row not in dropped]
            keyed = facts[name].table.key
            facts[name] = Facts(facts[name].table, rows, {row._key: row for row in rows} if keyed else {})
        return ground(replace(self.task, facts=facts))

    def tighten(
        self,
        rows: Iterable[Removable],
        *,
        limits: Limits,
        on_better: Callable[[Tightening], None] = lambda _: None,
    ) -> Tightening:
        """Search for rows to remove; see `planspec.solvers.questions.tighten.tighten`."""
        from planspec.solvers.questions import tighten

        chosen = list(rows)
        try:
            return tighten.tighten(
                self.variant,
                self.plan,
                chosen,
                identify=self._removables.get,
                limits=limits,
                on_progress=on_better,
            )
        finally:
            self.variant(frozenset())

    def settle(self, tightening: Tightening, path: Path) -> Tightening:
        """Write the tightened task, read it back, and prove that it has only one plan.

        Nothing is written if the kept plan is not the only one.

        Raises:
            InternalError: the new file has another plan.
            DiagnosticError: see `write`.
            UnremovableRowsError: see `write`.
        """
        from planspec.errors import InternalError
        from planspec.solvers.backends.outcome import Status
        from planspec.solvers.questions.validation import validate

        if tightening.status not in (Status.OPTIMAL, Status.FEASIBLE):
            return tightening
        validation = validate(self.write(tightening.removed, path))
        if validation.unique.status == "multiple":
            raise InternalError(f"{path} has another plan", self.task.hash)
        if validation.unique.status == "unique" and self.task.expected != "unique":
            replace_text(path, with_entry(path.read_text(encoding="utf-8"), "expects", "unique"))
        return replace(tightening, validation=validation) if validation.unique.status == "unique" else tightening

    def write(self, removed: Iterable[Removable], path: Path) -> Ground:
        """Write the task without the given rows. Its id comes from the file name, and its reference is the kept answer.

        Nothing is written if the new text has errors in its new place.

        Returns:
            The task as read from the new file.

        Raises:
            DiagnosticError: the text has errors in the new folder, for example because of a relative path.
            UnremovableRowsError: the task's text has no place to list removed rows.
        """
        id_ = file_id(path)
        answer = path.with_name(f"{id_ if NAME.fullmatch(id_) else id_as_file_name(id_)}.reference.json")
        text = self._with_paths(with_entry(self.text(removed), "id", _id_text(id_)), path)
        ground(task_from_text(with_entry(text, "reference", "none"), shown_path(path), path=path))
        reference = json.dumps(self.keep, indent=1, ensure_ascii=False, default=_as_json_number)
        replace_text(answer, reference + "\n")
        replace_text(path, with_entry(text, "reference", answer.name))
        return ground(task_from_path(path, Workspace()))

    def _with_paths(self, text: str, path: Path) -> str:
        """Return the task's text with paths of its world and libraries changed to be valid in the new file's folder."""
        document = self._workspace.open(self._path, Report())
        if document is None:
            return text
        for key, kind in (("world", "world"), ("uses", "library")):
            section = document.sections.get(key)
            words = [each for each in (section.items if isinstance(section, List) else (section,)) if each is not None]
            names = [self._reference_from(path, kind, word, document) for word in words if isinstance(word, Word)]
            if names != [word.text for word in words if isinstance(word, Word)]:
                text = with_entry(text, key, f"[{', '.join(names)}]" if isinstance(section, List) else names[0])
        return text

    def _reference_from(self, path: Path, kind: str, word: Word, document: Document) -> str:
        """Return how the new file refers to a document that the task uses: its path or id."""
        used = self._workspace.resolve(word, kind, document, Report())
        if used is None or used.path is None:
            return word.text
        by_id = not word.text.endswith((".yaml", ".yml")) and "/" not in word.text
        found = self._workspace.find(kind, word.text, path.absolute().parent) if by_id else []
        if [each.resolve() for each in found] == [used.path.resolve()]:
            return word.text
        relative = Path(os.path.relpath(used.path.resolve(), path.resolve().parent)).as_posix()
        return relative if PLAIN_PATH.fullmatch(relative) else json.dumps(relative, ensure_ascii=False)


def file_id(path: Path) -> str:
    """Return the task id for a file name: `trip.v2` for `trip.v2.task.yaml`, `a trip` for `a%20trip.task.yaml`."""
    name = path.name.removesuffix(path.suffix).removesuffix(".task")
    id_ = unquote(name)
    return id_ if TASK_ID.fullmatch(id_) else name


def _id_text(id: str) -> str:
    """Return an id as YAML, quoted if needed."""
    return id if NAME.fullmatch(id) else json.dumps(id, ensure_ascii=False)


def _as_json_number(value: Any) -> int | float:
    return int(value) if value == int(value) else float(value)


def _hashable_cells(cells: Iterable[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in cells)


def _as_json_value(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
