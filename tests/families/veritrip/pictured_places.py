"""Invented places of every kind, pictures of them, and an index of the pictures."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from decimal import Decimal
from functools import cache
from io import BytesIO
from pathlib import Path

from PIL import Image

from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Poi, Restaurant
from planspec.families.veritrip.pictures import PictureIndex, picture_features
from planspec_pictures import Change, drawing

WIDTH = 200


def sight(
    name: str, number: int = 0, introduction: str = "", interests: tuple[str, ...] = ("City charm",)
) -> Attraction:
    """Return an invented attraction."""
    north, east = Decimal(30) + Decimal(number % 7) / 100, Decimal(110) + Decimal(number % 5) / 100
    return Attraction(
        name, "Aldorf", north, east, "1 Road", introduction, 20, 540, 1020, frozenset(), 60, 120, interests
    )


def table(name: str, cuisine: str, number: int = 0) -> Restaurant:
    """Return an invented restaurant."""
    north = Decimal(30) + Decimal(number) / 90
    return Restaurant(name, "Aldorf", north, Decimal("110.02"), "Old Town", cuisine, (), 60, Decimal("4.5"), 600, 1300)


def inn(name: str, stars: int, number: int = 0) -> Hotel:
    """Return an invented hotel."""
    return Hotel(name, "Aldorf", Decimal(30) + Decimal(number) / 80, Decimal("109.99"), "2 Road", stars, ())


def poi(name: str, kind: str) -> Poi:
    """Return an invented point of interest, such as a station."""
    return Poi(name, "Aldorf", Decimal("30.03"), Decimal("110.03"), kind, "")


NAMES = (
    "Moss Museum",
    "Tin Palace",
    "Lark Temple",
    "St. Opal Cathedral",
    "Fern Memorial",
    "Salt Tower",
    "Amber Bridge",
    "River Lake",
    "Elm Park",
    "Rose Garden",
    "Grey Mountain",
    "Aldorf Zoo",
    "Wheel Fairground Park",
    "Old Street",
    "Fish Market",
    "Queen Square",
    "Crown Mall",
    "Opera Theatre",
    "Aldorf Arena",
    "City Library",
    "North Gate",
    "Long Wall",
    "Smith House",
    "Harbour Pier",
)
PLACES: tuple[AnyPlace, ...] = (
    *(sight(name, number) for number, name in enumerate(NAMES)),
    *(
        table(f"Table {number}", cuisine, number)
        for number, cuisine in enumerate(("Seafood", "Hot pot", "Italian", "Tapas"))
    ),
    *(inn(f"Inn {number}", number + 2, number) for number in range(4)),
    poi("Aldorf Main Station", "railway_station"),
    poi("Aldorf Airport", "airport"),
    poi("Bell Street Station", "metro_station"),
    poi("University of Aldorf", "university"),
)


SEED = 3


@cache
def picture(number: int, variant: int = 1) -> bytes:
    """Return a small picture of a place, by its number in `PLACES`."""
    return drawing.picture(PLACES[number], variant, SEED, WIDTH)


@cache
def query_picture(number: int, change: Change = "all") -> bytes:
    """Return a small picture of a place as in queries, from another viewpoint than the result of `picture`."""
    return drawing.anchor(PLACES[number], "another", SEED, change, WIDTH)


def pictures() -> dict[str, bytes]:
    """Return a picture of each place, by the place's number as text."""
    return {str(number): picture(number) for number in range(len(PLACES))}


@cache
def index() -> PictureIndex:
    """Return an index of all pictures."""
    return _temporary_index(pictures())


@cache
def small_index() -> PictureIndex:
    """Return an index of the pictures of the first ten places."""
    return _temporary_index({str(number): picture(number) for number in range(10)})


def _temporary_index(images: dict[str, bytes]) -> PictureIndex:
    """Return an index of pictures in a file that is removed at the end of the tests."""
    path = Path(tempfile.mkdtemp()) / "pictures.sqlite"
    atexit.register(shutil.rmtree, path.parent, ignore_errors=True)
    write_index(path, images)
    return PictureIndex.read(path)


def write_index(path: Path, images: dict[str, bytes]) -> None:
    """Write an index of pictures to a file."""
    PictureIndex.write(path, ((name, picture_features(image)) for name, image in images.items()))


def decode_image(image: bytes) -> Image.Image:
    return Image.open(BytesIO(image)).convert("RGB")


def encode_image(image: Image.Image, kind: str = "PNG") -> bytes:
    out = BytesIO()
    image.save(out, kind)
    return out.getvalue()
