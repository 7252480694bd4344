"""Records of runs in a tree of folders, found by what they are: wherever they lie, and whoever made them."""

from __future__ import annotations

import os
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path

from planspec.dsl.workspace.workspace import COPIES
from planspec.errors import PlanspecError

HEADER = "run.json"
"""The file that begins a run's records."""
RUNS = "runs"
"""The folder in which runs are kept unless another one is named."""
MOST_ENTRIES = 500_000
"""The most files and folders that a tree may hold."""
_HEAD = 4096
_HEADED = re.compile(rb'"run"\s*:\s*"run/')


class LargeTreeError(PlanspecError, ValueError):
    """A tree holds more than can be looked through before a program starts."""


def is_record(folder: Path) -> bool:
    """Whether a folder is that of a run, or of the copies of a suite."""
    header = folder / HEADER
    with suppress(OSError):
        if (folder / COPIES).exists():
            return True
        with header.open("rb") as opened:
            return _HEADED.search(opened.read(_HEAD)) is not None
    return False


def record_folders(top: Path) -> set[Path]:
    """The folders of runs in a tree, none of which lies in another one.

    A folder stands for the runs in it if it holds nothing else, or is called `runs`: a further run would be made there.

    Raises:
        LargeTreeError: the tree holds more than `MOST_ENTRIES` files and folders.
    """
    found: set[Path] = set()
    sizes: dict[Path, int] = {}
    seen, left = 0, [str(top)]
    while left:
        folder = left.pop()
        inner, names = [], set()
        with (
            suppress(OSError),
            os.scandir(folder) as entries,
        ):  # what planspec cannot read, its programs cannot
            for entry in entries:
                names.add(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    inner.append(entry.path)
        seen += len(names)
        if seen > MOST_ENTRIES:
            raise LargeTreeError(
                f"the folder `{top}` holds more than {MOST_ENTRIES:,} files, too many to look for the records of runs"
            )
        if not names.isdisjoint((HEADER, COPIES)) and is_record(Path(folder)):
            found.add(Path(folder))
        else:
            sizes[Path(folder)] = len(names)
            left += inner
    return _with_parents(found, sizes)


def _with_parents(found: set[Path], sizes: dict[Path, int]) -> set[Path]:
    """Folders, or in their place the ones that hold nothing else."""
    left = found
    while left:
        within = Counter(folder.parent for folder in found)
        left = {
            parent
            for parent, count in within.items()
            if parent in sizes and parent not in found and (count == sizes[parent] or parent.name == RUNS)
        }
        found = {folder for folder in found if folder.parent not in left} | left
    return found
