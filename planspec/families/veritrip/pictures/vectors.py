"""Vectors of pictures: what a small network makes of them, near to each other for views of one place."""

from __future__ import annotations

import threading
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
"""The network; `python -m benchmarks.view_network` trains it on rendered views of places that are in no suite."""
LENGTH = 192
WIDE, HIGH = 160, 120
_MIDDLE, _SPREAD = 0.45, 4.0
_WINDOW = 0.72
_alone = threading.Lock()


def vectors_of(picture: Image, *, windows: bool) -> Floats:
    """The vectors of a picture, a row each, of length 1: of the whole first.

    Args:
        picture: in RGB.
        windows: of five parts of it, too, as in an index, so that a photo of a part finds it.
    """
    np, resampling = imported("numpy"), imported("PIL.Image").Resampling
    width, height = picture.size
    boxes = [(0.0, 0.0, float(width), float(height))]
    if windows:
        w, h = width * _WINDOW, height * _WINDOW
        rest = [(0, 0), (1, 0), (0.5, 0.5), (0, 1), (1, 1)]
        boxes += [
            (x * (width - w), y * (height - h), x * (width - w) + w, y * (height - h) + h) for x, y in rest
        ]
    parts = [
        np.asarray(picture.resize((WIDE, HIGH), resampling.BILINEAR, box=box, reducing_gap=2.0))
        for box in boxes
    ]
    batch = (np.stack(parts).transpose(0, 3, 1, 2).astype(np.float32) / 255 - _MIDDLE) * _SPREAD
    net = _network()
    with _alone:  # a network keeps what it was given last
        net.setInput(batch)
        made: Floats = np.array(net.forward(), np.float32).reshape(len(boxes), LENGTH)
    return made


@cache
def _network() -> Any:  # OpenCV's own type
    np, cv2 = imported("numpy"), imported("cv2")
    weights = files("planspec.families.veritrip.pictures").joinpath(WEIGHTS).read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(weights, np.uint8))
