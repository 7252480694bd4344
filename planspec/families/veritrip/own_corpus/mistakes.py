"""Mistakes in a folder of documents, each with its file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planspec.errors import PlanspecError

MOST_SHOWN = 20


class InvalidCorpusError(PlanspecError, ValueError):
    """The folder is not a valid corpus. The message lists the mistakes with their files and lines."""


@dataclass(slots=True)
class Mistakes:
    """Mistakes in a folder, which are collected and reported together.

    Attributes:
        folder: folder to which file names are relative.
        entries: collected messages.
    """

    folder: Path
    entries: list[str] = field(default_factory=list)

    def add(self, file: Path, line: int | None, message: str) -> None:
        """Add a mistake. `line` is None if the mistake concerns the whole file."""
        place = file.relative_to(self.folder).as_posix() if file.is_relative_to(self.folder) else str(file)
        self.entries.append(f"{place}:{line}: {message}" if line is not None else f"{place}: {message}")

    def raise_if_any(self) -> None:
        """Report the mistakes, if any.

        Raises:
            InvalidCorpusError: There are mistakes.
        """
        if self.entries:
            raise InvalidCorpusError(
                "\n".join([f"`{self.folder}` is not a valid corpus:", *_list_entries(self.entries)])
            )


def _list_entries(entries: Sequence[str]) -> list[str]:
    rest = len(entries) - MOST_SHOWN
    return [f"  {one}" for one in entries[:MOST_SHOWN]] + ([f"  and {rest} more"] if rest > 0 else [])
