"""The search for pictures that show what an image shows: a quick look at all, and a closer one at the likeliest."""

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
"""The odds that two pictures show one place, in logarithms: fitted on views of 120 places that the network was
trained without, in an index of 1,120 pictures."""
_CHANCE_CORNERS, _MOST_CORNERS = 5, 40
"""Corners up to which an arrangement says nothing, since any two pictures have one; and beyond which no more."""
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
    """What an index keeps of a picture.

    Attributes:
        vectors: of the whole and of parts, a row each.
        corners: of the whole.
    """

    vectors: Floats
    corners: Corners


@dataclass(frozen=True, slots=True)
class PictureMatch:
    """A picture that may show what the image shows.

    Attributes:
        id: of the picture.
        score: 0 to 1; the chance, by and large, that it shows the same place, as far as views of rendered places tell.
        likeness: of the two as wholes and part by part, a mean of cosines of their vectors.
        inliers: how many corners of both lie in one arrangement, seen from elsewhere.
    """

    id: str
    score: float
    likeness: float
    inliers: int


def picture_features(image: bytes) -> PictureFeatures:
    """What an index keeps of a picture.

    Raises:
        UnreadablePictureError: the bytes are no PNG, JPEG or WebP within bounds.
    """
    picture = decoded(image)
    return PictureFeatures(vectors_of(picture), corners_of(picture))


class PictureIndex:
    """Pictures by what they look like, in a file.

    A search compares the vectors of the image and of its parts with those of all pictures and of theirs. The likeliest 32, or k, are compared corner
    by corner (SIFT, Lowe's ratio test, RANSAC for an affine map), and both together give the score. Only the vectors are kept in
    memory; corners are read where they are needed.
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
        """The index in a file.

        Raises:
            FileNotFoundError: there is none.
            InvalidIndexError: it is none, or one of another version.
        """
        if not path.is_file():
            raise FileNotFoundError(f"there is no index of pictures at {path}")
        return cls(path)

    @staticmethod
    def write(path: Path, pictures: Iterable[tuple[str, PictureFeatures]]) -> None:
        """Writes an index to one SQLite file, in the place of what was there.

        Two indexes of the same pictures in the same order are the same bytes with one version of SQLite.

        Raises:
            ValueError: two pictures have one id.
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
        """The pictures that look most like an image, the best first.

        Args:
            image: PNG, JPEG or WebP.
            k: the most pictures.

        Returns:
            Some, even where none shows the same: the score tells. None for an image of less than 16 pixels in width or height.

        Raises:
            UnreadablePictureError: the bytes are no image within bounds.
            InvalidIndexError: the file was damaged or taken away after it was opened.
        """
        np = imported("numpy")
        picture = decoded(image)
        if not self._ids or k < 1 or min(picture.size) < _LEAST:
            return []
        likeness = self._likeness(vectors_of(picture))
        likely = np.argsort(-likeness, kind="stable")[: max(_LOOKED_AT, k)].tolist()
        inliers = arranged(corners_of(picture), list(self._corners(likely)))
        found = sorted(
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
            for less, place, agreeing in found[:k]
        ]

    def _likeness(self, asked: Floats) -> Floats:
        """How alike each picture and the image are, as wholes and part by part.

        Half of it is the mean of two cosines: of both wholes, and of the image and the likest part of the picture. The other half is the mean, over
        the parts of the image and over those of the picture, of each one's cosine with the likest part of the other.

        Args:
            asked: the vectors of the image, a row each, of the whole first.
        """
        np = imported("numpy")
        every = self._vectors @ asked.T
        likest = np.maximum.reduceat(every, self._first)
        back = np.add.reduceat(every.max(1), self._first) / np.diff([*self._first, len(every)])
        wholes, parts = every[self._first, 0] + likest[:, 0], likest.mean(1) + back
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
    """Of an index's format and of the network together, as SQLite keeps it: in 31 bits, and not 0."""
    return (network_number() + _FORMAT) % (2**31 - 1) + 1


def _odds(likeness: float, inliers: int) -> float:
    """The odds that two pictures show one place, in logarithms."""
    corners = min(max(inliers, _CHANCE_CORNERS), _MOST_CORNERS) - _CHANCE_CORNERS
    return _LEVEL + _BY_LIKENESS * likeness + _BY_CORNER * corners
