"""A verdict that also says which cells of the answer are facts, and whether they are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from planspec.verifiers.meaning.verdict import STRICT, CheckSummary, Tally, Verdict

CellStatus: TypeAlias = Literal["correct", "wrong", "unsupported", "unreadable"]
"""The fact base says so; it says otherwise; it knows nothing of it; it is no such thing as the column asks."""
STATUSES: tuple[CellStatus, ...] = get_args(CellStatus)
Citation: TypeAlias = Literal["supported", "contradicted", "silent", "uncited"]
"""A cited document says so; one says otherwise and none so; none says anything of it; none is cited."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCell:
    """One cell that counts as a fact."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    table: str
    row: int = field(metadata={"description": "its place in the answer's table, from 0"})
    column: str
    status: CellStatus
    said: str = field(metadata={"description": "what stands there; empty where the column is missing"})
    known: str | None = field(
        default=None, metadata={"description": "what the fact base has, where it differs"}
    )
    message: str = field(default="", metadata={"description": "why it is not correct; empty where it is"})
    citation: Citation | None = field(
        default=None,
        metadata={
            "description": "whether a cited document says so; null where the column asks for no citation"
        },
    )

    @property
    def place(self) -> str:
        """The place of the cell in the answer."""
        return f"{self.table}[{self.row}].{self.column}"

    @property
    def fault(self) -> str:
        """The fault of the cell, in words."""
        said = f"`{self.said}`: " if self.said else ""
        return f"{self.status}: {said}{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """The cells of one answer that count as facts, in their order."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    cells: tuple[CheckedCell, ...]
    exact: bool = field(
        default=False,
        metadata={
            "description": "the text is nothing but JSON with exactly the three tables, as the paper's prompt asks"
        },
    )

    @property
    def counts(self) -> dict[CellStatus, int]:
        """The number of cells of each status."""
        found = Counter(cell.status for cell in self.cells)
        return {status: found[status] for status in STATUSES}

    @property
    def citations(self) -> dict[Citation, int]:
        """The number of cells with each kind of citation, among those that ask for one."""
        found = Counter(cell.citation for cell in self.cells)
        return {kind: found[kind] for kind in ("supported", "contradicted", "silent", "uncited")}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FactVerdict(Verdict):
    """A verdict with the cells of the answer that count as facts."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    facts: FactCheck | None = field(
        default=None,
        metadata={
            "description": "the cells that count as facts; null in families whose facts are not checked"
        },
    )

    @classmethod
    def of(cls, verdict: Verdict, facts: FactCheck) -> FactVerdict:
        """A verdict, with the facts of its answer."""
        return cls(**{each.name: getattr(verdict, each.name) for each in fields(Verdict)}, facts=facts)

    def amid_text(self) -> FactVerdict:
        """The same verdict of an answer that is not exact."""
        return self if self.facts is None else replace(self, facts=replace(self.facts, exact=False))

    @property
    def checks(self) -> tuple[CheckSummary, ...]:
        """The facts."""
        if self.facts is None:
            return ()
        tally = Tally(satisfied=self.facts.counts["correct"], total=len(self.facts.cells))
        wrong = (cell for cell in self.facts.cells if cell.status != "correct")
        return (CheckSummary("facts", "fact", tally, tuple((cell.place, cell.fault) for cell in wrong)),)


def facts_of(verdict: Verdict) -> FactCheck | None:
    """The facts of a verdict's answer; None where none were checked."""
    return verdict.facts if isinstance(verdict, FactVerdict) else None
