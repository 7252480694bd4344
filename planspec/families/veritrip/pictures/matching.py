"""The search for pictures that look like an image: a quick look at all, and a geometric check of the likeliest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from planspec.errors import PlanspecError
from planspec.families.veritrip.pictures.extra import imported
from planspec.families.veritrip.pictures.features import Features, features_of
from planspec.families.veritrip.pictures.shortlist import CornerVotes
from planspec.files import building

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints: TypeAlias = NDArray[np.int64]

_VERSION = 1
_APPLICATION = 0x70696378
_LOOKED_AT = 16
_RATIO = 0.82
_REACH = 6.0
_HALF = 24
_SCHEMA = """
CREATE TABLE pictures (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    hashes BLOB NOT NULL, points BLOB NOT NULL, descriptors BLOB NOT NULL
);
"""


class BrokenIndex(PlanspecError, ValueError):
    """The file is no index of pictures, or one of another version."""


@dataclass(frozen=True, slots=True)
class PictureMatch:
    """A picture that may show what the image shows.

    Attributes:
        id: of the picture.
        score: 0 to 1; it grows with the inliers alone, and 24 make a half. Chance seldom gets that far, and nothing
            reaches 1.
        inliers: how many corners of both lie in one arrangement, but for a shift, a turn and a scale.
        distance: bits of 64 by which the dHash of the image differs from the nearest one of the picture or a part.
    """

    id: str
    score: float
    inliers: int
    distance: int


class PictureIndex:
    """Pictures by what they look like.

    A search compares the image's dHash and its corners with those of all pictures, roughly. The likeliest 16, or k,
    are matched corner by corner (ORB, Lowe's ratio test), and RANSAC counts the matches that one shift, turn and
    scale explains.
    """

    def __init__(self, pictures: Iterable[tuple[str, Features]]) -> None:
        entries = list(pictures)
        self._ids = [name for name, _ in entries]
        self._features = [features for _, features in entries]
        if len(set(self._ids)) != len(self._ids):
            raise ValueError("two pictures have one id")
        if entries:
            self._prepare()

    @classmethod
    def build(cls, pictures: Iterable[tuple[str, bytes]]) -> PictureIndex:
        """An index of pictures, each an id and the bytes of a PNG, JPEG or WebP.

        Raises:
            UnreadablePicture: one of them cannot be read.
            ValueError: two have one id.
        """
        return cls((name, features_of(image, windows=True)) for name, image in pictures)

    @classmethod
    def read(cls, path: Path) -> PictureIndex:
        """The index that was saved to a file.

        Raises:
            FileNotFoundError: there is none.
            BrokenIndex: it holds something else.
        """
        np = imported("numpy")
        if not path.is_file():
            raise FileNotFoundError(path)
        try:
            with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as base:
                marks = (
                    base.execute("PRAGMA application_id").fetchone(),
                    base.execute("PRAGMA user_version").fetchone(),
                )
                if marks != ((_APPLICATION,), (_VERSION,)):
                    raise BrokenIndex(f"{path} is no index of pictures of version {_VERSION}")
                rows = base.execute(
                    "SELECT id, hashes, points, descriptors FROM pictures ORDER BY place"
                ).fetchall()
            entries = [
                (name, Features(
                    np.frombuffer(hashes, np.uint8).reshape(-1, 8),
                    np.frombuffer(points, "<f4").reshape(-1, 2).astype(np.float32),
                    np.frombuffer(descriptors, np.uint8).reshape(-1, 32),
                ))
                for name, hashes, points, descriptors in rows
            ]  # fmt: skip
            if any(len(one.points) != len(one.descriptors) or not len(one.hashes) for _, one in entries):
                raise BrokenIndex(f"{path} is damaged")
            return cls(entries)
        except BrokenIndex:
            raise
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise BrokenIndex(f"{path} is no index of pictures: {error}") from error

    def save(self, path: Path) -> None:
        """Writes the index to one SQLite file, in the place of what was there.

        Two indexes of the same pictures in the same order are the same bytes with one version of SQLite.
        """
        with building(path) as part, closing(sqlite3.connect(part)) as base:
            base.execute(f"PRAGMA application_id = {_APPLICATION}")
            base.execute(f"PRAGMA user_version = {_VERSION}")
            base.executescript(_SCHEMA)
            base.executemany(
                "INSERT INTO pictures VALUES (?, ?, ?, ?, ?)",
                (
                    (
                        place,
                        name,
                        one.hashes.tobytes(),
                        one.points.astype("<f4").tobytes(),
                        one.descriptors.tobytes(),
                    )
                    for place, (name, one) in enumerate(zip(self._ids, self._features, strict=True))
                ),
            )
            base.commit()

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, image: bytes, k: int = 10) -> list[PictureMatch]:
        """The pictures that look most like an image, the best first.

        Args:
            image: PNG, JPEG or WebP.
            k: the most pictures.

        Returns:
            None of them for an image without corners (blank, or a few pixels wide). Otherwise some, even where none
            shows the same: the score tells.

        Raises:
            UnreadablePicture: the bytes are no image within bounds.
        """
        asked = features_of(image, windows=False)
        if not self._ids or not len(asked.points) or k < 1:
            return []
        distances = self._distances(asked)
        found = []
        for place in self._likely(asked, distances, max(_LOOKED_AT, k)):
            inliers = _inliers(asked, self._features[place])
            found.append((-inliers, int(distances[place]), place))
        return [
            PictureMatch(self._ids[place], round(-less / (_HALF - less), 3), -less, distance)
            for less, distance, place in sorted(found)[:k]
        ]

    def _prepare(self) -> None:
        np = imported("numpy")
        self._hashes = np.concatenate([one.hashes for one in self._features])
        self._first_hash = np.cumsum([0, *(len(one.hashes) for one in self._features)])[:-1]
        self._votes = CornerVotes([one.descriptors for one in self._features])

    def _distances(self, asked: Features) -> Ints:
        np = imported("numpy")
        bits = np.unpackbits(self._hashes ^ asked.hashes[0], axis=1).sum(axis=1, dtype=np.int64)
        return np.minimum.reduceat(bits, self._first_hash)  # type: ignore[no-any-return]

    def _likely(self, asked: Features, distances: Ints, most: int) -> list[int]:
        """The pictures worth a closer look: three of four by their corners, the others by their hashes."""
        np = imported("numpy")
        by_hash = np.argsort(distances, kind="stable").tolist()
        by_corner = np.argsort(-self._votes.of(asked.descriptors), kind="stable").tolist()
        return list(
            dict.fromkeys((*by_corner[: most * 3 // 4], *by_hash[: most - most * 3 // 4], *by_corner))
        )[:most]


def _inliers(asked: Features, known: Features) -> int:
    """The number of corners that agree on one shift, turn and scale; 0 if fewer than four could."""
    np, cv2 = imported("numpy"), imported("cv2")
    if len(asked.descriptors) < 4 or len(known.descriptors) < 4:
        return 0
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING).knnMatch(asked.descriptors, known.descriptors, k=2)
    # Corners of one spot in several scales, or many that match one, are one witness only.
    best: dict[tuple[int, int], Any] = {}
    for one, other in pairs:
        if one.distance < _RATIO * other.distance:
            spot = tuple((known.points[one.trainIdx] // 4).astype(int).tolist())
            if spot not in best or one.distance < best[spot].distance:
                best[spot] = one
    if len(best) < 4:
        return 0
    here = np.array([asked.points[one.queryIdx] for one in best.values()])
    there = np.array([known.points[one.trainIdx] for one in best.values()])
    moved, within = cv2.estimateAffinePartial2D(here, there, method=cv2.RANSAC, ransacReprojThreshold=_REACH)
    if moved is None or not 0.2 < np.hypot(moved[0, 0], moved[1, 0]) < 5:
        return 0
    return int(within.sum())
