"""The scenery around the subject of a picture: sky, skyline, ground, trees, people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planspec.families.veritrip.facts import AnyPlace, Attraction, Hotel, Poi, Restaurant
from planspec.families.veritrip.pictures.canvas import HEIGHT, SCENE, WIDTH, Canvas
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.colours import (  # fmt: skip
    INK,
    LAMP,
    RED,
    STONE,
    WHITE,
    WOOD,
    Colour,
    Season,
    Style,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.kinds import SceneKind, kind_of

HORIZON = 214
BASE = 262
"""The height at which the subject stands, in pixels from the top."""


@dataclass(frozen=True, slots=True)
class Composition:
    """All that a composition draws with.

    Attributes:
        place: the subject.
        style: its colours, the same in all its pictures.
        dice: choices that are the same in all its pictures.
        passing: choices for this one picture: who walks by, which window is open.
    """

    canvas: Canvas
    place: AnyPlace
    style: Style
    season: Season
    dice: Dice
    passing: Dice

    @property
    def night(self) -> bool:
        return self.canvas.hour.lamps


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another place as seen from the subject.

    Attributes:
        bearing: in degrees clockwise from the north.
        metres: how far.
    """

    place: AnyPlace
    bearing: float
    metres: float


def neighbours(place: AnyPlace, near: Sequence[AnyPlace]) -> list[Neighbour]:
    """The other places by their true direction and distance, the nearest first."""
    seen = []
    for other in near:
        if other == place:
            continue
        north = float(other.latitude - place.latitude) * 111_195
        east = (
            float(other.longitude - place.longitude) * 111_195 * math.cos(math.radians(float(place.latitude)))
        )
        seen.append(Neighbour(other, math.degrees(math.atan2(east, north)) % 360, math.hypot(east, north)))
    return sorted(seen, key=lambda one: (round(one.metres), one.place.city, one.place.name))


def sky(scene: Composition) -> None:
    """Sun or moon, clouds, stars and birds."""
    canvas, dice, hour = scene.canvas, scene.passing, scene.canvas.hour
    canvas.gradient(0, HORIZON + 10, hour.top, hour.low)
    x, y = dice.whole(30, 480), dice.whole(16, 60)
    canvas.oval(x, y, x + 30, y + 30, mix(hour.low, (255, 250, 220), 75), glow=True, outline=False)
    if scene.night:
        for _ in range(40):
            x, y = dice.whole(0, WIDTH), dice.whole(0, 150)
            canvas.oval(x, y, x + 1.4, y + 1.4, (230, 230, 214), glow=True, outline=False)
    white = mix(hour.low, (255, 255, 255), 20 if scene.night else 62)
    for _ in range(dice.whole(3, 6)):
        x, y, size = dice.whole(-20, 470), dice.whole(14, 120), dice.whole(7, 15)
        for puff in range(dice.whole(3, 6)):
            lift, grow = dice.whole(0, size // 2), size + dice.whole(0, size // 2)
            left = x + puff * size
            canvas.oval(left, y - lift, left + 2 * grow, y - lift + grow, white, glow=True, outline=False)
    for _ in range(dice.whole(0, 6)):
        x, y, wing = dice.whole(20, 490), dice.whole(20, 130), dice.whole(4, 7)
        canvas.line([(x - wing, y - 3), (x, y), (x + wing, y - 3)], INK, 0.8)


def skyline(scene: Composition, others: Sequence[Neighbour], heading: int) -> None:
    """The neighbours on the horizon, where they truly are for one who looks along the heading, the near ones larger."""
    canvas, city = scene.canvas, Dice("skyline", scene.place.city, heading // 45)
    haze = canvas.hour.low
    x = -10
    while x < WIDTH:
        wide, tall = city.whole(14, 36), city.whole(6, 34)
        canvas.rect(
            x, HORIZON - tall, x + wide, HORIZON + 4, mix(haze, (96, 104, 128), 22), glow=True, outline=False
        )
        x += wide - 1
    for other in sorted(others[:40], key=lambda one: -one.metres):
        aside = (other.bearing - heading + 180) % 360 - 180
        if abs(aside) <= 62:
            size = max(16.0, 92 - 17 * math.log2(1 + other.metres / 350))
            depth = min(70, 26 + round(size / 2))
            _far(
                scene,
                kind_of(other.place),
                WIDTH / 2 * (1 + aside / 60),
                size,
                depth,
                Dice("far", other.place.name),
            )


def _far(scene: Composition, kind: SceneKind, x: float, size: float, depth: int, dice: Dice) -> None:
    canvas, foot = scene.canvas, HORIZON + 4
    colour = mix(canvas.hour.low, hsv(dice.whole(0, 359), 26, 52 if not scene.night else 30), depth)
    half = size / 5

    def block(left: float, right: float, top: float) -> None:
        canvas.rect(left, top, right, foot, colour, glow=True)
        for row in range(round((foot - top) / 8)):
            for column in range(max(1, round((right - left) / 7))):
                if dice.chance(60):
                    pane = LAMP if scene.night and dice.chance(60) else mix(colour, (60, 66, 92), 45)
                    a, b = left + 2 + column * 7, top + 3 + row * 8
                    if a + 3 < right:
                        canvas.rect(a, b, a + 3, b + 4, pane, glow=True, outline=False)

    match kind:
        case "tower" | "church" | "memorial":
            block(x - half / 2, x + half / 2, foot - size)
            canvas.poly(
                [(x - half / 2, foot - size), (x, foot - size * 1.4), (x + half / 2, foot - size)],
                colour,
                glow=True,
            )
        case "pagoda" | "palace" | "gate":
            for tier in range(3):
                y, w = foot - size * (tier + 1) / 3.4, half * (1.9 - tier * 0.45)
                canvas.rect(x - w * 0.7, y, x + w * 0.7, y + size / 3.2, colour, glow=True)
                canvas.poly([(x - w * 1.2, y), (x - w * 0.4, y - size / 8), (x + w * 0.4, y - size / 8), (x + w * 1.2, y)],
                            darker(colour, 14), glow=True)  # fmt: skip
        case "park" | "garden" | "lake" | "zoo" | "mountain":
            for _ in range(7):
                a, r = x + dice.whole(-22, 22), dice.whole(6, 13)
                canvas.oval(
                    a - r, foot - r * 2, a + r, foot + 2, mix(colour, scene.season.leaves[1], 40), glow=True
                )
        case "bridge":
            canvas.slice(
                x - half * 3, foot - size / 2, x + half * 3, foot + size / 2, 180, 360, colour, glow=True
            )
            canvas.slice(
                x - half * 2,
                foot - size / 3,
                x + half * 2,
                foot + size / 3,
                180,
                360,
                canvas.hour.low,
                glow=True,
            )
        case "stadium" | "museum" | "theatre" | "station":
            block(x - half * 2, x + half * 2, foot - size / 2.2)
            canvas.slice(
                x - half, foot - size * 0.8, x + half, foot - size * 0.1, 180, 360, colour, glow=True
            )
        case _:
            block(x - half, x + half, foot - size * (70 + dice.whole(0, 40)) / 100)


def ground(scene: Composition, colour: Colour, stones: bool) -> None:
    """The ground to the lower edge, paved or grown over."""
    canvas, dice = scene.canvas, scene.dice
    canvas.rect(-20, HORIZON + 4, WIDTH + 20, HEIGHT, colour, outline=False)
    for band in range(4):
        canvas.rect(
            -20,
            HORIZON + 4 + band * 5,
            WIDTH + 20,
            HORIZON + 9 + band * 5,
            lighter(colour, 24 - band * 6),
            outline=False,
        )
    for _ in range(70):
        x, y = dice.whole(-10, WIDTH), dice.whole(HORIZON + 14, SCENE + 6)
        wide = (y - HORIZON) / 7 + dice.whole(2, 8)
        if stones:
            shade = darker(colour, dice.whole(6, 20)) if dice.chance(60) else lighter(colour, 20)
            canvas.poly(
                [(x, y), (x + wide * 1.6, y), (x + wide * 1.4, y + wide / 2), (x - wide * 0.2, y + wide / 2)],
                shade,
            )
        else:
            shade = dice.pick((darker(colour, 22), lighter(colour, 26), scene.season.leaves[0]))
            canvas.line([(x, y), (x + 2, y - wide / 2), (x + 4, y), (x + 6, y - wide / 3)], shade, 1.2)


def tree(scene: Composition, x: float, foot: float, size: float, dice: Dice) -> None:
    """A tree of the season; its shape is the dice's."""
    canvas, season = scene.canvas, scene.season
    shape = dice.whole(0, 3)
    canvas.poly(
        [
            (x - size / 14, foot),
            (x - size / 22, foot - size),
            (x + size / 22, foot - size),
            (x + size / 14, foot),
        ],
        WOOD,
    )
    leaves = dice.pick(season.leaves)
    if shape == 0:
        green = mix((44, 96, 70), WHITE, 30 if season.name == "winter" else 0)
        for tier in range(4):
            y, half = foot - size * (0.25 + tier * 0.24), size * (0.36 - tier * 0.07)
            canvas.poly(
                [(x - half, y), (x + dice.whole(-2, 2), y - size * 0.36), (x + half, y)],
                lighter(green, tier * 6),
            )
        return
    if season.name == "winter":
        for _ in range(9):
            reach, rise = dice.whole(-40, 40) * size / 100, dice.whole(30, 60) * size / 100
            start = foot - size * dice.whole(40, 90) / 100
            canvas.line([(x, start), (x + reach, start - rise)], WOOD, 1.4)
        return
    for _ in range(9):
        a, b = x + dice.whole(-30, 30) * size / 100, foot - size * dice.whole(62, 118) / 100
        r = size * dice.whole(13, 24) / 100
        canvas.oval(a - r, b - r, a + r, b + r, mix(leaves, season.leaves[1], dice.whole(0, 40)))
    for _ in range(12):
        a, b = x + dice.whole(-34, 34) * size / 100, foot - size * dice.whole(60, 122) / 100
        canvas.oval(a, b, a + 3, b + 2.4, dice.pick((lighter(leaves, 40), darker(leaves, 24))), outline=False)


def person(scene: Composition, x: float, foot: float, size: float, dice: Dice) -> None:
    """Somebody, in a coat, with an umbrella or hat or without."""
    canvas = scene.canvas
    coat, legs = (
        hsv(dice.whole(0, 359), dice.whole(30, 80), dice.whole(50, 90)),
        hsv(dice.whole(0, 359), 30, 40),
    )
    canvas.line([(x - size * 0.08, foot), (x - size * 0.05, foot - size * 0.45)], legs, size / 9)
    canvas.line([(x + size * 0.1, foot), (x + size * 0.05, foot - size * 0.45)], legs, size / 9)
    canvas.poly([(x - size * 0.2, foot - size * 0.36), (x - size * 0.13, foot - size * 0.78),
                 (x + size * 0.13, foot - size * 0.78), (x + size * 0.2, foot - size * 0.36)], coat)  # fmt: skip
    r = size * 0.12
    canvas.oval(x - r, foot - size, x + r, foot - size + 2 * r, (226, 184, 150))
    if dice.chance(35):
        canvas.slice(
            x - size * 0.4, foot - size * 1.3, x + size * 0.4, foot - size * 0.8, 180, 360, darker(coat, 10)
        )
    elif dice.chance(40):
        canvas.slice(
            x - r, foot - size - 1, x + r, foot - size + 2 * r, 180, 360, hsv(dice.whole(0, 50), 50, 30)
        )


def lamp(scene: Composition, x: float, foot: float, tall: float) -> None:
    """A street lamp."""
    canvas = scene.canvas
    canvas.line([(x, foot), (x, foot - tall)], INK, 1.6)
    canvas.oval(
        x - 5, foot - tall - 8, x + 5, foot - tall + 2, LAMP if scene.night else WHITE, glow=scene.night
    )


def surroundings(scene: Composition, kind: SceneKind) -> None:
    """Trees and lamps at both sides, and people in front of the subject."""
    dice, passing = scene.dice, scene.passing
    green = kind in {"park", "garden", "lake", "zoo", "mountain", "wall", "university", "house"}
    for left, right in ((6, 84), (428, 506)):
        for _ in range(dice.whole(1, 2) + green):
            tree(scene, dice.whole(left, right), BASE + dice.whole(-6, 14), dice.whole(54, 98), dice)
    if not green:
        for x in (96, 416):
            lamp(scene, x + dice.whole(-6, 6), BASE + 14, 58)
    for _ in range(passing.whole(2, 7)):
        foot = passing.whole(BASE + 14, SCENE - 6)
        person(scene, passing.whole(20, 490), foot, 14 + (foot - BASE) * 0.5, passing)


def pavement(scene: Composition, kind: SceneKind) -> tuple[Colour, bool]:
    """The colour of the ground and whether it is paved."""
    if kind in {"park", "garden", "lake", "zoo", "mountain", "house", "university", "bridge", "port"}:
        return scene.season.ground, False
    base = mix(STONE, scene.style.wall, 26)
    return (mix(base, WHITE, 50) if scene.season.name == "winter" else base), True


def dot(place: AnyPlace) -> Colour:
    """The colour by which a map tells what a place is."""
    match place:
        case Attraction():
            return RED
        case Restaurant():
            return (226, 140, 40)
        case Hotel():
            return (60, 96, 172)
        case Poi():
            return (70, 130, 84)
