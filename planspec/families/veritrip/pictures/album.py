"""Sources of pictures of places, for a corpus and for queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from planspec.families.veritrip.facts import AnyPlace

_UNLIMITED = 10**6


class Album(Protocol):
    """A source of pictures."""

    def corpus_count(self, place: AnyPlace) -> int:
        """Return the number of pictures of a place that the corpus can have."""

    def can_be_shown(self, place: AnyPlace) -> bool:
        """Return whether queries can show the place in a picture that is not in the corpus."""

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a JPEG of the place for the corpus.

        `number` is its number among those of the place, from 1.
        """

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Return a JPEG of the place for a query. The key selects among several pictures."""


@dataclass(frozen=True, slots=True)
class Renderings:
    """Pictures drawn by the distribution planspec-pictures.

    Attributes:
        seed: seed of the whole collection.
    """

    seed: int

    def corpus_count(self, place: AnyPlace) -> int:  # noqa: ARG002 of the protocol
        """Return a very large number, since the number of views is unlimited."""
        return _UNLIMITED

    def can_be_shown(self, place: AnyPlace) -> bool:  # noqa: ARG002 of the protocol
        """Return True, since there is always another view."""
        return True

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a view of the place."""
        from planspec_pictures import picture

        return picture(place, number, self.seed)

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Return a new view of what the first picture in the corpus shows."""
        from planspec_pictures import anchor

        return anchor(place, key, self.seed)


def allot_pictures(places: Iterable[AnyPlace], album: Album, max_pictures: int) -> list[tuple[AnyPlace, int]]:
    """Return place and number of each picture of a corpus.

    Places get one picture each in turn, until there are `max_pictures` or no place can have more.
    """
    remaining: Sequence[AnyPlace] = list(places)
    pictures: list[tuple[AnyPlace, int]] = []
    for number in count(1):
        remaining = [place for place in remaining if album.corpus_count(place) >= number]
        pictures += [(place, number) for place in remaining[: max_pictures - len(pictures)]]
        if not remaining or len(pictures) >= max_pictures:
            return pictures
    raise AssertionError
