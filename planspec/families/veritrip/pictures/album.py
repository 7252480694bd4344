"""The pictures of places: those of the corpus, and those by which travellers ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Protocol

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.extra import require_rendering
from planspec.families.veritrip.pictures.kinds import kind_of
from planspec.families.veritrip.pictures.views import Change, View

WIDTH = 480
_INDOORS = {"museum": 35, "restaurant": 50}
"""The share of places of a kind, in percent, whose first picture is taken indoors."""
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
    """Pictures that are rendered.

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
        return picture(place, number, self.seed)

    def anchor(self, place: AnyPlace, key: str) -> bytes:
        """Another view of what the first picture shows."""
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


def picture(place: AnyPlace, number: int, seed: int, width: int = WIDTH) -> bytes:
    """A picture of a place for the corpus, as a JPEG.

    What stands there comes from the place's record and from a hash of name, city and seed; each picture is another view of
    it, in other light and weather. No letter stands on it. The bytes are the same for the same arguments, versions of the
    libraries, and sort of processor.

    Args:
        place: what is shown.
        number: from 1; which of the pictures of this place. Every second one of a museum or a restaurant is taken on the
            other side of its door.
        seed: of the whole collection.
        width: in pixels; the height is three quarters of it.

    Raises:
        ModuleNotFoundError: the extra `images` is not installed.
    """
    return _taken(place, seed, _view(place, number, seed), number, width)


def anchor(place: AnyPlace, key: str, seed: int, change: Change = "all", width: int = WIDTH) -> bytes:
    """A traveller's photo of a place: what its first picture in the corpus shows, seen otherwise.

    Args:
        place: what is shown.
        key: another one takes another photo.
        seed: of the collection.
        change: what is other; by default from where, when, in which weather, how much of it, and how it is exposed.
        width: in pixels; the height is three quarters of it.

    Raises:
        ModuleNotFoundError: the extra `images` is not installed.
    """
    dice = Dice("anchor", place.name, place.city, type(place).__name__, seed, key, change)
    return _taken(place, seed, _view(place, 1, seed).changed(dice, change), 1, width)


def _view(place: AnyPlace, number: int, seed: int) -> View:
    return View.by(Dice("view", place.name, place.city, type(place).__name__, seed, number))


def _taken(place: AnyPlace, seed: int, view: View, number: int, width: int) -> bytes:
    require_rendering()
    from planspec.families.veritrip.pictures.scenes.composing import rendered

    first = Dice("door", place.name, place.city, type(place).__name__, seed).chance(
        _INDOORS.get(kind_of(place), 0)
    )
    return rendered(place, seed, view, width, indoors=first == (number % 2 == 1))
