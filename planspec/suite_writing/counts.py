"""Numbers of rows read from, and stored of, a public table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class TableCount:
    """Numbers of rows of one table.

    Attributes:
        table: name of the table in the public data set.
        read: number of rows in the file.
        stored: number of rows written to the world.
        repeated: number of rows skipped because they repeat an earlier row.
        dropped: number of unusable rows, by reason.
        noted: number of stored rows with a remark, by remark.
    """

    table: str
    read: int = 0
    stored: int = 0
    repeated: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)

    @property
    def adds_up(self) -> bool:
        """Return whether the numbers of stored, repeated and dropped rows add up to the number of rows read."""
        return self.read == self.stored + self.repeated + self.dropped.total()
