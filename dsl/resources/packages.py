"""Location of the folders of installed packages."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    """Return the folder of a package's files, without the slow import of `importlib.resources`."""
    return Path(next(iter(import_module(package).__path__)))
