"""Sources of pictures of places, for a corpus and for queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from planspec.families.veritrip.facts import AnyPlace

_UNLIMITED = 10**6


class Album(Protocol):
    """Interface of a source of pictures of places: renderings, or a folder of photographs."""

    def corpus_count(self, place: AnyPlace) -> int:
        """Return the number of pictures of a place that the corpus can have."""

    def has_query_picture(self, place: AnyPlace) -> bool:
        """Return whether the place has a picture for queries. Such a picture is not in the corpus."""

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a JPEG of the place for the corpus. The place's pictures are numbered from 1."""

    def query_picture(self, place: AnyPlace, key: str) -> bytes:
        """Return a JPEG of the place for a query. If there are several, the key selects one."""


@dataclass(frozen=True, slots=True)
class RenderedAlbum:
    """Pictures drawn by the distribution planspec-pictures.

    Attributes:
        seed: seed of the whole collection.
    """

    seed: int

    def corpus_count(self, place: AnyPlace) -> int:  # noqa: ARG002 parameter of the protocol
        """Return a very large number, since the number of views is unlimited."""
        return _UNLIMITED

    def has_query_picture(self, place: AnyPlace) -> bool:  # noqa: ARG002 parameter of the protocol
        """Return True, since there is always another view."""
        return True

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """Return a rendered view of the place as a JPEG."""
        from planspec_pictures import picture

        return picture(place, number, self.seed)

    def query_picture(self, place: AnyPlace, key: str) -> bytes:
        """Return another view, as a JPEG, of the subject of the place's first picture in the corpus."""
        from planspec_pictures import anchor

        return anchor(place, key, self.seed)


def allot_pictures(places: Iterable[AnyPlace], album: Album, max_pictures: int) -> list[tuple[AnyPlace, int]]:
    """Choose the pictures of a corpus. Return each as its place and its number among the place's pictures.

    Places take turns, and get one picture at each turn. The turns end when there are `max_pictures` pictures,
    or no place can have more.
    """
    remaining: Sequence[AnyPlace] = list(places)
    pictures: list[tuple[AnyPlace, int]] = []
    for number in count(1):
        remaining = [place for place in remaining if album.corpus_count(place) >= number]
        pictures += [(place, number) for place in remaining[: max_pictures - len(pictures)]]
        if not remaining or len(pictures) >= max_pictures:
            return pictures
    raise AssertionError
