"""The folder that an import writes: a suite, its world with a database, and its tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from planspec.files import replace_text
from planspec.suite_writing.counts import TableCount
from planspec.suite_writing.errors import UnsuitableSuiteError
from planspec.suite_writing.kept_sections import existing_sections
from planspec.suite_writing.writing import suite_text


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """A line of a public file that was left out, and the reason.

    Attributes:
        file: name of the file.
        line: number of the line, counted from 1.
        reason: reason why it was left out, as text.
    """

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import.

    Attributes:
        folder: the suite's folder.
        tables: row counts of the public tables.
        tasks: ids of the tasks, in the order of the queries.
        left_out: lines without a usable query, each with the reason.
        notes: further remarks about the data, one line each.
        made: kind of result: a suite, or a map. A map has no tasks and is an input for generators.
    """

    folder: Path
    suite: str
    tables: tuple[TableCount, ...]
    tasks: tuple[str, ...]
    left_out: tuple[SkippedLine, ...]
    notes: tuple[str, ...] = ()
    made: Literal["suite", "map"] = "suite"


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """A folder to which an import writes a suite.

    Attributes:
        path: path of the folder. It is new or contains an earlier import.
        family: name of the suite's family.
        title: title of the suite.
        protocol: scoring protocol of the suite.
        base: file name of the SQLite database.
    """

    path: Path
    family: str
    title: str
    protocol: str
    base: str

    @property
    def id(self) -> str:
        """The suite's id, derived from the name of the folder."""
        word = "".join(c if c.isalnum() or c in "-_." else "-" for c in self.path.resolve().name)
        return word if word[:1].isalnum() else self.family

    @property
    def part(self) -> Path:
        """Path of the database file while it is being written."""
        return self.path / f"{self.base}.part"

    def is_import(self) -> bool:
        """Return whether the folder is empty or contains an import, complete or not."""
        suite = self.path / "suite.yaml"
        if suite.is_file():
            same = f"protocol: {self.protocol}" in suite.read_text("utf-8", errors="replace").splitlines()
            return same and (self.path / self.base).is_file()
        return all(entry.name == self.part.name for entry in self.path.iterdir())

    def require_writable(self) -> None:
        """Check that the folder may be written.

        Raises:
            UnsuitableSuiteError: the path is not a folder, or the folder contains something other than an import.
        """
        if self.path.exists() and not (self.path.is_dir() and self.is_import()):
            raise UnsuitableSuiteError(
                f"`{self.path}` is neither a new folder nor one of an earlier import of {self.protocol}"
            )

    @contextmanager
    def database_file(self) -> Iterator[Path]:
        """Yield the path to which to write the database. The file is removed if the block fails."""
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
        """Write the suite, and remove the files of an earlier import.

        Other files stay, as do handwritten sections `expects` and `cases` in tasks.

        The suite's own file is removed first and written last, so that an interrupted import leaves no suite.

        Args:
            world: text of the world.
            tasks: texts of the tasks, by id.
        """
        suite = self.path / "suite.yaml"
        earlier = self._existing_tasks()
        texts = {
            f"{task}.yaml": text + existing_sections(self.path / "tasks" / f"{task}.yaml")
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
        replace_text(suite, self._suite_text(tasks))

    def _existing_tasks(self) -> list[Path]:
        """Return the task files of an earlier import."""
        suite = self.path / "suite.yaml"
        lines = suite.read_text("utf-8").splitlines() if suite.is_file() else []
        return [self.path / line.removeprefix("  - ") for line in lines if line.startswith("  - tasks/")]

    def _suite_text(self, tasks: Mapping[str, str]) -> str:
        return suite_text(
            self.id, self.family, self.title, (f"tasks/{task}.yaml" for task in tasks), self.protocol, "feasible"
        )
