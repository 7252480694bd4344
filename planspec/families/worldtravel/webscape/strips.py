"""Cutting of tall pictures into strips, since model services shrink large pictures until they are illegible."""

from __future__ import annotations

from io import BytesIO

from planspec.extras import needing

TALL = 1_200
"""Height of a strip, in pixels. At a width of 1,280 pixels, model services do not shrink such pictures."""
OVERLAP = 80
"""Height in pixels of the part that two consecutive strips share.

The overlap keeps each line of text whole in at least one strip.
"""
_HEIGHT = slice(20, 24)
"""Position of the height within the bytes of a PNG."""


def require_pillow() -> None:
    """Check that Pillow is installed.

    Raises:
        ModuleNotFoundError: Pillow is not installed. The message says how to install it.
    """
    with needing("browser", "pictures of high pages need an extra"):
        import PIL.Image  # noqa: F401 fails if Pillow is not installed


def strips(picture: bytes) -> list[bytes]:
    """Cut a picture (PNG) into strips from top to bottom. A picture up to the height of a strip stays whole.

    Raises:
        ModuleNotFoundError: the picture must be cut, and Pillow is not installed.
    """
    height = int.from_bytes(picture[_HEIGHT], "big")
    if height <= TALL:
        return [picture]
    require_pillow()
    from PIL import Image

    parts = []
    with Image.open(BytesIO(picture)) as whole:
        for top in range(0, height - OVERLAP, TALL - OVERLAP):
            strip = BytesIO()
            whole.crop((0, top, whole.width, min(top + TALL, height))).save(strip, "PNG")
            parts.append(strip.getvalue())
    return parts
