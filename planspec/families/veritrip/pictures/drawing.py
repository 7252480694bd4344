"""Draws the picture of a place: sky, the neighbours on the horizon, the place itself, and a board with name and map."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Sequence
from io import BytesIO

from planspec.families.veritrip.facts import AnyPlace
from planspec.families.veritrip.pictures import heritage, houses, landscapes, monuments, streets, waterside
from planspec.families.veritrip.pictures.canvas import HEIGHT, SCENE, WIDTH, Canvas
from planspec.families.veritrip.pictures.chance import Dice
from planspec.families.veritrip.pictures.colours import (
    HOURS,
    INK,
    RED,
    SEASONS,
    WHITE,
    Style,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.extra import imported
from planspec.families.veritrip.pictures.kinds import SceneKind, kind_of
from planspec.families.veritrip.pictures.scenery import (
    Composition,
    Neighbour,
    dot,
    ground,
    neighbours,
    pavement,
    sky,
    skyline,
    surroundings,
)

_COMPOSITIONS: dict[SceneKind, Callable[[Composition], None]] = {
    "museum": monuments.museum, "palace": heritage.palace, "pagoda": heritage.pagoda,
    "church": heritage.church, "memorial": monuments.memorial, "tower": monuments.tower,
    "library": monuments.library, "university": monuments.university, "gate": heritage.gate,
    "wall": heritage.fortress, "house": heritage.house, "hotel": houses.hotel, "restaurant": houses.restaurant,
    "station": streets.station, "metro": streets.metro, "airport": streets.airport, "mall": houses.mall,
    "street": streets.street, "market": streets.market, "square": streets.square, "theatre": monuments.theatre,
    "stadium": streets.stadium, "port": waterside.port, "bridge": waterside.bridge, "lake": landscapes.lake,
    "park": landscapes.park, "garden": landscapes.garden, "mountain": landscapes.mountain,
    "zoo": landscapes.zoo, "fair": waterside.fair,
}  # fmt: skip

_ZOOM: dict[SceneKind, tuple[int, int]] = {
    "tower": (96, 103), "pagoda": (92, 99), "hotel": (100, 107), "church": (96, 103), "memorial": (98, 106),
    "mountain": (100, 110), "lake": (100, 106), "bridge": (100, 106), "port": (100, 108), "street": (100, 106),
    "airport": (106, 114), "fair": (104, 112),
}  # fmt: skip
"""The sizes to which a subject may grow, in percent: tall ones and those that fill their scene stay in the
picture."""


def draw(place: AnyPlace, near: Sequence[AnyPlace], variant: int, seed: int) -> bytes:
    """The picture of a place, as the same bytes for the same arguments and the same version of Pillow.

    What belongs to the place (composition, proportions, colours, ornaments) comes from its record and from a hash of
    name, city and seed; a variant is another hour, season and angle, with other people passing by.

    Args:
        place: what is drawn.
        near: other places; they stand on the horizon and on the map in their true directions. The place itself among
            them is passed over.
        variant: from 0; which of the pictures of this place.
        seed: of the whole collection.

    Returns:
        A PNG of 512 by 384 pixels without text or dates. The name stands in the lowest 72 rows and nowhere else.

    Raises:
        ModuleNotFoundError: Pillow is not installed.
    """
    own = (place.name, place.city, type(place).__name__, seed)
    passing = Dice("passing", *own, variant)
    begin = Dice("first", *own)
    hour = HOURS[(begin.whole(0, 4) + variant) % len(HOURS)]
    season = SEASONS[(begin.whole(0, 3) + variant) % len(SEASONS)]
    heading = (begin.whole(0, 359) + variant * 35) % 360
    canvas = Canvas(hour)
    canvas.look()
    dice = Dice("shape", *own)
    scene = Composition(canvas, place, Style.of(Dice("style", *own)), season, dice, passing)
    kind = kind_of(place)
    others = neighbours(place, near)
    sky(scene)
    skyline(scene, others, heading)
    shift, lean = passing.whole(-14, 14), passing.whole(-14, 14) / 100
    canvas.look(shift, 1.0, lean)
    ground(scene, *pavement(scene, kind))
    canvas.look(shift, passing.whole(*_ZOOM.get(kind, (110, 120))) / 100, lean)
    _COMPOSITIONS[kind](scene)
    canvas.look(shift, 1.0, lean)
    surroundings(scene, kind)
    canvas.look()
    _board(scene, others)
    return _png(canvas)


def _board(scene: Composition, others: Sequence[Neighbour]) -> None:
    canvas, style, dice = scene.canvas, scene.style, Dice("board", scene.place.name, scene.place.city)
    canvas.rect(-4, SCENE, WIDTH + 4, HEIGHT + 4, mix(darker(style.wall, 50), (60, 60, 70), 40), glow=True)
    back = dice.pick(
        (WHITE, lighter(style.accent, 70), darker(style.accent, 55), (40, 64, 92), (244, 232, 204))
    )
    ink = INK if sum(back) > 380 else WHITE
    canvas.rect(10, SCENE + 7, 388, HEIGHT - 8, back, glow=True)
    canvas.rect(14, SCENE + 11, 384, HEIGHT - 12, back, glow=True)
    lines, size = _fitted(canvas, legible(scene.place.name), 352, 50)
    for number, words in enumerate(lines):
        canvas.text(
            199, (SCENE + HEIGHT) / 2 + (number - (len(lines) - 1) / 2) * size * 1.08, words, size, ink
        )
    _map(scene, others, 396, SCENE + 7, 502, HEIGHT - 8)


def legible(name: str) -> str:
    """The name in letters that the bundled font has: accents are dropped; another script becomes a number of its own."""
    plain = {
        "’": "'",
        "‘": "'",
        "–": "-",
        "—": "-",
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "·": "-",
    }
    spelt = unicodedata.normalize(
        "NFKD", "".join(plain.get(letter, letter) for letter in " ".join(name.split()))
    )
    kept = " ".join("".join(letter for letter in spelt if " " <= letter <= "~").split())
    return kept or f"No. {Dice('name', name).whole(1000, 9999)}"


def _fitted(canvas: Canvas, words: str, wide: int, high: int) -> tuple[list[str], int]:
    """Words on one line or two, in the largest letters that fit."""
    pieces = words.split()
    splits = [[words]] + [[" ".join(pieces[:cut]), " ".join(pieces[cut:])] for cut in range(1, len(pieces))]
    for size in range(30, 6, -1):
        for lines in splits:
            if size * 1.08 * len(lines) <= high and all(canvas.wide(line, size) <= wide for line in lines):
                return lines, size
    return [words[: len(words) // 2] + "-", words[len(words) // 2 :]], 7


def _map(scene: Composition, others: Sequence[Neighbour], x0: int, y0: int, x1: int, y1: int) -> None:
    """Streets to the neighbours in their true directions; distances on a scale that grows slower than they do."""
    canvas, dice = scene.canvas, Dice("map", scene.place.name, scene.place.city)
    canvas.rect(x0, y0, x1, y1, (238, 234, 220), glow=True)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    for _ in range(7):
        a, b = dice.whole(x0 + 4, x1 - 20), dice.whole(y0 + 3, y1 - 13)
        shade = dice.pick(((206, 222, 186), (224, 218, 204), (188, 212, 226)))
        canvas.rect(a, b, a + dice.whole(8, 17), b + dice.whole(5, 10), shade, glow=True, outline=False)
    ends = []
    shown = others[:12]
    across, down = (x1 - x0 - 14) / 2, (y1 - y0 - 12) / 2
    for other in shown:
        reach = math.log2(1.1 + other.metres / 80) / math.log2(1.1 + shown[-1].metres / 80)
        turn = math.radians(other.bearing)
        ends.append((x + across * reach * math.sin(turn), y - down * reach * math.cos(turn), other))
    for end, level, _ in ends:
        canvas.line([(x, y), (end, y), (end, level)], (192, 182, 164), 2.4, glow=True)
    for end, level, other in ends:
        canvas.oval(end - 3, level - 3, end + 3, level + 3, dot(other.place), glow=True)
    canvas.poly([(x, y + 4), (x - 5, y - 5), (x, y - 9), (x + 5, y - 5)], RED, glow=True)
    canvas.poly([(x1 - 10, y0 + 14), (x1 - 7, y0 + 4), (x1 - 4, y0 + 14)], hsv(210, 40, 40), glow=True)


def _png(canvas: Canvas) -> bytes:
    image = canvas.finished()
    few = image.quantize(
        colors=96, method=imported("PIL.Image").Quantize.FASTOCTREE, dither=imported("PIL.Image").Dither.NONE
    )
    out = BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()
