"""A case of a task: an answer, and the verdict on it that the author knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from planspec.dsl.diagnostics.source import Source, Span
from planspec.dsl.yaml.nodes import Mapping, Node, Scalar

REFERENCE = "reference"
"""The word for the author's own answer, and the name of the case that needs no other."""


@dataclass(frozen=True, slots=True, eq=False)
class CaseSection:
    """What stands under `cases:`, to be read when somebody asks for it.

    Attributes:
        node: the cases by their names.
        folder: from which answers are named.
        start: the first character of the section, its key's, in the text of the document.
        end: the character behind its last one.
    """

    node: Node
    folder: Path
    start: int
    end: int

    def text_without(self, source: Source) -> str:
        """The text of the section's document as it would be without the section."""
        before, after = source.text[: self.start], source.text[self.end :]
        return before + after if after else before.rstrip() + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class GivenAnswer:
    """An answer that the case gives itself.

    Attributes:
        data: its text as bytes or str, or decoded JSON.
        span: the place where it stands or is named.
    """

    data: Any
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ChangedAnswer:
    """An answer with some of its cells and rows changed.

    Attributes:
        base: the answer that is changed; None for the reference.
        change: what takes the place of cells and rows, by table.
    """

    base: GivenAnswer | None
    change: Mapping


CaseAnswer: TypeAlias = GivenAnswer | ChangedAnswer | None
"""None is the reference."""


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """An answer, and the verdict on it that the author knows.

    Attributes:
        name: under which it stands, with its place.
        answer: what is judged.
        passes: no hard instance and nothing of the shape is violated.
        undelivered: there is no plan to judge.
        violates: exactly the violated hard instances, by id or, for one and maybe others of a rule, by the rule's.
        soft: exactly the violated soft ones; None if the case does not say.
        shape: exactly the kinds of the violated findings on the shape.
        margins: of instances, as `verify` shows them.
        turn: whose task it belongs to; None for a task without turns.
    """

    name: Scalar
    answer: CaseAnswer
    passes: bool
    undelivered: bool
    violates: tuple[Scalar, ...]
    soft: tuple[Scalar, ...] | None
    shape: tuple[Scalar, ...]
    margins: tuple[tuple[Scalar, Scalar], ...]
    turn: int | None = None

    def __repr__(self) -> str:
        return f"<Case {self.name.text}>"
