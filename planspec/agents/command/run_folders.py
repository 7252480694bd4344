"""Search of a folder tree for folders of runs, recognized by their content."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path

from planspec.dsl.workspace.workspace import COPIES
from planspec.errors import PlanspecError

HEADER = "run.json"
"""File name of a run's header."""
RUNS = "runs"
"""Name of the default folder of runs."""
MOST_ENTRIES = 500_000
"""Maximum number of files and folders in a tree."""
_HEADER_BYTES = 4096
_RUN_HEADER = re.compile(rb'"run"\s*:\s*"run/')


class LargeTreeError(PlanspecError, ValueError):
    """The tree is too large to be searched before a program starts."""


def is_record(folder: Path) -> bool:
    """Return whether a folder is the folder of a run or contains a copy of a suite."""
    header = folder / HEADER
    with suppress(OSError):
        if (folder / COPIES).exists():
            return True
        with header.open("rb") as opened:
            return _RUN_HEADER.search(opened.read(_HEADER_BYTES)) is not None
    return False


def record_folders(top: Path) -> set[Path]:
    """Return the outermost folders of runs in a tree.

    A folder that contains only runs is returned in place of these runs. The same applies to a folder called `runs`, in
    which later runs will be created.

    Raises:
        LargeTreeError: the tree holds more than `MOST_ENTRIES` files and folders.
    """
    records: set[Path] = set()
    sizes: dict[Path, int] = {}
    seen, pending = 0, [str(top)]
    while pending:
        folder = pending.pop()
        inner, names = [], set()
        with (
            suppress(OSError),
            os.scandir(folder) as entries,
        ):  # the program cannot read a folder that planspec cannot read
            for entry in entries:
                names.add(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
        seen += len(names)
        if seen > MOST_ENTRIES:
            raise LargeTreeError(
                f"the folder `{top}` holds more than {MOST_ENTRIES:,} files, too many to search for records of runs"
            )
        if not names.isdisjoint((HEADER, COPIES)) and is_record(Path(folder)):
            records.add(Path(folder))
        else:
            sizes[Path(folder)] = len(names)
            pending += inner
    return _merge_into_parents(records, sizes)


def _merge_into_parents(folders: set[Path], sizes: dict[Path, int]) -> set[Path]:
    """Replace folders by their parent if it contains nothing else or is called `runs`."""
    parents = folders
    while parents:
        counts = Counter(folder.parent for folder in folders)
        parents = {
            parent
            for parent, count in counts.items()
            if parent in sizes and parent not in folders and (count == sizes[parent] or parent.name == RUNS)
        }
        folders = {folder for folder in folders if folder.parent not in parents} | parents
    return folders
