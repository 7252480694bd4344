"""Pictures of high pages in strips, since services make large pictures smaller until nobody can read them."""

from __future__ import annotations

from io import BytesIO

from planspec.extras import needing

TALL = 1_200
"""Pixels of a strip; with 1,280 pixels of width that is what services take as it is, or nearly so."""
OVERLAP = 80
"""Pixels that a strip repeats of the one before, so that no line of text is cut in both."""
_HEIGHT = slice(20, 24)
"""Where a PNG says its height."""


def require_pillow() -> None:
    """Load what cuts pictures.

    Raises:
        ModuleNotFoundError: it is not installed; the text says how to install it.
    """
    with needing("browser", "pictures of high pages need an extra"):
        import PIL.Image  # noqa: F401 loaded to see that it is there


def strips(picture: bytes) -> list[bytes]:
    """A picture (PNG) from above to below, in one piece where it is no higher than a strip.

    Raises:
        ModuleNotFoundError: it has to be cut, and Pillow is not installed; the text says how to install it.
    """
    height = int.from_bytes(picture[_HEIGHT], "big")
    if height <= TALL:
        return [picture]
    require_pillow()
    from PIL import Image

    made = []
    with Image.open(BytesIO(picture)) as whole:
        for top in range(0, height - OVERLAP, TALL - OVERLAP):
            strip = BytesIO()
            whole.crop((0, top, whole.width, min(top + TALL, height))).save(strip, "PNG")
            made.append(strip.getvalue())
    return made
