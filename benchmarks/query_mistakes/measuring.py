"""Findings that a check of a task reports only because of a seeded mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from planspec.api.catalog import Catalog
from planspec.dsl.diagnostics.diagnostic import Diagnostic, DiagnosticError
from planspec.dsl.documents.documents import task_from_text
from planspec.dsl.workspace.workspace import Workspace
from planspec.verifiers.environment.query_text.everyday_words import is_named
from planspec.verifiers.environment.query_text.findings import query_findings
from planspec.verifiers.environment.query_text.mentions import mentions
from planspec.verifiers.environment.query_text.names import folded

Result: TypeAlias = Literal["found", "refused", "missed"]
"""Result of a mistake: a finding concerns it, the task no longer loads, or neither."""
WORD = re.compile(r"[^\W_]{3,}|\d+")


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement in the text of a task.

    Attributes:
        replace: exact text.
        by: new text.
        nth: number of the occurrence, from 1.
    """

    replace: str
    by: str
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Mistake:
    """A seeded mistake.

    Attributes:
        task: ids of the suite and of the task, joined by a slash.
        kind: kind of mistake.
        edits: replacements. They are applied one after the other.
        note: remark of the person who seeded it.
    """

    task: str
    kind: str
    edits: tuple[Edit, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a seeded mistake, with the findings that the task without the mistake does not have."""

    mistake: Mistake
    result: Result
    findings: tuple[Diagnostic, ...]


def mistakes_of(lines: Iterable[Mapping[str, Any]]) -> list[Mistake]:
    """Return the mistakes of a file of JSON lines."""
    return [
        Mistake(
            line["task"],
            line["kind"],
            tuple(Edit(e["replace"], e["by"], e.get("nth", 1)) for e in line["edits"]),
            line.get("note", ""),
        )
        for line in lines
    ]


class Seeder:
    """Applies mistakes to shipped tasks.

    Args:
        catalog: the catalog of tasks; by default the shipped tasks.
    """

    def __init__(self, catalog: Catalog | None = None) -> None:
        self._catalog = catalog or Catalog()
        self._workspace = Workspace()
        self._paths = {f"{entry.suite}/{entry.id}": entry.path for entry in self._catalog.tasks()}
        self._before: dict[str, frozenset[tuple[str, str]]] = {}

    def outcome(self, mistake: Mistake) -> Outcome:
        """Apply a mistake, check the edited task, and return the additional findings.

        Raises:
            ValueError: the text of an edit occurs fewer than `nth` times.
        """
        path = self._paths[mistake.task]
        text = path.read_text(encoding="utf-8")
        lines: set[int] = set()
        for edit in mistake.edits:
            text, touched = apply_edit(text, edit)
            lines |= touched
        try:
            findings = self._findings(text, path)
        except DiagnosticError as error:
            return Outcome(mistake, "refused", error.diagnostics)
        before = self._before_of(mistake.task)
        new = tuple(d for d in findings if (d.code, d.message) not in before)
        found = any(concerns(diagnostic, mistake.edits, lines) for diagnostic in new)
        return Outcome(mistake, "found" if found else "missed", new)

    def _before_of(self, task: str) -> frozenset[tuple[str, str]]:
        if task not in self._before:
            path = self._paths[task]
            findings = self._findings(path.read_text(encoding="utf-8"), path)
            self._before[task] = frozenset((diagnostic.code, diagnostic.message) for diagnostic in findings)
        return self._before[task]

    def false_alarms(self) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
        """Yield the name of each shipped task with its findings, which are all false alarms."""
        for task, path in self._paths.items():
            yield task, self._findings(path.read_text(encoding="utf-8"), path)

    def _findings(self, text: str, path: Path) -> tuple[Diagnostic, ...]:
        return query_findings(task_from_text(text, path.name, workspace=self._workspace, path=path))


def apply_edit(text: str, edit: Edit) -> tuple[str, set[int]]:
    """Apply an edit to a text. Return the new text and the numbers, from 1, of the changed lines.

    Raises:
        ValueError: the text occurs fewer than `nth` times.
    """
    at = -1
    for _ in range(edit.nth):
        at = text.find(edit.replace, at + 1)
        if at == -1:
            raise ValueError(f"occurrence {edit.nth} of {edit.replace!r} is not there")
    first = text.count("\n", 0, at) + 1
    new = text[:at] + edit.by + text[at + len(edit.replace) :]
    return new, set(range(first, first + edit.by.count("\n") + 1))


def concerns(diagnostic: Diagnostic, edits: Sequence[Edit], lines: set[int]) -> bool:
    """Return whether a finding concerns edits: it is in an edited line, or its text has a word or value of an edit."""
    if diagnostic.span.line in lines:
        return True
    text = f"{diagnostic.message} {diagnostic.span.text}"
    words = {word.casefold() for word in WORD.findall(text)}
    readings = {reading for mention in mentions(text) for reading in mention.readings}
    for edit in edits:
        for part in (edit.replace, edit.by):
            if words & {word.casefold() for word in WORD.findall(part)} - COMMON:
                return True
            if readings & {reading for mention in mentions(part) for reading in mention.readings}:
                return True
            edit_words = {word.casefold() for word in WORD.findall(part)} - COMMON
            if any(is_named(w, folded(part)) for w in words - COMMON) or any(
                is_named(w, folded(text)) for w in edit_words
            ):
                return True
    return False


COMMON = frozenset(
    [
        "the",
        "query",
        "says",
        "nothing",
        "uses",
        "does",
        "not",
        "state",
        "which",
        "asks",
        "for",
        "names",
        "and",
        "that",
        "with",
        "are",
        "you",
        "from",
        "this",
    ]
)
"""Common words. A finding and an edit that share only such words are unrelated."""
