"""Parts that many buildings share: windows, walls, roofs, columns, doors, flags."""

from __future__ import annotations

from typing import Literal

from planspec.families.veritrip.pictures.colours import (  # fmt: skip
    GLASS,
    LAMP,
    RED,
    STONE,
    WATER,
    WHITE,
    WOOD,
    Colour,
    darker,
    hsv,
    lighter,
    mix,
)
from planspec.families.veritrip.pictures.scenery import BASE, Composition


def wall(scene: Composition, x0: float, y0: float, x1: float, y1: float, colour: Colour) -> None:
    """A wall with the masonry of its place: plain, bricks, courses, panels or patches."""
    canvas, dice = scene.canvas, scene.dice
    canvas.rect(x0, y0, x1, y1, colour)
    shade = darker(colour, 16)
    if scene.style.brick == 1:
        for y in range(round(y0) + 9, round(y1) - 3, 13):
            canvas.line([(x0 + 1, y), (x1 - 1, y)], shade, 0.8)
    for _ in range(round((x1 - x0) * (y1 - y0) / 420)):
        x, y = dice.whole(round(x0), round(x1)), dice.whole(round(y0), round(y1))
        wide = dice.whole(4, 9)
        if x0 + 1 < x < x1 - wide - 1 and y0 + 1 < y < y1 - 5:
            tone = dice.pick((shade, lighter(colour, 22), mix(colour, scene.style.roof, 26)))
            canvas.rect(x, y, x + wide, y + (3 if scene.style.brick < 3 else 5), tone, outline=False)


def windows(
    scene: Composition,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    columns: int,
    rows: int,
    *,
    arched: bool = False,
) -> None:
    """Rows of windows; curtains, blinds, flowers and light are each window's own."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    across, down = (x1 - x0) / columns, (y1 - y0) / rows
    for row in range(rows):
        for column in range(columns):
            a, b = x0 + across * (column + 0.2), y0 + down * (row + 0.18)
            c, d = x0 + across * (column + 0.8), y0 + down * (row + 0.82)
            state = dice.whole(0, 9)
            burning = scene.night and state % 3 != 0
            pane = mix(LAMP, WHITE, state * 4) if burning else mix(GLASS, (60, 80, 110), state * 6)
            shape = canvas.arch if arched else canvas.rect
            shape(a - 1.5, b - 1.5, c + 1.5, d + 1.5, style.trim)
            shape(a, b, c, d, pane, glow=burning)
            middle, half = (a + c) / 2, (b + d) / 2
            if style.frames in {1, 3} and c - a > 6:
                canvas.line([(middle, b + 1), (middle, d)], style.trim, 0.9)
            if style.frames in {2, 3} and d - b > 8:
                canvas.line([(a, half), (c, half)], style.trim, 0.9)
            if state == 1:
                canvas.rect(a, half, middle, d, mix(style.accent, WHITE, 40), outline=False)
            elif state == 2:
                canvas.rect(a, b, c, (b + half) / 2, hsv(dice.whole(0, 359), 36, 84))
            elif state == 3:
                canvas.poly([(a, b), (middle, b), (a, d)], lighter(style.accent, 30), outline=False)
            elif state == 4 and d - b > 9:
                canvas.rect(a - 2, d - 2, c + 2, d + 2, darker(style.roof, 10))
                for flower in range(3):
                    x = a + (c - a) * flower / 3
                    canvas.oval(x, d - 5, x + 3, d - 2, hsv(dice.whole(280, 420), 60, 90), outline=False)
            elif state == 5:
                canvas.rect(middle, b, c, d, darker(pane, 36), outline=False)


def door(scene: Composition, x: float, foot: float, wide: float, tall: float, colour: Colour) -> None:
    """A door with a round head, lit from within at night."""
    canvas = scene.canvas
    canvas.arch(x - wide / 2 - 2, foot - tall - 2, x + wide / 2 + 2, foot, scene.style.trim)
    canvas.arch(
        x - wide / 2, foot - tall, x + wide / 2, foot, LAMP if scene.night else colour, glow=scene.night
    )
    canvas.line([(x, foot), (x, foot - tall * 0.8)], darker(colour), 1)


def columns(
    scene: Composition, x0: float, y0: float, x1: float, y1: float, count: int, colour: Colour
) -> None:
    """Columns with heads and feet, evenly from edge to edge."""
    canvas = scene.canvas
    wide = min(13.0, (x1 - x0) / count / 2.2)
    for number in range(count):
        x = x0 + wide / 2 + (x1 - x0 - wide) * number / max(1, count - 1)
        canvas.rect(x - wide / 2, y0, x + wide / 2, y1, colour)
        canvas.line([(x - wide / 6, y0 + 2), (x - wide / 6, y1)], darker(colour, 18), 0.8)
        canvas.rect(x - wide * 0.7, y0, x + wide * 0.7, y0 + 4, lighter(colour, 24))
        canvas.rect(x - wide * 0.7, y1 - 4, x + wide * 0.7, y1, lighter(colour, 12))


def steps(scene: Composition, x0: float, x1: float, top: float, foot: float, count: int) -> None:
    """Steps that widen downward."""
    for number in range(count):
        y = top + (foot - top) * number / count
        spread = number * 4
        scene.canvas.rect(
            x0 - spread, y, x1 + spread, y + (foot - top) / count, mix((206, 200, 190), scene.style.wall, 20)
        )


def eaves(scene: Composition, x0: float, x1: float, y: float, tall: float, colour: Colour) -> None:
    """A roof with upturned corners and rows of tiles."""
    canvas = scene.canvas
    out, inset = (x1 - x0) * 0.07 + 6, (x1 - x0) * 0.16
    canvas.poly([(x0 - out, y - 5), (x0 + 4, y - tall * 0.3), (x0 + inset, y - tall), (x1 - inset, y - tall),
                 (x1 - 4, y - tall * 0.3), (x1 + out, y - 5), (x1 + out - 5, y + 2), (x0 - out + 5, y + 2)], colour)  # fmt: skip
    count = max(4, round((x1 - x0) / 11))
    for number in range(1, count):
        part = number / count
        canvas.line(
            [(x0 + inset + (x1 - x0 - 2 * inset) * part, y - tall), (x0 + (x1 - x0) * part, y)],
            darker(colour, 24),
            0.8,
        )
    canvas.line([(x0 + inset - 3, y - tall - 1), (x1 - inset + 3, y - tall - 1)], darker(colour, 36), 2)


def flag(scene: Composition, x: float, foot: float, tall: float) -> None:
    """A flag on a pole, of colours that only this place has."""
    canvas, dice = scene.canvas, scene.dice
    canvas.line([(x, foot), (x, foot - tall)], (90, 90, 96), 1.2)
    one, two = (
        dice.pick((RED, scene.style.accent, hsv(dice.whole(0, 359), 70, 80))),
        dice.pick((WHITE, scene.style.roof)),
    )
    canvas.rect(x, foot - tall, x + 18, foot - tall + 11, one)
    match dice.whole(0, 2):
        case 0:
            canvas.rect(x, foot - tall + 4, x + 18, foot - tall + 7, two, outline=False)
        case 1:
            canvas.oval(x + 6, foot - tall + 3, x + 11, foot - tall + 8, two, outline=False)
        case _:
            canvas.poly(
                [(x, foot - tall), (x + 8, foot - tall + 5), (x, foot - tall + 11)], two, outline=False
            )


def emblem(
    scene: Composition, x: float, y: float, size: float, what: Literal["round", "square"] = "round"
) -> None:
    """An ornament of circles and rays that only this place has."""
    canvas, dice, style = scene.canvas, scene.dice, scene.style
    if what == "round":
        canvas.oval(x - size, y - size, x + size, y + size, style.trim)
    else:
        canvas.rect(x - size, y - size, x + size, y + size, style.trim)
    cells = [(column, row) for row in range(4) for column in range(2) if dice.chance(55)]
    cell = size * 0.34
    for column, row in cells or [(0, 1)]:
        for side in (-1, 1):
            a, b = x + side * (column + 0.5) * cell - cell / 2, y + (row - 2) * cell
            if what == "square" or abs(column + 1) + abs(row - 1.5) < 3:
                canvas.rect(a, b, a + cell, b + cell, dice.pick((style.accent, style.roof)), outline=False)


def banner(scene: Composition, x: float, y: float, wide: float, tall: float) -> None:
    """A hanging cloth with a pattern."""
    canvas, dice = scene.canvas, scene.dice
    colour = hsv(dice.whole(0, 359), dice.whole(50, 80), dice.whole(60, 90))
    canvas.poly(
        [(x, y), (x + wide, y), (x + wide, y + tall), (x + wide / 2, y + tall - 5), (x, y + tall)], colour
    )
    for row in range(3):
        a, r = x + wide / 2, wide * dice.whole(10, 32) / 100
        b = y + tall * (0.2 + row * 0.25)
        shape = canvas.oval if dice.chance(50) else canvas.rect
        shape(a - r, b - r, a + r, b + r, lighter(colour, dice.whole(30, 70)), outline=False)


def boat(scene: Composition, x: float, y: float, size: float) -> None:
    """A boat with sails, a cabin or a roof."""
    canvas, dice = scene.canvas, scene.dice
    hull = dice.pick((RED, WOOD, scene.style.accent, hsv(dice.whole(180, 240), 50, 60)))
    canvas.poly(
        [
            (x - size, y - size / 4),
            (x + size, y - size / 4),
            (x + size * 0.7, y + size / 6),
            (x - size * 0.7, y + size / 6),
        ],
        hull,
    )
    match dice.whole(0, 2):
        case 0:
            canvas.line([(x, y - size / 4), (x, y - size * 1.8)], WOOD, 1.4)
            canvas.poly(
                [(x + 2, y - size * 1.8), (x + size * 0.8, y - size * 0.4), (x + 2, y - size * 0.4)], WHITE
            )
            canvas.poly(
                [(x - 2, y - size * 1.5), (x - size * 0.7, y - size * 0.4), (x - 2, y - size * 0.4)],
                lighter(hull, 50),
            )
        case 1:
            canvas.rect(x - size * 0.5, y - size * 0.7, x + size * 0.4, y - size / 4, WHITE)
            canvas.rect(x - size * 0.3, y - size * 0.6, x - size * 0.1, y - size * 0.4, (90, 120, 150))
        case _:
            eaves(scene, x - size * 0.6, x + size * 0.6, y - size * 0.6, size * 0.35, scene.style.roof)
            columns(scene, x - size * 0.5, y - size * 0.6, x + size * 0.5, y - size / 4, 3, RED)


def water(scene: Composition, top: float) -> None:
    """Water with ripples, to the lower edge of the scene."""
    canvas, dice = scene.canvas, scene.dice
    canvas.rect(-60, top, 572, BASE + 54, mix(WATER, scene.style.accent, 14), outline=False)
    for _ in range(56):
        x, y = dice.whole(-20, 500), dice.whole(round(top) + 3, BASE + 50)
        wide = 5 + (y - top) / 4
        tone = dice.pick((lighter(WATER, 44), darker(WATER, 22), lighter(WATER, 20)))
        canvas.line([(x, y), (x + wide / 2, y - 2), (x + wide, y)], tone, 1.3)


def pavilion(scene: Composition, x: float, foot: float, half: float) -> None:
    """An open hall on columns, under one or two roofs."""
    canvas, dice = scene.canvas, scene.dice
    tall = half * 0.95
    canvas.rect(x - half - 5, foot - 6, x + half + 5, foot + 2, STONE)
    columns(
        scene, x - half, foot - tall, x + half, foot - 6, dice.whole(3, 6), mix(RED, scene.style.accent, 40)
    )
    eaves(scene, x - half - 4, x + half + 4, foot - tall, half * 0.62, scene.style.roof)
    if dice.chance(60):
        eaves(scene, x - half * 0.6, x + half * 0.6, foot - tall - half * 0.6, half * 0.5, scene.style.roof)
