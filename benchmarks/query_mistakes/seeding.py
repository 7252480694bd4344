"""Seeded mistakes: edits of shipped tasks that make query and rules disagree.

Each line of `mistakes.jsonl` is a mistake written by hand, as if an author had changed the query but not the rules, or
the reverse. Its edits also change the passages under `tells`, which quote the query, so that the edited task stays a
valid document.

`python -m benchmarks.query_mistakes.seeding` applies each mistake to a temporary copy of the shipped tasks and loads
the edited task. It prints the tasks that do not load, and counts the mistakes by kind and suite.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import planspec
from planspec.api.catalog import Catalog
from planspec.dsl.workspace.workspace import Workspace

MISTAKES = Path(__file__).with_name("mistakes.jsonl")
KINDS = ("number-in-query", "number-in-given", "name-swapped", "sentence-dropped", "given-added-or-removed")


class UnmatchedEditError(ValueError):
    """The passage that an edit replaces does not occur in the task."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement of one passage.

    Attributes:
        replace: exact passage of the task's file.
        by: text that replaces it.
        nth: number of the occurrence, from 1.
    """

    replace: str
    by: str
    nth: int = 1


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake between the query and the rules of a task.

    Attributes:
        task: ids of the suite and the task, such as `examples/menu`.
        kind: one of `KINDS`.
        edits: replacements that insert the mistake, from the end of the file to its beginning.
        note: reason why text and rules disagree.
    """

    task: str
    kind: str
    edits: tuple[Edit, ...]
    note: str


def read_mistakes(path: Path = MISTAKES) -> list[Mistake]:
    """Read mistakes from a file of JSON lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Mistake(**row | {"edits": tuple(Edit(**e) for e in row["edits"])}) for row in map(json.loads, lines)]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits to a text, one after the other.

    Raises:
        UnmatchedEditError: the text has fewer occurrences of a passage than the edit needs.
    """
    for edit in edits:
        start = -1
        for _ in range(edit.nth):
            start = text.find(edit.replace, start + 1)
            if start < 0:
                raise UnmatchedEditError(f"fewer than {edit.nth} occurrences of {edit.replace!r}")
        text = text[:start] + edit.by + text[start + len(edit.replace) :]
    return text


def task_files(folder: Path) -> dict[str, Path]:
    """Return the files of the tasks of all suites in a folder, by name, such as `examples/menu`."""
    entries = Catalog().tasks([folder])
    return {f"{entry.suite}/{entry.id}": entry.path for entry in entries}


def load_failures(mistakes: Sequence[Mistake], folder: Path) -> Iterator[tuple[Mistake, str]]:
    """Yield each mistake that keeps its task from loading, with the first line of the error.

    Args:
        folder: copy of the shipped tasks. Each file is restored after its task was loaded.
    """
    files = task_files(folder)
    for mistake in mistakes:
        file = files[mistake.task]
        text = file.read_text(encoding="utf-8")
        try:
            file.write_text(apply_edits(text, mistake.edits), encoding="utf-8")
            planspec.load(file, workspace=Workspace())
        except (UnmatchedEditError, planspec.PlanspecError) as error:
            yield mistake, str(error).splitlines()[0]
        finally:
            file.write_text(text, encoding="utf-8")


def main() -> int:
    mistakes = read_mistakes()
    with TemporaryDirectory() as temporary:
        folder = Path(temporary) / "tasks"
        shutil.copytree(Catalog().workspace.shipped, folder)
        failures = list(load_failures(mistakes, folder))
    for mistake, reason in failures:
        print(f"{mistake.kind} in {mistake.task}: {reason}")
    for title, names in (("kind", [m.kind for m in mistakes]), ("suite", [m.task.split("/")[0] for m in mistakes])):
        print(f"by {title}:", ", ".join(f"{name} {count}" for name, count in sorted(Counter(names).items())))
    print(f"{len(mistakes) - len(failures)} of {len(mistakes)} edited tasks load")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
