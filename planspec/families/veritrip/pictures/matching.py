"""Search for pictures of the subject of an image: a quick look at all, and a closer one at the likeliest."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from planspec.errors import PlanspecError
from planspec.families.veritrip.pictures.corners import Corners, arranged, corners_of
from planspec.families.veritrip.pictures.decoding import decoded
from planspec.families.veritrip.pictures.extra import imported
from planspec.families.veritrip.pictures.vectors import LENGTH, network_number, vectors_of
from planspec.files import building

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float32]

_FORMAT = 3
_APPLICATION = 0x70696378
_LOOKED_AT = 32
_LEAST = 16
_LEVEL, _BY_LIKENESS, _BY_CORNER = -29.4, 34.4, 0.88
"""Coefficients of the log-odds that two pictures show the same place.

They were fitted on views of 120 places that the network was trained without, in an index of 1,120 pictures.
"""
_CHANCE_CORNERS, _MOST_CORNERS = 5, 40
"""Numbers of corners in an arrangement between which evidence grows.

Any two pictures reach the lower number; more than the upper one adds no evidence.
"""
_SCHEMA = """
CREATE TABLE pictures (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    vectors BLOB NOT NULL, points BLOB NOT NULL, descriptors BLOB NOT NULL
);
"""


class InvalidIndexError(PlanspecError, ValueError):
    """The file is no index of pictures, or one of another version."""


@dataclass(frozen=True, eq=False, slots=True)
class PictureFeatures:
    """Stored features of a picture.

    Attributes:
        vectors: vectors of the whole and of parts, one row each.
        corners: corners of the whole.
    """

    vectors: Floats
    corners: Corners


@dataclass(frozen=True, slots=True)
class PictureMatch:
    """A picture that may show the subject of an image.

    Attributes:
        id: id of the picture.
        score: approximate probability of the same place, from 0 to 1, estimated on views of rendered places.
        likeness: mean cosine of the vectors of the two pictures, as wholes and part by part.
        inliers: number of corners of both pictures in a common arrangement.
    """

    id: str
    score: float
    likeness: float
    inliers: int


def picture_features(image: bytes) -> PictureFeatures:
    """Compute the features of a picture.

    Raises:
        UnreadablePictureError: The bytes are no PNG, JPEG or WebP within the limits.
    """
    picture = decoded(image)
    return PictureFeatures(vectors_of(picture), corners_of(picture))


class PictureIndex:
    """Index of pictures by their appearance, in a file.

    A search compares the vectors of the image and of its parts with those of all pictures and of their parts.
    The likeliest 32, or k, are compared corner by corner (SIFT, Lowe's ratio test, RANSAC for an affine map),
    and both comparisons together give the score. Only the vectors are kept in memory; corners are read on
    demand.
    """

    def __init__(self, path: Path) -> None:
        np = imported("numpy")
        self._path = path
        try:
            with self._opened() as base:
                if base.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
                    raise InvalidIndexError(f"{path} is no index of pictures")
                if base.execute("PRAGMA user_version").fetchone()[0] != _version():
                    raise InvalidIndexError(
                        f"{path} is an index of pictures of another version of planspec: generate or import the corpus again"
                    )
                rows = base.execute("SELECT id, vectors FROM pictures ORDER BY place").fetchall()
            vectors = [np.frombuffer(blob, "<f2").reshape(-1, LENGTH) for _, blob in rows]
            if not all(len(one) for one in vectors):
                raise InvalidIndexError(f"{path} is damaged")
        except InvalidIndexError:
            raise
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise InvalidIndexError(f"{path} is no index of pictures: {error}") from error
        self._ids = [str(name) for name, _ in rows]
        self._vectors = np.concatenate([np.zeros((0, LENGTH), np.float32), *vectors]).astype(np.float32)
        self._first = np.cumsum([0, *(len(one) for one in vectors)])[:-1]

    @classmethod
    def read(cls, path: Path) -> PictureIndex:
        """Open the index in a file.

        Raises:
            FileNotFoundError: There is no such file.
            InvalidIndexError: The file is no index, or one of another version.
        """
        if not path.is_file():
            raise FileNotFoundError(f"there is no index of pictures at {path}")
        return cls(path)

    @staticmethod
    def write(path: Path, pictures: Iterable[tuple[str, PictureFeatures]]) -> None:
        """Write an index to one SQLite file, replacing an existing one.

        Two indexes of the same pictures in the same order have the same bytes with the same version of
        SQLite.

        Raises:
            ValueError: Two pictures have the same id.
        """
        with building(path) as part, closing(sqlite3.connect(part)) as base:
            base.execute(f"PRAGMA application_id = {_APPLICATION}")
            base.execute(f"PRAGMA user_version = {_version()}")
            base.executescript(_SCHEMA)
            try:
                base.executemany(
                    "INSERT INTO pictures VALUES (?, ?, ?, ?, ?)",
                    (
                        (
                            place,
                            name,
                            one.vectors.astype("<f2").tobytes(),
                            one.corners.points.astype("<f2").tobytes(),
                            one.corners.descriptors.tobytes(),
                        )
                        for place, (name, one) in enumerate(pictures)
                    ),
                )
            except sqlite3.IntegrityError as error:
                raise ValueError("two pictures have one id") from error
            base.commit()

    def __len__(self) -> int:
        return len(self._ids)

    def search(self, image: bytes, k: int = 10) -> list[PictureMatch]:
        """Return the pictures most similar to an image, best match first.

        Args:
            image: PNG, JPEG or WebP.
            k: maximal number of pictures.

        Returns:
            Matches, even if none shows the same place: the score tells. Empty for an image of less than 16
                pixels in width or
            height.

        Raises:
            UnreadablePictureError: The bytes are no image within the limits.
            InvalidIndexError: The file was damaged or removed after it was opened.
        """
        np = imported("numpy")
        picture = decoded(image)
        if not self._ids or k < 1 or min(picture.size) < _LEAST:
            return []
        likeness = self._likeness(vectors_of(picture))
        likely = np.argsort(-likeness, kind="stable")[: max(_LOOKED_AT, k)].tolist()
        inliers = arranged(corners_of(picture), list(self._corners(likely)))
        ranked = sorted(
            (-_odds(float(likeness[place]), agreeing), place, agreeing)
            for place, agreeing in zip(likely, inliers, strict=True)
        )
        return [
            PictureMatch(
                self._ids[place],
                round(1 / (1 + math.exp(less)), 3),
                round(float(likeness[place]), 3),
                agreeing,
            )
            for less, place, agreeing in ranked[:k]
        ]

    def _likeness(self, query: Floats) -> Floats:
        """Return the likeness of each picture and the image, as wholes and part by part.

        Half of it is the mean of two cosines: of both wholes, and of the image and the most similar part of
        the picture. The other half is the mean, over the parts of both, of each one's cosine with the most
        similar part of the other.

        Args:
            query: vectors of the image, one row each, the whole first.
        """
        np = imported("numpy")
        cosines = self._vectors @ query.T
        likest = np.maximum.reduceat(cosines, self._first)
        back = np.add.reduceat(cosines.max(1), self._first) / np.diff([*self._first, len(cosines)])
        wholes, parts = cosines[self._first, 0] + likest[:, 0], likest.mean(1) + back
        alike: Floats = 0.25 * (wholes + parts)
        return alike

    def _corners(self, places: list[int]) -> Iterator[Corners]:
        np = imported("numpy")
        try:
            with self._opened() as base:
                for place in places:
                    points, descriptors = base.execute(
                        "SELECT points, descriptors FROM pictures WHERE place = ?", (place,)
                    ).fetchone()
                    one = Corners(
                        np.frombuffer(points, "<f2").reshape(-1, 2).astype(np.float32),
                        np.frombuffer(descriptors, np.uint8).reshape(-1, 128),
                    )
                    if len(one.points) != len(one.descriptors):
                        raise InvalidIndexError(f"{self._path} is damaged")
                    yield one
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise InvalidIndexError(f"{self._path} is no index of pictures: {error}") from error

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(f"{self._path.resolve().as_uri()}?mode=ro", uri=True)) as base:
            yield base


def _version() -> int:
    """Return the version of the index's format and of the network together.

    It has 31 bits, as SQLite stores it, and is not 0.
    """
    return (network_number() + _FORMAT) % (2**31 - 1) + 1


def _odds(likeness: float, inliers: int) -> float:
    """Return the log-odds that two pictures show the same place."""
    corners = min(max(inliers, _CHANCE_CORNERS), _MOST_CORNERS) - _CHANCE_CORNERS
    return _LEVEL + _BY_LIKENESS * likeness + _BY_CORNER * corners
