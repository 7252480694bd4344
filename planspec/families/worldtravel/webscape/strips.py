"""Pictures of high pages cut into strips, since services shrink large pictures until they are illegible."""

from __future__ import annotations

from io import BytesIO

from planspec.extras import needing

TALL = 1_200
"""Pixels of a strip; at a width of 1,280 pixels services accept about this size unchanged."""
OVERLAP = 80
"""Pixels repeated from the previous strip, so that no line of text is cut in both."""
_HEIGHT = slice(20, 24)
"""Position of the height in a PNG."""


def require_pillow() -> None:
    """Check that Pillow is installed.

    Raises:
        ModuleNotFoundError: it is not installed; the message says how to install it.
    """
    with needing("browser", "pictures of high pages need an extra"):
        import PIL.Image  # noqa: F401 loaded to see that it is there


def strips(picture: bytes) -> list[bytes]:
    """Cut a picture (PNG) into strips from top to bottom; a low picture stays whole.

    Raises:
        ModuleNotFoundError: the picture must be cut and Pillow is not installed; the message says how to
            install it.
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
