"""Vectors of pictures computed by a small network; views of one place have similar vectors."""

from __future__ import annotations

import threading
import zlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Floats: TypeAlias = NDArray[np.float32]

WEIGHTS = "views.onnx"
"""Network, trained by `python -m training.network` on rendered views of places that are in no suite."""
LENGTH = 192
WIDE, HIGH = 128, 96
_MIDDLE, _SPREAD = 0.45, 4.0
_PARTS = (
    (0.72, ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (1.0, 1.0))),
    (0.52, tuple((x / 2, y / 2) for y in range(3) for x in range(3))),
)
"""Parts of a picture: the share of its width and height, and the positions, from 0 to 1 each way."""
_network_lock = threading.Lock()


def vectors_of(picture: Image) -> Floats:
    """Return the vectors of a picture, one row of length 1 each.

    The first row is of the whole, and 14 rows of parts follow, so that a photo of a part is found.

    Args:
        picture: picture in RGB.
    """
    np, resampling = imported("numpy"), imported("PIL.Image").Resampling
    width, height = picture.size
    boxes = [(0.0, 0.0, float(width), float(height))]
    for share, places in _PARTS:
        w, h = width * share, height * share
        left, above = width - w, height - h
        boxes += [(x * left, y * above, x * left + w, y * above + h) for x, y in places]
    parts = [
        np.asarray(picture.resize((WIDE, HIGH), resampling.BILINEAR, box=box, reducing_gap=2.0))
        for box in boxes
    ]
    batch = (np.stack(parts).transpose(0, 3, 1, 2).astype(np.float32) / 255 - _MIDDLE) * _SPREAD
    net = _network()
    with _network_lock:  # a network stores its last input
        net.setInput(batch)
        vectors: Floats = np.array(net.forward(), np.float32).reshape(len(boxes), LENGTH)
    return vectors


@cache
def network_number() -> int:
    """Return a checksum of the network, in 32 bits: vectors of different networks are not comparable."""
    return zlib.crc32(_weights())


@cache
def _network() -> Any:  # OpenCV's own type
    np, cv2 = imported("numpy"), imported("cv2")
    return cv2.dnn.readNetFromONNX(np.frombuffer(_weights(), np.uint8))


def _weights() -> bytes:
    return files("planspec.families.veritrip.pictures").joinpath(WEIGHTS).read_bytes()
