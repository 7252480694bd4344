"""What folders of exported tasks have in common: where a task's files go, a right answer, and its messages as one text."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import planspec
from planspec.api import certificates
from planspec.api.oracles import best_plan
from planspec.api.refusals import REFUSAL
from planspec.environments.shared import SharedTask
from planspec.errors import LimitReachedError, PlanspecError
from planspec.files import scratch_folder
from planspec.solvers.backends.outcome import Limits, Status
from planspec.verifiers.answers.envelope import Undelivered

IMAGE = "python:3.12-slim"
"""The image of all containers, if no other is named."""
CANARY = "canary: planspec benchmark data must not appear in training corpora"
BUNDLE = "suite"
"""The name of a copied suite's folder."""


class UnsuitableExportError(PlanspecError, ValueError):
    """A task that cannot be a folder of its own."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was exported.

    Attributes:
        folder: of all tasks.
        tasks: their ids.
    """

    folder: Path
    tasks: tuple[str, ...]


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A folder to fill, which becomes `out` when that is done, and is gone when it fails.

    Raises:
        UnsuitableExportError: something is in `out`.
        OSError: it cannot be written.
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
    """Refuse what is no name of an image.

    Raises:
        UnsuitableExportError: it is none.
    """
    if not re.fullmatch(r"[\w./:@-]+", image, re.ASCII):
        raise UnsuitableExportError(f"`{image}` is no name of an image")


def place_of(shared: SharedTask, out: Path) -> tuple[Path | None, str]:
    """The folder to copy, None where the wheel has the task; and the name of the task there.

    Args:
        shared: the task.
        out: where the export goes.

    Raises:
        UnsuitableExportError: the task shows pictures, stands in a shard, or uses a file outside; or `out` is in what is copied.
    """
    opened = shared.opened
    if opened.images:
        raise UnsuitableExportError(
            f"`{opened.judge.task.id}` shows pictures, which an instruction in text cannot"
        )
    own = (Path(planspec.__file__).parent / "tasks").resolve()
    file = shared.file.resolve()
    if not file.is_file():
        raise UnsuitableExportError(
            f"`{shared.file}` stands in a shard; a task for export has a file of its own"
        )
    if file.is_relative_to(own):
        return None, opened.judge.task.id.partition("@")[0]
    origin = shared.origin
    root = (file.parent if origin is None or origin.folder is None else origin.folder).resolve()
    for source in opened.judge.task.sources:
        used = Path(source.name).resolve()
        if used.is_file() and not used.is_relative_to(root) and not used.is_relative_to(own):
            raise UnsuitableExportError(f"`{file}` uses `{used}`, which is not in the folder `{root}`")
    if out.resolve().is_relative_to(root):
        raise UnsuitableExportError(f"`{out}` is in the folder `{root}` that is copied; choose one outside")
    return root, f"{BUNDLE}/{file.relative_to(root).as_posix()}"


def copy_bundle(wheel: Path, root: Path | None, into: Path) -> None:
    """Copy the wheel and the suite; the wheel is one file on the disk, where links can be made."""
    into.mkdir(parents=True, exist_ok=True)
    try:
        os.link(wheel, into / wheel.name)
    except OSError:
        shutil.copyfile(wheel, into / wheel.name)
    if root is not None:
        shutil.copytree(root, into / BUNDLE, ignore=shutil.ignore_patterns(".*", "__pycache__"))


def right_answer(shared: SharedTask, seconds: float) -> Any:
    """An answer that passes: the author's, the certificate's, or the solver's.

    Raises:
        LimitReachedError: none was found in time.
    """
    judge, file = shared.opened.judge, shared.file
    for answer in _known(shared):
        if judge.answer(answer, details="none").status == "pass":
            return answer
    found = best_plan(str(file), judge, limits=Limits(seconds=seconds))
    if found.status is Status.INFEASIBLE:
        return {REFUSAL: True}
    if found.plan is None:
        raise LimitReachedError("time")
    return judge.encode(found.plan)


def _known(shared: SharedTask) -> list[Any]:
    judge = shared.opened.judge
    known = []
    if judge.task.reference is not None:
        read = judge.reading(judge.task.reference)
        known += [] if isinstance(read, Undelivered) else [json.loads(json.dumps(read.plan, default=float))]
    try:
        kept = certificates.read(certificates.certificate_path(shared.file, judge.task.id))
    except (ValueError, OSError):
        return known
    return [*known, *([] if kept.witness is None else [kept.witness])]


def user_texts(shared: SharedTask) -> list[str]:
    """What the user says, for harnesses in which nobody answers: a conversation has all of its messages, to answer the last."""
    opened = shared.opened
    turns = len(opened.judges)
    said = ["\n\n".join(opened.words(turn)) for turn in range(turns)]
    if turns > 1:
        said = [f"# Message {turn}\n\n{text}" for turn, text in enumerate(said, 1)]
        said.append("Answer the last message alone.")
    return said
