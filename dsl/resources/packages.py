"""The folders of installed packages."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path


def folder_of(package: str) -> Path:
    """The folder of a package's files; `importlib.resources` would load what opens archives."""
    return Path(next(iter(import_module(package).__path__)))
