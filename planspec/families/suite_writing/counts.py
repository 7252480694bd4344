"""The account of a public table's rows: read, kept, and why the others were not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class TableCount:
    """The rows of one table.

    Attributes:
        table: its name in the public data set.
        read: rows of the file.
        kept: rows of the world.
        repeated: rows that say again what an earlier one has said, whose word counts.
        dropped: rows that cannot be used, by reason.
        noted: rows that are kept and remarkable, by remark.
    """

    table: str
    read: int = 0
    kept: int = 0
    repeated: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    noted: Counter[str] = field(default_factory=Counter)

    @property
    def adds_up(self) -> bool:
        """No row was lost."""
        return self.read == self.kept + self.repeated + self.dropped.total()
