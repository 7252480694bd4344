"""Pictures shown to agents.

Each picture is stored once in the run's folder, in a file named by its hash. Attempts refer to it by this hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from planspec.agents.pictures import Image
from planspec.files import replace_bytes

FOLDER = "pictures"
"""Folder of the pictures, within the run's folder."""
ENDINGS = {"image/png": "png", "image/jpeg": "jpg"}
_SHA256 = re.compile(r"[0-9a-f]{64}")


def store_pictures(folder: Path, images: Iterable[Image]) -> None:
    """Store pictures that are not stored yet.

    Args:
        folder: folder of the run.
        images: pictures of one attempt. Several processes may store the same picture at the same time.

    Raises:
        OSError: a file cannot be written.
    """
    for image in images:
        path = folder / FOLDER / f"{image.sha256}.{ENDINGS[image.media]}"
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            replace_bytes(path, image.data)


def find_picture(folder: Path, sha256: str) -> Image | None:
    """Return a stored picture, without its title; None if it is missing or was changed.

    Args:
        folder: folder of the run.
        sha256: hash of the picture, from a record.
    """
    if not _SHA256.fullmatch(sha256):  # prevents that a record refers to a file outside the folder
        return None
    for ending in ENDINGS.values():
        path = folder / FOLDER / f"{sha256}.{ending}"
        if path.is_file():
            image = Image("", path.read_bytes())
            return image if image.sha256 == sha256 else None
    return None
