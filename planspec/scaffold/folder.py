"""The folder of a new benchmark. It is written completely or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from planspec.dsl.structure.document import NAME
from planspec.errors import PlanspecError
from planspec.files import replace_bytes
from planspec.scaffold.shipped import UnsuitableStartError, shipped_start
from planspec.scaffold.templates import COMMON, FRESH, render_files

SCRIPT = "python:file=agents/script.py"
"""Agent spec for a benchmark with its own small world."""
SOLVER = "oracle"
"""Agent spec for a benchmark that starts from a shipped task."""


class UnsuitableFolderError(PlanspecError, ValueError):
    """The folder is not empty, or its name is not a valid id."""


@dataclass(frozen=True, slots=True)
class NewBenchmark:
    """A benchmark that was created.

    Attributes:
        folder: folder of the benchmark.
        name: id of the suite.
        agent: spec of an agent that can answer the tasks.
        files: paths relative to the folder, sorted.
    """

    folder: Path
    name: str
    agent: str
    files: tuple[PurePosixPath, ...]


def new_benchmark(folder: Path, start: str | None = None) -> NewBenchmark:
    """Create a benchmark in an empty or new folder.

    Args:
        folder: the folder. Its name becomes the suite's id.
        start: id of a shipped task whose library and world are copied; None for a new small world.

    Raises:
        UnsuitableFolderError: the folder is not empty, or its name is not a valid id.
        UnsuitableStartError: no such task ships with planspec, or it needs files besides its documents.
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
    files = _fresh_files(name, agent) if start is None else _copied_files(name, agent, start)
    if start is not None:
        with TemporaryDirectory() as trial:
            _write(Path(trial), files)
            _check_opens(Path(trial, f"{name}.suite.yaml"), start)
    is_new = not folder.exists()
    try:
        _write(folder, files)
    except BaseException:
        _remove(folder, files, is_new=is_new)
        raise
    return NewBenchmark(folder, name, agent, tuple(sorted(files)))


def _write(folder: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(target, data)


def _remove(folder: Path, files: Iterable[PurePosixPath], *, is_new: bool) -> None:
    """Remove files from a folder that is otherwise empty, and the folder itself if it is new."""
    for name in {path.parts[0] for path in files}:
        entry = folder / name
        if entry.is_dir():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    if is_new:
        shutil.rmtree(folder, ignore_errors=True)


def _fresh_files(name: str, agent: str) -> Mapping[PurePosixPath, bytes]:
    own = render_files(FRESH, name=name)
    common = render_files(
        COMMON,
        name=name,
        agent=agent,
        start=None,
        family=None,
        protocol=None,
        unique=True,
        tasks=["tasks/*.task.yaml"],
        folders=_top_folders(own),
    )
    return {**own, **common}


def _copied_files(name: str, agent: str, start: str) -> Mapping[PurePosixPath, bytes]:
    copied = shipped_start(start)
    common = render_files(
        COMMON,
        name=name,
        agent=agent,
        start=start,
        family=copied.family,
        protocol=copied.protocol,
        unique=copied.unique,
        tasks=[str(copied.path)],
        folders=_top_folders(copied.files),
    )
    return {**copied.files, **common}


def _top_folders(files: Iterable[PurePosixPath]) -> set[str]:
    """Return the names of the top-level folders that contain files."""
    return {path.parts[0] for path in files}


def _check_opens(suite: Path, start: str) -> None:
    """Check that the copied task can be opened for agents.

    Raises:
        UnsuitableStartError: the task needs files of its suite that are not named in its documents.
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
