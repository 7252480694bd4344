"""Row counts of a public table: read, stored, and dropped by reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class TableCount:
    """The rows of one table.

    Attributes:
        table: name in the public data set.
        read: number of rows of the file.
        stored: number of rows of the world.
        repeated: number of rows that repeat an earlier one, which takes precedence.
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
        """Return whether every row is accounted for."""
        return self.read == self.stored + self.repeated + self.dropped.total()
