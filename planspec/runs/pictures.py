"""The pictures that agents were shown, in a run's folder: each once, by its hash, by which the calls of attempts name it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from planspec.agents.pictures import Image
from planspec.files import replace_bytes

FOLDER = "pictures"
"""The folder of the pictures, in that of the run."""
ENDINGS = {"image/png": "png", "image/jpeg": "jpg"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def keep_pictures(folder: Path, images: Iterable[Image]) -> None:
    """Keep pictures; one that is there already stays as it is.

    Args:
        folder: folder of the run.
        images: of one attempt; several processes may keep the same ones at a time.

    Raises:
        OSError: a file cannot be written.
    """
    for image in images:
        path = folder / FOLDER / f"{image.sha256}.{ENDINGS[image.media]}"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            replace_bytes(path, image.data)


def find_picture(folder: Path, sha256: str) -> Image | None:
    """A picture of a run, without its title; None where it is not there, or another one than was kept.

    Args:
        folder: folder of the run.
        sha256: its hash, as a record has it.
    """
    if not _SHA256.fullmatch(sha256):  # a record is not to name other files
        return None
    for ending in ENDINGS.values():
        path = folder / FOLDER / f"{sha256}.{ending}"
        if path.is_file():
            image = Image("", path.read_bytes())
            return image if image.sha256 == sha256 else None
    return None
