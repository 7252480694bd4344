"""Picture search by perceptual hashes and ORB features: the method of earlier versions, now a baseline.

One shortlist is ranked by the dHashes (Krawetz) of the whole picture and of windows. Another is ranked by the votes
of ORB corners (Rublee et al. 2011), indexed by locality-sensitive hashing. The best 16 candidates, or the best k,
are matched corner by corner. RANSAC counts the matches that agree on one translation, rotation and scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import cv2
import imagehash
import numpy as np
from PIL import Image

from planspec.families.veritrip.pictures.chance import Dice

_STORED_SIDE_PX, _QUERY_SIDE_PX = 512, 384
_CORNERS, _GRID = 540, 6
_MATCHED, _RATIO, _REACH = 16, 0.82, 6.0
_TABLES, _NEAR, _CROWD = 14, 52, 400


@dataclass(frozen=True, eq=False, slots=True)
class OrbFeatures:
    """Features of a picture.

    Attributes:
        hashes: hashes of 64 bits, each a row of 8 bytes.
        points: positions of the ORB corners.
        descriptors: descriptors of the ORB corners.
    """

    hashes: np.ndarray
    points: np.ndarray
    descriptors: np.ndarray


def orb_features(image: bytes, *, windows: bool) -> OrbFeatures:
    picture = Image.open(BytesIO(image)).convert("RGB")
    longest, bound = max(picture.size), _STORED_SIDE_PX if windows else _QUERY_SIDE_PX
    if longest > bound:
        picture = picture.resize((picture.width * bound // longest, picture.height * bound // longest))
    grey = picture.convert("L")
    smooth = cv2.GaussianBlur(np.asarray(grey), (0, 0), 1.2)
    orb = cv2.ORB.create(nfeatures=4 * _CORNERS, fastThreshold=8, edgeThreshold=15)
    cells: dict[tuple[int, int], list[cv2.KeyPoint]] = {}
    for corner in sorted(orb.detect(smooth, None), key=lambda one: (-one.response, one.pt)):
        cell = cells.setdefault((int(corner.pt[0] * _GRID / grey.width), int(corner.pt[1] * _GRID / grey.height)), [])
        if len(cell) < _CORNERS // _GRID**2:
            cell.append(corner)
    corners, descriptors = orb.compute(smooth, [corner for cell in cells.values() for corner in cell])
    if descriptors is None:
        corners, descriptors = (), np.zeros((0, 32), np.uint8)
    return OrbFeatures(
        _difference_hashes(grey, windows),
        np.array([corner.pt for corner in corners], np.float32).reshape(-1, 2),
        descriptors,
    )


def _difference_hashes(grey: Image.Image, windows: bool) -> np.ndarray:
    width, height = grey.size
    boxes = [(0, 0, width, height)]
    for percent in (60, 68, 77) if windows else ():
        wide, high = width * percent // 100, height * percent // 100
        boxes += [
            (x, y, x + wide, y + high)
            for y in sorted({(height - high) * step // 2 for step in range(3)})
            for x in sorted({(width - wide) * step // 2 for step in range(3)})
        ]
    return np.stack([np.packbits(imagehash.dhash(grey.crop(box)).hash.reshape(-1)) for box in boxes])


class HashAndOrb:
    """Index of pictures, which is searched by hashes and ORB corners."""

    def __init__(self, pictures: list[tuple[str, OrbFeatures]]) -> None:
        self._ids = [name for name, _ in pictures]
        self._features = [one for _, one in pictures]
        self._hashes = np.concatenate([one.hashes for one in self._features])
        self._first = np.cumsum([0, *(len(one.hashes) for one in self._features)])[:-1]
        self._every = np.ascontiguousarray(np.concatenate([one.descriptors for one in self._features])).view(np.uint64)
        self._picture = np.repeat(np.arange(len(pictures)), [len(one.descriptors) for one in self._features])
        bits = 13 + max(0, len(self._every).bit_length() - 15)
        self._tables = []
        for table in range(_TABLES):
            dice, left = Dice("bits", table), list(range(256))
            chosen = [left.pop(dice.integer(0, len(left) - 1)) for _ in range(bits)]
            keys = _bucket_keys(self._every, chosen)
            order = np.argsort(keys, kind="stable")
            self._tables.append((chosen, order, keys[order]))

    def search(self, image: bytes, k: int = 10) -> list[str]:
        query = orb_features(image, windows=False)
        if not len(query.points):
            return []
        bits = np.unpackbits(self._hashes ^ query.hashes[0], axis=1).sum(axis=1, dtype=np.int64)
        distances = np.minimum.reduceat(bits, self._first)
        by_hash = np.argsort(distances, kind="stable").tolist()
        by_corner = np.argsort(-self._count_votes(query.descriptors), kind="stable").tolist()
        most = max(_MATCHED, k)
        likely = list(dict.fromkeys((*by_corner[: most * 3 // 4], *by_hash[: most - most * 3 // 4], *by_corner)))[:most]
        ranked = [(-_count_inliers(query, self._features[place]), int(distances[place]), place) for place in likely]
        return [self._ids[place] for *_, place in sorted(ranked)[:k]]

    def _count_votes(self, descriptors: np.ndarray) -> np.ndarray:
        query = np.ascontiguousarray(descriptors).view(np.uint64)
        pairs = []
        for chosen, order, buckets in self._tables:
            keys = _bucket_keys(query, chosen)
            begin, end = np.searchsorted(buckets, keys, "left"), np.searchsorted(buckets, keys, "right")
            sizes = np.where(end - begin > _CROWD, 0, end - begin)
            corner = np.repeat(np.arange(len(query)), sizes)
            place = np.arange(len(corner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(begin, sizes)
            entry = order[place]
            near = np.bitwise_count(query[corner] ^ self._every[entry]).sum(axis=1, dtype=np.int64) <= _NEAR
            pairs.append(corner[near] * len(self._ids) + self._picture[entry[near]])
        voted = np.unique(np.concatenate(pairs))
        corner, picture = voted // len(self._ids), voted % len(self._ids)
        shares = np.bincount(corner, minlength=len(query))
        return np.bincount(picture, weights=1 / shares[corner], minlength=len(self._ids))


def _bucket_keys(descriptors: np.ndarray, chosen: list[int]) -> np.ndarray:
    keys = np.zeros(len(descriptors), np.int64)
    for bit in chosen:
        keys = keys << 1 | (descriptors[:, bit // 64] >> np.uint64(bit % 64) & np.uint64(1)).astype(np.int64)
    return keys


def _count_inliers(query: OrbFeatures, stored: OrbFeatures) -> int:
    if len(query.descriptors) < 4 or len(stored.descriptors) < 4:
        return 0
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(query.descriptors, stored.descriptors, k=2)
    best: dict[tuple[int, ...], cv2.DMatch] = {}
    for one, other in pairs:
        if one.distance < _RATIO * other.distance:
            spot = tuple((stored.points[one.trainIdx] // 4).astype(int).tolist())
            if spot not in best or one.distance < best[spot].distance:
                best[spot] = one
    if len(best) < 4:
        return 0
    source = np.array([query.points[one.queryIdx] for one in best.values()])
    target = np.array([stored.points[one.trainIdx] for one in best.values()])
    transform, inliers = cv2.estimateAffinePartial2D(source, target, method=cv2.RANSAC, ransacReprojThreshold=_REACH)
    # OpenCV's stubs omit that it returns None if it finds no transformation
    if transform is None or not 0.2 < np.hypot(transform[0, 0], transform[1, 0]) < 5:  # type: ignore[redundant-expr]
        return 0
    return int(inliers.sum())
