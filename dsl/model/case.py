"""Cases of a task: answers with the verdicts that the author expects."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar

REFERENCE = "reference"
"""Keyword for the task's reference answer. A case with this name judges that answer unless it names another."""


@dataclass(frozen=True, slots=True, eq=False)
class CaseSection:
    """The section `cases:`, parsed on request.

    Attributes:
        node: cases by name.
        folder: folder to which the paths of answers are relative.
        start: offset of the section's key in the text of the document.
        end: offset after the section's last character.
    """

    node: Node
    folder: Path
    start: int
    end: int

    def text_without(self, source: Source) -> str:
        """Return the text of the document without this section."""
        before, after = source.text[: self.start], source.text[self.end :]
        return before + after if after else before.rstrip() + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class GivenAnswer:
    """An answer in the case itself or in a file that the case names.

    Attributes:
        data: answer as bytes or str, or decoded from JSON.
        span: location of the answer or of the file's name.
    """

    data: Any
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ChangedAnswer:
    """An answer with some of its cells and rows changed.

    Attributes:
        base: the answer that is changed; `None` for the task's reference answer.
        change: replacements of cells and rows, by table.
    """

    base: GivenAnswer | None
    change: Mapping


CaseAnswer: TypeAlias = GivenAnswer | ChangedAnswer | None
"""The answer of a case; `None` stands for the task's reference answer."""


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedConflict:
    """The conflict (constraints that cannot hold together) that a case expects in a refusal.

    Attributes:
        rules: ids of constraints or instances.
        exactly: whether the conflict must consist of exactly these rules, each of them necessary. Otherwise at least
            one of them must be in the conflict that is found.
    """

    rules: tuple[Scalar, ...]
    exactly: bool


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An answer with the verdict that the author expects.

    Attributes:
        name: key of the case.
        answer: the answer that is judged.
        passes: whether the case expects that no hard instance and no check of the answer's form is violated.
        undelivered: whether the case expects that there is no plan to judge.
        violates: ids of all violated hard instances. The id of a constraint stands for one or more of its
            instances.
        soft: all soft instances that are violated; `None` if the case does not declare them.
        shape: kinds of all violated checks of the answer's form.
        margins: pairs of an instance and its margin, as `verify` shows it.
        refuses: whether the case expects that the answer says, correctly, that there is no plan.
        conflict: conflict that the case expects in a refusal; `None` if every conflict is accepted.
        turn: turn to which the case belongs; `None` for a task without turns.
    """

    name: Scalar
    answer: CaseAnswer
    passes: bool
    undelivered: bool
    violates: tuple[Scalar, ...]
    soft: tuple[Scalar, ...] | None
    shape: tuple[Scalar, ...]
    margins: tuple[tuple[Scalar, Scalar], ...]
    refuses: bool = False
    conflict: ExpectedConflict | None = None
    turn: int | None = None

    def __repr__(self) -> str:
        return f"<Case {self.name.text}>"
