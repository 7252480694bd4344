"""Pictures of places, for a corpus and for queries that show a place."""

from __future__ import annotations

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures.chance import Dice
from planspec_pictures.kinds import kind_of
from planspec_pictures.views import Change, View

WIDTH = 480
_INDOORS = {"museum": 35, "restaurant": 50}
"""By kind of place, the percentage of places whose first picture shows the inside."""


def picture(place: AnyPlace, number: int, seed: int, width: int = WIDTH) -> bytes:
    """Draw a picture of a place for the corpus, as a JPEG.

    The place's record and a hash of name, city and seed determine the scene. Pictures of a place differ in
    viewpoint, light and weather. They contain no letters. The same arguments give the same bytes, with the
    same versions of the libraries and the same kind of processor.

    Args:
        place: place to show.
        number: number of the picture among the place's pictures, from 1. Pictures of museums and restaurants alternate
            between inside and outside.
        seed: seed of the whole collection.
        width: width in pixels. The height is three quarters of it.
    """
    return _render(place, seed, _draw_view(place, number, seed), number, width)


def anchor(place: AnyPlace, key: str, seed: int, change: Change = "all", width: int = WIDTH) -> bytes:
    """Draw a picture of a place for a query, as a JPEG: the scene of its first picture in another view.

    Args:
        place: place to show.
        key: seed of the picture, as a string.
        seed: seed of the collection.
        change: attribute of the view that differs from the first picture; by default, all attributes differ.
        width: width in pixels. The height is three quarters of it.
    """
    dice = Dice("anchor", place.name, place.city, type(place).__name__, seed, key, change)
    return _render(place, seed, _draw_view(place, 1, seed).change_view(dice, change), 1, width)


def _draw_view(place: AnyPlace, number: int, seed: int) -> View:
    return View.draw(Dice("view", place.name, place.city, type(place).__name__, seed, number))


def _render(place: AnyPlace, seed: int, view: View, number: int, width: int) -> bytes:
    from planspec_pictures.scenes.composing import render

    starts_indoors = Dice("door", place.name, place.city, type(place).__name__, seed).chance(
        _INDOORS.get(kind_of(place), 0)
    )
    return render(place, seed, view, width, indoors=starts_indoors == (number % 2 == 1))
