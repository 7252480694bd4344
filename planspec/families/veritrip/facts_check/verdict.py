"""Verdict with the status of each cell of the answer that counts as a fact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from planspec.verifiers.meaning.verdict import STRICT, CheckSummary, Tally, Verdict

CellStatus: TypeAlias = Literal["correct", "wrong", "unsupported", "unreadable"]
"""Status of a cell compared with the fact base.

- `correct`: the fact base agrees;
- `wrong`: the fact base has another value;
- `unsupported`: the fact base has no such fact;
- `unreadable`: the cell does not have the form of its column.
"""
STATUSES: tuple[CellStatus, ...] = get_args(CellStatus)
Citation: TypeAlias = Literal["supported", "contradicted", "silent", "uncited"]
"""Support of a cell by the cited documents.

- `supported`: a document agrees;
- `contradicted`: documents state the fact, and none agrees;
- `silent`: no document states the fact;
- `uncited`: no document is cited.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCell:
    """A cell of an answer that counts as a fact, with its status."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    table: str
    row: int = field(metadata={"description": "index in the answer's table, from 0"})
    column: str
    status: CellStatus
    said: str = field(metadata={"description": "text of the cell; empty if the column is missing"})
    known: str | None = field(default=None, metadata={"description": "value in the fact base, if it differs"})
    message: str = field(
        default="", metadata={"description": "reason why the cell is not correct; empty if it is correct"}
    )
    citation: Citation | None = field(
        default=None,
        metadata={"description": "whether a cited document supports the cell; null if the column needs no citation"},
    )

    @property
    def place(self) -> str:
        """Position of the cell in the answer, such as `itineraryTable[2].start_time`."""
        return f"{self.table}[{self.row}].{self.column}"

    @property
    def fault(self) -> str:
        """Text that says what is wrong with the cell: its status, content and message."""
        quoted = f"`{self.said}`: " if self.said else ""
        return f"{self.status}: {quoted}{self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """Checked cells of an answer, in their order."""

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
        """Number of cells of each status."""
        counter = Counter(cell.status for cell in self.cells)
        return {status: counter[status] for status in STATUSES}

    @property
    def citations(self) -> dict[Citation, int]:
        """Number of cells with each kind of support. Only cells that need a citation are counted."""
        counter = Counter(cell.citation for cell in self.cells)
        return {kind: counter[kind] for kind in ("supported", "contradicted", "silent", "uncited")}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FactVerdict(Verdict):
    """A verdict with the checked cells of the answer."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    facts: FactCheck | None = field(
        default=None,
        metadata={"description": "the cells that count as facts; null in families whose facts are not checked"},
    )

    @classmethod
    def of(cls, verdict: Verdict, facts: FactCheck) -> FactVerdict:
        """Add the checked cells of an answer to its verdict."""
        return cls(**{each.name: getattr(verdict, each.name) for each in fields(Verdict)}, facts=facts)

    def amid_text(self) -> FactVerdict:
        """Return the verdict marked as not exact, for an answer with text around the JSON."""
        return self if self.facts is None else replace(self, facts=replace(self.facts, exact=False))

    @property
    def checks(self) -> tuple[CheckSummary, ...]:
        """Summary of the fact check."""
        if self.facts is None:
            return ()
        tally = Tally(satisfied=self.facts.counts["correct"], total=len(self.facts.cells))
        wrong = (cell for cell in self.facts.cells if cell.status != "correct")
        return (CheckSummary("facts", "fact", tally, tuple((cell.place, cell.fault) for cell in wrong)),)


def facts_of(verdict: Verdict) -> FactCheck | None:
    """Return the fact check of a verdict's answer, or None if no cells were checked."""
    return verdict.facts if isinstance(verdict, FactVerdict) else None
