"""Shared parts of exports that write tasks to folders: layout of files, right answers, and the user's messages."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planspec.api import certificates
from planspec.api.oracles import best_plan
from planspec.dsl.model.expectation import REFUSAL
from planspec.dsl.workspace.shards import split_task_path
from planspec.environments.shared import SharedTask, shared_tasks
from planspec.errors import LimitReachedError, PlanspecError
from planspec.exports.wheel import write_wheel
from planspec.files import PACKAGE, scratch_folder
from planspec.solvers.backends.outcome import Limits, Status
from planspec.verifiers.answers.envelope import Undelivered

IMAGE = "python:3.12-slim"
"""Default image of all containers."""
CANARY = "canary: planspec benchmark data must not appear in training corpora"
BUNDLE = "suite"
"""Name of the folder with a copy of the suite."""


class UnsuitableExportError(PlanspecError, ValueError):
    """The task cannot be exported to a folder."""


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Result of an export.

    Attributes:
        folder: folder of all tasks.
        tasks: ids of the tasks.
        replaced: ids of the tasks whose reference does not pass. Another right answer replaces it.
        floor: maximum dense reward (from 0 to 1) of a worthless answer, such as an empty plan; None if not measured.
    """

    folder: Path
    tasks: tuple[str, ...]
    replaced: tuple[str, ...] = ()
    floor: float | None = None


@dataclass(frozen=True, slots=True)
class LocatedTask:
    """A task of an export.

    Attributes:
        shared: the task.
        name: id of the task, without a turn.
        root: folder to copy for the task; None if planspec's wheel contains the task.
        location: path or id of the task in the exported commands.
    """

    shared: SharedTask
    name: str
    root: Path | None
    location: str


def located_tasks(suite: str | os.PathLike[str], setting: str | None, out: Path) -> Iterator[LocatedTask]:
    """Yield the tasks of a suite in a setting, with the folders from which an export copies them.

    Args:
        suite: file, folder or id.
        setting: setting in which agents solve the tasks; None for each task's first.
        out: folder of the export.

    Raises:
        NotFoundError: there is no such suite.
        UnknownSettingError: a task has no such setting.
        DiagnosticError: a document has errors.
        UnsuitableExportError: see `locate_task`.
    """
    for shared in shared_tasks(suite, setting):
        root, location = locate_task(shared, out)
        yield LocatedTask(shared, shared.opened.judge.task.id.partition("@")[0], root, location)


@contextmanager
def atomic_folder(out: Path) -> Iterator[Path]:
    """Yield a temporary folder to fill. It is renamed to `out` after the block, or removed if the block fails.

    Raises:
        UnsuitableExportError: `out` is not empty.
        OSError: the folder cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UnsuitableExportError(f"`{out}` is not an empty folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch_folder(out.parent) as scratch:
        part = scratch / "part"
        part.mkdir()
        yield part
        part.replace(out)


def require_image(image: str) -> None:
    """Check the name of a container image.

    Raises:
        UnsuitableExportError: the string is not the name of an image.
    """
    if not re.fullmatch(r"[\w./:@-]+", image, re.ASCII):
        raise UnsuitableExportError(f"`{image}` is not the name of an image")


def locate_task(shared: SharedTask, out: Path) -> tuple[Path | None, str]:
    """Return the folder to copy for a task, and the path or id of the task in the exported commands.

    The folder is None if the wheel contains the task.

    Args:
        shared: the task.
        out: folder of the export.

    Raises:
        UnsuitableExportError: the task shows pictures, or uses a file outside its folder; or `out` is in the
            copied folder.
    """
    opened = shared.opened
    if opened.images:
        raise UnsuitableExportError(f"`{opened.judge.task.id}` shows pictures, which an instruction in text cannot")
    own = shipped_folder()
    inside = split_task_path(shared.file)
    file = (shared.file if inside is None else inside[0]).resolve()
    if file.is_relative_to(own):
        return None, opened.judge.task.id.partition("@")[0]
    origin = shared.origin
    root = (file.parent if origin is None or origin.folder is None else origin.folder).resolve()
    for source in opened.judge.task.sources:
        for used in (path.resolve() for path in source.files):
            if used.is_file() and not used.is_relative_to(root) and not used.is_relative_to(own):
                raise UnsuitableExportError(f"`{file}` uses `{used}`, which is not in the folder `{root}`")
    if out.resolve().is_relative_to(root):
        raise UnsuitableExportError(f"`{out}` is in the folder `{root}` that is copied; choose one outside")
    location = f"{BUNDLE}/{file.relative_to(root).as_posix()}"
    return root, location if inside is None else f"{location}#{inside[1]}"


def copy_bundle(wheel: Path, root: Path | None, target: Path) -> None:
    """Copy the wheel into a folder, by a hard link if possible, and the suite's folder if there is one."""
    target.mkdir(parents=True, exist_ok=True)
    try:
        os.link(wheel, target / wheel.name)
    except OSError:
        shutil.copyfile(wheel, target / wheel.name)
    if root is not None:
        shutil.copytree(root, target / BUNDLE, ignore=shutil.ignore_patterns(".*", "__pycache__"))


@contextmanager
def temporary_wheel(part: Path) -> Iterator[Path]:
    """Yield the path of a wheel of planspec beside a folder, for `copy_bundle`. It is removed at the end of the block.

    Raises:
        OSError: the wheel cannot be written.
    """
    with TemporaryDirectory(dir=part.parent) as scratch:
        yield write_wheel(Path(scratch))


def shipped_folder() -> Path:
    """Return the folder of the shipped tasks, with symbolic links resolved."""
    return (PACKAGE / "tasks").resolve()


def shipped_suites(shared: SharedTask) -> frozenset[str]:
    """Return the folders of shipped tasks that contain the files of a task."""
    own = shipped_folder()
    sources = (file for source in shared.opened.judge.task.sources for file in source.files)
    files = [path.resolve() for path in (shared.file, *sources)]
    return frozenset(path.relative_to(own).parts[0] for path in files if path.is_relative_to(own))


def right_answer(shared: SharedTask, seconds: float) -> Any:
    """Return a passing answer: the reference, the certificate's witness, or a solver's plan.

    Raises:
        LimitReachedError: no answer was found in time.
    """
    judge, file = shared.opened.judge, shared.file
    for answer in _recorded_answers(shared):
        if judge.answer(answer, details="none").status == "pass":
            return answer
    solution = best_plan(judge, name=str(file), limits=Limits(seconds=seconds))
    if solution.status is Status.INFEASIBLE:
        return {REFUSAL: True}
    if solution.plan is None:
        raise LimitReachedError("time")
    return judge.encode(solution.plan)


def is_replaced(shared: SharedTask, answer: Any) -> bool:
    """Return whether `answer`, a right answer, is exported in place of a reference that does not pass."""
    return shared.opened.judge.task.reference is not None and answer != next(iter(_recorded_answers(shared)), None)


def _recorded_answers(shared: SharedTask) -> list[Any]:
    judge = shared.opened.judge
    answers = []
    if judge.task.reference is not None:
        read = judge.reading(judge.task.reference)
        answers += [] if isinstance(read, Undelivered) else [json.loads(json.dumps(read.plan, default=float))]
    try:
        certificate = certificates.read(certificates.certificate_path(shared.file, judge.task.id))
    except (ValueError, OSError):
        return answers
    return [*answers, *([] if certificate.witness is None else [certificate.witness])]


def pretty_json(value: Any) -> str:
    """Return a value as the content of a JSON file."""
    return json.dumps(value, ensure_ascii=False, indent=1, default=str) + "\n"


def user_texts(shared: SharedTask) -> list[str]:
    """Return the user's message of each turn, for harnesses with a single prompt. Only the last needs an answer."""
    opened = shared.opened
    turns = len(opened.judges)
    texts = ["\n\n".join(opened.words(turn)) for turn in range(turns)]
    if turns > 1:
        texts = [f"# Message {turn}\n\n{text}" for turn, text in enumerate(texts, 1)]
        texts.append("Answer the last message alone.")
    return texts
