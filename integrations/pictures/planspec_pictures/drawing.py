"""Pictures of places for a corpus, and pictures with which travellers ask for a place."""

from __future__ import annotations

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures.kinds import kind_of
from planspec_pictures.views import Change, View

WIDTH = 480
_INDOORS = {"museum": 35, "restaurant": 50}
"""Percentage of places of a kind whose first picture is taken indoors."""


def picture(place: AnyPlace, number: int, seed: int, width: int = WIDTH) -> bytes:
    """Draw a picture of a place for the corpus, as a JPEG.

    The scene comes from the place's record and from a hash of name, city and seed; each picture is another
    view of it, in other light and weather. It contains no letters. The bytes are the same for the same
    arguments, versions of the libraries, and kind of processor.

    Args:
        place: place to show.
        number: number of the picture of this place, from 1. Every second one of a museum or a restaurant is
            taken on the other side of its door.
        seed: seed of the whole collection.
        width: width in pixels; the height is three quarters of it.
    """
    return _render(place, seed, _view(place, number, seed), number, width)


def anchor(place: AnyPlace, key: str, seed: int, change: Change = "all", width: int = WIDTH) -> bytes:
    """Draw a traveller's photo of a place: another view of the subject of its first picture in the corpus.

    Args:
        place: place to show.
        key: key of the photo; another key gives another photo.
        seed: seed of the collection.
        change: difference from the first picture; by default viewpoint, hour, weather, crop and exposure.
        width: width in pixels; the height is three quarters of it.
    """
    dice = Dice("anchor", place.name, place.city, type(place).__name__, seed, key, change)
    return _render(place, seed, _view(place, 1, seed).changed(dice, change), 1, width)


def _view(place: AnyPlace, number: int, seed: int) -> View:
    return View.by(Dice("view", place.name, place.city, type(place).__name__, seed, number))


def _render(place: AnyPlace, seed: int, view: View, number: int, width: int) -> bytes:
    from planspec_pictures.scenes.composing import render

    first = Dice("door", place.name, place.city, type(place).__name__, seed).chance(
        _INDOORS.get(kind_of(place), 0)
    )
    return render(place, seed, view, width, indoors=first == (number % 2 == 1))
