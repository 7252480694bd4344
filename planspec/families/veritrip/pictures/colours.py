"""Colours, and what season and hour do to them."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import TypeAlias

from planspec.families.veritrip.pictures.chance import Dice

Colour: TypeAlias = tuple[int, int, int]

WHITE: Colour = (250, 248, 242)
INK: Colour = (44, 40, 48)
LAMP: Colour = (255, 222, 128)
WATER: Colour = (104, 164, 196)
STONE: Colour = (196, 190, 178)
WOOD: Colour = (134, 92, 60)
STEEL: Colour = (126, 136, 146)
GLASS: Colour = (142, 184, 206)
RED: Colour = (178, 48, 42)
GOLD: Colour = (222, 172, 60)


def hsv(hue: int, saturation: int, value: int) -> Colour:
    """A colour by hue in degrees, saturation and value in percent."""
    red, green, blue = colorsys.hsv_to_rgb(hue % 360 / 360, saturation / 100, value / 100)
    return round(red * 255), round(green * 255), round(blue * 255)


def mix(one: Colour, other: Colour, percent: int) -> Colour:
    """`percent` of the way from one colour to the other."""
    red, green, blue = ((a * (100 - percent) + b * percent) // 100 for a, b in zip(one, other, strict=True))
    return red, green, blue


def darker(colour: Colour, percent: int = 30) -> Colour:
    """Nearer to ink."""
    return mix(colour, (20, 16, 30), percent)


def lighter(colour: Colour, percent: int = 30) -> Colour:
    """Nearer to white."""
    return mix(colour, (255, 255, 255), percent)


@dataclass(frozen=True, slots=True)
class Hour:
    """The light of a time of the day.

    Attributes:
        top: the sky overhead.
        low: the sky at the horizon.
        shine: what each channel keeps of its brightness, in percent.
        lamps: they are lit.
    """

    top: Colour
    low: Colour
    shine: Colour
    lamps: bool


@dataclass(frozen=True, slots=True)
class Season:
    """A season's colours of plants and ground."""

    name: str
    leaves: tuple[Colour, ...]
    ground: Colour


HOURS = (
    Hour((98, 164, 222), (214, 234, 244), (100, 100, 100), lamps=False),
    Hour((150, 176, 200), (240, 226, 212), (95, 94, 98), lamps=False),
    Hour((226, 150, 96), (252, 222, 160), (104, 92, 78), lamps=False),
    Hour((70, 86, 148), (240, 166, 142), (76, 70, 86), lamps=True),
    Hour((20, 26, 64), (58, 66, 116), (50, 54, 78), lamps=True),
)
SEASONS = (
    Season("spring", ((236, 168, 188), (150, 196, 96), (246, 206, 216)), (142, 184, 104)),
    Season("summer", ((72, 136, 66), (98, 158, 74), (54, 112, 72)), (122, 170, 88)),
    Season("autumn", ((216, 128, 44), (190, 82, 44), (228, 176, 64)), (176, 164, 98)),
    Season("winter", ((208, 216, 222), (232, 236, 240), (178, 190, 198)), (228, 232, 236)),
)


@dataclass(frozen=True, slots=True)
class Style:
    """The colours and ornaments by which a place is known again in all its pictures."""

    wall: Colour
    trim: Colour
    roof: Colour
    accent: Colour
    brick: int
    frames: int

    @classmethod
    def of(cls, dice: Dice) -> Style:
        """Style decided by the dice: one main hue, and others that go with it."""
        hue = dice.whole(0, 359)
        wall = dice.pick((
            hsv(dice.whole(16, 48), dice.whole(14, 46), dice.whole(74, 95)),
            hsv(dice.whole(6, 24), dice.whole(34, 62), dice.whole(58, 80)),
            hsv(hue, dice.whole(14, 40), dice.whole(68, 93)),
            hsv(hue, dice.whole(4, 14), dice.whole(74, 95)),
        ))  # fmt: skip
        return cls(
            wall=wall,
            trim=dice.pick((lighter(wall, 60), darker(wall, 40), hsv(hue + 180, 24, 90), WHITE)),
            roof=hsv(dice.pick((8, 18, 28, 150, 205, 222, hue)), dice.whole(22, 62), dice.whole(40, 68)),
            accent=hsv(hue + dice.pick((120, 150, 180, 210)), dice.whole(58, 86), dice.whole(66, 92)),
            brick=dice.whole(0, 3),
            frames=dice.whole(0, 4),
        )
