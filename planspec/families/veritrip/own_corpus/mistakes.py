"""What is wrong with a folder of documents, each mistake with its file and line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from planspec.errors import PlanspecError

MOST_TOLD = 20


class InvalidCorpusError(PlanspecError, ValueError):
    """A folder of documents and pictures that is no corpus; the text has a line for each mistake, with its file and line."""


@dataclass(slots=True)
class Mistakes:
    """The mistakes of a folder, gathered before any of them is told.

    Attributes:
        folder: by whose files they are named.
    """

    folder: Path
    found: list[str] = field(default_factory=list)

    def add(self, file: Path, line: int | None, said: str) -> None:
        """Note a mistake; `line` is None of a file as a whole."""
        place = file.relative_to(self.folder).as_posix() if file.is_relative_to(self.folder) else str(file)
        self.found.append(f"{place}:{line}: {said}" if line is not None else f"{place}: {said}")

    def require_none(self) -> None:
        """Refuse the folder where something is wrong with it.

        Raises:
            InvalidCorpusError: something is.
        """
        if self.found:
            raise InvalidCorpusError("\n".join([f"`{self.folder}` is no corpus:", *_shown(self.found)]))


def _shown(found: Sequence[str]) -> list[str]:
    rest = len(found) - MOST_TOLD
    return [f"  {one}" for one in found[:MOST_TOLD]] + ([f"  and {rest} more"] if rest > 0 else [])
