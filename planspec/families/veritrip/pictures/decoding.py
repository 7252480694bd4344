"""Decoding of image bytes that may be anything, within limits."""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from planspec.errors import PlanspecError
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 24_000_000
MOST_BYTES = 32_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")

# All exceptions that Pillow's decoders of these formats are known to raise on truncated, altered or malicious bytes.
_FAULTS = (
    OSError, SyntaxError, ValueError, EOFError, TypeError, IndexError, KeyError, OverflowError, AttributeError,
    struct.error, zlib.error, MemoryError,
)  # fmt: skip


class UnreadablePictureError(PlanspecError, ValueError):
    """The bytes are no PNG, JPEG or WebP, are broken, or exceed the limits of size."""


def decoded(image: bytes, *, upright: bool = False) -> Image:
    """Decode a picture to RGB, with transparent parts on white.

    Args:
        image: content of the file.
        upright: whether to apply the orientation noted by the camera.

    Raises:
        UnreadablePictureError: The picture cannot be read; nothing is decoded before its size is checked.
    """
    if not image:
        raise UnreadablePictureError("no bytes")
    if len(image) > MOST_BYTES:
        raise UnreadablePictureError(f"{len(image):,} bytes are more than {MOST_BYTES:,}")
    pil = imported("PIL.Image")
    try:
        with warnings.catch_warnings():
            # Pillow warns of many pixels; the bound below is lower, and an error.
            warnings.simplefilter("ignore")
            opened: Image = pil.open(BytesIO(image), formats=_FORMATS)
            width, height = opened.size
            if width * height > MOST_PIXELS:
                raise UnreadablePictureError(f"{width} by {height} pixels are more than {MOST_PIXELS:,}")
            if upright:
                opened = imported("PIL.ImageOps").exif_transpose(opened)
            if opened.mode.startswith("I"):
                # Pillow would clip values brighter than 255 of 65,535.
                return opened.point(lambda value: value / 256).convert("RGB")
            if not opened.has_transparency_data:
                return opened.convert("RGB")
            layered = opened.convert("RGBA")
            white: Image = pil.new("RGBA", layered.size, "white")
            return pil.alpha_composite(white, layered).convert("RGB")  # type: ignore[no-any-return]
    except UnreadablePictureError:
        raise
    except pil.DecompressionBombError as error:
        raise UnreadablePictureError(f"more than {MOST_PIXELS:,} pixels") from error
    except _FAULTS as error:
        raise UnreadablePictureError("no readable PNG, JPEG or WebP") from error
