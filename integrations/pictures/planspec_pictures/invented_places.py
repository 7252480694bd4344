"""Places for measurements and training: shipped places, and invented ones of all kinds."""

from __future__ import annotations

from decimal import Decimal
from hashlib import sha256

from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Restaurant
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.reading import read_places
from planspec_pictures.kinds import WORDS
from tests.paths import ROOT

FOLDER = ROOT / "tasks" / "veritrip" / "places"
LONGITUDES = (Decimal(110), Decimal(-75))


def shipped_places() -> list[AnyPlace]:
    """Return all shipped places, in an order that mixes kinds and cities."""
    folders = [folder for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]
    places = [place for folder in folders for place in read_places(folder).places]
    return sorted(places, key=lambda one: sha256(f"{one.name}/{one.city}".encode()).digest())


def invent_place(number: int, prefix: str) -> AnyPlace:
    """Return an invented place.

    About 34% of the places are restaurants and 24% hotels; the others are attractions of all kinds in turn.

    Args:
        number: number of the place.
        prefix: beginning of the place's name. It also serves as a seed.
    """
    dice = Dice(prefix, number)
    kind, east, name = dice.integer(1, 100), dice.pick(LONGITUDES), f"{prefix} {number}"
    if kind <= 34:
        return Restaurant(name, "Nowhere", Decimal(30), east, "", "", (), 1, Decimal(4), 0, 1)
    if kind <= 58:
        return Hotel(name, "Nowhere", Decimal(30), east, "", 3, ())
    kinds = sorted(WORDS)
    word = WORDS[kinds[number % len(kinds)]].split()[0]
    return Attraction(f"{name} {word}", "Nowhere", Decimal(30), east, "", "", 1, 0, 1, frozenset(), 1, 1, ())


def places_for_measuring(count: int) -> list[AnyPlace]:
    """Return `count` places, shipped ones first, then invented ones.

    The network was trained on none of them.
    """
    places = shipped_places()[:count]
    return [*places, *(invent_place(number, "measured") for number in range(count - len(places)))]
