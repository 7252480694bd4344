"""A new benchmark's folder: made whole, or not at all."""

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
"""The agent of a benchmark that starts afresh."""
SOLVER = "oracle"
"""The agent of one that starts from a shipped task."""


class UnsuitableFolderError(PlanspecError, ValueError):
    """The folder is not empty, or its name can be no id."""


@dataclass(frozen=True, slots=True)
class NewBenchmark:
    """What was made.

    Attributes:
        folder: it is in.
        name: of the suite.
        agent: that answers its tasks at once.
        files: relative to the folder, in order.
    """

    folder: Path
    name: str
    agent: str
    files: tuple[PurePosixPath, ...]


def new_benchmark(folder: Path, start: str | None = None) -> NewBenchmark:
    """Make a benchmark in a folder that is empty or not there.

    Args:
        folder: its last part is the suite's id.
        start: the id of a shipped task whose library and world are copied; None for a small world of its own.

    Raises:
        UnsuitableFolderError: something is in the folder, or its name can be no id.
        UnsuitableStartError: no such task ships, or it cannot leave its suite.
        OSError: a file cannot be written.
    """
    name = folder.absolute().name
    if not NAME.fullmatch(name):
        raise UnsuitableFolderError(
            f"`{name}` can be no id: letters, digits, `-`, `_` and `.`, and a letter or digit first"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UnsuitableFolderError(f"`{folder}` is not empty; name a new folder")
    agent = SCRIPT if start is None else SOLVER
    files = _fresh(name, agent) if start is None else _started(name, agent, start)
    if start is not None:
        with TemporaryDirectory() as tried:
            _write(Path(tried), files)
            _try(Path(tried, f"{name}.suite.yaml"), start)
    new = not folder.exists()
    try:
        _write(folder, files)
    except BaseException:
        _clear(folder, files, itself=new)
        raise
    return NewBenchmark(folder, name, agent, tuple(sorted(files)))


def _write(folder: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_bytes(place, data)


def _clear(folder: Path, files: Iterable[PurePosixPath], *, itself: bool) -> None:
    """Take away what was written of a folder that had nothing else in it, and the folder if it was not there."""
    for name in {path.parts[0] for path in files}:
        place = folder / name
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
    if itself:
        shutil.rmtree(folder, ignore_errors=True)


def _fresh(name: str, agent: str) -> Mapping[PurePosixPath, bytes]:
    own = rendered(FRESH, name=name)
    common = rendered(
        COMMON, name=name, agent=agent, start=None, family=None, protocol=None, unique=True,
        tasks=["tasks/*.task.yaml"], folders=_folders(own),
    )  # fmt: skip
    return {**own, **common}


def _started(name: str, agent: str, start: str) -> Mapping[PurePosixPath, bytes]:
    found = shipped_start(start)
    common = rendered(
        COMMON, name=name, agent=agent, start=start, family=found.family, protocol=found.protocol, unique=found.unique,
        tasks=[str(found.place)], folders=_folders(found.files),
    )  # fmt: skip
    return {**found.files, **common}


def _folders(files: Iterable[PurePosixPath]) -> set[str]:
    """The folders in which files stand."""
    return {path.parts[0] for path in files}


def _try(suite: Path, start: str) -> None:
    """Open the copied task as a run would.

    Raises:
        UnsuitableStartError: it needs more of its suite than its documents name.
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
