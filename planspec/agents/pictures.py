"""Pictures for agents, and tool results with pictures."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Image:
    """A picture.

    Attributes:
        title: title by which texts refer to the picture.
        data: bytes of a PNG or JPEG file.
    """

    title: str
    data: bytes

    @property
    def media(self) -> Literal["image/jpeg", "image/png"]:
        """Media type, determined from the first bytes of the file."""
        return "image/jpeg" if self.data.startswith(b"\xff\xd8") else "image/png"

    @property
    def base64(self) -> str:
        """The file as base64."""
        return b64encode(self.data).decode("ascii")

    @property
    def data_url(self) -> str:
        """The file as a data URL."""
        return f"data:{self.media};base64,{self.base64}"

    @property
    def sha256(self) -> str:
        """SHA-256 of the file, by which records refer to the picture."""
        return hashlib.sha256(self.data).hexdigest()


class PicturedResult(dict[str, Any]):
    """A tool result with pictures.

    As JSON, the result has a list `pictures` with title, media type and hash of each picture. Code that treats the
    result as plain JSON thus still records its pictures.

    Attributes:
        images: the pictures.

    Args:
        result: the result without pictures.
        images: the pictures.
    """

    def __init__(self, result: Mapping[str, Any], images: Sequence[Image]) -> None:
        entries = [{"title": image.title, "media": image.media, "sha256": image.sha256} for image in images]
        super().__init__(result, pictures=entries)
        self.images = tuple(images)


def images_of(result: Mapping[str, Any]) -> tuple[Image, ...]:
    """Return the pictures in a tool's result; empty for plain JSON."""
    return result.images if isinstance(result, PicturedResult) else ()


def result_text(result: Mapping[str, Any]) -> str:
    """Return a tool's result as text for a model, with titles in place of pictures."""
    images = images_of(result)
    shown = {**result, "pictures": [image.title for image in images]} if images else result
    return json.dumps(shown, ensure_ascii=False)
