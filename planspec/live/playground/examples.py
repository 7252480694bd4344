"""What a playground has to play with: the tasks of the suite `examples`, and the first task of each suite whose files are texts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planspec.api.catalog import Catalog
from planspec.api.judging import Judge
from planspec.api.loading import load
from planspec.dsl.model.task import Task
from planspec.dsl.resources.limits import ANSWER_BYTES, DOCUMENT_BYTES
from planspec.dsl.resources.reading import read_text
from planspec.dsl.workspace.workspace import Workspace, files_below
from planspec.verifiers.answers.envelope import Undelivered, read_answer
from planspec.verifiers.answers.format import plain_json

WHOLE = "examples"
"""The suite all of whose tasks are examples."""
STARTERS = "starters"
"""What stands for a suite of the playground's own tasks."""
TEXTS = (".yaml", ".csv", ".json")
"""The endings of files that an editor can show."""


@dataclass(frozen=True, slots=True)
class Example:
    """A task with all that it uses; files are named from the folder of what ships.

    Attributes:
        task: the file of the task.
        documents: the texts of the task and of the documents that it uses, by their files, the task's first.
        files: all that it was read from.
        tables: those of them that are tables.
        answers: answers to it, by what they are called.
    """

    id: str
    title: str
    suite: str
    task: str
    documents: dict[str, str]
    files: tuple[str, ...]
    tables: tuple[str, ...]
    answers: dict[str, Any]


def examples(workspace: Workspace) -> Iterator[Example]:
    """All examples, those of the suite `examples` first."""
    catalog = Catalog(workspace)
    suites = sorted(catalog.suites(), key=lambda entry: (entry.id != WHOLE, entry.id))
    told = list(_answers(workspace.shipped))
    for entry in suites:
        tasks = catalog.suite(entry.id).tasks
        for path in tasks if entry.id == WHOLE else tasks[:1]:
            made = _example(path, entry.id, workspace, told) if _is_own(path, entry.path) else None
            if made is not None:
                yield made


def _is_own(task: Path, suite: Path) -> bool:
    """The task lies in the suite's folder: suites that choose from others have no examples of their own."""
    return task.resolve().is_relative_to(suite.resolve().parent)


def _example(
    path: Path, suite: str, workspace: Workspace, told: list[tuple[str, str, Any]]
) -> Example | None:
    task = load(path, workspace=workspace)
    root = workspace.shipped.resolve()
    files = dict.fromkeys(_used(task, root))
    if any(not name.endswith(TEXTS) for name in files):
        return None
    own = path.resolve().relative_to(root).as_posix()
    documents = {
        name: read_text(root / name, DOCUMENT_BYTES) for name in (own, *files) if name.endswith(".yaml")
    }
    judge = Judge(task)
    answers = {"reference": task.reference} if task.reference is not None else {}
    answers |= {name: answer for name, of, answer in told if of == task.id}
    return Example(
        task.id, task.title or task.id, suite, own, documents, tuple(files),
        tuple(name for name in files if name.endswith(".csv")),
        {name: plain_json(_bare(judge, answer)) for name, answer in answers.items()},
    )  # fmt: skip


def _bare(judge: Judge, answer: Any) -> Any:
    """An answer without its envelope."""
    read = judge.reading(json.dumps(plain_json(answer)))
    return answer if isinstance(read, Undelivered) else read.plan


def _used(task: Task, root: Path) -> Iterator[str]:
    """The files that a task was read from."""
    for source in task.sources:
        file = Path(os.path.realpath(source.name if source.base is None else source.base))
        if file.is_file() and file.is_relative_to(root):
            yield file.relative_to(root).as_posix()


def _answers(root: Path) -> Iterator[tuple[str, str, Any]]:
    """The answers that ship in envelopes: their names, the tasks that they are for, and what they say."""
    for path in files_below(root, ["*.json"]):
        if path.parent.name == "answers" and not path.name.endswith(".reference.json"):
            read = read_answer(read_text(path, ANSWER_BYTES))
            if not isinstance(read, Undelivered) and read.task is not None:
                yield path.stem, read.task, read.plan


def starters() -> Iterator[Example]:
    """Small tasks to begin with, which are the playground's own."""
    for path in files_below(Path(__file__).with_name("starters"), ["*.task.yaml"]):
        task = load(path, workspace=Workspace())
        answers = {} if task.reference is None else {"reference": plain_json(task.reference)}
        texts = {path.name: read_text(path, DOCUMENT_BYTES)}
        yield Example(task.id, task.title, STARTERS, path.name, texts, (), (), answers)


def shipped_files(found: Iterable[Example], root: Path) -> tuple[str, ...]:
    """The files that examples use, and all libraries, for whoever writes a task of one's own."""
    libraries = (
        path.relative_to(root).as_posix() for path in files_below(root / "libraries", ["*.library.yaml"])
    )
    return tuple(dict.fromkeys([*(name for example in found for name in example.files), *libraries]))
