"""Folder of a new benchmark, written completely or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from planspec.dsl.workspace.document import NAME
from planspec.errors import PlanspecError
from planspec.files import replace_bytes
from planspec.scaffold.shipped import UnsuitableStartError, shipped_start
from planspec.scaffold.templates import COMMON, FRESH, rendered

SCRIPT = "python:file=agents/script.py"
"""Agent of a benchmark with a small world of its own."""
SOLVER = "oracle"
"""Agent of a benchmark that starts from a shipped task."""


class UnsuitableFolderError(PlanspecError, ValueError):
    """The folder is not empty, or its name is not a valid id."""


@dataclass(frozen=True, slots=True)
class NewBenchmark:
    """A benchmark that was created.

    Attributes:
        folder: its folder.
        name: id of the suite.
        agent: agent that can answer its tasks without further work.
        files: paths relative to the folder, sorted.
    """

    folder: Path
    name: str
    agent: str
    files: tuple[PurePosixPath, ...]


def new_benchmark(folder: Path, start: str | None = None) -> NewBenchmark:
    """Create a benchmark in an empty or new folder.

    Args:
        folder: the folder; its last part becomes the suite's id.
        start: id of a shipped task whose library and world are copied; None for a small world of its own.

    Raises:
        UnsuitableFolderError: the folder is not empty, or its name is not a valid id.
        UnsuitableStartError: no such task ships, or it needs more than its documents.
        OSError: a file cannot be written.
    """
    name = folder.absolute().name
    if not NAME.fullmatch(name):
        raise UnsuitableFolderError(
            f"`{name}` is not a valid id: use letters, digits, `-`, `_` and `.`, with a letter or digit first"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UnsuitableFolderError(f"`{folder}` is not empty; name a new folder")
    agent = SCRIPT if start is None else SOLVER
    files = _fresh(name, agent) if start is None else _started(name, agent, start)
    if start is not None:
        with TemporaryDirectory() as trial:
            _write(Path(trial), files)
            _try(Path(trial, f"{name}.suite.yaml"), start)
    is_new = not folder.exists()
    try:
        _write(folder, files)
    except BaseException:
        _clear(folder, files, is_new=is_new)
        raise
    return NewBenchmark(folder, name, agent, tuple(sorted(files)))


def _write(folder: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(place, data)


def _clear(folder: Path, files: Iterable[PurePosixPath], *, is_new: bool) -> None:
    """Remove the files written into an otherwise empty folder, and the folder itself if it was created."""
    for name in {path.parts[0] for path in files}:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
    if is_new:
        shutil.rmtree(folder, ignore_errors=True)


def _fresh(name: str, agent: str) -> Mapping[PurePosixPath, bytes]:
    own = rendered(FRESH, name=name)
    common = rendered(
        COMMON, name=name, agent=agent, start=None, family=None, protocol=None, unique=True,
        tasks=["tasks/*.task.yaml"], folders=_folders(own),
    )  # fmt: skip
    return {**own, **common}


def _started(name: str, agent: str, start: str) -> Mapping[PurePosixPath, bytes]:
    copied = shipped_start(start)
    common = rendered(
        COMMON, name=name, agent=agent, start=start, family=copied.family, protocol=copied.protocol, unique=copied.unique,
        tasks=[str(copied.place)], folders=_folders(copied.files),
    )  # fmt: skip
    return {**copied.files, **common}


def _folders(files: Iterable[PurePosixPath]) -> set[str]:
    """Return the top-level folders of files."""
    return {path.parts[0] for path in files}


def _try(suite: Path, start: str) -> None:
    """Open the copied task as a run would.

    Raises:
        UnsuitableStartError: the task needs more of its suite than its documents name.
    """
    from planspec.api.catalog import Catalog
    from planspec.environments import open_task

    (task,) = Catalog().suite(str(suite)).tasks
    try:
        open_task(task, folder=suite.parent)
    except (PlanspecError, OSError) as error:
        raise UnsuitableStartError(
            f"`{start}` needs more of its suite than its documents, so that it cannot be copied alone: {error}"
        ) from error
