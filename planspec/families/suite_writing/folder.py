"""The folder that an import writes: a suite, its world with a base, and its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from planspec.families.suite_writing.counts import TableCount
from planspec.families.suite_writing.kept_cases import kept_cases
from planspec.families.suite_writing.options import UnsuitableSuiteError
from planspec.families.suite_writing.writing import suite_text
from planspec.files import replace_text


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that is no query for these tables, and why."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import.

    Attributes:
        folder: the suite's.
        tables: what became of the rows of each public table.
        tasks: the ids of the tasks, in the order of the queries.
        left_out: the lines that are no queries for these tables.
        notes: what else there is to say of the data, a line each.
        made: what the folder holds; a map is none of tasks, but for others to be made with.
    """

    folder: Path
    suite: str
    tables: tuple[TableCount, ...]
    tasks: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...] = ()
    made: Literal["suite", "map"] = "suite"


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """A folder for the suite of a family.

    Attributes:
        path: new, or with what an import wrote before.
        family: of the suite.
        title: of the suite.
        protocol: by which it is scored.
        base: the name of the SQLite file.
    """

    path: Path
    family: str
    title: str
    protocol: str
    base: str

    @property
    def id(self) -> str:
        """The suite is called as its folder."""
        word = "".join(c if c.isalnum() or c in "-_." else "-" for c in self.path.resolve().name)
        return word if word[:1].isalnum() else self.family

    @property
    def part(self) -> Path:
        """The base while it is written."""
        return self.path / f"{self.base}.part"

    def is_import(self) -> bool:
        """The folder holds what an import wrote, and may be written again; so may one with what one left unfinished."""
        suite = self.path / "suite.yaml"
        if suite.is_file():
            same = f"protocol: {self.protocol}" in suite.read_text("utf-8", errors="replace").splitlines()
            return same and (self.path / self.base).is_file()
        return all(entry.name == self.part.name for entry in self.path.iterdir())

    def require(self) -> None:
        """See that the folder may be written.

        Raises:
            UnsuitableSuiteError: it holds something else.
        """
        if self.path.exists() and not (self.path.is_dir() and self.is_import()):
            raise UnsuitableSuiteError(
                f"`{self.path}` is neither a new folder nor one of an earlier import of {self.protocol}"
            )

    @contextmanager
    def filling(self) -> Iterator[Path]:
        """The part to write the base to; what is left of it when the block fails is taken away."""
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            self.part.unlink(missing_ok=True)
            yield self.part
        except BaseException:
            self.part.unlink(missing_ok=True)
            if not any(self.path.iterdir()):
                self.path.rmdir()
            raise

    def finish(self, world: str, tasks: Mapping[str, str]) -> None:
        """Replace what an earlier import wrote; what others put beside it is theirs, and so are the cases in its tasks.

        The suite's own file is taken away first and written last, so that what was broken off is no suite.

        Args:
            world: the text of the world.
            tasks: their texts, by id.
        """
        suite = self.path / "suite.yaml"
        earlier = self._listed()
        texts = {
            f"{task}.yaml": text + kept_cases(self.path / "tasks" / f"{task}.yaml")
            for task, text in tasks.items()
        }
        suite.unlink(missing_ok=True)
        self.part.replace(self.path / self.base)
        folder = self.path / "tasks"
        folder.mkdir(exist_ok=True)
        for old in earlier:
            old.unlink(missing_ok=True)
        replace_text(self.path / "world.yaml", world)
        for name, text in texts.items():
            replace_text(folder / name, text)
        replace_text(suite, self._suite(tasks))

    def _listed(self) -> list[Path]:
        """The tasks of an earlier import."""
        suite = self.path / "suite.yaml"
        lines = suite.read_text("utf-8").splitlines() if suite.is_file() else []
        return [self.path / line.removeprefix("  - ") for line in lines if line.startswith("  - tasks/")]

    def _suite(self, tasks: Mapping[str, str]) -> str:
        return suite_text(
            self.id, self.family, self.title, (f"tasks/{task}.yaml" for task in tasks), self.protocol
        )
