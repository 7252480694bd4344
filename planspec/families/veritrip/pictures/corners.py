"""Corners of pictures, and the number of corners of two pictures in a common arrangement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from planspec.families.veritrip.pictures.decoding import UnreadablePictureError
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
"""Factor of descriptors: roots of shares, as bytes."""
_RATIO = 0.86
_REACH = 9.0


@dataclass(frozen=True, eq=False, slots=True)
class Corners:
    """The corners of one picture.

    Attributes:
        points: n by 2 positions, in pixels of a picture whose longer side is 480.
        descriptors: n by 128 SIFT descriptors, whose roots are compared (Arandjelović and Zisserman 2012).
    """

    points: Floats
    descriptors: Bytes


def corners_of(picture: Image) -> Corners:
    """Return the strongest corners of a picture in RGB.

    Raises:
        UnreadablePictureError: The proportions leave no room for corners.
    """
    np, cv2 = imported("numpy"), imported("cv2")
    longest = max(picture.size)
    width, height = (max(1, side * _SIDE // longest) for side in picture.size)
    none = Corners(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8))
    if min(width, height) < _LEAST:
        return none
    grey = np.asarray(picture.resize((width, height)).convert("L"))
    # gives shadows and nights the contrast of day
    even = cv2.createCLAHE(clipLimit=3.0, tileGridSize=(4, 4)).apply(grey)
    try:
        keypoints, descriptors = cv2.SIFT_create(nfeatures=_MOST, contrastThreshold=0.02).detectAndCompute(
            even, None
        )
    except cv2.error as error:
        raise UnreadablePictureError(f"no corners can be sought in {width} by {height} pixels") from error
    if descriptors is None or not len(keypoints):
        return none
    shares = descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-6)
    order = np.argsort([-one.response for one in keypoints], kind="stable")[:_MOST]
    points = np.array([keypoints[place].pt for place in order], np.float32)
    return Corners(points, np.clip(np.sqrt(shares[order]) * _SCALE, 0, 255).astype(np.uint8))


def arranged(query: Corners, candidates: Sequence[Corners]) -> list[int]:
    """Count for each of several pictures the corners in a common arrangement with those of a query picture.

    The views may be taken from different positions. The count is 0 if fewer than four corners can match.
    """
    np = imported("numpy")
    if len(query.points) < 4 or not candidates:
        return [0] * len(candidates)
    # one product for all candidates: many small ones cost far more
    a, every = (
        query.descriptors.astype(np.float32),
        np.concatenate([one.descriptors for one in candidates]).astype(np.float32),
    )
    squares = (a * a).sum(1)[:, None] + (every * every).sum(1)[None] - 2 * (a @ every.T)
    ends = np.cumsum([0, *(len(one.points) for one in candidates)])
    return [
        _inliers(query, one, squares[:, begin:end])
        for one, begin, end in zip(candidates, ends[:-1], ends[1:], strict=True)
    ]


def _inliers(query: Corners, candidate: Corners, squares: Floats) -> int:
    np, cv2 = imported("numpy"), imported("cv2")
    if len(candidate.points) < 4:
        return 0
    nearest = np.argpartition(squares, 1, axis=1)[:, :2]
    both = np.sqrt(np.maximum(np.take_along_axis(squares, nearest, 1), 0))
    first = np.where(both[:, 0] > both[:, 1], nearest[:, 1], nearest[:, 0])
    # each corner of the candidate counts only once
    alone = squares.argmin(axis=0)[first] == np.arange(len(squares))
    good = (both.min(1) < _RATIO * both.max(1)) & alone
    if good.sum() < 4:
        return 0
    source, target = query.points[good], candidate.points[first[good]]
    moved, within = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH, maxIters=400, confidence=0.99
    )
    if moved is None or not 0.12 < abs(float(np.linalg.det(moved[:, :2]))) < 8:
        return 0
    return int(within.sum())
