"""Examples of a playground: the tasks of the suite `examples`, and the first task of each text-only suite."""

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
"""Suite name under which the playground's own tasks are listed."""
TEXTS = (".yaml", ".csv", ".json")
"""Suffixes of files that an editor can show."""


@dataclass(frozen=True, slots=True)
class Example:
    """A task with everything that it uses; paths are relative to the shipped folder.

    Attributes:
        task: file of the task.
        documents: texts of the task and of the documents that it uses, by file, starting with the task.
        files: all files that were read.
        tables: those files that are tables.
        answers: answers to the task by name.
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
    """Yield all examples, starting with the suite `examples`."""
    catalog = Catalog(workspace)
    suites = sorted(catalog.suites(), key=lambda entry: (entry.id != WHOLE, entry.id))
    answers = list(_answers(workspace.shipped))
    for entry in suites:
        tasks = catalog.suite(entry.id).tasks
        for path in tasks if entry.id == WHOLE else tasks[:1]:
            example = _example(path, entry.id, workspace, answers) if _is_own(path, entry.path) else None
            if example is not None:
                yield example


def _is_own(task: Path, suite: Path) -> bool:
    """Return whether the task lies in its suite's folder, and is not selected from another suite."""
    return task.resolve().is_relative_to(suite.resolve().parent)


def _example(
    path: Path, suite: str, workspace: Workspace, shipped_answers: list[tuple[str, str, Any]]
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
    answers |= {name: answer for name, task_id, answer in shipped_answers if task_id == task.id}
    return Example(
        task.id, task.title or task.id, suite, own, documents, tuple(files),
        tuple(name for name in files if name.endswith(".csv")),
        {name: plain_json(_bare(judge, answer)) for name, answer in answers.items()},
    )  # fmt: skip


def _bare(judge: Judge, answer: Any) -> Any:
    """Return an answer without its envelope."""
    reading = judge.reading(json.dumps(plain_json(answer)))
    return answer if isinstance(reading, Undelivered) else reading.plan


def _used(task: Task, root: Path) -> Iterator[str]:
    """Yield the files that a task was read from."""
    for source in task.sources:
        file = Path(os.path.realpath(source.name if source.base is None else source.base))
        if file.is_file() and file.is_relative_to(root):
            yield file.relative_to(root).as_posix()


def _answers(root: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield the shipped answers in envelopes, as names, ids of tasks, and plans."""
    for path in files_below(root, ["*.json"]):
        if path.parent.name == "answers" and not path.name.endswith(".reference.json"):
            reading = read_answer(read_text(path, ANSWER_BYTES))
            if not isinstance(reading, Undelivered) and reading.task is not None:
                yield path.stem, reading.task, reading.plan


def starters() -> Iterator[Example]:
    """Yield the playground's own small tasks."""
    for path in files_below(Path(__file__).with_name("starters"), ["*.task.yaml"]):
        task = load(path, workspace=Workspace())
        answers = {} if task.reference is None else {"reference": plain_json(task.reference)}
        texts = {path.name: read_text(path, DOCUMENT_BYTES)}
        yield Example(task.id, task.title, STARTERS, path.name, texts, (), (), answers)


def shipped_files(selected: Iterable[Example], root: Path) -> tuple[str, ...]:
    """Return the files that examples use, and all libraries, which users' tasks may import."""
    libraries = (
        path.relative_to(root).as_posix() for path in files_below(root / "libraries", ["*.library.yaml"])
    )
    return tuple(dict.fromkeys([*(name for example in selected for name in example.files), *libraries]))
