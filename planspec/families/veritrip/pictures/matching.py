"""Search for pictures that show the same place as an image."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from planspec.errors import PlanspecError
from planspec.families.veritrip.pictures.corners import Corners, count_common_corners, find_corners
from planspec.families.veritrip.pictures.decoding import decode_picture
from planspec.families.veritrip.pictures.extra import import_extra
from planspec.families.veritrip.pictures.vectors import VECTOR_LENGTH, network_checksum, picture_vectors
from planspec.files import building

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]

_FORMAT_VERSION = 3
_APPLICATION_ID = 0x70696378
_COMPARED_COUNT = 32
_MIN_SIDE = 16
_INTERCEPT, _LIKENESS_WEIGHT, _CORNER_WEIGHT = -29.4, 34.4, 0.88
"""Coefficients of the log-odds that two pictures show the same place: intercept, likeness, common corners.

They were fitted on views of 120 places in an index of 1,120 pictures. The network was not trained on these
places.
"""
_MIN_CORNERS, _MAX_CORNERS = 5, 40
"""Bounds to which the number of common corners is clipped before it counts as evidence.

Any two pictures have about as many corners as the lower bound in common by chance. More corners than the
upper bound add no evidence.
"""
_SCHEMA = """
CREATE TABLE pictures (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    vectors BLOB NOT NULL, points BLOB NOT NULL, descriptors BLOB NOT NULL
);
"""


class InvalidIndexError(PlanspecError, ValueError):
    """The file is not an index of pictures, is damaged, or has another version."""


@dataclass(frozen=True, eq=False, slots=True)
class PictureFeatures:
    """Stored features of a picture.

    Attributes:
        vectors: embeddings of the whole picture and of its parts, one row each.
        corners: corners of the whole picture.
    """

    vectors: Floats
    corners: Corners


@dataclass(frozen=True, slots=True)
class PictureMatch:
    """A picture that may show the subject of an image.

    Attributes:
        id: id of the picture.
        score: approximate probability that both show the same place, from a model fitted on rendered places.
        likeness: mean cosine similarity of the two pictures, as wholes and part by part.
        inliers: number of corners that both pictures have in common.
    """

    id: str
    score: float
    likeness: float
    inliers: int


def picture_features(image: bytes) -> PictureFeatures:
    """Compute the features of a picture.

    Raises:
        UnreadablePictureError: The bytes are not a PNG, JPEG or WebP within the limits.
    """
    picture = decode_picture(image)
    return PictureFeatures(picture_vectors(picture), find_corners(picture))


class PictureIndex:
    """Index of pictures in a file, searchable by image.

    A search first compares the embeddings of an image with those of all pictures. The best 32 pictures (or `k`, if
    larger) are then compared by their corners: SIFT, Lowe's ratio test, and RANSAC for an affine map. Both comparisons
    determine the score. Embeddings stay in memory. Corners are read on demand.
    """

    def __init__(self, path: Path) -> None:
        np = import_extra("numpy")
        self._path = path
        try:
            with self._open() as base:
                if base.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
                    raise InvalidIndexError(f"{path} is not an index of pictures")
                if base.execute("PRAGMA user_version").fetchone()[0] != _index_version():
                    raise InvalidIndexError(
                        f"{path} is an index of pictures of another version of planspec: generate or import the corpus again"
                    )
                rows = base.execute("SELECT id, vectors FROM pictures ORDER BY place").fetchall()
            vectors = [np.frombuffer(blob, "<f2").reshape(-1, VECTOR_LENGTH) for _, blob in rows]
            if not all(len(one) for one in vectors):
                raise InvalidIndexError(f"{path} is damaged")
        except InvalidIndexError:
            raise
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise InvalidIndexError(f"{path} is not an index of pictures: {error}") from error
        self._ids = [str(name) for name, _ in rows]
        self._vectors = np.concatenate([np.zeros((0, VECTOR_LENGTH), np.float32), *vectors]).astype(np.float32)
        self._starts = np.cumsum([0, *(len(one) for one in vectors)])[:-1]

    @classmethod
    def read(cls, path: Path) -> PictureIndex:
        """Open the index in a file.

        Raises:
            FileNotFoundError: There is no such file.
            InvalidIndexError: The file is not an index, is damaged, or has another version.
        """
        if not path.is_file():
            raise FileNotFoundError(f"there is no index of pictures at {path}")
        return cls(path)

    @staticmethod
    def write(path: Path, pictures: Iterable[tuple[str, PictureFeatures]]) -> None:
        """Write an index to one SQLite file, replacing an existing one.

        The same pictures in the same order give the same bytes, if the version of SQLite is the same.

        Raises:
            ValueError: Two pictures have the same id.
        """
        with building(path) as part, closing(sqlite3.connect(part)) as base:
            base.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
            base.execute(f"PRAGMA user_version = {_index_version()}")
            base.executescript(_SCHEMA)
            try:
                base.executemany(
                    "INSERT INTO pictures VALUES (?, ?, ?, ?, ?)",
                    (
                        (
                            position,
                            name,
                            one.vectors.astype("<f2").tobytes(),
                            one.corners.points.astype("<f2").tobytes(),
                            one.corners.descriptors.tobytes(),
                        )
                        for position, (name, one) in enumerate(pictures)
                    ),
                )
            except sqlite3.IntegrityError as error:
                raise ValueError("two pictures have the same id") from error
            base.commit()

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, image: bytes, k: int = 10) -> list[PictureMatch]:
        """Return the pictures most similar to an image, best match first.

        Args:
            image: PNG, JPEG or WebP.
            k: maximal number of pictures.

        Returns:
            Matches with their scores, even if no picture shows the same place. There are none for an image
            that is less than 16 pixels wide or high.

        Raises:
            UnreadablePictureError: The bytes are not an image within the limits.
            InvalidIndexError: The file was damaged or removed after it was opened.
        """
        np = import_extra("numpy")
        picture = decode_picture(image)
        if not self._ids or k < 1 or min(picture.size) < _MIN_SIDE:
            return []
        likeness = self._likenesses(picture_vectors(picture))
        likely = np.argsort(-likeness, kind="stable")[: max(_COMPARED_COUNT, k)].tolist()
        inliers = count_common_corners(find_corners(picture), list(self._read_corners(likely)))
        ranked = sorted(
            (-_log_odds(float(likeness[position]), inlier_count), position, inlier_count)
            for position, inlier_count in zip(likely, inliers, strict=True)
        )
        return [
            PictureMatch(
                self._ids[position],
                round(1 / (1 + math.exp(negative_odds)), 3),
                round(float(likeness[position]), 3),
                inlier_count,
            )
            for negative_odds, position, inlier_count in ranked[:k]
        ]

    def _likenesses(self, query: Floats) -> Floats:
        """Return the likeness of each picture to an image.

        It is the mean of four cosine similarities:

        - of the whole image and the whole picture;
        - of the whole image and the most similar part of the picture;
        - of each part of the image and the most similar part of the picture, on average;
        - of each part of the picture and the most similar part of the image, on average.

        Args:
            query: embeddings of the image, one row each. The first row is for the whole image.
        """
        np = import_extra("numpy")
        cosines = self._vectors @ query.T
        best_cosines = np.maximum.reduceat(cosines, self._starts)
        part_means = np.add.reduceat(cosines.max(1), self._starts) / np.diff([*self._starts, len(cosines)])
        wholes, parts = cosines[self._starts, 0] + best_cosines[:, 0], best_cosines.mean(1) + part_means
        likenesses: Floats = 0.25 * (wholes + parts)
        return likenesses

    def _read_corners(self, positions: list[int]) -> Iterator[Corners]:
        np = import_extra("numpy")
        try:
            with self._open() as base:
                for position in positions:
                    points, descriptors = base.execute(
                        "SELECT points, descriptors FROM pictures WHERE place = ?", (position,)
                    ).fetchone()
                    one = Corners(
                        np.frombuffer(points, "<f2").reshape(-1, 2).astype(np.float32),
                        np.frombuffer(descriptors, np.uint8).reshape(-1, 128),
                    )
                    if len(one.points) != len(one.descriptors):
                        raise InvalidIndexError(f"{self._path} is damaged")
                    yield one
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise InvalidIndexError(f"{self._path} is not an index of pictures: {error}") from error

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            yield base


def _index_version() -> int:
    """Return a number that identifies the version of the format and of the network.

    It is positive and fits into 31 bits, as SQLite requires.
    """
    return (network_checksum() + _FORMAT_VERSION) % (2**31 - 1) + 1


def _log_odds(likeness: float, inliers: int) -> float:
    """Return the log-odds that two pictures show the same place.

    Args:
        likeness: mean cosine similarity.
        inliers: number of common corners.
    """
    corners = min(max(inliers, _MIN_CORNERS), _MAX_CORNERS) - _MIN_CORNERS
    return _INTERCEPT + _LIKENESS_WEIGHT * likeness + _CORNER_WEIGHT * corners
