"""Sources of pictures of places, for the corpus and for queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from planspec.families.veritrip.facts import AnyPlace

_ENDLESS = 10**6


class Album(Protocol):
    """A source of pictures."""

    def of_corpus(self, place: AnyPlace) -> int:
        """Return the maximal number of pictures of a place in the corpus."""

    def can_be_asked(self, place: AnyPlace) -> bool:
        """Return whether queries can show the place in a picture."""

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a picture for the corpus, numbered from 1, as a JPEG."""

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Return a picture for a query, as a JPEG; another key may give another picture."""


@dataclass(frozen=True, slots=True)
class Renderings:
    """Pictures drawn by the distribution planspec-pictures.

    Attributes:
        seed: seed of the whole collection.
    """

    seed: int

    def of_corpus(self, place: AnyPlace) -> int:  # noqa: ARG002 of the protocol
        """Return a large number: views are unlimited."""
        return _ENDLESS

    def can_be_asked(self, place: AnyPlace) -> bool:  # noqa: ARG002 of the protocol
        """Return True: there is always another view."""
        return True

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a view of the place."""
        from planspec_pictures import picture

        return picture(place, number, self.seed)

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Return another view of the subject of the first picture."""
        from planspec_pictures import anchor

        return anchor(place, key, self.seed)


def allotted(places: Iterable[AnyPlace], album: Album, most: int) -> list[tuple[AnyPlace, int]]:
    """Return the pictures of a corpus, each as its place and number.

    Each place gets one in turn, until there are `most`.
    """
    left: Sequence[AnyPlace] = list(places)
    pictures: list[tuple[AnyPlace, int]] = []
    for number in count(1):
        left = [place for place in left if album.of_corpus(place) >= number]
        pictures += [(place, number) for place in left[: most - len(pictures)]]
        if not left or len(pictures) >= most:
            return pictures
    raise AssertionError
