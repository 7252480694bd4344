"""The pictures of places: those of the corpus, and those by which travellers ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from planspec.families.veritrip.facts import AnyPlace

_ENDLESS = 10**6


class Album(Protocol):
    """Where pictures come from."""

    def of_corpus(self, place: AnyPlace) -> int:
        """The most pictures that the corpus can have of a place."""

    def can_be_asked(self, place: AnyPlace) -> bool:
        """Travellers can ask for the place by a picture."""

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """A picture for the corpus, from 1, as a JPEG."""

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """A picture by which travellers ask for the place, as a JPEG; another key may give another one."""


@dataclass(frozen=True, slots=True)
class Renderings:
    """Pictures that the distribution planspec-pictures draws.

    Attributes:
        seed: of the whole collection.
    """

    seed: int

    def of_corpus(self, place: AnyPlace) -> int:  # noqa: ARG002 of the protocol
        """There is no end of views."""
        return _ENDLESS

    def can_be_asked(self, place: AnyPlace) -> bool:  # noqa: ARG002 of the protocol
        """There is always another view."""
        return True

    def picture(self, place: AnyPlace, number: int) -> bytes:
        """A view of the place."""
        from planspec_pictures import picture

        return picture(place, number, self.seed)

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Another view of what the first picture shows."""
        from planspec_pictures import anchor

        return anchor(place, key, self.seed)


def allotted(places: Iterable[AnyPlace], album: Album, most: int) -> list[tuple[AnyPlace, int]]:
    """The pictures of a corpus, each as its place and its number: one of each place in turn, until there are `most`."""
    left: Sequence[AnyPlace] = list(places)
    made: list[tuple[AnyPlace, int]] = []
    for number in count(1):
        left = [place for place in left if album.of_corpus(place) >= number]
        made += [(place, number) for place in left[: most - len(made)]]
        if not left or len(made) >= most:
            return made
    raise AssertionError
