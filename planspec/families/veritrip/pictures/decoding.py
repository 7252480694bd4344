"""Decoding of pictures from untrusted bytes, within limits of size."""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from planspec.errors import PlanspecError
from planspec.families.veritrip.pictures.extra import import_extra

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_PIXELS = 24_000_000
MOST_BYTES = 32_000_000
_FORMATS = ("PNG", "JPEG", "WEBP")

# All exceptions that Pillow's decoders are known to raise on truncated, altered or malicious bytes.
_DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    EOFError,
    TypeError,
    IndexError,
    KeyError,
    OverflowError,
    AttributeError,
    struct.error,
    zlib.error,
    MemoryError,
)


class UnreadablePictureError(PlanspecError, ValueError):
    """The bytes are not a valid PNG, JPEG or WebP, or exceed the limits of size."""


def decode_picture(image: bytes, *, upright: bool = False) -> Image:
    """Decode a picture to RGB, with transparent parts on white.

    Args:
        image: content of the file.
        upright: whether to rotate the picture by the orientation in its metadata.

    Raises:
        UnreadablePictureError: The picture cannot be read. Its size is checked before it is decoded.
    """
    if not image:
        raise UnreadablePictureError("no bytes")
    if len(image) > MOST_BYTES:
        raise UnreadablePictureError(f"{len(image):,} bytes are more than {MOST_BYTES:,}")
    pil = import_extra("PIL.Image")
    try:
        with warnings.catch_warnings():
            # Pillow warns of pictures with many pixels; the limit below is lower and raises an error.
            warnings.simplefilter("ignore")
            picture: Image = pil.open(BytesIO(image), formats=_FORMATS)
            width, height = picture.size
            if width * height > MOST_PIXELS:
                raise UnreadablePictureError(f"{width} by {height} pixels are more than {MOST_PIXELS:,}")
            if upright:
                picture = import_extra("PIL.ImageOps").exif_transpose(picture)
            if picture.mode.startswith("I"):
                # Pillow would clip the 16-bit values at 255.
                return picture.point(lambda value: value / 256).convert("RGB")
            if not picture.has_transparency_data:
                return picture.convert("RGB")
            layered = picture.convert("RGBA")
            white: Image = pil.new("RGBA", layered.size, "white")
            return pil.alpha_composite(white, layered).convert("RGB")  # type: ignore[no-any-return]
    except UnreadablePictureError:
        raise
    except pil.DecompressionBombError as error:
        raise UnreadablePictureError(f"more than {MOST_PIXELS:,} pixels") from error
    except _DECODER_ERRORS as error:
        raise UnreadablePictureError("no readable PNG, JPEG or WebP") from error
