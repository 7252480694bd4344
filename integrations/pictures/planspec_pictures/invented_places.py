"""Places to be rendered for measuring and for training: those that ship, and invented ones of all kinds."""

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


def shipped() -> list[AnyPlace]:
    """All places of both countries, in an order that mixes their kinds and cities."""
    folders = [folder for folder in sorted(FOLDER.iterdir()) if folder.is_dir()]
    found = [place for folder in folders for place in read_places(folder).places]
    return sorted(found, key=lambda one: sha256(f"{one.name}/{one.city}".encode()).digest())


def invented(number: int, of: str) -> AnyPlace:
    """A place that is nowhere: one in three a restaurant, one in four a hotel, the others sights of all kinds."""
    dice = Dice(of, number)
    kind, east, name = dice.whole(1, 100), dice.pick(LONGITUDES), f"{of} {number}"
    if kind <= 34:
        return Restaurant(name, "Nowhere", Decimal(30), east, "", "", (), 1, Decimal(4), 0, 1)
    if kind <= 58:
        return Hotel(name, "Nowhere", Decimal(30), east, "", 3, ())
    kinds = sorted(WORDS)
    word = WORDS[kinds[number % len(kinds)]].split()[0]
    return Attraction(f"{name} {word}", "Nowhere", Decimal(30), east, "", "", 1, 0, 1, frozenset(), 1, 1, ())


def measured(count: int) -> list[AnyPlace]:
    """So many places: those that ship, and then invented ones; none of those that the embedding is trained on."""
    found = shipped()[:count]
    return [*found, *(invented(number, "measured") for number in range(count - len(found)))]
