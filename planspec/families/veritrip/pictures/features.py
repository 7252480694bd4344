"""The features of an image: hashes of its gradients and ORB's corners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.families.veritrip.pictures.decoding import UnreadablePicture, decoded
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Bytes: TypeAlias = NDArray[np.uint8]
    Floats: TypeAlias = NDArray[np.float32]

_SIDE = 512
_ASKED_SIDE = 384
"""Larger images are made smaller: a photo shows a part, which is then about as large as in the picture."""

_LEAST = 16
_CORNERS = 540
_GRID = 6


@dataclass(frozen=True, eq=False, slots=True)
class Features:
    """Hashes and corners of one image.

    Attributes:
        hashes: n by 8 bytes, a dHash of 64 bits in each row, the first of the whole image and the others of windows.
        points: m by 2, where each corner is, in pixels.
        descriptors: m by 32 bytes, what each corner looks like.
    """

    hashes: Bytes
    points: Floats
    descriptors: Bytes


def features_of(image: bytes, *, windows: bool) -> Features:
    """The features of an image.

    Args:
        image: PNG, JPEG or WebP.
        windows: hash parts of it too, as an index does, so that a crop finds the part it was.

    Raises:
        UnreadablePicture: the bytes are no image within bounds.
    """
    np, cv2 = imported("numpy"), imported("cv2")
    picture = decoded(image)
    longest, bound = max(picture.size), _SIDE if windows else _ASKED_SIDE
    if longest > bound:
        width, height = (max(1, side * bound // longest) for side in picture.size)
        picture = picture.resize((width, height))
    grey = picture.convert("L")
    hashes = _hashes(grey, windows)
    none = Features(hashes, np.zeros((0, 2), np.float32), np.zeros((0, 32), np.uint8))
    if min(grey.size) < _LEAST:
        return none
    # Blurred alike, drawings with sharp edges and photos without them show the same corners.
    smooth = cv2.GaussianBlur(np.asarray(grey), (0, 0), 1.2)
    try:
        orb = cv2.ORB_create(nfeatures=4 * _CORNERS, fastThreshold=8, edgeThreshold=15)
        corners, descriptors = orb.compute(smooth, _spread(orb.detect(smooth, None), *grey.size))
    except cv2.error as error:
        raise UnreadablePicture(
            f"no corners can be sought in {grey.width} by {grey.height} pixels"
        ) from error
    if descriptors is None or not len(corners):
        return none
    return Features(hashes, np.array([corner.pt for corner in corners], np.float32), descriptors)


def _spread(corners: Iterable[Any], width: int, height: int) -> list[Any]:  # OpenCV's own key points
    """The strongest corners of each cell of a grid, so that a board full of letters leaves some to the rest."""
    cells: dict[tuple[int, int], list[Any]] = {}
    for corner in sorted(corners, key=lambda one: (-one.response, one.pt)):
        cell = cells.setdefault((int(corner.pt[0] * _GRID / width), int(corner.pt[1] * _GRID / height)), [])
        if len(cell) < _CORNERS // _GRID**2:
            cell.append(corner)
    return [corner for cell in cells.values() for corner in cell]


def _hashes(grey: Image, windows: bool) -> Bytes:
    np, dhash = imported("numpy"), imported("imagehash").dhash
    width, height = grey.size
    boxes = [(0, 0, width, height)]
    if windows:
        for percent in (60, 68, 77):
            wide, high = max(1, width * percent // 100), max(1, height * percent // 100)
            boxes += [
                (x, y, x + wide, y + high)
                for y in sorted({(height - high) * step // 2 for step in range(3)})
                for x in sorted({(width - wide) * step // 2 for step in range(3)})
            ]
    return np.stack([np.packbits(dhash(grey.crop(box)).hash.reshape(-1)) for box in boxes])  # type: ignore[no-any-return]
