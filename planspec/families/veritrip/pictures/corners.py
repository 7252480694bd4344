"""Corners of pictures, and the number of corners that two pictures have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from planspec.families.veritrip.pictures.decoding import UnreadablePictureError
from planspec.families.veritrip.pictures.extra import import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    Bytes: TypeAlias = NDArray[np.uint8]
    Floats: TypeAlias = NDArray[np.float32]

_LONGER_SIDE = 480
_MIN_SIDE = 16
_MAX_CORNERS = 240
_DESCRIPTOR_SCALE = 512
"""Factor by which the roots of normalised descriptors are scaled to bytes."""
_MAX_DISTANCE_RATIO = 0.86
_MAX_ERROR_PX = 9.0


@dataclass(frozen=True, eq=False, slots=True)
class Corners:
    """The corners of one picture.

    Attributes:
        points: n by 2 positions, in pixels of a picture whose longer side is 480.
        descriptors: n by 128 RootSIFT descriptors (Arandjelović and Zisserman 2012), scaled to bytes.
    """

    points: Floats
    descriptors: Bytes


def find_corners(picture: Image) -> Corners:
    """Find the strongest corners of a picture in RGB.

    Raises:
        UnreadablePictureError: OpenCV cannot find corners in a picture of these proportions.
    """
    np, cv2 = import_extra("numpy"), import_extra("cv2")
    longest = max(picture.size)
    width, height = (max(1, side * _LONGER_SIDE // longest) for side in picture.size)
    empty = Corners(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8))
    if min(width, height) < _MIN_SIDE:
        return empty
    grey = np.asarray(picture.resize((width, height)).convert("L"))
    # equalise the contrast of shadows and night scenes
    equalised = cv2.createCLAHE(clipLimit=3.0, tileGridSize=(4, 4)).apply(grey)
    try:
        keypoints, descriptors = cv2.SIFT_create(nfeatures=_MAX_CORNERS, contrastThreshold=0.02).detectAndCompute(
            equalised, None
        )
    except cv2.error as error:
        raise UnreadablePictureError(f"no corners can be sought in {width} by {height} pixels") from error
    if descriptors is None or not len(keypoints):
        return empty
    shares = descriptors / np.maximum(descriptors.sum(1, keepdims=True), 1e-6)
    order = np.argsort([-one.response for one in keypoints], kind="stable")[:_MAX_CORNERS]
    points = np.array([keypoints[place].pt for place in order], np.float32)
    return Corners(points, np.clip(np.sqrt(shares[order]) * _DESCRIPTOR_SCALE, 0, 255).astype(np.uint8))


def count_common_corners(query: Corners, candidates: Sequence[Corners]) -> list[int]:
    """Count the corners that each candidate has in common with a query picture, up to an affine map.

    The pictures may be taken from different positions. The count is 0 if fewer than four corners match.
    """
    np = import_extra("numpy")
    if len(query.points) < 4 or not candidates:
        return [0] * len(candidates)
    # one product for all candidates is much faster than one for each
    a, every = (
        query.descriptors.astype(np.float32),
        np.concatenate([one.descriptors for one in candidates]).astype(np.float32),
    )
    squares = (a * a).sum(1)[:, None] + (every * every).sum(1)[None] - 2 * (a @ every.T)
    ends = np.cumsum([0, *(len(one.points) for one in candidates)])
    return [
        _count_inliers(query, one, squares[:, begin:end])
        for one, begin, end in zip(candidates, ends[:-1], ends[1:], strict=True)
    ]


def _count_inliers(query: Corners, candidate: Corners, squares: Floats) -> int:
    np, cv2 = import_extra("numpy"), import_extra("cv2")
    if len(candidate.points) < 4:
        return 0
    nearest = np.argpartition(squares, 1, axis=1)[:, :2]
    distances = np.sqrt(np.maximum(np.take_along_axis(squares, nearest, 1), 0))
    first = np.where(distances[:, 0] > distances[:, 1], nearest[:, 1], nearest[:, 0])
    # keep only mutual nearest neighbours
    is_mutual = squares.argmin(axis=0)[first] == np.arange(len(squares))
    good = (distances.min(1) < _MAX_DISTANCE_RATIO * distances.max(1)) & is_mutual
    if good.sum() < 4:
        return 0
    source, target = query.points[good], candidate.points[first[good]]
    affine, inlier_mask = cv2.estimateAffine2D(
        source, target, method=cv2.RANSAC, ransacReprojThreshold=_MAX_ERROR_PX, maxIters=400, confidence=0.99
    )
    if affine is None or not 0.12 < abs(float(np.linalg.det(affine[:, :2]))) < 8:
        return 0
    return int(inlier_mask.sum())
