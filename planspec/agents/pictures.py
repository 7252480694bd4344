"""Pictures for agents with eyes, and results of tools that bring some."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Image:
    """A picture.

    Attributes:
        title: by which texts refer to it.
        data: a PNG or JPEG file.
    """

    title: str
    data: bytes

    @property
    def media(self) -> Literal["image/jpeg", "image/png"]:
        """The media type, by the file's first bytes."""
        return "image/jpeg" if self.data.startswith(b"\xff\xd8") else "image/png"

    @property
    def sha256(self) -> str:
        """The hash of the file, by which records refer to it."""
        return hashlib.sha256(self.data).hexdigest()


class Pictured(dict[str, Any]):
    """A tool's result that brings pictures.

    As JSON it names them in `pictures`, each with its title, media type and hash; so whoever takes it for plain JSON keeps
    or shows which they were, and nothing else changes.

    Attributes:
        images: the pictures themselves.

    Args:
        result: what the tool says beside them.
        images: likewise.
    """

    def __init__(self, result: Mapping[str, Any], images: Sequence[Image]) -> None:
        named = [{"title": image.title, "media": image.media, "sha256": image.sha256} for image in images]
        super().__init__(result, pictures=named)
        self.images = tuple(images)


def images_of(result: Mapping[str, Any]) -> tuple[Image, ...]:
    """The pictures of a tool's result; none of one that is JSON alone."""
    return result.images if isinstance(result, Pictured) else ()


def told(result: Mapping[str, Any]) -> str:
    """A tool's result as the text that a model reads; pictures, which it sees beside it, by their titles alone."""
    images = images_of(result)
    shown = {**result, "pictures": [image.title for image in images]} if images else result
    return json.dumps(shown, ensure_ascii=False)
