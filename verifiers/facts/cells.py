"""The cells of one answer, each with its status against the facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

STRICT = {"extra": "forbid"}

CellStatus: TypeAlias = Literal["correct", "wrong", "unsupported", "unreadable"]
"""The fact base says so; it says otherwise; it knows nothing of it; it is no such thing as the column asks."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """The cells of one answer that count as facts, in their order."""

    __pydantic_config__: ClassVar[Mapping[str, Any]] = STRICT
    cells: tuple[CheckedCell, ...]

    @property
    def counts(self) -> dict[CellStatus, int]:
        """The number of cells of each status."""
        found = Counter(cell.status for cell in self.cells)
        return {status: found[status] for status in ("correct", "wrong", "unsupported", "unreadable")}

    @property
    def citations(self) -> dict[Citation, int]:
        """The number of cells with each kind of citation, among those that ask for one."""
        found = Counter(cell.citation for cell in self.cells)
        return {kind: found[kind] for kind in ("supported", "contradicted", "silent", "uncited")}
