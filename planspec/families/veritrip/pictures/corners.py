"""Corners of pictures, and how many of two pictures lie in one arrangement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from planspec.families.veritrip.pictures.decoding import UnreadablePicture
from planspec.families.veritrip.pictures.extra import imported

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Bytes: TypeAlias = NDArray[np.uint8]
    Floats: TypeAlias = NDArray[np.float32]

_SIDE = 480
_LEAST = 16
_MOST = 240
_SCALE = 512
"""Of descriptors: roots of shares, as bytes."""
_RATIO = 0.86
_REACH = 9.0


@dataclass(frozen=True, eq=False, slots=True)
class Corners:
    """The corners of one picture.

    Attributes:
        points: n by 2, where each is, in pixels of a picture whose longer side is 480.
        descriptors: n by 128, what it looks like: SIFT's, of which the roots are compared (Arandjelović and Zisserman 2012).
    """

    points: Floats
    descriptors: Bytes


def corners_of(picture: Image) -> Corners:
    """The strongest corners of a picture in RGB.

    Raises:
        UnreadablePicture: its proportions leave no room for any.
    """
    np, cv2 = imported("numpy"), imported("cv2")
    longest = max(picture.size)
    width, height = (max(1, side * _SIDE // longest) for side in picture.size)
    none = Corners(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8))
    if min(width, height) < _LEAST:
        return none
    grey = np.asarray(picture.resize((width, height)).convert("L"))
    # shadows and nights get the contrast of day
    even = cv2.createCLAHE(clipLimit=3.0, tileGridSize=(4, 4)).apply(grey)
    try:
        found, descriptors = cv2.SIFT_create(nfeatures=_MOST, contrastThreshold=0.02).detectAndCompute(
            even, None
        )
    except cv2.error as error:
        raise UnreadablePicture(f"no corners can be sought in {width} by {height} pixels") from error
    if descriptors is None or not len(found):
        return none
    shares = descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-6)
    order = np.argsort([-one.response for one in found], kind="stable")[:_MOST]
    points = np.array([found[place].pt for place in order], np.float32)
    return Corners(points, np.clip(np.sqrt(shares[order]) * _SCALE, 0, 255).astype(np.uint8))


def arranged(one: Corners, other: Corners) -> int:
    """The number of corners of both that lie in one arrangement, but for a view from elsewhere; 0 if fewer than four could."""
    np, cv2 = imported("numpy"), imported("cv2")
    if len(one.points) < 4 or len(other.points) < 4:
        return 0
    a, b = one.descriptors.astype(np.float32), other.descriptors.astype(np.float32)
    squares = (a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * (a @ b.T)
    nearest = np.argpartition(squares, 1, axis=1)[:, :2]
    rows = np.arange(len(a))
    both = np.sqrt(np.maximum(np.take_along_axis(squares, nearest, 1), 0))
    swap = both[:, 0] > both[:, 1]
    first = np.where(swap, nearest[:, 1], nearest[:, 0])
    near, next_ = both.min(1), both.max(1)
    # each corner of the other picture is one witness only
    good = (near < _RATIO * next_) & (np.argmin(squares, axis=0)[first] == rows)
    if good.sum() < 4:
        return 0
    here, there = one.points[good], other.points[first[good]]
    moved, within = cv2.estimateAffine2D(
        here, there, method=cv2.RANSAC, ransacReprojThreshold=_REACH, maxIters=600, confidence=0.99
    )
    if moved is None or not 0.12 < abs(float(np.linalg.det(moved[:, :2]))) < 8:
        return 0
    return int(within.sum())
