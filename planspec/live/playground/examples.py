"""Examples in a playground: the tasks of the suite `examples`, and the first task of each suite that is only text."""

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

WHOLE_SUITE = "examples"
"""Id of the suite of which all tasks are examples."""
STARTERS = "starters"
"""Name under which the playground lists its own tasks."""
TEXT_SUFFIXES = (".yaml", ".csv", ".json")
"""Suffixes of files that the editor in the page can show."""


@dataclass(frozen=True, slots=True)
class Example:
    """A task with all files that it uses. Paths are relative to the shipped folder.

    Attributes:
        suite: id of the suite under which the task is listed.
        task: path of the task's file.
        documents: texts of the task (first) and of the documents that it uses, by path.
        files: paths of all files that the task uses.
        tables: paths of the CSV files in `files`.
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
    """Yield all examples, those of the suite `examples` first."""
    catalog = Catalog(workspace)
    suites = sorted(catalog.suites(), key=lambda entry: (entry.id != WHOLE_SUITE, entry.id))
    answers = list(_shipped_answers(workspace.shipped))
    for entry in suites:
        tasks = catalog.suite(entry.id).tasks
        for path in tasks if entry.id == WHOLE_SUITE else tasks[:1]:
            example = (
                _make_example(path, entry.id, workspace, answers) if _is_in_suite_folder(path, entry.path) else None
            )
            if example is not None:
                yield example


def _is_in_suite_folder(task: Path, suite: Path) -> bool:
    """Return whether a task's file is in the folder of the suite. A suite can also list tasks elsewhere."""
    return task.resolve().is_relative_to(suite.resolve().parent)


def _make_example(
    path: Path, suite: str, workspace: Workspace, shipped_answers: list[tuple[str, str, Any]]
) -> Example | None:
    task = load(path, workspace=workspace)
    root = workspace.shipped.resolve()
    files = dict.fromkeys(_source_files(task, root))
    if any(not name.endswith(TEXT_SUFFIXES) for name in files):
        return None
    own = path.resolve().relative_to(root).as_posix()
    documents = {name: read_text(root / name, DOCUMENT_BYTES) for name in (own, *files) if name.endswith(".yaml")}
    judge = Judge(task)
    answers = {"reference": task.reference} if task.reference is not None else {}
    answers |= {name: answer for name, task_id, answer in shipped_answers if task_id == task.id}
    return Example(
        task.id,
        task.title or task.id,
        suite,
        own,
        documents,
        tuple(files),
        tuple(name for name in files if name.endswith(".csv")),
        {name: plain_json(_without_envelope(judge, answer)) for name, answer in answers.items()},
    )


def _without_envelope(judge: Judge, answer: Any) -> Any:
    """Return the plan in an answer `{"task": ..., "plan": ...}`; return any other answer unchanged."""
    reading = judge.reading(json.dumps(plain_json(answer)))
    return answer if isinstance(reading, Undelivered) else reading.plan


def _source_files(task: Task, root: Path) -> Iterator[str]:
    """Yield the paths of the files from which a task was read."""
    for source in task.sources:
        for file in (Path(os.path.realpath(path)) for path in source.files):
            if file.is_file() and file.is_relative_to(root):
                yield file.relative_to(root).as_posix()


def _shipped_answers(root: Path) -> Iterator[tuple[str, str, Any]]:
    """Yield name, task id and plan of each shipped answer of the form `{"task": ..., "plan": ...}`."""
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
    """Return the paths of the files that examples use, and of all libraries, which users may import."""
    libraries = (path.relative_to(root).as_posix() for path in files_below(root / "libraries", ["*.library.yaml"]))
    return tuple(dict.fromkeys([*(name for example in selected for name in example.files), *libraries]))
