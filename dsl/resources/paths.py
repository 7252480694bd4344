"""Paths of files: their form in messages, and safe tests for files and folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def shown_path(path: Path) -> str:
    """Return the path for diagnostics. It is relative if the file is in the working directory."""
    working_folder = Path.cwd()
    for form in (path.resolve(), path.absolute()):
        if form.is_relative_to(working_folder):
            return form.relative_to(working_folder).as_posix()
    return path.as_posix()


def paths_text(paths: Sequence[Path]) -> str:
    """Return paths as text: the first three, and the number of the others."""
    named = ", ".join(shown_path(path) for path in paths[:3])
    return named if len(paths) <= 3 else f"{named} and {len(paths) - 3} others"


def is_file(path: Path) -> bool:
    """Return whether the path names a file; False for an invalid path."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return whether the path names a folder; False for an invalid path."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
