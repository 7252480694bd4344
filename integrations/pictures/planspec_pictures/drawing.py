"""Pictures of places: those of a corpus, and those by which travellers ask for a place."""

from __future__ import annotations

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures.kinds import kind_of
from planspec_pictures.views import Change, View

WIDTH = 480
_INDOORS = {"museum": 35, "restaurant": 50}
"""Share of places of a kind, in percent, whose first picture is taken indoors."""


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
    """
    dice = Dice("anchor", place.name, place.city, type(place).__name__, seed, key, change)
    return _taken(place, seed, _view(place, 1, seed).changed(dice, change), 1, width)


def _view(place: AnyPlace, number: int, seed: int) -> View:
    return View.by(Dice("view", place.name, place.city, type(place).__name__, seed, number))


def _taken(place: AnyPlace, seed: int, view: View, number: int, width: int) -> bytes:
    from planspec_pictures.scenes.composing import rendered

    first = Dice("door", place.name, place.city, type(place).__name__, seed).chance(
        _INDOORS.get(kind_of(place), 0)
    )
    return rendered(place, seed, view, width, indoors=first == (number % 2 == 1))
