"""Image embeddings, computed by a small neural network. Views of one place have similar embeddings."""

from __future__ import annotations

import threading
import zlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.families.veritrip.pictures.extra import import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Floats: TypeAlias = NDArray[np.float32]

WEIGHTS = "views.onnx"
"""File of the embedding network. `python -m training.network` trained it on rendered views; no suite has these places."""
VECTOR_LENGTH = 192
INPUT_WIDTH, INPUT_HEIGHT = 128, 96
_INPUT_MEAN, _INPUT_SCALE = 0.45, 4.0
_PARTS = (
    (0.72, ((0.0, 0.0), (1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (1.0, 1.0))),
    (0.52, tuple((x / 2, y / 2) for y in range(3) for x in range(3))),
)
"""Parts of a picture, as their share of its width and height, and their positions in both directions from 0 to 1."""
_network_lock = threading.Lock()


def picture_vectors(picture: Image) -> Floats:
    """Compute the embeddings of a picture, as rows of Euclidean norm 1.

    The first row is for the whole picture. The other 14 rows are for its parts, so that a photo of a part also matches.

    Args:
        picture: picture in RGB.
    """
    np, resampling = import_extra("numpy"), import_extra("PIL.Image").Resampling
    width, height = picture.size
    boxes = [(0.0, 0.0, float(width), float(height))]
    for share, places in _PARTS:
        w, h = width * share, height * share
        left, above = width - w, height - h
        boxes += [(x * left, y * above, x * left + w, y * above + h) for x, y in places]
    parts = [
        np.asarray(picture.resize((INPUT_WIDTH, INPUT_HEIGHT), resampling.BILINEAR, box=box, reducing_gap=2.0))
        for box in boxes
    ]
    batch = (np.stack(parts).transpose(0, 3, 1, 2).astype(np.float32) / 255 - _INPUT_MEAN) * _INPUT_SCALE
    net = _load_network()
    with _network_lock:  # the network keeps its input from one call to the next
        net.setInput(batch)
        vectors: Floats = np.array(net.forward(), np.float32).reshape(len(boxes), VECTOR_LENGTH)
    return vectors


@cache
def network_checksum() -> int:
    """Return a checksum of the network in 32 bits. Embeddings from different networks are not comparable."""
    return zlib.crc32(_read_weights())


@cache
def _load_network() -> Any:  # the network's type is known only to OpenCV
    np, cv2 = import_extra("numpy"), import_extra("cv2")
    return cv2.dnn.readNetFromONNX(np.frombuffer(_read_weights(), np.uint8))


def _read_weights() -> bytes:
    return files("planspec.families.veritrip.pictures").joinpath(WEIGHTS).read_bytes()
